//! Bodies that begin nearer than their thickness part slowly; bodies that begin in an obstacle do not begin.

use crate::scenes::{Scene, Sheet, sheet};
use pd_core::*;
use pd_mesh::TriMesh;

/// A sheet that begins at a part of its thickness over a floor, a half-space or a mesh, or over a copy of itself that is held.
fn close(n: usize, part: Real, gravity: Real, mesh: bool, substeps: usize) -> Scene {
    let gap = part * 0.2 / n as Real;
    let ground = |half: Real| {
        let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
        let positions = corners.map(|[x, z]: [Real; 2]| Vec3::new(half * x, 0.0, half * z)).to_vec();
        TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    };
    let obstacles: Vec<TriMesh> = if mesh { vec![ground(2.0)] } else { vec![] };
    let mut scene = Sheet::new(n, 0.1).build(|p| p + Vec3::y() * gap, Vec3::zeros(), &obstacles, Still);
    if !mesh {
        scene.colliders.push(Box::new(pd_collide::Floor::new(0.0).unwrap().with_margin(0.0).unwrap()));
    }
    scene.params.gravity = Vec3::y() * -gravity;
    scene.params.dt /= substeps as Real;
    scene
}

#[test]
fn overlap_within_the_thickness_makes_no_energy() {
    for mesh in [false, true] {
        for (n, part, gravity, substeps) in [
            (6, 0.0, 0.0, 1),
            (6, 0.5, 0.0, 1),
            (6, 0.1, 9.8, 1),
            (12, 0.9, 0.0, 1),
            (6, 0.5, 0.0, 10),
            (6, 0.5, 9.8, 10),
        ] {
            // Touching triangles cross; touching a half-space is not in it.
            let part: Real = if mesh { Real::max(part, 1e-3) } else { part };
            let mut scene = close(n, part, gravity, mesh, substeps);
            let thickness = 0.2 / n as Real;
            scene.options.ease_speed = if n > 6 { 0.1 } else { Real::INFINITY };
            let speed = (scene.options.ease_rate * thickness).min(scene.options.ease_speed);
            let (mut stepper, mut fastest, mut most, mut before) =
                (scene.stepper(), 0.0 as Real, 0.0 as Real, part * thickness);
            for _ in 0..25 * substeps {
                scene.step(&mut stepper);
                most = most.max(scene.kinetic());
                let y = scene.state.x[..scene.free].iter().map(|x| x.y).sum::<Real>() / scene.free as Real;
                fastest = fastest.max((y - before) / scene.params.dt);
                before = y;
            }
            println!(
                "mesh {mesh}, {n} cells, from {part} δ, g {gravity}, {substeps} substeps: {:.4} δ in the end, fastest {fastest:.3} m/s, {most:.1e} J",
                before / thickness
            );
            let time = 25.0 / 60.0;
            let due = (part * thickness + speed * time).min(thickness);
            assert!(before > 0.97 * due && before < 1.05 * thickness, "{} of {due} m", before);
            assert!(fastest < 1.05 * speed, "{fastest} m/s");
            // A little of what is eased out may be left for the motion, and in its first step the sheet may fall.
            let bound = 0.5 * 0.1 * ((0.3 * speed).powi(2) + (gravity * scene.params.dt).powi(2));
            assert!(most < bound, "{most:.1e} J from nothing");
        }
    }
}

#[test]
fn what_begins_in_an_obstacle_is_refused() {
    let begin = |lift: Real, obstacle: Box<dyn Collider>| {
        let mut scene = sheet(6, 0.1, |p| p + Vec3::y() * lift, Vec3::zeros(), &[]);
        scene.colliders.push(obstacle);
        let mut stepper = scene.stepper();
        let mut state = scene.state.clone();
        stepper.step(scene.context(), &mut state).map(|_| ())
    };
    let floor = || Box::new(pd_collide::Floor::new(0.0).unwrap().with_margin(0.0).unwrap());
    assert_eq!(begin(0.0, floor()), Ok(()));
    assert!(matches!(begin(-0.01, floor()), Err(StepError::Immersed { places: 49, obstacle: 0, .. })));
    // Between the vertices.
    let ball =
        pd_collide::Sphere::new(Vec3::new(0.06, -0.005, 0.11), 0.04).unwrap().with_margin(0.0).unwrap();
    let refused = begin(0.0, Box::new(ball));
    assert!(matches!(refused, Err(StepError::Immersed { .. })), "{refused:?}");
    let block = pd_collide::Block::new(Vec3::zeros(), Vec3::repeat(2.0)).unwrap();
    assert!(matches!(begin(0.0, Box::new(block)), Err(StepError::Immersed { places, .. }) if places >= 49));
}
