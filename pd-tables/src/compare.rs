//! Error against a converged reference, over wall time and over iterations.
//!
//! A scene runs to a frame; the next frame is then solved to the end by one stepper, which gives the reference x*, and
//! again by every contender with 1, 2, 3, 4, 6, 8, … iterations. The error of an iterate is its distance to x* in the norm
//! of the masses, relative to the motion of the frame:
//!
//! ```text
//! error = ‖x − x*‖_M / ‖x₀ − x*‖_M
//! ```
//! All contenders start from the same state with the same step and obstacles, so iterations and times are comparable.

pub mod course;

use crate::lab::{Lab, TableError, as_value};
use crate::plot::{Line, Plot};
use crate::{Outcome, cell::significant};
use pd_core::{State, Vec3};
use pd_linear::SolverOptions;
use pd_sim::scene::{Scene, SceneDesc, SceneRun};
use pd_sim::{Checkpoint, SceneError};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Iterations of the reference at most, and the fall of the force imbalance at which it ends.
const REFERENCE: (usize, f64) = (1_500, 1e-7);
/// Fall of the force imbalance from which on an iterate is in balance.
const BALANCED: f64 = 1e-5;
/// Stepper and solver of references.
const REFERENCE_STEPPER: (&str, &str) = ("pd-lbfgs", "panels-f64");

/// A stepper with a global solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// Name of the stepper.
    pub stepper: String,
    /// Name of the global solver.
    pub global: String,
    /// Options of the global solver.
    pub options: SolverOptions,
}

impl Contender {
    /// A stepper and a global solver.
    pub fn new(stepper: &str, global: &str, options: SolverOptions) -> Self {
        Self { stepper: stepper.into(), global: global.into(), options }
    }

    /// Stepper and solver.
    pub fn name(&self) -> String {
        format!("{}/{}", self.stepper, self.global)
    }

    /// The stepper and solver of references: the fastest to converge, exact linear solves.
    pub fn of_reference() -> Self {
        Self::new(REFERENCE_STEPPER.0, REFERENCE_STEPPER.1, SolverOptions::default())
    }

    /// Reads `stepper/global`, or `stepper` alone for one that needs no global solver.
    ///
    /// ```
    /// use pd_tables::{Contender, SolverOptions};
    /// let contender = Contender::parse("pd-lbfgs/panels", SolverOptions::default())?;
    /// assert_eq!((contender.stepper.as_str(), contender.global.as_str()), ("pd-lbfgs", "panels"));
    /// assert!(Contender::parse("a/b/c", SolverOptions::default()).is_err());
    /// # Ok::<(), pd_tables::TableError>(())
    /// ```
    pub fn parse(name: &str, options: SolverOptions) -> Result<Self, TableError> {
        let mut parts = name.split('/');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(stepper), global, None) if !stepper.is_empty() && global != Some("") => {
                Ok(Self::new(stepper, global.unwrap_or("cholesky"), options))
            }
            _ => Err(TableError::Contender {
                name: name.into(),
                what: "expected stepper/global, as in pd/panels or pd-lbfgs/cholesky".into(),
            }),
        }
    }
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Iterations of the stepper.
    pub iterations: usize,
    /// Wall time of the frame, ms.
    pub ms: f64,
    /// Relative error.
    pub error: f64,
    /// Force imbalance over that at the start of the frame.
    pub imbalance: f64,
}

/// Convergence curve of one contender.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Stepper and solver.
    pub name: String,
    /// Set-up, ms.
    pub prepare_ms: f64,
    /// Points, iterations ascending.
    pub points: Vec<Point>,
    /// Why the curve ended early, if it did.
    pub outcome: Option<Outcome>,
    /// Whether it ended in balance, but at another minimum than the reference: buckled springs and shells have many.
    pub elsewhere: bool,
}

impl Curve {
    /// The first point with at most this error.
    pub fn reach(&self, error: f64) -> Result<Point, Outcome> {
        let found = self.points.iter().find(|point| point.error <= error);
        found.copied().ok_or_else(|| self.outcome.clone().unwrap_or(Outcome::NotReached))
    }
}

/// When a curve ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Wall time spent on the curve, s; at least three points are taken.
    pub seconds: f64,
    /// Error that is small enough.
    pub error: f64,
    /// Most iterations.
    pub iterations: usize,
}

/// A frame and its converged solution.
pub struct Reference {
    name: String,
    desc: SceneDesc,
    directory: Option<PathBuf>,
    state: State,
    frame: u64,
    masses: Vec<f64>,
    solution: Vec<Vec3>,
    motion: f64,
    /// Iterations the reference took, and the fall of the force imbalance it reached.
    pub converged: (usize, f64),
}

impl Reference {
    /// Runs the scene to `frame` with its own settings and solves the next frame to convergence.
    pub fn new(lab: &Lab<'_>, name: &str, desc: SceneDesc, frame: u64) -> Result<Self, TableError> {
        Self::beside(lab, name, desc, None, frame, &Contender::of_reference())
    }

    /// As [`new`](Self::new), with mesh files searched in `directory` first, solved by a given stepper.
    pub fn beside(
        lab: &Lab<'_>,
        name: &str,
        desc: SceneDesc,
        directory: Option<PathBuf>,
        frame: u64,
        by: &Contender,
    ) -> Result<Self, TableError> {
        lab.report_progress(&format!("{name}: reference of frame {} by {}", frame + 1, by.name()));
        Ok(lab.on(1, || Self::here(lab, name, desc, directory, frame, by))?)
    }

    fn here(
        lab: &Lab<'_>,
        name: &str,
        desc: SceneDesc,
        directory: Option<PathBuf>,
        frame: u64,
        by: &Contender,
    ) -> Result<Self, SceneError> {
        let stepper = lab.registry.stepper_with(&by.stepper, &by.global, &by.options)?;
        let scene = Scene::from_desc(name, desc.clone(), directory.as_deref(), lab.models)?;
        let mut run = SceneRun::with_stepper(scene, stepper)?;
        while run.frame() < frame {
            run.advance()?;
        }
        let state = run.sim.state.clone();
        (run.sim.params.iterations, run.sim.params.tolerance) = REFERENCE;
        run.prepare()?;
        let report = run.advance()?;
        let (masses, solution) = (run.sim.model.masses().to_vec(), run.sim.state.x.clone());
        let motion = distance(&masses, &state.x, &solution).max(f64::MIN_POSITIVE);
        let converged = (report.iterations, report.reduction);
        Ok(Self { name: name.into(), desc, directory, state, frame, masses, solution, motion, converged })
    }

    /// The relative error of positions at the end of the frame.
    pub fn error(&self, x: &[Vec3]) -> f64 {
        distance(&self.masses, x, &self.solution) / self.motion
    }

    /// The run of a contender, ready to solve the frame.
    fn run(&self, lab: &Lab<'_>, contender: &Contender) -> Result<SceneRun, SceneError> {
        let stepper = lab.registry.stepper_with(&contender.stepper, &contender.global, &contender.options)?;
        let directory = self.directory.as_deref();
        let scene = Scene::from_desc(&self.name, self.desc.clone(), directory, lab.models)?;
        let state = self.state.clone();
        let checkpoint = Checkpoint { fingerprint: Some(scene.fingerprint()), frame: self.frame, state };
        SceneRun::resume(scene, stepper, checkpoint)
    }

    /// The error a contender leaves with a given number of iterations, and its wall time, ms.
    pub fn error_after(
        &self,
        lab: &Lab<'_>,
        contender: &Contender,
        iterations: usize,
    ) -> Result<Result<Point, Outcome>, TableError> {
        as_value(lab.on(1, || {
            let mut run = self.run(lab, contender)?;
            run.sim.params.iterations = iterations;
            run.prepare()?;
            self.point(&mut run, iterations)
        }))
    }

    fn point(&self, run: &mut SceneRun, iterations: usize) -> Result<Point, SceneError> {
        run.sim.state.clone_from(&self.state);
        run.sim.params.iterations = iterations;
        let started = Instant::now();
        let report = run.advance()?;
        let ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(Point { iterations, ms, error: self.error(&run.sim.state.x), imbalance: report.reduction })
    }

    /// The curve of a contender.
    pub fn curve(
        &self,
        lab: &Lab<'_>,
        contender: &Contender,
        threads: usize,
        limits: Limits,
    ) -> Result<Curve, TableError> {
        let name = contender.name();
        lab.report_progress(&format!("{}: {name}", self.name));
        lab.on(threads, || self.curve_here(lab, contender, name, limits))
    }

    fn curve_here(
        &self,
        lab: &Lab<'_>,
        contender: &Contender,
        name: String,
        limits: Limits,
    ) -> Result<Curve, TableError> {
        let mut curve = Curve { name, prepare_ms: 0.0, points: vec![], outcome: None, elsewhere: false };
        let mut run = match as_value(self.run(lab, contender))? {
            Ok(run) => run,
            Err(outcome) => return Ok(Curve { outcome: Some(outcome), ..curve }),
        };
        run.sim.params.iterations = limits.iterations; // room for all of them
        let started = Instant::now();
        if let Err(outcome) = as_value(run.prepare())? {
            return Ok(Curve { outcome: Some(outcome), ..curve });
        }
        curve.prepare_ms = started.elapsed().as_secs_f64() * 1e3;
        if run.sim.stepper().global_name().is_none() {
            curve.name.clone_from(&contender.stepper); // it does not use a global solver
        }
        let begun = Instant::now();
        for iterations in counts(limits.iterations) {
            let mut point = match as_value(self.point(&mut run, iterations))? {
                Ok(point) => point,
                Err(outcome) => {
                    curve.outcome = Some(outcome);
                    break;
                }
            };
            // Short frames are repeated, and the least time counts: the clock is noisy, the result is not.
            for _ in 0..4 {
                if point.ms > limits.seconds * 10.0 {
                    break;
                }
                if let Ok(again) = self.point(&mut run, iterations) {
                    point.ms = point.ms.min(again.ms);
                }
            }
            curve.points.push(point);
            let enough = curve.points.len() >= 3 && begun.elapsed().as_secs_f64() > limits.seconds;
            if point.error <= limits.error || enough || stands_still(&curve.points) {
                break;
            }
        }
        curve.elsewhere =
            curve.points.last().is_some_and(|last| last.error > limits.error && self.in_balance(last));
        Ok(curve)
    }

    /// Whether no force is left that could lead to the reference.
    fn in_balance(&self, point: &Point) -> bool {
        point.imbalance > 0.0 && point.imbalance <= BALANCED.max(self.converged.1)
    }
}

/// 1, 2, 3, 4, 6, 8, 11, 16, …: steps of about √2, up to `most`.
fn counts(most: usize) -> impl Iterator<Item = usize> {
    let steps = (0..64).map(|k| 2f64.powf(f64::from(k) / 2.0)).map(|c| c.round() as usize);
    let mut last = 0;
    steps.filter(move |&c| std::mem::replace(&mut last, c) != c).take_while(move |&c| c <= most)
}

/// Whether the last five points, a factor of four in iterations, differ by less than a thousandth.
fn stands_still(points: &[Point]) -> bool {
    let Some(tail) = points.len().checked_sub(5).map(|from| &points[from..]) else { return false };
    tail[4].iterations > 16 && (tail[4].error / tail[0].error - 1.0).abs() < 1e-3
}

/// ‖a − b‖ in the norm of the masses.
fn distance(masses: &[f64], a: &[Vec3], b: &[Vec3]) -> f64 {
    masses.iter().zip(a).zip(b).map(|((m, a), b)| m * (a - b).norm_squared()).sum::<f64>().sqrt()
}

/// All points as CSV.
pub fn csv(curves: &[Curve]) -> String {
    let mut out = String::from("contender,prepare_ms,iterations,ms,error,outcome\n");
    for curve in curves {
        let outcome = curve.outcome.as_ref().map_or(String::new(), ToString::to_string);
        for p in &curve.points {
            let _ = writeln!(
                out,
                "{},{:.4},{},{:.5},{:e},",
                curve.name, curve.prepare_ms, p.iterations, p.ms, p.error
            );
        }
        if curve.outcome.is_some() {
            let _ = writeln!(out, "{},{:.4},,,,{outcome}", curve.name, curve.prepare_ms);
        }
    }
    out
}

/// The two plots: error over time, error over iterations.
pub fn plots(title: &str, curves: &[Curve]) -> [Plot; 2] {
    let plot = |of: &str, x: &str, abscissa: fn(&Point) -> f64| Plot {
        title: format!("{title}: error over {of}"),
        x: x.into(),
        y: "error relative to the motion of the frame".into(),
        lines: curves
            .iter()
            .filter(|curve| !curve.points.is_empty())
            .map(|curve| Line {
                name: curve.name.clone(),
                points: curve.points.iter().map(|p| (abscissa(p), p.error)).collect(),
            })
            .collect(),
    };
    [
        plot("time", "ms of the frame, one point per number of iterations", |p| p.ms),
        plot("iterations", "iterations", |p| p.iterations as f64),
    ]
}

/// Summary of a curve: the error reached, or why it ended.
pub fn describe(curve: &Curve) -> String {
    match (&curve.outcome, curve.points.last()) {
        (Some(outcome), _) => outcome.to_string(),
        (None, Some(last)) if curve.elsewhere => format!(
            "in balance at another minimum, {} of the motion away, after {} iterations, {} ms",
            significant(last.error),
            last.iterations,
            significant(last.ms)
        ),
        (None, Some(last)) => format!(
            "error {} after {} iterations, {} ms",
            significant(last.error),
            last.iterations,
            significant(last.ms)
        ),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effort;
    use pd_sim::ModelPaths;

    #[test]
    fn counts_grow_by_the_root_of_two() {
        assert_eq!(counts(40).collect::<Vec<_>>(), [1, 2, 3, 4, 6, 8, 11, 16, 23, 32]);
    }

    /// The oracle: plain projective dynamics, run long, ends where the reference is.
    #[test]
    fn the_reference_is_where_plain_iteration_ends() {
        let models = ModelPaths::default();
        let lab = Lab::new(&models, Effort::QUICK, 1, &|_| {}).unwrap();
        for scene in ["bar", "cloth-pair"] {
            let desc = lab.describe(scene, |_| {}).unwrap();
            let reference = Reference::new(&lab, scene, desc, 5).unwrap();
            let plain = Contender::new("pd", "cholesky", SolverOptions::default());
            let few = reference.error_after(&lab, &plain, 3).unwrap().unwrap().error;
            let many = reference.error_after(&lab, &plain, 3000).unwrap().unwrap().error;
            assert!(few > 1e-3 && many < 1e-5, "{scene}: {few} {many} {:?}", reference.converged);
        }
    }

    #[test]
    fn divergence_ends_a_curve_with_a_word() {
        let models = ModelPaths::default();
        let lab = Lab::new(&models, Effort::QUICK, 1, &|_| {}).unwrap();
        let desc = lab.describe("bar", |_| {}).unwrap();
        let reference = Reference::new(&lab, "bar", desc, 2).unwrap();
        // Undamped Jacobi on tetrahedra: γ beyond 2/λmax.
        let options = SolverOptions { gamma: Some(1.9), rho: Some(0.0), ..Default::default() };
        let wild = Contender::new("pd", "jacobi-published", options);
        let limits = Limits { seconds: 0.5, error: 1e-4, iterations: 64 };
        let curve = reference.curve(&lab, &wild, 1, limits).unwrap();
        assert_eq!(curve.outcome, Some(Outcome::Diverges), "{curve:?}");
        assert_eq!(curve.reach(1e-2), Err(Outcome::Diverges));
        assert!(csv(&[curve]).contains("diverges"));
    }
}
