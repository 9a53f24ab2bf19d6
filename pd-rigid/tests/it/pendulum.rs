//! Pendulums: periods and a converged reference.

use crate::world::{World, substeps};
use pd_core::{Real, Vec3};
use pd_rigid::{BodyDesc, JointDesc, JointKind, RigidModel, Shape};

/// Three rods of 1 m and 1 kg, released horizontally.
pub(crate) fn triple() -> pd_rigid::RigidBuilder {
    let (i, thin) = (1.0025 / 12.0, 0.005 / 12.0);
    let mut builder = RigidModel::builder();
    let mut before = None;
    for k in 0..3 {
        let at = Vec3::x() * (k as Real + 0.5);
        let body = builder.body(BodyDesc::point(1.0, Vec3::new(thin, i, i)).at(at)).unwrap();
        builder.joint(JointDesc::new(JointKind::Ball, before, Some(body), Vec3::x() * k as Real)).unwrap();
        before = Some(body);
    }
    builder
}

fn tip(world: &World) -> Vec3 {
    world.state.bodies.world(2, &Vec3::new(0.5, 0.0, 0.0))
}

/// The tip after `seconds`, by the triple pendulum's own equations in angles (Lagrange, Runge–Kutta 4 with small steps).
fn reference(seconds: Real) -> Vec3 {
    let (m, l, i, g) = (1.0, 1.0, 1.0025 / 12.0, 9.8);
    // Rod k has its centre at Σ_{j<k} l e_j + l/2 e_k; coefficients of rod j in the place of rod k.
    let lever = |k: usize, j: usize| match j.cmp(&k) {
        std::cmp::Ordering::Less => l,
        std::cmp::Ordering::Equal => l / 2.0,
        std::cmp::Ordering::Greater => 0.0,
    };
    let rates = |s: &[Real; 6]| {
        let mut mass = nalgebra::Matrix3::<Real>::identity() * i;
        let mut force = Vec3::zeros();
        for a in 0..3 {
            for k in 0..3 {
                force[a] -= m * g * lever(k, a) * s[a].cos();
                for b in 0..3 {
                    let c = m * lever(k, a) * lever(k, b);
                    mass[(a, b)] += c * (s[a] - s[b]).cos();
                    force[a] -= c * (s[a] - s[b]).sin() * s[3 + b] * s[3 + b];
                }
            }
        }
        let acceleration = mass.try_inverse().unwrap() * force;
        [s[3], s[4], s[5], acceleration.x, acceleration.y, acceleration.z]
    };
    let steps = (seconds * 5000.0).round() as usize;
    let h = seconds / steps as Real;
    let mut s = [0.0; 6];
    let add = |s: &[Real; 6], d: &[Real; 6], h: Real| std::array::from_fn(|k| s[k] + h * d[k]);
    for _ in 0..steps {
        let a = rates(&s);
        let b = rates(&add(&s, &a, h / 2.0));
        let c = rates(&add(&s, &b, h / 2.0));
        let d = rates(&add(&s, &c, h));
        s = std::array::from_fn(|k| s[k] + h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]));
    }
    (0..3).map(|k| Vec3::new(s[k].cos(), s[k].sin(), 0.0)).sum()
}

/// Distance of the tip from the reference at 2 s and largest change of energy over them, in units of m g l of all rods.
pub(crate) fn triple_error(name: &str, steps: usize) -> (Real, Real) {
    let mut world = World::new(triple(), substeps(steps), name);
    let (before, mut worst) = (world.energy(), 0.0f64);
    for _ in 0..120 {
        world.step();
        worst = worst.max((world.energy() - before).abs());
    }
    ((tip(&world) - reference(2.0)).norm(), worst / (4.5 * 9.8))
}

#[test]
fn the_triple_pendulum_converges_to_its_reference() {
    let (coarse, _) = triple_error("direct", 40);
    let (fine, energy) = triple_error("direct", 160);
    println!("direct: tip {coarse:.4} m at 40 substeps, {fine:.4} m at 160, energy {energy:.4}");
    assert!(fine < 0.35 * coarse && fine < 0.05, "{coarse} {fine}");
}

#[test]
fn rattle_follows_the_reference_with_four_substeps() {
    let (two, _) = triple_error("rattle", 2);
    let (tip, energy) = triple_error("rattle", 4);
    println!("rattle, 4 substeps: tip {:.3} mm at 2 s, energy {:.3} %", tip * 1e3, energy * 1e2);
    assert!(tip < 2e-3 && energy < 5e-3, "{tip} {energy}");
    assert!(two > 3.0 * tip, "second order: {two} at 2 substeps");
    for (name, steps) in [("xpbd", 20), ("tgs-soft", 16), ("direct", 20)] {
        let (tip, energy) = triple_error(name, steps);
        println!("{name}, {steps} substeps: tip {:.3} mm, energy {:.3} %", tip * 1e3, energy * 1e2);
        assert!(tip < 0.2 && energy < 0.3, "{name}: {tip} {energy}");
    }
}

#[test]
fn a_rod_swings_with_its_period() {
    // A box of 1 m hung at its end, 0.1 rad away: T = 2π √(I/(m g d)) (1 + θ²/16).
    let half = Vec3::new(0.05, 0.5, 0.05);
    let angle = 0.1;
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vec3::z() * angle);
    let mut builder = RigidModel::builder();
    let desc =
        BodyDesc::new(Shape::cuboid(half).unwrap(), 1000.0).at(turn * Vec3::new(0.0, -0.5, 0.0)).turned(turn);
    let body = builder.body(desc).unwrap();
    let hinge = JointDesc::new(JointKind::Hinge, None, Some(body), Vec3::zeros()).along(Vec3::z());
    builder.joint(hinge).unwrap();
    let mut world = World::new(builder, substeps(20), "direct");
    let m = world.model.masses()[0];
    let i = world.model.inertia()[0].z + m * 0.25;
    let period = std::f64::consts::TAU * (i / (m * 9.8 * 0.5)).sqrt() * (1.0 + angle * angle / 16.0);
    // Crossings of the lowest point, interpolated.
    let (mut times, mut before) = (vec![], world.state.bodies.p[0].x);
    for k in 0..600 {
        world.step();
        let x = world.state.bodies.p[0].x;
        if before < 0.0 && x >= 0.0 {
            times.push((k as Real + before / (before - x)) / 60.0);
        }
        before = x;
    }
    let measured = (times[times.len() - 1] - times[0]) / (times.len() - 1) as Real;
    println!("period {measured:.5} s, closed form {period:.5} s");
    assert!((measured / period - 1.0).abs() < 2e-3, "{measured} {period}");
}
