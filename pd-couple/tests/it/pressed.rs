//! Cloth between bodies that close on it.

use super::world::World;
use pd_core::{Real, Surface, Vec3};
use pd_rigid::{BodyDesc, Shape};

/// Deepest vertices of the cloth in the table and in the box, m, and its fastest, m/s, at the end of a second.
fn pressed(density: Real) -> ([Real; 2], Real) {
    let table = BodyDesc::new(Shape::cuboid(Vec3::new(0.5, 0.1, 0.5)).unwrap(), 1000.0).fixed();
    let cube =
        BodyDesc::new(Shape::cuboid(Vec3::repeat(0.08)).unwrap(), density).at(Vec3::new(0.01, 0.12, 0.0));
    let bodies = vec![table.at(Vec3::new(0.0, -0.11, 0.0)), cube];
    let mut built = World { cloth: Some((10, 0.4, false)), bodies, ..World::default() }.build(9.8, 1e-3);
    built.params.damping = 2.0;
    let (mut depths, mut fastest) = ([Real::INFINITY; 2], 0.0);
    for _ in 0..10 {
        built.run(100);
        let (x, bodies) = (&built.state.x, &built.state.bodies);
        for (body, depth) in depths.iter_mut().enumerate() {
            let mut out = vec![Surface::default(); x.len()];
            let shape = &built.stepper.layout().shapes()[body];
            shape.sample_at(&bodies.p[body], &bodies.q[body], x, &mut out);
            *depth = depth.min(out.iter().map(|s| s.distance).fold(Real::INFINITY, Real::min));
        }
        fastest = built.state.v.iter().map(|v| v.norm()).fold(0.0, Real::max);
        assert!(x.iter().all(|x| x.y > -0.02 && x.xz().amax() < 0.3), "density {density}: it is gone");
    }
    (depths, fastest)
}

#[test]
fn a_box_lies_on_a_cloth_on_a_table() {
    let (depths, fastest) = pressed(300.0);
    assert!(depths.iter().all(|depth| *depth > 0.0) && fastest < 1.0, "{depths:?} {fastest}");
}

#[test]
fn a_box_too_heavy_for_the_cloth_presses_it_and_does_not_shoot_it_away() {
    // 33 kg on vertices of 0.4 g: it comes to rest on the table, and the cloth is half its thickness deep in both.
    let (depths, fastest) = pressed(8000.0);
    assert!(depths.iter().all(|depth| *depth > -0.006) && fastest < 10.0, "{depths:?} {fastest}");
}
