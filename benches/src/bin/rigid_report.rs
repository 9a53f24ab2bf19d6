//! Rigid bodies on one thread: a pyramid of 210 boxes, a chain of 100 links with an end a thousand times as heavy, a triple
//! pendulum; 5,000 bodies on one and two threads. With the feature `rapier` the same beside rapier3d in the same run.
//!
//! `cargo run --release -p benches --bin rigid_report [--features rapier]`. Times are medians of single frames.
#![allow(clippy::print_stdout, reason = "a report program")]

use pd_core::{Real, State, StepError, StepParams, Vec3};
use pd_rigid::{
    BodyDesc, JointDesc, JointKind, RigidBuilder, RigidError, RigidModel, RigidParams, RigidStepper, Shape,
    solver,
};
use std::error::Error;

use std::time::Instant;

const FRAMES: usize = 300;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    println!("| scene | engine | ms a frame | measure |\n|---|---|---|---|");
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    one.install(|| -> Result<(), Failure> {
        let (ms, end) = run(pyramid()?, "direct", 4, FRAMES)?;
        println!("| pyramid of 210 | here, direct, 4 substeps | {ms:.3} | {} |", moved(&end.0, &end.1));
        #[cfg(feature = "rapier")]
        peer::pyramid();
        for substeps in [1, 4] {
            let (ms, end) = run(chain()?, "direct", substeps, FRAMES)?;
            println!(
                "| chain of 100, 1000:1 | here, direct, {substeps} substeps | {ms:.4} | gap {:.1e} m |",
                end.2
            );
        }
        #[cfg(feature = "rapier")]
        [(1, 4), (1, 16), (4, 4), (16, 4)].into_iter().for_each(peer::chain);
        for (name, substeps) in [("rattle", 4), ("direct", 4), ("xpbd", 10)] {
            let (ms, end) = run(pendulum()?, name, substeps, FRAMES)?;
            println!(
                "| triple pendulum | here, {name}, {substeps} substeps | {ms:.4} | gap {:.1e} m |",
                end.2
            );
        }
        #[cfg(feature = "rapier")]
        peer::pendulum((1, 4));
        Ok(())
    })?;
    let frames = 120;
    let (serial, _) = one.install(|| run(crowd()?, "direct", 4, frames))?;
    let (parallel, _) = two.install(|| run(crowd()?, "direct", 4, frames))?;
    println!("| 5,000 boxes in 500 stacks | here, 1 thread | {serial:.3} | |");
    println!(
        "| 5,000 boxes in 500 stacks | here, 2 threads | {parallel:.3} | {:.2} times as fast |",
        serial / parallel
    );
    Ok(())
}

type End = (Vec<Vec3>, Vec<Vec3>, Real);

/// Median time of a frame, ms, and places at the start and the end with the largest gap of a joint.
fn run(builder: RigidBuilder, name: &str, substeps: usize, frames: usize) -> Result<(f64, End), Failure> {
    let (model, bodies) = builder.build();
    let mut params = RigidParams::default();
    (params.substeps, params.sleep) = (substeps, false);
    let mut stepper = RigidStepper::with_solver(model.into(), params, solver(name)?);
    let mut state = State::default();
    let start = bodies.p.clone();
    state.bodies = bodies;
    let (mut times, mut gap) = (vec![], 0.0f64);
    for _ in 0..frames {
        let begun = Instant::now();
        step(&mut stepper, &mut state)?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        gap = gap.max(stepper.report().joint_gap);
    }
    Ok((median(&mut times), (start, state.bodies.p, gap)))
}

fn step(stepper: &mut RigidStepper, state: &mut State) -> Result<(), StepError> {
    stepper.advance(&StepParams::default(), &[], state).map(|_| ())
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Farthest sideways and down, in words.
fn moved(start: &[Vec3], end: &[Vec3]) -> String {
    let (mut side, mut drop) = (0.0f64, 0.0f64);
    for (a, b) in start.iter().zip(end) {
        side = side.max((b - a).x.hypot((b - a).z));
        drop = drop.max((a - b).y);
    }
    format!("sideways {:.1} mm, down {:.1} mm", side * 1e3, drop * 1e3)
}

fn cube() -> Result<BodyDesc, RigidError> {
    Ok(BodyDesc::new(Shape::cuboid(Vec3::repeat(0.5))?, 1000.0))
}

/// Where the boxes of the pyramid are.
fn pyramid_places() -> impl Iterator<Item = [Real; 2]> {
    (0..20).flat_map(|row| {
        (0..20 - row).map(move |k| [(k as Real - 0.5 * (19 - row) as Real) * 1.025, 0.5 + row as Real])
    })
}

fn pyramid() -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0))?;
    for [x, y] in pyramid_places() {
        builder.body(cube()?.at(Vec3::new(x, y, 0.0)))?;
    }
    Ok(builder)
}

/// Mass and principal moments of the links and the end of the chain, half of each one's length.
fn links() -> Vec<(Real, Vec3, Real)> {
    let mut links = vec![(1.0, Vec3::new(2e-4, 9.3e-4, 9.3e-4), 0.05); 100];
    links.push((1000.0, Vec3::repeat(36.0), 0.3));
    links
}

fn chain() -> Result<RigidBuilder, RigidError> {
    hang(&links())
}

/// Three rods of 1 kg and 1 m.
fn rods() -> Vec<(Real, Vec3, Real)> {
    vec![(1.0, Vec3::new(0.005 / 12.0, 1.0025 / 12.0, 1.0025 / 12.0), 0.5); 3]
}

fn pendulum() -> Result<RigidBuilder, RigidError> {
    hang(&rods())
}

fn hang(links: &[(Real, Vec3, Real)]) -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    let (mut before, mut x) = (None, 0.0);
    for &(mass, moments, half) in links {
        let body = builder.body(BodyDesc::point(mass, moments).at(Vec3::x() * (x + half)))?;
        builder.joint(JointDesc::new(JointKind::Ball, before, Some(body), Vec3::x() * x))?;
        (before, x) = (Some(body), x + 2.0 * half);
    }
    Ok(builder)
}

/// Stacks of ten.
fn crowd() -> Result<RigidBuilder, RigidError> {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0))?;
    for stack in 0..500 {
        let (x, z) = ((stack % 25) as Real * 2.0, (stack / 25) as Real * 2.0);
        for k in 0..10 {
            builder.body(cube()?.at(Vec3::new(x, 0.5 + k as Real, z)))?;
        }
    }
    Ok(builder)
}

#[cfg(feature = "rapier")]
mod peer {
    use super::{FRAMES, median, pyramid_places};
    use rapier3d::prelude::*;
    use std::time::Instant;

    /// A frame is so many calls of `step`, each with so many iterations of the solver (its substeps).
    type Effort = (usize, usize);

    fn world((steps, iterations): Effort) -> PhysicsWorld {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, -9.8, 0.0);
        world.integration_parameters.dt = 1.0 / 60.0 / steps as f32;
        world.integration_parameters.num_solver_iterations = iterations;
        world
    }

    fn time(world: &mut PhysicsWorld, steps: usize, mut after: impl FnMut(&PhysicsWorld)) -> f64 {
        let mut times = vec![];
        for _ in 0..FRAMES {
            let begun = Instant::now();
            (0..steps).for_each(|_| world.step());
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            after(world);
        }
        median(&mut times)
    }

    pub(super) fn pyramid() {
        let mut world = world((1, 4));
        let ground = ColliderBuilder::cuboid(100.0, 0.5, 100.0).friction(0.5);
        world.insert(RigidBodyBuilder::fixed().translation(Vector::new(0.0, -0.5, 0.0)), ground);
        let mut boxes = vec![];
        for [x, y] in pyramid_places() {
            let at = Vector::new(x as f32, y as f32, 0.0);
            let body = RigidBodyBuilder::dynamic().translation(at).can_sleep(false);
            boxes.push((
                world.insert(body, ColliderBuilder::cuboid(0.5, 0.5, 0.5).friction(0.5).density(1000.0)).0,
                at,
            ));
        }
        let ms = time(&mut world, 1, |_| {});
        let (mut side, mut drop) = (0.0f32, 0.0f32);
        for (handle, start) in boxes {
            let d = world.bodies[handle].translation() - start;
            side = side.max(d.x.hypot(d.z));
            drop = drop.max(-d.y);
        }
        println!(
            "| pyramid of 210 | rapier 0.36, 4 | {ms:.3} | sideways {:.1} mm, down {:.1} mm |",
            side * 1e3,
            drop * 1e3
        );
    }

    fn hang(links: &[(f64, pd_core::Vec3, f64)], effort: Effort, name: &str) {
        let mut world = world(effort);
        let mut before = world.insert_body(RigidBodyBuilder::fixed());
        let (mut x, mut on_before) = (0.0f32, 0.0f32);
        let mut bodies = vec![];
        for (mass, moments, half) in links {
            let half = *half as f32;
            let moments = Vector::new(moments.x as f32, moments.y as f32, moments.z as f32);
            let mass = MassProperties::new(Vector::new(0.0, 0.0, 0.0), *mass as f32, moments);
            let body = RigidBodyBuilder::dynamic()
                .translation(Vector::new(x + half, 0.0, 0.0))
                .additional_mass_properties(mass)
                .can_sleep(false);
            let body = world.insert_body(body);
            let joint = SphericalJointBuilder::new()
                .local_anchor1(Vector::new(on_before, 0.0, 0.0))
                .local_anchor2(Vector::new(-half, 0.0, 0.0));
            world.insert_impulse_joint(before, body, joint);
            bodies.push((before, body, on_before, half));
            (before, x, on_before) = (body, x + 2.0 * half, half);
        }
        let mut gap = 0.0f32;
        let ms = time(&mut world, effort.0, |world| {
            for &(a, b, on_a, on_b) in &bodies {
                let place = |h: RigidBodyHandle, x: f32| {
                    let body = &world.bodies[h];
                    body.translation() + *body.rotation() * Vector::new(x, 0.0, 0.0)
                };
                gap = gap.max((place(a, on_a) - place(b, -on_b)).length());
            }
        });
        let (steps, iterations) = effort;
        println!(
            "| {name} | rapier 0.36, {steps} steps of {iterations} iterations | {ms:.4} | gap {gap:.1e} m |"
        );
    }

    pub(super) fn chain(effort: Effort) {
        hang(&super::links(), effort, "chain of 100, 1000:1");
    }

    pub(super) fn pendulum(effort: Effort) {
        hang(&super::rods(), effort, "triple pendulum");
    }
}
