//! The same scenes with rapier3d.

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

/// Iterations, frequencies of the springs between bodies and against fixed ones (Hz), and whether friction is solved at every point.
pub(super) fn pyramids() {
    let soft = (30.0, 60.0);
    let stiff = (60.0, 120.0);
    for (iterations, springs, every) in [
        (4, soft, false),
        (8, soft, false),
        (16, soft, false),
        (4, stiff, false),
        (5, stiff, false),
        (6, stiff, false),
        (8, stiff, false),
        (16, stiff, false),
        (4, soft, true),
        (8, stiff, true),
    ] {
        pyramid(iterations, springs, every);
    }
}

fn pyramid(iterations: usize, springs: (f32, f32), every: bool) {
    let mut world = world((1, iterations));
    let parameters = &mut world.integration_parameters;
    parameters.contact_softness.natural_frequency = springs.0;
    parameters.static_contact_softness.natural_frequency = springs.1;
    if every {
        parameters.friction_model = FrictionModel::Coulomb;
    }
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
    let friction = if every { "each point" } else { "each pair" };
    println!(
        "| rapier 0.36, {iterations} iterations, {} Hz, friction of {friction} | {ms:.3} | {:.1} | {:.1} | |",
        springs.0,
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
