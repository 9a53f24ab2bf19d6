//! A custom obstacle: a bowl, the inside of a sphere cut at its rim. Only a signed distance is written.
//!
//! `cargo run --release -p examples --example own_collider`

use pd_core::Surface;
use pd_sim::prelude::*;

/// Keeps everything below the rim inside a sphere.
struct Bowl {
    centre: Vec3,
    radius: Real,
}

impl Collider for Bowl {
    fn kind(&self) -> &'static str {
        "bowl"
    }
    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        for (p, out) in points.iter().zip(out) {
            let arm = p - self.centre;
            let length = arm.norm();
            let beyond = arm.y > 0.0 || length == 0.0; // above the rim, or at the centre
            let (distance, normal) =
                if beyond { (self.radius, Vec3::y()) } else { (self.radius - length, -arm / length) };
            *out = Surface { distance, normal, velocity: Vec3::zeros() };
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = generate::ball(4, 2, 0.2 /* m */)?;
    let model = Model::builder(&mesh.positions, 1.0 /* kg */)
        .energy(TetStrain::new(&mesh.positions, &mesh.tets, 2e4 /* Pa */, StrainRange::RIGID)?)
        .build()?;
    let bowl = Bowl { centre: Vec3::zeros(), radius: 1.0 };
    let start: Vec<Vec3> = mesh.positions.iter().map(|x| x + Vec3::new(0.5, 0.0, 0.0)).collect();
    let mut sim =
        Simulation::new(model, State::at_rest(start), ProjectiveDynamics::new(PanelCholesky::default()));
    sim.params.damping = 1.0;
    sim.colliders.push(Box::new(bowl));
    for _ in 0..600 {
        sim.step()?; // it slides down the wall, up the other side, and comes to rest
    }

    let centre = sim.state.x.iter().sum::<Vec3>() / sim.state.x.len() as f64;
    let farthest = sim.state.x.iter().map(|x| x.norm()).fold(0.0, f64::max);
    assert!(farthest <= 1.0 + 1e-9, "no vertex has left the bowl: {farthest}");
    assert!(centre.x.hypot(centre.z) < 0.05, "the ball lies at the bottom: {centre}");
    assert!((-0.9..-0.7).contains(&centre.y), "one radius above it: {centre}");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
