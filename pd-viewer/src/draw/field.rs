//! One number per vertex, to be shown as a colour.

use super::Topology;
use super::fold::{Hinge, fold_angle, hinges};
use super::incidence::Incidence;
use pd_core::{Real, State, StepContext, Vec3, resolve_collisions, stepper::predict};
use rayon::prelude::*;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// |v|, m/s.
    Speed,
    /// Largest |length/rest − 1| of the edges at the vertex.
    Strain,
    /// Force imbalance |∇objective| of the last step at the vertex, N: how far the iteration was from converged.
    Residual,
    /// Largest change of the fold angle at the surface edges of the vertex, degrees.
    Bending,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Speed, Self::Strain, Self::Residual, Self::Bending];

    /// Name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speed => "speed",
            Self::Strain => "strain",
            Self::Residual => "residual",
            Self::Bending => "bending",
        }
    }

    /// Title of the legend.
    pub fn title(self) -> &'static str {
        match self {
            Self::Speed => "speed, m/s",
            Self::Strain => "strain",
            Self::Residual => "residual, N",
            Self::Bending => "bending, degrees",
        }
    }
}

/// What a field is computed from.
#[derive(Clone, Copy)]
pub struct FieldInput<'a> {
    /// Model, parameters, forces and obstacles of the step.
    pub context: StepContext<'a>,
    /// The state after the step.
    pub state: &'a State,
    /// The state before the last step; without it [`Field::Residual`] is zero.
    pub before: Option<&'a State>,
}

/// Rest shape and scratch for the fields of one scene; nothing is allocated after the first use of a field.
#[derive(Debug)]
pub struct FieldScratch {
    rest_lengths: Vec<Real>,
    hinges: Vec<Hinge>,
    rest_angles: Vec<Real>,
    edges_at: Incidence,
    hinges_at: Incidence,
    items: Vec<f32>,
    predicted: Vec<Vec3>,
    rows: Vec<Vec3>,
    gradient: Vec<Vec3>,
    sorted: Vec<f32>,
}

impl FieldScratch {
    /// For bodies with this rest shape (positions in m).
    pub fn new(topology: &Topology, rest: &[Vec3]) -> Self {
        let hinges = hinges(&topology.triangles);
        let length = |&[i, j]: &[u32; 2]| (rest[i as usize] - rest[j as usize]).norm();
        Self {
            rest_lengths: topology.edges.iter().map(length).collect(),
            rest_angles: hinges.iter().map(|hinge| fold_angle(hinge, rest)).collect(),
            edges_at: Incidence::new(topology.vertices, &topology.edges, 2),
            hinges_at: Incidence::new(topology.vertices, &hinges, 2),
            hinges,
            items: vec![],
            predicted: vec![],
            rows: vec![],
            gradient: vec![],
            sorted: vec![],
        }
    }

    /// Fills `values` with the field, one per vertex.
    pub fn evaluate(
        &mut self,
        field: Field,
        topology: &Topology,
        input: &FieldInput<'_>,
        values: &mut Vec<f32>,
    ) {
        let x = &input.state.x;
        values.resize(x.len(), 0.0);
        match field {
            Field::Speed => {
                for (value, v) in values.iter_mut().zip(&input.state.v) {
                    *value = v.norm() as f32;
                }
            }
            Field::Strain => {
                self.items.resize(topology.edges.len(), 0.0);
                let rests = &self.rest_lengths;
                self.items.par_iter_mut().enumerate().with_min_len(4096).for_each(|(k, item)| {
                    let [i, j] = topology.edges[k].map(|v| v as usize);
                    // An edge without length at rest has no strain.
                    let strain = if rests[k] > 1e-9 { (x[i] - x[j]).norm() / rests[k] - 1.0 } else { 0.0 };
                    *item = strain.abs() as f32;
                });
                self.edges_at.largest(&self.items, values);
            }
            Field::Bending => {
                self.items.resize(self.hinges.len(), 0.0);
                let (hinges, rests) = (&self.hinges, &self.rest_angles);
                self.items.par_iter_mut().enumerate().with_min_len(4096).for_each(|(k, item)| {
                    let change = (fold_angle(&hinges[k], x) - rests[k]).abs();
                    let turn = std::f64::consts::TAU;
                    *item = change.min(turn - change).to_degrees() as f32;
                });
                self.hinges_at.largest(&self.items, values);
            }
            Field::Residual => self.residual(input, values),
        }
    }

    /// |m (x − s)/h² + ∇E(x)| with the predictor s of the last step. At a vertex in contact it is the contact force.
    fn residual(&mut self, input: &FieldInput<'_>, values: &mut [f32]) {
        let FieldInput { context, state, before: Some(before) } = *input else {
            values.fill(0.0);
            return;
        };
        let (model, params) = (context.model, context.params);
        if model.vertices() != state.x.len() {
            values.fill(0.0); // particles and water beside elastic bodies
            return;
        }
        self.predicted.resize(state.x.len(), Vec3::zeros());
        self.gradient.resize(state.x.len(), Vec3::zeros());
        self.rows.resize(model.rows(), Vec3::zeros());
        predict(context, &before.clone().view(), &mut self.predicted);
        resolve_collisions(context.colliders, state.time, &mut self.predicted);
        if params.hold_pinned {
            for &v in model.pinned() {
                self.predicted[v as usize] = before.x[v as usize];
            }
        }
        model.elastic_gradient(&state.x, &mut self.rows, &mut self.gradient);
        let inverse = 1.0 / (params.dt * params.dt);
        for (i, value) in values.iter_mut().enumerate() {
            let inertia = (state.x[i] - self.predicted[i]) * (model.masses()[i] * inverse);
            *value = (inertia + self.gradient[i]).norm() as f32;
        }
    }

    /// A range for the ramp: 0 to a round number just above the value that 98 % of the vertices do not exceed, so that a
    /// single stretched corner does not dominate the range.
    pub fn range(&mut self, values: &[f32]) -> (f32, f32) {
        self.sorted.clear();
        self.sorted.extend(values.iter().filter(|v| v.is_finite()));
        if self.sorted.is_empty() {
            return (0.0, 1.0);
        }
        let k = ((self.sorted.len() - 1) as f64 * 0.98) as usize;
        let (_, &mut high, _) = self.sorted.select_nth_unstable_by(k, f32::total_cmp);
        if high <= 1e-12 {
            return (0.0, 1.0);
        }
        let power = 10f32.powf(high.log10().floor());
        let round = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0].map(|m| m * power);
        (0.0, round.into_iter().find(|&r| r >= high * 0.999).unwrap_or(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::scene::{Scene, SceneRun};
    use pd_sim::{ModelPaths, Registry};

    fn context(run: &SceneRun) -> StepContext<'_> {
        let sim = &run.sim;
        StepContext::new(&sim.model, &sim.params, &sim.forces, &sim.colliders)
    }

    fn values(run: &SceneRun, before: Option<&State>, field: Field) -> Vec<f32> {
        let topology = Topology::of_scene(&run.scene);
        let mut scratch = FieldScratch::new(&topology, &run.scene.rest());
        let mut values = vec![];
        let input = FieldInput { context: context(run), state: &run.sim.state, before };
        scratch.evaluate(field, &topology, &input, &mut values);
        values
    }

    fn running(name: &str, frames: usize) -> (SceneRun, State) {
        let scene = Scene::load(name, &ModelPaths::default()).unwrap();
        let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
        let mut before = run.sim.state.clone();
        for _ in 0..frames {
            before = run.sim.state.clone();
            run.advance().unwrap();
        }
        (run, before)
    }

    #[test]
    fn at_rest_there_is_no_speed_strain_or_bending() {
        let (run, _) = running("tubes", 0);
        for field in [Field::Speed, Field::Strain, Field::Bending] {
            let most = values(&run, None, field).into_iter().fold(0.0, f32::max);
            assert!(most < 1e-3, "{field:?} {most}");
        }
    }

    #[test]
    fn strain_agrees_with_the_simulation_and_speed_with_the_state() {
        let (run, _) = running("bar", 20);
        let most = values(&run, None, Field::Strain).into_iter().fold(0.0, f32::max);
        let expected = run.sim.max_edge_strain(&run.scene.edges(), &run.scene.rest());
        assert!((f64::from(most) - expected).abs() < 1e-5 && expected > 0.01, "{most} {expected}");
        let speed = values(&run, None, Field::Speed);
        assert!((f64::from(speed[207]) - run.sim.state.v[207].norm()).abs() < 1e-6);
    }

    #[test]
    fn the_residual_is_that_of_the_step_report() {
        // Nothing touches an obstacle yet, so the accepted state is the last iterate.
        let (mut run, _) = running("cloth-pair", 20);
        run.sim.params.measure = true;
        let before = run.sim.state.clone();
        let expected = run.advance().unwrap().measures.unwrap().residual;
        let most = values(&run, Some(&before), Field::Residual).into_iter().fold(0.0, f32::max);
        assert!((f64::from(most) / expected - 1.0).abs() < 1e-4 && expected > 1e-6, "{most} {expected}");
        assert!(values(&run, None, Field::Residual).iter().all(|&v| v == 0.0));
    }

    #[test]
    fn a_fold_by_a_right_angle_is_ninety_degrees_whichever_way_the_body_is_turned() {
        let flat = [Vec3::zeros(), Vec3::x(), Vec3::new(0.3, 1.0, 0.0), Vec3::new(0.6, -1.0, 0.0)];
        let turn = nalgebra::Rotation3::from_euler_angles(0.3, 1.1, -2.0);
        for up in [1.0, -1.0] {
            let folded = [flat[0], flat[1], flat[2], Vec3::new(0.6, 0.0, up)].map(|p| turn * p);
            let change = (fold_angle(&[0, 1, 2, 3], &folded) - fold_angle(&[0, 1, 2, 3], &flat)).abs();
            assert!((change.to_degrees() - 90.0).abs() < 1e-9, "{change}");
        }
    }
}
