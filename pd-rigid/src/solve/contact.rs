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
use super::lanes::Eight;
use pd_core::{Real, Vec3};

/// Most points of a manifold.
pub(crate) const POINTS: usize = 4;

/// One point of contact, as two lines of eight numbers.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct ContactPoint {
    /// Place on each body, principal frame, m: on its surface, or in the core of a round part.
    pub(crate) local: [Vec3; 2],
    /// Radius of each part if it is round, else 0, m: the surface lies that far from its core, however the body turns.
    pub(crate) round: [Real; 2],
    /// Impulses along the normal and two tangents, over the time of one substep, as force, N.
    pub(crate) force: [Real; 3],
    /// Separation where it was found, m; negative is overlap.
    pub(crate) gap: Real,
    /// Place in the world when it was found, m.
    pub(crate) place: Vec3,
    /// Feature that made the point, to find its impulses again.
    pub(crate) feature: u64,
}

/// Points of contact of two parts, with one normal. Two lines of eight numbers come first.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Manifold {
    /// Unit normal, from the second body to the first.
    pub(crate) normal: Vec3,
    /// Coefficient of friction.
    pub(crate) friction: Real,
    /// Velocity of the surface of an obstacle, m/s, with which its places go on; zero between bodies, which have their own.
    pub(crate) drag: Vec3,
    /// Coefficient of restitution.
    pub(crate) restitution: Real,
    /// Unit tangents.
    pub(crate) tangents: [Vec3; 2],
    pub(crate) rest_of_line: [Real; 2],
    /// Parts as `a << 32 | b`, or a part and an obstacle.
    pub(crate) key: u64,
    /// Place among the others in a sweep.
    pub(crate) order: u64,
    /// Bodies: of the model while contacts are found, of the island while they are solved.
    pub(crate) bodies: [u32; 2],
    /// Number of points.
    pub(crate) len: u32,
    /// Whether the parts meet within the step, at speed: the points then share one large impulse and need several rounds.
    pub(crate) meets: bool,
    /// Whether the parts did not touch in the step before: no impulses to start from.
    pub(crate) fresh: bool,
    /// Speed along the normal before a substep of `xpbd`, m/s; negative is approach.
    pub(crate) impact: [Real; POINTS],
    /// Points.
    pub(crate) points: [ContactPoint; POINTS],
}

// What the functions `lines` rely on.
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<ContactPoint>() == 128 && offset_of!(ContactPoint, round) == 48);
    assert!(offset_of!(ContactPoint, force) == 64 && offset_of!(ContactPoint, gap) == 88);
    assert!(offset_of!(ContactPoint, place) == 96 && offset_of!(ContactPoint, feature) == 120);
    assert!(offset_of!(Manifold, friction) == 24 && offset_of!(Manifold, drag) == 32);
    assert!(offset_of!(Manifold, restitution) == 56 && offset_of!(Manifold, tangents) == 64);
    assert!(offset_of!(Manifold, rest_of_line) == 112 && offset_of!(Manifold, key) == 128);
};

impl ContactPoint {
    /// Places and radii; force, separation, and what is no number.
    #[inline(always)]
    pub(super) fn lines(&self) -> &[Eight; 2] {
        // SAFETY: 128 bytes without gaps at a multiple of 64, as the assertions above say; any bits are a number.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }
}

impl Manifold {
    /// No contact: what lanes that are not used hold.
    pub(super) fn none() -> Self {
        Self { normal: Vec3::y(), tangents: [Vec3::z(), Vec3::x()], ..Self::default() }
    }

    /// Normal, friction, drag and restitution; tangents.
    #[inline(always)]
    pub(super) fn lines(&self) -> &[Eight; 2] {
        // SAFETY: numbers without gaps at a multiple of 64, as the assertions above say.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// The points in use.
    pub(crate) fn points(&self) -> &[ContactPoint] {
        &self.points[..self.len as usize]
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
