//! The rotation nearest to a matrix of positive determinant, by Newton's iteration for the polar decomposition.
//!
//! X ← ½ (X + X⁻ᵀ) converges quadratically from F to the rotation R of F = R S (Higham 1986). X⁻ᵀ is the matrix of
//! cofactors over the determinant: three cross products and one division. About twice as fast as singular values,
//! which are used for inverted, flat and ill-conditioned elements.

use pd_core::{Mat3, Real, Vec3};

/// Smallest determinant, relative to the cube of the mean singular value, for which the iteration is used.
const SMALLEST_DETERMINANT: Real = 1e-2;

/// The first step scales X to the right size, after which four or five are usual; otherwise singular values are used.
const MAX_STEPS: usize = 12;

/// The nearest rotation, or `None` if the iteration is not suitable for this matrix.
pub(crate) fn nearest_rotation(f: &Mat3) -> Option<Mat3> {
    let mut x: [Vec3; 3] = [0, 1, 2].map(|j| f.column(j).into_owned());
    let size = (norm_squared(&x) / 3.0).sqrt();
    let determinant = x[0].dot(&x[1].cross(&x[2]));
    // Fails for NaN too.
    let regular = determinant > SMALLEST_DETERMINANT * size.powi(3) && (1e-60..1e60).contains(&size);
    if !regular {
        return None;
    }
    x = x.map(|c| c * size.recip());
    for _ in 0..MAX_STEPS {
        let cofactors = [x[1].cross(&x[2]), x[2].cross(&x[0]), x[0].cross(&x[1])];
        let inverse = 0.5 / x[0].dot(&cofactors[0]);
        let next: [Vec3; 3] = std::array::from_fn(|j| x[j] * 0.5 + cofactors[j] * inverse);
        let change = norm_squared(&[next[0] - x[0], next[1] - x[1], next[2] - x[2]]);
        x = next;
        // A change of 1e-9 squares to below rounding in what was just computed.
        if change < 1e-18 {
            return Some(Mat3::from_columns(&x));
        }
    }
    None
}

fn norm_squared(columns: &[Vec3; 3]) -> Real {
    columns.iter().map(|c| c.norm_squared()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svd3::svd3;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn agrees_with_singular_values(entries in proptest::array::uniform9(-1.0..1.0f64), exponent in -20..20) {
            let f = Mat3::from_iterator(entries) * 10.0_f64.powi(exponent);
            if let Some(rotation) = nearest_rotation(&f) {
                let svd = svd3(&f);
                // The rotation is as sensitive as 1/(σ₂ + σ₃).
                let allowed = 2e-15 * svd.sigma.x / (svd.sigma.y + svd.sigma.z);
                prop_assert!((rotation - svd.with(&Vec3::repeat(1.0))).norm() < 5.0 * allowed);
                prop_assert!((rotation.determinant() - 1.0).abs() < 4e-15);
            } else {
                prop_assert!(f.determinant() <= 1e-2 * (f.norm() / 3.0_f64.sqrt()).powi(3));
            }
        }
    }

    #[test]
    fn other_matrices_are_left_to_singular_values() {
        let mut not_a_number = Mat3::identity();
        not_a_number[(1, 2)] = Real::NAN;
        for f in [
            Mat3::zeros(),
            -Mat3::identity(),
            Mat3::from_element(1.0),
            not_a_number,
            Mat3::identity() * 1e200,
        ] {
            assert_eq!(nearest_rotation(&f), None);
        }
        assert_eq!(nearest_rotation(&(Mat3::identity() * 3.0)), Some(Mat3::identity()));
    }
}
