//! Panels packed in the order the sweeps read them.
//!
//! W and S⁻¹ of a panel lie in two arrays: the forward sweep reads only the first. Each is cut into groups of columns, a
//! group into blocks of as many rows as a register has lanes; a block holds its columns one after another. Blocks are not
//! padded: the last one of a group has fewer rows, and a full register read there runs into the following values, which
//! are finite and meet zeros or are dropped. Of the symmetric S⁻¹ most formats keep one half: a group begins with the block
//! that holds its diagonal.
//!
//! A *narrow* panel has so few columns that the sums of all of them stay in registers. For it the second array holds W
//! once more, row after row, and then the rows of S⁻¹: backward, a row's values meet the row's one (x, y, z), so that
//! nothing is gathered into lanes and no sum over lanes is left. The sweeps read as many bytes as before; the cost is the memory for
//! copies of the small panels.

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

/// Columns of the widest narrow panel for any shape.
pub(super) const WIDEST_NARROW: usize = 32;

impl Shape {
    /// Columns of the widest narrow panel: three sums for each stay in registers.
    pub(super) fn narrow(self) -> usize {
        (4 * self.lanes).min(WIDEST_NARROW)
    }

    /// First row that is stored of a group of columns of S⁻¹: that of the block that holds their diagonal, if only one half
    /// is kept. No group spans two such blocks.
    pub(super) fn first_row<S: Storage>(self, g: usize) -> usize {
        if S::ONE_HALF { g - g % self.lanes } else { 0 }
    }
}

/// Where a packed panel lies. Rows are local to the part: its own columns first, then those of the top.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    /// First value of W in `Stream::values`.
    pub(super) values: usize,
    /// First value in `Stream::inverses`: S⁻¹, or the rows of W and S⁻¹ of a narrow panel.
    pub(super) inverse: usize,
    /// First index in `Stream::index`: `m` rows below, then `s` own rows, both with dummies to a full block. A narrow
    /// panel has dummies at the end only, where the last block of rows below reaches beyond its own.
    pub(super) index: usize,
    /// Local row of the first column.
    pub(super) first: u32,
    /// Columns.
    pub(super) s: u32,
    /// Rows below.
    pub(super) m: u32,
    /// Whether the panel is narrow.
    pub(super) narrow: bool,
    /// W is stored divided by this, and sums of its products are multiplied by it.
    pub(super) scale: f32,
    /// S⁻¹ is stored divided by this times `scale`, and the own rows are multiplied by it.
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
        let largest = |values: &[f64]| values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let scale = S::unit(largest(panel.w));
        let unit = f64::from((S::unit(largest(panel.inverse)) / scale) as f32);
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
            narrow: s <= shape.narrow(),
            scale: scale as f32,
            unit: unit as f32,
        });
        let dummy = self.rows as u32 - 1;
        let (begin, blocks) = (index.len(), |rows: usize| rows.next_multiple_of(shape.lanes));
        index.extend(below.map(|row| row as u32));
        if s <= shape.narrow() {
            let tall = Shape { lanes: 4 * shape.lanes, group: s };
            pack(values, tall, m, s, |_| 0, |at| panel.w[at] / scale)?;
            for row in 0..m {
                push_row(inverses, (0..s).map(|k| panel.w[k * m + row] / scale))?;
            }
            for row in 0..s {
                push_row(inverses, (0..s).map(|k| panel.inverse[k * s + row] / (unit * scale)))?;
            }
            index.extend((first..first + s).map(|row| row as u32));
            index.resize(begin + blocks(m).max(m + s), dummy);
        } else {
            pack(values, shape, m, s, |_| 0, |at| panel.w[at] / scale)?;
            pack(
                inverses,
                shape,
                s,
                s,
                |g| shape.first_row::<S>(g),
                |at| panel.inverse[at] / (unit * scale),
            )?;
            index.resize(begin + blocks(m), dummy);
            index.extend((first..first + s).map(|row| row as u32));
            index.resize(begin + blocks(m) + blocks(s), dummy);
        }
        self.scratch = self.scratch.max(3 * (blocks(m) + 2 * blocks(s)));
        Ok(())
    }

    /// Ends the stream: room for the last full register (three bytes a value are read as four), and the check the unchecked
    /// kernels rely on.
    pub(super) fn finish(&mut self, shape: Shape) -> Result<(), LinearError> {
        let (values, inverses, index) = std::mem::take(&mut self.growing);
        self.values = Pages::new(&values, values.len() + 2 * shape.lanes, S::default());
        self.inverses = Pages::new(&inverses, inverses.len() + 2 * shape.lanes, S::default());
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

    /// What the backward sweep alone reads: S⁻¹, and the rows of narrow panels.
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

/// Panels start at a cache line, so that most registers are read from one. Values of three bytes meet a line's start after
/// as many values as it has bytes.
fn start_line<S: Storage>(values: &mut Vec<S>) {
    let step =
        if CACHE_LINE.is_multiple_of(size_of::<S>()) { CACHE_LINE / size_of::<S>() } else { CACHE_LINE };
    values.resize(values.len().next_multiple_of(step), S::default());
}

/// Appends a matrix of `rows` × `columns`, given by columns, in groups and blocks, each group from its first row on.
fn pack<S: Storage>(
    to: &mut Vec<S>,
    shape: Shape,
    rows: usize,
    columns: usize,
    first_row: impl Fn(usize) -> usize,
    value: impl Fn(usize) -> f64,
) -> Result<(), LinearError> {
    for g in (0..columns).step_by(shape.group) {
        for r in (first_row(g)..rows).step_by(shape.lanes) {
            for k in g..columns.min(g + shape.group) {
                push_row(to, (r..rows.min(r + shape.lanes)).map(|row| value(k * rows + row)))?;
            }
        }
    }
    Ok(())
}

/// Appends values that the format can hold.
fn push_row<S: Storage>(to: &mut Vec<S>, row: impl Iterator<Item = f64>) -> Result<(), LinearError> {
    for value in row {
        if value.is_nan() || value.abs() > S::LARGEST {
            let what = format!("panel entry {value:e} exceeds the range of its storage");
            return Err(LinearError::Backend { solver: "panels".to_owned(), what });
        }
        to.push(S::encode(value));
    }
    Ok(())
}
