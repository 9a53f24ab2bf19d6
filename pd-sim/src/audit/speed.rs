//! Motion that cannot be. Where matter has fallen by at most d, from where the highest of all began to where the lowest was at the
//! last look, was thrown with u, is driven at w, or is pushed by stored energy e per mass, it has
//!
//! ```text
//! ½ v² ≤ ½ u² + g d + e + ½ w²
//! ```
//! as long as energy is shared evenly. A light thing that a heavy one strikes leaves with up to twice its speed, and the end of a
//! whip concentrates what the whole whip has: [`FACTOR`] times that speed is taken as possible.

use super::above;
use super::sources::Sources;
use super::subject::{Kind, Subject};
use crate::Simulation;
use crate::scene::Scene;
use pd_core::{Real, Vec3};

/// How much faster than by an even share a thing may be.
const FACTOR: Real = 4.0;
/// A speed that is none, m/s.
const STILL: Real = 1e-2;

/// Something faster than can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Excess {
    pub(super) frame: u64,
    pub(super) kind: Kind,
    /// Point or body.
    pub(super) number: usize,
    /// What it has and what is possible, m/s.
    pub(super) speed: Real,
    pub(super) possible: Real,
}

/// What bounds speeds.
pub(super) struct Speeds {
    /// Direction up, and g, m/s².
    up: Vec3,
    g: Real,
    /// Greatest speed at the start, of what moves by itself too, m/s.
    thrown: Real,
    /// Greatest height at the start, and the least at the last look, m.
    height: Real,
    lowest: Real,
    /// Greatest stored energy per mass so far, J/kg.
    stored: Real,
    /// Fastest so far, m/s, and the excess that is greatest in relation.
    pub(super) fastest: Real,
    pub(super) excess: Option<Excess>,
    /// Where everything was at the last look, and when.
    before: (Real, Vec<Vec3>),
}

impl Speeds {
    pub(super) fn new(scene: &Scene, sim: &Simulation, sources: &Sources) -> Self {
        let (g, state) = (sim.params.gravity.norm(), &sim.state);
        let up = -sim.params.gravity.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let mut all = Self {
            up,
            g,
            thrown: sources.speed,
            height: Real::NEG_INFINITY,
            lowest: Real::INFINITY,
            stored: 0.0,
            fastest: 0.0,
            excess: None,
            before: (state.time, vec![]),
        };
        for (_, _, x, v) in moving(scene, sim) {
            all.before.1.push(x);
            all.thrown = all.thrown.max(v);
            all.height = all.height.max(up.dot(&x));
            all.lowest = all.lowest.min(up.dot(&x));
        }
        if g == 0.0 || !all.height.is_finite() || !state.time.is_finite() {
            (all.height, all.lowest) = (0.0, 0.0);
        }
        all.height += sources.rise.max(0.0);
        all
    }

    /// Energy that deformation has stored, J/kg, known until now.
    pub(super) fn store(&mut self, per_mass: Real) {
        if per_mass.is_finite() {
            self.stored = self.stored.max(per_mass);
        }
    }

    /// Looks at all points and bodies after a frame; with `step` the time of it, s, by which gravity may be ahead.
    pub(super) fn push(&mut self, frame: u64, scene: &Scene, sim: &Simulation, step: Real) {
        // What moves without its velocity saying so counts as well.
        let passed = sim.state.time - self.before.0;
        self.before.0 = sim.state.time;
        self.before.1.resize(moving(scene, sim).count(), Vec3::zeros());
        let fall = (self.height - self.lowest).max(0.0) * self.g;
        let even = (self.thrown.powi(2) + 2.0 * (fall + self.stored)).sqrt() + self.g * step + STILL;
        let possible = FACTOR * even;
        let mut lowest = Real::INFINITY;
        for (k, (kind, number, x, speed)) in moving(scene, sim).enumerate() {
            let from = std::mem::replace(&mut self.before.1[k], x);
            let way = (x - from).norm();
            // Points of a fluid that flow in come from where they waited.
            let moved = passed > 0.0 && kind != Kind::Fluid;
            let speed = if moved { speed.max(way / passed) } else { speed };
            self.fastest = self.fastest.max(speed);
            lowest = lowest.min(self.up.dot(&x));
            let worse = self.excess.is_none_or(|before| speed / possible > before.speed / before.possible);
            if above(speed, possible) && worse {
                self.excess = Some(Excess { frame, kind, number, speed, possible });
            }
        }
        if lowest.is_finite() && self.g > 0.0 {
            self.lowest = lowest;
        }
    }
}

/// Kind, number, place and speed of everything that forces move.
fn moving<'a>(scene: &'a Scene, sim: &'a Simulation) -> impl Iterator<Item = (Kind, usize, Vec3, Real)> + 'a {
    let (subject, state) = (Subject::of(scene, &sim.model), &sim.state);
    let point = move |kind, i: usize| (kind, i, state.x[i], state.v[i].norm());
    let elastic = subject.elastic.clone().filter(|&i| !sim.model.is_kinematic(i));
    let particles = subject.particles.map(|(range, model)| {
        let first = range.start;
        range.filter(move |i| !model.fixed(i - first))
    });
    let fluid = subject.fluid.map(|(range, _)| range);
    let bodies = subject.rigid.into_iter().flat_map(move |rigid| {
        let dynamic = (0..rigid.model.bodies()).filter(|&b| rigid.model.is_dynamic(b));
        dynamic.map(|b| (Kind::Rigid, b, state.bodies.p[b], state.bodies.v[b].norm()))
    });
    elastic
        .map(move |i| point(Kind::Deformable, i))
        .chain(particles.into_iter().flatten().map(move |i| point(Kind::Particles, i)))
        .chain(fluid.into_iter().flatten().map(move |i| point(Kind::Fluid, i)))
        .chain(bodies)
}
