//! Symplectic (semi-implicit) Euler: v⁺ = v + h M⁻¹ (f_ext − ∇E(x)), x⁺ = x + h v⁺.
//!
//! One force evaluation per step and nothing to solve; energy errors stay bounded. Stable for h < 2/√λmax(M⁻¹K) alone, K the
//! stiffness; [`Symplectic::step_limit`] has the bound for K = DᵀWD, which is sharp at rest for distance laws. Beyond it the highest
//! frequency grows from step to step until [`StepError::Diverged`] says so.

use crate::implicit::{dot, resize};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::stepper::{self, PreparedFor};
use pd_core::{
    CpuLocal, LocalInput, LocalStep, Measures, Model, Owner, Real, StepContext, StepError, StepReport,
    Stepper, Vec3, View, as_flat, as_flat_mut,
};
use std::time::Instant;

/// Name of the stepper.
const NAME: &str = "symplectic";

/// Column of the state: the energy that the growth is measured against, J.
const SCALE: &str = "symplectic.scale";

/// Growth of kinetic and elastic energy over the scale that is called divergence. Falling through 10⁴ times the size of the
/// scene is not.
const DIVERGED: Real = 1e4;

/// Power iterations for the step limit.
const POWER: usize = 60;

/// Semi-implicit Euler.
#[derive(Default)]
pub struct Symplectic {
    local: CpuLocal,
    prepared: Option<PreparedFor>,
    s: Vec<Vec3>,
    force: Vec<Vec3>,
    limit: Real,
}

impl Symplectic {
    /// The largest stable time step, s, as found in `prepare`: 2/√λmax(M⁻¹DᵀWD).
    pub fn step_limit(&self) -> Option<Real> {
        self.prepared.as_ref().map(|_| self.limit)
    }

    /// Energy of motion and deformation, J, and a scale for it from the size of the scene under gravity.
    fn energies(&self, context: &StepContext<'_>, state: &View<'_>, elastic: Real) -> (Real, Real) {
        let (masses, gravity) = (context.model.masses(), context.params.gravity.norm());
        let empty = (0.0, 0.0, Vec3::repeat(Real::INFINITY), Vec3::repeat(Real::NEG_INFINITY));
        let leaf = |range: std::ops::Range<usize>| {
            range.fold(empty, |(kinetic, mass, low, high), i| {
                let kinetic = kinetic + 0.5 * masses[i] * state.v[i].norm_squared();
                (kinetic, mass + masses[i], low.inf(&state.x[i]), high.sup(&state.x[i]))
            })
        };
        let both = |a: (Real, Real, Vec3, Vec3), b: (Real, Real, Vec3, Vec3)| {
            (a.0 + b.0, a.1 + b.1, a.2.inf(&b.2), a.3.sup(&b.3))
        };
        let (kinetic, mass, low, high) = exec::reduce(0..state.vertices(), VERTEX_CHUNK, &leaf, &both);
        (kinetic + elastic, mass * gravity * (high - low).norm())
    }
}

/// 2/√λmax(M⁻¹DᵀWD) by power iteration from a fixed start.
fn step_limit(model: &Model) -> Real {
    // The matrix of a step so long that inertia does not count would lose digits; take it out again exactly instead.
    let a = model.system_matrix(1.0);
    let (n, masses) = (model.vertices(), model.masses());
    let mut x: Vec<Vec3> = (0..n).map(|i| Vec3::repeat((1.7 * i as Real).sin() + 0.3)).collect();
    let (mut y, mut largest) = (vec![Vec3::zeros(); n], 0.0);
    for _ in 0..POWER {
        a.multiply(as_flat(&x), as_flat_mut(&mut y), 3);
        for ((y, x), m) in y.iter_mut().zip(&x).zip(masses) {
            *y = *y / *m - x;
        }
        let norm = dot(&y, &y).sqrt();
        largest = norm / dot(&x, &x).sqrt();
        if !(norm > 0.0 && norm.is_finite()) {
            break;
        }
        x.iter_mut().zip(&y).for_each(|(x, y)| *x = y / norm);
    }
    if largest > 0.0 { 2.0 / largest.sqrt() } else { Real::INFINITY }
}

impl Stepper for Symplectic {
    fn name(&self) -> &str {
        NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.prepared = None;
        context.params.check()?;
        stepper::require_elastic(NAME, context.model)?;
        self.local.prepare(context.model)?;
        resize(&mut self.s, context.model.vertices());
        resize(&mut self.force, context.model.vertices());
        self.limit = step_limit(context.model);
        self.prepared = Some(PreparedFor::new(&context));
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        let StepContext { model, params, .. } = context;
        stepper::validate(&context, state)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(&context)) {
            return Err(StepError::NotPrepared { stepper: NAME.to_owned() });
        }
        let mut report = StepReport { iterations: 1, local_steps: 1, ..StepReport::default() };
        let started = Instant::now();
        // With s = x the local step returns the elastic force alone.
        let input = LocalInput { model, dt: params.dt, s: state.x, x: state.x };
        self.local.run(input, &mut self.force)?;
        let elastic = self.local.elastic_energy(input)?;
        report.stages.local += started.elapsed();
        let (energy, size) = self.energies(&context, state, elastic);
        let scale = match state.columns.real(SCALE).first() {
            Some(&scale) if scale > 0.0 => scale,
            _ => energy + size,
        };
        if scale > 0.0 && (energy.is_nan() || energy > DIVERGED * scale) {
            return Err(StepError::Diverged { stepper: NAME.to_owned(), growth: energy / scale });
        }
        stepper::begin_step(context, state, &mut self.s, &mut report);
        let (masses, force, dt2) = (model.masses(), &self.force, params.dt * params.dt);
        exec::for_each_chunk(&mut self.s, VERTEX_CHUNK, |first, s| {
            for (s, i) in s.iter_mut().zip(first..) {
                *s += force[i] * (dt2 / masses[i]);
            }
        });
        model.place_kinematic(&mut self.s);
        let measures = params.measure.then(Measures::default);
        stepper::end_step(context, state, &mut self.s, measures, &mut report)?;
        let column = state.columns.real_mut(SCALE, Owner::Global, 1);
        column.clear();
        column.push(scale);
        Ok(report)
    }
}
