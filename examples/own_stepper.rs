//! A custom time stepper: symplectic Euler, the plainest explicit method, on the same model.
//!
//! `cargo run --release -p examples --example own_stepper`

use pd_core::stepper::{accept, hold_pinned, predict, push_out, validate};
use pd_sim::prelude::*;

/// v ← v + h (g + M⁻¹ (f − ∇E(x))), x ← x + h v. Stable only while h is below 2 over the highest frequency.
#[derive(Default)]
struct SymplecticEuler {
    rows: Vec<Vec3>,
    gradient: Vec<Vec3>,
    x: Vec<Vec3>,
}

impl Stepper for SymplecticEuler {
    fn name(&self) -> &str {
        "symplectic-euler"
    }
    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.rows = vec![Vec3::zeros(); context.model.rows()];
        self.gradient = vec![Vec3::zeros(); context.model.vertices()];
        self.x = self.gradient.clone();
        Ok(())
    }
    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        validate(&context, state)?;
        if self.x.len() != context.model.vertices() || self.rows.len() != context.model.rows() {
            self.prepare(context)?;
        }
        predict(context, state, &mut self.x); // x + h v + h² (g + M⁻¹ f)
        context.model.elastic_gradient(state.x, &mut self.rows, &mut self.gradient);
        let h = context.params.dt;
        for ((x, gradient), mass) in self.x.iter_mut().zip(&self.gradient).zip(context.model.masses()) {
            *x -= gradient * (h * h / mass);
        }
        hold_pinned(context, state, &mut self.x);
        let collisions = push_out(context, state, &mut self.x);
        accept(context.params, state, &self.x)?;
        Ok(StepReport { collisions, ..StepReport::default() })
    }
}

/// A weight on a spring, one metre long, pulled down by its own weight; gives its lowest point, m.
fn lowest(stepper: impl Stepper + 'static, dt: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let x = vec![Vec3::zeros(), Vec3::new(0.0, -1.0, 0.0)];
    let model = Model::with_masses(vec![1.0, 1.0])
        .energy(EdgeSprings::new(&x, &[[0, 1]], 100.0 /* N/m */)?)
        .energy(Pins::new(&x, &[0], 1e6)?)
        .build()?;
    let mut sim = Simulation::new(model, State::at_rest(x), stepper);
    sim.params.dt = dt;
    sim.params.iterations = 100;
    let mut lowest = 0.0_f64;
    for _ in 0..(1.0 / dt) as usize {
        sim.step()?;
        lowest = lowest.min(sim.state.x[1].y);
    }
    Ok(lowest)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let exact = -1.0 - 2.0 * 9.8 / 100.0; // it swings to twice the static stretch m g / k
    let explicit = lowest(SymplecticEuler::default(), 1e-4)?;
    let implicit = lowest(ProjectiveDynamics::new(PanelCholesky::default()), 1e-4)?;
    assert!((explicit - exact).abs() < 1e-3, "explicit: {explicit} m, exact {exact} m");
    assert!((implicit - exact).abs() < 2e-3, "implicit: {implicit} m, exact {exact} m");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
