//! An initial guess of the right singular vectors of a matrix.
//!
//! Jacobi rotations on FᵀF (two-sided, cyclic), which need no columns of F. FᵀF squares the condition, so the guess is
//! refined by `svd3` and used for well-conditioned matrices only.

use pd_core::{Mat3, Real, Vec3};

/// Sweeps over the three pairs. Convergence is quadratic: the one sweep that usually remains is done by `svd3`. Three was
/// measured to be the fastest.
const SWEEPS: usize = 3;

/// Least ratio of the smallest to the largest eigenvalue of FᵀF for which the guess is used. F V then has rounding
/// errors of at most a hundred units in the last place of the smallest singular value.
const WORST_CONDITION: Real = 1e-4;

/// Keeps 0/0 away where two columns are orthogonal and of one length.
const TINY: Real = 1e-300;

/// Columns of V; `None` where the matrix is badly conditioned, out of scale or not finite.
#[inline(always)]
pub(crate) fn right_vectors(f: &Mat3) -> Option<[Vec3; 3]> {
    let gram = |i: usize, j: usize| -> Real { (0..3).map(|k| f[(k, i)] * f[(k, j)]).sum() };
    let mut diagonal = [gram(0, 0), gram(1, 1), gram(2, 2)];
    // Opposite to index r: the entry (p, q) of the other two.
    let mut off = [gram(1, 2), gram(0, 2), gram(0, 1)];
    let mut v = [Vec3::x(), Vec3::y(), Vec3::z()];
    for _ in 0..SWEEPS {
        rotate(&mut diagonal, &mut off, &mut v, [0, 1, 2]);
        rotate(&mut diagonal, &mut off, &mut v, [0, 2, 1]);
        rotate(&mut diagonal, &mut off, &mut v, [1, 2, 0]);
    }
    let [a, b, c] = diagonal;
    let (least, most) = (a.min(b).min(c), a.max(b).max(c));
    (least > WORST_CONDITION * most && (1e-60..1e60).contains(&most)).then_some(v)
}

/// Makes entry (p, q) zero; r is the third index.
#[inline(always)]
fn rotate(diagonal: &mut [Real; 3], off: &mut [Real; 3], v: &mut [Vec3; 3], [p, q, r]: [usize; 3]) {
    // The same angle as in `svd3`.
    let (x, y) = (diagonal[q] - diagonal[p], 2.0 * off[r]);
    let t = y.copysign(x * y) / (x.abs() + (x * x + y * y).sqrt() + TINY);
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    diagonal[p] -= t * off[r];
    diagonal[q] += t * off[r];
    off[r] = 0.0;
    // Entries (r, p) and (r, q) are stored opposite to q and p.
    let (rp, rq) = (off[q], off[p]);
    off[q] = c * rp - s * rq;
    off[p] = s * rp + c * rq;
    let (a, b) = (v[p], v[q]);
    v[p] = a * c - b * s;
    v[q] = a * s + b * c;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svd3::svd3;
    use proptest::prelude::*;

    fn matrix() -> impl Strategy<Value = Mat3> {
        let regular = proptest::array::uniform9(-1.0..1.0f64).prop_map(Mat3::from_iterator);
        let flat = (proptest::array::uniform9(-1.0..1.0f64), 0.0..1e-6).prop_map(|(entries, depth)| {
            Mat3::from_iterator(entries) * Mat3::from_diagonal(&Vec3::new(1.0, 1.0, depth))
        });
        prop_oneof![3 => regular, 1 => flat]
    }

    proptest! {
        #[test]
        fn the_guess_is_a_rotation_that_nearly_diagonalises(f in matrix()) {
            if let Some(v) = right_vectors(&f) {
                let v = Mat3::from_columns(&v);
                prop_assert!((v.transpose() * v - Mat3::identity()).amax() < 4e-15 && v.determinant() > 0.0);
                let mut gram = (f * v).transpose() * (f * v);
                let size = gram.amax();
                gram.set_diagonal(&Vec3::zeros());
                prop_assert!(gram.amax() < 0.05 * size);
            } else {
                let sigma = svd3(&f).sigma;
                prop_assert!(sigma.z.abs() < 0.0101 * sigma.x);
            }
        }
    }
}
