//! Load and store of a solve with three columns: right-hand sides into the vector of rows, solutions out of it.
//!
//!   in:  v_j = D_r b_r · gain, with r the row of the matrix that is the j-th to be eliminated and D = diag(A)^-½
//!   out: x_r = D_r v_p · back, with p the place of row r in the vector
//!
//! Both gather and write in order. For a cloth they cost as much as half a sweep if they are not in SIMD code.

use super::Row;
use crate::panels::storage::{Arithmetic, Storage};
use pd_core::Real;

/// A row of the matrix or of the vector, and D there.
pub(in crate::panels) type ScaledRow<S> = (u32, <S as Storage>::Arithmetic);

/// Fills `own` from the rows of `b` that `rows` names, and returns the largest magnitude among them; NaN has none.
pub(super) fn load<S: Storage>(rows: &[ScaledRow<S>], b: &[Real], gain: Real, own: &mut [Row<S>]) -> Real {
    let mut largest = [0.0; 3];
    for (to, &(row, scale)) in own.iter_mut().zip(rows) {
        let from = &b[3 * row as usize..3 * row as usize + 3];
        for c in 0..3 {
            if from[c].abs() > largest[c] {
                largest[c] = from[c].abs();
            }
            to[c] = S::Arithmetic::from_f64(from[c] * gain) * scale;
        }
        to[3] = S::Arithmetic::default();
    }
    largest.into_iter().fold(0.0, Real::max)
}

/// Fills `x` from the rows of `vector` that `places` names; `false` if a number is not finite.
pub(super) fn unload<S: Storage>(
    places: &[ScaledRow<S>],
    vector: &[Row<S>],
    back: Real,
    x: &mut [Real],
) -> bool {
    let mut check = [0.0; 3]; // stays zero unless an infinity or a NaN enters
    for (x, &(place, scale)) in x.as_chunks_mut::<3>().0.iter_mut().zip(places) {
        let row = vector[place as usize];
        for c in 0..3 {
            x[c] = (row[c] * scale).to_f64() * back;
            check[c] += x[c] * 0.0;
        }
    }
    check == [0.0; 3]
}
