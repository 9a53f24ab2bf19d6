//! Loops over the rows of D of all batches.

use pd_core::exec::{self, ELEMENT_CHUNK};
use pd_core::{EnergyBatch, Model, Vec3};
use std::ops::Range;

/// Where the rows of each batch begin in the stacked D, and the total.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    first: Vec<usize>,
}

impl Rows {
    pub(crate) fn new(model: &Model) -> Self {
        let mut first = vec![0];
        first.extend(model.batches().iter().scan(0, |rows, batch| {
            *rows += batch.stencil().rows();
            Some(*rows)
        }));
        Self { first }
    }

    /// Runs `f(batch, elements, their rows)` over chunks of elements, in parallel.
    pub(crate) fn for_each(
        &self,
        model: &Model,
        rows: &mut [Vec3],
        f: impl Fn(&dyn EnergyBatch, Range<usize>, &mut [Vec3]) + Sync,
    ) {
        for (batch, first) in model.batches().iter().zip(self.first.windows(2)) {
            let d = batch.stencil().rows_per_element();
            if d == 0 {
                continue;
            }
            exec::for_each_chunk(&mut rows[first[0]..first[1]], ELEMENT_CHUNK * d, |row, rows| {
                let start = row / d;
                f(batch.as_ref(), start..start + rows.len() / d, rows);
            });
        }
    }
}
