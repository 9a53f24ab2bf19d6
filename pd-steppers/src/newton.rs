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
use crate::implicit::{Damping, Implicit, dot, reduction, resize};
use crate::line_search::LineSearch;
use pd_core::{
    Csr, GlobalSolver, LinearError, Psd, Real, State, StepContext, StepError, StepReport, Stepper, Vec3,
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
    global: Box<dyn GlobalSolver>,
    problem: Implicit,
    plan: HessianPlan,
    blocks: BlockCsr,
    matrix: Csr,
    direction: Vec<Vec3>,
    from: Vec<Vec3>,
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
            global,
            problem: Implicit::default(),
            plan: HessianPlan::default(),
            blocks: BlockCsr::default(),
            matrix: Csr::default(),
            direction: vec![],
            from: vec![],
        }
    }

    /// direction = Hessian⁻¹ b; `false` if the matrix is not positive definite or the direction does not descend.
    fn solve(
        &mut self,
        context: &StepContext<'_>,
        psd: Psd,
        report: &mut StepReport,
    ) -> Result<bool, StepError> {
        let started = Instant::now();
        let (model, dt) = (context.model, context.params.dt);
        let Damping { mass, strain_rate } = self.damping;
        let terms = Terms { inertia: 1.0 / (dt * dt) + mass / dt, stiffness: strain_rate / dt };
        self.plan.assemble(model, &self.problem.x, psd, terms, &mut self.blocks);
        self.blocks.expand(&mut self.matrix);
        report.stages.local += started.elapsed();
        let started = Instant::now();
        self.direction.fill(Vec3::zeros());
        let solved = self
            .global
            .factor(&self.matrix)
            .and_then(|()| self.global.solve(as_flat(&self.problem.b), as_flat_mut(&mut self.direction), 1));
        report.stages.global += started.elapsed();
        match solved {
            Ok(solve) => {
                report.linear = solve;
                report.linear_iterations += solve.iterations;
                Ok(dot(&self.direction, &self.problem.b) > 0.0)
            }
            Err(LinearError::NotPositiveDefinite { .. } | LinearError::Diverged { .. })
                if psd == Psd::Exact =>
            {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn minimise(
        &mut self,
        context: &StepContext<'_>,
        state: &State,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let params = context.params;
        let first = self.problem.start_where_defined(context, state, report)?;
        let mut objective = self.problem.objective(context)?;
        let mut norm = first;
        for _ in 0..params.iterations {
            report.reduction = reduction(norm, first);
            if norm == 0.0 || report.reduction <= params.tolerance {
                break;
            }
            // An indefinite Hessian gives way to its projection.
            let exact = self.psd == Psd::Exact && self.solve(context, Psd::Exact, report)?;
            let found = exact || self.solve(context, Psd::Project, report)?;
            if !found {
                break; // rounding level
            }
            report.iterations += 1;
            let scratch = (&self.direction[..], &mut self.from[..]);
            match SEARCH.run(&mut self.problem, context, report, scratch, objective)? {
                Some((_, there)) => objective = there,
                None => break, // no step descends: rounding level
            }
            norm = dot(&self.problem.b, &self.problem.b).sqrt();
            report.reduction = reduction(norm, first);
        }
        Ok(())
    }
}

impl Stepper for Newton {
    fn name(&self) -> &str {
        NAME
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.global.name())
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.problem.damping = self.damping;
        self.problem.prepare(NAME, &context)?;
        (self.plan, self.blocks) = HessianPlan::new(context.model)?;
        self.matrix = self.blocks.expanded()?;
        self.global.analyse(self.matrix.pattern())?;
        resize(&mut self.direction, context.model.vertices());
        resize(&mut self.from, context.model.vertices());
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        let mut report = self.problem.begin(NAME, &context, state)?;
        self.minimise(&context, state, &mut report)?;
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
