//! The rest shape is free of stress, curved or flat.

use crate::common::*;
use pd_constraints::*;
use pd_core::{EnergyBatch, Vec3};

fn shapes() -> Vec<Patch> {
    vec![
        Patch::flat(5),
        Patch::cap(5, 1.0),
        // A bowl: curved the other way round.
        Patch::new(5, |u, v| Vec3::new(u, v, 0.4 * (u * u + v * v))),
        // A saddle, and a wavy sheet with convex and concave places.
        Patch::new(5, |u, v| Vec3::new(u, v, 0.5 * u * v)),
        Patch::new(8, |u, v| Vec3::new(u, v + 0.1 * u, 0.2 * (3.0 * u).sin() * (2.0 * v).cos())),
    ]
}

#[test]
fn surfaces_at_rest_have_no_residual() {
    for patch in shapes() {
        let (x, t) = (&patch.x, &patch.triangles);
        let batches: [Box<dyn EnergyBatch>; 6] = [
            Box::new(Pins::new(x, &[0, 7], 10.0).unwrap()),
            Box::new(EdgeSprings::new(x, &patch.edges, 10.0).unwrap()),
            Box::new(Bending::new(x, patch.rings(), 10.0, BendingWeights::MeanValue).unwrap()),
            Box::new(Bending::new(x, patch.rings(), 10.0, BendingWeights::CotanVoronoi).unwrap()),
            Box::new(TriStrain::new(x, t, 10.0, StrainRange::RIGID).unwrap()),
            Box::new(Area::new(x, t, 10.0, 1.0, 1.0).unwrap()),
        ];
        for batch in batches {
            assert!(batch.stencil().elements() > 0);
            let r = largest(&residual(batch.as_ref(), x));
            assert!(r < 1e-10, "{}: {r:e}", batch.kind());
            assert!(batch.strain(0..batch.stencil().elements(), x).worst < 1e-12);
        }
    }
}

#[test]
fn tetrahedra_at_rest_have_no_residual() {
    for (x, tets) in [bar(3, 2, 2), loose_tets(5)] {
        let strain = TetStrain::new(&x, &tets, 1e3, StrainRange::RIGID).unwrap();
        let volume = Volume::new(&x, &tets, 1e3, 1.0, 1.0).unwrap();
        assert!(largest(&residual(&strain, &x)) < 1e-10);
        assert!(largest(&residual(&volume, &x)) < 1e-10);
        let s = strain.strain(0..tets.len(), &x);
        assert!(s.worst < 1e-12 && s.inverted == 0);
    }
}

#[test]
fn strain_reports_the_worst_edge_and_counts_inverted_elements() {
    let (x, tets) = bar(2, 1, 1);
    let strain = TetStrain::new(&x, &tets, 1e3, StrainRange::RIGID).unwrap();
    let mirrored: Vec<Vec3> = x.iter().map(|p| Vec3::new(-1.5 * p.x, p.y, p.z)).collect();
    let s = strain.strain(0..tets.len(), &mirrored);
    assert_eq!(s.inverted, tets.len());
    // Singular values 1.5, 1 and −1: the last is farthest from 1.
    assert!((s.worst - 2.0).abs() < 1e-12);
    let flattened: Vec<Vec3> = x.iter().map(|p| Vec3::new(p.x, p.y, 0.0)).collect();
    assert_eq!(strain.strain(0..tets.len(), &flattened).inverted, tets.len());

    let line = [Vec3::zeros(), Vec3::x(), Vec3::x() * 3.0];
    let edges = EdgeSprings::new(&line, &[[0, 1], [1, 2]], 1.0).unwrap();
    let pulled = [Vec3::zeros(), Vec3::x() * 1.2, Vec3::x() * 2.2];
    assert!((edges.strain(0..2, &pulled).worst - 0.5).abs() < 1e-12);
    assert!((edges.strain(0..1, &pulled).worst - 0.2).abs() < 1e-12);
}
