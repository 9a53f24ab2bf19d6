//! A wall of bricks falls asleep and wakes when a ball goes through it; the forces of contacts carry the weight.
//!
//! `cargo run -p pd-rigid --example stack`

use pd_core::{State, StepParams, Vec3};
use pd_rigid::{BodyDesc, RigidModel, RigidParams, RigidStepper, describe::*};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0))?;
    for row in 0..6 {
        for k in 0..5 {
            let at =
                Vec3::new(f64::from(k) * 0.41 + f64::from(row % 2) * 0.2, 0.1 + 0.2 * f64::from(row), 0.0);
            builder.body(box_body(Vec3::new(0.2, 0.1, 0.1), 800.0)?.at(at))?;
        }
    }
    let ball = builder.body(sphere_body(0.2, 4000.0)?.at(Vec3::new(1.0, 0.2, 20.0)))?;
    let (model, bodies) = builder.build();
    let weight: f64 = model.masses().iter().filter(|m| m.is_finite()).sum::<f64>() * 9.8;
    let mut state = State::default();
    state.bodies = bodies;
    let mut stepper = RigidStepper::new(model.into(), RigidParams::default());
    for _ in 0..25 {
        stepper.advance(&StepParams::default(), &[], &mut state)?;
    }
    // Forces at the ground: the normal part of all contacts there.
    let lowest = stepper.contact_forces().filter(|(place, _)| place.y.abs() < 0.05);
    let carried: f64 = lowest.map(|(_, force)| force.y.abs()).sum();
    assert!((carried / weight - 1.0).abs() < 0.05, "{carried} N of {weight} N");
    for _ in 0..95 {
        stepper.advance(&StepParams::default(), &[], &mut state)?;
    }
    assert!(stepper.report().asleep >= 30, "the wall sleeps");
    state.bodies.v[ball] = Vec3::new(0.0, 1.0, -12.0);
    for _ in 0..180 {
        stepper.advance(&StepParams::default(), &[], &mut state)?;
    }
    let moved = state.bodies.p[1..ball].iter().filter(|p| p.z.abs() > 0.2).count();
    assert!(moved > 4, "{moved} bricks were thrown out");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
