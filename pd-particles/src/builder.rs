//! Builds a [`ParticleModel`], checking every number once.

use crate::links::Bag;
use crate::model::{Friction, NO_BODY, ParticleBody, ParticleSet, SetKind};
use crate::{BodyKind, BodyShape, Elasticity, Links, ParticleError, ParticleModel, Skin};
use nalgebra::Isometry3;
use pd_core::{Mat3, Real, Vec3};
use std::sync::Arc;

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
    /// Poses of the bodies added last, and the first of these bodies.
    poses: (Vec<Isometry3<Real>>, usize),
    skins: Vec<Mesh>,
    fault: Option<ParticleError>,
}

/// A render mesh of a body: vertices where they are at the start.
#[derive(Clone, Debug)]
struct Mesh {
    body: usize,
    vertices: Vec<Vec3>,
    triangles: Arc<Vec<[u32; 3]>>,
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
    held: Vec<bool>,
    links: Links,
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

    /// Points without links of their own; they do not touch points of their set.
    #[must_use]
    pub fn points(self, name: &str, at: &[Vec3], material: Material) -> Self {
        self.free(name, SetKind::Points, at, material)
    }

    /// A rope through these points.
    #[must_use]
    pub fn rope(mut self, name: &str, at: &[Vec3], elasticity: Elasticity, material: Material) -> Self {
        let first = self.linked(name, at, &[], &elasticity, material);
        if let Some(first) = first {
            self.model.links.rope(first, at, &elasticity);
        }
        self
    }

    /// Cloth with a particle at every vertex: distances along the edges, bending across them.
    #[must_use]
    pub fn cloth(
        mut self,
        name: &str,
        at: &[Vec3],
        triangles: &[[u32; 3]],
        elasticity: Elasticity,
        material: Material,
    ) -> Self {
        if let Some(first) = self.linked(name, at, triangles, &elasticity, material) {
            self.model.links.cloth(first, at, triangles, &elasticity);
        }
        self
    }

    /// A closed cloth that encloses `pressure` times its volume at rest.
    #[must_use]
    pub fn inflatable(
        mut self,
        name: &str,
        at: &[Vec3],
        triangles: &[[u32; 3]],
        elasticity: Elasticity,
        pressure: Real,
        material: Material,
    ) -> Self {
        if !(pressure > 0.0 && pressure.is_finite()) {
            self.wrong(name, "pressure", pressure, "it must be positive and finite");
        }
        if let Some(first) = self.linked(name, at, triangles, &elasticity, material) {
            self.model.links.cloth(first, at, triangles, &elasticity);
            let bag = Bag::new(first, at, triangles, pressure);
            if bag.volume.is_nan() || bag.volume <= 0.0 {
                self.wrong(name, "volume", bag.volume, "the triangles must be closed and face outwards");
            }
            self.model.links.bags.push(bag);
        }
        self
    }

    /// Checks and adds a set of linked points; its first particle, unless there is a fault.
    fn linked(
        &mut self,
        name: &str,
        at: &[Vec3],
        triangles: &[[u32; 3]],
        elasticity: &Elasticity,
        material: Material,
    ) -> Option<u32> {
        let Elasticity { stretch, bending } = *elasticity;
        if stretch.is_nan() || stretch <= 0.0 {
            self.wrong(name, "stretch", stretch, "it must be positive, in N/m; infinite is inextensible");
        }
        if !(bending >= 0.0 && bending.is_finite()) {
            self.wrong(name, "bending", bending, "it must be zero or positive and finite");
        }
        if let Some(&v) = triangles.as_flattened().iter().find(|&&v| v as usize >= at.len()) {
            self.wrong(name, "vertex of a triangle", v.into(), "there are fewer points");
            return None;
        }
        let first = self.model.start.len() as u32;
        *self = std::mem::take(self).free(name, SetKind::Points, at, material);
        if let Some(set) = self.model.sets.last_mut() {
            set.triangles = triangles.to_vec();
        }
        Some(first)
    }

    /// Particles of the set added last, by number within it, that stay where they are.
    #[must_use]
    pub fn hold(mut self, particles: &[usize]) -> Self {
        if let Some(set) = self.model.sets.last() {
            let (name, range, bodies) =
                (set.name.clone(), set.range.clone(), matches!(set.kind, SetKind::Bodies(_)));
            for &particle in particles {
                if particle >= range.len() || bodies {
                    let expected =
                        if bodies { "particles of bodies cannot be held" } else { "the set has fewer" };
                    self.wrong(&name, "held particle", particle as Real, expected);
                } else {
                    self.model.held[range.start + particle] = true;
                }
            }
        }
        self
    }

    /// Lets points of the set added last touch each other, except those nearer than their radii at the start.
    #[must_use]
    pub fn self_contact(mut self) -> Self {
        if let Some(set) = self.model.sets.last_mut() {
            set.self_contact = true;
        }
        self
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
        self.poses = (poses.to_vec(), self.model.bodies.len());
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

    /// A render mesh, in the frame of their shape, that each of the bodies added last carries.
    #[must_use]
    pub fn skin(mut self, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let (poses, first) = &self.poses;
        if let Some(&v) = triangles.as_flattened().iter().find(|&&v| v as usize >= vertices.len()) {
            let name = self.model.sets.last().map_or_else(String::new, |set| set.name.clone());
            self.wrong(&name, "vertex of a triangle", v.into(), "the mesh has fewer");
            return self;
        }
        let triangles = Arc::new(triangles.to_vec());
        for (pose, body) in poses.iter().zip(*first..) {
            let vertices = vertices.iter().map(|v| (pose * nalgebra::Point3::from(*v)).coords).collect();
            self.skins.push(Mesh { body, vertices, triangles: triangles.clone() });
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
        parts.held.resize(range.end, kind == SetKind::Fixed);
        let name = name.into();
        parts.sets.push(ParticleSet {
            name,
            range,
            kind,
            radius,
            friction,
            triangles: vec![],
            self_contact: false,
        });
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
        let Parts { sets, bodies, start, velocity, mass, body, held, links, rest, depth, outward } =
            self.model;
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
        let mut model = ParticleModel {
            sets,
            bodies,
            start,
            start_velocity: velocity,
            mass,
            radius,
            set,
            held,
            links,
            body,
            rest,
            depth,
            outward,
            skins: vec![],
        };
        let skin = |mesh: &Mesh| Skin::new(&model, mesh.body, &mesh.vertices, mesh.triangles.clone());
        let skins = self.skins.iter().filter_map(skin).collect();
        model.skins = skins;
        Ok(model)
    }
}
