//! Everything that scenes name: steppers, global solvers, and custom energies, obstacles and forces.

use crate::scene::desc::{ContactMode, StartDesc};
use crate::scene::settings::did_you_mean;
use crate::scene::{Matter, Scene};
use crate::{CustomParts, ModelPaths, SceneError};
use pd_collide::contact::{ContactOptions, StartPolicy};
use pd_core::{Acceleration, CpuLocal, GlobalSolver, ProjectiveDynamics, Stepper};
use pd_linear::SolverOptions;
use pd_steppers::{
    Admm, BarrierNewton, BlockXpbd, FusedJacobi, GuardedPd, ImpactZones, Integrator, Newton, Pbd, Scheme,
    SteepestDescent, Symplectic, Vbd, Xpbd,
};

type StepperConstructor = Box<dyn Fn(Box<dyn GlobalSolver>) -> Box<dyn Stepper> + Send + Sync>;

/// Creates steppers by the names used in scenes and on the command line. Users can register their own.
///
/// ```
/// use pd_sim::Registry;
/// let mut registry = Registry::standard();
/// let stepper = registry.stepper("pd", "cholesky")?;
/// assert_eq!((stepper.name(), stepper.global_name()), ("pd", Some("cholesky")));
/// assert!(registry.stepper("pd", "choleski").is_err());
/// # Ok::<(), pd_sim::SceneError>(())
/// ```
pub struct Registry {
    /// Global solvers.
    pub solvers: pd_linear::Registry,
    /// Whether steppers with intersection-free contact test every accepted step with exact predicates and fail if surfaces intersect.
    pub verify_contact: bool,
    /// Energies, obstacles and forces that `[[custom]]` tables of scenes may name.
    pub custom: CustomParts,
    steppers: Vec<(String, StepperConstructor)>,
}

impl Registry {
    /// All steppers and solvers of the workspace.
    pub fn standard() -> Self {
        let solvers = pd_linear::Registry::standard();
        let mut registry =
            Self { solvers, verify_contact: false, custom: CustomParts::default(), steppers: vec![] };
        for acceleration in
            [Acceleration::None, Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }]
        {
            registry.register(acceleration.name(), move |global| {
                Box::new(ProjectiveDynamics::with_parts(Box::new(CpuLocal::default()), global, acceleration))
            });
        }
        registry.register("newton", |global| Box::new(Newton::with_boxed(global)));
        registry.register("admm", |global| Box::new(Admm::with_boxed(global)));
        // These do not use a global solver.
        registry.register("fused-jacobi", |_| Box::new(FusedJacobi::default()));
        registry.register("admm-consensus", |_| Box::new(Admm::consensus()));
        registry.register("symplectic", |_| Box::new(Symplectic::default()));
        registry.register("descent", |_| Box::new(SteepestDescent::default()));
        registry.register("pbd", |_| Box::new(Pbd::default()));
        registry.register("pbd-jacobi", |_| Box::new(Pbd::jacobi(1.5)));
        registry.register("xpbd", |_| Box::new(Xpbd::default()));
        registry.register("xpbd-block", |_| Box::new(BlockXpbd::default()));
        registry.register("vbd", |_| Box::new(Vbd::default()));
        registry.register("vbd-chebyshev", |_| Box::new(Vbd::accelerated(0.9)));
        registry
    }

    /// Loads a scene, as [`Scene::load`] does, whose `[[custom]]` tables may name the parts of this registry.
    pub fn load(&self, name: &str, models: &ModelPaths) -> Result<Scene, SceneError> {
        let (desc, directory) = crate::scene::read_desc(name)?;
        Scene::with_custom(name, desc, directory.as_deref(), models, &self.custom)
    }

    /// Adds a stepper, or replaces the one of that name.
    pub fn register(
        &mut self,
        name: impl Into<String>,
        constructor: impl Fn(Box<dyn GlobalSolver>) -> Box<dyn Stepper> + Send + Sync + 'static,
    ) {
        let name = name.into();
        self.steppers.retain(|(known, _)| *known != name);
        self.steppers.push((name, Box::new(constructor)));
    }

    /// Names of the steppers.
    pub fn stepper_names(&self) -> Vec<&str> {
        self.steppers.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Creates a stepper with a global solver with default options.
    pub fn stepper(&self, stepper: &str, global: &str) -> Result<Box<dyn Stepper>, SceneError> {
        self.stepper_with(stepper, global, &SolverOptions::default())
    }

    /// Creates the stepper of a scene, with its contact mode.
    pub fn for_scene(&self, scene: &Scene) -> Result<Box<dyn Stepper>, SceneError> {
        let desc = &scene.desc;
        let unknown = |name: &&String| !self.steppers.iter().any(|(known, _)| known == *name);
        if let Some(name) = desc.solver.steppers.keys().find(unknown) {
            let steppers = self.stepper_names().join(", ");
            let near = did_you_mean(name, self.stepper_names());
            let what = format!("is neither a key nor a stepper; steppers are {steppers}{near}");
            return Err(scene.error(format!("solver.{name}"), what));
        }
        // Names of other solvers are looked at with the description; a law may not suit the solver of the grid.
        let unsuited = |error| match error {
            SceneError::Registry(what) => scene.error("grid.solver", what),
            other => other,
        };
        if let Some(stepper) = scene.matter.stepper(desc).map_err(unsuited)? {
            return Ok(stepper);
        }
        if let Matter::Mixed(mixed) = &scene.matter {
            let elastic = (mixed.elastic > 0).then(|| self.elastic(scene)).transpose()?;
            return mixed.stepper(scene, elastic);
        }
        self.elastic(scene)
    }

    /// The stepper of the deformable bodies of a scene.
    fn elastic(&self, scene: &Scene) -> Result<Box<dyn Stepper>, SceneError> {
        let desc = &scene.desc;
        let solver = &desc.solver;
        let mode = desc.contact_mode();
        let plain = solver.stepper == "pd" || solver.stepper.starts_with("pd+");
        if desc.step.accuracy > 0.0 && (!plain || mode.keeps_apart()) {
            let what = format!(
                "it is followed by the stepper \"pd\" without contact that keeps surfaces apart, not by {:?} with contact {:?}; use tolerance",
                solver.stepper,
                mode.name()
            );
            return Err(scene.error("step.accuracy", what));
        }
        let global = || {
            self.global(&solver.global, &inside(&solver.stepper, &solver.global, &solver.options()))
                .map_err(|what| scene.error("solver.global", what))
        };
        if !mode.keeps_apart() {
            let global = global()?;
            return self
                .integrator(&solver.stepper, global)
                .map_err(|what| scene.error("solver.stepper", what));
        }
        if solver.stepper != "pd" {
            if !self.steppers.iter().any(|(known, _)| *known == solver.stepper) {
                self.integrator(&solver.stepper, global()?)
                    .map_err(|what| scene.error("solver.stepper", what))?;
            }
            let what = format!(
                "the stepper {:?} does not support contact {:?}, only \"pd\" does; choose contact \"project\" or \"off\"",
                solver.stepper,
                mode.name()
            );
            return Err(scene.error("solver.stepper", what));
        }
        let global = global()?;
        match mode {
            ContactMode::Barrier => return Ok(Box::new(BarrierNewton::default())),
            ContactMode::ImpactZones => {
                return Ok(Box::new(ImpactZones::new(Box::new(CpuLocal::default()), global)));
            }
            _ => {}
        }
        let start = match desc.contact.start {
            StartDesc::Refuse => StartPolicy::Refuse,
            StartDesc::Ignore => StartPolicy::IgnoreUntilApart,
            StartDesc::Untangle => StartPolicy::Untangle,
        };
        Ok(self.guarded(global, start, desc.contact.ease_speed))
    }

    /// Projective dynamics whose surfaces do not cross, with this global solver.
    fn guarded(
        &self,
        global: Box<dyn GlobalSolver>,
        start: StartPolicy,
        ease_speed: Option<f64>,
    ) -> Box<dyn Stepper> {
        let ease_speed = ease_speed.unwrap_or(f64::INFINITY);
        let verify = self.verify_contact;
        let options = ContactOptions { start, verify, ease_speed, ..ContactOptions::default() };
        Box::new(GuardedPd::new(Box::new(CpuLocal::default()), global, options))
    }

    /// Projective dynamics whose surfaces do not cross (contact `"guard"`), with the global solver of this name, for models
    /// with a collision surface. Surfaces that intersect at the start are an error of `prepare`.
    pub fn guarded_stepper(&self, global: &str) -> Result<Box<dyn Stepper>, SceneError> {
        let global = self.solvers.create(global).map_err(|error| SceneError::Registry(error.to_string()))?;
        Ok(self.guarded(global, StartPolicy::Refuse, None))
    }

    /// Creates a stepper with a global solver with these options. A name may end in a time discretisation, as in `newton+bdf2`,
    /// `pd+midpoint`, `xpbd+sub10`.
    pub fn stepper_with(
        &self,
        stepper: &str,
        global: &str,
        options: &SolverOptions,
    ) -> Result<Box<dyn Stepper>, SceneError> {
        let solver = self.global(global, &inside(stepper, global, options)).map_err(SceneError::Registry)?;
        self.integrator(stepper, solver).map_err(SceneError::Registry)
    }

    /// A global solver by name.
    fn global(&self, name: &str, options: &SolverOptions) -> Result<Box<dyn GlobalSolver>, String> {
        self.solvers.create_with(name, options).map_err(|error| {
            let near = did_you_mean(name, self.solvers.names());
            format!("{error}{near}")
        })
    }

    /// A stepper by name, with a time discretisation or without.
    fn integrator(&self, stepper: &str, global: Box<dyn GlobalSolver>) -> Result<Box<dyn Stepper>, String> {
        if let Some((inner, suffix)) = stepper.rsplit_once('+')
            && self.steppers.iter().all(|(name, _)| name != stepper)
        {
            let Some(scheme) = Scheme::parse(suffix) else {
                return Err(format!(
                    "there is no time discretisation {suffix:?}; known are bdf2, midpoint and sub2, sub3, …"
                ));
            };
            return Ok(Box::new(Integrator::new(scheme, self.integrator(inner, global)?)));
        }
        let Some((_, constructor)) = self.steppers.iter().find(|(name, _)| name == stepper) else {
            let (names, near) = (self.stepper_names(), did_you_mean(stepper, self.stepper_names()));
            return Err(format!("there is no stepper {stepper:?}; known are {}{near}", names.join(", ")));
        };
        Ok(constructor(global))
    }
}

/// Relative residual of conjugate gradients inside projective dynamics. Its iterations correct what a solve leaves: at a tolerance of
/// 10⁻⁸ they converge as fast and take two to three times as long.
const INNER_TOLERANCE: f64 = 1e-2;

/// The options of a global solver inside of a stepper: those given, and else what the stepper needs of a solve.
fn inside(stepper: &str, global: &str, options: &SolverOptions) -> SolverOptions {
    let inner = stepper.split('+').next();
    let loose = matches!(inner, Some("pd" | "pd-anderson" | "pd-lbfgs")) && global.starts_with("pcg");
    let tolerance = loose.then_some(INNER_TOLERANCE);
    SolverOptions { tolerance: options.tolerance.or(tolerance), ..*options }
}
