//! Panels packed in the order the sweeps read them.
//!
//! W and S⁻¹ of a panel lie in two arrays: the forward sweep reads the first alone. Each is cut into groups of columns, a
//! group into blocks of as many rows as a register has lanes; a block holds its columns one after another. Blocks are not
//! padded: the last one of a group has fewer rows, and a full register read there runs into the following values, which
//! are finite and meet zeros or are dropped.

use super::front::Panel;
use super::pages::{CACHE_LINE, Pages};
use super::storage::Storage;
use pd_core::LinearError;

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
    /// First value of W in `Stream::values`.
    pub(super) values: usize,
    /// First value of S⁻¹ in `Stream::inverses`.
    pub(super) inverse: usize,
    /// First index in `Stream::index`: `m` rows below, then `s` own rows, both with dummies to a full block.
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
#[derive(Default)]
pub(super) struct Stream<S: Storage> {
    /// Values, inverses and indices while panels are pushed.
    growing: (Vec<S>, Vec<S>, Vec<u32>),
    values: Pages<S>,
    inverses: Pages<S>,
    panels: Vec<Packed>,
    index: Pages<u32>,
    /// Length of the local vector; its last row is a dummy that stays zero.
    rows: usize,
    /// Length of the scratch the sweeps need.
    scratch: usize,
}

impl<S: Storage> Stream<S> {
    /// An empty stream over a local vector of `rows` rows, the dummy included.
    pub(super) fn new(rows: usize) -> Self {
        Self { rows, ..Self::default() }
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
        let (values, inverses, index) = &mut self.growing;
        start_line(values);
        start_line(inverses);
        self.panels.push(Packed {
            values: values.len(),
            inverse: inverses.len(),
            index: index.len(),
            first: first as u32,
            s: s as u32,
            m: m as u32,
            unit: unit as f32,
        });
        pack(values, shape, m, s, |at| panel.w[at])?;
        pack(inverses, shape, s, s, |at| panel.inverse[at] / unit)?;
        let (below_end, end) =
            (index.len() + m.next_multiple_of(shape.lanes), s.next_multiple_of(shape.lanes));
        let dummy = self.rows as u32 - 1;
        index.extend(below.map(|row| row as u32));
        index.resize(below_end, dummy);
        index.extend((first..first + s).map(|row| row as u32));
        index.resize(below_end + end, dummy);
        self.scratch = self.scratch.max(3 * (m.next_multiple_of(shape.lanes) + end));
        Ok(())
    }

    /// Ends the stream: room for the last full register, and the check the unchecked kernels rely on.
    pub(super) fn finish(&mut self, shape: Shape) -> Result<(), LinearError> {
        let (values, inverses, index) = std::mem::take(&mut self.growing);
        self.values = Pages::new(&values, values.len() + shape.lanes, S::default());
        self.inverses = Pages::new(&inverses, inverses.len() + shape.lanes, S::default());
        self.index = Pages::new(&index, index.len(), 0);
        match self.index.iter().find(|&&row| row as usize >= self.rows) {
            None => Ok(()),
            Some(&row) => Err(LinearError::Pattern { row: row as usize, what: "a panel's row lies outside" }),
        }
    }

    /// The packed W.
    pub(super) fn values(&self) -> &[S] {
        &self.values
    }

    /// The packed S⁻¹.
    pub(super) fn inverses(&self) -> &[S] {
        &self.inverses
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
        self.values.bytes()
            + self.inverses.bytes()
            + self.panels.capacity() * size_of::<Packed>()
            + self.index.bytes()
    }
}

/// Panels start at a cache line, so that most registers are read from one.
fn start_line<S: Storage>(values: &mut Vec<S>) {
    values.resize(values.len().next_multiple_of(CACHE_LINE / size_of::<S>()), S::default());
}

/// Appends a matrix of `rows` × `columns`, given by columns, in groups and blocks.
fn pack<S: Storage>(
    to: &mut Vec<S>,
    shape: Shape,
    rows: usize,
    columns: usize,
    value: impl Fn(usize) -> f64,
) -> Result<(), LinearError> {
    for g in (0..columns).step_by(shape.group) {
        for r in (0..rows).step_by(shape.lanes) {
            for k in g..columns.min(g + shape.group) {
                for row in r..rows.min(r + shape.lanes) {
                    let value = value(k * rows + row);
                    if value.is_nan() || value.abs() > S::LARGEST {
                        let what = format!("panel entry {value:e} exceeds the range of its storage");
                        return Err(LinearError::Backend { solver: "panels".to_owned(), what });
                    }
                    to.push(S::encode(value));
                }
            }
        }
    }
    Ok(())
}
