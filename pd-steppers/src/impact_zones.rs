//! Projective dynamics with rigid impact zones: a step of the thesis, and where surfaces would have crossed on the way, groups of
//! vertices move as one rigid body (Provot 1997; Bridson, Fedkiw, Anderson 2002).
//!
//! It is here to be compared with: nothing crosses, but layers in a zone stick together, there is no friction, and zones
//! grow until a pile is one lump.

use crate::near_pairs::{NearPairs, least_thickness};
use pd_collide::ccd::Conservative;
use pd_collide::response::RigidImpactZones;
use pd_core::stepper::{self, PreparedFor};
use pd_core::{
    ContactReport, GlobalSolver, LocalInput, LocalStep, Real, StepContext, StepError, StepReport, Stepper,
    Vec3, View, as_flat, as_flat_mut,
};
use std::time::Instant;

const NAME: &str = "pd-impact-zones";

/// Distance at which surfaces count as touching, as a part of the least thickness.
const SEPARATION: Real = 0.05;
/// Mass of a vertex of prescribed motion over the largest of the others.
const HEAVY: Real = 1e6;

/// Projective dynamics whose surfaces are kept apart by impact zones.
pub struct ImpactZones {
    local: Box<dyn LocalStep>,
    global: Box<dyn GlobalSolver>,
    prepared: Option<PreparedFor>,
    near: NearPairs,
    zones: RigidImpactZones,
    masses: Vec<Real>,
    s: Vec<Vec3>,
    x: Vec<Vec3>,
    b: Vec<Vec3>,
    d: Vec<Vec3>,
}

impl ImpactZones {
    /// With this local step and this global solver.
    pub fn new(local: Box<dyn LocalStep>, global: Box<dyn GlobalSolver>) -> Self {
        let [s, x, b, d] = [const { Vec::new() }; 4];
        let (near, zones) = (NearPairs::default(), RigidImpactZones::default());
        Self { local, global, prepared: None, near, zones, masses: vec![], s, x, b, d }
    }
}

impl Stepper for ImpactZones {
    fn name(&self) -> &str {
        NAME
    }

    fn global_name(&self) -> Option<&str> {
        Some(self.global.name())
    }

    fn keeps_surfaces_apart(&self) -> bool {
        true
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.prepared = None;
        context.params.check()?;
        let model = context.model;
        stepper::require_elastic_apart(NAME, model)?;
        self.local.prepare(model)?;
        self.global.analyse(model.pattern())?;
        self.global.factor(&model.system_matrix(context.params.dt))?;
        let heavy = HEAVY * model.masses().iter().copied().fold(0.0, Real::max);
        let mass = |(i, &mass): (usize, &Real)| if model.is_kinematic(i) { heavy } else { mass };
        self.masses = model.masses().iter().enumerate().map(mass).collect();
        let pairs = self.near.prepare(NAME, model);
        self.zones.prepare(model.vertices(), pairs);
        for scratch in [&mut self.s, &mut self.x, &mut self.b, &mut self.d] {
            crate::implicit::resize(scratch, model.vertices());
        }
        self.prepared = Some(PreparedFor::new(&context));
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        stepper::validate(&context, state)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(&context)) {
            return Err(StepError::NotPrepared { stepper: NAME.to_owned() });
        }
        let (model, dt) = (context.model, context.params.dt);
        let mut report = StepReport::default();
        stepper::begin_step(context, state, &mut self.s, &mut report);
        self.x.copy_from_slice(&self.s);
        for _ in 0..context.params.iterations {
            let started = Instant::now();
            self.local.run(LocalInput { model, dt, s: &self.s, x: &self.x }, &mut self.b)?;
            model.clear_kinematic(&mut self.b);
            report.stages.local += started.elapsed();
            let started = Instant::now();
            self.d.fill(Vec3::zeros());
            report.linear = self.global.solve(as_flat(&self.b), as_flat_mut(&mut self.d), 3)?;
            report.linear_iterations += report.linear.iterations;
            self.x.iter_mut().zip(&self.d).for_each(|(x, d)| *x += d);
            report.iterations += 1;
            report.local_steps += 1;
            report.stages.global += started.elapsed();
        }
        let started = Instant::now();
        report.collisions = stepper::push_out(context, state, &mut self.x);
        let least = least_thickness(model.surface());
        let mut contact = ContactReport::default();
        if least.is_finite() {
            let (near, separation) = (&mut self.near, SEPARATION * least);
            let mut fits = Ok(());
            let find = |from: &[Vec3], to: &[Vec3], pairs: &mut _| {
                if let Err(error) = near.find(model, (from, to), separation, pairs) {
                    fits = Err(error);
                }
            };
            let done =
                self.zones.respond(state.x, &mut self.x, &self.masses, separation, &Conservative, find);
            fits?;
            contact.contacts = done.vertices;
            contact.clamped = done.vertices;
            contact.rounds = done.passes;
            contact.rebuilds = done.passes;
        }
        contact.min_gap = Real::INFINITY;
        contact.obstacle_fraction = 1.0;
        report.stages.collide += started.elapsed();
        stepper::accept(context.params, state, &self.x)?;
        report.contact = Some(contact);
        Ok(report)
    }
}
