//! Single joints: what they hold, limits, motors, springs, breaking, loops and contradictions.

use crate::world::{World, substeps, weightless};
use pd_core::{Real, Vec3};
use pd_rigid::describe::{box_body, capsule_body, gear};
use pd_rigid::{Axis, BodyDesc, JointDesc, JointKind, RigidBuilder, RigidModel, Target, columns};

fn rod(at: Vec3) -> BodyDesc {
    BodyDesc::point(2.0, Vec3::new(0.02, 0.3, 0.31)).at(at)
}

fn one(joint: impl Fn(JointDesc) -> JointDesc, kind: JointKind, axis: Vec3, at: Vec3) -> RigidBuilder {
    let mut builder = RigidModel::builder();
    let body = builder.body(rod(at)).unwrap();
    builder.joint(joint(JointDesc::new(kind, None, Some(body), Vec3::zeros()).along(axis))).unwrap();
    builder
}

fn coordinate(world: &World) -> Real {
    world.state.columns.real(columns::JOINT_COORDINATE)[0]
}

#[test]
fn every_kind_holds_what_it_should() {
    let kinds = [
        JointKind::Ball,
        JointKind::Hinge,
        JointKind::Slider,
        JointKind::Fixed,
        JointKind::Distance { length: 0.4 },
        JointKind::Cylindrical,
        JointKind::Universal,
    ];
    for kind in kinds {
        let mut builder = RigidModel::builder();
        let a = builder.body(rod(Vec3::new(0.5, 0.0, 0.0))).unwrap();
        let b = builder
            .body(rod(Vec3::new(1.5, 0.0, 0.0)).moving(Vec3::new(0.0, 0.3, 1.0), Vec3::new(1.0, 2.0, -1.0)))
            .unwrap();
        builder.joint(JointDesc::new(JointKind::Ball, None, Some(a), Vec3::zeros())).unwrap();
        let mut joint = JointDesc::new(kind, Some(a), Some(b), Vec3::x()).along(Vec3::new(1.0, 0.5, 0.2));
        if let JointKind::Distance { .. } = kind {
            joint.anchor_b = Vec3::new(1.4, 0.0, 0.0);
        }
        builder.joint(joint).unwrap();
        for (name, steps, most) in
            [("direct", 4, 1e-5), ("rattle", 8, 1e-5), ("tgs-soft", 16, 0.02), ("xpbd", 30, 0.02)]
        {
            let mut world = World::new(builder.clone(), substeps(steps), name);
            let (before, mut gap) = (world.energy(), 0.0f64);
            for _ in 0..120 {
                world.step();
                gap = gap.max(world.stepper.report().joint_gap);
            }
            println!("{name} {}: gap {gap:.2e} m, energy {:.3} J", kind.name(), world.energy() - before);
            assert!(gap < most, "{name} {}: {gap:e} m", kind.name());
            assert!(world.energy() < before + 0.5, "{name} {}: energy grew", kind.name());
        }
    }
}

/// A joint to the world and the ground contradict each other: forces are large, and nothing moves.
#[test]
fn a_body_held_in_the_ground_stays() {
    for kind in [JointKind::Fixed, JointKind::Hinge, JointKind::Slider] {
        for height in [0.0, 0.1, 0.165] {
            for anchor in [Vec3::new(-0.43, -0.1, 1.5), Vec3::new(4.0, 3.0, -2.0)] {
                let mut builder = RigidModel::builder();
                builder.body(BodyDesc::ground(0.0)).unwrap();
                let at = Vec3::new(0.0, height, 0.0);
                let body = box_body(Vec3::new(0.35, 0.17, 0.18), 1000.0).unwrap().at(at);
                let body = builder.body(body).unwrap();
                // The axis is vertical for what turns about it, level for what slides along it.
                let axis = if kind == JointKind::Slider { Vec3::x() } else { Vec3::y() };
                builder.joint(JointDesc::new(kind, None, Some(body), anchor).along(axis)).unwrap();
                for name in ["direct", "rattle"] {
                    let mut world = World::new(builder.clone(), substeps(4), name);
                    let start = world.state.bodies.p[body];
                    world.run(60);
                    let (moved, speed) =
                        ((world.state.bodies.p[body] - start).norm(), world.state.bodies.v[body].norm());
                    assert!(
                        moved < 1e-3 && speed < 1e-3,
                        "{name} {kind:?} {at:?} {anchor:?}: {moved} m, {speed} m/s"
                    );
                }
            }
        }
    }
}

/// A light body far out on a heavy one lands: what its contacts ask for is meant for both, and no energy comes of it.
#[test]
fn unequal_bodies_that_are_joined_land_calmly() {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0)).unwrap();
    let light = builder.body(capsule_body(0.1344, 0.0323, 1.832).unwrap()).unwrap();
    let heavy = capsule_body(0.2251, 0.0404, 1000.0).unwrap().at(Vec3::new(3.079, 2.8, -0.06));
    let heavy = builder.body(heavy.moving(Vec3::new(-6.3, -5.2, -2.1), Vec3::zeros())).unwrap();
    let anchor = Vec3::new(2.997, 2.879, 0.046);
    builder.joint(JointDesc::new(JointKind::Fixed, Some(light), Some(heavy), anchor)).unwrap();
    for name in ["direct", "rattle"] {
        let mut world = World::new(builder.clone(), substeps(4), name);
        world.step();
        let mut least = world.energy();
        for frame in 0..90 {
            world.step();
            let energy = world.energy();
            assert!(energy < least + 1.0, "{name}, frame {frame}: {energy} J after {least} J");
            least = least.min(energy);
        }
    }
}

#[test]
fn a_hinge_stops_at_its_limit() {
    let limited = |j: JointDesc| j.limit(Axis::Angular, -1.0, 0.5);
    let mut builder = one(limited, JointKind::Hinge, Vec3::z(), Vec3::x());
    let (model, _) = builder.clone().build();
    assert_eq!(model.joints().len(), 1);
    builder = RigidModel::builder();
    let spin = 10.0;
    let body = builder.body(rod(Vec3::x()).moving(Vec3::y() * spin, Vec3::z() * spin)).unwrap();
    let hinge = JointDesc::new(JointKind::Hinge, None, Some(body), Vec3::zeros()).along(Vec3::z());
    builder.joint(limited(hinge)).unwrap();
    let mut world = weightless(World::new(builder, substeps(4), "direct"));
    let mut most = 0.0f64;
    for _ in 0..60 {
        world.step();
        most = most.max(coordinate(&world));
    }
    let over = (most - 0.5).to_degrees();
    println!("limit overshot by {over:.2e} degrees");
    assert!(over < 0.1 && most > 0.49, "overshoot {over} degrees");
}

/// A start beyond a limit comes back at the push-out speed, and no velocity comes of it.
#[test]
fn a_start_beyond_a_limit_comes_back_slowly() {
    for (steps, beyond) in [(1, 0.5), (4, 0.5), (16, 0.02), (4, 2.0)] {
        let limited = |j: JointDesc| j.limit(Axis::Angular, beyond, 3.0);
        let world =
            World::new(one(limited, JointKind::Hinge, Vec3::z(), Vec3::x()), substeps(steps), "direct");
        let mut world = weightless(world);
        for frame in 1..60 {
            world.step();
            let (way, speed) = (3.0 * frame as Real / 60.0, world.state.bodies.w[0].norm());
            assert!(coordinate(&world) < way.min(beyond) + 1e-9, "{}", coordinate(&world));
            assert!(coordinate(&world) > (0.9 * way).min(beyond - 1e-9), "{} {way}", coordinate(&world));
            assert!(speed < 1e-9, "{speed} rad/s");
        }
    }
}

/// Two balls on arms, the elbow limited: light moments, the case in which the limit pumped energy.
#[test]
fn a_limited_elbow_gains_no_energy() {
    for steps in [1, 4, 16] {
        for (radius, limit) in [(0.05, 20.0), (0.1, 20.0), (0.1, 45.0), (0.2, 5.0)] {
            let mut builder = RigidModel::builder();
            let mut ball = |x: Real| {
                let body = pd_rigid::describe::sphere_body(radius, 1000.0).unwrap().at(Vec3::x() * x);
                builder.body(body).unwrap()
            };
            let (upper, lower) = (ball(0.5), ball(1.5));
            let hinge =
                |a, b, x: Real| JointDesc::new(JointKind::Hinge, a, Some(b), Vec3::x() * x).along(Vec3::z());
            builder.joint(hinge(None, upper, 0.0)).unwrap();
            let limit = Real::to_radians(limit);
            builder.joint(hinge(Some(upper), lower, 1.0).limit(Axis::Angular, -limit, limit)).unwrap();
            let mut world = World::new(builder, substeps(steps), "direct");
            let (mut least, mut over) = (world.energy(), 0.0f64);
            for _ in 0..300 {
                world.step();
                assert!(world.energy() < least + 1e-9, "{steps} substeps, {radius} m: {} J", world.energy());
                least = least.min(world.energy());
                over = over.max(world.state.columns.real(columns::JOINT_COORDINATE)[2].abs() - limit);
            }
            assert!(over < 1e-6, "{over} rad beyond");
        }
    }
}

#[test]
fn a_motor_reaches_torque_times_time_over_inertia() {
    let (torque, inertia) = (0.5, 0.31 + 2.0); // about the anchor, 1 m away
    let drive = |j: JointDesc| j.motor(Axis::Angular, Target::Velocity(100.0), torque);
    let mut world =
        weightless(World::new(one(drive, JointKind::Hinge, Vec3::z(), Vec3::x()), substeps(4), "direct"));
    world.run(60);
    let (w, expected) = (world.state.bodies.w[0].z, torque / inertia);
    assert!((w / expected - 1.0).abs() < 1e-3, "{w} {expected}");
    // At its target speed the motor no longer pushes.
    let drive = |j: JointDesc| j.motor(Axis::Angular, Target::Velocity(2.0), 1e3);
    let mut world =
        weightless(World::new(one(drive, JointKind::Hinge, Vec3::z(), Vec3::x()), substeps(4), "direct"));
    world.run(60);
    assert!((world.state.bodies.w[0].z - 2.0).abs() < 1e-6);
    // Five full turns without a jump: 2 rad/s for 16 s.
    world.run(900);
    assert!((coordinate(&world) - 32.0).abs() < 0.1, "{}", coordinate(&world));
}

#[test]
fn a_servo_goes_to_its_place_and_a_limit_stops_a_motor() {
    let aim = |j: JointDesc| {
        j.motor(
            Axis::Linear,
            Target::Position { value: 0.7, stiffness: 200.0, damping: 40.0 },
            Real::INFINITY,
        )
    };
    let mut world =
        weightless(World::new(one(aim, JointKind::Slider, Vec3::x(), Vec3::x()), substeps(4), "direct"));
    world.run(240);
    assert!((coordinate(&world) - 0.7).abs() < 1e-4, "{}", coordinate(&world));
    let push =
        |j: JointDesc| j.motor(Axis::Linear, Target::Velocity(1.0), 50.0).limit(Axis::Linear, -0.2, 0.3);
    let mut world =
        weightless(World::new(one(push, JointKind::Slider, Vec3::x(), Vec3::x()), substeps(4), "direct"));
    world.run(120);
    assert!((coordinate(&world) - 0.3).abs() < 1e-6, "{}", coordinate(&world));
}

#[test]
fn a_soft_joint_hangs_by_its_compliance() {
    // A slider held in the other directions, soft fixed joint: x = m g α.
    let soft = |j: JointDesc| j.soft(1e-3, 0.0, 50.0);
    let mut world = World::new(one(soft, JointKind::Fixed, Vec3::x(), Vec3::zeros()), substeps(4), "direct");
    world.run(300);
    let (drop, expected) = (-world.state.bodies.p[0].y, 2.0 * 9.8 * 1e-3);
    assert!((drop / expected - 1.0).abs() < 1e-6, "{drop} {expected}");
}

#[test]
fn a_rope_lets_near_and_holds_far() {
    let mut builder = RigidModel::builder();
    let body = builder.body(rod(Vec3::zeros())).unwrap();
    let rope = JointDesc::new(JointKind::Distance { length: 1.0 }, None, Some(body), Vec3::zeros());
    builder.joint(rope.limit(Axis::Linear, 0.0, 1.0)).unwrap();
    let mut world = World::new(builder, substeps(4), "direct");
    world.run(10);
    let free = -0.5 * 9.8 / 36.0;
    assert!((world.state.bodies.p[0].y - free).abs() < 0.03, "falls freely at first");
    world.run(200);
    assert!((world.state.bodies.p[0].y + 1.0).abs() < 1e-3, "{}", world.state.bodies.p[0].y);
}

#[test]
fn a_joint_breaks_above_its_force_and_not_below() {
    // Its weight is 19.6 N.
    for (strength, breaks) in [(25.0, false), (15.0, true)] {
        let weak = |j: JointDesc| j.break_force(strength);
        let mut world =
            World::new(one(weak, JointKind::Fixed, Vec3::x(), Vec3::zeros()), substeps(4), "direct");
        world.run(60);
        assert_eq!(world.stepper.report().broken == 1, breaks);
        assert_eq!(world.state.bodies.p[0].y < -1.0, breaks);
    }
}

/// A row of balls between two anchors of which a joint breaks: both halves hang on, whichever joint it is and whoever solves.
#[test]
fn what_a_break_leaves_keeps_its_other_joints() {
    for weak in [1, 5, 9] {
        for (name, steps, most) in
            [("direct", 4, 1e-4), ("rattle", 4, 1e-4), ("tgs-soft", 8, 0.03), ("xpbd", 20, 0.03)]
        {
            let mut builder = RigidModel::builder();
            let mut before = None;
            for k in 0..=10 {
                let at = Vec3::x() * k as Real;
                let body = (k < 10).then(|| {
                    builder.body(BodyDesc::point(1.0, Vec3::repeat(0.05)).at(at + Vec3::x() * 0.5)).unwrap()
                });
                let joint = JointDesc::new(JointKind::Ball, before, body, at);
                builder.joint(if k == weak { joint.break_force(60.0) } else { joint }).unwrap();
                before = body;
            }
            let mut world = World::new(builder, substeps(steps), name);
            let mut gap = 0.0f64;
            for frame in 0..150 {
                if frame == 75 {
                    // The state knows of the break.
                    let state = world.state.clone();
                    let params = *world.stepper.params();
                    world.stepper = pd_rigid::RigidStepper::with_solver(
                        world.model.clone(),
                        params,
                        pd_rigid::solver(name).unwrap(),
                    );
                    world.state = state;
                }
                world.step();
                gap = gap.max(world.stepper.report().joint_gap);
            }
            assert_eq!(world.stepper.report().broken, 1, "{name}, joint {weak}");
            assert!(gap < most, "{name}, joint {weak}: {gap} m");
            for (k, p) in world.state.bodies.p.iter().enumerate() {
                let anchor = if k < weak { Vec3::zeros() } else { Vec3::x() * 10.0 };
                let most = if k < weak { k as Real + 0.5 } else { 9.5 - k as Real };
                assert!(
                    (p - anchor).norm() < most + most * 0.05 + 1e-3,
                    "{name}, joint {weak}, ball {k}: {p}"
                );
            }
        }
    }
}

#[test]
fn a_planar_four_bar_of_hinges_turns_although_it_is_held_twice() {
    // Four hinges about z hold 20 coordinates of 18; the linkage still has one freedom.
    let mut builder = RigidModel::builder();
    let corners = [Vec3::zeros(), Vec3::y(), Vec3::new(2.0, 1.0, 0.0), Vec3::new(2.0, 0.0, 0.0)];
    let mut before = None;
    for k in 0..3 {
        let body = builder
            .body(BodyDesc::point(1.0, Vec3::repeat(0.1)).at((corners[k] + corners[k + 1]) / 2.0))
            .unwrap();
        builder
            .joint(JointDesc::new(JointKind::Hinge, before, Some(body), corners[k]).along(Vec3::z()))
            .unwrap();
        before = Some(body);
    }
    builder.joint(JointDesc::new(JointKind::Hinge, before, None, corners[3]).along(Vec3::z())).unwrap();
    let mut world = World::new(builder, substeps(8), "direct");
    world.state.bodies.v[1] = Vec3::x();
    let mut gap = 0.0f64;
    let mut low = 0.0f64;
    for _ in 0..300 {
        world.step();
        gap = gap.max(world.stepper.report().joint_gap);
        low = low.min(world.state.bodies.p[1].y);
    }
    println!("four-bar: gap {gap:.2e} m");
    assert!(gap < 1e-3, "{gap:e}");
    assert!(low < -0.9, "the coupler swings below its pivots: {low}");
}

#[test]
fn joints_that_contradict_meet_half_way_and_stay_finite() {
    let mut builder = RigidModel::builder();
    let body = builder.body(rod(Vec3::zeros())).unwrap();
    for x in [-0.1, 0.1] {
        let mut joint = JointDesc::new(JointKind::Fixed, None, Some(body), Vec3::zeros());
        joint.anchor_a = Vec3::new(x, 0.0, 0.0);
        builder.joint(joint).unwrap();
    }
    let mut world = World::new(builder, substeps(4), "direct");
    world.run(120);
    let p = world.state.bodies.p[0];
    assert!(p.norm() < 0.11 && world.state.bodies.v[0].norm() < 1.0, "{p:?} {:?}", world.state.bodies.v[0]);
}

/// Two wheels on hinges to the world, the second of three times the radius, which turns the other way.
fn gears(speed: Real, most: Real) -> RigidBuilder {
    let mut builder = RigidModel::builder();
    let wheel = |i: Real| BodyDesc::point(1.0, Vec3::new(i, 0.6 * i, 0.6 * i));
    let small = builder.body(wheel(0.01).at(Vec3::zeros())).unwrap();
    let large = builder.body(wheel(0.5).at(Vec3::y() * 0.8)).unwrap();
    let hinge = |body, at| JointDesc::new(JointKind::Hinge, None, Some(body), at).along(Vec3::x());
    let drive = Target::Velocity(speed);
    builder.joint(hinge(small, Vec3::zeros()).motor(Axis::Angular, drive, most)).unwrap();
    builder.joint(hinge(large, Vec3::y() * 0.8).limit(Axis::Angular, -1e9, 1e9)).unwrap();
    builder.joint(gear(small, large, Vec3::x(), -1.0 / 3.0)).unwrap();
    builder
}

#[test]
fn a_gear_keeps_its_ratio_for_fifty_turns() {
    for (name, steps) in [("direct", 4), ("tgs-soft", 4), ("xpbd", 20)] {
        let mut world = World::new(gears(20.0, Real::INFINITY), substeps(steps), name);
        let mut worst = 0.0f64;
        for frame in 0..960 {
            if frame == 300 {
                // What it remembers is in the state.
                let state = world.state.clone();
                world = World::new(gears(20.0, Real::INFINITY), substeps(steps), name);
                world.state = state;
            }
            world.step();
            let angle = world.state.columns.real(columns::JOINT_COORDINATE);
            // The start is a blow: the motor is at its speed after one substep, and soft joints give way to that for a moment.
            let settled = name == "direct" || frame >= 60;
            if settled {
                worst = worst.max((angle[0] + 3.0 * angle[2]).abs());
            }
        }
        let angle = world.state.columns.real(columns::JOINT_COORDINATE);
        assert!(
            (angle[0] - 320.0).abs() < 0.5 && angle[0] > 50.0 * std::f64::consts::TAU,
            "{name}: {angle:?}"
        );
        assert!(worst < 1e-9, "{name}: {worst:e} rad");
    }
}

#[test]
fn a_gear_hands_torque_on_by_its_ratio() {
    // τ on the small wheel: it speeds up as one with I₁ + I₂/9, and the large one gets the torque that its own speed needs.
    let torque = 0.2;
    let mut world = weightless(World::new(gears(1e6, torque), substeps(4), "direct"));
    world.run(60);
    let (w, inertia) = (&world.state.bodies.w, 0.01 + 0.5 / 9.0);
    assert!((w[0].x / (torque / inertia) - 1.0).abs() < 1e-6, "{} {}", w[0], torque / inertia);
    assert!((w[1].x / w[0].x + 1.0 / 3.0).abs() < 1e-9);
    // λ is minus the torque on the large wheel along the axis.
    let lambda = world.state.columns.real(columns::JOINT_LAMBDA)[12];
    let expected = 0.5 * torque / inertia / 3.0;
    assert!((lambda / expected - 1.0).abs() < 1e-6, "{lambda} {expected}");
    let (model, _) = gears(1.0, 1.0).build();
    assert_eq!(model.joints()[2].rows(), 1);
}
