//! Rigid bodies of particles inside a substep: a pose, a displacement and a rotation.
//!
//! A push p (kg m, impulse times h) at arm r changes the displacement by p/m and the rotation by I⁻¹(r × p), with r and I of
//! the start of the substep, so linear and angular momentum change by exactly what was pushed. The pose then turns with
//! L = I ω kept: explicit midpoint rule, ω = I(q)⁻¹ L at both ends.

use crate::matching::Matching;
use crate::{BodyKind, ParticleModel};
use nalgebra::{Quaternion, UnitQuaternion};
use pd_core::{Mat3, Owner, Real, Space, Vec3, View};

/// Column of the poses: centre, rotation (x, y, z, w), velocity and angular velocity of every body; 13 numbers.
pub(crate) const POSE: &str = "particles.pose";
const WIDTH: usize = 13;

/// A body in the making of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Centre of mass, m.
    pub(crate) p: Vec3,
    /// Rotation from rest.
    pub(crate) q: UnitQuaternion<Real>,
    /// The same as a matrix.
    pub(crate) turn: Mat3,
    /// Displacement of the centre over the substep, m.
    pub(crate) d: Vec3,
    /// Rotation over the substep, rad.
    pub(crate) theta: Vec3,
    /// 1/m, 1/kg.
    pub(crate) w: Real,
    /// Inverse inertia, world frame, 1/(kg m²).
    pub(crate) inverse: Mat3,
    /// Its place in the model's list of bodies.
    pub(crate) index: u32,
    /// How far its particles may have moved since the last search, m.
    pub(crate) moved: Real,
    /// How far they may move before the next, m.
    pub(crate) allowance: Real,
    /// Substeps that may pass before the next search, and how far a particle may get beyond what its speed says, m.
    pub(crate) ahead: (Real, Real),
}

/// Constant inertia of a body, rest frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inertia {
    pub(crate) rest: Mat3,
    pub(crate) inverse: Mat3,
}

impl Inertia {
    /// Of a body of the model. A rod or a single particle has no inertia about its own axis: its particles then count as balls.
    pub(crate) fn new(model: &ParticleModel, body: usize) -> Self {
        let body = &model.bodies[body];
        let mut rest = body.inertia;
        let eigenvalues = rest.symmetric_eigenvalues();
        if eigenvalues.min() <= 1e-9 * eigenvalues.max() {
            let r = model.radius[body.range.start];
            rest += Mat3::identity() * (0.4 * body.mass * r * r);
        }
        Self { rest, inverse: rest.try_inverse().unwrap_or_else(Mat3::zeros) }
    }
}

impl Body {
    /// Displacement of the body's point at arm `r`, m.
    #[inline]
    pub(crate) fn displacement(&self, r: &Vec3) -> Vec3 {
        self.d + self.theta.cross(r)
    }

    /// Pushes at arm `r` by `p`, kg m.
    #[inline]
    pub(crate) fn push(&mut self, r: &Vec3, p: &Vec3) {
        self.d += p * self.w;
        self.theta += self.inverse * r.cross(p);
    }

    /// Inverse mass seen by a push along the unit vector `n` at arm `r`, 1/kg.
    #[inline]
    pub(crate) fn response(&self, r: &Vec3, n: &Vec3) -> Real {
        let axis = r.cross(n);
        self.w + axis.dot(&(self.inverse * axis))
    }

    /// Sets rotation matrix and inverse inertia from the quaternion.
    pub(crate) fn refresh(&mut self, inertia: &Inertia) {
        self.turn = self.q.to_rotation_matrix().into_inner();
        self.inverse = self.turn * inertia.inverse * self.turn.transpose();
    }

    /// Moves by the displacement and rotation found; the angular momentum stays.
    pub(crate) fn advance(&mut self, inertia: &Inertia) {
        let momentum = self.turn * (inertia.rest * (self.turn.transpose() * self.theta));
        let omega = |q: UnitQuaternion<Real>| q * (inertia.inverse * (q.inverse() * momentum));
        let half = UnitQuaternion::from_scaled_axis(self.theta * 0.5) * self.q;
        let mut q = UnitQuaternion::from_scaled_axis(omega(half)) * self.q;
        q.renormalize();
        self.p += self.d;
        self.q = q;
        self.refresh(inertia);
        self.theta = self.inverse * momentum;
    }
}

/// Bodies at the start of a frame in substeps of `h`: from the column of poses, or fitted to the particles where there is none.
pub(crate) fn load(
    model: &ParticleModel,
    inertia: &[Inertia],
    state: &View<'_>,
    h: Real,
    bodies: &mut Vec<Body>,
) {
    let poses = state.columns.real(POSE);
    let known = poses.len() == WIDTH * model.bodies.len();
    bodies.clear();
    for (k, body) in model.bodies.iter().enumerate() {
        let (p, q, v, w) =
            if known { unpack(&poses[k * WIDTH..]) } else { measure(model, &inertia[k], state, k) };
        let mut loaded = Body {
            p,
            q,
            turn: Mat3::identity(),
            d: v * h,
            theta: w * h,
            w: 1.0 / body.mass,
            inverse: Mat3::zeros(),
            index: k as u32,
            moved: 0.0,
            allowance: 0.0,
            ahead: (0.0, 0.0),
        };
        loaded.refresh(&inertia[k]);
        bodies.push(loaded);
    }
}

/// Writes the column of poses, if there are rigid bodies.
pub(crate) fn store(model: &ParticleModel, bodies: &[Body], scale: Real, columns: &mut Space<'_>) {
    if !model.bodies.iter().any(|body| body.kind == BodyKind::Rigid) {
        return;
    }
    let column = columns.real_mut(POSE, Owner::Global, WIDTH);
    column.clear();
    for body in bodies {
        let (q, v, w) = (body.q.coords, body.d * scale, body.theta * scale);
        column.extend([body.p.x, body.p.y, body.p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]);
    }
}

type Motion = (Vec3, UnitQuaternion<Real>, Vec3, Vec3);

fn unpack(n: &[Real]) -> Motion {
    let vec = |k: usize| Vec3::new(n[k], n[k + 1], n[k + 2]);
    // The bits of a stored unit quaternion are kept: normalising again could change the last one.
    (vec(0), UnitQuaternion::new_unchecked(Quaternion::new(n[6], n[3], n[4], n[5])), vec(7), vec(10))
}

/// The rigid motion nearest to the particles' positions and velocities.
fn measure(model: &ParticleModel, inertia: &Inertia, state: &View<'_>, body: usize) -> Motion {
    let range = model.bodies[body].range.clone();
    let (rest, x, v) = (&model.rest[range.clone()], &state.x[range.clone()], &state.v[range.clone()]);
    let mass = model.mass[range.start];
    let fit = Matching::new(BodyKind::Rigid, rest, mass, false).fit(rest, x.iter().copied());
    let q = UnitQuaternion::from_matrix(&fit.rotation);
    let mean = v.iter().sum::<Vec3>() / v.len() as Real;
    let momentum = x.iter().zip(v).map(|(x, v)| (x - fit.centre).cross(&(v - mean))).sum::<Vec3>() * mass;
    (fit.centre, q, mean, q * (inertia.inverse * (q.inverse() * momentum)))
}
