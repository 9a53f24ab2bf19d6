//! Signs, sizes and degenerate rings of the Laplacian.

use crate::common::*;
use pd_constraints::*;
use pd_core::{EnergyBatch, Real, Vec3};
use proptest::prelude::*;

const BOTH: [BendingWeights; 2] = [BendingWeights::MeanValue, BendingWeights::CotanVoronoi];

#[test]
fn flat_sheets_have_no_laplacian_even_when_skewed_or_stretched_in_the_plane() {
    let skewed = Patch::new(6, |u, v| Vec3::new(u + 0.3 * v + 0.1 * u * u, v + 0.05 * u * v, 0.0));
    for patch in [Patch::flat(6), skewed] {
        let batch = Bending::new(&patch.x, patch.rings(), 1.0, BendingWeights::MeanValue).unwrap();
        assert!(largest(&gather_and_project(&batch, &patch.x).0) < 1e-13);
        assert!(batch.rest().iter().all(|r| *r == Vec3::zeros()));
        let batch = Bending::new(&patch.x, patch.rings(), 1.0, BendingWeights::CotanVoronoi).unwrap();
        assert!(largest(&gather_and_project(&batch, &patch.x).0) < 1e-11);
        assert!(batch.rest().iter().all(|r| *r == Vec3::zeros()));
    }
}

#[test]
fn laplacian_points_out_of_a_convex_patch() {
    let patch = Patch::cap(6, 2.0);
    for weights in BOTH {
        let batch = Bending::new(&patch.x, patch.rings(), 1.0, weights).unwrap();
        for (&vertex, delta) in batch.vertices().iter().zip(batch.rest()) {
            let outward = patch.x[vertex as usize].normalize();
            assert!(delta.dot(&outward) > 0.99 * delta.norm() && delta.norm() > 1e-3);
        }
    }
}

#[test]
fn cotangent_laplacian_measures_twice_the_mean_curvature() {
    // A sphere of radius 2 has 2H = 1 /m; a cylinder of radius ½ has 2H = 2 /m.
    let cylinder = Patch::new(40, |u, v| Vec3::new((0.8 * u).sin(), v, (0.8 * u).cos()) * 0.5);
    for (patch, curvature) in [(Patch::cap(40, 2.0), 1.0), (cylinder, 2.0)] {
        let batch = Bending::new(&patch.x, patch.rings(), 3.0, BendingWeights::CotanVoronoi).unwrap();
        let mean = batch.rest().iter().map(|r| r.norm()).sum::<Real>() / batch.rest().len() as Real;
        assert!((mean / curvature - 1.0).abs() < 0.01, "{mean} for {curvature}");
    }
    // The Voronoi areas of the interior vertices of a flat grid tile all but a border of half a cell.
    let patch = Patch::flat(10);
    let batch = Bending::new(&patch.x, patch.rings(), 3.0, BendingWeights::CotanVoronoi).unwrap();
    let area: Real = batch.stencil().weights().iter().sum::<Real>() / 3.0;
    assert!((area - 1.8 * 1.8).abs() < 1e-12);
}

#[test]
fn where_the_direction_is_lost_the_normal_takes_over_with_the_sign_of_the_rest_shape() {
    for (height, sign) in [(0.3, 1.0), (-0.3, -1.0)] {
        let patch = Patch::new(2, |u, v| Vec3::new(u, v, height * (1.0 - 0.5 * (u * u + v * v))));
        for weights in BOTH {
            let batch = Bending::new(&patch.x, patch.rings(), 1.0, weights).unwrap();
            let length = batch.rest()[0].norm();
            // Pressed flat, and turned so that the normal is x.
            let pressed: Vec<Vec3> = patch.x.iter().map(|p| Vec3::new(0.0, p.x, p.y)).collect();
            let r = residual(&batch, &pressed)[0];
            assert!((r + Vec3::x() * (sign * length)).norm() < 1e-12 * length.max(1.0), "{r} for {length}");
            // All vertices in one point: no normal either, so the rest vector answers.
            let r = residual(&batch, &vec![Vec3::y(); 9])[0];
            assert!((r + batch.rest()[0]).norm() < 1e-12);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_size_of_the_mesh() {
    // Between 0.1 mm and 1 km cells, the same elements count as flat and the energy scales as it should.
    for scale in [1e-3, 1.0, 1e3] {
        let sheet = Patch::new(4, |u, v| Vec3::new(u, v, 1e-3 * u * u) * scale);
        for weights in BOTH {
            let batch = Bending::new(&sheet.x, sheet.rings(), 1.0, weights).unwrap();
            assert!(batch.rest().iter().all(|r| r.norm() > 0.0), "{scale} {weights:?}");
            let bent: Vec<Vec3> = sheet.x.iter().map(|p| Vec3::new(p.x, p.y, 100.0 * p.z)).collect();
            let unit = Patch::new(4, |u, v| Vec3::new(u, v, 1e-3 * u * u));
            let reference = Bending::new(&unit.x, unit.rings(), 1.0, weights).unwrap();
            let unit_bent: Vec<Vec3> = unit.x.iter().map(|p| Vec3::new(p.x, p.y, 100.0 * p.z)).collect();
            let (e, e_unit) = (batch.energy(0..9, &bent), reference.energy(0..9, &unit_bent));
            assert!((e / e_unit - 1.0).abs() < 1e-9, "{scale} {weights:?}: {e} {e_unit}");
        }
    }
}

#[test]
fn collinear_triangles_are_reported_and_left_out() {
    // Neighbours 1 and 2 lie on one ray from the centre 0, and 4 opposite to 3: two triangles have no angle.
    let x = [
        Vec3::zeros(),
        Vec3::x(),
        Vec3::x() * 2.0,
        Vec3::y(),
        Vec3::new(1e-9, -1.0, 0.0),
        Vec3::new(-1.0, 0.0, 0.0),
    ];
    let rings = RingsRef { vertices: &[0], offsets: &[0, 5], neighbours: &[1, 2, 3, 5, 4] };
    let batch = Bending::new(&x, rings, 1.0, BendingWeights::MeanValue).unwrap();
    assert_eq!(batch.collinear(), &[Collinear { vertex: 0, neighbour_a: 1, neighbour_b: 2 }]);
    assert!(batch.stencil().row(0).all(|(_, c)| c.is_finite()));

    let rings = RingsRef { vertices: &[0], offsets: &[0, 3], neighbours: &[3, 4, 1] };
    let batch = Bending::new(&x, rings, 1.0, BendingWeights::MeanValue).unwrap();
    assert_eq!(batch.collinear(), &[Collinear { vertex: 0, neighbour_a: 3, neighbour_b: 4 }]);

    // All on a line: nothing is left, and the vertex carries no constraint.
    let line = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0, -Vec3::x()];
    let rings = RingsRef { vertices: &[0], offsets: &[0, 3], neighbours: &[1, 2, 3] };
    for weights in BOTH {
        let batch = Bending::new(&line, rings, 1.0, weights).unwrap();
        assert_eq!((batch.skipped(), batch.stencil().elements(), batch.collinear().len()), (1, 0, 3));
    }
}

#[test]
fn short_edges_carry_nothing() {
    let mut patch = Patch::cap(4, 1.0);
    let (a, b) = (6, 7);
    patch.x[a] = patch.x[b] + Vec3::x() * 0.9e-5;
    let edges = EdgeSprings::new(&patch.x, &patch.edges, 1.0).unwrap();
    assert_eq!((edges.skipped(), edges.edges().len()), (1, patch.edges.len() - 1));
    let bending = Bending::new(&patch.x, patch.rings(), 1.0, BendingWeights::MeanValue).unwrap();
    assert_eq!(bending.skipped(), 2);
    assert!(!bending.vertices().contains(&(a as u32)) && !bending.vertices().contains(&(b as u32)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Mean-value weights against the formula with angles, (1 − cos θ)/sin θ and all.
    #[test]
    fn mean_value_weights_match_their_definition(radii in proptest::collection::vec(0.2..2.0, 5), lift in 0.0..0.5) {
        let angle = |k: usize| Real::from(k as u32) * std::f64::consts::TAU / 5.0;
        let mut x = vec![Vec3::new(0.0, 0.0, lift)];
        x.extend(radii.iter().enumerate().map(|(k, r)| Vec3::new(angle(k).cos(), angle(k).sin(), 0.0) * *r));
        let rings = RingsRef { vertices: &[0], offsets: &[0, 5], neighbours: &[1, 2, 3, 4, 5] };
        let batch = Bending::new(&x, rings, 1.0, BendingWeights::MeanValue).unwrap();
        let row: Vec<(usize, Real)> = batch.stencil().row(0).collect();
        let mut total = 0.0;
        for k in 0..5 {
            let [before, here, after] = [(k + 4) % 5, k, (k + 1) % 5].map(|j| x[j + 1] - x[0]);
            let tangent = |theta: Real| (theta / 2.0).tan();
            let c = (tangent(before.angle(&here)) + tangent(here.angle(&after))) / here.norm();
            prop_assert!((row[k + 1].1 + c).abs() < 1e-12 * c);
            total += c;
        }
        prop_assert!((row[0].1 - total).abs() < 1e-12 * total);
    }
}

/// A sheet rolled to a cylinder has the energy B κ²/2 per area of a plate of rigidity B, whatever the direction in which it is bent. Cells are
/// rhombi of equilateral triangles, or squares.
#[test]
fn hinges_bend_like_a_plate_of_their_rigidity() {
    const CELLS: usize = 40;
    let side = CELLS + 1;
    let (rigidity, curvature, cell) = (2e-4, 0.3, 0.01);
    for (shear, height, degrees) in [
        (0.5, 0.75f64.sqrt(), &[0.0, 20.0, 45.0, 90.0, 130.0][..]),
        // Squares with one diagonal are three times as stiff when bent along it; along their sides they are a plate.
        (0.0, 1.0, &[0.0, 90.0][..]),
    ] {
        let at = |k: usize| {
            let (i, j) = ((k % side) as Real, (k / side) as Real);
            Vec3::new(i + shear * j, height * j, 0.0) * cell
        };
        let rest: Vec<Vec3> = (0..side * side).map(at).collect();
        let mut triangles: Vec<[u32; 3]> = vec![];
        for corner in (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| (j * side + i) as u32)) {
            let up = corner + side as u32;
            triangles.extend([[corner, corner + 1, up], [corner + 1, up + 1, up]]);
        }
        let hinges = hinges(&triangles);
        let area = (CELLS * CELLS) as Real * height * cell * cell;
        for &degrees in degrees {
            let angle: Real = degrees * std::f64::consts::PI / 180.0;
            let direction = Vec3::new(angle.cos(), angle.sin(), 0.0);
            let bent = |p: &Vec3| {
                let along = p.dot(&direction);
                p + direction * ((curvature * along).sin() / curvature - along)
                    + Vec3::z() * ((1.0 - (curvature * along).cos()) / curvature)
            };
            let x: Vec<Vec3> = rest.iter().map(bent).collect();
            let expected = 0.5 * rigidity * curvature * curvature * area;
            let flat = IsometricBending::new(&rest, &hinges, rigidity).unwrap();
            let shell = DihedralBending::new(&rest, &hinges, rigidity).unwrap();
            let found = [flat.energy(0..hinges.len(), &x), shell.energy(0..hinges.len(), &x)];
            for ratio in found.map(|energy| energy / expected) {
                // The boundary has no hinges: a part of 1/40 of the area.
                assert!((0.95..1.02).contains(&ratio), "{degrees} degrees: {ratio}");
            }
        }
    }
}
