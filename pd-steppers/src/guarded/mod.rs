//! Projective dynamics with contact: surfaces never cross, with Coulomb friction, on the constant factor.
//!
//! Beside inertia and elasticity a step minimises the energies of contact rows (`pd_collide::contact::Rows`), and every
//! trial is moved into the guard's convex sets before it is looked at:
//!
//! ```text
//! s = x₀ + h v + h² M⁻¹ f,  t = x₀ + h v            where vertices want to go
//! make the list if x₀ or t left its regions         at rest: never
//! x = clamp(t), or clamp(s moved out of contact) if its objective is less
//! repeat in rounds: repeat
//!     p̂ from the balance of forces
//!     twice: d = (½ diag(A) + blocks of K)⁻¹ b      no solve; removes what a solve is bad at
//!     then:  d = some conjugate gradient iterations on (A + K) d = b, preconditioned by A⁻¹
//!     each by L-BFGS over the same pairs, x ← clamp(x + α d) where the objective falls
//!   until nothing moves; if the guard held vertices back, make the list at x and go on
//! λ ← p, λ_t ← friction;  v = (x − x₀)/h
//! ```
//! K = Jᵀ κ J is never added to A: the factor stays constant, and contact costs passes over its rows. Rows are an augmented
//! Lagrangian (Hestenes 1969, Powell 1969), so that bodies rest at their full distance whatever κ is.

mod descent;
mod lists;
mod restitution;
mod scratch;

use pd_collide::contact::{
    ContactList, ContactOptions, ContactSurface, Contacts, ListCapacity, ListSize, Memory, Rows,
};
use pd_core::stepper::{self, PreparedFor};
use pd_core::{
    ContactReport, Csr, GlobalSolver, Lbfgs, LocalStep, Real, State, StepContext, StepError, StepReport,
    Stepper,
};
use scratch::Scratch;
use std::time::Instant;

/// Projective dynamics whose bodies never cross.
pub struct GuardedPd {
    pub(crate) local: Box<dyn LocalStep>,
    pub(crate) global: Box<dyn GlobalSolver>,
    pub(crate) options: ContactOptions,
    pub(crate) surface: ContactSurface,
    prepared: Option<PreparedFor>,
    pub(crate) matrix: Csr,
    pub(crate) diagonal: Vec<Real>,
    /// 1/A_ii by vertex of the surface; zero for those that are not pushed.
    pub(crate) compliance: Vec<Real>,
    pub(crate) list: ContactList,
    pub(crate) rows: Rows,
    pub(crate) memory: Memory,
    pub(crate) capacity: Option<ListCapacity>,
    pub(crate) pairs: Lbfgs,
    pub(crate) scratch: Scratch,
    pub(crate) contact: ContactReport,
}

impl GuardedPd {
    /// Projective dynamics with this local step and this global solver. What can touch is the model's
    /// [`surface`](pd_core::Model::surface).
    pub fn new(local: Box<dyn LocalStep>, global: Box<dyn GlobalSolver>, options: ContactOptions) -> Self {
        Self {
            local,
            global,
            options,
            prepared: None,
            matrix: Csr::default(),
            diagonal: vec![],
            compliance: vec![],
            list: ContactList::default(),
            rows: Rows::default(),
            memory: Memory::default(),
            capacity: None,
            pairs: Lbfgs::new(1, 0),
            scratch: Scratch::default(),
            contact: ContactReport::default(),
            surface: ContactSurface::default(),
        }
    }

    /// The contacts of the last step, as plain arrays.
    pub fn contacts(&self, out: &mut Contacts) {
        self.rows.contacts(&self.list.rows, &self.scratch.here.x, &self.scratch.d, out);
    }

    /// Sizes of the last list.
    pub fn list_size(&self) -> &ListSize {
        &self.list.size
    }

    /// A list did not fit: nothing is lost, the next `prepare` makes the room.
    pub(crate) fn overflow(&mut self, capacity: ListCapacity) -> StepError {
        let mut grown = capacity;
        grown.grow(&self.list.size);
        let (needed, have) = (self.list.size.candidates, capacity.candidates);
        self.capacity = Some(grown);
        self.memory = Memory::default();
        StepError::Capacity { stepper: "pd".to_owned(), what: "pairs near contact", needed, have }
    }
}

impl Stepper for GuardedPd {
    fn name(&self) -> &str {
        "pd"
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.global.name())
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        self.options.check()?;
        self.prepared = None;
        let model = context.model;
        stepper::require_elastic(self.name(), model)?;
        let n = model.vertices();
        let invalid = |error| StepError::Unsupported { stepper: "pd".to_owned(), what: format!("{error}") };
        self.surface = ContactSurface::new(model).map_err(invalid)?;
        self.local.prepare(model)?;
        self.global.analyse(model.pattern())?;
        self.matrix = model.system_matrix(context.params.dt);
        self.global.factor(&self.matrix)?;
        self.diagonal = self.matrix.diagonal();
        self.compliance.clear();
        let compliance = |(i, d): (usize, &Real)| if model.is_kinematic(i) { 0.0 } else { d.recip() };
        self.compliance.extend(self.diagonal.iter().enumerate().map(compliance));
        let usual = ListCapacity::usual(self.surface.triangles().len(), n);
        let capacity = *self.capacity.get_or_insert(usual);
        self.list.prepare(&self.surface, &capacity, context.colliders.len());
        self.rows.prepare(n, n, capacity.rows);
        self.memory = Memory::default();
        self.memory.reserve(n, capacity.rows);
        self.pairs = Lbfgs::new(self.options.window, n);
        self.scratch.prepare(n);
        self.prepared = Some(PreparedFor::new(&context));
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        stepper::validate(&context, state)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(&context)) {
            return Err(StepError::NotPrepared { stepper: self.name().to_owned() });
        }
        let mut report = StepReport::default();
        self.contact = ContactReport::default();
        let started = Instant::now();
        self.open(&context, state);
        report.stages.predict = started.elapsed();
        let started = Instant::now();
        self.open_lists(&context, state)?;
        report.stages.collide += started.elapsed();
        self.minimise(&context, &mut report)?;
        let started = Instant::now();
        self.close_lists();
        report.stages.collide += started.elapsed();
        let started = Instant::now();
        self.verify(&context)?;
        self.scratch.velocity.copy_from_slice(&state.v);
        stepper::accept(context.params, state, &self.scratch.here.x)?;
        self.memory.store(&mut state.columns);
        self.bounce(&context, state);
        report.collisions = self.contact.contacts;
        report.contact = Some(self.contact);
        report.stages.predict += started.elapsed();
        Ok(report)
    }
}
