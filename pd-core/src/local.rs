//! The local step: all projections, then the force each vertex receives.

use crate::force_plan::ForcePlan;
use crate::{Model, Real, StepError, Vec3};

/// What a local step reads.
#[derive(Clone, Copy)]
pub struct LocalInput<'a> {
    /// The constant model.
    pub model: &'a Model,
    /// Time step h, s.
    pub dt: Real,
    /// The inertial target s.
    pub s: &'a [Vec3],
    /// The current iterate x.
    pub x: &'a [Vec3],
}

/// Evaluates the right-hand side of the global step in increment form,
///
/// b = −∇objective(x) = M/h² (s − x) − DᵀW (D x − project(D x)),
///
/// so that the global step is A Δx = b, x ← x + Δx. This equals the published A x⁺ = M/h² s + DᵀW project(D x), but
/// rounding in the factor of A (single precision, an unconverged iteration) then affects only convergence, not accuracy.
pub trait LocalStep: Send + Sync {
    /// Name for reports.
    fn name(&self) -> &str;

    /// Allocates for a model.
    fn prepare(&mut self, model: &Model) -> Result<(), StepError>;

    /// Computes b for the current iterate, without allocating.
    fn run(&mut self, input: LocalInput<'_>, b: &mut [Vec3]) -> Result<(), StepError>;

    /// Elastic energy at the `input` of the last `run`, J. Steppers with a safeguard use it; the
    /// projections of `run` are reused.
    fn elastic_energy(&mut self, input: LocalInput<'_>) -> Result<Real, StepError> {
        Ok(input.model.elastic_energy(input.x))
    }
}

/// The local step on the CPU, in the current rayon pool: forces by chunk of elements, then by vertex.
#[derive(Clone, Debug, Default)]
pub struct CpuLocal {
    plan: ForcePlan,
}

impl CpuLocal {
    /// Bytes held after `prepare`.
    pub fn bytes(&self) -> usize {
        self.plan.bytes()
    }
}

impl LocalStep for CpuLocal {
    fn name(&self) -> &str {
        "cpu"
    }

    fn prepare(&mut self, model: &Model) -> Result<(), StepError> {
        self.plan = ForcePlan::new(model);
        Ok(())
    }

    fn run(&mut self, input: LocalInput<'_>, b: &mut [Vec3]) -> Result<(), StepError> {
        let LocalInput { model, dt, s, x } = input;
        let masses = model.masses();
        let inverse_dt2 = 1.0 / (dt * dt);
        self.plan.run(model, x, |i| (s[i] - x[i]) * (masses[i] * inverse_dt2), b);
        Ok(())
    }

    fn elastic_energy(&mut self, _: LocalInput<'_>) -> Result<Real, StepError> {
        Ok(self.plan.energy())
    }
}
