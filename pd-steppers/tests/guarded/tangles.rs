//! Starts that cross and are pushed apart; obstacles with points and edges.

use crate::scenes::{floor, sheet};
use pd_collide::broad::{BroadPhase, FixedBvh};
use pd_collide::contact::StartPolicy;
use pd_collide::intersect::mesh_intersections;
use pd_collide::{Block, ConvexHull};
use pd_core::*;

#[test]
fn a_dent_through_the_floor_is_pulled_out() {
    let dent = |p: Vec3| {
        let r2 = (p.x - 0.03).powi(2) + (p.z - 0.02).powi(2);
        p + Vec3::y() * (0.05 - 0.09 * (-r2 / 0.01).exp())
    };
    let mut scene = sheet(10, 0.121, dent, Vec3::zeros(), &[floor(0.0)]);
    scene.params.gravity = Vec3::zeros();
    scene.options.start = StartPolicy::Untangle;
    let first = scene.crossings();
    let mut stepper = scene.stepper();
    let mut frames = 0;
    while scene.crossings() > 0 && frames < 120 {
        let report = scene.step(&mut stepper).contact.unwrap();
        assert!(report.tangled > 0, "frame {frames}");
        frames += 1;
    }
    println!("{first} pairs came apart in {frames} frames");
    assert!(first > 4 && frames < 120);
    for frame in 0..20 {
        let report = scene.step(&mut stepper).contact.unwrap();
        assert_eq!((scene.crossings(), report.tangled), (0, 0), "frame {frame} after");
    }
}

/// Triangles of the sheet that cross those of an obstacle given by signed distance.
fn pierced(x: &[Vec3], triangles: &[[u32; 3]], obstacle: &SurfaceMesh) -> usize {
    let (mut all, mut list) = (x.to_vec(), triangles.to_vec());
    list.extend(obstacle.triangles.iter().map(|t| t.map(|v| v + x.len() as u32)));
    all.extend_from_slice(&obstacle.positions);
    let boxes: Vec<Aabb> =
        list.iter().map(|t| Aabb::of_points(t.iter().map(|&v| &all[v as usize]))).collect();
    let (mut tree, mut pairs) = (FixedBvh::default(), vec![]);
    tree.build(&boxes);
    tree.self_pairs(&mut pairs);
    pairs.retain(|&[a, b]| (a as usize) < triangles.len() && b as usize >= triangles.len());
    mesh_intersections(&all, &list, &pairs).len()
}

#[test]
fn a_needle_does_not_poke_through_a_coarse_sheet() {
    // Far from every vertex of the sheet: only faces can meet its tip.
    let tip = Vec3::new(0.08, 0.3, 0.03);
    let base = [[-0.04, -0.03], [0.05, -0.02], [0.0, 0.06]].map(|[a, b]| tip + Vec3::new(a, -0.6, b));
    let needle = ConvexHull::new(&[tip, base[0], base[1], base[2]]).unwrap();
    let mesh = needle.mesh().unwrap();
    for speed in [0.0, 5.0] {
        let mut scene = sheet(5, 0.05, |p| p + Vec3::y() * 0.4, -Vec3::y() * speed, &[]);
        scene.colliders = vec![Box::new(needle.clone())];
        let triangles = scene.model.surface().triangles.clone();
        let mut stepper = scene.stepper();
        for frame in 0..40 {
            scene.step(&mut stepper);
            assert_eq!(pierced(&scene.state.x, &triangles, &mesh), 0, "frame {frame} at {speed} m/s");
        }
        let high = scene.state.x.iter().map(|p| p.y).fold(Real::NEG_INFINITY, Real::max);
        assert!(high > 0.2, "it hangs on the needle: {high}");
    }
}

#[test]
fn a_sheet_hangs_over_the_edge_of_a_block() {
    let half = Vec3::new(0.13, 0.1, 0.6);
    let block = Block::new(Vec3::new(0.03, 0.0, 0.0), half).unwrap().with_margin(0.0).unwrap();
    let mut scene = sheet(7, 0.064, |p| p + Vec3::y() * 0.15, Vec3::zeros(), &[]);
    scene.colliders = vec![Box::new(block)];
    let mut stepper = scene.stepper();
    let triangles = scene.model.surface().triangles.clone();
    for frame in 0..60 {
        scene.step(&mut stepper);
        // Points of faces, not vertices alone, stay out of the block.
        for t in &triangles {
            for [a, b] in
                [[0.2, 0.2], [0.6, 0.2], [0.2, 0.6], [1.0 / 3.0; 2], [0.5, 0.5], [0.5, 0.0], [0.0, 0.5]]
            {
                let p = t.map(|v| scene.state.x[v as usize]);
                let q = p[0] + (p[1] - p[0]) * a + (p[2] - p[0]) * b;
                assert!(block.surface_at(&q, 0.0).distance > 0.0, "frame {frame}");
            }
        }
    }
}
