//! What a substep may not gain.
//!
//! Kinetic energy at the end is at most that at the start plus the work of forces and motors,
//!
//!   T⁺ ≤ T + Σ (m a·Δx + τ·ω̄ h) + W,
//!
//! by one factor on all velocities relative to their mean (to rest, where the island is held by what does not move): J v = 0 and
//! momentum stay. Where a step is resolved the factor differs from one by the third order of the step.

use super::body::Body;
use super::work::Island;
use nalgebra::UnitQuaternion;
use pd_core::{Real, Vec3};

/// Kinetic energy and potential of forces at the start of a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    kinetic: Real,
    potential: Real,
    spin: Real,
}

impl Before {
    pub(super) fn note(island: &Island<'_>) -> Self {
        Self { kinetic: kinetic(island), potential: potential(island), spin: twist(island) }
    }
}

fn dynamic<'a>(island: &'a Island<'_>) -> impl Iterator<Item = &'a Body> {
    island.bodies.iter().filter(|body| body.is_dynamic())
}

fn kinetic(island: &Island<'_>) -> Real {
    island.bodies.iter().map(Body::kinetic).sum()
}

/// −Σ m a·x, J; against the place of the first body, so that a far island loses no digits.
fn potential(island: &Island<'_>) -> Real {
    dynamic(island).map(|b| -b.acceleration.dot(&b.p) / b.inv_mass).sum()
}

/// Σ τ·ω, W.
fn twist(island: &Island<'_>) -> Real {
    dynamic(island).map(|b| b.torque.dot(&b.w)).sum()
}

/// Takes off the velocities what the substep gained beyond the work of forces and `work` (J). Returns the share
/// of it that they keep, and what the substep gained beyond all that they had, J.
pub(super) fn pay(island: &mut Island<'_>, before: &Before, work: Real, h: Real) -> (Real, Real) {
    // What moves on a path of its own does work that no one counts.
    let carried = |b: &Body| !b.is_dynamic() && (b.v != Vec3::zeros() || b.w != Vec3::zeros());
    if island.bodies.iter().any(carried) {
        return (1.0, 0.0);
    }
    let forces = before.potential - potential(island) + 0.5 * h * (before.spin + twist(island));
    let (now, most) = (kinetic(island), before.kinetic + forces + work);
    if !now.is_finite() {
        return (0.0, Real::INFINITY);
    }
    if now <= most || now == 0.0 && most >= 0.0 {
        return (1.0, 0.0);
    }
    let held = island
        .joints
        .iter()
        .any(|joint| !joint.broken && joint.bodies.iter().any(|&b| !island.bodies[b as usize].is_dynamic()));
    let (mut mean, mut mass) = (Vec3::zeros(), 0.0);
    if !held {
        for body in dynamic(island) {
            mean += body.v / body.inv_mass;
            mass += 1.0 / body.inv_mass;
        }
        mean /= mass;
    }
    let common = 0.5 * mass * mean.norm_squared();
    let relative = (now - common).max(0.0);
    let keep = if relative > 0.0 { ((most - common) / relative).clamp(0.0, 1.0) } else { 1.0 };
    let factor = keep.sqrt();
    for body in island.bodies.iter_mut().filter(|body| body.is_dynamic()) {
        body.v = mean + (body.v - mean) * factor;
        body.w *= factor;
    }
    (keep, (common - most).max(0.0))
}

/// Takes the motion that closed gaps back as far as it lifted the bodies by `owed` (J).
pub(super) fn undo(island: &mut Island<'_>, owed: Real) {
    let lifted = island.bodies.iter().zip(&island.factor.poses).filter(|(body, _)| body.is_dynamic());
    let lifted: Real =
        lifted.map(|(body, (p, _))| body.acceleration.dot(&(p - body.p)) / body.inv_mass).sum();
    if lifted <= 0.0 {
        return;
    }
    let part = (owed / lifted).min(1.0);
    for (body, (p, q)) in island.bodies.iter_mut().zip(&island.factor.poses) {
        body.p += (p - body.p) * part;
        body.q = UnitQuaternion::new_normalize(body.q.nlerp(q, part).into_inner());
        body.turn_inertia();
    }
}
