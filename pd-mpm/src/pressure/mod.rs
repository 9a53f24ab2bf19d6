//! The stepper `pressure`: incompressible water, particles for transport and faces of cells for pressure.
//!
//! A substep: particles to faces; gravity; the pressure that makes what flows into every full cell of water flow out of it
//! again, solids and bodies included (`poisson`, `solids`); back to particles, which move with the faces' velocities by the
//! midpoint rule. There is no speed of sound: a substep is as long as it takes to cross a cell.
//!
//! The surface is where half of a cell's kernel is filled; pressure is zero there, not in the middle of the next cell (ghost
//! fluid, Enright et al. 2003).
//!
//! Particles that follow a field without divergence still crowd together, because the field is known to them by
//! interpolation. A second solve finds the field that lets water out of cells where it is denser than at rest, and into those
//! where it is thinner, within the law's [anchor time](crate::Law::anchor_time). Particles and bodies are moved by it but
//! keep their velocity, so it adds no energy (Losasso et al. 2008; Kugelstadt et al. 2019).

mod faces;
mod level;
mod poisson;
mod project;
mod solids;
mod transport;

use crate::{MpmError, MpmModel};
use faces::Faces;
use nalgebra::{UnitQuaternion, Vector6};
use pd_core::{Bodies, Mat3, Owner, Real, StepContext, StepError, StepReport, Stepper, Vec3, View, exec};
use poisson::{BodyRows, Multigrid};
use std::sync::Arc;
use std::time::Instant;

/// Layers of faces around water that particles may look at.
const LAYERS: usize = 3;
/// Cells that matter may cross in a substep.
const COURANT: Real = 0.5;
/// Most cells of a domain: arrays are dense.
const MOST_CELLS: usize = 1 << 27;

/// What a step did beside what every stepper reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PressureReport {
    /// Substeps taken.
    pub substeps: usize,
    /// Iterations of all solves.
    pub iterations: usize,
    /// Full cells in the last substep.
    pub water_cells: usize,
    /// Largest relative change of a full cell's volume in any substep that the pressure left over: h |∇·u|.
    pub divergence: Real,
    /// Impulses that the faces of the domain gave to water, −x, +x, −y, +y, −z, +z, kg·m/s.
    pub walls: [Vec3; 6],
    /// Impulse of the water's pressure on all bodies together, kg·m/s.
    pub bodies: Vec3,
}

/// Incompressible water on the grid of an [`MpmModel`]: positions, velocities, `mpm.c`, and `mpm.pressure` (Pa, one per cell
/// of the domain), from which the next solve begins. Not for models with viscosity, laws that remember deformation, open
/// walls or inflow.
pub struct PressureStepper {
    model: Arc<MpmModel>,
    tolerance: Real,
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    c: Vec<Mat3>,
    /// In cells from the corner of the domain.
    place: Vec<Vec3>,
    volumes: Vec<Real>,
    order: Vec<u32>,
    start: Vec<u32>,
    at: Vec<u32>,
    faces: [Faces; 3],
    fill: Vec<[Real; 1]>,
    /// Water in each cell's kernel, over the cell's volume.
    matter: Vec<Real>,
    open: Vec<Real>,
    water: Vec<bool>,
    right: Vec<Real>,
    source: Vec<Real>,
    spread: Vec<Real>,
    shifts: Vec<Vector6<Real>>,
    p: Vec<Real>,
    rates: Vec<Vector6<Real>>,
    rows: Vec<BodyRows>,
    grid: Multigrid,
    bodies: Bodies,
    report: PressureReport,
}

impl PressureStepper {
    /// The name scenes use.
    pub const NAME: &'static str = "pressure";

    /// A stepper for this model; refuses what it cannot do.
    pub fn new(model: Arc<MpmModel>) -> Result<Self, MpmError> {
        let refuse = |name, value, expected| Err(MpmError::Parameter { name, value, expected });
        if model.has_deformation() {
            return refuse("memory of a law", 9.0, "the pressure solver is for water alone");
        }
        if model.has_idle() {
            return refuse("open walls and inflows", 1.0, "the pressure solver has none");
        }
        let density = model.materials[0].law.density();
        for material in &model.materials {
            let law = &material.law;
            if law.density() != density {
                return refuse(
                    "density",
                    law.density(),
                    "the pressure solver needs one density for all water",
                );
            }
            if law.kinematic_viscosity() > 0.0 {
                return refuse("viscosity", law.kinematic_viscosity(), "the pressure solver has none");
            }
        }
        let cells = model.cells.iter().fold(1usize, |product, n| product.saturating_mul(*n as usize));
        if cells > MOST_CELLS {
            return refuse("number of cells", cells as Real, "the pressure solver takes at most 2²⁷");
        }
        Ok(Self {
            model,
            tolerance: 1e-6,
            x: vec![],
            v: vec![],
            c: vec![],
            place: vec![],
            volumes: vec![],
            order: vec![],
            start: vec![],
            at: vec![],
            faces: Default::default(),
            fill: vec![],
            matter: vec![],
            open: vec![],
            water: vec![],
            right: vec![],
            source: vec![],
            spread: vec![],
            shifts: vec![],
            p: vec![],
            rates: vec![],
            rows: vec![],
            grid: Multigrid::default(),
            bodies: Bodies::default(),
            report: PressureReport::default(),
        })
    }

    /// Solves until no full cell changes its volume by more than this fraction in a substep. Default 1e-6.
    pub fn with_tolerance(mut self, fraction: Real) -> Result<Self, MpmError> {
        crate::law::positive("tolerance", fraction)?;
        self.tolerance = fraction;
        Ok(self)
    }

    /// What the last step did.
    pub fn report(&self) -> &PressureReport {
        &self.report
    }

    /// The model.
    pub fn model(&self) -> &Arc<MpmModel> {
        &self.model
    }

    fn cells(&self) -> [usize; 3] {
        self.model.cells.map(|n| n as usize)
    }

    fn load(&mut self, context: &StepContext<'_>, state: &View<'_>) -> Result<(), StepError> {
        let model = &self.model;
        model.check(state)?;
        let points = model.points();
        if let Some(k) = points.clone().find(|&k| !state.v[k].iter().all(|v| v.is_finite())) {
            return Err(StepError::NotFinite { vertex: k });
        }
        self.x.clear();
        self.x.extend_from_slice(&state.x[points.clone()]);
        self.v.clear();
        self.v.extend_from_slice(&state.v[points.clone()]);
        self.c.clear();
        let c = state.columns.real("mpm.c");
        if c.len() == 9 * points.len() {
            self.c.extend(c.chunks_exact(9).map(Mat3::from_column_slice));
        } else {
            self.c.resize(points.len(), Mat3::zeros());
        }
        self.volumes.clear();
        for material in &model.materials {
            let density = material.law.density();
            self.volumes.extend(context.model.masses()[material.points.clone()].iter().map(|m| m / density));
        }
        let count = self.cells().iter().product();
        let p = state.columns.real("mpm.pressure");
        self.p.clear();
        if p.len() == count {
            self.p.extend_from_slice(p)
        } else {
            self.p.resize(count, 0.0)
        }
        self.bodies.clone_from(state.bodies);
        Ok(())
    }

    fn store(&self, state: &mut View<'_>) {
        let points = self.model.points();
        state.x[points.clone()].copy_from_slice(&self.x);
        state.v[points.clone()].copy_from_slice(&self.v);
        let c = state.columns.real_mut("mpm.c", Owner::Points(0), 9);
        c.clear();
        self.c.iter().for_each(|m| c.extend_from_slice(m.as_slice()));
        let p = state.columns.real_mut("mpm.pressure", Owner::Global, 1);
        p.clear();
        p.extend_from_slice(&self.p);
        for body in &self.model.bodies {
            let k = body.body;
            state.bodies.p[k] = self.bodies.p[k];
            state.bodies.q[k] = self.bodies.q[k];
            state.bodies.v[k] = self.bodies.v[k];
            state.bodies.w[k] = self.bodies.w[k];
        }
    }

    fn advance(&mut self, context: &StepContext<'_>, state: &View<'_>) -> Result<(), StepError> {
        let model = self.model.clone();
        self.report = PressureReport::default();
        self.load(context, state)?;
        let (dt, gravity) = (context.params.dt, context.params.gravity);
        let mut left = dt;
        while left > 0.0 {
            let fastest = self.v.iter().fold(0.0, |most: Real, v| most.max(v.norm_squared())).sqrt();
            let speed = fastest + (COURANT * model.dx * gravity.norm()).sqrt();
            let parts = (left * speed / (COURANT * model.dx)).ceil().max(1.0);
            let needed = self.report.substeps + if parts < 1e15 { parts as usize } else { usize::MAX / 2 };
            if needed > model.most_substeps {
                let substep = COURANT * model.dx / speed;
                return Err(MpmError::Substeps { dt, substep, needed, limit: model.most_substeps }.into());
            }
            let h = if parts <= 1.0 { left } else { left / parts };
            let time = state.time + (dt - left) + h;
            self.sort();
            self.scatter(gravity, h);
            self.classify(context.colliders, time);
            for body in &model.bodies {
                self.bodies.v[body.body] += gravity * h;
            }
            self.project(gravity, h);
            self.gather(h);
            for (body, shift) in model.bodies.iter().zip(&self.shifts) {
                crate::bodies::advance(body, &mut self.bodies, h);
                let turn = Vec3::new(shift[3], shift[4], shift[5]) * h;
                self.bodies.p[body.body] += shift.fixed_rows::<3>(0) * h;
                let q = &mut self.bodies.q[body.body];
                *q = UnitQuaternion::from_scaled_axis(turn) * *q;
            }
            self.push_out(context.colliders, time);
            if let Some(k) =
                self.x.iter().zip(&self.v).position(|(x, v)| !x.iter().chain(v).all(|c| c.is_finite()))
            {
                return Err(StepError::NotFinite { vertex: model.points().start + k });
            }
            left = if h >= left { 0.0 } else { left - h };
            self.report.substeps += 1;
        }
        Ok(())
    }
}

impl Stepper for PressureStepper {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        let points = self.model.points();
        if context.model.vertices() < points.end {
            return Err(StepError::Size { model: context.model.vertices(), state: points.end });
        }
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        pd_core::stepper::validate(&context, state)?;
        let started = Instant::now();
        exec::keep_workers_spinning(|| self.advance(&context, state))?;
        self.store(state);
        crate::stepper::damp(context.params, &self.model, state);
        state.time += context.params.dt;
        let mut report = StepReport { iterations: self.report.iterations, ..StepReport::default() };
        report.stages.local = started.elapsed();
        Ok(report)
    }
}
