//! The constant description of all bodies and joints, and its builder.

mod body;
mod joint;

pub use body::{BodyDesc, Drive, Filter, PartDesc};
pub use joint::{Axis, AxisControl, Joint, JointDesc, JointKind, Motor, Target};

use crate::{RigidError, Shape};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use pd_core::{Bodies, Real, Vec3};

/// A shape at its place on a body of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The body.
    pub body: u32,
    /// The shape.
    pub shape: Shape,
    /// Where it is in the principal frame of the body.
    pub pose: Isometry3<Real>,
    /// Coefficient of friction.
    pub friction: Real,
    /// Coefficient of restitution.
    pub restitution: Real,
}

/// Bodies, their parts and joints: constant during a simulation. Poses and velocities are in
/// [`State::bodies`](pd_core::State::bodies), in the order of the bodies here: centre of mass and principal axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigidModel {
    pub(crate) drive: Vec<Drive>,
    pub(crate) mass: Vec<Real>,
    pub(crate) inertia: Vec<Vec3>,
    pub(crate) frame: Vec<Isometry3<Real>>,
    pub(crate) start: Vec<Isometry3<Real>>,
    pub(crate) damping: Vec<[Real; 2]>,
    pub(crate) filter: Vec<Filter>,
    pub(crate) may_sleep: Vec<bool>,
    pub(crate) parts: Vec<Part>,
    pub(crate) joints: Vec<Joint>,
    /// Pairs of bodies (smaller first) that a joint keeps from touching, sorted.
    pub(crate) apart: Vec<[u32; 2]>,
    /// Place of each part in an order that depends on where bodies start, not on when they were added: from the lowest up.
    pub(crate) rank: Vec<u32>,
}

impl RigidModel {
    /// An empty model to add bodies and joints to.
    pub fn builder() -> RigidBuilder {
        RigidBuilder::default()
    }

    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.mass.len()
    }

    /// Whether body `body` is moved by forces.
    pub fn is_dynamic(&self, body: usize) -> bool {
        self.drive[body] == Drive::Dynamic
    }

    /// Mass of every body, kg; infinite unless dynamic.
    pub fn masses(&self) -> &[Real] {
        &self.mass
    }

    /// Principal moments of every body, kg·m²; infinite unless dynamic.
    pub fn inertia(&self) -> &[Vec3] {
        &self.inertia
    }

    /// Principal frame of a body in the frame it was described in. A point of the description is `frame.inverse() * p` in the
    /// principal frame.
    pub fn frame(&self, body: usize) -> &Isometry3<Real> {
        &self.frame[body]
    }

    /// Pose of the described frame of a body, for drawing what was described in it.
    pub fn described_pose(&self, state: &Bodies, body: usize) -> Isometry3<Real> {
        pose(state, body) * self.frame[body].inverse()
    }

    /// Shapes of all bodies.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Pose and velocities of a static or kinematic body at a time, s; `None` for a dynamic one.
    pub fn driven(&self, body: usize, time: Real) -> Option<(Isometry3<Real>, Vec3, Vec3)> {
        let start = self.start[body];
        match &self.drive[body] {
            Drive::Dynamic => None,
            Drive::Static => Some((start, Vec3::zeros(), Vec3::zeros())),
            Drive::Kinematic { path, spin } => {
                // Turning is about the origin of the described frame, not about the centre of the parts.
                let origin = (start * self.frame[body].inverse()).translation.vector;
                let turn = UnitQuaternion::from_scaled_axis(spin * time);
                let arm = turn * (start.translation.vector - origin);
                let place = origin + path.offset(time) + arm;
                let pose = Isometry3::from_parts(Translation3::from(place), turn * start.rotation);
                Some((pose, path.velocity(time) + spin.cross(&arm), *spin))
            }
        }
    }

    /// Kinetic and potential energy (J) of the dynamic bodies in a field of gravity (m/s²).
    pub fn energy(&self, state: &Bodies, gravity: &Vec3) -> [Real; 2] {
        let mut sum = [0.0; 2];
        for b in (0..self.bodies()).filter(|&b| self.is_dynamic(b)) {
            let w = state.q[b].inverse() * state.w[b];
            let spin = w.component_mul(&w).dot(&self.inertia[b]);
            sum[0] += 0.5 * (self.mass[b] * state.v[b].norm_squared() + spin);
            sum[1] -= self.mass[b] * gravity.dot(&state.p[b]);
        }
        sum
    }

    /// Momentum (kg·m/s) and angular momentum about the origin (kg·m²/s) of the dynamic bodies.
    pub fn momentum(&self, state: &Bodies) -> [Vec3; 2] {
        let mut sum = [Vec3::zeros(); 2];
        for b in (0..self.bodies()).filter(|&b| self.is_dynamic(b)) {
            let linear = state.v[b] * self.mass[b];
            let spin = state.q[b] * (state.q[b].inverse() * state.w[b]).component_mul(&self.inertia[b]);
            sum[0] += linear;
            sum[1] += state.p[b].cross(&linear) + spin;
        }
        sum
    }
}

/// Pose of a body of the state.
pub(crate) fn pose(state: &Bodies, body: usize) -> Isometry3<Real> {
    Isometry3::from_parts(Translation3::from(state.p[body]), state.q[body])
}

/// Adds bodies and joints and checks each as it comes.
///
/// ```
/// use pd_core::Vec3;
/// use pd_rigid::{BodyDesc, JointDesc, JointKind, RigidError, RigidModel, Shape};
/// let mut builder = RigidModel::builder();
/// let bob = builder.body(BodyDesc::new(Shape::sphere(0.1)?, 7800.0).at(Vec3::x()))?;
/// builder.joint(JointDesc::new(JointKind::Ball, None, Some(bob), Vec3::zeros()))?;
/// let missing = builder.joint(JointDesc::new(JointKind::Ball, None, Some(5), Vec3::zeros()));
/// assert_eq!(missing, Err(RigidError::MissingBody { joint: 1, body: 5, bodies: 1 }));
/// let (model, bodies) = builder.build();
/// assert_eq!((model.bodies(), model.joints().len(), bodies.p[0]), (1, 1, Vec3::x()));
/// # Ok::<(), RigidError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RigidBuilder {
    model: RigidModel,
    state: Bodies,
}

impl RigidBuilder {
    /// Adds a body and returns its number.
    ///
    /// # Errors
    /// Names the first number of the description that is out of range; nothing is added then.
    pub fn body(&mut self, desc: BodyDesc) -> Result<usize, RigidError> {
        let body = self.model.bodies();
        if body >= u32::MAX as usize - 1 || self.model.parts.len() + desc.parts.len() >= u32::MAX as usize {
            return Err(RigidError::TooMany { what: "bodies and parts", count: body + 1 });
        }
        desc.check(body)?;
        let dynamic = desc.drive == Drive::Dynamic;
        let (frame, mass, inertia) = if dynamic {
            let properties = desc.mass_properties();
            let (moments, axes) = properties.principal();
            (Isometry3::from_parts(Translation3::from(properties.centre), axes), properties.mass, moments)
        } else {
            (Isometry3::identity(), Real::INFINITY, Vec3::repeat(Real::INFINITY))
        };
        let start = Isometry3::from_parts(Translation3::from(desc.position), desc.rotation) * frame;
        let model = &mut self.model;
        model.drive.push(desc.drive);
        model.mass.push(mass);
        model.inertia.push(inertia);
        model.frame.push(frame);
        model.start.push(start);
        model.damping.push([desc.linear_damping, desc.angular_damping]);
        model.filter.push(desc.filter);
        model.may_sleep.push(desc.may_sleep);
        for part in desc.parts {
            model.parts.push(Part {
                body: body as u32,
                shape: part.shape,
                pose: frame.inverse() * part.pose,
                friction: part.friction,
                restitution: part.restitution,
            });
        }
        self.state.push(start.translation.vector, start.rotation);
        self.state.v[body] = desc.velocity;
        self.state.w[body] = desc.angular_velocity;
        if let Some((_, v, w)) = model.driven(body, 0.0) {
            (self.state.v[body], self.state.w[body]) = (v, w);
        }
        Ok(body)
    }

    /// Adds a joint and returns its number. Its bodies must be there already.
    ///
    /// # Errors
    /// [`RigidError::MissingBody`], [`RigidError::IdleJoint`], or the first number of the description that is out of range.
    pub fn joint(&mut self, desc: JointDesc) -> Result<usize, RigidError> {
        let joint = self.model.joints.len();
        let (a, b) = (desc.a, desc.b);
        for body in [a, b].into_iter().flatten() {
            if body >= self.model.bodies() {
                return Err(RigidError::MissingBody { joint, body, bodies: self.model.bodies() });
            }
        }
        let moves = |body: Option<usize>| body.is_some_and(|body| self.model.is_dynamic(body));
        if a == b || !(moves(a) || moves(b)) {
            return Err(RigidError::IdleJoint { joint, a, b });
        }
        desc.check(joint)?;
        let place =
            |body: Option<usize>| body.map_or_else(Isometry3::identity, |body| self.model.start[body]);
        if let (Some(a), Some(b), false) = (a, b, desc.collide) {
            let pair = [a.min(b) as u32, a.max(b) as u32];
            if let Err(at) = self.model.apart.binary_search(&pair) {
                self.model.apart.insert(at, pair);
            }
        }
        let poses = [place(a), place(b)];
        self.model.joints.push(Joint::new(desc, poses));
        Ok(joint)
    }

    /// The model, and the bodies at time zero for [`State::bodies`](pd_core::State::bodies).
    pub fn build(mut self) -> (RigidModel, Bodies) {
        self.model.rank = ranks(&self.model);
        (self.model, self.state)
    }
}

/// Ranks of the parts: by height, then along x and z, then by rotation and mass.
fn ranks(model: &RigidModel) -> Vec<u32> {
    let numbers = |body: usize| {
        let (p, q) = (model.start[body].translation.vector, model.start[body].rotation.coords);
        [p.y, p.x, p.z, q.x, q.y, q.z, q.w, model.mass[body]]
    };
    let mut order: Vec<u32> = (0..model.parts.len() as u32).collect();
    order.sort_by(|&i, &j| {
        let [a, b] = [i, j].map(|k| model.parts[k as usize].body as usize);
        let pairs = numbers(a).into_iter().zip(numbers(b));
        pairs.map(|(x, y)| x.total_cmp(&y)).find(|o| o.is_ne()).unwrap_or_else(|| i.cmp(&j))
    });
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &part)| rank[part as usize] = k as u32);
    rank
}

#[cfg(test)]
mod tests;
