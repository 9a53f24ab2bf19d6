//! The constant part of a simulation of material points, checked once.

use crate::blocks::MOST_CELLS;
use crate::law::positive;
use crate::{Boundary, Coupling, Inflow, Law, Memory, MpmBody, MpmError, Spline};
use pd_core::{Aabb, Real, Vec3, View};
use std::ops::Range;
use std::sync::Arc;

/// How velocities go from particles to nodes and back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Transfer {
    /// Particle in cell: v = Σ w u. Very diffusive; for comparison.
    Pic,
    /// FLIP blended with PIC: v = b (v + Σ w Δu) + (1 − b) Σ w u. Lively and noisy.
    Flip {
        /// Share b of FLIP, 0 to 1; 0.95 to 0.99 are usual.
        blend: Real,
    },
    /// Affine particle in cell (Jiang et al. 2015), with forces by ∇w.
    Apic,
    /// As APIC, with forces by moving least squares (Hu et al. 2018): one product instead of gradients. The default.
    #[default]
    Mls,
}

/// Matter of one law: a range of the points of the state.
#[derive(Clone, Debug)]
pub struct Material {
    /// The points.
    pub points: Range<usize>,
    /// What they are made of.
    pub law: Arc<dyn Law>,
}

/// All that does not change: grid, laws, walls and bounds. Made by [`MpmModel::builder`].
#[derive(Clone, Debug)]
pub struct MpmModel {
    pub(crate) dx: Real,
    pub(crate) min: Vec3,
    pub(crate) cells: [u32; 3],
    pub(crate) spline: Spline,
    pub(crate) transfer: Transfer,
    pub(crate) materials: Vec<Material>,
    pub(crate) walls: [Boundary; 6],
    pub(crate) colliders: Option<Boundary>,
    pub(crate) inflows: Vec<Inflow>,
    pub(crate) bodies: Vec<MpmBody>,
    pub(crate) coupling: Coupling,
    pub(crate) cfl: Real,
    pub(crate) substep: Option<Real>,
    pub(crate) most_substeps: usize,
}

impl MpmModel {
    /// Starts a model on cells of this edge length, m.
    pub fn builder(dx: Real) -> MpmBuilder {
        MpmBuilder(Self {
            dx,
            min: Vec3::zeros(),
            cells: [0; 3],
            spline: Spline::default(),
            transfer: Transfer::default(),
            materials: vec![],
            walls: [Boundary::Separate { friction: 0.0 }; 6],
            colliders: None,
            inflows: vec![],
            bodies: vec![],
            coupling: Coupling::default(),
            cfl: 0.4,
            substep: None,
            most_substeps: 100_000,
        })
    }

    /// Takes the model apart again, to add bodies to it.
    pub fn into_builder(self) -> MpmBuilder {
        MpmBuilder(self)
    }

    /// Edge length of a cell, m.
    pub fn dx(&self) -> Real {
        self.dx
    }

    /// The domain: particles are inside, its faces are walls.
    pub fn domain(&self) -> Aabb {
        let size = Vec3::from(self.cells.map(|n| Real::from(n) * self.dx));
        Aabb { min: self.min, max: self.min + size }
    }

    /// Cells along x, y and z.
    pub fn cells(&self) -> [u32; 3] {
        self.cells
    }

    /// The B-spline.
    pub fn spline(&self) -> Spline {
        self.spline
    }

    /// The transfer.
    pub fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// Matter by law, in the order of its points.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// All material points of the state.
    pub fn points(&self) -> Range<usize> {
        let first = self.materials.first().map_or(0, |m| m.points.start);
        first..self.materials.last().map_or(first, |m| m.points.end)
    }

    /// Whether some law remembers the whole deformation (column `mpm.f`).
    pub fn has_deformation(&self) -> bool {
        self.materials.iter().any(|m| m.law.memory() == Memory::Deformation)
    }

    /// Whether particles can leave or come, so that some are idle (column `mpm.idle`).
    pub(crate) fn has_idle(&self) -> bool {
        !self.inflows.is_empty() || self.walls.contains(&Boundary::Open)
    }

    /// Speed of the fastest wave of all laws at rest, m/s.
    pub fn sound_speed(&self) -> Real {
        self.materials.iter().fold(0.0, |most, m| m.law.sound_speed().max(most))
    }

    /// Smallest density of the laws whose J is drawn to the density on the grid, kg/m³.
    pub(crate) fn anchor_density(&self) -> Option<Real> {
        let anchored = self.materials.iter().filter(|m| m.law.anchor_time().is_some());
        anchored.map(|m| m.law.density()).reduce(Real::min)
    }

    /// Longest stable substep for matter that moves at most this fast (m/s), s: CFL·Δx/(c + v), and Δx²/(10 ν).
    pub fn longest_substep(&self, speed: Real) -> Real {
        let viscosity =
            self.materials.iter().fold(0.0, |most: Real, m| m.law.kinematic_viscosity().max(most));
        let wave = self.cfl * self.dx / (self.sound_speed() + speed).max(Real::MIN_POSITIVE);
        if viscosity > 0.0 { wave.min(0.1 * self.dx * self.dx / viscosity) } else { wave }
    }

    /// Checks that the material points of the state exist, are finite and lie in the domain.
    pub fn check(&self, state: &View<'_>) -> Result<(), MpmError> {
        let points = self.points();
        if state.x.len() < points.end || state.v.len() < points.end {
            return Err(MpmError::Size { model: points.len(), end: points.end, state: state.x.len() });
        }
        if let Some(body) = self.bodies.iter().find(|b| b.body >= state.bodies.len()) {
            return Err(MpmError::Body { body: body.body, bodies: state.bodies.len() });
        }
        let (domain, idle) = (self.domain(), state.columns.keys("mpm.idle"));
        for point in points.clone() {
            let is_idle = idle.get(point - points.start).is_some_and(|&idle| idle != 0);
            if !is_idle && !domain.contains(&state.x[point]) {
                let Aabb { min, max } = domain;
                return Err(MpmError::Outside { point, position: state.x[point], min, max });
            }
        }
        Ok(())
    }
}

/// Collects a model; [`build`](Self::build) checks it.
#[derive(Clone, Debug)]
pub struct MpmBuilder(MpmModel);

impl MpmBuilder {
    /// The domain: its smallest corner (m) and its cells along x, y and z. Its faces lie on nodes.
    pub fn domain(mut self, min: Vec3, cells: [u32; 3]) -> Self {
        (self.0.min, self.0.cells) = (min, cells);
        self
    }

    /// Matter of this law at these points of the state. Materials follow one another without gap.
    pub fn material(mut self, points: Range<usize>, law: impl Law + 'static) -> Self {
        self.0.materials.push(Material { points, law: Arc::new(law) });
        self
    }

    /// The B-spline. Default quadratic.
    pub fn spline(mut self, spline: Spline) -> Self {
        self.0.spline = spline;
        self
    }

    /// The transfer. Default MLS.
    pub fn transfer(mut self, transfer: Transfer) -> Self {
        self.0.transfer = transfer;
        self
    }

    /// What the faces of the domain do, in the order −x, +x, −y, +y, −z, +z. Default: matter slides along them without
    /// friction and may leave them.
    pub fn walls(mut self, walls: [Boundary; 6]) -> Self {
        self.0.walls = walls;
        self
    }

    /// What obstacles do to matter that meets them. Default: it slides with their own friction and may leave.
    pub fn colliders(mut self, boundary: Boundary) -> Self {
        self.0.colliders = Some(boundary);
        self
    }

    /// A place where idle points come in.
    pub fn inflow(mut self, inflow: Inflow) -> Self {
        self.0.inflows.push(inflow);
        self
    }

    /// A rigid body of the state that matter meets; the stepper moves it.
    pub fn body(mut self, body: MpmBody) -> Self {
        self.0.bodies.push(body);
        self
    }

    /// How bodies and matter act on each other. Default [`Coupling::Rows`].
    pub fn coupling(mut self, coupling: Coupling) -> Self {
        self.0.coupling = coupling;
        self
    }

    /// Fraction of a cell that waves and matter may travel in a substep. Default 0.4.
    pub fn cfl(mut self, cfl: Real) -> Self {
        self.0.cfl = cfl;
        self
    }

    /// A fixed longest substep, s, instead of the longest that is stable.
    pub fn substep(mut self, substep: Real) -> Self {
        self.0.substep = Some(substep);
        self
    }

    /// Most substeps of a step. Default 100,000.
    pub fn most_substeps(mut self, most: usize) -> Self {
        self.0.most_substeps = most;
        self
    }

    /// Checks everything.
    pub fn build(self) -> Result<MpmModel, MpmError> {
        let model = self.0;
        if !(model.dx > 0.0 && model.dx.is_normal() && (1.0 / (model.dx * model.dx)).is_finite()) {
            return Err(MpmError::Spacing { dx: model.dx });
        }
        if model.cells.iter().any(|n| !(1..=MOST_CELLS).contains(n)) {
            return Err(MpmError::Domain { cells: model.cells, most: MOST_CELLS });
        }
        if let Some(&value) = model.min.iter().find(|c| !c.is_finite()) {
            return Err(MpmError::Parameter { name: "domain corner", value, expected: "it must be finite" });
        }
        let mut expected = model.points().start;
        for (set, material) in model.materials.iter().enumerate() {
            let first = material.points.start;
            if first != expected || material.points.end < first {
                return Err(MpmError::Sets { set, first, expected });
            }
            expected = material.points.end;
        }
        if model.points().is_empty() {
            return Err(MpmError::Empty);
        }
        if model.points().len() >= u32::MAX as usize {
            let expected = "it must be below 2³²";
            return Err(MpmError::Parameter {
                name: "number of points",
                value: model.points().len() as Real,
                expected,
            });
        }
        if !(model.cfl > 0.0 && model.cfl < 1.0) {
            let expected = "it must be above 0 and below 1";
            return Err(MpmError::Parameter { name: "CFL", value: model.cfl, expected });
        }
        if let Transfer::Flip { blend } = model.transfer
            && !(0.0..=1.0).contains(&blend)
        {
            return Err(MpmError::Parameter {
                name: "FLIP blend",
                value: blend,
                expected: "it must be from 0 to 1",
            });
        }
        for boundary in model.walls.iter().chain(&model.colliders) {
            boundary.check()?;
        }
        if model.colliders == Some(Boundary::Open) {
            let expected = "only faces of the domain can be open";
            return Err(MpmError::Parameter { name: "boundary of colliders", value: 0.0, expected });
        }
        for inflow in &model.inflows {
            inflow.check(&model)?;
        }
        for body in &model.bodies {
            body.check(&model)?;
        }
        if let Some(substep) = model.substep {
            positive("substep", substep)?;
            let bound = model.longest_substep(0.0);
            if substep > bound {
                let (cfl, dx, speed) = (model.cfl, model.dx, model.sound_speed());
                return Err(MpmError::Cfl { substep, bound, cfl, dx, speed });
            }
        }
        Ok(model)
    }
}
