//! Other time discretisations, each as one step of implicit Euler with other arguments.
//!
//! Implicit Euler over h′ from (x′, v′) solves M (x⁺ − x′ − h′v′)/h′² = f(x⁺) and returns v⁺ = (x⁺ − x′)/h′. With that:
//! - **BDF2**: h′ = ⅔h, x′ = (4x₀ − x₋₁)/3, v′ = (4v₀ − v₋₁)/3 gives (3x⁺ − 4x₀ + x₋₁)/(2h) = v⁺ and the same for velocities: second order,
//!   with damping of high frequencies only. The step before is a column of the state; a state without one begins with a step of
//!   implicit Euler over h, for which (once) the stepper is prepared anew.
//! - **implicit midpoint**: h′ = h/2 from (x₀, v₀) gives the midpoint (x̄, v̄); then x⁺ = 2x̄ − x₀, v⁺ = 2v̄ − v₀: second order, no damping at all;
//!   energy is conserved for linear forces, and stiff motion rings.
//!
//! So every stepper that solves implicit Euler steps can be wrapped, with any solver and energy. [`Scheme::Substeps`] cuts a step in parts.
//! What follows a path over time is where it is at the end of the whole step.

use pd_core::{
    Owner, Real, Space, State, StepContext, StepError, StepParams, StepReport, Stepper, Vec3, View,
    as_vectors, as_vectors_mut,
};

/// Columns of the state: positions and velocities of the step before.
const BEFORE_X: &str = "bdf2.x";
const BEFORE_V: &str = "bdf2.v";

/// A time discretisation over implicit Euler steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Backward differentiation of second order.
    Bdf2,
    /// The implicit midpoint rule.
    Midpoint,
    /// So many implicit Euler steps, one after another.
    Substeps(usize),
}

impl Scheme {
    /// Name as a suffix of a stepper's: `newton+bdf2`, `pd+midpoint`, `xpbd+sub10`.
    ///
    /// ```
    /// use pd_steppers::Scheme;
    /// assert_eq!(Scheme::parse("sub10"), Some(Scheme::Substeps(10)));
    /// assert_eq!(Scheme::parse("bdf3"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "bdf2" => Some(Self::Bdf2),
            "midpoint" => Some(Self::Midpoint),
            _ => name.strip_prefix("sub")?.parse().ok().filter(|&n| n > 0).map(Self::Substeps),
        }
    }

    fn suffix(self) -> String {
        match self {
            Self::Bdf2 => "bdf2".into(),
            Self::Midpoint => "midpoint".into(),
            Self::Substeps(count) => format!("sub{count}"),
        }
    }

    /// Time step of the implicit Euler steps, s.
    fn inner_dt(self, dt: Real) -> Real {
        match self {
            Self::Bdf2 => dt * (2.0 / 3.0),
            Self::Midpoint => dt / 2.0,
            Self::Substeps(count) => dt / count as Real,
        }
    }
}

/// A stepper of implicit Euler steps under another time discretisation.
pub struct Integrator {
    scheme: Scheme,
    inner: Box<dyn Stepper>,
    name: String,
    /// The state that the inner stepper works on; the true one changes only if all went well.
    work: State,
    /// Where the midpoint rule alone would end, m.
    free: Vec<Vec3>,
}

impl Integrator {
    /// Wraps a stepper.
    pub fn new(scheme: Scheme, inner: Box<dyn Stepper>) -> Self {
        let name = format!("{}+{}", inner.name(), scheme.suffix());
        Self { scheme, inner, name, work: State::default(), free: vec![] }
    }

    /// Writes what the inner stepper starts from.
    fn set_up(&mut self, state: &View<'_>, dt: Real, known: bool) {
        self.work.x.copy_from_slice(state.x);
        self.work.v.copy_from_slice(state.v);
        self.work.time = state.time;
        if self.scheme == Scheme::Bdf2 && known {
            self.work.time = state.time + dt / 3.0;
            let (x1, v1) =
                (as_vectors(state.columns.real(BEFORE_X)), as_vectors(state.columns.real(BEFORE_V)));
            for i in 0..state.x.len() {
                let (x, v) = (state.x[i], state.v[i]);
                // As differences, which is exact far from the origin.
                self.work.x[i] = x + (x - x1[i]) / 3.0;
                self.work.v[i] = v + (v - v1[i]) / 3.0;
            }
        }
    }

    /// Goes on from the midpoint to the end of the step. Positions beyond the midpoint may be inside an obstacle, and those of kinematic
    /// vertices beyond their targets: these are corrected, and their velocity is that of their way. Returns how many were inside.
    fn extrapolate(&mut self, context: StepContext<'_>, state: &View<'_>) -> usize {
        let Self { work, free, .. } = self;
        for i in 0..state.x.len() {
            let (beyond, faster) = (work.x[i] - state.x[i], work.v[i] - state.v[i]);
            work.x[i] += beyond;
            work.v[i] += faster;
        }
        free.copy_from_slice(&work.x);
        let inside = pd_core::stepper::push_out(context, state, &mut work.x);
        for i in 0..state.x.len() {
            if work.x[i] != free[i] {
                work.v[i] = (work.x[i] - state.x[i]) / context.params.dt;
            }
        }
        inside
    }

    /// Accepts the result.
    fn finish(&mut self, state: &mut View<'_>, dt: Real) {
        if self.scheme == Scheme::Bdf2 {
            store(&mut state.columns, BEFORE_X, state.x);
            store(&mut state.columns, BEFORE_V, state.v);
        }
        state.x.copy_from_slice(&self.work.x);
        state.v.copy_from_slice(&self.work.v);
        state.time += dt;
    }
}

/// Whether the state remembers the step before.
fn has_history(state: &View<'_>) -> bool {
    let rows = |name: &str| as_vectors(state.columns.real(name)).len();
    rows(BEFORE_X) == state.x.len() && rows(BEFORE_V) == state.v.len()
}

/// Copies vectors into a column.
fn store(columns: &mut Space<'_>, name: &'static str, values: &[Vec3]) {
    let column = columns.real_mut(name, Owner::Points(0), 3);
    column.resize(3 * values.len(), 0.0);
    as_vectors_mut(column).copy_from_slice(values);
}

impl Stepper for Integrator {
    fn name(&self) -> &str {
        &self.name
    }

    fn global_name(&self) -> Option<&str> {
        self.inner.global_name()
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        let params = StepParams { dt: self.scheme.inner_dt(context.params.dt), ..*context.params };
        let StepContext { model, forces, colliders, .. } = context;
        self.work = State::at_rest(vec![Vec3::zeros(); model.vertices()]);
        self.free = vec![Vec3::zeros(); model.vertices()];
        self.inner.prepare(StepContext::new(model, &params, forces, colliders))
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        pd_core::stepper::validate(&context, state)?;
        let StepContext { model, params, forces, colliders, .. } = context;
        if self.work.vertices() != state.vertices() {
            return Err(StepError::NotPrepared { stepper: self.name.clone() });
        }
        let known = self.scheme != Scheme::Bdf2 || has_history(state);
        let dt = if known { self.scheme.inner_dt(params.dt) } else { params.dt };
        let inner = StepParams { dt, ..*params };
        let outer = context;
        let context = StepContext::new(model, &inner, forces, colliders);
        if !known {
            self.inner.prepare(context)?;
        }
        self.set_up(state, params.dt, known);
        let steps = if let Scheme::Substeps(count) = self.scheme { count } else { 1 };
        let mut report = self.inner.step(context, &mut self.work)?;
        for _ in 1..steps {
            let next = self.inner.step(context, &mut self.work)?;
            report.stages.add(&next.stages);
            report.iterations += next.iterations;
            report.local_steps += next.local_steps;
            report.linear_iterations += next.linear_iterations;
            (report.reduction, report.measures) = (next.reduction, next.measures);
            report.collisions = next.collisions;
        }
        if self.scheme == Scheme::Midpoint {
            report.collisions += self.extrapolate(outer, state);
        }
        self.finish(state, params.dt);
        if !known {
            self.prepare(outer)?;
        }
        Ok(report)
    }
}
