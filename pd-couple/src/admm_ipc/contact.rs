//! The contact local step: one point and one triangle, kept apart by the barrier.
//!
//! A pair holds copies q of its four points and scaled multipliers w. The local step is
//!
//!   q = argmin κ b(d²(q)) + Σ_j ½ r_j |q_j − (x_j + w_j)|²,   then   w_j += x_j − q_j
//!
//! with b the logarithmic barrier below the contact distance and d the distance of point and triangle: twelve unknowns, by Newton's
//! method without the curvature of d, so that the Hessian is a diagonal and one product. Every step is clamped by continuous collision detection, so the copies stay on the side
//! they began on. (The thesis takes κ = ∞ and ∇d of unit length; over the four points |∇d|² = 1 + Σβ².)

use pd_collide::barrier::LogBarrier;
use pd_collide::ccd::{Ccd, Conservative, PointTriangle};
use pd_collide::distance::point_triangle;
#[cfg(test)]
use pd_collide::distance::{Derivatives, squared_distance};
use pd_core::{Real, Vec3};

/// Part of the way to the first touch that a step may go.
pub(crate) const KEEP: Real = 0.9;

/// Newton steps of a local step, at most.
const STEPS: usize = 30;

/// Halvings of a Newton step, at most.
const HALVINGS: usize = 40;

/// A point near a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// The point and the corners.
    pub(crate) points: [u32; 4],
    /// The barrier acts below its distance.
    pub(crate) barrier: LogBarrier,
    /// Stiffness of the barrier, N/m³.
    pub(crate) kappa: Real,
    /// Whether it takes part: the barrier is felt, or was.
    pub(crate) feels: bool,
    /// Weight of each copy, N/m.
    pub(crate) weights: [Real; 4],
    /// The copies, m.
    pub(crate) q: [Vec3; 4],
    /// Scaled multipliers, m.
    pub(crate) w: [Vec3; 4],
}

/// κ b(d²) with its derivatives.
#[cfg(test)]
pub(crate) fn barrier_energy(barrier: &LogBarrier, kappa: Real, x: &[Vec3; 4]) -> Derivatives<4> {
    let [b, first, second] = barrier.at(point_triangle(x).separation(x).norm_squared());
    if b == 0.0 {
        return Derivatives::constant(0.0);
    }
    squared_distance(x, &point_triangle(x)).chain([kappa * b, kappa * first, kappa * second])
}

/// The part of a way, up to 1, on which a point does not touch its triangle, less some distance.
pub(crate) fn free_part(start: [Vec3; 4], end: [Vec3; 4]) -> Real {
    let moved: [Vec3; 4] = std::array::from_fn(|k| end[k] - start[k]);
    let farthest = (1..4).map(|k| (moved[0] - moved[k]).norm_squared()).fold(0.0, Real::max);
    // The separation changes by at most the largest relative motion of a corner.
    if point_triangle(&start).separation(&start).norm_squared() > 1.0001 * farthest {
        return 1.0;
    }
    let hit = Conservative.vertex_triangle(&PointTriangle { start, end, separation: 0.0 });
    hit.map_or(1.0, |time| KEEP * time)
}

impl Pair {
    /// Whether the barrier is felt at the positions `x`, by the copies, or not at all: then copies follow their points.
    pub(crate) fn feels_barrier(&mut self, x: &[Vec3]) -> bool {
        if self.w.iter().any(|w| *w != Vec3::zeros()) {
            return true;
        }
        let at = self.points.map(|i| x[i as usize]);
        let reach = self.barrier.distance();
        if point_triangle(&at).separation(&at).norm() < reach || free_part(self.q, at) < 1.0 {
            return true;
        }
        self.q = at;
        false
    }

    /// Copies and multipliers of a pair at the positions `x` of all points.
    pub(crate) fn local(&mut self, x: &[Vec3]) {
        if !self.feels {
            return;
        }
        let at = self.points.map(|i| x[i as usize]);
        let target: [Vec3; 4] = std::array::from_fn(|k| at[k] + self.w[k]);
        self.minimise(&target);
        for k in 0..4 {
            // To the last bit: a pair that does not feel the barrier has no force.
            self.w[k] = if self.q[k] == target[k] { Vec3::zeros() } else { target[k] - self.q[k] };
        }
    }

    /// How far the copies are from the points, m.
    pub(crate) fn residual(&self, x: &[Vec3]) -> Real {
        if !self.feels {
            return 0.0;
        }
        (0..4).map(|k| (x[self.points[k] as usize] - self.q[k]).norm()).fold(0.0, Real::max)
    }

    fn value(&self, q: &[Vec3; 4], target: &[Vec3; 4]) -> Real {
        let [b, ..] = self.barrier.at(point_triangle(q).separation(q).norm_squared());
        let apart = (0..4).map(|k| 0.5 * self.weights[k] * (q[k] - target[k]).norm_squared());
        self.kappa * b + apart.sum::<Real>()
    }

    fn minimise(&mut self, target: &[Vec3; 4]) {
        // Straight to the target if the barrier is not felt there and nothing is in between: then it is the minimum.
        let reach = self.barrier.distance();
        if point_triangle(target).separation(target).norm() >= reach && free_part(self.q, *target) >= 1.0 {
            self.q = *target;
            return;
        }
        for _ in 0..STEPS {
            // With β the signed weights and n the direction of the nearest points, ∇d = β n.
            let closest = point_triangle(&self.q);
            let separation = closest.separation(&self.q);
            let squared = separation.norm_squared();
            let Some(normal) = separation.try_normalize(0.0) else { return };
            let [_, first, second] = self.barrier.at(squared);
            let slope = 2.0 * self.kappa * squared.sqrt() * first;
            let curvature = (self.kappa * (2.0 * first + 4.0 * squared * second)).max(0.0);
            let along: [Vec3; 4] = std::array::from_fn(|k| normal * closest.weights[k]);
            let gradient: [Vec3; 4] =
                std::array::from_fn(|k| along[k] * slope + (self.q[k] - target[k]) * self.weights[k]);
            // −(W + c ∇d∇dᵀ)⁻¹ g, W diagonal.
            let dot = |a: &[Vec3; 4]| (0..4).map(|k| along[k].dot(&a[k]) / self.weights[k]).sum::<Real>();
            let share = curvature * dot(&gradient) / (1.0 + curvature * dot(&along));
            let step: [Vec3; 4] = std::array::from_fn(|k| (along[k] * share - gradient[k]) / self.weights[k]);
            if step.iter().all(|step| step.amax() <= 1e-12 * reach) {
                return;
            }
            let end = |part: Real| -> [Vec3; 4] { std::array::from_fn(|k| self.q[k] + step[k] * part) };
            let mut part = free_part(self.q, end(1.0));
            let now = self.value(&self.q, target);
            let slope: Real = (0..4).map(|k| gradient[k].dot(&step[k])).sum();
            let mut found = false;
            for _ in 0..HALVINGS {
                if self.value(&end(part), target) <= now + 1e-4 * part * slope {
                    found = true;
                    break;
                }
                part *= 0.5;
            }
            if !found {
                return;
            }
            self.q = end(part);
        }
    }
}
