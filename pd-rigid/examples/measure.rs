//! Time of a frame and what it holds: a pyramid of 210 boxes, chains with heavy ends, a triple pendulum, a heap of 5,000 bodies.
//! Run with `--release`; `RAYON_NUM_THREADS` chooses the threads.
#![expect(clippy::print_stdout, reason = "a program that measures prints")]

use pd_core::{Real, State, StepParams, Vec3};
use pd_rigid::describe::{ball_joint, box_body, sphere_body};
use pd_rigid::{BodyDesc, RigidBuilder, RigidError, RigidModel, RigidParams, RigidStepper, solver};
use std::time::Instant;

fn pyramid(rows: usize) -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0))?;
    for row in 0..rows {
        for k in 0..rows - row {
            let x = (k as Real - 0.5 * (rows - row - 1) as Real) * 1.02;
            builder.body(box_body(Vec3::repeat(0.5), 1000.0)?.at(Vec3::new(x, row as Real + 0.5, 0.0)))?;
        }
    }
    Ok(builder)
}

fn chain(links: usize, end: Real) -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    let mut before = None;
    for k in 0..=links {
        let x = 0.1 * k as Real;
        let desc = if k < links {
            BodyDesc::point(1.0, Vec3::new(2e-4, 9.3e-4, 9.3e-4)).at(Vec3::x() * (x + 0.05))
        } else {
            BodyDesc::point(end, Vec3::repeat(0.036 * end)).at(Vec3::x() * (x + 0.3))
        };
        let body = builder.body(desc)?;
        builder.joint(ball_joint(before, Some(body), Vec3::x() * x))?;
        before = Some(body);
    }
    Ok(builder)
}

fn heap(bodies: usize) -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0))?;
    let side = 25;
    for k in 0..bodies {
        let (layer, i) = (k / (side * side), k % (side * side));
        let shift = 0.07 * (layer % 3) as Real;
        let at =
            Vec3::new((i % side) as Real * 0.5 + shift, 0.3 + 0.45 * layer as Real, (i / side) as Real * 0.5);
        let desc = if k % 2 == 0 { box_body(Vec3::repeat(0.2), 500.0)? } else { sphere_body(0.2, 500.0)? };
        builder.body(desc.at(at))?;
    }
    Ok(builder)
}

fn run(
    label: &str,
    builder: RigidBuilder,
    name: &str,
    substeps: usize,
    frames: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let (model, bodies) = builder.build();
    let mut state = State::default();
    state.bodies = bodies;
    let start = state.bodies.p.clone();
    let mut params = RigidParams::default();
    (params.substeps, params.sleep) = (substeps, false);
    let mut stepper = RigidStepper::with_solver(model.into(), params, solver(name)?);
    let (mut times, mut gap, mut stages) = (vec![], 0.0f64, [0.0; 2]);
    for _ in 0..frames {
        let clock = Instant::now();
        let report = stepper.advance(&StepParams::default(), &[], &mut state)?;
        times.push(clock.elapsed().as_secs_f64() * 1e3);
        gap = gap.max(stepper.report().joint_gap);
        stages[0] += report.stages.collide.as_secs_f64() * 1e3 / frames as f64;
        stages[1] += report.stages.global.as_secs_f64() * 1e3 / frames as f64;
    }
    times.sort_by(f64::total_cmp);
    let (mut side, mut drop) = (0.0f64, 0.0f64);
    for (p, s) in state.bodies.p.iter().zip(&start) {
        side = side.max((p - s).x.hypot((p - s).z));
        drop = drop.max((s - p).y);
    }
    println!(
        "{label:<22} {name:<9} {substeps:>3} substeps: {:>9.4} ms (collide {:.3}, solve {:.3}), {} contacts, {} islands, gap {gap:.1e} m, \
         sideways {side:.1e} m, drop {drop:.1e} m",
        times[frames / 2],
        stages[0],
        stages[1],
        stepper.report().contacts,
        stepper.report().islands,
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Inside the pool, as simulations run: handing every loop to it from outside would cost a thread's waking each.
    let pool = rayon::ThreadPoolBuilder::new().build()?;
    pool.install(|| all().map_err(|error| error.to_string())).map_err(Into::into)
}

fn all() -> Result<(), Box<dyn std::error::Error>> {
    run("pyramid of 210", pyramid(20)?, "direct", 4, 300)?;
    for (end, substeps) in [(1e3, 1), (1e6, 1), (1e3, 4)] {
        run(&format!("chain of 100, {end:e}:1"), chain(100, end)?, "direct", substeps, 300)?;
    }
    run("chain of 100, 1000:1", chain(100, 1e3)?, "tgs-soft", 16, 300)?;
    run("chain of 100, 1000:1", chain(100, 1e3)?, "xpbd", 20, 300)?;
    run("triple pendulum", chain(2, 1.0)?, "direct", 1, 600)?;
    run("triple pendulum", chain(2, 1.0)?, "rattle", 4, 600)?;
    run("heap of 5000", heap(5000)?, "direct", 4, 60)?;
    Ok(())
}
