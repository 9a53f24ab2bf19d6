//! Panels packed in the order the sweeps read them.
//!
//! M = [W; S⁻¹] of a panel is cut into groups of columns, a group into blocks of as many rows as a register has
//! lanes; a block holds its columns one after another. Blocks are not padded: the last one of a group has fewer rows,
//! and a full register read there runs into the following values, which are finite and meet zeros or are dropped.

use super::front::Panel;
use super::storage::Storage;
use pd_core::LinearError;

/// Panels start at multiples of this many bytes, so that most registers are read from one cache line.
const CACHE_LINE: usize = 64;

/// Shape of the blocks: chosen by the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Rows of a full block.
    pub(super) lanes: usize,
    /// Columns of a full group.
    pub(super) group: usize,
}

/// Where a packed panel lies. Rows are local to the part: its own columns first, then those of the top.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    /// First value in `Stream::values`.
    pub(super) values: usize,
    /// First index in `Stream::index`: `m` rows below, then the `s` own rows, then dummies to a full block.
    pub(super) index: usize,
    /// Local row of the first column.
    pub(super) first: u32,
    /// Columns.
    pub(super) s: u32,
    /// Rows below.
    pub(super) m: u32,
    /// S⁻¹ is stored divided by this power of two, and the own rows are multiplied by it.
    pub(super) unit: f32,
}

/// All panels of one part.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream<S> {
    values: Vec<S>,
    panels: Vec<Packed>,
    index: Vec<u32>,
    /// Length of the local vector; its last row is a dummy that stays zero.
    rows: usize,
    /// Length of the scratch the sweeps need.
    scratch: usize,
}

impl<S: Storage> Stream<S> {
    /// An empty stream over a local vector of `rows` rows, the dummy included.
    pub(super) fn new(rows: usize) -> Self {
        Self { values: vec![], panels: vec![], index: vec![], rows, scratch: 0 }
    }

    /// Appends a panel with its local rows. The first call after a change of numbers starts from an empty stream.
    pub(super) fn push(
        &mut self,
        shape: Shape,
        first: usize,
        below: impl Iterator<Item = usize>,
        panel: &Panel<'_>,
    ) -> Result<(), LinearError> {
        let (s, m) = (panel.columns, panel.rows);
        let largest = panel.inverse.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let unit = if size_of::<S>() == 2 { 2f64.powi(largest.log2().ceil() as i32) } else { 1.0 };
        let line = CACHE_LINE / size_of::<S>();
        self.values.resize(self.values.len().next_multiple_of(line), S::default());
        let packed = Packed {
            values: self.values.len(),
            index: self.index.len(),
            first: first as u32,
            s: s as u32,
            m: m as u32,
            unit: unit as f32,
        };
        let value = |row: usize, k: usize| match row.checked_sub(m) {
            None => panel.w[k * m + row],
            Some(row) => panel.inverse[k * s + row] / unit,
        };
        for g in (0..s).step_by(shape.group) {
            for r in (0..m + s).step_by(shape.lanes) {
                for k in g..s.min(g + shape.group) {
                    for row in r..(m + s).min(r + shape.lanes) {
                        let value = value(row, k);
                        if value.is_nan() || value.abs() > S::LARGEST {
                            let what = format!("panel entry {value:e} exceeds the range of its storage");
                            return Err(LinearError::Backend { solver: "panels".to_owned(), what });
                        }
                        self.values.push(S::encode(value));
                    }
                }
            }
        }
        self.index.extend(below.chain(first..first + s).map(|row| row as u32));
        let padded = (m + s).next_multiple_of(shape.lanes);
        self.index.resize(packed.index + padded, self.rows as u32 - 1);
        self.scratch = self.scratch.max(3 * padded);
        self.panels.push(packed);
        Ok(())
    }

    /// Ends the stream: room for the last full register, and the check the unchecked kernels rely on.
    pub(super) fn finish(&mut self, shape: Shape) -> Result<(), LinearError> {
        let line = CACHE_LINE / size_of::<S>();
        let mut aligned: Vec<S> = Vec::with_capacity(line + self.values.len() + shape.lanes);
        let shift = aligned.as_ptr().align_offset(CACHE_LINE).min(line);
        aligned.resize(shift, S::default());
        aligned.extend_from_slice(&self.values);
        aligned.resize(aligned.len() + shape.lanes, S::default());
        self.panels.iter_mut().for_each(|panel| panel.values += shift);
        self.values = aligned;
        match self.index.iter().find(|&&row| row as usize >= self.rows) {
            None => Ok(()),
            Some(&row) => Err(LinearError::Pattern { row: row as usize, what: "a panel's row lies outside" }),
        }
    }

    /// The packed values.
    pub(super) fn values(&self) -> &[S] {
        &self.values
    }

    /// The panels in the order of elimination.
    pub(super) fn panels(&self) -> &[Packed] {
        &self.panels
    }

    /// The row indices.
    pub(super) fn index(&self) -> &[u32] {
        &self.index
    }

    /// Length of the local vector.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Length of the scratch.
    pub(super) fn scratch(&self) -> usize {
        self.scratch
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<S>()
            + self.panels.capacity() * size_of::<Packed>()
            + self.index.capacity() * size_of::<u32>()
    }
}
