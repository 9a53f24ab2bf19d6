//! Newton's method on the objective of implicit Euler.
//!
//! ```text
//! repeat: (M/h² + DᵀHD) d = −∇objective(x)      H: second derivatives of every element
//!         x += α d                               α by backtracking
//! ```
//! Exact second derivatives are indefinite under compression; where the factorisation says so, or the direction does not
//! descend, each element's Hessian is replaced by the nearest positive semidefinite one (Teran et al. 2005, "Robust
//! quasistatic finite elements and flesh simulation"). Elements of laws that forbid inversion start from the present positions if the
//! inertial target is not allowed, and never leave what is.
//!
//! The matrix changes in every iteration, so a direct solver factors in every iteration; that, and what the solver
//! allocates for it, is the price of quadratic convergence.

use crate::block_csr::BlockCsr;
use crate::hessian::{HessianPlan, Terms};
use crate::implicit::{Damping, Implicit, dot, resize};
use crate::line_search::{LineSearch, minimise};
use pd_core::{
    Csr, GlobalSolver, LinearError, Psd, Real, StepContext, StepError, StepReport, Stepper, Vec3, View,
    as_flat, as_flat_mut,
};
use std::time::Instant;

/// Name of the stepper.
const NAME: &str = "newton";

/// Halvings of a step.
const SEARCH: LineSearch = LineSearch { first: 1.0, shrink: 0.5, lengths: 30 };

/// Implicit Euler by Newton's method. Give [`StepParams::iterations`](pd_core::StepParams::iterations) a handful, and a
/// [`tolerance`](pd_core::StepParams::tolerance) to stop early.
pub struct Newton {
    /// Which Hessian to try first. Default [`Psd::Exact`], with [`Psd::Project`] where it fails.
    pub psd: Psd,
    /// Damping terms of the objective. Default none.
    pub damping: Damping,
    linear: Linear,
    problem: Implicit,
    direction: Vec<Vec3>,
    from: Vec<Vec3>,
}

/// The linear system of an iteration.
struct Linear {
    global: Box<dyn GlobalSolver>,
    plan: HessianPlan,
    blocks: BlockCsr,
    matrix: Csr,
}

impl Newton {
    /// With this solver of the linear systems.
    pub fn new(global: impl GlobalSolver + 'static) -> Self {
        Self::with_boxed(Box::new(global))
    }

    /// As [`new`](Self::new), with a solver that is boxed already.
    pub fn with_boxed(global: Box<dyn GlobalSolver>) -> Self {
        Self {
            psd: Psd::Exact,
            damping: Damping::default(),
            linear: Linear {
                global,
                plan: HessianPlan::default(),
                blocks: BlockCsr::default(),
                matrix: Csr::default(),
            },
            problem: Implicit::default(),
            direction: vec![],
            from: vec![],
        }
    }
}

impl Linear {
    /// direction = Hessian⁻¹ b; `false` if the matrix is not positive definite or the direction does not descend.
    fn solve(
        &mut self,
        context: &StepContext<'_>,
        problem: &Implicit,
        psd: Psd,
        direction: &mut [Vec3],
        report: &mut StepReport,
    ) -> Result<bool, StepError> {
        let started = Instant::now();
        let (model, dt) = (context.model, context.params.dt);
        let Damping { mass, strain_rate } = problem.damping;
        let terms = Terms { inertia: 1.0 / (dt * dt) + mass / dt, stiffness: strain_rate / dt };
        self.plan.assemble(model, &problem.x, psd, terms, &mut self.blocks);
        self.blocks.expand(&mut self.matrix);
        report.stages.local += started.elapsed();
        let started = Instant::now();
        direction.fill(Vec3::zeros());
        let solved = self
            .global
            .factor(&self.matrix)
            .and_then(|()| self.global.solve(as_flat(&problem.b), as_flat_mut(direction), 1));
        report.stages.global += started.elapsed();
        match solved {
            Ok(solve) => {
                report.linear = solve;
                report.linear_iterations += solve.iterations;
                Ok(dot(direction, &problem.b) > 0.0)
            }
            Err(LinearError::NotPositiveDefinite { .. } | LinearError::Diverged { .. })
                if psd == Psd::Exact =>
            {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Stepper for Newton {
    fn name(&self) -> &str {
        NAME
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.linear.global.name())
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.problem.damping = self.damping;
        self.problem.prepare(NAME, &context)?;
        let linear = &mut self.linear;
        (linear.plan, linear.blocks) = HessianPlan::new(context.model)?;
        linear.matrix = linear.blocks.expanded()?;
        linear.global.analyse(linear.matrix.pattern())?;
        resize(&mut self.direction, context.model.vertices());
        resize(&mut self.from, context.model.vertices());
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let mut report = self.problem.begin(NAME, &context, state)?;
        let scratch = (&mut self.direction[..], &mut self.from[..]);
        let (linear, psd) = (&mut self.linear, self.psd);
        minimise(
            &mut self.problem,
            &context,
            state,
            &mut report,
            scratch,
            |problem, _, direction, report| {
                // An indefinite Hessian gives way to its projection.
                let mut solve = |psd| linear.solve(&context, problem, psd, direction, report);
                let found = (psd == Psd::Exact && solve(Psd::Exact)?) || solve(Psd::Project)?;
                Ok(found.then_some(SEARCH)) // none: rounding level
            },
        )?;
        self.problem.end(&context, state, &mut report)?;
        Ok(report)
    }
}

/// The Hessian of the objective of implicit Euler at `x`, for tests and studies: M/h² + DᵀHD in 3×3 blocks.
pub fn objective_hessian(
    model: &pd_core::Model,
    x: &[Vec3],
    dt: Real,
    psd: Psd,
) -> Result<BlockCsr, LinearError> {
    let (mut plan, mut blocks) = HessianPlan::new(model)?;
    plan.assemble(model, x, psd, Terms { inertia: 1.0 / (dt * dt), stiffness: 0.0 }, &mut blocks);
    Ok(blocks)
}
