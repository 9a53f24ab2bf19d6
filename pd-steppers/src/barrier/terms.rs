//! Barrier and friction of all pairs and obstacles: value, gradient and blocks of the Hessian.
//!
//! Every block is replaced by the nearest positive semidefinite one, so that the sum is positive definite.

use super::lists::Lists;
use crate::near_pairs::Bodies;
use nalgebra::{SMatrix, SymmetricEigen};
use pd_collide::barrier::LogBarrier;
use pd_collide::distance::{
    Closest, Derivatives, edge_edge, edge_edge_mollifier, mollifier_threshold, point_triangle,
    squared_distance,
};
use pd_collide::friction::SmoothedFriction;
use pd_collide::response::MovingPairs;
use pd_core::{ContactMaterial, Mat3, Model, Real, StepContext, Surface, Vec3};

/// Speed below which friction counts as sticking, m/s.
const STICKING: Real = 1e-3;

/// What a term needs to know of the step.
pub(super) struct Barrier<'a> {
    pub(super) model: &'a Model,
    pub(super) bodies: &'a Bodies,
    pub(super) kappa: Real,
    pub(super) time: Real,
}

/// Vertices of a pair and their blocks of the Hessian.
type PairBlocks = ([u32; 4], [[Mat3; 4]; 4]);

/// A sum of terms.
#[derive(Default)]
pub(super) struct TermSum {
    pub(super) gradient: Vec<Vec3>,
    /// Blocks of the Hessian, of pairs and of single vertices.
    pub(super) blocks: Lists<PairBlocks, (u32, Mat3)>,
    pub(super) active: usize,
    pub(super) least_gap: Real,
}

/// Vertices, their places at the start of the step, closest points, normal and law.
type SlidingPair = ([u32; 4], [Vec3; 4], Closest<4>, Vec3, SmoothedFriction);

/// Vertex, its place if it moved with the obstacle, normal, law.
type SlidingPoint = (u32, Vec3, Vec3, SmoothedFriction);

/// Friction of the contacts that pressed at the start of the step.
#[derive(Default)]
pub(super) struct Friction {
    pub(super) contacts: Lists<SlidingPair, SlidingPoint>,
}

/// The barrier of a pair, without κ; `None` if it is too far.
fn pair_energy(
    barrier: &Barrier<'_>,
    v: &[u32; 4],
    x: &[Vec3; 4],
    edges: bool,
) -> Option<(Derivatives<4>, Real)> {
    let surface = barrier.model.surface();
    let distance = barrier.bodies.thickness(surface, v[0], v[if edges { 2 } else { 1 }]);
    let closest = if edges { edge_edge(x) } else { point_triangle(x) };
    let squared = closest.separation(x).norm_squared();
    if squared >= distance * distance {
        return None;
    }
    let law = LogBarrier::new(distance).ok()?;
    let mut energy = law.energy(&squared_distance(x, &closest));
    if edges {
        let rest: [Vec3; 4] = if surface.rest.is_empty() { *x } else { v.map(|v| surface.rest[v as usize]) };
        energy = energy.product(&edge_edge_mollifier(x, mollifier_threshold(&rest)));
    }
    Some((energy, squared.sqrt()))
}

impl TermSum {
    /// Value of all terms at `x`, with gradient and Hessian if asked; infinite where something touches.
    pub(super) fn evaluate(
        &mut self,
        barrier: &Barrier<'_>,
        context: &StepContext<'_>,
        near: &MovingPairs,
        friction: &Friction,
        x: &[Vec3],
        derivatives: bool,
    ) -> Real {
        let kappa = barrier.kappa;
        if derivatives {
            self.gradient.clear();
            self.gradient.resize(x.len(), Vec3::zeros());
            self.blocks.clear();
        }
        (self.active, self.least_gap) = (0, Real::INFINITY);
        let mut value = 0.0;
        for (list, edges) in [(&near.vertex_triangles, false), (&near.edge_edges, true)] {
            for v in list {
                let corners = v.map(|v| x[v as usize]);
                let Some((energy, gap)) = pair_energy(barrier, v, &corners, edges) else { continue };
                self.active += 1;
                self.least_gap = self.least_gap.min(gap);
                value += kappa * energy.value;
                if derivatives {
                    self.add(v, &energy, kappa);
                }
            }
        }
        for (v, before, closest, normal, law) in &friction.contacts.pairs {
            let energy = law.energy(&v.map(|v| x[v as usize]), before, closest, normal);
            value += energy.value;
            if derivatives {
                self.add(v, &energy, 1.0);
            }
        }
        value += self.obstacles(barrier, context, x, derivatives);
        for (v, before, normal, law) in &friction.contacts.points {
            let tangent = Mat3::identity() - normal * normal.transpose();
            let (energy, gradient, hessian) = law.potential(&(tangent * (x[*v as usize] - before)));
            value += energy;
            if derivatives {
                self.gradient[*v as usize] += tangent * gradient;
                self.blocks.points.push((*v, tangent * hessian * tangent));
            }
        }
        value
    }

    /// Barriers of vertices against obstacles: κ b(φ²) with the curvature of φ left out.
    fn obstacles(
        &mut self,
        barrier: &Barrier<'_>,
        context: &StepContext<'_>,
        x: &[Vec3],
        derivatives: bool,
    ) -> Real {
        let (surface, mut value) = (barrier.model.surface(), 0.0);
        for collider in context.colliders.iter().filter_map(|collider| collider.for_vertices()) {
            for &v in surface.points.iter().filter(|&&v| !barrier.model.is_kinematic(v as usize)) {
                let at: Surface = collider.surface_at(&x[v as usize], barrier.time);
                let distance = surface.bodies[barrier.bodies.of(v) as usize].thickness;
                if at.distance >= distance {
                    continue;
                }
                let Ok(law) = LogBarrier::new(distance) else { continue };
                let phi = at.distance;
                let [energy, first, second] = law.at(if phi > 0.0 { phi * phi } else { 0.0 });
                self.active += 1;
                self.least_gap = self.least_gap.min(phi);
                value += barrier.kappa * energy;
                if derivatives {
                    self.gradient[v as usize] += at.normal * (barrier.kappa * first * 2.0 * phi);
                    let along = barrier.kappa * (second * 4.0 * phi * phi + 2.0 * first).max(0.0);
                    self.blocks.points.push((v, at.normal * at.normal.transpose() * along));
                }
            }
        }
        value
    }

    fn add(&mut self, v: &[u32; 4], energy: &Derivatives<4>, scale: Real) {
        for (v, gradient) in v.iter().zip(&energy.gradient) {
            self.gradient[*v as usize] += gradient * scale;
        }
        self.blocks.pairs.push((*v, semidefinite(&energy.hessian, scale)));
    }
}

/// The nearest positive semidefinite matrix, times a factor.
fn semidefinite(blocks: &[[Mat3; 4]; 4], scale: Real) -> [[Mat3; 4]; 4] {
    let full = SMatrix::<Real, 12, 12>::from_fn(|i, j| blocks[i / 3][j / 3][(i % 3, j % 3)] * scale);
    let mut eigen = SymmetricEigen::new((full + full.transpose()) * 0.5);
    eigen.eigenvalues.iter_mut().for_each(|value| *value = value.max(0.0));
    let projected = eigen.recompose();
    std::array::from_fn(|a| std::array::from_fn(|b| Mat3::from_fn(|i, j| projected[(3 * a + i, 3 * b + j)])))
}

impl Friction {
    /// Takes normal forces and directions of the contacts at `x`.
    pub(super) fn lag(
        &mut self,
        barrier: &Barrier<'_>,
        context: &StepContext<'_>,
        near: &MovingPairs,
        x: &[Vec3],
    ) {
        let (surface, dt) = (barrier.model.surface(), context.params.dt);
        let slip = STICKING * dt;
        self.contacts.clear();
        for (list, edges) in [(&near.vertex_triangles, false), (&near.edge_edges, true)] {
            for v in list {
                let corners = v.map(|v| x[v as usize]);
                let Some((energy, _)) = pair_energy(barrier, v, &corners, edges) else { continue };
                let closest = if edges { edge_edge(&corners) } else { point_triangle(&corners) };
                let Some(normal) = closest.separation(&corners).try_normalize(0.0) else { continue };
                let force: Vec3 = (0..closest.first_len).map(|j| energy.gradient[j] * -barrier.kappa).sum();
                let material = barrier.bodies.material(surface, v[0], v[if edges { 2 } else { 1 }]);
                let limit = material.kinetic_friction * force.dot(&normal).max(0.0);
                if limit > 0.0
                    && let Ok(law) = SmoothedFriction::new(limit, slip)
                {
                    self.contacts.pairs.push((*v, corners, closest, normal, law));
                }
            }
        }
        for collider in context.colliders.iter().filter_map(|collider| collider.for_vertices()) {
            for &v in surface.points.iter().filter(|&&v| !barrier.model.is_kinematic(v as usize)) {
                let at = collider.surface_at(&x[v as usize], barrier.time);
                let body = &surface.bodies[barrier.bodies.of(v) as usize];
                if !(at.distance > 0.0 && at.distance < body.thickness) {
                    continue;
                }
                let Ok(law) = LogBarrier::new(body.thickness) else { continue };
                let force = -barrier.kappa * law.at(at.distance * at.distance)[1] * 2.0 * at.distance;
                let limit =
                    ContactMaterial::between(&body.material, &collider.material()).kinetic_friction * force;
                if limit > 0.0
                    && let Ok(law) = SmoothedFriction::new(limit, slip)
                {
                    self.contacts.points.push((v, x[v as usize] + at.velocity * dt, at.normal, law));
                }
            }
        }
    }
}
