//! Scenes of material points, as plain values: a model, masses, a first state.

use crate::{
    Boundary, FixedCorotated, MohrCoulomb, MpmBody, MpmError, MpmModel, MpmStepper, PressureStepper,
    Transfer, Water,
};
use pd_collide::Block;
use pd_core::{Aabb, Collider, Model, Real, State, StepContext, StepError, StepParams, Stepper, Vec3};
use std::sync::Arc;

/// All that a run needs.
pub struct Scene {
    /// Grid, laws and walls.
    pub model: Arc<MpmModel>,
    /// Masses of all points; no elastic batches.
    pub points: Model,
    /// The first state.
    pub state: State,
    /// Obstacles.
    pub colliders: Vec<Box<dyn Collider>>,
    /// Step of a frame and gravity.
    pub params: StepParams,
}

impl Scene {
    /// A scene of one model whose particles share the volumes given by their laws' densities and `volume` (m³) each.
    fn new(model: MpmModel, x: Vec<Vec3>, volume: Real) -> Result<Self, MpmError> {
        Self::with_state(model, State::at_rest(x), volume)
    }

    fn with_state(model: MpmModel, state: State, volume: Real) -> Result<Self, MpmError> {
        let mut masses = vec![0.0; state.x.len()];
        for material in model.materials() {
            masses[material.points.clone()].fill(material.law.density() * volume);
        }
        let points = Model::with_masses(masses).build().map_err(|_| MpmError::Empty)?;
        let params = StepParams::default();
        let mut state = state;
        model.check(&state.view())?;
        Ok(Self { model: Arc::new(model), points, state, colliders: vec![], params })
    }

    /// A stepper for this scene, prepared.
    pub fn stepper(&self) -> Result<MpmStepper, StepError> {
        let mut stepper = MpmStepper::new(self.model.clone());
        stepper.prepare(StepContext::new(&self.points, &self.params, &[], &self.colliders))?;
        Ok(stepper)
    }

    /// A stepper for incompressible water, prepared.
    pub fn pressure_stepper(&self) -> Result<PressureStepper, StepError> {
        let mut stepper = PressureStepper::new(self.model.clone())?;
        stepper.prepare(StepContext::new(&self.points, &self.params, &[], &self.colliders))?;
        Ok(stepper)
    }

    /// Advances the scene's state by so many frames.
    pub fn run(&mut self, stepper: &mut impl Stepper, frames: usize) -> Result<(), StepError> {
        for _ in 0..frames {
            let Self { points, params, colliders, state, .. } = self;
            stepper.step(StepContext::new(points, params, &[], colliders), state)?;
        }
        Ok(())
    }
}

/// Particles on a lattice that fills a box, `per_cell` of them along each edge of a cell.
pub fn fill_box(region: &Aabb, dx: Real, per_cell: usize) -> Vec<Vec3> {
    let size = region.max - region.min;
    let count = size.map(|s| ((s * per_cell as Real / dx).round() as usize).max(1));
    let step = Vec3::from_fn(|a, _| size[a] / count[a] as Real);
    let mut points = Vec::with_capacity(count.iter().product());
    for i in 0..count.x {
        for j in 0..count.y {
            for k in 0..count.z {
                let at = Vec3::new(i as Real + 0.5, j as Real + 0.5, k as Real + 0.5);
                points.push(region.min + at.component_mul(&step));
            }
        }
    }
    points
}

/// Cells that a length takes.
fn cells(length: Real, dx: Real) -> u32 {
    (length / dx).round().max(1.0) as u32
}

/// A column of water of width `a` (m) and height 2a, let go at once in a channel 5a long: the dam break of Martin and
/// Moyce (1952), with `resolution` cells to the width and 8 particles to a cell. Water sticks to the floor, as it does to
/// theirs, and slides along the other walls.
pub fn dam_break(a: Real, resolution: u32, transfer: Transfer) -> Result<Scene, MpmError> {
    let dx = a / Real::from(resolution.max(1));
    let depth = 4; // cells: the flow is two-dimensional
    let column = Aabb { min: Vec3::zeros(), max: Vec3::new(a, 2.0 * a, Real::from(depth) * dx) };
    let x = fill_box(&column, dx, 2);
    // The front reaches about 2√(g·2a); ten times that keeps the density within a percent.
    let sound = 10.0 * (2.0 * 9.8 * 2.0 * a).sqrt();
    let smooth = Boundary::Separate { friction: 0.0 };
    let model = MpmModel::builder(dx)
        .domain(Vec3::zeros(), [5 * resolution, 3 * resolution, depth])
        .material(0..x.len(), Water::new(1000.0, sound)?)
        .walls([smooth, smooth, Boundary::Stick, smooth, smooth, smooth])
        .transfer(transfer)
        .build()?;
    Scene::new(model, x, (0.5 * dx).powi(3))
}

/// Water of this depth (m) at rest in a tank of four by four cells, `resolution` cells deep.
pub fn water_tank(depth: Real, resolution: u32) -> Result<Scene, MpmError> {
    let dx = depth / Real::from(resolution.max(1));
    let water = Aabb { min: Vec3::zeros(), max: Vec3::new(4.0 * dx, depth, 4.0 * dx) };
    let x = fill_box(&water, dx, 2);
    let sound = 10.0 * (2.0 * 9.8 * depth).sqrt();
    let model = MpmModel::builder(dx)
        .domain(Vec3::zeros(), [4, resolution + resolution / 2, 4])
        .material(0..x.len(), Water::new(1000.0, sound)?)
        .build()?;
    Scene::new(model, x, (0.5 * dx).powi(3))
}

/// A column of dry sand of width and height `a` (m) against a smooth wall, that collapses on a rough floor in
/// a slice of four cells, with `resolution` cells to the width. `angle` is its friction angle (rad).
pub fn sand_column(a: Real, resolution: u32, angle: Real) -> Result<Scene, MpmError> {
    sand(a, a, resolution, angle, |_| true)
}

/// A heap of dry sand of width `a` (m) against a smooth wall, with a straight slope (rad) down to the rough floor, in a slice of
/// four cells with `resolution` cells to the width. `angle` is its friction angle (rad).
pub fn sand_heap(a: Real, resolution: u32, slope: Real, angle: Real) -> Result<Scene, MpmError> {
    let steep = slope.tan();
    sand(a, a * steep, resolution, angle, |x| x.y < (a - x.x) * steep)
}

/// Sand in the part of a box of this width and height (m) where `inside` holds.
fn sand(
    width: Real,
    height: Real,
    resolution: u32,
    angle: Real,
    inside: impl Fn(&Vec3) -> bool,
) -> Result<Scene, MpmError> {
    let dx = width / Real::from(resolution.max(1));
    let depth = 4;
    let region = Aabb { min: Vec3::zeros(), max: Vec3::new(width, height, Real::from(depth) * dx) };
    let x: Vec<Vec3> = fill_box(&region, dx, 2).into_iter().filter(inside).collect();
    // Stiff enough that a column shortens by less than half a percent under its weight.
    let young = 1600.0 * 9.8 * height * 2e2;
    let smooth = Boundary::Slip;
    let model = MpmModel::builder(dx)
        .domain(Vec3::zeros(), [4 * resolution, cells(1.5 * height, dx), depth])
        .material(0..x.len(), MohrCoulomb::new(1600.0, young, 0.3, angle)?)
        .walls([smooth, smooth, Boundary::Stick, smooth, smooth, smooth])
        .build()?;
    Scene::new(model, x, (0.5 * dx).powi(3))
}

/// A cube of rubber of edge `a` (m) that falls from `drop` (m) above the floor.
pub fn elastic_drop(a: Real, resolution: u32, drop: Real, young: Real) -> Result<Scene, MpmError> {
    let dx = a / Real::from(resolution.max(1));
    let low = Vec3::new(a, drop, a);
    let x = fill_box(&Aabb { min: low, max: low + Vec3::repeat(a) }, dx, 2);
    let high = cells(drop + 2.0 * a, dx);
    let model = MpmModel::builder(dx)
        .domain(Vec3::zeros(), [3 * resolution, high, 3 * resolution])
        .material(0..x.len(), FixedCorotated::new(1000.0, young, 0.3)?)
        .build()?;
    Scene::new(model, x, (0.5 * dx).powi(3))
}

/// Cells across the slice of [`floating_box`].
const SLICE: u32 = 4;

/// A box of this density (kg/m³), 2a wide and a high (m), set `deep` of its height into water of depth 2a in a tank 4a wide: a
/// slice of four cells that the box spans, with `resolution` cells to its height. It is wider than high because a cube of half
/// the density of water does not float upright.
pub fn floating_box(
    a: Real,
    resolution: u32,
    density: Real,
    deep: Real,
    transfer: Transfer,
) -> Result<Scene, MpmError> {
    let dx = a / Real::from(resolution.max(1));
    let (width, depth) = (4.0 * a, Real::from(SLICE) * dx);
    let edges = Vec3::new(2.0 * a, a, depth);
    let centre = Vec3::new(0.5 * width, (2.5 - deep) * a, 0.5 * depth);
    let water = Aabb { min: Vec3::zeros(), max: Vec3::new(width, 2.0 * a, depth) };
    let inside =
        |x: &Vec3| (x - centre).abs().zip_map(&edges, |x, e| x <= 0.5 * e) == nalgebra::Vector3::repeat(true);
    let x: Vec<Vec3> = fill_box(&water, dx, 2).into_iter().filter(|x| !inside(x)).collect();
    // It reaches beyond the slice on both sides, so that water has no way between it and the walls.
    let half = Vec3::new(a, 0.5 * a, 2.0 * depth);
    let shape = Block::new(Vec3::zeros(), half).and_then(|block| block.with_margin(0.0));
    let expected = "it must be positive and finite";
    let shape = shape.map_err(|_| MpmError::Parameter { name: "edge", value: a, expected })?;
    let sound = 10.0 * (2.0 * 9.8 * 2.0 * a).sqrt();
    let mut body = MpmBody::cuboid(0, edges, density, shape);
    // The slice stands for a long prism, which turns about its own axis alone.
    body.inertia.x *= 1e9;
    body.inertia.y *= 1e9;
    let model = MpmModel::builder(dx)
        .domain(Vec3::zeros(), [4 * resolution, 4 * resolution, SLICE])
        .material(0..x.len(), Water::new(1000.0, sound)?)
        .body(body)
        .transfer(transfer)
        .build()?;
    let mut state = State::at_rest(x);
    state.bodies.push(centre, nalgebra::UnitQuaternion::identity());
    Scene::with_state(model, state, (0.5 * dx).powi(3))
}

/// How deep the box of [`floating_box`] is in the water, as a fraction of its height; the water's level follows from its
/// volume.
pub fn floating_depth(scene: &Scene, a: Real) -> Real {
    let thick = Real::from(SLICE) * scene.model.dx();
    let water = scene.points.masses().iter().sum::<Real>() / 1000.0;
    let bottom = scene.state.bodies.p[0].y - 0.5 * a;
    // level·4a = water + submerged area, submerged = (level − bottom)·2a.
    let level = (water / thick - bottom * 2.0 * a) / (2.0 * a);
    (level - bottom) / a
}
