//! Contact rows between matter and bodies, solved with their masses.
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

use super::{bounds, sample};
use crate::particles::Particle;
use crate::{Coupling, MpmBody, MpmModel};
use nalgebra::{Matrix6, Vector6};
use pd_core::{Bodies, Mat3, Real, Surface, Vec3};

/// Newton steps at most; two or three are usual, since only the set of touching nodes is nonlinear.
const MOST_STEPS: usize = 12;

/// Matter that meets a body at a point: an average of nodes, or a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Number of the stencil or particle.
    pub(crate) end: u32,
    pub(crate) normal: Vec3,
    pub(super) mass: Real,
    /// From the body's centre, m.
    pub(super) arm: Vec3,
    /// n·u before, m/s.
    pub(super) speed: Real,
    /// Impulse along n on the matter so far, kg·m/s; never negative.
    pub(super) impulse: Real,
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
