//! Steppers and global solvers by name.

use crate::SceneError;
use crate::scene::Scene;
use crate::scene::desc::ContactMode;
use pd_collide::contact::ContactOptions;
use pd_core::{Acceleration, CpuLocal, GlobalSolver, ProjectiveDynamics, Stepper};
use pd_linear::SolverOptions;
use pd_steppers::{
    Admm, BlockXpbd, FusedJacobi, GuardedPd, Integrator, Newton, Pbd, Scheme, SteepestDescent, Symplectic,
    Vbd, Xpbd,
};

type StepperConstructor = Box<dyn Fn(Box<dyn GlobalSolver>) -> Box<dyn Stepper> + Send + Sync>;

/// Makes steppers by name, as scenes and the command line name them. Users register their own.
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
    /// Whether steppers that keep bodies apart test every accepted step by exact predicates and fail where bodies cross.
    pub verify_contact: bool,
    steppers: Vec<(String, StepperConstructor)>,
}

impl Registry {
    /// All steppers and solvers of the workspace.
    pub fn standard() -> Self {
        let solvers = pd_linear::Registry::standard();
        let mut registry = Self { solvers, verify_contact: false, steppers: vec![] };
        for acceleration in
            [Acceleration::None, Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }]
        {
            registry.register(acceleration.name(), move |global| {
                Box::new(ProjectiveDynamics::with_parts(Box::new(CpuLocal::default()), global, acceleration))
            });
        }
        registry.register("newton", |global| Box::new(Newton::with_boxed(global)));
        registry.register("admm", |global| Box::new(Admm::with_boxed(global)));
        // These have no use for a global solver.
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

    /// Makes a stepper with a global solver of default options.
    pub fn stepper(&self, stepper: &str, global: &str) -> Result<Box<dyn Stepper>, SceneError> {
        self.stepper_with(stepper, global, &SolverOptions::default())
    }

    /// Makes the stepper of a scene: that of its matter, or the one it names, with the contact it asks for.
    pub fn for_scene(&self, scene: &Scene) -> Result<Box<dyn Stepper>, SceneError> {
        let desc = &scene.desc;
        if let Some(stepper) = scene.matter.stepper(desc)? {
            return Ok(stepper);
        }
        let solver = &desc.solver;
        if desc.contact.mode != ContactMode::Guard {
            return self.stepper_with(&solver.stepper, &solver.global, &solver.options());
        }
        if solver.stepper != "pd" {
            let what = format!(
                "the stepper {:?} does not take contact \"guard\", only \"pd\" does; choose contact \"project\" or \"off\"",
                solver.stepper
            );
            return Err(SceneError::Registry(what));
        }
        let global = self
            .solvers
            .create_with(&solver.global, &solver.options())
            .map_err(|error| SceneError::Registry(error.to_string()))?;
        let options = ContactOptions { verify: self.verify_contact, ..ContactOptions::default() };
        Ok(Box::new(GuardedPd::new(Box::new(CpuLocal::default()), global, options)))
    }

    /// Makes a stepper with a global solver of these options. A name may end in time discretisations, as in `newton+bdf2`,
    /// `pd+midpoint`, `xpbd+sub10`.
    pub fn stepper_with(
        &self,
        stepper: &str,
        global: &str,
        options: &SolverOptions,
    ) -> Result<Box<dyn Stepper>, SceneError> {
        if let Some((inner, suffix)) = stepper.rsplit_once('+')
            && self.steppers.iter().all(|(name, _)| name != stepper)
        {
            let Some(scheme) = Scheme::parse(suffix) else {
                let what = format!(
                    "there is no time discretisation {suffix:?}; known are bdf2, midpoint and sub2, sub3, …"
                );
                return Err(SceneError::Registry(what));
            };
            return Ok(Box::new(Integrator::new(scheme, self.stepper_with(inner, global, options)?)));
        }
        let Some((_, constructor)) = self.steppers.iter().find(|(name, _)| name == stepper) else {
            let known = self.stepper_names().join(", ");
            return Err(SceneError::Registry(format!("there is no stepper {stepper:?}; known are {known}")));
        };
        let solver = self
            .solvers
            .create_with(global, options)
            .map_err(|error| SceneError::Registry(error.to_string()))?;
        Ok(constructor(solver))
    }
}
