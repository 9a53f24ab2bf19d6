//! Every Hessian against central differences of the gradient, every gradient of a law that is not a squared distance against those of the
//! energy; projected Hessians are semidefinite, and the exact ones where those are; prox minimises what it says.

use crate::common::*;
use nalgebra::{DMatrix, Matrix3};
use pd_constraints::*;
use pd_core::{EnergyBatch, Mat3, Model, Psd, Real, Vec3};
use proptest::prelude::*;

fn model(batch: impl EnergyBatch, x: &[Vec3]) -> Model {
    Model::with_masses(vec![1.0; x.len()]).energy(batch).build().unwrap()
}

fn gradient(model: &Model, x: &[Vec3]) -> Vec<Vec3> {
    let (mut rows, mut gradient) = (vec![Vec3::zeros(); model.rows()], vec![Vec3::zeros(); x.len()]);
    model.elastic_gradient(x, &mut rows, &mut gradient);
    gradient
}

/// Derivative of `f` along `d` at `x`, to fourth order.
fn along<const N: usize>(x: &[Vec3], d: &[Vec3], f: impl Fn(&[Vec3]) -> [Vec<Real>; N]) -> [Vec<Real>; N] {
    let step = 2e-5;
    let at = |k: Real| f(&x.iter().zip(d).map(|(x, d)| x + d * (k * step)).collect::<Vec<_>>());
    let [a, b, c, e] = [at(1.0), at(-1.0), at(2.0), at(-2.0)];
    std::array::from_fn(|n| {
        (0..a[n].len()).map(|i| (8.0 * (a[n][i] - b[n][i]) - (c[n][i] - e[n][i])) / (12.0 * step)).collect()
    })
}

/// (Dᵀ H D) d summed over elements.
fn hessian_times(model: &Model, x: &[Vec3], d: &[Vec3], psd: Psd) -> Vec<Vec3> {
    let mut out = vec![Vec3::zeros(); x.len()];
    for batch in model.batches() {
        let (stencil, rows) = (batch.stencil(), batch.stencil().rows_per_element());
        let n = 3 * rows;
        for element in 0..stencil.elements() {
            let mut h = vec![0.0; n * n];
            batch.hessian(element..element + 1, x, psd, &mut h);
            let mut y = vec![Vec3::zeros(); rows];
            stencil.gather(element..element + 1, d, &mut y);
            let flat = pd_core::as_flat(&y);
            for row in 0..rows {
                let at = |k: usize| (0..n).map(|j| h[(3 * row + k) * n + j] * flat[j]).sum::<Real>();
                let force = Vec3::new(at(0), at(1), at(2));
                for (vertex, c) in stencil.row(element * rows + row) {
                    out[vertex] += force * c;
                }
            }
        }
    }
    out
}

/// Checks value, gradient and Hessian along a direction, and the projected Hessian of every element.
fn check(model: &Model, x: &[Vec3], d: &[Vec3]) -> Result<(), TestCaseError> {
    // Never along nothing, however small the random part is.
    let d: Vec<Vec3> =
        (0..).zip(d).map(|(k, d)| d + Vec3::new(f64::from(k).sin(), 0.3, -0.2 * f64::from(k % 3))).collect();
    let d = &d[..];
    let [slope, second] =
        along(x, d, |x| [vec![model.elastic_energy(x)], pd_core::as_flat(&gradient(model, x)).to_vec()]);
    let g = gradient(model, x);
    let expected: Real = g.iter().zip(d).map(|(g, d)| g.dot(d)).sum();
    let scale = g.iter().zip(d).map(|(g, d)| g.norm() * d.norm()).sum::<Real>();
    prop_assert!((slope[0] - expected).abs() < 1e-6 * scale, "gradient {} {expected} of {scale}", slope[0]);
    let exact = hessian_times(model, x, d, Psd::Exact);
    let size = pd_core::as_flat(&exact).iter().chain(&second).fold(0.0, |m: Real, v| m.max(v.abs()));
    prop_assert!(size > 0.0, "a state that checks nothing");
    for (found, expected) in pd_core::as_flat(&exact).iter().zip(&second) {
        prop_assert!((found - expected).abs() < 1e-6 * size, "Hessian {found} {expected} of {size}");
    }
    for batch in model.batches() {
        let n = 3 * batch.stencil().rows_per_element();
        for element in 0..batch.stencil().elements() {
            let [mut exact, mut projected] = [vec![0.0; n * n], vec![0.0; n * n]];
            batch.hessian(element..element + 1, x, Psd::Exact, &mut exact);
            batch.hessian(element..element + 1, x, Psd::Project, &mut projected);
            let least = |h: &[Real]| DMatrix::from_row_slice(n, n, h).symmetric_eigenvalues().min();
            let size = exact.iter().fold(0.0, |m: Real, v| m.max(v.abs()));
            prop_assert!(least(&projected) >= -1e-12 * size, "not semidefinite: {}", least(&projected));
            let moved = exact.iter().zip(&projected).fold(0.0, |m: Real, (a, b)| m.max((a - b).abs()));
            if least(&exact) >= 0.0 {
                prop_assert!(moved <= 1e-12 * size, "changed by {moved}, but least {}", least(&exact));
            } else {
                prop_assert!(moved <= 9.0 * -least(&exact) + 1e-12 * size);
            }
        }
    }
    Ok(())
}

/// U(y) + κω/2 |y − z|² is stationary at prox(z) and not above its value at z and at points nearby.
fn check_prox(batch: &dyn EnergyBatch, x: &[Vec3], kappa: Real) -> Result<(), TestCaseError> {
    let (d, weight) = (batch.stencil().rows_per_element(), batch.stencil().weight(0));
    let mut z = vec![Vec3::zeros(); d];
    batch.gather(0..1, x, &mut z);
    let mut y = z.clone();
    batch.prox(0..1, kappa, &mut y);
    // ∇U = ω (y − project(y)) at the answer.
    let mut p = y.clone();
    batch.project(0..1, &mut p);
    for k in 0..d {
        let gradient = (y[k] - p[k]) + (y[k] - z[k]) * kappa;
        prop_assert!(gradient.norm() < 1e-9 * (1.0 + kappa), "{} of weight {weight}", gradient.norm());
    }
    Ok(())
}

fn materials() -> impl Strategy<Value = Material> {
    (1e3..1e6, 0.0..0.45).prop_map(|(young, poisson)| Material::new(young, poisson, 1000.0).unwrap())
}

/// A tetrahedron and an image of it with these singular values.
fn image(rest: &[Vec3], u: &Mat3, sigma: [Real; 3], v: &Mat3) -> Vec<Vec3> {
    let f = u * Matrix3::from_diagonal(&Vec3::from(sigma)) * v.transpose();
    rest.iter().map(|x| f * x + Vec3::new(0.3, -0.2, 0.1)).collect()
}

fn rest_tet() -> [Vec3; 4] {
    [Vec3::new(1.0, 0.1, 0.0), Vec3::new(-0.1, 0.9, 0.1), Vec3::new(0.2, 0.0, 1.1), Vec3::new(0.1, -0.1, 0.0)]
}

const TET: [[u32; 4]; 1] = [[0, 1, 2, 3]];

/// One law at a state and, beside it, its prox.
fn law<L: IsotropicLaw>(m: Material, x: &[Vec3], d: &[Vec3], kappa: Real) -> Result<(), TestCaseError> {
    let batch = TetElastic::<L>::new(&rest_tet(), &TET, m).unwrap();
    check_prox(&batch, x, kappa)?;
    check(&model(batch, x), x, d)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn hyperelastic_solids(
        m in materials(), u in rotation(), v in rotation(), a in 1.1..1.6f64, b in 0.8..1.05f64, c in 0.5..0.75f64,
        d in vectors(4, 1.0), kappa in 0.3..3.0f64,
    ) {
        let x = image(&rest_tet(), &u, [a, b, c], &v);
        law::<NeoHookean>(m, &x, &d, kappa)?;
        law::<StableNeoHookean>(m, &x, &d, kappa)?;
        law::<StVenantKirchhoff>(m, &x, &d, kappa)?;
        law::<Corotated>(m, &x, &d, kappa)?;
    }

    #[test]
    fn inverted_solids(m in materials(), u in rotation(), v in rotation(), c in 0.2..0.6f64, d in vectors(4, 1.0)) {
        let x = image(&rest_tet(), &u, [1.3, 0.9, -c], &v);
        for batch in [
            model(TetElastic::<StableNeoHookean>::new(&rest_tet(), &TET, m).unwrap(), &x),
            model(TetElastic::<StVenantKirchhoff>::new(&rest_tet(), &TET, m).unwrap(), &x),
            model(TetElastic::<Corotated>::new(&rest_tet(), &TET, m).unwrap(), &x),
        ] {
            check(&batch, &x, &d)?;
        }
        let log = TetElastic::<NeoHookean>::new(&rest_tet(), &TET, m).unwrap();
        prop_assert_eq!(log.energy(0..1, &x), Real::INFINITY);
        let mut r = [Vec3::zeros(); 3];
        log.residual(0..1, &x, &mut r);
        prop_assert!(r.iter().all(|r| r.iter().all(|c| c.is_finite())));
    }

    #[test]
    fn strain_of_solids_and_triangles(
        u in rotation(), v in rotation(), a in 1.15..1.6f64, b in 0.93..1.07f64, c in 0.4..0.85f64, d in vectors(4, 1.0),
    ) {
        let x = image(&rest_tet(), &u, [a, b, c], &v);
        // A triangle in the plane of the first two axes has the first and the last of these singular values.
        let flat = rest_tet().map(|p| Vec3::new(p.x, p.y, 0.0));
        let bent = image(&flat, &u, [a, c, 1.0], &Mat3::identity());
        for range in [StrainRange::RIGID, StrainRange::uniform(0.9, 1.1)] {
            check(&model(TetStrain::new(&rest_tet(), &TET, 50.0, range).unwrap(), &x), &x, &d)?;
            check(&model(TriStrain::new(&flat, &[[0, 1, 3]], 50.0, range).unwrap(), &bent), &bent, &d)?;
        }
    }

    #[test]
    fn volume_and_area(
        u in rotation(), v in rotation(), a in 1.15..1.6f64, b in 0.8..1.07f64, c in 0.5..0.75f64, grow in 0.6..1.1f64,
        inverted in any::<bool>(), d in vectors(4, 1.0),
    ) {
        // Products from half to twice the goal and inverted ones; nearer to it all the rates vanish.
        let scale = grow / (a * b * c).cbrt();
        prop_assume!(((grow * grow * grow).ln().abs() > 0.15) && (grow * grow).ln().abs() > 0.15);
        let sign = if inverted { -1.0 } else { 1.0 };
        let x = image(&rest_tet(), &u, [a * scale, b * scale, sign * c * scale], &v);
        let flat = rest_tet().map(|p| Vec3::new(p.x, p.y, 0.0));
        let scale = grow / (a * c).sqrt();
        let bent = image(&flat, &u, [a * scale, c * scale, 1.0], &Mat3::identity());
        for (min, max) in [(1.0, 1.0), (0.95, 1.05)] {
            check(&model(Volume::new(&rest_tet(), &TET, 50.0, min, max).unwrap(), &x), &x, &d)?;
            check(&model(Area::new(&flat, &[[0, 1, 3]], 50.0, min, max).unwrap(), &bent), &bent, &d)?;
        }
    }

    #[test]
    fn springs(noise in vectors(25, 0.1), d in vectors(25, 1.0), compression in 0.05..1.0f64, kappa in 0.2..4.0f64) {
        let patch = Patch::flat(4);
        let x: Vec<Vec3> = patch.x.iter().zip(&noise).map(|(x, n)| x + n).collect();
        check(&model(EdgeSprings::new(&patch.x, &patch.edges, 30.0).unwrap(), &x), &x, &d)?;
        let law = SpringLaw { compression, dead_zone: 0.0 };
        let batch = MassSpring::new(&patch.x, &patch.edges, 30.0, law).unwrap();
        check_prox(&batch, &x, kappa)?;
        // At the rest length the law changes its stiffness; a step of the differences must not reach it.
        let close = batch.stencil().elements();
        let near = (0..close).any(|e| {
            let mut y = [Vec3::zeros()];
            batch.gather(e..e + 1, &x, &mut y);
            let [i, j] = patch.edges[e];
            let rest = (patch.x[i as usize] - patch.x[j as usize]).norm();
            (y[0].norm() - rest).abs() < 1e-3
        });
        prop_assume!(!near);
        check(&model(batch, &x), &x, &d)?;
    }

    #[test]
    fn bending(noise in vectors(25, 0.02), d in vectors(25, 1.0), raise in 0.7..2.0f64) {
        let cap = Patch::cap(4, 1.0);
        let moved = |(x, n): (&Vec3, &Vec3)| x.component_mul(&Vec3::new(1.0, 1.0, raise)) + n;
        let x: Vec<Vec3> = cap.x.iter().zip(&noise).map(moved).collect();
        let hinges = hinges(&cap.triangles);
        prop_assert!(!hinges.is_empty());
        let dihedral = DihedralBending::new(&cap.x, &hinges, 0.1).unwrap();
        check_prox(&dihedral, &x, 1.0)?;
        check(&model(dihedral, &x), &x, &d)?;
        check(&model(IsometricBending::new(&cap.x, &hinges, 0.1).unwrap(), &x), &x, &d)?;
        let x: Vec<Vec3> = cap.x.iter().zip(&noise).map(|(x, n)| x.component_mul(&Vec3::new(1.0, 1.0, raise)) + n * 0.1).collect();
        check(&model(Bending::new(&cap.x, cap.rings(), 0.1, BendingWeights::CotanVoronoi).unwrap(), &x), &x, &d)?;
    }

    #[test]
    fn weave(noise in vectors(25, 0.08), d in vectors(25, 1.0), warp in 10.0..1000.0f64, weft in 10.0..1000.0f64, shear in 1.0..100.0f64) {
        let patch = Patch::flat(4);
        let x: Vec<Vec3> = patch.x.iter().zip(&noise).map(|(x, n)| x + n).collect();
        let stiffness = WovenStiffness { warp, weft, shear };
        let batch = Woven::new(&patch.x, &patch.triangles, Vec3::new(1.0, 0.4, 0.0), stiffness, 1.0).unwrap();
        check_prox(&batch, &x, 1.0)?;
        check(&model(batch, &x), &x, &d)?;
    }
}

#[test]
fn hinges_fold_to_nothing_only_where_they_were_flat() {
    // Rotating one wing by θ about the edge: both bending laws agree for small θ, and the dihedral one is exact for large.
    let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.4, 0.8, 0.0), Vec3::new(0.6, -0.9, 0.0)];
    let hinge = [[0, 1, 2, 3]];
    let (dihedral, quadratic) =
        (DihedralBending::new(&x, &hinge, 2.0).unwrap(), IsometricBending::new(&x, &hinge, 2.0).unwrap());
    let area = 0.5 * (0.8 + 0.9);
    for theta in [1e-3, 0.3, 1.0, 2.5, -2.5] {
        let (sin, cos) = f64::sin_cos(theta);
        let bent = [x[0], x[1], Vec3::new(0.4, 0.8 * cos, 0.8 * sin), x[3]];
        let expected = 0.5 * 2.0 / area * theta * theta;
        assert!((dihedral.energy(0..1, &bent) / expected - 1.0).abs() < 1e-12, "{theta}");
        let chord = 4.0 * (theta / 2.0).sin().powi(2) / (theta * theta);
        assert!((quadratic.energy(0..1, &bent) / (expected * chord) - 1.0).abs() < 1e-9, "{theta}");
    }
}
