//! The stepper `mpm`: sort, particles to nodes, nodes, nodes to particles; as often as sound and speed demand.

mod grid;

use crate::blocks::{self, Blocks};
use crate::bodies::{Row, Shore};
use crate::kernel::{Cubic, Kernel, Quadratic};
use crate::lanes;
use crate::particles::{Particles, Tag};
use crate::sides::ThinSheets;
use crate::sides::tags::Parting;
use crate::transfer::gather::{self, Gather, Out};
use crate::transfer::nodes::Impulses;
use crate::transfer::scatter::{self, Scatter};
use crate::transfer::{FLIP, GRADIENT, MLS};
use crate::{MpmError, MpmModel, Spline, Transfer};
use pd_core::{
    Bodies, Collider, Mat3, Owner, Real, StepContext, StepError, StepParams, StepReport, Stepper, Vec3, View,
    exec,
};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Wall time of the parts of all substeps of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MpmStages {
    /// Sorting particles into blocks.
    pub sort: Duration,
    /// Particles to nodes.
    pub scatter: Duration,
    /// Sums, gravity and boundaries on the nodes.
    pub nodes: Duration,
    /// Nodes to particles.
    pub gather: Duration,
}

/// What a step did beside what every stepper reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MpmReport {
    /// Substeps taken.
    pub substeps: usize,
    /// Blocks that held particles in the last substep.
    pub active_blocks: usize,
    /// Blocks that had nodes in the last substep.
    pub touched_blocks: usize,
    /// Particles that were not idle at the end.
    pub particles: usize,
    /// Impulses by boundaries over the whole step; over the step's length they are mean forces.
    pub impulses: Impulses,
    /// Impulses by matter on all bodies together, kg·m/s.
    pub bodies: Vec3,
    /// Wall times.
    pub stages: MpmStages,
}

/// Advances the material points of a state: positions, velocities and the columns `mpm.c` (affine velocity, column by
/// column), `mpm.j`, `mpm.f` and `mpm.idle`. Other points are left alone.
///
/// The order of particles in memory is scratch: every step begins with the order of the state and ends with it, so the
/// result is a function of the state alone. Memory grows when matter reaches more blocks than ever before; else a step
/// allocates nothing.
pub struct MpmStepper {
    model: Arc<MpmModel>,
    now: Particles,
    next: Particles,
    keys: Vec<u64>,
    blocks: Blocks,
    tiles: Vec<[Real; 4]>,
    grid: Vec<[Real; 4]>,
    forces: Vec<[Real; 4]>,
    old: Vec<[Real; 4]>,
    fastest: Vec<Real>,
    impulses: Vec<Impulses>,
    masses: Vec<Real>,
    bodies: Bodies,
    rows: Vec<Row>,
    shore: Shore,
    parting: Parting,
    report: MpmReport,
}

impl MpmStepper {
    /// A stepper for this model; nothing is allocated yet.
    pub fn new(model: Arc<MpmModel>) -> Self {
        Self {
            model,
            now: Particles::default(),
            next: Particles::default(),
            keys: vec![],
            blocks: Blocks::default(),
            tiles: vec![],
            grid: vec![],
            forces: vec![],
            old: vec![],
            fastest: vec![],
            impulses: vec![],
            masses: vec![],
            bodies: Bodies::default(),
            rows: vec![],
            shore: Shore::default(),
            parting: Parting::default(),
            report: MpmReport::default(),
        }
    }

    /// Sheets whose two sides are kept apart on the grid. Who moves them places them before every step.
    pub fn sheets(&mut self) -> &mut ThinSheets {
        &mut self.parting.sheets
    }

    /// The model.
    pub fn model(&self) -> &Arc<MpmModel> {
        &self.model
    }

    /// What the last step did.
    pub fn report(&self) -> &MpmReport {
        &self.report
    }

    /// Bytes of scratch: for particles, and for blocks.
    pub fn memory(&self) -> [usize; 2] {
        let bytes = |particles: &Particles| {
            particles.p.capacity() * size_of::<crate::particles::Particle>()
                + particles.tag.capacity() * size_of::<Tag>()
                + particles.f.capacity() * size_of::<Mat3>()
        };
        let quads =
            self.tiles.capacity() + self.grid.capacity() + self.forces.capacity() + self.old.capacity();
        [
            bytes(&self.now) + bytes(&self.next) + self.keys.capacity() * 8 + self.blocks.particle_bytes(),
            quads * 32,
        ]
    }

    /// All substeps of a step; the state is only read.
    fn advance(&mut self, context: &StepContext<'_>, state: &View<'_>) -> Result<(), StepError> {
        let (model, dt) = (self.model.clone(), context.params.dt);
        self.report = MpmReport::default();
        self.now.load(&model, context.model.masses(), state)?;
        self.bodies.clone_from(state.bodies);
        self.let_in(&model, context, state);
        if let Some(k) = self.now.p.iter().position(|p| !(p.x.iter().chain(&p.v).all(|c| c.is_finite()))) {
            return Err(StepError::NotFinite { vertex: model.points().start + self.now.tag[k].id as usize });
        }
        self.first_keys(&model);
        self.parting.begin();
        let square = |v: &[Real; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        let mut speed = self.now.p.iter().fold(0.0, |most: Real, p| most.max(square(&p.v))).sqrt();
        let mut left = dt;
        while left > 0.0 {
            let h = self.substep(&model, dt, left, speed)?;
            let time = state.time + (dt - left) + h;
            speed = self.one(&model, context.params.gravity, context.colliders, h, time);
            if !speed.is_finite() {
                let bad = |p: &crate::particles::Particle| !p.x.iter().chain(&p.v).all(|c| c.is_finite());
                let k = self.now.p.iter().position(bad).unwrap_or(0);
                return Err(StepError::NotFinite {
                    vertex: model.points().start + self.now.tag[k].id as usize,
                });
            }
            left = if h >= left { 0.0 } else { left - h };
            self.report.substeps += 1;
        }
        self.report.particles = self.now.p.len();
        Ok(())
    }

    /// The next substep: what is left, cut into equal parts that are short enough.
    fn substep(&self, model: &MpmModel, dt: Real, left: Real, speed: Real) -> Result<Real, MpmError> {
        let bound = model.longest_substep(speed);
        let longest = match model.substep {
            None => bound,
            // Matter that moves counts with a fixed substep too, but only its own speed: sound was checked before.
            Some(substep) if speed * substep <= model.cfl * model.dx => substep,
            Some(substep) => {
                let (cfl, dx, speed) = (model.cfl, model.dx, model.sound_speed() + speed);
                return Err(MpmError::Cfl { substep, bound, cfl, dx, speed });
            }
        };
        let parts = (left / longest).ceil().max(1.0);
        let needed = self.report.substeps + if parts < 1e15 { parts as usize } else { usize::MAX / 2 };
        if needed > model.most_substeps {
            return Err(MpmError::Substeps { dt, substep: longest, needed, limit: model.most_substeps });
        }
        Ok(left / parts)
    }

    /// Idle points come in where the inflows let them.
    fn let_in(&mut self, model: &MpmModel, context: &StepContext<'_>, state: &View<'_>) {
        if model.inflows.is_empty() {
            return;
        }
        let idle = state.columns.keys("mpm.idle");
        let (first, masses) = (model.points().start, context.model.masses());
        let loaded = self.now.tag.len();
        for inflow in &model.inflows {
            let points = model.materials[inflow.material].points.clone();
            let is_idle = |k: &u32| idle.get(*k as usize).is_some_and(|&idle| idle != 0);
            let taken = self.now.tag.len();
            let mut free = points.map(|p| (p - first) as u32).filter(is_idle);
            for travelled in inflow.layers(state.time, state.time + context.params.dt) {
                let forward = inflow.velocity.normalize() * travelled;
                for place in inflow.layer.iter().filter(|p| model.domain().contains(&(*p + forward))) {
                    let Some(id) = free.find(|id| self.now.tag[loaded..taken].iter().all(|t| t.id != *id))
                    else {
                        break;
                    };
                    let tag = Tag { id, set: inflow.material as u32 };
                    self.now.push(model, tag, place + forward, inflow.velocity, masses[first + id as usize]);
                }
            }
        }
    }

    /// Blocks of the particles as loaded.
    fn first_keys(&mut self, model: &MpmModel) {
        let p = &self.now.p;
        self.keys.resize(p.len(), 0);
        let inverse = 1.0 / model.dx;
        let key = |x: &[Real; 3]| {
            blocks::key(match model.spline {
                Spline::Quadratic => x.map(|x| blocks::base::<Quadratic>(x, inverse).0),
                Spline::Cubic => x.map(|x| blocks::base::<Cubic>(x, inverse).0),
            })
        };
        exec::for_each_chunk(&mut self.keys, exec::VERTEX_CHUNK, |first, keys| {
            for (k, out) in keys.iter_mut().enumerate() {
                *out = key(&p[first + k].x);
            }
        });
    }

    /// One substep; returns the largest speed.
    fn one(
        &mut self,
        model: &MpmModel,
        gravity: Vec3,
        colliders: &[Box<dyn Collider>],
        h: Real,
        time: Real,
    ) -> Real {
        match (model.spline, model.transfer) {
            (Spline::Quadratic, Transfer::Mls) => {
                self.run::<Quadratic, MLS>(model, gravity, colliders, h, time)
            }
            (Spline::Cubic, Transfer::Mls) => self.run::<Cubic, MLS>(model, gravity, colliders, h, time),
            (Spline::Quadratic, Transfer::Flip { .. }) => {
                self.run::<Quadratic, FLIP>(model, gravity, colliders, h, time)
            }
            (Spline::Cubic, Transfer::Flip { .. }) => {
                self.run::<Cubic, FLIP>(model, gravity, colliders, h, time)
            }
            (Spline::Quadratic, _) => self.run::<Quadratic, GRADIENT>(model, gravity, colliders, h, time),
            (Spline::Cubic, _) => self.run::<Cubic, GRADIENT>(model, gravity, colliders, h, time),
        }
    }

    fn run<K: Kernel, const MODE: u8>(
        &mut self,
        model: &MpmModel,
        gravity: Vec3,
        colliders: &[Box<dyn Collider>],
        h: Real,
        time: Real,
    ) -> Real {
        let started = Instant::now();
        let tags = &self.now.tag;
        self.blocks.sort(&self.keys, |i| tags[i].set as usize, model.materials.len());
        self.parting.update::<K>(model, &self.blocks, &self.now);
        self.report.active_blocks = self.blocks.active.len();
        self.report.touched_blocks = self.blocks.touched.len();
        let sorted = Instant::now();
        self.scatter::<K, MODE>(model, h);
        let scattered = Instant::now();
        self.on_nodes::<K, MODE>(model, gravity, colliders, h, time);
        self.couple::<K>(model, gravity, h);
        let finished = Instant::now();
        let speed = self.gather::<K, MODE>(model, h);
        self.leave_obstacles::<K>(model, colliders, time);
        self.push_out::<K>(model);
        let stages = &mut self.report.stages;
        stages.sort += sorted - started;
        stages.scatter += scattered - sorted;
        stages.nodes += finished - scattered;
        stages.gather += finished.elapsed();
        speed
    }

    fn scatter<K: Kernel, const MODE: u8>(&mut self, model: &MpmModel, h: Real) {
        let stride = K::TILE.pow(3) * if MODE == FLIP { 2 } else { 1 };
        self.tiles.resize(stride * self.blocks.active.len(), [0.0; 4]);
        let affine = if matches!(model.transfer, Transfer::Apic | Transfer::Mls) { 1.0 } else { 0.0 };
        let (particles, blocks) = (&self.now, &self.blocks);
        let input = Scatter { particles, blocks, materials: &model.materials, h, dx: model.dx, affine };
        let parting = &mut self.parting;
        let mut ghosts = std::mem::take(&mut parting.tiles);
        ghosts.resize(stride * parting.slots.len(), [0.0; 4]);
        let (input, parting, kernel) = (&input, &*parting, PhantomData);
        exec::for_each_chunk(&mut self.tiles, stride, |first, tile| {
            let slot = first / stride;
            if parting.has_ghosts(slot) {
                lanes::run(scatter::Parted::<K, MODE> { input, slot, tile, parting, ghosts: false, kernel });
            } else {
                lanes::run(scatter::Block::<K, MODE> { input, slot, tile, kernel });
            }
        });
        exec::for_each_chunk(&mut ghosts, stride, |first, tile| {
            let slot = parting.slots[first / stride] as usize;
            lanes::run(scatter::Parted::<K, MODE> { input, slot, tile, parting, ghosts: true, kernel });
        });
        self.parting.tiles = ghosts;
    }

    fn gather<K: Kernel, const MODE: u8>(&mut self, model: &MpmModel, h: Real) -> Real {
        let (live, deformation) = (self.blocks.order.len(), model.has_deformation());
        self.next.resize(live, deformation);
        self.keys.resize(live, 0);
        self.fastest.resize(self.blocks.active.len(), 0.0);
        let blend = if let Transfer::Flip { blend } = model.transfer { blend } else { 0.0 };
        let input = Gather {
            particles: &self.now,
            blocks: &self.blocks,
            materials: &model.materials,
            grid: &self.grid,
            old: &self.old,
            walls: &model.walls,
            size: model.cells.map(|n| Real::from(n) * model.dx),
            h,
            dx: model.dx,
            blend,
        };
        let Particles { p, tag, f } = &mut self.next;
        let out = Out { p, tag, f, key: &mut self.keys, fastest: &mut self.fastest };
        let sets = model.materials.len();
        let (input, parting, kernel) = (&input, &self.parting, PhantomData);
        gather::over_blocks(&self.blocks, sets, 0..self.blocks.active.len(), out, &|slot, out| {
            if parting.has_ghosts(slot) {
                lanes::run(gather::Parted::<K, MODE> { input, slot, out, parting, kernel });
            } else {
                lanes::run(gather::Block::<K, MODE> { input, slot, out, kernel });
            }
        });
        std::mem::swap(&mut self.now, &mut self.next);
        // Not `max`, which would overlook what is not a number.
        let most = self.fastest.iter().fold(0.0, |most: Real, &v| if v <= most { most } else { v });
        most.sqrt()
    }
}

/// Velocities and affine velocities of material points shrink by 1/(1 + dt·damping), as those of vertices do.
pub(crate) fn damp(params: &StepParams, model: &MpmModel, state: &mut View<'_>) {
    if params.damping == 0.0 {
        return;
    }
    let scale = 1.0 / (1.0 + params.dt * params.damping);
    state.v[model.points()].iter_mut().for_each(|v| *v *= scale);
    let c = state.columns.real_mut("mpm.c", Owner::Points(0), 9);
    c.iter_mut().for_each(|c| *c *= scale);
}

impl Stepper for MpmStepper {
    fn name(&self) -> &str {
        "mpm"
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        context.params.check()?;
        let points = self.model.points();
        if context.model.vertices() < points.end {
            return Err(StepError::Size { model: context.model.vertices(), state: points.end });
        }
        let deformation = self.model.has_deformation();
        self.now.reserve(points.len(), deformation);
        self.next.reserve(points.len(), deformation);
        self.keys.reserve(points.len());
        self.blocks.reserve(points.len());
        Ok(())
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        pd_core::stepper::validate(&context, state)?;
        let started = Instant::now();
        exec::keep_workers_spinning(|| self.advance(&context, state))?;
        let model = self.model.clone();
        self.now.store(&model, state);
        damp(context.params, &model, state);
        for body in &model.bodies {
            let k = body.body;
            state.bodies.p[k] = self.bodies.p[k];
            state.bodies.q[k] = self.bodies.q[k];
            state.bodies.v[k] = self.bodies.v[k];
            state.bodies.w[k] = self.bodies.w[k];
        }
        state.time += context.params.dt;
        let stages = self.report.stages;
        let mut report = StepReport { iterations: self.report.substeps, ..StepReport::default() };
        report.stages.local = stages.scatter + stages.gather;
        report.stages.collide = stages.nodes;
        report.stages.predict = started.elapsed().saturating_sub(report.stages.local + stages.nodes);
        Ok(report)
    }
}

#[cfg(test)]
mod tests;
