//! Preparing a stepper for a new model in a background thread.

use crate::{LinearError, Model, StepContext, StepError, StepParams, Stepper};
use std::thread::JoinHandle;

/// What comes back: the model that was given and the stepper, prepared for it.
pub type Prepared = Result<(Model, Box<dyn Stepper>), StepError>;

/// A stepper under preparation on another thread.
///
/// Ordering and factoring a large matrix takes longer than a frame. A viewer whose model changes (a released pin, another
/// weight) builds the new model, starts this, and continues with the old model and stepper until
/// [`is_ready`](Self::is_ready); then it swaps both. The result does not depend on when it is fetched, so a run that [`wait`](Self::wait)s at a given
/// frame is the same every time.
///
/// ```
/// use pd_core::*;
/// # struct Exact(Vec<Real>);
/// # impl GlobalSolver for Exact {
/// #     fn name(&self) -> &str { "diagonal" }
/// #     fn factor(&mut self, a: &Csr) -> Result<(), LinearError> { self.0 = a.diagonal(); Ok(()) }
/// #     fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
/// #         for (k, x) in x.iter_mut().enumerate() { *x = b[k] / self.0[k / columns]; }
/// #         Ok(SolveReport::direct())
/// #     }
/// # }
/// let model = Model::with_masses(vec![1.0, 2.0]).build()?;
/// let params = StepParams::default();
/// let later = BackgroundPrepare::start(model, params.clone(), Box::new(ProjectiveDynamics::new(Exact(vec![]))));
/// // … frames of the old model here …
/// let (model, mut stepper) = later.wait()?;
/// let context = StepContext::of(&model, &params);
/// let mut state = State::at_rest(vec![Vec3::zeros(); 2]);
/// stepper.step(context, &mut state)?;
/// assert!(state.x[1].y < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BackgroundPrepare {
    work: Work,
}

enum Work {
    Running(JoinHandle<Prepared>),
    /// No thread could be started: the work was done synchronously.
    Done(Box<Prepared>),
}

impl BackgroundPrepare {
    /// Starts to prepare `stepper` for `model`. If no thread can be started, the work is done before this returns.
    pub fn start(model: Model, params: StepParams, stepper: Box<dyn Stepper>) -> Self {
        // Through a slot, so that a failed spawn gives the parts back.
        let parts = std::sync::Arc::new(std::sync::Mutex::new(Some((model, params, stepper))));
        let inside = parts.clone();
        let spawned = std::thread::Builder::new().name("pd-prepare".into()).spawn(move || prepare(&inside));
        let work = match spawned {
            Ok(handle) => Work::Running(handle),
            Err(_) => Work::Done(Box::new(prepare(&parts))),
        };
        Self { work }
    }

    /// Whether [`wait`](Self::wait) would return immediately.
    pub fn is_ready(&self) -> bool {
        match &self.work {
            Work::Running(handle) => handle.is_finished(),
            Work::Done(_) => true,
        }
    }

    /// Waits for the model and its prepared stepper.
    pub fn wait(self) -> Prepared {
        match self.work {
            Work::Running(handle) => handle.join().unwrap_or_else(|_| Err(lost())),
            Work::Done(result) => *result,
        }
    }
}

type Parts = std::sync::Mutex<Option<(Model, StepParams, Box<dyn Stepper>)>>;

fn prepare(parts: &Parts) -> Prepared {
    let taken = parts.lock().ok().and_then(|mut parts| parts.take());
    let (model, params, mut stepper) = taken.ok_or_else(lost)?;
    let context = StepContext::of(&model, &params);
    // In a separate pool: a thread of the run that waits for the end of a step could steal this work.
    match rayon::ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(|| stepper.prepare(context))?,
        Err(_) => stepper.prepare(context)?,
    }
    Ok((model, stepper))
}

/// The thread ended without a result.
fn lost() -> StepError {
    let what = "preparation in the background was lost".to_owned();
    LinearError::Backend { solver: "background".to_owned(), what }.into()
}
