//! Sums over long vectors in a fixed order, bitwise identical for any number of threads.

use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{LinearError, Real, check_lengths};
use std::ops::Range;

/// What every `solve` checks first: lengths, and finite numbers.
pub(crate) fn check_input(rows: usize, b: &[Real], x: &[Real], columns: usize) -> Result<(), LinearError> {
    check_lengths(rows, b, x, columns)?;
    check_finite(b, columns)
}

/// Returns the first entry that is not finite as an error.
pub(crate) fn check_finite(b: &[Real], columns: usize) -> Result<(), LinearError> {
    match b.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(k) => Err(LinearError::NotFinite { row: k / columns, column: k % columns, value: b[k] }),
    }
}

/// Σ a b over everything, by a fixed tree.
pub(crate) fn dot(a: &[Real], b: &[Real]) -> Real {
    let leaf = |r: Range<usize>| a[r.clone()].iter().zip(&b[r]).map(|(a, b)| a * b).sum::<Real>();
    exec::reduce(0..a.len(), 4 * VERTEX_CHUNK, &leaf, &|a, b| a + b)
}

/// Euclidean norm over all columns together (the Frobenius norm).
pub(crate) fn norm(a: &[Real]) -> Real {
    dot(a, a).sqrt()
}

/// Σ a b of each column of two row-major blocks, by a fixed tree; `sums` has one entry per column.
pub(crate) fn column_dots(a: &[Real], b: &[Real], columns: usize, sums: &mut [Real]) {
    const GROUP: usize = 4;
    for first in (0..columns).step_by(GROUP) {
        let width = GROUP.min(columns - first);
        let leaf = |rows: Range<usize>| {
            let mut sums = [0.0; GROUP];
            for i in rows {
                let at = i * columns + first;
                for (sum, (a, b)) in sums.iter_mut().zip(a[at..at + width].iter().zip(&b[at..at + width])) {
                    *sum += a * b;
                }
            }
            sums
        };
        let add = |a: [Real; GROUP], b: [Real; GROUP]| std::array::from_fn(|k| a[k] + b[k]);
        let group = exec::reduce(0..a.len() / columns, VERTEX_CHUNK, &leaf, &add);
        sums[first..first + width].copy_from_slice(&group[..width]);
    }
}

/// Calls `f(row, out)` for every row of a row-major block, in parallel.
pub(crate) fn for_each_row(out: &mut [Real], columns: usize, f: impl Fn(usize, &mut [Real]) + Sync) {
    exec::for_each_chunk(out, VERTEX_CHUNK * columns, |first, out| {
        for (k, out) in out.chunks_exact_mut(columns).enumerate() {
            f(first / columns + k, out);
        }
    });
}

/// Grows or shrinks scratch; allocates only when the length changes.
pub(crate) fn resize(scratch: &mut Vec<Real>, length: usize) {
    if scratch.len() != length {
        scratch.clear();
        scratch.resize(length, 0.0);
    }
}
