//! Whole frames of a scene: as shipped, and the plain twin of everything (library decomposition, faer in f64).

use crate::plain::{self, PlainLocal};
use pd_core::{CpuLocal, ProjectiveDynamics, Real, State, Vec3};
use pd_linear::{Cholesky, PanelCholesky};
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, SceneError};

/// A scene stepped by the fast local step and `panels`.
pub fn fast(scene: &str) -> Result<SceneRun, SceneError> {
    let scene = Scene::load(scene, &ModelPaths::default())?;
    let (local, global) = (Box::new(CpuLocal::default()), Box::new(PanelCholesky::default()));
    SceneRun::with_stepper(scene, Box::new(ProjectiveDynamics::with_local(local, global)))
}

/// The same scene stepped by the plain configuration.
pub fn plain(scene: &str) -> Result<SceneRun, SceneError> {
    let loaded = Scene::load(scene, &ModelPaths::default())?;
    let (local, global) = (Box::new(PlainLocal::default()), Box::new(Cholesky::default()));
    let mut run = SceneRun::with_stepper(loaded, Box::new(ProjectiveDynamics::with_local(local, global)))?;
    let twin = plain::model(&run.sim.model);
    let Some(Ok(model)) = twin else {
        return Err(SceneError::Registry(format!("{scene} has no plain twin")));
    };
    run.sim.model = model;
    Ok(run)
}

/// Largest distance of corresponding vertices over the diagonal of the first state's box.
pub fn relative_distance(a: &State, b: &State) -> Real {
    let far = a.x.iter().zip(&b.x).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
    let low = a.x.iter().fold(Vec3::repeat(Real::INFINITY), |low, x| low.inf(x));
    let high = a.x.iter().fold(Vec3::repeat(Real::NEG_INFINITY), |high, x| high.sup(x));
    far / (high - low).norm()
}
