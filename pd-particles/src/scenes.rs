//! The seven scenes of the unified-particle report's table, as plain functions.
//!
//! Sizes follow the report: particle counts 1412 / 1412 / 1412 / 760 / 16000 / 1170 / 25800. Where it asks for a bunny these are
//! its twins: a generated body (a ball with two ears) cut to the same number of particles.

use crate::{BodyKind, BodyShape, Friction, Material, ParticleError, ParticleModel};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use pd_collide::{Floor, Moving, Path, Sphere};
use pd_core::{Collider, Model, Real, State, StepContext, StepParams, Vec3};
use std::sync::Arc;

/// A scene: all that a stepper needs beside its settings.
pub struct Scene {
    /// Name, as the command line has it.
    pub name: &'static str,
    /// Frames per second that the report prints for its device.
    pub published_fps: Real,
    /// The particles.
    pub particles: Arc<ParticleModel>,
    /// Masses and energies.
    pub model: Model,
    /// Obstacles.
    pub colliders: Vec<Box<dyn Collider>>,
    /// Parameters of the step.
    pub params: StepParams,
}

/// Why a scene could not be built: its parts refuse what they are given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The particles.
    #[error(transparent)]
    Particles(#[from] ParticleError),
    /// The model.
    #[error(transparent)]
    Model(#[from] pd_core::ModelError),
    /// An obstacle.
    #[error(transparent)]
    Obstacle(#[from] pd_collide::CollideError),
}

impl Scene {
    /// A scene of these particles over a floor at y = 0.
    ///
    /// # Errors
    /// Those of the model.
    pub fn on_floor(
        name: &'static str,
        published_fps: Real,
        particles: ParticleModel,
    ) -> Result<Self, SceneError> {
        let model = particles.core_model()?;
        let floor = Floor::new(0.0)?.with_margin(0.0)?;
        let colliders: Vec<Box<dyn Collider>> = vec![Box::new(floor)];
        let params = StepParams::default();
        Ok(Self { name, published_fps, particles: Arc::new(particles), model, colliders, params })
    }

    /// What a step reads.
    pub fn context(&self) -> StepContext<'_> {
        StepContext::new(&self.model, &self.params, &[], &self.colliders)
    }

    /// The state it starts from.
    pub fn state(&self) -> State {
        self.particles.state()
    }
}

/// Names of all scenes, in the order of the report's table.
pub const NAMES: [&str; 8] = [
    "particles-rigid",
    "particles-linear",
    "particles-quadratic",
    "particles-stack",
    "sand",
    "sand-frictionless",
    "particles-bunny-twin",
    "particles-pile-twin",
];

/// The scene of a name.
///
/// # Errors
/// None for the names of [`NAMES`]; `Ok(None)` for others.
pub fn by_name(name: &str) -> Result<Option<Scene>, SceneError> {
    Ok(Some(match name {
        "particles-rigid" => cubes("particles-rigid", 402.0, BodyKind::Rigid)?,
        "particles-linear" => cubes("particles-linear", 399.0, BodyKind::Linear(0.7))?,
        "particles-quadratic" => cubes("particles-quadratic", 385.0, BodyKind::Quadratic(0.7))?,
        "particles-stack" => stack()?,
        "sand" => sand(20, 40, Friction::new(0.5))?,
        "sand-frictionless" => sand(20, 40, Friction::NONE)?,
        "particles-bunny-twin" => bunnies()?,
        "particles-pile-twin" => pile(100)?,
        _ => return Ok(None),
    }))
}

fn material(radius: Real, mass: Real, mu: Real) -> Material {
    Material { radius, mass, friction: Friction::new(mu) }
}

/// Two cubes of 706 particles, one falling on the edge of the other.
///
/// # Errors
/// None in practice.
pub fn cubes(name: &'static str, fps: Real, kind: BodyKind) -> Result<Scene, SceneError> {
    // 9³ = 729 lattice points; without 23 innermost ones the report's 706.
    let cube = outermost(BodyShape::block([9; 3], 0.1)?, 706);
    let low = Isometry3::translation(0.0, 0.45, 0.0);
    let tilt = UnitQuaternion::from_euler_angles(0.5, 0.3, 0.4);
    let high = Isometry3::from_parts(Translation3::new(0.3, 1.9, 0.1), tilt);
    let particles = ParticleModel::builder()
        .bodies("cubes", &cube, &[low, high], kind, material(0.05, 0.1, 0.4))
        .build()?;
    Scene::on_floor(name, fps, particles)
}

/// Five cubes of 152 particles on top of each other.
///
/// # Errors
/// None in practice.
pub fn stack() -> Result<Scene, SceneError> {
    // The shell of 6³ is 152 particles.
    let cube = BodyShape::block_shell([6; 3], 0.1)?;
    let poses: Vec<_> = (0..5).map(|k| Isometry3::translation(0.0, 0.3 + 0.65 * k as Real, 0.0)).collect();
    let particles = ParticleModel::builder()
        .bodies("cubes", &cube, &poses, BodyKind::Rigid, material(0.05, 0.1, 0.5))
        .build()?;
    Scene::on_floor("particles-stack", 395.0, particles)
}

/// A tower of `side` × `side` × `layers` grains of 0.1 m, hit by a ball after one second.
///
/// # Errors
/// None in practice.
pub fn sand(side: usize, layers: usize, friction: Friction) -> Result<Scene, SceneError> {
    let at = |k: usize, n: usize| (k as Real - 0.5 * (n - 1) as Real) * 0.1;
    let mut points = Vec::with_capacity(side * side * layers);
    for y in 0..layers {
        for z in 0..side {
            points.extend((0..side).map(|x| Vec3::new(at(x, side), 0.05 + 0.1 * y as Real, at(z, side))));
        }
    }
    let material = Material { radius: 0.05, mass: 1.0, friction };
    let particles = ParticleModel::builder().grains("sand", &points, material).build()?;
    let name = if friction.fixed > 0.0 { "sand" } else { "sand-frictionless" };
    let mut scene = Scene::on_floor(name, 117.0, particles)?;
    let start = Vec3::new(-3.0 - 0.05 * side as Real, 0.0875 * layers as Real, 0.0);
    let path = Path::new(vec![(0.0, Vec3::zeros()), (1.0, Vec3::zeros()), (4.0, Vec3::x() * 9.0)])?;
    scene.colliders.push(Box::new(Moving::new(Sphere::new(start, 0.5)?.with_margin(0.0)?, path)));
    Ok(scene)
}

/// Two bodies of 585 particles, one thrown at the other.
///
/// # Errors
/// None in practice.
pub fn bunnies() -> Result<Scene, SceneError> {
    let body = outermost(creature(0.059)?, 585);
    let low = Isometry3::translation(0.0, 0.5, 0.0);
    let high = Isometry3::new(Vec3::new(0.1, 1.9, 0.05), Vec3::new(0.6, 0.2, 0.9));
    let particles = ParticleModel::builder()
        .bodies("bunnies", &body, &[low, high], BodyKind::Rigid, material(0.0295, 0.05, 0.4))
        .build()?;
    Scene::on_floor("particles-bunny-twin", 381.0, particles)
}

/// `count` bodies of 258 particles that fall into a pile.
///
/// # Errors
/// None in practice.
pub fn pile(count: usize) -> Result<Scene, SceneError> {
    let body = outermost(creature(0.0775)?, 258);
    let poses: Vec<_> = (0..count)
        .map(|k| {
            let (column, level) = (k % 9, k / 9);
            let (x, z) = ((column % 3) as Real - 1.0, (column / 3) as Real - 1.0);
            let shift = 0.07 * ((k * 7) % 5) as Real;
            let at = Vec3::new(1.05 * x + shift, 0.7 + 1.15 * level as Real, 1.05 * z - shift);
            Isometry3::new(at, Vec3::new(0.7 * k as Real, 1.3 * k as Real, 0.4 * k as Real))
        })
        .collect();
    let particles = ParticleModel::builder()
        .bodies("bunnies", &body, &poses, BodyKind::Rigid, material(0.03875, 0.05, 0.4))
        .build()?;
    Scene::on_floor("particles-pile-twin", 66.0, particles)
}

/// A ball with two ears, about one metre high, sampled at `spacing` (m).
fn creature(spacing: Real) -> Result<BodyShape, ParticleError> {
    let parts = [
        (Vec3::new(0.0, -0.12, 0.0), 0.33),
        (Vec3::new(0.12, 0.17, 0.0), 0.2),
        (Vec3::new(0.08, 0.36, 0.1), 0.1),
        (Vec3::new(0.08, 0.36, -0.1), 0.1),
    ];
    BodyShape::sample(Vec3::new(0.5, 0.5, 0.5), spacing, false, |p| {
        let ball = |&(centre, radius): &(Vec3, Real)| {
            let e: Vec3 = p - centre;
            (e.norm() - radius, if e.norm() > 0.0 { e.normalize() } else { Vec3::y() })
        };
        parts.iter().map(ball).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((Real::INFINITY, Vec3::y()))
    })
}

fn outermost(mut shape: BodyShape, count: usize) -> BodyShape {
    shape.keep_outermost(count);
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_table_and_nothing_overlaps_at_the_start() {
        let counts = [1412, 1412, 1412, 760, 16_000, 16_000, 1170, 25_800];
        for (name, count) in NAMES.iter().zip(counts) {
            let scene = by_name(name).unwrap().unwrap();
            assert_eq!((scene.name, scene.particles.len()), (*name, count));
            let overlap = scene.particles.overlap(&scene.state().x, 1e-9);
            assert_eq!(overlap.pairs, 0, "{name}: {overlap:?}");
        }
        assert!(by_name("none").unwrap().is_none());
    }
}
