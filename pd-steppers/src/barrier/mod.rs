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
//! solves anew. Friction is smoothed and lagged by a step. Steps allocate.

mod solve;
mod terms;

use crate::block_csr::BlockCsr;
use crate::hessian::{HessianPlan, Terms};
use crate::near_pairs::{Bodies, NearPairs, most_thickness};
use pd_collide::ccd::{Ccd, Conservative, EdgeEdge, PointTriangle};
use pd_collide::response::MovingPairs;
use pd_core::stepper::{self, PreparedFor, weighted_square_distance};
use pd_core::{
    ContactReport, CpuLocal, LocalInput, LocalStep, Psd, Real, State, StepContext, StepError, StepReport,
    Stepper, Surface, Vec3,
};
use std::time::Instant;
use terms::{Friction, TermSum};

const NAME: &str = "newton-barrier";

/// Part of the way to the first touch that a step may go.
const KEEP: Real = 0.8;
/// b″ of the barrier at half its distance, times d̂²: makes κ as stiff there as the mean diagonal of the matrix.
const HALF_WAY: Real = 23.8;
/// Step lengths tried.
const LENGTHS: usize = 24;
/// Iterations end when no vertex would move by more than this part of the least thickness.
const TOLERANCE: Real = 1e-3;
/// Gap, as a part of the thickness, to which vertices are moved out of an obstacle that came to them.
const CLEARED: Real = 0.2;
/// Steps along a path past an obstacle.
const MARCH: usize = 64;

/// Newton's method with a logarithmic barrier between surfaces.
pub struct BarrierNewton {
    local: CpuLocal,
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
    s: Vec<Vec3>,
    start: Vec<Vec3>,
    elastic: Vec<Vec3>,
    terms: TermSum,
    friction: Friction,
}

impl Default for BarrierNewton {
    fn default() -> Self {
        let [x, s, start, elastic] = [const { Vec::new() }; 4];
        Self {
            local: CpuLocal::default(),
            prepared: None,
            plan: HessianPlan::default(),
            blocks: BlockCsr::default(),
            bodies: Bodies::default(),
            near: NearPairs::default(),
            pairs: MovingPairs::default(),
            kappa: 0.0,
            reach: [0.0; 2],
            x,
            s,
            start,
            elastic,
            terms: TermSum::default(),
            friction: Friction::default(),
        }
    }
}

impl BarrierNewton {
    /// Inertia and elasticity at `x`: value, and −gradient in `self.elastic`.
    fn elastic(&mut self, context: &StepContext<'_>, x: &[Vec3]) -> Result<Real, StepError> {
        let (model, dt) = (context.model, context.params.dt);
        let input = LocalInput { model, dt, s: &self.s, x };
        self.local.run(input, &mut self.elastic)?;
        let masses = model.masses();
        let inertia = weighted_square_distance(|i| masses[i] / (dt * dt), x, &self.s);
        Ok(inertia + self.local.elastic_energy(input)?)
    }

    /// The part of the way from `from` to `to` on which nothing of the surface touches, at most 1.
    fn free_part(&self, from: &[Vec3], to: &[Vec3]) -> Real {
        let motion = |v: &[u32; 4]| (v.map(|v| from[v as usize]), v.map(|v| to[v as usize]));
        let mut part: Real = 1.0;
        for pair in &self.pairs.vertex_triangles {
            let (start, end) = motion(pair);
            let hit = Conservative.vertex_triangle(&PointTriangle { start, end, separation: 0.0 });
            part = hit.map_or(part, |time| part.min(KEEP * time));
        }
        for pair in &self.pairs.edge_edges {
            let (start, end) = motion(pair);
            let hit = Conservative.edge_edge(&EdgeEdge { start, end, separation: 0.0 });
            part = hit.map_or(part, |time| part.min(KEEP * time));
        }
        part
    }

    /// The same for obstacles: every vertex goes along its way by distances to the nearest surface.
    fn past_obstacles(&self, context: &StepContext<'_>, time: Real, from: &[Vec3], to: &[Vec3]) -> Real {
        let mut part: Real = 1.0;
        for i in (0..from.len()).filter(|&i| !context.model.is_kinematic(i)) {
            let way = to[i] - from[i];
            let length = way.norm();
            if length == 0.0 {
                continue;
            }
            for collider in context.colliders {
                let first = collider.surface_at(&from[i], time).distance;
                let mut gone = 0.0;
                for _ in 0..MARCH {
                    let gap = collider.surface_at(&(from[i] + way * gone), time).distance;
                    let step = gap - (1.0 - KEEP) * first.min(gap);
                    if gap < 0.3 * first {
                        break;
                    }
                    gone += step.max(0.0) / length;
                    if gone >= part {
                        break;
                    }
                }
                part = part.min(gone);
            }
        }
        part
    }

    /// Moves `self.x` towards `to` as far as nothing touches; the part of the way that was gone.
    fn approach(&mut self, context: &StepContext<'_>, to: &[Vec3]) -> Real {
        let from = std::mem::take(&mut self.x);
        self.near.find(context.model, (&from, to), self.reach[0], &mut self.pairs);
        let part = self.free_part(&from, to);
        self.x = from.iter().zip(to).map(|(a, b)| a + (b - a) * part).collect();
        part
    }

    /// Vertices of prescribed motion go on; those that an obstacle came to are moved out of it.
    fn make_way(&mut self, context: &StepContext<'_>, time: Real) -> Result<Real, StepError> {
        let mut to = self.x.clone();
        context.model.place_kinematic(&mut to);
        let part = self.approach(context, &to);
        let mut to = self.x.clone();
        let mut surfaces = vec![Surface::default(); to.len()];
        for collider in context.colliders {
            collider.sample(&to, time, &mut surfaces);
            for (i, surface) in surfaces.iter().enumerate().filter(|(i, _)| !context.model.is_kinematic(*i)) {
                let wanted = CLEARED * self.reach[1];
                if surface.distance < 0.5 * wanted {
                    to[i] += surface.normal * (wanted - surface.distance);
                }
            }
        }
        if to != self.x {
            self.approach(context, &to);
            for collider in context.colliders {
                collider.sample(&self.x, time, &mut surfaces);
                let inside = surfaces
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
        let x = std::mem::take(&mut self.x);
        let value = self.elastic(context, &x)?;
        let inertia = Terms { inertia: 1.0 / (dt * dt), stiffness: 0.0 };
        self.plan.assemble(model, &x, Psd::Project, inertia, &mut self.blocks);
        report.stages.local += started.elapsed();
        let started = Instant::now();
        self.near.find(model, (&x, &x), self.reach[0], &mut self.pairs);
        let barrier = terms::Barrier { model, bodies: &self.bodies, kappa: self.kappa, time };
        let contact = self.terms.evaluate(&barrier, context, &self.pairs, &self.friction, &x, true);
        let mut b: Vec<Vec3> = self.elastic.iter().zip(&self.terms.gradient).map(|(e, g)| e - g).collect();
        model.clear_kinematic(&mut b);
        report.stages.collide += started.elapsed();
        let started = Instant::now();
        let direction = solve::conjugate_gradients(model, &self.blocks, &self.terms, &b, report);
        report.stages.global += started.elapsed();
        let started = Instant::now();
        let moved = direction.iter().map(|d| d.norm()).fold(0.0, Real::max);
        let to: Vec<Vec3> = x.iter().zip(&direction).map(|(x, d)| x + d).collect();
        self.near.find(model, (&x, &to), self.reach[0], &mut self.pairs);
        let mut length = self.free_part(&x, &to).min(self.past_obstacles(context, time, &x, &to));
        report.stages.collide += started.elapsed();
        for _ in 0..LENGTHS {
            let trial: Vec<Vec3> = x.iter().zip(&direction).map(|(x, d)| x + d * length).collect();
            let elastic = self.elastic(context, &trial)?;
            let barrier = terms::Barrier { model, bodies: &self.bodies, kappa: self.kappa, time };
            let others = self.terms.evaluate(&barrier, context, &self.pairs, &self.friction, &trial, false);
            report.local_steps += 1;
            if elastic + others <= value + contact {
                self.x = trial;
                return Ok(moved);
            }
            length *= 0.5;
        }
        self.x = x;
        Ok(0.0)
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
        self.local.prepare(model)?;
        (self.plan, self.blocks) = HessianPlan::new(model)?;
        self.bodies = Bodies::new(model);
        let surface = model.surface();
        let least = surface.bodies.iter().map(|body| body.thickness).fold(Real::INFINITY, Real::min);
        let most = most_thickness(surface);
        self.reach = if most > 0.0 { [most, least] } else { [1e-3; 2] };
        let diagonal = model.system_matrix(context.params.dt).diagonal();
        let free = || (0..model.vertices()).filter(|&i| !model.is_kinematic(i));
        let mean = free().map(|i| diagonal[i]).sum::<Real>() / free().count().max(1) as Real;
        self.kappa = mean / (HALF_WAY * self.reach[1] * self.reach[1]);
        for scratch in [&mut self.x, &mut self.s, &mut self.start, &mut self.elastic] {
            crate::implicit::resize(scratch, model.vertices());
        }
        self.prepared = Some(PreparedFor::new(&context));
        Ok(())
    }

    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        stepper::validate(&context, state)?;
        if !self.prepared.as_ref().is_some_and(|prepared| prepared.matches(&context)) {
            return Err(StepError::NotPrepared { stepper: NAME.to_owned() });
        }
        let time = state.time + context.params.dt;
        let mut report = StepReport::default();
        let started = Instant::now();
        stepper::predict(context, state, &mut self.s);
        stepper::hold_pinned(context, state, &mut self.s);
        self.start.copy_from_slice(&state.x);
        self.x.clone_from(&state.x);
        self.near.find(context.model, (&self.x, &self.x), self.reach[0], &mut self.pairs);
        let barrier = terms::Barrier { model: context.model, bodies: &self.bodies, kappa: self.kappa, time };
        self.friction.lag(&barrier, &context, &self.pairs, &self.start);
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
