//! A pyramid of boxes that stands, falls asleep, and is woken by a ball.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use pd_core::{Real, State, StepParams, Vec3};
use pd_rigid::describe::{box_body, sphere_body};
use pd_rigid::{BodyDesc, RigidModel, RigidParams, RigidStepper};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows = 6;
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0))?;
    for row in 0..rows {
        for k in 0..rows - row {
            let x = (k as Real - 0.5 * (rows - row - 1) as Real) * 1.02;
            let at = Vec3::new(x, row as Real + 0.5, 0.0);
            builder.body(box_body(Vec3::repeat(0.5), 500.0)?.at(at).friction(0.6))?;
        }
    }
    let ball = builder.body(sphere_body(0.5, 4000.0)?.at(Vec3::new(-0.3, 2.0, -50.0)))?;
    let (model, bodies) = builder.build();
    let mut state = State::default();
    state.bodies = bodies;
    // The ball waits far away, and comes after two seconds.
    let mut stepper = RigidStepper::new(model.into(), RigidParams::default());
    for frame in 0..240 {
        if frame == 120 {
            (state.bodies.p[ball], state.bodies.v[ball]) =
                (Vec3::new(-0.3, 2.0, -8.0), Vec3::new(0.0, 2.0, 25.0));
        }
        stepper.advance(&StepParams::default(), &[], &mut state)?;
        let report = stepper.report();
        if frame % 20 == 19 {
            println!(
                "{:.2} s: {} contacts, {} asleep, deepest overlap {:.1} mm",
                state.time,
                report.contacts,
                report.asleep,
                report.overlap * 1e3
            );
        }
        if frame == 119 {
            assert_eq!(
                report.asleep,
                rows * (rows + 1) / 2 + usize::from(state.bodies.v[ball].norm() == 0.0)
            );
        }
    }
    Ok(())
}
