//! Rigid bodies in matter: contact rows between nodes and bodies, solved with their masses.
//!
//! A node of mass m inside of a body or within half a cell of it, or a particle inside of it, with velocity u and the outward normal n of the body, makes a row: along n it must
//! not move into the body, n·(u − V(x)) ≥ 0 with V(x) = v + ω × (x − p). Nodes carry the pressure; particles see the surface
//! where it is, between nodes. Where it would, node and body leave with one
//! velocity along n, as after an inelastic impact. All rows of a body together are the minimum of the convex function
//!
//!   ½ (V − V*)ᵀ M (V − V*) + Σ ½ m max(0, n·V(x) − n·u)²
//!
//! over its six velocities, V* being those of free flight: each node is an endpoint of one row only, so its mass can be
//! eliminated, and a few Newton steps on 6×6 systems give the exact answer. What a node gains the body loses: momentum
//! and angular momentum are exact, and bodies of any lightness are stable, because their mass and that of the nodes they
//! carry along enter one system.

use crate::blocks::{self, BIAS, Blocks};
use crate::law::positive;
use crate::particles::Particle;
use crate::transfer::nodes::UNKNOWN;
use crate::{MpmError, MpmModel};
use nalgebra::{Matrix6, UnitQuaternion, Vector6};
use pd_core::{Aabb, Bodies, Collider, Mat3, Real, Surface, Vec3};
use std::sync::Arc;

/// Newton steps at most; two or three are usual, since only the set of touching nodes is nonlinear.
const MOST_STEPS: usize = 12;

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

/// A node or a particle that meets a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Number of the node or particle.
    pub(crate) end: u32,
    pub(crate) normal: Vec3,
    mass: Real,
    /// From the body's centre, m.
    arm: Vec3,
    /// n·u before, m/s.
    speed: Real,
}

impl Row {
    /// n·V of the body's velocities.
    fn of(&self, v: &Vector6<Real>) -> Real {
        self.direction().dot(v)
    }

    fn direction(&self) -> Vector6<Real> {
        let turn = self.arm.cross(&self.normal);
        Vector6::new(self.normal.x, self.normal.y, self.normal.z, turn.x, turn.y, turn.z)
    }
}

/// World box of a body's shape.
fn bounds(body: &MpmBody, p: &Vec3, q: &UnitQuaternion<Real>) -> Aabb {
    let local = body.shape.bounds(0.0);
    let corners: [Vec3; 8] = std::array::from_fn(|k| {
        let pick = |a: usize| if k >> a & 1 == 0 { local.min[a] } else { local.max[a] };
        p + q * Vec3::new(pick(0), pick(1), pick(2))
    });
    Aabb::of_points(&corners)
}

/// Distances and normals of a body's surface, world frame.
fn sample(body: &MpmBody, p: &Vec3, q: &UnitQuaternion<Real>, points: &[Vec3], out: &mut [Surface]) {
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

/// Rows of a body with the nodes of touched blocks, in their order. Velocities and masses of nodes are in `grid` and
/// `masses`. The volume of nodes near the body becomes unknown.
pub(crate) fn collect(
    model: &MpmModel,
    body: &MpmBody,
    bodies: &Bodies,
    blocks: &Blocks,
    grid: &mut [[Real; 4]],
    masses: &[Real],
    rows: &mut Vec<Row>,
) {
    rows.clear();
    let (p, q) = (&bodies.p[body.body], &bodies.q[body.body]);
    let near = 1.5 * model.dx;
    let around = bounds(body, p, q).grown(near);
    let mut surfaces = [Surface::default(); 64];
    for (block, &key) in blocks.touched.iter().enumerate() {
        let first = blocks::first_node(key).map(|n| Real::from(n - BIAS) * model.dx);
        let corner = model.min + Vec3::from(first);
        if !around.overlaps(&Aabb { min: corner, max: corner.add_scalar(3.0 * model.dx) }) {
            continue;
        }
        let places: [Vec3; 64] = std::array::from_fn(|k| {
            corner + Vec3::new((k >> 4) as Real, (k >> 2 & 3) as Real, (k & 3) as Real) * model.dx
        });
        sample(body, p, q, &places, &mut surfaces);
        for (k, surface) in surfaces.iter().enumerate() {
            let node = 64 * block + k;
            if surface.distance < near {
                grid[node][3] = UNKNOWN; // the body takes a part of the node's volume
            }
            if surface.distance < 0.5 * model.dx && masses[node] > 0.0 {
                let (normal, u) = (surface.normal, &grid[node]);
                let speed = normal.dot(&Vec3::new(u[0], u[1], u[2]));
                rows.push(Row { end: node as u32, normal, mass: masses[node], arm: places[k] - p, speed });
            }
        }
    }
}

/// The velocities of a body after its rows; what the other ends gain along their normals goes to `gain(end, Δu)`. Returns
/// the impulse on the body, kg·m/s.
pub(crate) fn solve(
    coupling: Coupling,
    body: &MpmBody,
    bodies: &mut Bodies,
    rows: &[Row],
    mut gain: impl FnMut(usize, Vec3),
) -> Vec3 {
    let k = body.body;
    let (v, w, r) = (bodies.v[k], bodies.w[k], bodies.q[k].to_rotation_matrix().into_inner());
    let free = Vector6::new(v.x, v.y, v.z, w.x, w.y, w.z);
    let inertia = r * Mat3::from_diagonal(&body.inertia) * r.transpose();
    let mut own = Matrix6::from_diagonal_element(body.mass);
    own.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
    let mut now = free;
    if coupling == Coupling::Rows {
        let mut touching = usize::MAX;
        for _ in 0..MOST_STEPS {
            let (mut matrix, mut right, mut count) = (own, own * free, 0);
            for row in rows.iter().filter(|row| row.speed < row.of(&now)) {
                let direction = row.direction();
                matrix.syger(row.mass, &direction, &direction, 1.0);
                right.axpy(row.mass * row.speed, &direction, 1.0);
                count += 1;
            }
            // Only the lower triangle was added to, and only it is read.
            let Some(factor) = matrix.cholesky() else { break };
            now = factor.solve(&right);
            if count == touching {
                break;
            }
            touching = count;
        }
    }
    let mut change = Vector6::zeros();
    for row in rows {
        let gained = row.mass * (row.of(&now) - row.speed);
        if gained > 0.0 {
            change.axpy(-gained, &row.direction(), 1.0);
            gain(row.end as usize, row.normal * (gained / row.mass));
        }
    }
    if coupling != Coupling::OneWay {
        // What nodes gained, not the solution itself: equal and opposite to the last bit of the sum.
        bodies.v[k] += change.fixed_rows::<3>(0) / body.mass;
        if let Some(inverse) = inertia.try_inverse() {
            bodies.w[k] += inverse * change.fixed_rows::<3>(3);
        }
    }
    Vec3::new(change[0], change[1], change[2])
}

/// Moves a body with its velocities.
pub(crate) fn advance(body: &MpmBody, bodies: &mut Bodies, h: Real) {
    let k = body.body;
    bodies.p[k] += bodies.v[k] * h;
    bodies.q[k] = UnitQuaternion::from_scaled_axis(bodies.w[k] * h) * bodies.q[k];
}

/// Moves particles out of a body and makes rows of them.
pub(crate) fn push_out(
    model: &MpmModel,
    body: &MpmBody,
    bodies: &Bodies,
    particles: &mut [Particle],
    rows: &mut Vec<Row>,
) {
    rows.clear();
    let (p, q) = (&bodies.p[body.body], &bodies.q[body.body]);
    let around = bounds(body, p, q);
    let mut surfaces = [Surface::default(); 64];
    let mut places = [Vec3::zeros(); 64];
    for (chunk, particles) in particles.chunks_mut(64).enumerate() {
        for (place, particle) in places.iter_mut().zip(&*particles) {
            *place = model.min + Vec3::from(particle.x);
        }
        let places = &places[..particles.len()];
        if !places.iter().any(|x| around.contains(x)) {
            continue;
        }
        sample(body, p, q, places, &mut surfaces[..places.len()]);
        for (k, (particle, surface)) in particles.iter_mut().zip(&surfaces).enumerate() {
            if surface.distance < 0.0 {
                let (normal, mass) = (surface.normal, particle.mass);
                let out = places[k] - normal * surface.distance;
                particle.x = (out - model.min).into();
                let speed = normal.dot(&Vec3::from(particle.v));
                rows.push(Row { end: (64 * chunk + k) as u32, normal, mass, arm: out - p, speed });
            }
        }
    }
}
