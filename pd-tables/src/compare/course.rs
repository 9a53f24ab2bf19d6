//! Whole runs compared with a converged one: distance, energy, momentum and stretch.

use super::Contender;
use crate::Outcome;
use crate::lab::{Lab, TableError, as_value};
use crate::plot::{Line, Plot};
use pd_core::Vec3;
use pd_sim::SceneError;
use pd_sim::scene::{Scene, SceneDesc, SceneRun};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

/// A frame of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Frame, from 1.
    pub frame: usize,
    /// Wall time of the frame, ms.
    pub ms: f64,
    /// Root mean square distance to the reference, weighted by mass, m.
    pub error: f64,
    /// Kinetic, elastic and gravity energy, J; 0 at the start of the run.
    pub energy: f64,
    /// Difference of momentum from that of the reference, N·s.
    pub momentum: f64,
    /// Largest relative change of length.
    pub stretch: f64,
}

/// A run of one contender.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Stepper, its global solver if it uses one, and its iterations.
    pub name: String,
    /// Its frames.
    pub moments: Vec<Moment>,
    /// Why it ended early, if it did.
    pub outcome: Option<Outcome>,
}

/// What is run.
pub struct Courses {
    /// Name of the scene.
    pub name: String,
    /// Its description.
    pub desc: SceneDesc,
    /// Where its mesh files are looked for first.
    pub directory: Option<PathBuf>,
    /// Frames of the run.
    pub frames: usize,
    /// Iterations a step of the contenders; the converged run takes as many as it needs.
    pub iterations: usize,
}

/// Positions and momentum of the converged run, frame by frame.
type Track = Vec<(Vec<Vec3>, Vec3)>;

impl Courses {
    /// The converged run by `reference`, then every contender.
    pub fn run(
        &self,
        lab: &Lab<'_>,
        reference: &Contender,
        contenders: &[Contender],
    ) -> Result<Vec<Course>, TableError> {
        let mut track = vec![];
        let mut courses = vec![self.course(lab, reference, true, &mut track)?];
        for contender in contenders {
            courses.push(self.course(lab, contender, false, &mut track)?);
        }
        Ok(courses)
    }

    fn course(
        &self,
        lab: &Lab<'_>,
        contender: &Contender,
        converged: bool,
        track: &mut Track,
    ) -> Result<Course, TableError> {
        let iterations = if converged { super::REFERENCE.0 } else { self.iterations };
        let suffix = if converged { "converged".to_owned() } else { format!("×{iterations}") };
        let mut course =
            Course { name: format!("{} {suffix}", contender.name()), moments: vec![], outcome: None };
        lab.report_progress(&format!("{}: {} for {} frames", self.name, course.name, self.frames));
        let outcome = as_value(lab.on(1, || -> Result<(), SceneError> {
            let stepper =
                lab.registry.stepper_with(&contender.stepper, &contender.global, &contender.options)?;
            let directory = self.directory.as_deref();
            let scene = Scene::from_desc(&self.name, self.desc.clone(), directory, lab.models)?;
            let mut run = SceneRun::with_stepper(scene, stepper)?;
            run.sim.params.iterations = iterations;
            if converged {
                run.sim.params.tolerance = super::REFERENCE.1;
            }
            run.prepare()?;
            if run.sim.stepper().global_name().is_none() {
                course.name = format!("{} {suffix}", contender.stepper);
            }
            let before = energy(&run);
            for frame in 1..=self.frames {
                let started = Instant::now();
                run.advance()?;
                let ms = started.elapsed().as_secs_f64() * 1e3;
                let (model, state) = (&run.sim.model, &run.sim.state);
                let momentum =
                    state.v.iter().zip(model.masses()).fold(Vec3::zeros(), |sum, (v, m)| sum + v * *m);
                if converged {
                    track.push((state.x.clone(), momentum));
                }
                let Some((x, reference)) = track.get(frame - 1) else { break };
                let mass: f64 = model.masses().iter().sum();
                course.moments.push(Moment {
                    frame,
                    ms,
                    error: super::distance(model.masses(), &state.x, x) / mass.sqrt(),
                    energy: energy(&run) - before,
                    momentum: (momentum - reference).norm(),
                    stretch: model.strain(&state.x).worst,
                });
            }
            Ok(())
        }))?;
        course.outcome = outcome.err();
        Ok(course)
    }
}

/// Kinetic, elastic and gravity energy, J.
fn energy(run: &SceneRun) -> f64 {
    let (model, state, gravity) = (&run.sim.model, &run.sim.state, run.sim.params.gravity);
    let each = model.masses().iter().zip(&state.x).zip(&state.v);
    let moving: f64 = each.map(|((m, x), v)| m * (0.5 * v.norm_squared() - gravity.dot(x))).sum();
    moving + model.elastic_energy(&state.x)
}

/// All frames as CSV.
pub fn csv(courses: &[Course]) -> String {
    let mut out = String::from("contender,frame,ms,error_m,energy_j,momentum_error_ns,stretch,outcome\n");
    for course in courses {
        for m in &course.moments {
            let _ = writeln!(
                out,
                "{},{},{:.4},{:e},{:e},{:e},{:e},",
                course.name, m.frame, m.ms, m.error, m.energy, m.momentum, m.stretch
            );
        }
        if let Some(outcome) = &course.outcome {
            let _ = writeln!(out, "{},,,,,,,{outcome}", course.name);
        }
    }
    out
}

/// Four plots over frames, with their names: error, energy lost or gained, momentum, stretch.
pub fn plots(title: &str, courses: &[Course]) -> [(&'static str, Plot); 4] {
    let plot = |of: &str, y: &str, ordinate: fn(&Moment) -> f64| Plot {
        title: format!("{title}: {of}"),
        x: "frame".into(),
        y: y.into(),
        lines: courses
            .iter()
            .map(|course| Line {
                name: course.name.clone(),
                points: course.moments.iter().map(|m| (m.frame as f64, ordinate(m))).collect(),
            })
            .collect(),
    };
    [
        ("run-error", plot("distance to the converged run", "root mean square distance, m", |m| m.error)),
        (
            "run-energy",
            plot("change of energy", "energy lost or gained since the start, J", |m| m.energy.abs()),
        ),
        ("run-momentum", plot("error of momentum", "difference from the converged run, N·s", |m| m.momentum)),
        ("run-stretch", plot("stretch", "largest relative change of length", |m| m.stretch)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effort;
    use pd_linear::SolverOptions;
    use pd_sim::ModelPaths;

    /// More iterations come nearer to the converged run, and the converged run is its own reference.
    #[test]
    fn iterations_bring_a_run_nearer_to_the_converged_one() {
        let models = ModelPaths::default();
        let lab = Lab::new(&models, Effort::QUICK, 1, &|_| {}).unwrap();
        let contender = |name: &str| Contender::parse(name, SolverOptions::default()).unwrap();
        let of = |iterations| {
            let desc = lab.describe("bar", |_| {}).unwrap();
            let courses = Courses { name: "bar".into(), desc, directory: None, frames: 5, iterations };
            let contenders = [contender("pd/cholesky"), contender("vbd")];
            courses.run(&lab, &contender("pd-lbfgs/panels-f64"), &contenders).unwrap()
        };
        let (few, many) = (of(2), of(60));
        assert!(few[0].moments.iter().all(|m| m.error == 0.0 && m.momentum == 0.0));
        let last = |courses: &[Course]| courses[1].moments[4];
        assert!(last(&few).error > 3.0 * last(&many).error, "{:?} {:?}", last(&few), last(&many));
        assert!(last(&few).energy < 0.0, "a bar that falls loses energy under implicit Euler");
        assert_eq!(csv(&few).lines().count(), 16);
        assert_eq!([&few[1].name, &few[2].name], ["pd/cholesky ×2", "vbd ×2"]);
    }
}
