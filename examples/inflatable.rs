//! A custom force: pressure inflates a closed elastic skin.
//!
//! `cargo run --release -p examples --example inflatable`

use pd_sim::prelude::*;
use std::ops::Range;

/// A pressure difference across a closed surface whose triangles turn counter-clockwise seen from outside.
struct Pressure {
    pascal: Real,
    triangles: Vec<[u32; 3]>,
}

impl Force for Pressure {
    fn kind(&self) -> &'static str {
        "pressure"
    }
    /// A triangle pushes each of its corners with p·A·n/3 = p (b−a)×(c−a)/6.
    fn add(&self, state: &View<'_>, _: Real, vertices: Range<usize>, force: &mut [Vec3]) {
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| state.x[i as usize]);
            let push = (b - a).cross(&(c - a)) * (self.pascal / 6.0);
            for i in triangle.iter().map(|&i| i as usize).filter(|i| vertices.contains(i)) {
                force[i - vertices.start] += push;
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = generate::sphere(24, 16, 0.2 /* m */)?;
    let before = mesh.enclosed_volume();
    let model = Model::builder(&mesh.positions, 0.05 /* kg */)
        .energy(TriStrain::new(&mesh.positions, &mesh.triangles, 200.0 /* N/m */, StrainRange::RIGID)?)
        .build()?;
    let state = State::at_rest(mesh.positions.clone());
    let mut sim = Simulation::new(model, state, ProjectiveDynamics::new(PanelCholesky::default()));
    sim.params.gravity = Vec3::zeros();
    sim.params.damping = 10.0;
    let pascal = if before > 0.0 { 400.0 } else { -400.0 };
    sim.forces.push(Box::new(Pressure { pascal, triangles: mesh.triangles.clone() }));
    for _ in 0..300 {
        sim.step()?;
    }

    // A round membrane of radius r₀ (1 + e) has the energy 4π r₀² w e²; its balance with the work of the pressure,
    // 2 w e = p r₀ (1 + e)², is a quadratic equation for e.
    let k: f64 = 2.0 * 200.0 / (400.0 * 0.2) - 2.0;
    let expected = (k - (k * k - 4.0).sqrt()) / 2.0;
    let after = TriMesh::new(sim.state.x.clone(), mesh.triangles)?.enclosed_volume();
    let strain = (after / before).cbrt() - 1.0;
    assert!(
        (strain - expected).abs() < 0.05 * expected,
        "it grows by {strain}, a round balloon by {expected}"
    );
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
