//! Every gradient against central differences. Where an energy has kinks the states are built away from them.

use crate::common::*;
use nalgebra::Matrix3;
use pd_constraints::*;
use pd_core::{EnergyBatch, Mat3, Model, Real, Vec3};
use proptest::prelude::*;

/// Largest difference between the model's gradient and central differences, relative to the largest entry.
fn gradient_error(batch: impl EnergyBatch, x: &[Vec3]) -> Real {
    let model = Model::with_masses(vec![1.0; x.len()]).energy(batch).build().unwrap();
    let mut rows = vec![Vec3::zeros(); model.rows()];
    let mut gradient = vec![Vec3::zeros(); x.len()];
    model.elastic_gradient(x, &mut rows, &mut gradient);
    let (step, mut worst) = (3e-5, 0.0);
    let mut moved = x.to_vec();
    for vertex in 0..x.len() {
        for axis in 0..3 {
            let mut energy_at = |offset: Real| {
                moved[vertex][axis] = x[vertex][axis] + offset;
                let energy = model.elastic_energy(&moved);
                moved[vertex][axis] = x[vertex][axis];
                energy
            };
            // Fourth order, so that the step can be large enough to keep rounding small.
            let near = energy_at(step) - energy_at(-step);
            let far = energy_at(2.0 * step) - energy_at(-2.0 * step);
            let difference = (8.0 * near - far) / (12.0 * step);
            worst = Real::max(worst, (difference - gradient[vertex][axis]).abs());
        }
    }
    let scale = largest(&gradient);
    assert!(scale > 0.0, "a state at rest checks nothing");
    worst / scale
}

/// A singular value well inside one of the pieces below, within and above the range [0.9, 1.1].
fn stretch() -> impl Strategy<Value = Real> {
    prop_oneof![0.55..0.87, 0.93..1.07, 1.13..1.5]
}

/// U diag(σ) Vᵀ away from the kinks; at least one σ is out of the range [0.9, 1.1]. Half of them are inverted, with
/// σ₂ > |σ₃| kept apart, since there the nearest point jumps.
fn deformation() -> impl Strategy<Value = Mat3> {
    let sigma = prop_oneof![
        (1.13..1.5, stretch(), stretch()).prop_map(|(a, b, c)| [a, b, c]),
        (1.13..1.5, 0.93..1.07, 0.2..0.6).prop_map(|(a, b, c): (Real, Real, Real)| [a, b, -c]),
    ];
    (rotation(), sigma, rotation())
        .prop_map(|(u, s, v)| u * Matrix3::from_diagonal(&Vec3::from(s)) * v.transpose())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn pins(x in vectors(6, 1.0), moved in vectors(6, 1.0), w in 0.1..1e3) {
        prop_assert!(gradient_error(Pins::new(&x, &[0, 3, 3, 5], w).unwrap(), &moved) < 1e-6);
    }

    #[test]
    fn edges(noise in vectors(25, 0.1), weights in proptest::collection::vec(0.1..1e3, 56)) {
        // Edges of at least 0.5 whose ends move by at most 0.1·√3 keep more than 0.15: no edge vanishes.
        let patch = Patch::flat(4);
        let x: Vec<Vec3> = patch.x.iter().zip(&noise).map(|(x, n)| x + n).collect();
        let batch = EdgeSprings::new(&patch.x, &patch.edges, &weights[..]).unwrap();
        prop_assert!(gradient_error(batch, &x) < 1e-6);
    }

    #[test]
    fn bending_of_a_flat_and_a_curved_sheet(noise in vectors(25, 0.003), raise in 0.7..2.0, w in 1e-6..10.0) {
        for weights in [BendingWeights::MeanValue, BendingWeights::CotanVoronoi] {
            // The cap's Laplacian is near 1 and the noise moves it by less than a quarter, so that it keeps away
            // from zero, where the energy has its kink.
            for patch in [Patch::flat(4), Patch::cap(4, 1.0)] {
                let moved = |(x, n): (&Vec3, &Vec3)| x.component_mul(&Vec3::new(1.0, 1.0, raise)) + n;
                let x: Vec<Vec3> = patch.x.iter().zip(&noise).map(moved).collect();
                let batch = Bending::new(&patch.x, patch.rings(), w, weights).unwrap();
                prop_assert!(gradient_error(batch, &x) < 1e-6);
            }
        }
    }

    #[test]
    fn tetrahedra(gradients in proptest::collection::vec(deformation(), 3), w in 0.1..1e6) {
        let (rest, tets) = loose_tets(3);
        let x = deform(&rest, &gradients);
        let range = StrainRange::uniform(0.9, 1.1);
        prop_assert!(gradient_error(TetStrain::new(&rest, &tets, w, range).unwrap(), &x) < 1e-6);
        prop_assert!(gradient_error(TetStrain::new(&rest, &tets, w, StrainRange::RIGID).unwrap(), &x) < 1e-6);
    }

    #[test]
    fn triangles(gradients in proptest::collection::vec(deformation(), 3), w in 0.1..1e6) {
        // A triangle sees two columns of F, whose singular values may lie anywhere between those of F; the rigid
        // range has no inner kink.
        let (rest, triangles) = loose_triangles(3);
        let x = deform(&rest, &gradients);
        let batch = TriStrain::new(&rest, &triangles, w, StrainRange::RIGID).unwrap();
        prop_assert!(gradient_error(batch, &x) < 1e-6);
    }

    #[test]
    fn volumes_and_areas(gradients in proptest::collection::vec(deformation(), 3), w in 0.1..1e6) {
        let (rest, tets) = loose_tets(3);
        let x = deform(&rest, &gradients);
        prop_assert!(gradient_error(Volume::new(&rest, &tets, w, 1.0, 1.0).unwrap(), &x) < 1e-6);
        let (rest, triangles) = loose_triangles(3);
        let x = deform(&rest, &gradients);
        prop_assert!(gradient_error(Area::new(&rest, &triangles, w, 1.0, 1.0).unwrap(), &x) < 1e-6);
    }
}
