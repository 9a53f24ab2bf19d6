//! A triple pendulum by two solvers: `rattle` keeps its energy, `direct` damps it and holds the joints with one substep.
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
    for (name, substeps) in [("rattle", 4), ("direct", 1)] {
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
        assert!(gap < 1e-3, "{name}: joints open by {gap} m");
        lost.push(at_start - energy(&state));
    }
    assert!(lost[0].abs() < 0.01 * lost[1], "rattle loses {} J, direct {} J", lost[0], lost[1]);
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
