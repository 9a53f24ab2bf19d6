//! Contacts: stacks, friction, bouncing, sleeping, deep overlap.

use crate::world::{World, substeps, weightless};
use pd_core::{Real, Vec3};
use pd_rigid::{BodyDesc, Filter, RigidBuilder, RigidModel, RigidParams, Shape};
use proptest::prelude::*;

fn cube(half: Real) -> BodyDesc {
    BodyDesc::new(Shape::cuboid(Vec3::repeat(half)).unwrap(), 1000.0)
}

fn ground() -> RigidBuilder {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0)).unwrap();
    builder
}

/// A wall of boxes in rows that get shorter by one.
pub(crate) fn pyramid(rows: usize, half: Real, spacing: Real) -> RigidBuilder {
    let mut builder = ground();
    for row in 0..rows {
        for k in 0..rows - row {
            let x = (k as Real - 0.5 * (rows - row - 1) as Real) * 2.0 * spacing * half;
            let y = half + row as Real * 2.0 * half;
            builder.body(cube(half).at(Vec3::new(x, y, 0.0))).unwrap();
        }
    }
    builder
}

/// Largest sideways motion and drop of any body over some frames.
pub(crate) fn settle(world: &mut World, frames: usize) -> (Real, Real) {
    let start = world.state.bodies.p.clone();
    world.run(frames);
    let moved = world.state.bodies.p.iter().zip(&start).map(|(p, s)| p - s);
    moved.fold((0.0, 0.0), |(side, drop): (Real, Real), d| (side.max(d.x.hypot(d.z)), drop.max(-d.y)))
}

#[test]
fn a_stack_of_five_and_a_pyramid_stand() {
    let mut builder = ground();
    for k in 0..5 {
        builder.body(cube(0.5).at(Vec3::new(0.0, 0.5 + k as Real, 0.0))).unwrap();
    }
    let mut world = World::new(builder, substeps(4), "direct");
    let (side, drop) = settle(&mut world, 300);
    println!("stack of five: sideways {side:.2e} m, drop {drop:.2e} m");
    assert!(side < 0.01 && drop < 0.015, "{side} {drop}");
    // Boxes of 1 m and, as in the scene `pyramid`, of 0.5 m; the smaller ones sink in as far, which is more of their size.
    for (half, spacing) in [(0.5, 1.025), (0.25, 1.02)] {
        let mut world = World::new(pyramid(20, half, spacing), substeps(4), "direct");
        let (side, drop) = settle(&mut world, 300);
        println!("pyramid of 210, boxes of {half} m: sideways {side:.2e} m, drop {drop:.2e} m");
        assert!(side < 0.01 && drop < 0.015, "{side} {drop}");
        let fastest = world.state.bodies.v.iter().map(|v| v.norm()).fold(0.0, Real::max);
        assert!(fastest < 5e-3, "{fastest} m/s after 300 frames");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_sliding_box_stops_where_it_should(exponent in -3.0..6.0f64, mu in 0.2..0.7f64) {
        let half = 0.1;
        let mass = 10f64.powf(exponent);
        let mut builder = RigidModel::builder();
        builder.body(BodyDesc::ground(0.0).friction(mu)).unwrap();
        let desc = BodyDesc::new(Shape::cuboid(Vec3::new(half, half, half)).unwrap(), mass / (8.0 * half.powi(3)));
        builder.body(desc.friction(mu).at(Vec3::new(0.0, half, 0.0)).moving(Vec3::x() * 4.0, Vec3::zeros())).unwrap();
        let mut world = World::new(builder, substeps(8), "direct");
        world.run(180);
        let (way, expected) = (world.state.bodies.p[1].x, 16.0 / (2.0 * mu * 9.8));
        prop_assert!((way / expected - 1.0).abs() < 0.005, "mass {mass:e}, friction {mu}: {way} m of {expected} m");
        prop_assert!(world.state.bodies.v[1].norm() < 1e-6);
    }
}

#[test]
fn a_slope_holds_below_its_friction_and_not_above() {
    let angle: Real = 0.4;
    for (ratio, sticks) in [(1.0 / 0.98, true), (0.8, false)] {
        let mu = angle.tan() * ratio;
        let mut builder = RigidModel::builder();
        let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vec3::z() * -angle);
        builder.body(BodyDesc::ground(0.0).turned(turn).friction(mu)).unwrap();
        let desc = BodyDesc::new(Shape::cuboid(Vec3::new(0.2, 0.1, 0.2)).unwrap(), 500.0).friction(mu);
        builder.body(desc.at(turn * Vec3::new(0.0, 0.1, 0.0)).turned(turn)).unwrap();
        let mut world = World::new(builder, substeps(4), "direct");
        world.run(60);
        let (start, v0) = (world.state.bodies.p[1], world.state.bodies.v[1]);
        world.run(120);
        let way = (world.state.bodies.p[1] - start).norm();
        if sticks {
            println!("creep {way:.2e} m in 2 s");
            assert!(way < 1e-4, "creep {way:e} m");
        } else {
            let a = 9.8 * (angle.sin() - mu * angle.cos());
            let expected = v0.norm() * 2.0 + 0.5 * a * 4.0;
            assert!((way / expected - 1.0).abs() < 0.01, "{way} {expected}");
        }
    }
}

/// Just above its friction angle a box slides from rest by half of what is left of gravity, from the first frame on.
#[test]
fn a_slope_just_above_its_friction_slides_as_far_as_it_should() {
    for half in [Vec3::new(0.5, 0.1, 0.5), Vec3::new(0.1, 0.1, 0.1), Vec3::new(0.05, 0.02, 0.1)] {
        for (mu, tan) in [(0.5, 0.51), (0.2, 0.21), (0.8, 0.84)] {
            for (steps, most) in [(1, 0.11), (2, 0.03), (4, 0.01), (8, 0.01), (16, 0.01)] {
                let angle = Real::atan(tan);
                let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vec3::z() * -angle);
                let mut builder = RigidModel::builder();
                builder.body(BodyDesc::ground(0.0).turned(turn).friction(mu)).unwrap();
                let desc = BodyDesc::new(Shape::cuboid(half).unwrap(), 500.0).friction(mu);
                builder.body(desc.at(turn * Vec3::new(0.0, half.y, 0.0)).turned(turn)).unwrap();
                let mut world = World::new(builder, substeps(steps), "direct");
                let start = world.state.bodies.p[1];
                world.run(120);
                let way = (world.state.bodies.p[1] - start).norm();
                let expected = 2.0 * 9.8 * (angle.sin() - mu * angle.cos());
                let error = way / expected - 1.0;
                assert!(
                    error.abs() < most,
                    "{half:?}, {mu}, {tan}, {steps} substeps: {:.2} %",
                    100.0 * error
                );
            }
        }
    }
}

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    for e in [0.5, 0.8] {
        let mut builder = ground();
        let ball = BodyDesc::new(Shape::sphere(0.1).unwrap(), 1000.0).restitution(e);
        builder.body(ball.at(Vec3::new(0.0, 1.1, 0.0))).unwrap();
        let mut world = World::new(builder, substeps(4), "direct");
        let (mut bounced, mut apex) = (false, 0.0f64);
        for _ in 0..90 {
            world.step();
            let v = world.state.bodies.v[1].y;
            if bounced && v <= 0.0 {
                break;
            }
            bounced |= v > 0.5;
            if bounced {
                apex = apex.max(world.state.bodies.p[1].y - 0.1);
            }
        }
        println!("restitution {e}: apex {apex:.4} m of {:.4} m", e * e);
        assert!((apex / (e * e) - 1.0).abs() < 0.02, "{apex} {}", e * e);
    }
}

#[test]
fn momentum_of_a_collision_stays() {
    let mut builder = RigidModel::builder();
    builder.body(cube(0.3).moving(Vec3::new(2.0, 0.1, 0.0), Vec3::new(0.3, 1.0, 0.2))).unwrap();
    builder.body(cube(0.2).at(Vec3::new(1.2, 0.15, 0.1))).unwrap();
    let mut world = weightless(World::new(builder, substeps(4), "direct"));
    let before = world.model.momentum(&world.state.bodies);
    let energy = world.energy();
    world.run(60);
    let after = world.model.momentum(&world.state.bodies);
    assert!(world.state.bodies.v[1].norm() > 0.1, "they met");
    assert!((after[0] - before[0]).norm() < 1e-9 * before[0].norm());
    let turned = (after[1] - before[1]).norm() / before[1].norm();
    println!("angular momentum of a collision changed by {turned:.1e}");
    assert!(turned < 1e-9, "{:?} {:?}", before[1], after[1]);
    assert!(world.energy() < energy);
}

#[test]
fn a_stack_falls_asleep_and_wakes_when_hit() {
    let mut builder = ground();
    for k in 0..3 {
        builder.body(cube(0.25).at(Vec3::new(0.0, 0.25 + 0.5 * k as Real, 0.0))).unwrap();
    }
    let ball = BodyDesc::new(Shape::sphere(0.2).unwrap(), 3000.0);
    builder
        .body(ball.at(Vec3::new(-12.0, 1.0, 0.0)).moving(Vec3::new(6.0, 9.0, 0.0), Vec3::zeros()))
        .unwrap();
    let mut world = World::new(builder, RigidParams::default(), "direct");
    world.run(90);
    assert_eq!(world.stepper.report().asleep, 3);
    let still = world.state.bodies.p[1];
    world.run(10);
    assert_eq!(world.state.bodies.p[1], still);
    world.run(60);
    let fallen = world.state.bodies.p[3] - Vec3::new(0.0, 1.25, 0.0);
    assert!(fallen.norm() > 0.02, "the top was hit and moved: {fallen}");
}

#[test]
fn deep_overlap_goes_at_a_bounded_speed() {
    let mut builder = RigidModel::builder();
    builder.body(cube(0.5)).unwrap();
    builder.body(cube(0.5).at(Vec3::new(0.1, 0.3, 0.0))).unwrap();
    let mut world = weightless(World::new(builder, substeps(4), "direct"));
    let mut fastest = 0.0f64;
    for _ in 0..120 {
        world.step();
        fastest = world.state.bodies.v.iter().map(|v| v.norm()).fold(fastest, Real::max);
    }
    assert!(fastest < 3.5, "{fastest} m/s");
    assert!(world.stepper.report().overlap < 0.01, "{}", world.stepper.report().overlap);
}

#[test]
fn filters_and_fast_bodies() {
    let mut builder = ground();
    builder.body(cube(0.1).at(Vec3::y()).filtered(Filter::NONE)).unwrap();
    // 100 m/s at a wall of 2 cm: found by how far it may come.
    builder
        .body(
            BodyDesc::new(Shape::cuboid(Vec3::new(0.01, 2.0, 2.0)).unwrap(), 1.0)
                .at(Vec3::new(5.0, 2.0, 0.0))
                .fixed(),
        )
        .unwrap();
    let bullet = BodyDesc::new(Shape::sphere(0.02).unwrap(), 8000.0).moving(Vec3::x() * 100.0, Vec3::zeros());
    builder.body(bullet.at(Vec3::new(0.0, 2.0, 0.0))).unwrap();
    let mut world = World::new(builder, substeps(4), "direct");
    world.run(60);
    assert!(world.state.bodies.p[1].y < -1.0, "no contact for the one with no mask");
    assert!(world.state.bodies.p[3].x < 5.0, "{}", world.state.bodies.p[3].x);
}

#[test]
fn every_shape_comes_to_rest_on_the_ground_and_on_a_box() {
    let shapes = [
        Shape::sphere(0.2).unwrap(),
        Shape::capsule(0.2, 0.1).unwrap(),
        Shape::cylinder(0.2, 0.15).unwrap(),
        Shape::cuboid(Vec3::new(0.2, 0.1, 0.15)).unwrap(),
        Shape::hull(&[
            Vec3::new(0.2, -0.1, 0.2),
            Vec3::new(-0.2, -0.1, 0.2),
            Vec3::new(0.0, -0.1, -0.3),
            Vec3::y() * 0.3,
        ])
        .unwrap(),
    ];
    for shape in shapes {
        for base in [0.0, 1.0] {
            let mut builder = ground();
            if base > 0.0 {
                builder.body(cube(0.5).at(Vec3::y() * 0.5)).unwrap();
            }
            let desc = BodyDesc::new(shape.clone(), 1000.0).damping(0.5, 2.0);
            builder.body(desc.at(Vec3::new(0.05, base + 0.5, -0.05))).unwrap();
            let mut world = World::new(builder, substeps(4), "direct");
            world.run(240);
            let top = world.state.bodies.len() - 1;
            let (p, v) = (world.state.bodies.p[top], world.state.bodies.v[top]);
            assert!(v.norm() < 0.02, "{} on {base}: {v:?}", shape.kind());
            assert!(p.y > base + 0.05 && p.y < base + 0.35, "{} on {base}: {p:?}", shape.kind());
        }
    }
}

#[test]
fn xpbd_and_soft_sweeps_stack_slide_and_bounce_too() {
    for name in ["xpbd", "tgs-soft"] {
        let mut builder = ground();
        for k in 0..3 {
            builder.body(cube(0.25).at(Vec3::new(0.0, 0.25 + 0.5 * k as Real, 0.0))).unwrap();
        }
        let slider = cube(0.1).at(Vec3::new(0.0, 0.1, 5.0)).moving(Vec3::x() * 2.0, Vec3::zeros());
        builder.body(slider).unwrap();
        let mut world = World::new(builder, substeps(10), name);
        world.run(120);
        let p = &world.state.bodies.p;
        println!("{name}: top moved {:.2e} m, slid {:.4} m", (p[3] - Vec3::y() * 1.25).norm(), p[4].x);
        assert!((p[3] - Vec3::y() * 1.25).norm() < 0.03, "{name}: {}", p[3]);
        let way = 4.0 / (2.0 * 0.5 * 9.8);
        // As published, xpbd sets normal velocities to zero after friction, whose bound then misses a part of the weight.
        let most = if name == "xpbd" { 0.2 } else { 0.01 };
        assert!((p[4].x / way - 1.0).abs() < most, "{name}: {} m of {way} m", p[4].x);
    }
}

#[test]
fn a_ball_rolls_on_without_sinking_in() {
    // Rolling without slip: the point of contact moves over the ball, and nothing but it may change the height.
    let (r, speed) = (0.2, 6.0);
    let mut builder = ground();
    let ball = BodyDesc::new(Shape::sphere(r).unwrap(), 1000.0);
    builder.body(ball.at(Vec3::y() * r).moving(Vec3::x() * speed, Vec3::z() * (-speed / r))).unwrap();
    let mut world = World::new(builder, substeps(4), "direct");
    let mut low = r;
    for _ in 0..300 {
        world.step();
        low = low.min(world.state.bodies.p[1].y);
    }
    let v = world.state.bodies.v[1].x;
    println!("a rolling ball sinks {:.2e} m and keeps {:.4} of its speed in 5 s", r - low, v / speed);
    assert!(r - low < 1e-3, "{low}");
    assert!((v / speed - 1.0).abs() < 1e-3, "{v}");
}

/// Rolling without slip on the ground and on the top of a box: the axle keeps its height and its speed.
#[test]
fn a_cylinder_rolls_on_smoothly() {
    let (r, speed) = (0.2, 3.0);
    let lying = nalgebra::UnitQuaternion::from_scaled_axis(Vec3::x() * std::f64::consts::FRAC_PI_2);
    for on_box in [false, true] {
        let mut builder = if on_box { RigidModel::builder() } else { ground() };
        if on_box {
            let top = BodyDesc::new(Shape::cuboid(Vec3::new(20.0, 0.5, 2.0)).unwrap(), 1.0);
            builder.body(top.at(Vec3::y() * -0.5).fixed()).unwrap();
        }
        let roller = BodyDesc::new(Shape::cylinder(0.3, r).unwrap(), 1000.0).turned(lying);
        let roller = roller.at(Vec3::new(-5.0, r, 0.0)).moving(Vec3::x() * speed, Vec3::z() * (-speed / r));
        builder.body(roller).unwrap();
        let mut world = World::new(builder, substeps(4), "direct");
        let (mut low, mut high) = (r, r);
        for _ in 0..180 {
            world.step();
            let y = world.state.bodies.p[1].y;
            (low, high) = (low.min(y), high.max(y));
        }
        let v = world.state.bodies.v[1].x;
        println!(
            "rolling cylinder, box {on_box}: {:.1e} to {:.1e} m, speed {:.5}",
            low - r,
            high - r,
            v / speed
        );
        assert!(r - low < 1e-3 && high - r < 1e-4, "on a box {on_box}: {low} to {high}");
        assert!((v / speed - 1.0).abs() < 1e-3, "on a box {on_box}: {v}");
    }
}

#[test]
fn a_hundred_hulls_come_to_rest() {
    // Lumps like a scanned bunny's hull: points on an egg, dented at random.
    let mut seed = 7u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as Real / (1u64 << 53) as Real
    };
    let mut builder = ground();
    for k in 0..100 {
        let points: Vec<Vec3> = (0..14)
            .map(|i| {
                let (y, a) = (1.0 - (2 * i + 1) as Real / 14.0, i as Real * 2.4);
                let r = (1.0 - y * y).sqrt();
                Vec3::new(r * a.cos(), 0.8 * y, 0.7 * r * a.sin()) * (0.22 + 0.08 * random())
            })
            .collect();
        let at = Vec3::new((k % 5) as Real * 0.6, 0.4 + (k / 25) as Real * 0.6, (k / 5 % 5) as Real * 0.6);
        builder.body(BodyDesc::new(Shape::hull(&points).unwrap(), 800.0).at(at)).unwrap();
    }
    let mut world = World::new(builder, RigidParams::default(), "direct");
    let mut frames = 0;
    while world.stepper.report().asleep < 100 && frames < 900 {
        world.run(30);
        frames += 30;
    }
    println!("100 hulls at rest after {frames} frames, overlap {:.1e} m", world.stepper.report().overlap);
    assert_eq!(world.stepper.report().asleep, 100, "after {frames} frames");
    assert!(world.state.bodies.p.iter().skip(1).all(|p| p.y > 0.05 && p.y < 2.0));
}
