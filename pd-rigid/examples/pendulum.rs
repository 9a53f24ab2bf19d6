//! A triple pendulum by two solvers: `direct` keeps its energy to second order, `tgs-soft` loses some; of the first the joints stay closed
//! with one substep, too.
//!
//! `cargo run -p pd-rigid --example pendulum`

use pd_core::{State, StepParams, Vec3};
use pd_rigid::{RigidModel, RigidParams, RigidStepper, describe::*, solver};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = RigidModel::builder();
    let mut before = None;
    for k in 0..3 {
        let rod = box_body(Vec3::new(0.5, 0.04, 0.04), 1000.0)?.at(Vec3::x() * (f64::from(k) + 0.5));
        let body = builder.body(rod)?;
        builder.joint(ball_joint(before, Some(body), Vec3::x() * f64::from(k)))?;
        before = Some(body);
    }
    let (model, start) = builder.build();
    let (model, params) = (Arc::new(model), StepParams::default());
    let energy = |state: &State| model.energy(&state.bodies, &params.gravity).iter().sum::<f64>();
    let mut lost = vec![];
    for (name, substeps) in [("direct", 4), ("tgs-soft", 4), ("direct", 1)] {
        let mut settings = RigidParams::default();
        settings.substeps = substeps;
        let mut stepper = RigidStepper::with_solver(model.clone(), settings, solver(name)?);
        let mut state = State::default();
        state.bodies = start.clone();
        let (at_start, mut gap) = (energy(&state), 0.0f64);
        for _ in 0..120 {
            stepper.advance(&params, &[], &mut state)?;
            gap = gap.max(stepper.report().joint_gap);
        }
        assert!(gap < if name == "direct" { 1e-6 } else { 0.05 }, "{name}: joints open by {gap} m");
        lost.push(at_start - energy(&state));
    }
    assert!(lost[0].abs() < 0.05 * lost[1].abs(), "direct loses {} J, tgs-soft {} J", lost[0], lost[1]);
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
