//! Shape matching (Müller, Heidelberger, Teschner, Gross 2005): the motion of a rest shape that fits moved points best.
//!
//! With p = x − c, q the rest offsets and masses m: A_pq = Σ m p qᵀ, R its rotation (polar factor), and goals
//! - rigid: R q + c,
//! - linear: (β A + (1 − β) R) q + c, A = A_pq A_qq⁻¹, A_qq = Σ m q qᵀ, optionally divided by ∛det A to keep the volume,
//! - quadratic: (β Ã + (1 − β) [R 0]) q̃ + c, q̃ = (q, q², mixed products) less its mean, Ã = (Σ m p q̃ᵀ)(Σ m q̃ q̃ᵀ)⁻¹.
//!
//! Taking the mean from q̃ (the paper does not) makes Σ m (goal − x) = 0 hold for quadratic goals too, and their fit exact.
//! Shapes that span less than space (a sheet, a rod) have singular A_qq; there the pseudo-inverse serves, and R fills in what
//! the points do not determine.

use crate::BodyKind;
use nalgebra::{DMatrix, SMatrix, SVector};
use pd_core::{Mat3, Real, Vec3};

type Mat9 = SMatrix<Real, 9, 9>;
type Mat39 = SMatrix<Real, 3, 9>;
type Vec9 = SVector<Real, 9>;

/// Eigenvalues below this fraction of the largest count as zero in a pseudo-inverse.
const SINGULAR: Real = 1e-10;

/// The constant part of a shape's matching.
#[derive(Clone, Debug, PartialEq)]
pub struct Matching {
    kind: BodyKind,
    /// Whether linear maps are scaled to keep the volume.
    volume: bool,
    mass: Real,
    inverse: Mat3,
    /// Directions that the rest points do not span.
    missing: Mat3,
    quadratic: Option<Box<Quadratic>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Quadratic {
    /// Rest offsets are divided by this, which keeps the squares near one.
    scale: Real,
    mean: Vec9,
    inverse: Mat9,
}

/// A fitted motion: goals are `centre + map · q`, and for quadratic shapes what [`Matching::goal`] adds.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Centre of mass, m.
    pub centre: Vec3,
    /// Best rotation.
    pub rotation: Mat3,
    /// The map of rest offsets: R, or its blend with A.
    pub map: Mat3,
    bend: Mat39,
}

impl Matching {
    /// For rest offsets `rest` from their centre of mass, all of one `mass` (kg).
    pub fn new(kind: BodyKind, rest: &[Vec3], mass: Real, volume: bool) -> Self {
        let sum: Mat3 = rest.iter().map(|q| q * q.transpose()).sum::<Mat3>() * mass;
        let (inverse, missing) = pseudo_inverse(DMatrix::from_column_slice(3, 3, sum.as_slice()));
        let quadratic = matches!(kind, BodyKind::Quadratic(_)).then(|| Box::new(Quadratic::new(rest, mass)));
        let fixed = |m: DMatrix<Real>| Mat3::from_column_slice(m.as_slice());
        Self { kind, volume, mass, inverse: fixed(inverse), missing: fixed(missing), quadratic }
    }

    /// Fits the points `x`, in the order of `rest`.
    pub fn fit(&self, rest: &[Vec3], x: impl Iterator<Item = Vec3> + Clone) -> Fit {
        let centre = x.clone().sum::<Vec3>() / rest.len().max(1) as Real;
        let a_pq =
            rest.iter().zip(x.clone()).map(|(q, x)| (x - centre) * q.transpose()).sum::<Mat3>() * self.mass;
        let rotation = rotation(&a_pq);
        let mut fit = Fit { centre, rotation, map: rotation, bend: Mat39::zeros() };
        match self.kind {
            BodyKind::Rigid => {}
            BodyKind::Linear(beta) => {
                let mut map = a_pq * self.inverse + rotation * self.missing;
                let volume = map.determinant();
                if self.volume && volume > 1e-3 {
                    map /= volume.cbrt();
                }
                fit.map = map * beta + rotation * (1.0 - beta);
            }
            BodyKind::Quadratic(beta) => {
                if let Some(quadratic) = &self.quadratic {
                    let sum = rest
                        .iter()
                        .zip(x)
                        .map(|(q, x)| (x - centre) * quadratic.terms(q).transpose())
                        .sum::<Mat39>();
                    fit.bend = sum * self.mass * quadratic.inverse * beta;
                    fit.map = rotation * (1.0 - beta) + rotation * self.missing * beta;
                }
            }
        }
        fit
    }

    /// Goal of the point at rest offset `q`.
    #[inline]
    pub fn goal(&self, fit: &Fit, q: &Vec3) -> Vec3 {
        let linear = fit.centre + fit.map * q;
        match &self.quadratic {
            Some(quadratic) => linear + fit.bend * quadratic.terms(q),
            None => linear,
        }
    }
}

impl Quadratic {
    fn new(rest: &[Vec3], mass: Real) -> Self {
        let largest = rest.iter().map(|q| q.amax()).fold(0.0, Real::max);
        let scale = if largest > 0.0 { largest } else { 1.0 };
        let mut quadratic = Self { scale, mean: Vec9::zeros(), inverse: Mat9::zeros() };
        quadratic.mean = rest.iter().map(|q| quadratic.terms(q)).sum::<Vec9>() / rest.len().max(1) as Real;
        let outer = rest.iter().map(|q| quadratic.terms(q)).map(|t| t * t.transpose());
        let sum = outer.sum::<Mat9>() * mass;
        let (inverse, _) = pseudo_inverse(DMatrix::from_column_slice(9, 9, sum.as_slice()));
        quadratic.inverse = Mat9::from_column_slice(inverse.as_slice());
        quadratic
    }

    #[inline]
    fn terms(&self, q: &Vec3) -> Vec9 {
        let q = q / self.scale;
        Vec9::from([q.x, q.y, q.z, q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z, q.z * q.x])
            - self.mean
    }
}

/// The inverse on the range of a symmetric matrix, and the projector on its null space.
fn pseudo_inverse(a: DMatrix<Real>) -> (DMatrix<Real>, DMatrix<Real>) {
    let n = a.nrows();
    let eigen = a.clone().symmetric_eigen();
    let bound = eigen.eigenvalues.amax() * SINGULAR;
    let (mut inverse, mut missing) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
    for k in 0..n {
        let (value, v) = (eigen.eigenvalues[k], eigen.eigenvectors.column(k));
        if value > bound {
            inverse += v * v.transpose() / value;
        } else {
            missing += v * v.transpose();
        }
    }
    // Newton–Schulz removes the rounding of the eigenvectors.
    for _ in 0..2 {
        inverse = &inverse * 2.0 - &inverse * &a * &inverse;
    }
    (inverse, missing)
}

/// The rotation nearest to a matrix: U diag(1, 1, ±1) Vᵀ of its singular value decomposition. Proper and finite for every
/// finite matrix, also a singular or inverted one.
pub fn rotation(a: &Mat3) -> Mat3 {
    let scale = a.amax();
    if !(scale > 0.0 && scale.is_finite()) {
        return Mat3::identity();
    }
    let svd = (a / scale).svd(true, true);
    let (Some(mut u), Some(v_t)) = (svd.u, svd.v_t) else { return Mat3::identity() };
    if (u * v_t).determinant() < 0.0 {
        let least = svd.singular_values.imin();
        u.column_mut(least).neg_mut();
    }
    u * v_t
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;
    use proptest::prelude::*;

    /// An asymmetric cloud around its centre.
    fn rest() -> Vec<Vec3> {
        let mut seed = 1u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 40) as Real / (1u64 << 24) as Real - 0.5
        };
        let points: Vec<Vec3> =
            (0..59).map(|_| Vec3::new(random(), 0.7 * random(), 1.3 * random())).collect();
        let centre = points.iter().sum::<Vec3>() / points.len() as Real;
        points.iter().map(|p| p - centre).collect()
    }

    fn worst(kind: BodyKind, rest: &[Vec3], moved: &[Vec3]) -> Real {
        let matching = Matching::new(kind, rest, 0.3, false);
        let fit = matching.fit(rest, moved.iter().copied());
        rest.iter().zip(moved).map(|(q, x)| (matching.goal(&fit, q) - x).norm()).fold(0.0, Real::max)
    }

    fn numbers<const N: usize>(size: Real) -> impl Strategy<Value = [Real; N]> {
        prop::collection::vec(-size..size, N).prop_map(|v| v.try_into().unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn rigid_linear_and_quadratic_motions_are_recovered(
            turn in numbers::<3>(3.0), shift in numbers::<3>(5.0), a in numbers::<9>(2.0), b in numbers::<18>(0.5),
        ) {
            let (rest, shift) = (rest(), Vec3::from(shift));
            let rotation = Rotation3::new(Vec3::from(turn));
            let rigid: Vec<Vec3> = rest.iter().map(|q| rotation * q + shift).collect();
            prop_assert!(worst(BodyKind::Rigid, &rest, &rigid) < 1e-12);
            let map = Mat3::from_row_slice(&a);
            let affine: Vec<Vec3> = rest.iter().map(|q| map * q + shift).collect();
            prop_assert!(worst(BodyKind::Linear(1.0), &rest, &affine) < 1e-12);
            let bend = SMatrix::<Real, 3, 6>::from_row_slice(&b);
            let field = |q: &Vec3| {
                let squares = SVector::<Real, 6>::from([q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z, q.z * q.x]);
                map * q + bend * squares + shift
            };
            let bent: Vec<Vec3> = rest.iter().map(field).collect();
            let bending = worst(BodyKind::Quadratic(1.0), &rest, &bent);
            prop_assert!(bending < 1e-12, "{bending}");
        }

        #[test]
        fn goals_keep_momentum_of_sheets_rods_and_solids(x in prop::collection::vec(numbers::<3>(1.0), 59), flat in 0usize..4) {
            let mut rest = rest();
            for q in &mut rest {
                (0..flat).for_each(|axis| q[axis] = 0.0);
            }
            let moved: Vec<Vec3> = x.into_iter().map(Vec3::from).collect();
            for kind in [BodyKind::Rigid, BodyKind::Linear(0.6), BodyKind::Quadratic(0.6)] {
                let matching = Matching::new(kind, &rest, 1.0, true);
                let fit = matching.fit(&rest, moved.iter().copied());
                let pushes: Vec<Vec3> = rest.iter().zip(&moved).map(|(q, x)| matching.goal(&fit, q) - x).collect();
                let torque: Vec3 = moved.iter().zip(&pushes).map(|(x, p)| x.cross(p)).sum();
                prop_assert!(pushes.iter().sum::<Vec3>().norm() < 1e-11, "{kind:?}");
                prop_assert!(torque.norm() < 1e-9, "{kind:?} {torque:?}");
                prop_assert!((fit.rotation.determinant() - 1.0).abs() < 1e-12);
            }
        }
    }
}
