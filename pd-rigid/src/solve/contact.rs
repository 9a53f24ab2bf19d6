//! Contacts by soft sweeps over small steps (Catto 2024, "solver2d": TGS soft).
//!
//! Each substep sweeps twice over all contacts ([`group`](super::group), [`sweep`](super::sweep)): once with a spring of fixed frequency ω and damping ratio ζ that pushes
//! overlap out, no faster than a given speed, and, after the motion, once without it ("relax"), so that push-out leaves no
//! velocity behind. Friction acts in the second sweep alone: friction that answers to push-out pumps the lean of tall stacks.
//! The spring of a row of effective mass m, with a₁ = 2ζ + hω, a₂ = hω a₁:
//!
//!   λ += −m a₂/(1 + a₂) (v_n + ω/a₁ s) − λ/(1 + a₂),   λ ≥ 0,
//!
//! where s is the separation; s > 0 (speculative) lets the gap close within the substep: λ += −m (v_n + s/h).
//! Friction per point is a disc: |λ_t| ≤ μ λ_n. Restitution comes once at the end, from the speed at the moment of impact.

use super::body::Body;
use pd_core::{Real, Vec3};

/// Most points of a manifold.
pub(crate) const POINTS: usize = 4;

/// One point of contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactPoint {
    /// Place on each body, principal frame, m: on its surface, or in the core of a round part.
    pub(crate) local: [Vec3; 2],
    /// Radius of each part if it is round, else 0, m: the surface lies that far from its core, however the body turns.
    pub(crate) round: [Real; 2],
    /// Place in the world when it was found, m.
    pub(crate) place: Vec3,
    /// Separation where it was found, m; negative is overlap.
    pub(crate) gap: Real,
    /// Feature that made the point, to find its impulses again.
    pub(crate) feature: u64,
    /// Impulses along the normal and two tangents, over the time of one substep, as force, N.
    pub(crate) force: [Real; 3],
    /// Impulse along the normal in a substep of `xpbd`, force·h², kg·m.
    pub(crate) lambda: Real,
    /// Speed along the normal before a substep of `xpbd`, m/s; negative is approach.
    pub(crate) impact: Real,
}

/// Points of contact of two parts, with one normal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manifold {
    /// Parts as `a << 32 | b`, or a part and an obstacle.
    pub(crate) key: u64,
    /// Place among the others in a sweep.
    pub(crate) order: u64,
    /// Bodies: of the model while contacts are found, of the island while they are solved.
    pub(crate) bodies: [u32; 2],
    /// Unit normal, from the second body to the first.
    pub(crate) normal: Vec3,
    /// Unit tangents.
    pub(crate) tangents: [Vec3; 2],
    /// Velocity of the surface of an obstacle, m/s; zero between bodies, which have their own.
    pub(crate) drag: Vec3,
    /// Coefficient of friction.
    pub(crate) friction: Real,
    /// Coefficient of restitution.
    pub(crate) restitution: Real,
    /// Whether the parts meet within the step, at speed: the points then share one large impulse and need several rounds.
    pub(crate) meets: bool,
    /// Number of points.
    pub(crate) len: usize,
    /// Points.
    pub(crate) points: [ContactPoint; POINTS],
}

impl Manifold {
    /// The points in use.
    pub(crate) fn points(&self) -> &[ContactPoint] {
        &self.points[..self.len]
    }

    /// Where a point is on each body at present, world frame, m.
    pub(crate) fn places(&self, point: &ContactPoint, a: &Body, b: &Body) -> [Vec3; 2] {
        let on_a = a.p + a.q * point.local[0] - self.normal * point.round[0];
        [on_a, b.p + b.q * point.local[1] + self.normal * point.round[1]]
    }

    /// Force of a point on the first body, world frame, N.
    pub(crate) fn force(&self, point: &ContactPoint) -> Vec3 {
        let [t, u] = self.tangents;
        self.normal * point.force[0] + t * point.force[1] + u * point.force[2]
    }
}

/// Two unit vectors across a unit normal; a function of the normal alone.
pub(crate) fn tangents(n: &Vec3) -> [Vec3; 2] {
    let t = Vec3::ith(n.iamin(), 1.0).cross(n).normalize();
    [t, n.cross(&t)]
}
