//! Builds a [`ParticleModel`], checking every number once.

use crate::model::{Friction, NO_BODY, ParticleBody, ParticleSet, SetKind};
use crate::{BodyKind, BodyShape, ParticleError, ParticleModel};
use nalgebra::Isometry3;
use pd_core::{Mat3, Real, Vec3};

/// What the particles of a set are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Radius of a particle, m.
    pub radius: Real,
    /// Mass of a particle, kg.
    pub mass: Real,
    /// Friction of its surface.
    pub friction: Friction,
}

/// A model in the making; the first fault is reported by [`build`](Self::build).
///
/// ```
/// use pd_core::Vec3;
/// use pd_particles::{BodyKind, BodyShape, Friction, Material, ParticleModel};
/// let sand = Material { radius: 0.05, mass: 1.0, friction: Friction::new(0.5) };
/// let cube = BodyShape::block([4, 4, 4], 0.1)?;
/// let model = ParticleModel::builder()
///     .grains("sand", &[Vec3::zeros(), Vec3::x()], sand)
///     .body("cube", &cube, nalgebra::Isometry3::translation(0.0, 1.0, 0.0), BodyKind::Rigid, sand)
///     .build()?;
/// assert_eq!((model.len(), model.bodies().len()), (66, 1));
/// assert_eq!(model.overlap(&model.state().x, 1e-9).pairs, 0);
/// # Ok::<(), pd_particles::ParticleError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ParticleModelBuilder {
    model: Parts,
    fault: Option<ParticleError>,
}

/// The columns of the model in the making.
#[derive(Clone, Debug, Default)]
struct Parts {
    sets: Vec<ParticleSet>,
    bodies: Vec<ParticleBody>,
    start: Vec<Vec3>,
    velocity: Vec<Vec3>,
    mass: Vec<Real>,
    body: Vec<u32>,
    rest: Vec<Vec3>,
    depth: Vec<Real>,
    outward: Vec<Vec3>,
}

impl ParticleModelBuilder {
    /// Free grains at these positions, m.
    #[must_use]
    pub fn grains(self, name: &str, at: &[Vec3], material: Material) -> Self {
        self.free(name, SetKind::Grains, at, material)
    }

    /// Particles that never move.
    #[must_use]
    pub fn fixed(self, name: &str, at: &[Vec3], material: Material) -> Self {
        self.free(name, SetKind::Fixed, at, material)
    }

    /// Points that the energies of the step's model join, such as a rope's; they do not touch points of their own set.
    #[must_use]
    pub fn points(self, name: &str, at: &[Vec3], material: Material) -> Self {
        self.free(name, SetKind::Points, at, material)
    }

    fn free(mut self, name: &str, kind: SetKind, at: &[Vec3], material: Material) -> Self {
        self.set(name, kind, at, material);
        let (n, parts) = (at.len(), &mut self.model);
        parts.body.resize(parts.body.len() + n, NO_BODY);
        parts.rest.resize(parts.rest.len() + n, Vec3::zeros());
        parts.depth.resize(parts.depth.len() + n, 0.0);
        parts.outward.resize(parts.outward.len() + n, Vec3::zeros());
        self
    }

    /// A body of particles at `pose` (of the shape's frame).
    #[must_use]
    pub fn body(
        self,
        name: &str,
        shape: &BodyShape,
        pose: Isometry3<Real>,
        kind: BodyKind,
        material: Material,
    ) -> Self {
        self.bodies(name, shape, &[pose], kind, material)
    }

    /// As many bodies of one shape as there are poses.
    #[must_use]
    pub fn bodies(
        mut self,
        name: &str,
        shape: &BodyShape,
        poses: &[Isometry3<Real>],
        kind: BodyKind,
        material: Material,
    ) -> Self {
        if let Err(fault) = shape.check() {
            self.fault.get_or_insert(fault);
            return self;
        }
        if let BodyKind::Linear(beta) | BodyKind::Quadratic(beta) = kind
            && !(0.0..=1.0).contains(&beta)
        {
            self.wrong(name, "beta", beta, "it must be from 0 to 1");
        }
        let at: Vec<Vec3> = poses
            .iter()
            .flat_map(|pose| shape.points.iter().map(move |p| (pose * nalgebra::Point3::from(*p)).coords))
            .collect();
        self.set(name, SetKind::Bodies(kind), &at, material);
        let centre = shape.points.iter().sum::<Vec3>() / shape.len() as Real;
        let parts = &mut self.model;
        for pose in poses {
            // The pose is the identity in the rest frame, so offsets are turned with the body's start.
            let rest = shape.points.iter().map(|p| pose.rotation * (p - centre));
            let first = parts.body.len();
            parts.body.resize(first + shape.len(), parts.bodies.len() as u32);
            parts.rest.extend(rest);
            parts.depth.extend_from_slice(&shape.depth);
            parts.outward.extend(shape.outward.iter().map(|n| pose.rotation * n));
            let rest = &parts.rest[first..];
            let inertia = rest.iter().map(|q| Mat3::identity() * q.norm_squared() - q * q.transpose());
            parts.bodies.push(ParticleBody {
                range: first..first + shape.len(),
                kind,
                mass: material.mass * shape.len() as Real,
                inertia: inertia.sum::<Mat3>() * material.mass,
                reach: rest.iter().map(|q| q.norm()).fold(0.0, Real::max),
            });
        }
        self
    }

    /// Velocity (m/s) and angular velocity (rad/s, about the centre of its particles) of the set added last.
    #[must_use]
    pub fn moving(mut self, velocity: Vec3, spin: Vec3) -> Self {
        if let Some(set) = self.model.sets.last() {
            let range = set.range.clone();
            let centre = self.model.start[range.clone()].iter().sum::<Vec3>() / range.len().max(1) as Real;
            for i in range {
                self.model.velocity[i] = velocity + spin.cross(&(self.model.start[i] - centre));
            }
        }
        self
    }

    fn set(&mut self, name: &str, kind: SetKind, at: &[Vec3], material: Material) {
        let Material { radius, mass, friction } = material;
        let positive = "it must be positive and finite";
        for (what, value, unit) in [("radius", radius, positive), ("mass", mass, positive)] {
            if !(value > 0.0 && value.is_finite()) {
                self.wrong(name, what, value, unit);
            }
        }
        let rolling = friction.rolling.unwrap_or(0.0);
        for (what, value) in
            [("friction", friction.fixed), ("sliding friction", friction.sliding), ("rolling", rolling)]
        {
            if !(value >= 0.0 && value.is_finite()) {
                self.wrong(name, what, value, "it must be zero or positive and finite");
            }
        }
        if friction.sliding > friction.fixed {
            self.wrong(name, "sliding friction", friction.sliding, "it must not be above the static one");
        }
        if let Some(particle) = at.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            let fault = ParticleError::Position { set: name.into(), particle, at: at[particle].into() };
            self.fault.get_or_insert(fault);
        }
        let (first, parts) = (self.model.start.len(), &mut self.model);
        let range = first..first + at.len();
        parts.start.extend_from_slice(at);
        parts.velocity.resize(range.end, Vec3::zeros());
        parts.mass.resize(range.end, mass);
        parts.sets.push(ParticleSet { name: name.into(), range, kind, radius, friction });
    }

    fn wrong(&mut self, set: &str, what: &'static str, value: Real, expected: &'static str) {
        self.fault.get_or_insert(ParticleError::Parameter { set: set.into(), what, value, expected });
    }

    /// The model, or the first fault.
    ///
    /// # Errors
    /// Every [`ParticleError`].
    pub fn build(self) -> Result<ParticleModel, ParticleError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let Parts { sets, bodies, start, velocity, mass, body, rest, depth, outward } = self.model;
        if start.is_empty() {
            return Err(ParticleError::Empty);
        }
        // Two bits of a particle's number are spare for the endpoints of contact rows.
        if start.len() > (u32::MAX >> 2) as usize {
            return Err(ParticleError::TooMany { count: start.len() });
        }
        let (mut set, mut radius) = (vec![], vec![]);
        for (k, s) in sets.iter().enumerate() {
            set.resize(s.range.end, k as u32);
            radius.resize(s.range.end, s.radius);
        }
        Ok(ParticleModel {
            sets,
            bodies,
            start,
            start_velocity: velocity,
            mass,
            radius,
            set,
            body,
            rest,
            depth,
            outward,
        })
    }
}
