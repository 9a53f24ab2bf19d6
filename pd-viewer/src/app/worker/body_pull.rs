//! Pulling a rigid body: a damped spring from the grabbed point to the pointer.
//!
//! The force f = m (ω² (p − x) − 2ω v) acts at the point x with velocity v, where m is the effective mass of the body at that point in the
//! direction of the force, 1/m = 1/M + d·((I⁻¹ (r × d)) × r): at a corner a fraction of its mass M. The point therefore reaches the pointer within a quarter of a
//! second without overshooting, wherever it is grabbed. The force is written to the column of external forces, which the stepper reads.

use pd_core::{Owner, Real, State, Vec3};
use pd_sim::scene::SceneRun;

/// Frequency of the spring, rad/s.
const FREQUENCY: Real = 8.0 * std::f64::consts::PI;

/// Largest acceleration, m/s².
const MAX_ACCELERATION: Real = 400.0;

/// Column of the state with external forces: six numbers per body.
const FORCE: &str = "body.force";

/// A pull in force.
#[derive(Clone, Debug)]
pub(super) struct BodyPull {
    pub(super) vertex: u32,
    /// Where the pointer is, m.
    pub(super) pointer: Vec3,
    body: usize,
    /// The grabbed point, principal frame, m.
    local: Vec3,
    mass: Real,
    /// Principal moments, kg·m².
    moments: Vec3,
}

impl BodyPull {
    /// Grabs a body under the pointer; `None` if it is not dynamic.
    pub(super) fn start(run: &SceneRun, body: usize, vertex: u32, pointer: Vec3) -> Option<Self> {
        let rigid = run.scene.matter.rigid()?;
        if body >= rigid.model.bodies() || !rigid.model.is_dynamic(body) {
            return None;
        }
        let state = &run.sim.state.bodies;
        let local = state.q[body].inverse() * (pointer - state.p[body]);
        Some(Self {
            vertex,
            pointer,
            body,
            local,
            mass: rigid.model.masses()[body],
            moments: rigid.model.inertia()[body],
        })
    }

    /// Sets the force before a frame.
    pub(super) fn follow(&self, run: &mut SceneRun) {
        let bodies = &run.sim.state.bodies;
        let arm = bodies.q[self.body] * self.local;
        let place = bodies.p[self.body] + arm;
        let velocity = bodies.v[self.body] + bodies.w[self.body].cross(&arm);
        let mut pull = (self.pointer - place) * (FREQUENCY * FREQUENCY) - velocity * (2.0 * FREQUENCY);
        if pull.norm() > MAX_ACCELERATION {
            pull *= MAX_ACCELERATION / pull.norm();
        }
        let Some(d) = pull.try_normalize(1e-12) else { return };
        let turn = &bodies.q[self.body];
        let spin = turn * (turn.inverse() * arm.cross(&d)).component_div(&self.moments);
        let mass = 1.0 / (1.0 / self.mass + d.dot(&spin.cross(&arm)));
        let (force, torque) = (pull * mass, arm.cross(&(pull * mass)));
        let count = bodies.len();
        let column = run.sim.state.columns.real_mut(FORCE, Owner::Bodies, 6);
        column.clear();
        column.resize(6 * count, 0.0);
        column[6 * self.body..6 * self.body + 3].copy_from_slice(force.as_slice());
        column[6 * self.body + 3..6 * self.body + 6].copy_from_slice(torque.as_slice());
    }

    /// Releases the body.
    pub(super) fn end(pull: &mut Option<Self>, state: &mut State) {
        if pull.take().is_some() {
            state.columns.remove(FORCE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Shown, Topology};
    use pd_sim::ModelPaths;
    use pd_sim::scene::Scene;

    #[test]
    fn a_pulled_box_follows_and_falls_when_let_go() {
        let scene = Scene::load("boxes", &ModelPaths::default()).unwrap();
        let (topology, shown) = (Topology::of_scene(&scene), Shown::of_scene(&scene));
        let mut run = SceneRun::new(scene, &crate::app::worker::registry()).unwrap();
        let mut positions = vec![];
        shown.place(&run.sim.state, &mut positions);
        assert_eq!(positions.len(), topology.vertices);
        // A vertex of the topmost box.
        let vertex =
            (0..positions.len()).max_by(|&i, &j| positions[i].y.total_cmp(&positions[j].y)).unwrap() as u32;
        let body = shown.body_of(vertex, run.sim.state.x.len()).unwrap();
        let at = positions[vertex as usize];
        let mut pull = BodyPull::start(&run, body, vertex, at);
        let target = at + Vec3::new(0.0, 1.0, 0.5);
        for _ in 0..120 {
            let held = pull.as_mut().unwrap();
            held.pointer = target;
            held.follow(&mut run);
            run.advance().unwrap();
        }
        shown.place(&run.sim.state, &mut positions);
        // Its weight stretches the spring.
        let off = (positions[vertex as usize] - target).norm();
        assert!(off < 0.15, "{off}");
        let height = run.sim.state.bodies.p[body].y;
        BodyPull::end(&mut pull, &mut run.sim.state);
        for _ in 0..60 {
            run.advance().unwrap();
        }
        assert!(run.sim.state.bodies.p[body].y < height - 0.5);
        assert!(BodyPull::start(&run, 0, 0, at).is_none(), "the ground stays");
    }
}
