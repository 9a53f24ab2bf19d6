//! What material the weights really make, measured on one element.

use crate::common::*;
use nalgebra::{Matrix2, Matrix3};
use pd_constraints::*;
use pd_core::{EnergyBatch, Mat3, Real, Vec3};
use proptest::prelude::*;

/// Energy density of a tetrahedron under F = I + ε, Pa.
fn solid_density(weights: &TetWeights, strain: &Mat3) -> Real {
    let (x, tets) = bar(1, 1, 1);
    let moved: Vec<Vec3> = x.iter().map(|p| p + strain * p).collect();
    let total = |batch: &dyn EnergyBatch| batch.energy(0..5, &moved) / 0.25_f64.powi(3);
    let volume = weights.volume.map(|w| total(&Volume::new(&x, &tets, w, 1.0, 1.0).unwrap()));
    total(&TetStrain::new(&x, &tets, weights.strain, StrainRange::RIGID).unwrap()) + volume.unwrap_or(0.0)
}

/// Pulls with a small strain, lets the sides relax, and returns (E, ν) as a tensile test would.
fn tensile_test(density: impl Fn(Real, Real) -> Real) -> (Real, Real) {
    let pull = 1e-4;
    // Golden-section search over the ratio of contraction.
    let (mut low, mut high) = (-0.9, 0.9);
    let phi = (5.0_f64.sqrt() - 1.0) / 2.0;
    for _ in 0..60 {
        let (a, b) = (high - phi * (high - low), low + phi * (high - low));
        if density(pull, -a * pull) < density(pull, -b * pull) { high = b } else { low = a }
    }
    let poisson = 0.5 * (low + high);
    (2.0 * density(pull, -poisson * pull) / (pull * pull), poisson)
}

fn symmetric() -> impl Strategy<Value = Mat3> {
    [vector(1.0), vector(1.0), vector(1.0)].prop_map(|c| {
        let m = Mat3::from_columns(&c);
        (m + m.transpose()) * 0.5
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Ψ → μ|ε|² + λ/2 tr²ε, with an error of the order of the strain.
    #[test]
    fn small_strain_is_linear_elasticity(young in 1e3..1e9, poisson in 0.0..0.48, e in symmetric(), turn in rotation()) {
        let material = Material::new(young, poisson, 1e3).unwrap();
        let weights = tet_weights(&material, true).unwrap();
        let (lambda, mu) = material.lame();
        for size in [1e-3, 1e-5] {
            let strain = e * size;
            let linear = mu * strain.norm_squared() + 0.5 * lambda * strain.trace().powi(2);
            let turned = turn * (Mat3::identity() + strain) - Mat3::identity();
            let density = solid_density(&weights, &turned);
            // Third-order terms: each is at most a modulus times |ε|³.
            let allowed = 10.0 * (lambda + mu) * strain.norm().powi(3) + 1e-18 * young;
            prop_assert!((density - linear).abs() <= allowed, "{density} {linear} {allowed}");
        }
    }

    #[test]
    fn tensile_tests_show_the_stated_constants(young in 1e3..1e9, poisson in 0.0..0.45, full in any::<bool>()) {
        let material = Material::new(young, poisson, 1e3).unwrap();
        let weights = tet_weights(&material, full).unwrap();
        let stated = weights.effective();
        let (e, nu) = tensile_test(|along, across| {
            solid_density(&weights, &Matrix3::from_diagonal(&Vec3::new(along, across, across)))
        });
        prop_assert!((e / stated.young - 1.0).abs() < 2e-3, "{e} {stated:?}");
        prop_assert!((nu - stated.poisson).abs() < 2e-3, "{nu} {stated:?}");
        if full {
            prop_assert!(stated.young_error.abs() < 1e-12 && stated.poisson_error.abs() < 1e-12);
        } else {
            prop_assert!((stated.young_error - (1.0 / (1.0 + poisson) - 1.0)).abs() < 1e-12);
            prop_assert!(stated.poisson == 0.0 && stated.poisson_error == -poisson);
        }
    }

    #[test]
    fn membranes_in_plane_stress(young in 1e3..1e9, poisson in 0.0..0.48, thickness in 1e-4..1e-2, full in any::<bool>()) {
        let material = Material::new(young, poisson, 1e3).unwrap();
        let weights = membrane_weights(&material, thickness, full).unwrap();
        let stated = weights.effective();
        let (x, triangle) = ([Vec3::zeros(), Vec3::new(1.0, 0.2, 0.0), Vec3::new(0.1, 0.8, 0.0)], [[0, 1, 2]]);
        let rest_area = 0.5 * (x[1] - x[0]).cross(&(x[2] - x[0])).norm();
        let strain = TriStrain::new(&x, &triangle, weights.strain, StrainRange::RIGID).unwrap();
        let area = weights.area.map(|w| Area::new(&x, &triangle, w, 1.0, 1.0).unwrap());
        let (e, nu) = tensile_test(|along, across| {
            let f = Matrix2::new(1.0 + along, 0.0, 0.0, 1.0 + across);
            let moved = x.map(|p| { let q = f * p.xy(); Vec3::new(q.x, q.y, 0.0) });
            let area = area.as_ref().map_or(0.0, |a| a.energy(0..1, &moved));
            (strain.energy(0..1, &moved) + area) / (rest_area * thickness)
        });
        prop_assert!((e / stated.young - 1.0).abs() < 2e-3, "{e} {stated:?}");
        prop_assert!((nu - stated.poisson).abs() < 2e-3, "{nu} {stated:?}");
        if full { prop_assert!(stated.young_error.abs() < 1e-12 && stated.poisson_error.abs() < 1e-12); }
    }
}

#[test]
fn lame_constants_of_steel() {
    let (lambda, mu) = Material::new(210e9, 0.3, 7850.0).unwrap().lame();
    assert!((lambda / 121.153_846e9 - 1.0).abs() < 1e-8 && (mu / 80.769_230_8e9 - 1.0).abs() < 1e-8);
}

#[test]
fn masses_add_up() {
    let (x, tets) = bar(3, 2, 1);
    let masses = lumped_masses_tets(&x, &tets, 1000.0).unwrap();
    let total: Real = masses.iter().sum();
    assert!((total - 1000.0 * 6.0 / 64.0).abs() < 1e-10);
    assert!(masses.iter().all(|m| *m > 0.0));
    // One tetrahedron of 1/6 m³: a quarter at each corner, nothing at a vertex of its own.
    let one = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros(), Vec3::repeat(9.0)];
    let masses = lumped_masses_tets(&one, &[[0, 1, 2, 3]], 24.0).unwrap();
    assert!(masses[..4].iter().all(|m| (m - 1.0).abs() < 1e-15) && masses[4] == 0.0);
    let patch = Patch::flat(4);
    let total: Real = lumped_masses_triangles(&patch.x, &patch.triangles, 0.2).unwrap().iter().sum();
    assert!((total - 0.8).abs() < 1e-14);
}

/// A plate bent to a cylinder of radius R stores D/2 (1/R)² per area.
#[test]
fn cotangent_bending_with_flexural_rigidity_is_a_plate() {
    let material = Material::new(1e6, 0.3, 1e3).unwrap();
    let rigidity = material.bending_rigidity(0.01).unwrap();
    assert!((rigidity - 1e6 * 1e-6 / (12.0 * 0.91)).abs() < 1e-12);
    for cells in [10, 30] {
        let flat = Patch::flat(cells);
        let batch = Bending::new(&flat.x, flat.rings(), rigidity, BendingWeights::CotanVoronoi).unwrap();
        let radius = 2.0;
        let bend = |p: &Vec3| Vec3::new((p.x / radius).sin() * radius, p.y, (p.x / radius).cos() * radius);
        let bent: Vec<Vec3> = flat.x.iter().map(bend).collect();
        let side = 2.0 - 2.0 / Real::from(cells);
        let expected = 0.5 * rigidity / (radius * radius) * side * side;
        let energy = batch.energy(0..batch.stencil().elements(), &bent);
        assert!((energy / expected - 1.0).abs() < 0.01, "{energy} {expected}");
    }
}
