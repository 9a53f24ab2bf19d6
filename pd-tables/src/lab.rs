//! Measurement settings: duration, threads, and how failures become table values.

use crate::Outcome;
use crate::compare::Reference;
use pd_core::{LinearError, StepError, Stepper};
use pd_sim::scene::desc::ContactMode;
use pd_sim::scene::{Scene, SceneDesc, SceneRun, read_desc};
use pd_sim::{ModelPaths, Registry, SceneError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Why a report could not be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A table of this name is not known.
    #[error("there is no table {name:?}; known are {known}, all")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A name is neither stepper/global nor a stepper.
    #[error("{name:?}: {what}")]
    Contender {
        /// The name asked for.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// A scene could not be built or run for a reason that is not a table value.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A mesh or model made for a measurement was rejected.
    #[error("{0}")]
    Model(String),
    /// Threads could not be started.
    #[error("{0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// The system's words.
        error: std::io::Error,
    },
    /// A picture could not be encoded.
    #[error("picture: {0}")]
    Picture(#[from] png::EncodingError),
    /// A document has no place for a generated block.
    #[error("{}: there is no pair of lines \"{begin}\" and \"{end}\"", path.display())]
    NoBlock {
        /// The file.
        path: std::path::PathBuf,
        /// The line that begins the block.
        begin: String,
        /// The line that ends it.
        end: String,
    },
}

/// How much work to spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Name in the report.
    pub name: &'static str,
    /// Seconds for one measurement of frames; at least three frames are run.
    pub seconds: f64,
    /// Maximum number of frames of a measurement.
    pub frames: usize,
    /// Seconds for one curve of error over time.
    pub curve_seconds: f64,
    /// Relative error at which a curve ends.
    pub curve_error: f64,
    /// Largest number of constraints in table 7.3.
    pub constraints: u64,
    /// Frames simulated before quality is judged in table 7.6.
    pub settle_frames: usize,
    /// Seconds for one setting of another engine on one task of table 7.6; it is stopped after that.
    pub peer_seconds: u64,
}

impl Effort {
    /// All tables in less than three minutes on two cores.
    pub const QUICK: Self = Self {
        name: "quick",
        seconds: 0.3,
        frames: 300,
        curve_seconds: 0.12,
        curve_error: 1e-3,
        constraints: 1_000_000,
        settle_frames: 40,
        peer_seconds: 20,
    };

    /// All tables in less than thirty minutes on two cores.
    pub const FULL: Self = Self {
        name: "full",
        seconds: 4.0,
        frames: 300,
        curve_seconds: 2.0,
        curve_error: 1e-4,
        constraints: 1_000_000,
        settle_frames: 120,
        peer_seconds: 60,
    };
}

/// Name of one more stepper: a local step and one undamped Jacobi sweep an iteration, which is the coupling thesis'
/// consensus ADMM for springs (its eq. 4.2). Safe for springs only.
pub const CONSENSUS_SWEEP: &str = "consensus-sweep";

/// Everything a table needs to measure.
pub struct Lab<'a> {
    /// Where model files are.
    pub models: &'a ModelPaths,
    /// How much work to spend.
    pub effort: Effort,
    /// Threads of the columns with more than one.
    pub threads: usize,
    /// Only rows of these scenes; empty: all.
    pub only: Vec<String>,
    /// Steppers and solvers.
    pub registry: Registry,
    progress: &'a (dyn Fn(&str) + Sync),
    /// Converged frames, cached because several tables use them.
    references: Mutex<BTreeMap<String, Arc<Reference>>>,
    serial: rayon::ThreadPool,
    parallel: rayon::ThreadPool,
}

/// How fast a scene ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Factor, tables and scratch, ms.
    pub prepare_ms: f64,
    /// Least, median and largest frames per second over windows of frames.
    pub fps: [f64; 3],
}

impl<'a> Lab<'a> {
    /// A laboratory with the standard steppers and solvers. `progress` receives one line per measurement.
    pub fn new(
        models: &'a ModelPaths,
        effort: Effort,
        threads: usize,
        progress: &'a (dyn Fn(&str) + Sync),
    ) -> Result<Self, TableError> {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let (serial, parallel) = (pool(1)?, pool(threads.max(1))?);
        let mut registry = Registry::standard();
        registry.register(CONSENSUS_SWEEP, |_| {
            let mut stepper = pd_steppers::FusedJacobi::default();
            (stepper.gamma, stepper.rho) = (Some(1.0), Some(0.0));
            Box::new(stepper)
        });
        let references = Mutex::default();
        Ok(Self { models, effort, threads, only: vec![], registry, progress, references, serial, parallel })
    }

    /// Reports what is being measured.
    pub fn report_progress(&self, words: &str) {
        (self.progress)(words);
    }

    /// Whether rows of this scene are selected.
    pub fn wants(&self, scene: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == scene || scene == format!("{name}-twin"))
    }

    /// Runs `work` in a pool of one thread or of all.
    pub fn on<R: Send>(&self, threads: usize, work: impl FnOnce() -> R + Send) -> R {
        if threads == 1 { self.serial.install(work) } else { self.parallel.install(work) }
    }

    /// The description of a scene as the thesis' program would run it, with a change.
    pub fn describe(
        &self,
        scene: &str,
        change: impl FnOnce(&mut SceneDesc),
    ) -> Result<SceneDesc, TableError> {
        let (mut desc, _) = read_desc(scene)?;
        // Tables compare steppers and solvers on the same problem, which is the thesis'.
        if !desc.objects.is_empty() {
            desc.contact.mode = Some(desc.contact.mode.unwrap_or(ContactMode::Project));
        }
        change(&mut desc);
        Ok(desc)
    }

    /// The converged frame after `frame` of a scene at its iterations, computed once.
    pub(crate) fn reference(
        &self,
        scene: &str,
        iterations: usize,
        frame: u64,
    ) -> Result<Arc<Reference>, TableError> {
        let key = format!("{scene} {iterations} {frame}");
        // A poisoned lock only means that another measurement failed; what is stored is whole.
        let known = |lab: &Self| lab.references.lock().map_or(None, |map| map.get(&key).cloned());
        if let Some(reference) = known(self) {
            return Ok(reference);
        }
        let desc = self.describe(scene, |desc| desc.step.iterations = iterations)?;
        let reference = Arc::new(Reference::new(self, scene, desc, frame)?);
        if let Ok(mut map) = self.references.lock() {
            map.insert(key, reference.clone());
        }
        Ok(reference)
    }

    /// Which scenes a row is measured on: the scene itself, or a mark that its model is missing and then the twin.
    pub fn stand_ins(
        &self,
        scene: &'static str,
        twin: Option<&'static str>,
    ) -> Result<Vec<Stand>, TableError> {
        let Some(twin) = twin else { return Ok(vec![Stand::Scene(scene)]) };
        match Scene::load(scene, self.models) {
            Ok(_) => Ok(vec![Stand::Scene(scene)]),
            Err(SceneError::ModelNotPresent { .. }) => Ok(vec![Stand::Absent, Stand::Twin(twin)]),
            Err(error) => Err(error.into()),
        }
    }

    /// Prepare time and frame rates of a description.
    pub fn rates(
        &self,
        name: &str,
        desc: SceneDesc,
        threads: usize,
    ) -> Result<Result<Rates, Outcome>, TableError> {
        self.report_progress(&format!(
            "{name}: {}/{}, {threads} thread(s)",
            desc.solver.stepper, desc.solver.global
        ));
        as_value(self.on(threads, || self.rates_here(name, desc, None)))
    }

    /// As [`rates`](Self::rates), with a stepper of choice.
    pub(crate) fn rates_with(
        &self,
        name: &str,
        desc: SceneDesc,
        threads: usize,
        stepper: Box<dyn Stepper>,
    ) -> Result<Result<Rates, Outcome>, TableError> {
        as_value(self.on(threads, || self.rates_here(name, desc, Some(stepper))))
    }

    fn rates_here(
        &self,
        name: &str,
        desc: SceneDesc,
        stepper: Option<Box<dyn Stepper>>,
    ) -> Result<Rates, SceneError> {
        let scene = Scene::from_desc(name, desc, None, self.models)?;
        let mut run = match stepper {
            Some(stepper) => SceneRun::with_stepper(scene, stepper)?,
            None => SceneRun::new(scene, &self.registry)?,
        };
        let started = Instant::now();
        run.prepare()?;
        let prepare_ms = started.elapsed().as_secs_f64() * 1e3;
        let mut frame_seconds = vec![];
        let mut frame = |frame_seconds: &mut Vec<f64>| -> Result<(), SceneError> {
            let started = Instant::now();
            run.advance()?;
            frame_seconds.push(started.elapsed().as_secs_f64());
            Ok(())
        };
        frame(&mut frame_seconds)?;
        if frame_seconds[0] < self.effort.seconds {
            // The first frame only warmed the caches; then three at least, unless they take far too long.
            frame_seconds.clear();
            let begun = Instant::now();
            let wanted = |frames: usize, seconds: f64| match frames {
                0 => true,
                1..3 => seconds < 3.0 * self.effort.seconds,
                _ => seconds < self.effort.seconds && frames < self.effort.frames,
            };
            while wanted(frame_seconds.len(), begun.elapsed().as_secs_f64()) {
                frame(&mut frame_seconds)?;
            }
        }
        Ok(Rates { prepare_ms, fps: window_rates(&frame_seconds) })
    }
}

/// A scene to measure a row on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// The scene itself.
    Scene(&'static str),
    /// The generated scene of the same size class.
    Twin(&'static str),
    /// The model is missing: a row that says so.
    Absent,
}

/// Least, median and largest rate over windows of ten frames, or of a third of them where there are few.
fn window_rates(frame_seconds: &[f64]) -> [f64; 3] {
    let window = (frame_seconds.len() / 3).clamp(1, 10);
    let mut rates: Vec<f64> =
        frame_seconds.chunks_exact(window).map(|w| window as f64 / w.iter().sum::<f64>()).collect();
    rates.sort_by(f64::total_cmp);
    let at = |q: usize| rates.get(q).copied().unwrap_or(0.0);
    [at(0), at(rates.len() / 2), at(rates.len().saturating_sub(1))]
}

/// Divergence, lack of memory and missing models become values; other errors remain errors.
pub(crate) fn as_value<T>(result: Result<T, SceneError>) -> Result<Result<T, Outcome>, TableError> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(SceneError::ModelNotPresent { .. }) => Ok(Err(Outcome::ModelNotPresent)),
        Err(SceneError::Step(StepError::Linear(LinearError::TooLarge { bytes, .. }))) => {
            Ok(Err(Outcome::TooLarge(bytes)))
        }
        Err(SceneError::Step(
            StepError::Linear(LinearError::Diverged { .. } | LinearError::NotFinite { .. })
            | StepError::NotFinite { .. },
        )) => Ok(Err(Outcome::Diverges)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_smooth_single_frames() {
        let mut seconds = vec![0.01; 40];
        seconds[5] = 0.11; // one slow frame halves the rate of its window, not of the run
        let [least, median, most] = window_rates(&seconds);
        assert!((least - 50.0).abs() < 1e-9 && (median - 100.0).abs() < 1e-9 && (most - 100.0).abs() < 1e-9);
        assert_eq!(window_rates(&[0.5, 0.5, 0.25]), [2.0, 2.0, 4.0]);
    }

    #[test]
    fn divergence_is_a_value_and_a_typing_error_is_not() {
        let diverged =
            SceneError::Step(StepError::Linear(LinearError::Diverged { iteration: 3, residual: 1e9 }));
        assert_eq!(as_value::<()>(Err(diverged)).unwrap(), Err(Outcome::Diverges));
        let large = LinearError::TooLarge { solver: "dense".into(), bytes: 10, limit: 5 };
        assert_eq!(
            as_value::<()>(Err(SceneError::Step(StepError::Linear(large)))).unwrap(),
            Err(Outcome::TooLarge(10))
        );
        assert!(as_value::<()>(Err(SceneError::Registry("no stepper".into()))).is_err());
    }
}
