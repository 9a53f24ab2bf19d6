//! Rigid bodies in matter: what a body is, where its surface is, and how it moves. How it meets matter is in `rows` and `shore`.

mod rows;
mod shore;

use crate::law::positive;
use crate::{MpmError, MpmModel};
use nalgebra::UnitQuaternion;
use pd_core::{Aabb, Bodies, Collider, Real, Surface, Vec3};
pub(crate) use rows::{Row, push_out, solve};
pub(crate) use shore::Shore;
use std::sync::Arc;

/// How bodies and matter act on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coupling {
    /// Matter gives way to bodies, bodies feel nothing: for heavy bodies that are moved from outside.
    OneWay,
    /// Matter meets the bodies of the last substep, then bodies take the reaction. Momentum is exact, but bodies lighter
    /// than the matter they push before them are unstable: such are refused.
    Staggered,
    /// Rows solved together. The default.
    #[default]
    Rows,
}

/// A rigid body of the state that matter meets. Its shape is an obstacle in the body's own frame (at time zero).
#[derive(Clone)]
pub struct MpmBody {
    /// Index in `State::bodies`.
    pub body: usize,
    /// Mass, kg.
    pub mass: Real,
    /// Principal moments of inertia, kg·m².
    pub inertia: Vec3,
    /// Shape in the frame of the principal axes, the centre of mass at the origin.
    pub shape: Arc<dyn Collider>,
}

impl std::fmt::Debug for MpmBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { body, mass, inertia, shape } = self;
        let mut out = f.debug_struct("MpmBody");
        out.field("body", body)
            .field("mass", mass)
            .field("inertia", inertia)
            .field("shape", &shape.kind())
            .finish()
    }
}

impl MpmBody {
    /// A homogeneous box with these edges (m) and density (kg/m³).
    pub fn cuboid(body: usize, edges: Vec3, density: Real, shape: impl Collider + 'static) -> Self {
        let (mass, square) = (density * edges.product(), edges.component_mul(&edges));
        let inertia =
            Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y) * (mass / 12.0);
        Self { body, mass, inertia, shape: Arc::new(shape) }
    }

    pub(crate) fn check(&self, model: &MpmModel) -> Result<(), MpmError> {
        positive("mass of a body", self.mass)?;
        for moment in &self.inertia {
            positive("inertia of a body", *moment)?;
        }
        if model.coupling == Coupling::Staggered {
            // The layer of matter that a body pushes before it weighs at least that of one cell.
            let bounds = self.shape.bounds(0.0);
            let size = bounds.max - bounds.min;
            let own = self.mass / size.product() * size.min();
            let density = model.materials.iter().fold(0.0, |most: Real, m| m.law.density().max(most));
            let pushed = density * model.dx;
            if own < pushed {
                return Err(MpmError::Light { body: self.body, own, pushed });
            }
        }
        Ok(())
    }
}

/// World box of a body's shape.
pub(crate) fn bounds(body: &MpmBody, p: &Vec3, q: &UnitQuaternion<Real>) -> Aabb {
    let local = body.shape.bounds(0.0);
    let corners: [Vec3; 8] = std::array::from_fn(|k| {
        let pick = |a: usize| if k >> a & 1 == 0 { local.min[a] } else { local.max[a] };
        p + q * Vec3::new(pick(0), pick(1), pick(2))
    });
    Aabb::of_points(&corners)
}

/// Distances and normals of a body's surface, world frame.
pub(crate) fn sample(
    body: &MpmBody,
    p: &Vec3,
    q: &UnitQuaternion<Real>,
    points: &[Vec3],
    out: &mut [Surface],
) {
    let mut local = [Vec3::zeros(); 64];
    for (points, out) in points.chunks(64).zip(out.chunks_mut(64)) {
        let local = &mut local[..points.len()];
        for (local, point) in local.iter_mut().zip(points) {
            *local = q.inverse_transform_vector(&(point - p));
        }
        body.shape.sample(local, 0.0, out);
        for out in out {
            out.normal = q * out.normal;
        }
    }
}

/// Moves a body with its velocities.
pub(crate) fn advance(body: &MpmBody, bodies: &mut Bodies, h: Real) {
    let k = body.body;
    bodies.p[k] += bodies.v[k] * h;
    bodies.q[k] = UnitQuaternion::from_scaled_axis(bodies.w[k] * h) * bodies.q[k];
}
