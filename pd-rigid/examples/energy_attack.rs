//! Random chains of jointed bodies, with limits and without, free of contacts: energy must not rise.
//!
//! `cargo run --release -p pd-rigid --example energy_attack -- [SCENES] [FIRST SEED] [SOLVER]`. Masses differ by up to 10³ either way, moments go
//! down to 10⁻⁶ of m r², speeds up to 30 m/s and 30 rad/s, substeps from 1 to 64, time steps from 1/30 to 1/240 s. One start in ten
//! violates a limit; to take that back may lift bodies, and is counted apart.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "a program for the terminal")]

use nalgebra::UnitQuaternion;
use pd_core::{Real, State, StepParams, Vec3};
use pd_rigid::{
    Axis, BodyDesc, JointDesc, JointKind, RigidBuilder, RigidModel, RigidParams, RigidStepper, solver,
};
use std::sync::Arc;

/// Numbers from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as Real / (1u64 << 53) as Real
    }

    fn within(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as Real) as usize).min(n - 1)
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0));
            if v.norm() > 0.1 && v.norm() < 1.0 {
                return v.normalize();
            }
        }
    }
}

/// A scene: bodies, substeps and time step.
struct Scene {
    builder: RigidBuilder,
    substeps: usize,
    dt: Real,
    /// Whether a limit is violated at the start.
    outside: bool,
}

fn scene(seed: u64) -> Scene {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut builder = RigidModel::builder();
    let count = 2 + random.below(5);
    let fast = random.below(3);
    let [speed, spin] = [[1.0, 1.0], [5.0, 10.0], [30.0, 30.0]][fast];
    let length = (10.0 as Real).powf(random.within(-0.7, 0.3));
    let spread = random.within(0.0, 1.5);
    let limited = random.below(8) > 0;
    let (mut at, mut before, mut outside) = (Vec3::zeros(), None, false);
    for k in 0..count {
        let way = random.direction() * length;
        let mass = (10.0 as Real).powf(random.within(-spread, spread));
        // Principal moments that obey the triangle rule, from those of a point to those of a rod of the arm's length.
        let size = mass * length * length * (10.0 as Real).powf(random.within(-6.0, -0.5));
        let thin = (10.0 as Real).powf(random.within(-4.0, 0.0));
        let moments = Vec3::new(size * thin, size, size * (1.0 + 0.99 * thin * random.unit()));
        let turn = UnitQuaternion::from_scaled_axis(random.direction() * random.within(0.0, 3.0));
        let inside = random.within(0.2, 1.0);
        let desc = BodyDesc::point(mass, moments).at(at + way * inside).turned(turn);
        let velocity = random.direction() * random.within(0.0, speed);
        let desc = desc.moving(velocity, random.direction() * random.within(0.0, spin));
        let body = builder.body(desc).expect("a body");
        if k > 0 || random.below(4) > 0 {
            let kinds = [
                (JointKind::Hinge, Some(Axis::Angular)),
                (JointKind::Hinge, Some(Axis::Angular)),
                (JointKind::Ball, Some(Axis::Swing)),
                (JointKind::Slider, Some(Axis::Linear)),
                (JointKind::Cylindrical, Some(Axis::Angular)),
                (JointKind::Distance { length: 0.0 }, Some(Axis::Linear)),
                (JointKind::Universal, None),
                (JointKind::Fixed, None),
            ];
            let (kind, axis) = kinds[random.below(kinds.len())];
            let mut joint = JointDesc::new(kind, before, Some(body), at).along(random.direction());
            let width = random.within(0.02, 1.5);
            if let Some(axis) = axis.filter(|_| limited || matches!(kind, JointKind::Distance { .. })) {
                let violated = random.below(10) == 0;
                joint = match axis {
                    Axis::Swing => joint.limit(axis, 0.0, width),
                    Axis::Linear if matches!(kind, JointKind::Distance { .. }) => {
                        joint.anchor_b = at + way * 0.2 * inside;
                        joint.limit(axis, 0.0, length * 0.3)
                    }
                    _ if violated => {
                        outside = true;
                        joint.limit(axis, 0.1 * width, width)
                    }
                    _ => joint.limit(axis, -width * random.unit(), width),
                };
            }
            builder.joint(joint).expect("a joint");
        }
        at += way;
        before = Some(body);
    }
    let substeps = [1, 1, 2, 4, 4, 4, 8, 16, 64][random.below(9)];
    let dt = [1.0 / 30.0, 1.0 / 60.0, 1.0 / 60.0, 1.0 / 240.0][random.below(4)];
    Scene { builder, substeps, dt, outside }
}

/// What a run did.
struct Outcome {
    seed: u64,
    /// Whether a limit was violated at the start.
    outside: bool,
    /// Largest rise of the energy above its least value before, as a share of the kinetic energy at the start and that of a fall of half
    /// a metre.
    rise: Real,
    /// Largest gap of a joint, m.
    gap: Real,
}

fn run(seed: u64, name: &str, seconds: Real) -> Outcome {
    let Scene { builder, substeps, dt, outside } = scene(seed);
    let (model, bodies) = builder.build();
    let model = Arc::new(model);
    let mut state = State::default();
    state.bodies = bodies;
    let mut rigid = RigidParams::default();
    (rigid.substeps, rigid.sleep) = (substeps, false);
    let params = StepParams { dt, ..StepParams::default() };
    let energy = |state: &State| -> Real { model.energy(&state.bodies, &params.gravity).iter().sum() };
    let fall: Real = model.masses().iter().sum::<Real>() * 9.8 * 0.5;
    let scale = model.energy(&state.bodies, &Vec3::zeros()).iter().sum::<Real>() + fall;
    let mut least = energy(&state);
    let mut stepper = RigidStepper::with_solver(model.clone(), rigid, solver(name).expect("a solver"));
    let mut outcome = Outcome { seed, outside, rise: 0.0, gap: 0.0 };
    for _ in 0..(seconds / dt) as usize {
        if stepper.advance(&params, &[], &mut state).is_err() {
            outcome.rise = Real::INFINITY;
        }
        let now = energy(&state);
        outcome.rise = outcome.rise.max((now - least) / scale);
        outcome.gap = outcome.gap.max(stepper.report().joint_gap);
        least = least.min(now);
        if outcome.rise > 1e6 {
            break;
        }
    }
    outcome
}

/// Prints how many scenes gained energy, and the worst ones. Returns the largest rise of scenes within their limits.
fn attack(first: u64, count: u64, name: &str, seconds: Real) -> Real {
    let mut all: Vec<Outcome> = (first..first + count).map(|seed| run(seed, name, seconds)).collect();
    all.sort_by(|a, b| b.rise.total_cmp(&a.rise));
    for outside in [false, true] {
        let some = || all.iter().filter(|o| o.outside == outside);
        println!(
            "{name}: {} scenes that start {} their limits",
            some().count(),
            if outside { "outside of" } else { "within" }
        );
        for limit in [1e-6, 1e-3, 1e-2, 1.0] {
            println!(
                "    energy rises by more than {limit:e} in {}",
                some().filter(|o| o.rise > limit).count()
            );
        }
        for limit in [1e-6, 1e-3, 1e-2] {
            println!(
                "    a joint opens by more than {limit:e} m in {}",
                some().filter(|o| o.gap > limit).count()
            );
        }
        for Outcome { seed, rise, gap, .. } in some().take(5) {
            println!("    seed {seed}: rise {rise:.2e}, gap {gap:.2e} m");
        }
    }
    all.iter().filter(|o| !o.outside).map(|o| o.rise).fold(0.0, Real::max)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| arguments.next().and_then(|a| a.parse().ok()).unwrap_or(default);
    let (count, first) = (number(100), number(0));
    let name = std::env::args().nth(3).unwrap_or_else(|| pd_rigid::SOLVERS[0].into());
    attack(first, count, &name, 2.0);
}

#[test]
fn energy_does_not_rise() {
    let rise = attack(0, 60, pd_rigid::SOLVERS[0], 1.0);
    assert!(rise < 1e-6, "{rise:e}");
}
