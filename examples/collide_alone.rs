//! pd-collide without a simulation: signed distances, normals, and points pushed out of obstacles that move.
//!
//! `cargo run --release -p examples --example collide_alone`

use pd_collide::{Block, Moving, Path, Sphere, Torus};
use pd_core::{Collider, Vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A ring lying in the plane y = 0: its axis is free, its tube is not.
    let ring = Torus::new(Vec3::zeros(), 1.0, 0.25)?.with_margin(0.0)?;
    assert!(ring.resolve(&Vec3::zeros(), 0.0).is_none(), "the hole is free");

    // Every primitive pushes a point to its surface, and then leaves it alone.
    let shapes: [Box<dyn Collider>; 3] = [
        Box::new(ring),
        Box::new(Sphere::new(Vec3::x(), 0.5)?.with_margin(0.0)?),
        Box::new(Block::new(Vec3::x(), Vec3::repeat(0.4))?.with_margin(0.0)?),
    ];
    for shape in &shapes {
        let inside = Vec3::new(0.9, 0.1, 0.05);
        let before = shape.surface_at(&inside, 0.0);
        assert!(before.distance < 0.0, "{} holds the point", shape.kind());
        let out = shape.resolve(&inside, 0.0).ok_or("a point inside must be pushed out")?;
        assert!(shape.surface_at(&out, 0.0).distance.abs() < 1e-9, "{} pushes to its surface", shape.kind());
        assert!(((out - inside).norm() + before.distance).abs() < 1e-9, "by the shortest way");
    }

    // A ball that travels one metre along x in two seconds carries its surface velocity.
    let path = Path::new(vec![(0.0, Vec3::zeros()), (2.0, Vec3::x())])?;
    let ball = Moving::new(Sphere::new(Vec3::zeros(), 0.2)?.with_margin(0.0)?, path);
    let point = Vec3::new(0.5, 0.1, 0.0);
    assert!(ball.resolve(&point, 0.0).is_none(), "not there yet");
    let surface = ball.surface_at(&point, 1.0);
    assert!(
        (surface.distance + 0.1).abs() < 1e-12 && (surface.velocity.x - 0.5).abs() < 1e-12,
        "{surface:?}"
    );
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
