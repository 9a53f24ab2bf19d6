//! Rigid impact zones: what would cross does not, momentum is kept, and what is apart is left alone.

use crate::draw;
use pd_collide::ccd::{Ccd, Conservative, EdgeEdge, PointTriangle};
use pd_collide::response::{MovingPairs, RigidImpactZones};
use pd_core::{Real, Vec3};
use proptest::prelude::*;

const SEPARATION: Real = 1e-4;

/// All pairs of vertices with triangles and of edges without a common vertex.
fn all_pairs(triangles: &[[u32; 3]], vertices: u32) -> MovingPairs {
    let mut pairs = MovingPairs::default();
    for v in 0..vertices {
        for t in triangles.iter().filter(|t| !t.contains(&v)) {
            pairs.vertex_triangles.push([v, t[0], t[1], t[2]]);
        }
    }
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]].map(|[a, b]| [*a.min(b), *a.max(b)]))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    for (k, a) in edges.iter().enumerate() {
        for b in edges[..k].iter().filter(|b| !b.contains(&a[0]) && !b.contains(&a[1])) {
            pairs.edge_edges.push([a[0], a[1], b[0], b[1]]);
        }
    }
    pairs
}

fn contacts(start: &[Vec3], end: &[Vec3], pairs: &MovingPairs, separation: Real) -> usize {
    let at = |x: &[Vec3], pair: &[u32; 4]| pair.map(|v| x[v as usize]);
    let faces = pairs.vertex_triangles.iter().filter(|pair| {
        let (start, end) = (at(start, pair), at(end, pair));
        Conservative.vertex_triangle(&PointTriangle { start, end, separation }).is_some()
    });
    let edges = pairs.edge_edges.iter().filter(|pair| {
        let (start, end) = (at(start, pair), at(end, pair));
        Conservative.edge_edge(&EdgeEdge { start, end, separation }).is_some()
    });
    faces.count() + edges.count()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Five triangles apart from each other, thrown at one another.
    #[test]
    fn nothing_crosses_and_momentum_stays(
        shape in draw::general::<15>(),
        thrown in draw::general::<15>(),
        masses in prop::collection::vec(0.1..2.0, 15),
    ) {
        let triangles: Vec<[u32; 3]> = (0..5).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let start: Vec<Vec3> =
            (0..15).map(|i| shape[i] * 0.4 + Vec3::x() * (i / 3) as Real).collect();
        let wanted: Vec<Vec3> =
            (0..15).map(|i| start[i] + thrown[i] * 0.3 - Vec3::x() * (1.5 * (i / 3) as Real)).collect();
        let pairs = all_pairs(&triangles, 15);
        prop_assert_eq!(contacts(&start, &start, &pairs, SEPARATION), 0);
        let before = contacts(&start, &wanted, &pairs, SEPARATION);
        let mut end = wanted.clone();
        let report =
            RigidImpactZones::default().respond(&start, &mut end, &masses, SEPARATION, &Conservative, |_, _, out| out.clone_from(&pairs));
        prop_assert_eq!(report.zones > 0, before > 0, "{:?}", report);
        // A rigid zone may come nearer to itself on straight paths than it is at the ends, but never touches.
        prop_assert_eq!(contacts(&start, &end, &pairs, 0.0), 0, "{:?}", report);
        let momentum = |x: &[Vec3]| (0..15).map(|i| (x[i] - start[i]) * masses[i]).sum::<Vec3>();
        prop_assert!((momentum(&end) - momentum(&wanted)).norm() < 1e-12);
        let untouched = (0..15).filter(|i| end[*i] == wanted[*i]).count();
        prop_assert!(untouched >= 15 - report.vertices);
    }
}

#[test]
fn a_zone_keeps_its_angular_momentum_in_small_motion() {
    // A vertex strikes a triangle off its centre: both turn together.
    let start = [Vec3::new(0.5, 1e-3, 0.1), Vec3::zeros(), Vec3::z() * 0.5, Vec3::x()];
    let mut end = start;
    end[0].y -= 2e-3;
    let wanted = end;
    let mut give =
        |_: &[Vec3], _: &[Vec3], pairs: &mut MovingPairs| pairs.vertex_triangles = vec![[0, 1, 2, 3]];
    let report = RigidImpactZones::default().respond(
        &start,
        &mut end,
        &[1.0; 4],
        SEPARATION,
        &Conservative,
        &mut give,
    );
    assert_eq!((report.zones, report.vertices, report.passes), (1, 4, 2));
    let angular = |x: &[Vec3]| (0..4).map(|i| start[i].cross(&(x[i] - start[i]))).sum::<Vec3>();
    assert!((angular(&end) - angular(&wanted)).norm() < 1e-3 * angular(&wanted).norm());
    for i in 0..4 {
        for j in 0..i {
            assert!(((end[i] - end[j]).norm() - (start[i] - start[j]).norm()).abs() < 1e-15, "rigid");
        }
    }
}
