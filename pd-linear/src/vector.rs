//! Sums and products over long vectors with fixed order of summation: the same bits for any number of threads.

use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Csr, LinearError, Real, check_lengths};

/// Most right-hand sides whose per-column scalars are kept on the stack.
pub(crate) const MAX_COLUMNS: usize = 16;

/// What every `solve` checks first: lengths, and a right-hand side and first guess of finite numbers.
pub(crate) fn check_input(rows: usize, b: &[Real], x: &[Real], columns: usize) -> Result<(), LinearError> {
    check_lengths(rows, b, x, columns)?;
    check_finite(b, columns)
}

/// Names the first entry that is not a finite number.
pub(crate) fn check_finite(b: &[Real], columns: usize) -> Result<(), LinearError> {
    match b.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(k) => Err(LinearError::NotFinite { row: k / columns, column: k % columns, value: b[k] }),
    }
}

/// Σ a b over everything, by a fixed tree.
pub(crate) fn dot(a: &[Real], b: &[Real]) -> Real {
    let leaf = |r: std::ops::Range<usize>| a[r.clone()].iter().zip(&b[r]).map(|(a, b)| a * b).sum::<Real>();
    exec::reduce(0..a.len(), 4 * VERTEX_CHUNK, &leaf, &|a, b| a + b)
}

/// Euclidean norm over all columns together (the Frobenius norm).
pub(crate) fn norm(a: &[Real]) -> Real {
    dot(a, a).sqrt()
}

/// y = A x, rows in parallel; each row sums in column order.
pub(crate) fn multiply(a: &Csr, x: &[Real], y: &mut [Real], columns: usize) {
    exec::for_each_chunk(y, VERTEX_CHUNK * columns, |first, y| {
        for (k, out) in y.chunks_exact_mut(columns).enumerate() {
            out.fill(0.0);
            for (j, value) in a.row(first / columns + k) {
                for (sum, x) in out.iter_mut().zip(&x[j * columns..(j + 1) * columns]) {
                    *sum += value * x;
                }
            }
        }
    });
}

/// r = b − A x, rows in parallel; returns ‖r‖.
pub(crate) fn residual(a: &Csr, b: &[Real], x: &[Real], r: &mut [Real], columns: usize) -> Real {
    exec::for_each_chunk(r, VERTEX_CHUNK * columns, |first, r| {
        for (k, out) in r.chunks_exact_mut(columns).enumerate() {
            let row = first / columns + k;
            out.copy_from_slice(&b[row * columns..(row + 1) * columns]);
            for (j, value) in a.row(row) {
                for (sum, x) in out.iter_mut().zip(&x[j * columns..(j + 1) * columns]) {
                    *sum -= value * x;
                }
            }
        }
    });
    norm(r)
}
