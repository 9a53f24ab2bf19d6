//! A first guess of right singular vectors for several matrices side by side.
//!
//! Jacobi rotations on FᵀF (two-sided, cyclic). A rotation waits for two square roots and two divisions in a row; doing
//! four independent matrices in lockstep fills that time and lets the compiler use vector instructions. Each lane does
//! the same operations whatever its neighbours hold, so a result does not depend on how elements are grouped.
//! FᵀF squares the condition, so the guess is refined by `svd3` and used for well-conditioned matrices only.

use pd_core::{Mat3, Real, Vec3};

/// Sweeps over the three pairs. Convergence is quadratic: the one sweep that usually remains is done by `svd3`. Measured
/// as the best number: two leave it more, four do more than it needs.
const SWEEPS: usize = 3;

/// Least ratio of the smallest to the largest eigenvalue of FᵀF for which the guess is used. F V then has rounding
/// errors of at most a hundred units in the last place of the smallest singular value.
const WORST_CONDITION: Real = 1e-4;

/// Keeps 0/0 away where two columns are orthogonal and of one length.
const TINY: Real = 1e-300;

type Lanes<const L: usize> = [Real; L];

/// Columns of V for each matrix; `None` where the matrix is badly conditioned, out of scale or not finite.
pub(crate) fn right_vectors<const L: usize>(f: &[Mat3; L]) -> [Option<[Vec3; 3]>; L] {
    let gram = |i: usize, j: usize| -> Lanes<L> {
        std::array::from_fn(|l| (0..3).map(|k| f[l][(k, i)] * f[l][(k, j)]).sum())
    };
    let mut diagonal = [gram(0, 0), gram(1, 1), gram(2, 2)];
    // Opposite to index r: the entry (p, q) of the other two.
    let mut off = [gram(1, 2), gram(0, 2), gram(0, 1)];
    let mut v = [[[0.0; L]; 3]; 3];
    for j in 0..3 {
        v[j][j] = [1.0; L];
    }
    for _ in 0..SWEEPS {
        rotate(&mut diagonal, &mut off, &mut v, [0, 1, 2]);
        rotate(&mut diagonal, &mut off, &mut v, [0, 2, 1]);
        rotate(&mut diagonal, &mut off, &mut v, [1, 2, 0]);
    }
    std::array::from_fn(|l| {
        let [a, b, c] = [0, 1, 2].map(|j: usize| diagonal[j][l]);
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        let usable = least > WORST_CONDITION * most && (1e-60..1e60).contains(&most);
        usable.then(|| [0, 1, 2].map(|j: usize| Vec3::new(v[j][0][l], v[j][1][l], v[j][2][l])))
    })
}

/// Makes entry (p, q) zero; r is the third index.
#[inline(always)]
fn rotate<const L: usize>(
    diagonal: &mut [Lanes<L>; 3],
    off: &mut [Lanes<L>; 3],
    v: &mut [[Lanes<L>; 3]; 3],
    [p, q, r]: [usize; 3],
) {
    let (mut c, mut s) = ([0.0; L], [0.0; L]);
    for l in 0..L {
        // The same angle as in `svd3`.
        let (x, y) = (diagonal[q][l] - diagonal[p][l], 2.0 * off[r][l]);
        let t = y.copysign(x * y) / (x.abs() + (x * x + y * y).sqrt() + TINY);
        c[l] = 1.0 / (1.0 + t * t).sqrt();
        s[l] = c[l] * t;
        diagonal[p][l] -= t * off[r][l];
        diagonal[q][l] += t * off[r][l];
        off[r][l] = 0.0;
        // Entries (r, p) and (r, q) are stored opposite to q and p.
        let (rp, rq) = (off[q][l], off[p][l]);
        off[q][l] = c[l] * rp - s[l] * rq;
        off[p][l] = s[l] * rp + c[l] * rq;
    }
    for k in 0..3 {
        for l in 0..L {
            let (a, b) = (v[p][k][l], v[q][k][l]);
            v[p][k][l] = c[l] * a - s[l] * b;
            v[q][k][l] = s[l] * a + c[l] * b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svd3::{svd3, svd3_four};
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
        fn lanes_do_not_see_each_other(f in [matrix(), matrix(), matrix(), matrix()]) {
            prop_assert_eq!(svd3_four(&f), f.map(|f| svd3(&f)));
        }

        #[test]
        fn the_guess_is_a_rotation_that_nearly_diagonalises(f in matrix()) {
            let [guess] = right_vectors(&[f]);
            if let Some(v) = guess {
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
