//! Pulling a vertex: a soft pin whose target follows the pointer.
//!
//! The energy is ω/2 |x − p|² with ω the vertex' own entry of the system matrix, m/h² + Σ w: the spring is as stiff as the vertex'
//! own constraints, so light and heavy, soft and stiff bodies respond alike. As part of the implicit step it does not make the
//! simulation unstable. The target p approaches the pointer with a time constant (which damps), and is kept so near
//! that the body as a whole is accelerated by no more than a limit.

use pd_constraints::Pins;
use pd_core::{Model, ModelError, Real, Vec3};
use pd_sim::Simulation;

/// Time constant of the target, s.
const LAG: Real = 0.04;

/// Largest acceleration of the body by the spring, m/s².
const MAX_ACCELERATION: Real = 400.0;

/// A pull in force.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    pub(super) vertex: u32,
    /// Where the pointer is, m.
    pub(super) pointer: Vec3,
    /// Where the spring pulls to, m.
    target: Vec3,
    /// Largest length of the spring, m.
    reach: Real,
}

impl Pull {
    /// Grabs a vertex: adds a pin to the model. `body_mass` is that of the body the vertex belongs to, kg.
    /// `size` is the size of the body, m. Does nothing if there is no such vertex.
    pub(super) fn start(
        sim: &mut Simulation,
        vertex: u32,
        pointer: Vec3,
        body_mass: Real,
        size: Real,
    ) -> Result<Option<Self>, ModelError> {
        let Some(&at) = sim.state.x.get(vertex as usize) else { return Ok(None) };
        let weight = stiffness(&sim.model, vertex, sim.params.dt);
        let Ok(pin) = Pins::new(&sim.state.x, &[vertex], weight) else { return Ok(None) };
        sim.model.add_energy(pin)?;
        let reach = (body_mass * MAX_ACCELERATION / weight).min(size);
        Ok(Some(Self { vertex, pointer, target: at, reach }))
    }

    /// Moves the target before a frame of `dt` seconds.
    pub(super) fn follow(&mut self, sim: &mut Simulation, dt: Real) {
        let Some(&x) = sim.state.x.get(self.vertex as usize) else { return };
        let share = 1.0 - (-dt / LAG).exp();
        self.target += (self.pointer - self.target) * share;
        let stretch = self.target - x;
        if stretch.norm() > self.reach {
            self.target = x + stretch.normalize() * self.reach;
        }
        let target = self.target;
        if let Some(pin) = sim.model.batches_mut::<Pins>().last() {
            // The target is finite: the pointer is, and so is the state.
            let _ = pin.set_target(0, target);
        }
    }

    /// Releases the vertex.
    pub(super) fn end(self, sim: &mut Simulation) {
        sim.model.remove_last_energy();
    }
}

/// m/h² + Σ w c² of a vertex, N/m: its entry on the diagonal of the system matrix.
fn stiffness(model: &Model, vertex: u32, dt: Real) -> Real {
    let inertia = model.masses()[vertex as usize] / (dt * dt);
    let elastic: Real = model
        .batches()
        .iter()
        .map(|batch| {
            let stencil = batch.stencil();
            let per = stencil.rows_per_element();
            let rows = 0..stencil.rows();
            rows.flat_map(move |row| {
                let weight = stencil.weight(row / per);
                stencil.row(row).filter(move |(v, _)| *v == vertex as usize).map(move |(_, c)| weight * c * c)
            })
            .sum::<Real>()
        })
        .sum();
    inertia + elastic
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::ModelPaths;
    use pd_sim::scene::{Scene, SceneRun};

    #[test]
    fn the_stiffness_is_the_diagonal_of_the_matrix() {
        let scene = Scene::load("cloth-pair", &ModelPaths::default()).unwrap();
        let model = scene.model(0.0).unwrap();
        let matrix = model.system_matrix(0.01);
        for vertex in [0u32, 10, 441, 700] {
            let diagonal = matrix.row(vertex as usize).find(|(j, _)| *j == vertex as usize).unwrap().1;
            assert!((stiffness(&model, vertex, 0.01) / diagonal - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_pull_that_does_not_fit_leaves_the_model_alone() {
        let scene = Scene::load("cloth", &ModelPaths::default()).unwrap();
        let mut run = SceneRun::new(scene, &crate::app::worker::registry()).unwrap();
        let (revision, constraints) = (run.sim.model.revision().clone(), run.sim.model.constraints());
        // A pin of a vertex that the model does not have: what a stale selection would ask for.
        let foreign = vec![Vec3::zeros(); run.sim.state.x.len() + 1];
        let last = run.sim.state.x.len() as u32;
        assert!(run.sim.model.add_energy(Pins::new(&foreign, &[last], 1.0).unwrap()).is_err());
        assert_eq!((run.sim.model.revision(), run.sim.model.constraints()), (&revision, constraints));
        run.sim.step().unwrap();
    }

    #[test]
    fn a_pulled_vertex_follows_and_returns_whatever_the_body_is_made_of() {
        for (name, vertex) in [("cloth", 220u32), ("bar", 200), ("cloth-pair", 300)] {
            let scene = Scene::load(name, &ModelPaths::default()).unwrap();
            let mut run = SceneRun::new(scene, &crate::app::worker::registry()).unwrap();
            run.sim.params.damping = 2.0;
            for _ in 0..200 {
                run.advance().unwrap();
            }
            let (batches, constraints) = (run.sim.model.batches().len(), run.sim.model.constraints());
            let rest = run.sim.state.x[vertex as usize];
            let pointer = rest + Vec3::new(0.1, 0.15, 0.2);
            let mut pull = Pull::start(&mut run.sim, vertex, pointer, 0.4, 1.0).unwrap().unwrap();
            assert_eq!(run.sim.model.constraints(), constraints + 1);
            for _ in 0..60 {
                pull.follow(&mut run.sim, 1.0 / 60.0);
                run.advance().unwrap();
            }
            let gone = (run.sim.state.x[vertex as usize] - rest).norm();
            let left = (run.sim.state.x[vertex as usize] - pointer).norm();
            assert!(gone > 0.1 && left < 0.2, "{name}: moved {gone}, {left} from the pointer");
            pull.end(&mut run.sim);
            assert_eq!(run.sim.model.batches().len(), batches);
            for _ in 0..400 {
                run.advance().unwrap();
            }
            let back = (run.sim.state.x[vertex as usize] - rest).norm();
            assert!(back < 0.3 * gone, "{name}: {back} from where it was, had gone {gone}");
        }
    }

    #[test]
    fn the_spring_does_not_outgrow_its_reach() {
        let scene = Scene::load("cloth", &ModelPaths::default()).unwrap();
        let mut run = SceneRun::new(scene, &crate::app::worker::registry()).unwrap();
        let far = Vec3::new(0.0, 1e6, 0.0);
        let mut pull = Pull::start(&mut run.sim, 5, far, 0.4, 1.0).unwrap().unwrap();
        for _ in 0..30 {
            pull.follow(&mut run.sim, 1.0 / 60.0);
            assert!((pull.target - run.sim.state.x[5]).norm() <= 1.0 + 1e-9);
            run.advance().unwrap();
        }
        assert!(Pull::start(&mut run.sim, 1_000_000, far, 1.0, 1.0).unwrap().is_none());
    }
}
