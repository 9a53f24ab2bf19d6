//! Small symmetric matrices: eigenvalues by Jacobi rotations, and the nearest positive semidefinite matrix.
//!
//! With A = Q Λ Qᵀ the positive semidefinite matrix nearest to A in the Frobenius norm is Q max(Λ, 0) Qᵀ (Higham 1988).
//! Cyclic Jacobi rotations (Golub, Van Loan, section 8.5) need no storage beyond the two matrices and are as accurate as the
//! entries allow.

use pd_core::Real;

/// Sweeps until all entries off the diagonal vanish; six are usual, the bound only guards against NaN.
const MAX_SWEEPS: usize = 32;

/// Entries off the diagonal are treated as zero below this fraction of the largest entry.
const NEGLIGIBLE: Real = 1e-17;

/// An eigenvalue is treated as negative below this fraction of the largest one, so that rounding does not count.
const NEGATIVE: Real = 1e-15;

/// Pivots above this fraction of the largest diagonal entry are positive, whatever rounding has done.
const CERTAIN: Real = 1e-12;

/// A symmetric matrix, row by row.
pub type Square<const N: usize> = [[Real; N]; N];

/// Eigenvalues of a symmetric matrix and its eigenvectors, the k-th in column k. Only the lower triangle is read.
///
/// ```
/// let (values, _) = pd_constraints::psd::eigen(&[[2.0, 1.0], [1.0, 2.0]]);
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// ```
pub fn eigen<const N: usize>(matrix: &Square<N>) -> ([Real; N], Square<N>) {
    let mut a: Square<N> =
        std::array::from_fn(|i| std::array::from_fn(|j| if j <= i { matrix[i][j] } else { matrix[j][i] }));
    let mut q: Square<N> = std::array::from_fn(|i| std::array::from_fn(|j| Real::from(i == j)));
    let scale = a.iter().flatten().fold(0.0, |largest: Real, value| largest.max(value.abs()));
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..N {
            for r in p + 1..N {
                if a[p][r].abs() > NEGLIGIBLE * scale {
                    rotate(&mut a, &mut q, p, r);
                    rotated = true;
                }
            }
        }
        if !rotated {
            break;
        }
    }
    (std::array::from_fn(|k| a[k][k]), q)
}

/// One rotation in the plane of the axes p and r that makes their common entry vanish.
fn rotate<const N: usize>(a: &mut Square<N>, q: &mut Square<N>, p: usize, r: usize) {
    let theta = (a[r][r] - a[p][p]) / (2.0 * a[p][r]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = (t * t + 1.0).sqrt().recip();
    let s = t * c;
    let pivot = a[p][r];
    a[p][p] -= t * pivot;
    a[r][r] += t * pivot;
    (a[p][r], a[r][p]) = (0.0, 0.0);
    for k in (0..N).filter(|&k| k != p && k != r) {
        let (x, y) = (a[k][p], a[k][r]);
        (a[k][p], a[k][r]) = (c * x - s * y, s * x + c * y);
        (a[p][k], a[r][k]) = (a[k][p], a[k][r]);
    }
    for row in q.iter_mut() {
        let (x, y) = (row[p], row[r]);
        (row[p], row[r]) = (c * x - s * y, s * x + c * y);
    }
}

/// Replaces a symmetric matrix by the nearest positive semidefinite one; returns how many eigenvalues were negative. A
/// positive semidefinite matrix is unchanged bitwise.
///
/// ```
/// let mut a = [[1.0, 0.0], [0.0, -2.0]];
/// assert_eq!(pd_constraints::psd::project(&mut a), 1);
/// assert_eq!(a, [[1.0, 0.0], [0.0, 0.0]]);
/// ```
pub fn project<const N: usize>(matrix: &mut Square<N>) -> usize {
    if is_definite(matrix) {
        return 0;
    }
    let (values, vectors) = eigen(matrix);
    let largest = values.iter().fold(0.0, |largest: Real, value| largest.max(value.abs()));
    let mut clamped = 0;
    for (k, &value) in values.iter().enumerate().filter(|(_, value)| **value < -NEGATIVE * largest) {
        clamped += 1;
        for i in 0..N {
            for j in 0..N {
                matrix[i][j] -= value * vectors[i][k] * vectors[j][k];
            }
        }
    }
    clamped
}

/// Whether a Cholesky factorisation of the lower triangle meets only pivots that are positive beyond rounding: a tenth of the work of
/// the eigenvalues, and most elements need no more.
fn is_definite<const N: usize>(matrix: &Square<N>) -> bool {
    let mut l = *matrix;
    let largest = (0..N).fold(0.0, |largest: Real, k| largest.max(matrix[k][k]));
    for j in 0..N {
        let pivot = l[j][j] - (0..j).map(|k| l[j][k] * l[j][k]).sum::<Real>();
        if pivot.is_nan() || pivot <= CERTAIN * largest {
            return false;
        }
        l[j][j] = pivot.sqrt();
        for i in j + 1..N {
            l[i][j] = (l[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<Real>()) / l[j][j];
        }
    }
    true
}

/// As [`project`], for the N×N matrix that `flat` holds row by row.
pub(crate) fn project_flat<const N: usize>(flat: &mut [Real]) -> usize {
    let mut square: Square<N> = std::array::from_fn(|i| std::array::from_fn(|j| flat[i * N + j]));
    let clamped = project(&mut square);
    if clamped > 0 {
        flat.copy_from_slice(square.as_flattened());
    }
    clamped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quadratic<const N: usize>(a: &Square<N>, x: &[Real; N]) -> Real {
        (0..N).map(|i| (0..N).map(|j| x[i] * a[i][j] * x[j]).sum::<Real>()).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn values_and_vectors_make_the_matrix(lower in proptest::array::uniform9(proptest::array::uniform9(-3.0..3.0f64))) {
            let (values, q) = eigen(&lower);
            for i in 0..9 {
                for j in 0..=i {
                    let made: Real = (0..9).map(|k| q[i][k] * values[k] * q[j][k]).sum();
                    let dot: Real = (0..9).map(|k| q[i][k] * q[j][k]).sum();
                    prop_assert!((made - lower[i][j]).abs() < 1e-13 * 27.0, "{made} {}", lower[i][j]);
                    prop_assert!((dot - Real::from(i == j)).abs() < 1e-13);
                }
            }
        }

        #[test]
        fn projections_are_semidefinite_and_nearest(
            lower in proptest::array::uniform6(proptest::array::uniform6(-3.0..3.0f64)),
            x in proptest::array::uniform6(-1.0..1.0f64),
        ) {
            let a: Square<6> = std::array::from_fn(|i| std::array::from_fn(|j| lower[i.max(j)][i.min(j)]));
            let mut projected = a;
            let clamped = project(&mut projected);
            let (before, after) = (eigen(&a).0, eigen(&projected).0);
            prop_assert_eq!(clamped, before.iter().filter(|value| **value < 0.0).count());
            prop_assert!(after.iter().all(|value| *value > -1e-13), "{after:?}");
            // The distance of the nearest one: the negative eigenvalues.
            let missing: Real = before.iter().map(|value| value.min(0.0).powi(2)).sum();
            let moved: Real = (0..36).map(|k| (a[k / 6][k % 6] - projected[k / 6][k % 6]).powi(2)).sum();
            prop_assert!((missing - moved).abs() < 1e-12 * (1.0 + missing));
            prop_assert!(quadratic(&projected, &x) >= quadratic(&a, &x) - 1e-12);
        }

        #[test]
        fn semidefinite_matrices_keep_their_bits(
            g in proptest::array::uniform6(proptest::array::uniform6(-3.0..3.0f64)), rank in 0usize..=6
        ) {
            let mut a: Square<6> = [[0.0; 6]; 6];
            for row in &g[..rank] {
                for i in 0..6 {
                    for j in 0..6 {
                        a[i][j] += row[i] * row[j];
                    }
                }
            }
            let before = a;
            project(&mut a);
            prop_assert_eq!(a, before);
        }
    }

    #[test]
    fn what_is_no_number_does_not_hang() {
        let (values, _) = eigen(&[[Real::NAN; 4]; 4]);
        assert!(values.iter().all(|value| value.is_nan()));
        assert_eq!(project(&mut [[0.0; 4]; 4]), 0);
    }
}
