//! A triple pendulum by every solver: where its tip is after two seconds, and how much energy is lost.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use pd_core::{Real, State, StepParams, Vec3};
use pd_rigid::describe::{ball_joint, box_body};
use pd_rigid::{RigidModel, RigidParams, RigidStepper, SOLVERS, solver};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = RigidModel::builder();
    let mut above = None;
    for k in 0..3 {
        let x = k as Real;
        let rod = box_body(Vec3::new(0.5, 0.025, 0.025), 400.0)?.at(Vec3::x() * (x + 0.5));
        let rod = builder.body(rod)?;
        builder.joint(ball_joint(above, Some(rod), Vec3::x() * x))?;
        above = Some(rod);
    }
    let (model, bodies) = builder.build();
    let model = Arc::new(model);
    let params = StepParams::default();
    println!("{:<10} {:>22} {:>12} {:>12}", "solver", "tip at 2 s, m", "gap, m", "energy, J");
    for name in SOLVERS {
        let mut state = State::default();
        state.bodies = bodies.clone();
        let mut stepper = RigidStepper::with_solver(model.clone(), RigidParams::default(), solver(name)?);
        let mut gap: Real = 0.0;
        for _ in 0..120 {
            stepper.advance(&params, &[], &mut state)?;
            gap = gap.max(stepper.report().joint_gap);
        }
        let tip = state.bodies.world(2, &Vec3::new(0.5, 0.0, 0.0));
        let energy: Real = model.energy(&state.bodies, &params.gravity).iter().sum();
        println!("{name:<10} ({:>9.5}, {:>9.5}) {gap:>12.2e} {energy:>12.4}", tip.x, tip.y);
        assert!(gap < 0.02);
    }
    Ok(())
}
