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
use crate::kernel::{Kernel, inside_fraction};
use crate::law::positive;
use crate::particles::Particle;
use crate::transfer::nodes::specific_volume;
use crate::{MpmError, MpmModel, Spline};
use nalgebra::{Matrix6, UnitQuaternion, Vector6};
use pd_core::{Aabb, Bodies, Collider, Mat3, Real, Surface, Vec3};
use std::sync::Arc;

/// Newton steps at most; two or three are usual, since only the set of touching nodes is nonlinear.
const MOST_STEPS: usize = 12;

/// Times that all rows of a body are solved. The first is exact for a pressure that is the same all around.
const SWEEPS: usize = 3;

/// Nodes with less than this fraction of a full cell's mass count less: their velocities say little.
const THIN: Real = 0.05;

/// Sum of the weights from which on a point of the surface is in touch with matter.
const LEAST_WET: Real = 0.2;

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

/// Matter that meets a body at a point: an average of nodes, or a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Number of the stencil or particle.
    pub(crate) end: u32,
    pub(crate) normal: Vec3,
    mass: Real,
    /// From the body's centre, m.
    arm: Vec3,
    /// n·u before, m/s.
    speed: Real,
    /// Impulse along n on the matter so far, kg·m/s; never negative.
    impulse: Real,
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

/// The nodes that carry a point of a body's surface, with their weights; those without matter have weight zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stencil {
    node: [u32; 64],
    weight: [Real; 64],
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

/// Part of a node's kernel that lies outside of a body: that of a plane at the node's distance, which is exact for flat
/// surfaces, and what edges and curvature add, by the difference of two sums over eight points.
fn open_fraction(
    spline: Spline,
    surface: &Surface,
    offsets: &[Vec3; 8],
    around: &[Surface],
    dx: Real,
) -> Real {
    let inside = |distance: Real| (0.5 + distance / dx).clamp(0.0, 1.0);
    let bent = offsets.iter().zip(around).map(|(offset, other)| {
        inside(other.distance) - inside(surface.distance + offset.dot(&surface.normal))
    });
    (inside_fraction(spline, surface.distance / dx) + bent.sum::<Real>() / 8.0).clamp(0.0, 1.0)
}

/// What the nodes around bodies look like.
#[derive(Default)]
pub(crate) struct Shore {
    /// Part of the kernel of each node that is outside of all bodies.
    open: Vec<Real>,
    rows: Vec<Row>,
    stencils: Vec<Stencil>,
    /// Sum of the weights of all rows for each node.
    load: Vec<Real>,
}

impl Shore {
    /// Gives the nodes near bodies the volume that bodies leave them.
    pub(crate) fn volumes(
        &mut self,
        model: &MpmModel,
        bodies: &Bodies,
        blocks: &Blocks,
        grid: &mut [[Real; 4]],
        masses: &[Real],
        rest: Real,
    ) {
        self.open.clear();
        self.open.resize(grid.len(), 1.0);
        let (dx, near) = (model.dx, 1.5 * model.dx);
        // The second moment of the eight points along an axis, with the cell that each stands for, is that of the spline.
        let reach = dx
            * match model.spline {
                Spline::Quadratic => Real::sqrt(1.0 / 4.0 - 1.0 / 12.0),
                Spline::Cubic => Real::sqrt(1.0 / 3.0 - 1.0 / 12.0),
            };
        let sign = |k: usize, bit: usize| if k >> bit & 1 == 0 { -reach } else { reach };
        let offsets: [Vec3; 8] = std::array::from_fn(|k| Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2)));
        let mut surfaces = [Surface::default(); 64];
        let mut around = [Surface::default(); 8];
        for body in &model.bodies {
            let (p, q) = (&bodies.p[body.body], &bodies.q[body.body]);
            let bounds = bounds(body, p, q).grown(near);
            for (block, &key) in blocks.touched.iter().enumerate() {
                let Some(places) = places(model, key, &bounds) else { continue };
                sample(body, p, q, &places, &mut surfaces);
                for (k, surface) in surfaces.iter().enumerate().filter(|(_, s)| s.distance < near) {
                    let corners = offsets.map(|o| places[k] + o);
                    sample(body, p, q, &corners, &mut around);
                    self.open[64 * block + k] *= open_fraction(model.spline, surface, &offsets, &around, dx);
                }
            }
        }
        for (block, &key) in blocks.touched.iter().enumerate() {
            let first = blocks::first_node(key).map(|n| n - BIAS);
            for k in (0..64).filter(|k| self.open[64 * block + k] < 1.0) {
                let place =
                    [first[0] + (k as i32 >> 4), first[1] + (k as i32 >> 2 & 3), first[2] + (k as i32 & 3)];
                let volume = self.open[64 * block + k] * model.volume_at(place);
                grid[64 * block + k][3] = specific_volume(volume, masses[64 * block + k], rest);
            }
        }
    }

    /// Lets a body and the nodes around it meet; returns the impulse on the body, kg·m/s.
    pub(crate) fn meet<K: Kernel>(
        &mut self,
        model: &MpmModel,
        body: &MpmBody,
        bodies: &mut Bodies,
        blocks: &Blocks,
        grid: &mut [[Real; 4]],
        masses: &[Real],
    ) -> Vec3 {
        self.collect::<K>(model, body, bodies, blocks, masses);
        let mut total = Vec3::zeros();
        for _ in 0..SWEEPS {
            for (row, stencil) in self.rows.iter_mut().zip(&self.stencils) {
                let mut u = Vec3::zeros();
                for (&node, &weight) in stencil.node.iter().zip(&stencil.weight).filter(|(_, w)| **w > 0.0) {
                    let node = &grid[node as usize];
                    u += Vec3::new(node[0], node[1], node[2]) * weight;
                }
                row.speed = row.normal.dot(&u);
            }
            let stencils = &self.stencils;
            total += solve(model.coupling, body, bodies, &mut self.rows, |row, impulse| {
                let stencil = &stencils[row];
                for (&node, &weight) in stencil.node.iter().zip(&stencil.weight).filter(|(_, w)| **w > 0.0) {
                    let push = impulse * (weight / masses[node as usize]);
                    (0..3).for_each(|a| grid[node as usize][a] += push[a]);
                }
            });
        }
        total
    }

    /// A row for each node next to the surface, at the point of the surface nearest to it.
    fn collect<K: Kernel>(
        &mut self,
        model: &MpmModel,
        body: &MpmBody,
        bodies: &Bodies,
        blocks: &Blocks,
        masses: &[Real],
    ) {
        let Self { rows, stencils, load, .. } = self;
        rows.clear();
        stencils.clear();
        load.clear();
        load.resize(masses.len(), 0.0);
        let (p, q) = (&bodies.p[body.body], &bodies.q[body.body]);
        let dx = model.dx;
        let around = bounds(body, p, q).grown(dx);
        let density = model.materials.iter().fold(Real::INFINITY, |least, m| m.law.density().min(least));
        let thin = THIN * density * dx * dx * dx;
        let mut surfaces = [Surface::default(); 64];
        for &key in &blocks.touched {
            let Some(places) = places(model, key, &around) else { continue };
            sample(body, p, q, &places, &mut surfaces);
            for (place, surface) in places.iter().zip(&surfaces).filter(|(_, s)| s.distance.abs() <= 0.5 * dx)
            {
                let foot = place - surface.normal * surface.distance;
                let mut stencil = Stencil { node: [0; 64], weight: [0.0; 64] };
                let (mut sum, mut arm, mut k) = (0.0, Vec3::zeros(), 0);
                let at: [(i32, Real); 3] = std::array::from_fn(|a| {
                    let x = (foot[a] - model.min[a]).clamp(-2.0 * dx, Real::from(model.cells[a] + 2) * dx);
                    blocks::base::<K>(x, 1.0 / dx)
                });
                let w = at.map(|(_, f)| K::weights(f));
                let mut seen = (u64::MAX, None);
                for i in 0..K::NODES {
                    for j in 0..K::NODES {
                        for l in 0..K::NODES {
                            let node = [at[0].0 + i as i32, at[1].0 + j as i32, at[2].0 + l as i32];
                            let key = blocks::key(node);
                            if seen.0 != key {
                                seen = (key, blocks.touched.binary_search(&key).ok());
                            }
                            let Some(block) = seen.1 else { continue };
                            let within = (node[0] & 3) << 4 | (node[1] & 3) << 2 | node[2] & 3;
                            let node_id = 64 * block + within as usize;
                            let mass = masses[node_id];
                            let weight = w[0][i] * w[1][j] * w[2][l] * (mass / (mass + thin));
                            if weight > 0.0 {
                                (stencil.node[k], stencil.weight[k]) = (node_id as u32, weight);
                                sum += weight;
                                arm += Vec3::from(node.map(|n| Real::from(n - BIAS) * dx)) * weight;
                                k += 1;
                            }
                        }
                    }
                }
                if sum < LEAST_WET {
                    continue;
                }
                for (node, weight) in stencil.node.iter().zip(&mut stencil.weight) {
                    *weight /= sum;
                    load[*node as usize] += *weight;
                }
                let arm = model.min + arm / sum - p;
                rows.push(Row {
                    end: rows.len() as u32,
                    normal: surface.normal,
                    mass: 0.0,
                    arm,
                    speed: 0.0,
                    impulse: 0.0,
                });
                stencils.push(stencil);
            }
        }
        for (row, stencil) in rows.iter_mut().zip(&*stencils) {
            let mut inverse = 0.0;
            for (&node, &weight) in stencil.node.iter().zip(&stencil.weight).filter(|(_, w)| **w > 0.0) {
                inverse += weight * load[node as usize] / masses[node as usize];
            }
            row.mass = 1.0 / inverse;
        }
    }
}

/// Places of the nodes of a block, if some may be in these bounds.
fn places(model: &MpmModel, key: u64, bounds: &Aabb) -> Option<[Vec3; 64]> {
    let first = blocks::first_node(key).map(|n| Real::from(n - BIAS) * model.dx);
    let corner = model.min + Vec3::from(first);
    bounds.overlaps(&Aabb { min: corner, max: corner.add_scalar(3.0 * model.dx) }).then(|| {
        std::array::from_fn(|k| {
            corner + Vec3::new((k >> 4) as Real, (k >> 2 & 3) as Real, (k & 3) as Real) * model.dx
        })
    })
}

/// The velocities of a body after its rows; impulses on the other ends go to `gain(end, impulse)`. Returns
/// the impulse on the body, kg·m/s.
pub(crate) fn solve(
    coupling: Coupling,
    body: &MpmBody,
    bodies: &mut Bodies,
    rows: &mut [Row],
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
            for row in rows.iter() {
                let direction = row.direction();
                if row.mass * (row.speed - row.of(&now)) < row.impulse {
                    matrix.syger(row.mass, &direction, &direction, 1.0);
                    right.axpy(row.mass * row.speed, &direction, 1.0);
                    count += 1;
                } else {
                    right.axpy(row.impulse, &direction, 1.0); // all that was given is taken back
                }
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
        let gained = (row.mass * (row.of(&now) - row.speed)).max(-row.impulse);
        if gained != 0.0 {
            row.impulse += gained;
            change.axpy(-gained, &row.direction(), 1.0);
            gain(row.end as usize, row.normal * gained);
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
                rows.push(Row {
                    end: (64 * chunk + k) as u32,
                    normal,
                    mass,
                    arm: out - p,
                    speed,
                    impulse: 0.0,
                });
            }
        }
    }
}
