//! A custom constraint: a leash, |x − anchor| ≤ length. Only the stencil and the projection are written.
//!
//! `cargo run --release -p examples --example own_constraint`

use pd_sim::prelude::*;
use std::ops::Range;

struct Leash {
    stencil: Stencil,
    anchor: Vec3,
    length: Real,
}

impl EnergyBatch for Leash {
    fn kind(&self) -> &'static str {
        "leash"
    }
    fn stencil(&self) -> &Stencil {
        &self.stencil
    }
    fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
        for z in z {
            *z = self.anchor + (*z - self.anchor).cap_magnitude(self.length);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut stencil = Stencil::new(1);
    stencil.push(1e5 /* N/m */, &[&[(0, 1.0)]]);
    let leash = Leash { stencil, anchor: Vec3::zeros(), length: 1.0 };
    let model = Model::with_masses(vec![2.0 /* kg */]).energy(leash).build()?;
    let state = State::at_rest(vec![Vec3::new(0.3, 0.0, 0.0)]);
    let mut sim = Simulation::new(model, state, ProjectiveDynamics::new(PanelCholesky::default()));
    sim.params.damping = 2.0;
    for _ in 0..600 {
        sim.step()?;
    }

    let x = sim.state.x[0];
    let stretch = 2.0 * 9.8 / 1e5;
    assert!((x - Vec3::new(0.0, -1.0 - stretch, 0.0)).norm() < 1e-4, "it hangs on the leash: {x}");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
