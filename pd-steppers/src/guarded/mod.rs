//! Projective dynamics with contact: surfaces never cross, with Coulomb friction, on the constant factor.
//!
//! Beside inertia and elasticity a step minimises the energies of contact rows (`pd_collide::contact::Rows`), and every
//! trial is moved into the guard's convex sets before it is looked at:
//!
//! ```text
//! nothing moved for some steps, forces as before?     leave all as it is
//! s = x₀ + h v + h² M⁻¹ f,  t = x₀ + h v            where vertices want to go
//! make the list if x₀ or t left its regions         at rest: never
//! x = clamp(t), or clamp(s moved out of contact) if its objective is less
//! repeat in rounds: repeat
//!     p̂ from the balance of forces
//!     twice: d = (½ diag(A) + blocks of K)⁻¹ b      no solve; removes what a solve is bad at
//!     then:  d = some conjugate gradient iterations on (A + K) d = b, preconditioned by A⁻¹
//!     each by L-BFGS over the same pairs, x ← clamp(x + α d) where the objective falls
//!   until nothing moves; if the guard held vertices back, make the list at x and go on: a trial is shortened, not the step
//! λ ← p, λ_t ← friction;  v = (x − x₀)/h
//! ```
//! K = Jᵀ κ J is never added to A: the factor stays constant, and contact costs passes over its rows. Rows are an augmented
//! Lagrangian (Hestenes 1969, Powell 1969), so that bodies rest at their full distance whatever κ is.

mod descent;
mod ease;
mod lists;
mod rest;
mod restitution;
mod retry;
mod scratch;
mod solids;

use pd_collide::contact::{
    ContactList, ContactOptions, ContactSurface, Contacts, ListCapacity, ListSize, Memory, Rows,
    SqueezePolicy,
};
use pd_core::stepper::{self, PreparedFor};
use pd_core::{
    ContactReport, GlobalSolver, Lbfgs, LocalStep, Measures, Real, StepContext, StepError, StepReport,
    Stepper, Vec3, View, exec,
};
use scratch::Scratch;
use solids::Solids;
use std::time::Instant;

/// Projective dynamics whose bodies never cross.
pub struct GuardedPd {
    pub(crate) local: Box<dyn LocalStep>,
    pub(crate) global: Box<dyn GlobalSolver>,
    pub(crate) options: ContactOptions,
    pub(crate) surface: ContactSurface,
    prepared: Option<PreparedFor>,
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
    /// Obstacles that the list knows.
    pub(crate) listed_obstacles: usize,
    /// Whether trials are moved into the guard; not while the motion is being predicted.
    pub(crate) guarding: bool,
    /// Highest objective of an iterate of the step, J.
    pub(crate) highest: Real,
    /// Whether the present iterate is a predicted one.
    pub(crate) predicted: bool,
    /// Whether a round ended by the solve that a balanced iterate gets, after which nothing is evaluated.
    pub(crate) settled: bool,
    /// Whether the step is taken from where bodies are, with a list that carries nothing along.
    pub(crate) cautious: bool,
    /// Elements that must not turn inside out.
    pub(crate) solids: Solids,
    /// Whether bodies were displaced because they overlapped at the start of the step.
    pub(crate) eased: bool,
    /// Time at the start of the step, s.
    pub(crate) time: Real,
    /// Connected part of each vertex.
    pub(crate) parts: Vec<u32>,
    /// Of each part, squared: imbalance of forces, N², and mass, kg².
    pub(crate) part_sums: Vec<[Real; 2]>,
    /// Of each part: scratch and mean motion, m.
    pub(crate) part_means: Vec<[Vec3; 2]>,
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
            diagonal: vec![],
            compliance: vec![],
            list: ContactList::default(),
            rows: Rows::default(),
            memory: Memory::default(),
            capacity: None,
            pairs: Lbfgs::new(1, 0),
            scratch: Scratch::default(),
            contact: ContactReport::default(),
            listed_obstacles: 0,
            surface: ContactSurface::default(),
            guarding: true,
            predicted: false,
            settled: false,
            highest: Real::NEG_INFINITY,
            cautious: false,
            solids: Solids::default(),
            eased: false,
            time: 0.0,
            parts: vec![],
            part_sums: vec![],
            part_means: vec![],
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
}

impl Stepper for GuardedPd {
    fn name(&self) -> &str {
        "pd"
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.global.name())
    }

    fn keeps_surfaces_apart(&self) -> bool {
        true
    }

    fn keep_apart(&self, x: &mut [Vec3]) -> Option<usize> {
        // Both ends of the way are in the convex sets of the step's last list.
        Some(if self.prepared.is_some() { self.list.guard.clamp(x) } else { 0 })
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        self.options.check()?;
        self.prepared = None;
        let model = context.model;
        stepper::require_elastic_apart(self.name(), model)?;
        let n = model.vertices();
        let invalid = |error| StepError::Unsupported { stepper: "pd".to_owned(), what: format!("{error}") };
        self.surface = ContactSurface::new(model).map_err(invalid)?;
        self.local.prepare(model)?;
        self.global.analyse(model.pattern())?;
        let matrix = model.system_matrix(context.params.dt);
        self.global.factor(&matrix)?;
        self.diagonal = matrix.diagonal();
        self.compliance.clear();
        let compliance = |(i, d): (usize, &Real)| if model.is_kinematic(i) { 0.0 } else { d.recip() };
        self.compliance.extend(self.diagonal.iter().enumerate().map(compliance));
        let usual = ListCapacity::usual(self.surface.triangles().len(), n);
        let capacity = *self.capacity.get_or_insert(usual);
        self.list.prepare(&self.surface, &capacity);
        self.rows.prepare(n, n, capacity.rows);
        self.rows.set_bodies(self.surface.body());
        self.memory = Memory::default();
        self.memory.reserve(n, capacity.rows);
        self.pairs = Lbfgs::new(self.options.window, n);
        self.scratch.prepare(n);
        self.solids = Solids::new(model);
        let (parts, count) = rest::connected_parts(model.pattern());
        (self.parts, self.part_sums) = (parts, vec![[0.0; 2]; count]);
        self.part_means = vec![[Vec3::zeros(); 2]; count];
        self.prepared = Some(PreparedFor::new(&context));
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        stepper::validate(&context, state)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(&context)) {
            return Err(StepError::NotPrepared { stepper: self.name().to_owned() });
        }
        let mut report = StepReport::default();
        self.contact = ContactReport::default();
        let started = Instant::now();
        self.highest = Real::NEG_INFINITY;
        self.open(&context, state);
        report.stages.predict = started.elapsed();
        let rests = exec::keep_workers_spinning(|| {
            self.recall(&context, state);
            if self.rests(&context, state, &mut report)? {
                return Ok(true);
            }
            self.open_lists(&context, state, &mut report)?;
            self.minimise(&context, &mut report)?;
            self.retry(&context, &mut report)?;
            Ok::<bool, StepError>(false)
        })?;
        if rests {
            stepper::accept(context.params, state, &self.scratch.here.x)?;
        } else {
            if self.list.fraction < 1.0 && self.options.squeeze == SqueezePolicy::Fail {
                return Err(StepError::Squeezed { fraction: self.list.fraction });
            }
            let started = Instant::now();
            self.close_lists();
            self.ease(&context, &mut report)?;
            report.stages.collide += started.elapsed();
            self.verify(&context)?;
            stepper::accept(context.params, state, &self.scratch.here.x)?;
            self.forget_push(&context, state);
            self.bounce(&context, state);
            self.note_motion(&context, state);
        }
        let started = Instant::now();
        self.memory.store(&mut state.columns);
        report.collisions = self.contact.contacts;
        report.contact = Some(self.contact);
        if context.params.measure {
            let here = &self.scratch.here;
            // Contact forces belong to the balance.
            let residual = here.b.iter().map(Vec3::norm).fold(0.0, Real::max);
            let measures = Measures { objective: here.objective, residual, ..Measures::default() };
            report.measures = Some(stepper::measure_state(context, state, measures));
        }
        report.stages.predict += started.elapsed();
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_core::{
        CollisionSurface, CpuLocal, Csr, LinearError, Model, SolveReport, State, StepParams, SurfaceBody,
    };
    use pd_linear::Cholesky;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts how often it factors.
    struct Counted(Cholesky, Arc<AtomicUsize>);

    impl GlobalSolver for Counted {
        fn name(&self) -> &str {
            "counted"
        }
        fn factor(&mut self, matrix: &Csr) -> Result<(), LinearError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.factor(matrix)
        }
        fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
            self.0.solve(b, x, columns)
        }
    }

    /// Loose sheets that fall on each other, the lowest held: hash of the end, factors and room for rows.
    fn fall(room: Option<ListCapacity>) -> (u64, usize, usize) {
        const SIDE: u32 = 5;
        let layers = 4;
        let (mut x, mut triangles) = (vec![], vec![]);
        for layer in 0..layers {
            let first = layer * SIDE * SIDE;
            for k in 0..SIDE * SIDE {
                let [i, j] = [k / SIDE, k % SIDE].map(|c| 0.1 * Real::from(c) + 0.013 * Real::from(layer));
                x.push(Vec3::new(i, 0.05 * Real::from(layer), j));
                if k / SIDE + 1 < SIDE && k % SIDE + 1 < SIDE {
                    let [a, b, c, d] = [k, k + 1, k + SIDE, k + SIDE + 1].map(|v| v + first);
                    triangles.push([[a, b, c], [b, d, c]]);
                }
            }
        }
        let mut surface = CollisionSurface { rest: x.clone(), ..CollisionSurface::default() };
        for (layer, triangles) in triangles.chunks(triangles.len() / layers as usize).enumerate() {
            let mut body = SurfaceBody::new(0.02);
            body.self_contact = layer > 0;
            surface.add_body(body, triangles.as_flattened(), 0);
        }
        let kinematic: Vec<u32> = (0..SIDE * SIDE).collect();
        let model =
            Model::with_masses(vec![0.01; x.len()]).fixed(&x, &kinematic).surface(surface).build().unwrap();
        let factors = Arc::new(AtomicUsize::new(0));
        let global = Box::new(Counted(Cholesky::default(), factors.clone()));
        let mut stepper = GuardedPd::new(Box::new(CpuLocal::default()), global, ContactOptions::default());
        stepper.capacity = room;
        let (params, mut state) = (StepParams::default(), State::at_rest(x));
        stepper.prepare(StepContext::of(&model, &params)).unwrap();
        for _ in 0..20 {
            stepper.step(StepContext::of(&model, &params), &mut state).unwrap();
        }
        (state.hash(), factors.load(Ordering::Relaxed), stepper.capacity.unwrap().rows)
    }

    #[test]
    fn a_full_list_grows_without_another_factor_and_changes_no_bit() {
        let (hash, factors, usual) = fall(None);
        let small = ListCapacity { pairs: 4, rows: 4, planes: 4, share: 4 };
        let (grown_hash, grown_factors, rows) = fall(Some(small));
        assert!(rows > 4 && rows < usual, "{rows} of {usual} rows: the list was never full");
        assert_eq!((grown_hash, grown_factors), (hash, factors));
        assert_eq!(factors, 1);
    }
}
