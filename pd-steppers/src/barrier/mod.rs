//! The interior-point method: implicit Euler with a logarithmic barrier between surfaces, minimised by projected Newton steps
//! that continuous detection shortens (Li et al. 2020, "Incremental Potential Contact").
//!
//! ```text
//! minimise ½‖x − s‖²_{M/h²} + E(x) + κ Σ b(d²) + friction        b acts below the thickness of a pair
//! repeat: vertices of prescribed motion go as far as nothing touches
//!         (Hessian, every term projected to be semidefinite) Δ = −gradient       conjugate gradients
//!         x += α Δ, α below the first touch and such that the objective falls
//! ```
//! It is here to be compared with: nothing crosses, one step length is shared by all vertices, and every iteration assembles and
//! solves anew. Friction is smoothed and lagged by a step.

mod lists;
mod solve;
mod terms;
mod way;

use crate::block_csr::BlockCsr;
use crate::hessian::{HessianPlan, Terms};
use crate::near_pairs::{Bodies, NearPairs, least_thickness, most_thickness};
use pd_collide::response::MovingPairs;
use pd_core::stepper::{self, PreparedFor, weighted_square_distance};
use pd_core::{
    ContactReport, CpuLocal, LocalInput, LocalStep, Psd, Real, StepContext, StepError, StepReport, Stepper,
    Surface, Vec3, View,
};
use solve::ConjugateGradients;
use std::time::Instant;
use terms::{Friction, TermSum};
use way::{free_part, past_obstacles};

const NAME: &str = "newton-barrier";

/// b″ of the barrier at half its distance, times d̂²: makes κ as stiff there as the mean diagonal of the matrix.
const HALF_WAY: Real = 23.8;
/// Step lengths tried.
const LENGTHS: usize = 24;
/// Iterations end when no vertex would move by more than this part of the least thickness.
const TOLERANCE: Real = 1e-3;
/// Gap, as a part of the thickness, to which vertices are moved out of an obstacle that came to them.
const CLEARED: Real = 0.2;

/// Newton's method with a logarithmic barrier between surfaces.
#[derive(Default)]
pub struct BarrierNewton {
    prepared: Option<PreparedFor>,
    plan: HessianPlan,
    blocks: BlockCsr,
    bodies: Bodies,
    near: NearPairs,
    pairs: MovingPairs,
    /// κ, N/m³: of the barrier in squared distances.
    kappa: Real,
    /// Thickness of the thickest and of the thinnest, m.
    reach: [Real; 2],
    x: Vec<Vec3>,
    /// Where vertices want to go, then where they might.
    to: Vec<Vec3>,
    start: Vec<Vec3>,
    /// −∇ of the whole objective, N.
    b: Vec<Vec3>,
    /// Of an obstacle, by vertex.
    surfaces: Vec<Surface>,
    elastic: Elastic,
    terms: TermSum,
    friction: Friction,
    linear: ConjugateGradients,
}

/// Inertia and elasticity.
#[derive(Default)]
struct Elastic {
    local: CpuLocal,
    /// Inertial target, m.
    s: Vec<Vec3>,
    /// −gradient, N.
    force: Vec<Vec3>,
}

impl Elastic {
    /// Value at `x`, and −gradient in `self.force`.
    fn evaluate(&mut self, context: &StepContext<'_>, x: &[Vec3]) -> Result<Real, StepError> {
        let (model, dt) = (context.model, context.params.dt);
        let input = LocalInput { model, dt, s: &self.s, x };
        self.local.run(input, &mut self.force)?;
        let masses = model.masses();
        let inertia = weighted_square_distance(|i| masses[i] / (dt * dt), x, &self.s);
        Ok(inertia + self.local.elastic_energy(input)?)
    }
}

impl BarrierNewton {
    /// Moves `self.x` towards `self.to` as far as nothing touches; the part of the way that was gone.
    fn approach(&mut self, context: &StepContext<'_>) -> Result<Real, StepError> {
        self.near.find(context.model, (&self.x, &self.to), self.reach[0], &mut self.pairs)?;
        let part = free_part(&self.pairs, &self.x, &self.to);
        self.x.iter_mut().zip(&self.to).for_each(|(x, to)| *x += (to - *x) * part);
        Ok(part)
    }

    /// Vertices of prescribed motion go on; those that an obstacle came to are moved out of it.
    fn make_way(&mut self, context: &StepContext<'_>, time: Real) -> Result<Real, StepError> {
        self.to.copy_from_slice(&self.x);
        context.model.place_kinematic(&mut self.to);
        let part = self.approach(context)?;
        self.to.copy_from_slice(&self.x);
        for collider in context.colliders.iter().filter_map(|collider| collider.for_vertices()) {
            collider.sample(&self.to, time, &mut self.surfaces);
            for (i, surface) in
                self.surfaces.iter().enumerate().filter(|(i, _)| !context.model.is_kinematic(*i))
            {
                let wanted = CLEARED * self.reach[1];
                if surface.distance < 0.5 * wanted {
                    self.to[i] += surface.normal * (wanted - surface.distance);
                }
            }
        }
        if self.to != self.x {
            self.approach(context)?;
            for collider in context.colliders.iter().filter_map(|collider| collider.for_vertices()) {
                collider.sample(&self.x, time, &mut self.surfaces);
                let inside = self
                    .surfaces
                    .iter()
                    .enumerate()
                    .find(|(i, surface)| surface.distance <= 0.0 && !context.model.is_kinematic(*i));
                if let Some((vertex, surface)) = inside {
                    let what = format!(
                        "an obstacle that moves over vertex {vertex} by {:.1e} m in a step",
                        -surface.distance
                    );
                    return Err(StepError::Unsupported { stepper: NAME.to_owned(), what });
                }
            }
        }
        Ok(part)
    }

    /// One Newton step; how far the farthest vertex went, m, before the step was shortened.
    fn iterate(
        &mut self,
        context: &StepContext<'_>,
        time: Real,
        report: &mut StepReport,
    ) -> Result<Real, StepError> {
        let (model, dt) = (context.model, context.params.dt);
        let started = Instant::now();
        let value = self.elastic.evaluate(context, &self.x)?;
        let inertia = Terms { inertia: 1.0 / (dt * dt), stiffness: 0.0 };
        self.plan.assemble(model, &self.x, Psd::Project, inertia, &mut self.blocks);
        report.stages.local += started.elapsed();
        let started = Instant::now();
        self.near.find(model, (&self.x, &self.x), self.reach[0], &mut self.pairs)?;
        let barrier = terms::Barrier { model, bodies: &self.bodies, kappa: self.kappa, time };
        let contact = self.terms.evaluate(&barrier, context, &self.pairs, &self.friction, &self.x, true);
        self.terms.blocks.check(NAME)?;
        for (b, (force, gradient)) in
            self.b.iter_mut().zip(self.elastic.force.iter().zip(&self.terms.gradient))
        {
            *b = force - gradient;
        }
        model.clear_kinematic(&mut self.b);
        report.stages.collide += started.elapsed();
        let started = Instant::now();
        let direction = self.linear.solve(model, &self.blocks, &self.terms, &self.b, report);
        report.stages.global += started.elapsed();
        let started = Instant::now();
        let moved = direction.iter().map(|d| d.norm()).fold(0.0, Real::max);
        go(&self.x, direction, 1.0, &mut self.to);
        self.near.find(model, (&self.x, &self.to), self.reach[0], &mut self.pairs)?;
        let mut length =
            free_part(&self.pairs, &self.x, &self.to).min(past_obstacles(context, time, &self.x, &self.to));
        report.stages.collide += started.elapsed();
        for _ in 0..LENGTHS {
            go(&self.x, direction, length, &mut self.to);
            let elastic = self.elastic.evaluate(context, &self.to)?;
            let others = self.terms.evaluate(&barrier, context, &self.pairs, &self.friction, &self.to, false);
            report.local_steps += 1;
            if elastic + others <= value + contact {
                std::mem::swap(&mut self.x, &mut self.to);
                return Ok(moved);
            }
            length *= 0.5;
        }
        Ok(0.0)
    }
}

/// x + d · length.
fn go(x: &[Vec3], direction: &[Vec3], length: Real, out: &mut [Vec3]) {
    for (out, (x, d)) in out.iter_mut().zip(x.iter().zip(direction)) {
        *out = x + d * length;
    }
}

impl Stepper for BarrierNewton {
    fn name(&self) -> &str {
        NAME
    }

    fn keeps_surfaces_apart(&self) -> bool {
        true
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.prepared = None;
        context.params.check()?;
        let model = context.model;
        stepper::require_elastic_apart(NAME, model)?;
        self.elastic.local.prepare(model)?;
        (self.plan, self.blocks) = HessianPlan::new(model)?;
        self.bodies = Bodies::new(model);
        let surface = model.surface();
        let most = most_thickness(surface);
        self.reach = if most > 0.0 { [most, least_thickness(surface)] } else { [1e-3; 2] };
        let diagonal = model.system_matrix(context.params.dt).diagonal();
        let free = || (0..model.vertices()).filter(|&i| !model.is_kinematic(i));
        let mean = free().map(|i| diagonal[i]).sum::<Real>() / free().count().max(1) as Real;
        self.kappa = mean / (HALF_WAY * self.reach[1] * self.reach[1]);
        let n = model.vertices();
        for scratch in [
            &mut self.x,
            &mut self.to,
            &mut self.start,
            &mut self.b,
            &mut self.elastic.s,
            &mut self.elastic.force,
            &mut self.terms.gradient,
        ] {
            crate::implicit::resize(scratch, n);
        }
        self.surfaces.clear();
        self.surfaces.resize(n, Surface::default());
        self.pairs.prepare(self.near.prepare(NAME, model));
        // An obstacle may come later. Each gives a vertex a block of the barrier and one of friction.
        let obstacles = context.colliders.len() + 1;
        self.friction.contacts.prepare(surface, obstacles);
        self.terms.blocks.prepare(surface, 2 * obstacles);
        self.linear.prepare(n);
        self.prepared = Some(PreparedFor::new(&context));
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        stepper::validate(&context, state)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(&context)) {
            return Err(StepError::NotPrepared { stepper: NAME.to_owned() });
        }
        let time = state.time + context.params.dt;
        let mut report = StepReport::default();
        let started = Instant::now();
        stepper::predict(context, state, &mut self.elastic.s);
        stepper::hold_pinned(context, state, &mut self.elastic.s);
        self.start.copy_from_slice(state.x);
        self.x.copy_from_slice(state.x);
        self.near.find(context.model, (&self.x, &self.x), self.reach[0], &mut self.pairs)?;
        let barrier = terms::Barrier { model: context.model, bodies: &self.bodies, kappa: self.kappa, time };
        self.friction.lag(&barrier, &context, &self.pairs, &self.start);
        self.friction.contacts.check(NAME)?;
        report.stages.predict = started.elapsed();
        let mut contact = ContactReport::default();
        let mut part = 0.0;
        for _ in 0..context.params.iterations {
            part = self.make_way(&context, time)?;
            contact.rebuilds += 1;
            report.iterations += 1;
            let moved = self.iterate(&context, time, &mut report)?;
            if moved < TOLERANCE * self.reach[1] && part == 1.0 {
                break;
            }
        }
        contact.contacts = self.terms.active;
        contact.min_gap = self.terms.least_gap;
        contact.obstacle_fraction = part;
        contact.rounds = report.iterations;
        report.contact = Some(contact);
        report.collisions = contact.contacts;
        stepper::accept(context.params, state, &self.x)?;
        Ok(report)
    }
}
