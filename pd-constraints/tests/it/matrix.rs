//! The assembled global matrix M/h² + DᵀWD: symmetric, positive definite, and blind to translations.

use crate::common::*;
use nalgebra::{Cholesky, DMatrix};
use pd_constraints::*;
use pd_core::{Model, Real};
use proptest::prelude::*;

const DT: Real = 1.0 / 60.0;

fn dense(model: &Model) -> DMatrix<Real> {
    let matrix = model.system_matrix(DT);
    let n = model.vertices();
    let mut dense = DMatrix::zeros(n, n);
    for row in 0..n {
        for (column, value) in matrix.row(row) {
            dense[(row, column)] += value;
        }
    }
    dense
}

fn check(model: &Model, pins: &[u32], pin_weight: Real) {
    let a = dense(model);
    let scale = a.amax();
    assert!((&a - a.transpose()).amax() <= 1e-15 * scale);
    for row in 0..a.nrows() {
        let pinned = pins.iter().filter(|&&p| p as usize == row).count() as Real;
        let expected = model.masses()[row] / DT.powi(2) + pin_weight * pinned;
        let sum: Real = a.row(row).sum();
        assert!((sum - expected).abs() <= 1e-12 * scale, "row {row}: {sum} instead of {expected}");
    }
    assert!(Cholesky::new(a).is_some(), "not positive definite");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn shells(edge in 1.0..2e3, bend in 1e-6..10.0, strain in 1.0..1e4, pin in 1.0..1e4) {
        let patch = Patch::cap(6, 1.0);
        let (x, t) = (&patch.x, &patch.triangles);
        for weights in [BendingWeights::MeanValue, BendingWeights::CotanVoronoi] {
            let pins = [0, 6, 6];
            let model = Model::with_masses(lumped_masses_triangles(x, t, 0.2).unwrap())
                .energy(EdgeSprings::new(x, &patch.edges, edge).unwrap())
                .energy(Bending::new(x, patch.rings(), bend, weights).unwrap())
                .energy(TriStrain::new(x, t, strain, StrainRange::RIGID).unwrap())
                .energy(Area::new(x, t, strain, 1.0, 1.0).unwrap())
                .energy(Pins::new(x, &pins, pin).unwrap())
                .build()
                .unwrap();
            check(&model, &pins, pin);
        }
    }

    #[test]
    fn solids(strain in 1.0..1e6, volume in 1.0..1e6, pin in 1.0..1e4) {
        let (x, tets) = bar(3, 2, 2);
        let pins = [0, 4];
        let model = Model::with_masses(lumped_masses_tets(&x, &tets, 1000.0).unwrap())
            .energy(TetStrain::new(&x, &tets, strain, StrainRange::uniform(0.95, 1.0)).unwrap())
            .energy(Volume::new(&x, &tets, volume, 1.0, 1.0).unwrap())
            .energy(Pins::new(&x, &pins, pin).unwrap())
            .build()
            .unwrap();
        check(&model, &pins, pin);
    }
}

/// Bending couples all pairs of a ring: the pattern reaches exactly two rings, not one.
#[test]
fn bending_reaches_the_second_ring() {
    let patch = Patch::flat(6);
    let model = Model::with_masses(vec![0.001; patch.x.len()])
        .energy(Bending::new(&patch.x, patch.rings(), 5e-4, BendingWeights::MeanValue).unwrap())
        .build()
        .unwrap();
    let a = dense(&model);
    // The middle vertex (3, 3) of the 7×7 grid and its second ring: offsets reached by two steps of a ring.
    let steps: [(i32, i32); 7] = [(0, 0), (1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)];
    for vertex in 0..49i32 {
        let (di, dj) = (vertex % 7 - 3, vertex / 7 - 3);
        let reached = steps.iter().any(|s| steps.iter().any(|t| (s.0 + t.0, s.1 + t.1) == (di, dj)));
        assert_eq!(a[(24, vertex as usize)] != 0.0, reached, "({di}, {dj})");
    }
}
