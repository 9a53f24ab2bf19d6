//! Edge against edge.
//!
//! With u and v the directions, w = x₂ − x₀ from the start of the first to that of the second and n = u × v, the lines
//! are closest at s = n·(w × v) / |n|² and t = n·(w × u) / |n|². If either leaves [0, 1] the closest points have an end
//! among them; the rule of Ericson, Real-Time Collision Detection (2005), section 5.1.9, finds it. Products with n
//! instead of u²v² − (u·v)² lose half as many digits where the edges are nearly parallel; there, ends are compared
//! as well, and exactly parallel edges always have an end among their closest points.

use super::{Closest, point::parameter};
use pd_core::{Real, Vec3};

/// sin² of the angle between the edges below which ends are compared.
const NEARLY_PARALLEL: Real = 1e-6;

/// Closest points of the edges from `x[0]` to `x[1]` and from `x[2]` to `x[3]`. Where they are not unique (parallel
/// edges) an end belongs to them. Edges of no length count as points.
#[inline]
pub fn edge_edge(x: &[Vec3; 4]) -> Closest<4> {
    let (u, v, w) = (x[1] - x[0], x[3] - x[2], x[2] - x[0]);
    let (a, e, b) = (u.norm_squared(), v.norm_squared(), u.dot(&v));
    let n = u.cross(&v);
    let squared = n.norm_squared();
    if squared <= NEARLY_PARALLEL * a * e {
        return nearly_parallel(x, &n, squared);
    }
    let (c, f) = (u.dot(&w), v.dot(&w));
    // Beyond an end of the first edge its end stands in for it; the same again on the second.
    let mut s = (n.dot(&w.cross(&v)) / squared).clamp(0.0, 1.0);
    let mut t = (b * s - f) / e;
    if t <= 0.0 {
        t = 0.0;
        s = (c / a).clamp(0.0, 1.0);
    } else if t >= 1.0 {
        t = 1.0;
        s = ((b + c) / a).clamp(0.0, 1.0);
    }
    at(s, t)
}

/// The closest pair at parameters s and t; those at 0 or 1 are ends.
#[inline]
fn at(s: Real, t: Real) -> Closest<4> {
    let ends = |p: Real| {
        if p == 0.0 {
            0b01
        } else if p == 1.0 {
            0b10
        } else {
            0b11
        }
    };
    Closest { weights: [1.0 - s, s, t - 1.0, -t], support: ends(s) | ends(t) << 2, first_len: 2 }
}

/// The best of the four ends and of the interior.
#[cold]
fn nearly_parallel(x: &[Vec3; 4], n: &Vec3, squared: Real) -> Closest<4> {
    let (u, v, w) = (x[1] - x[0], x[3] - x[2], x[2] - x[0]);
    let mut best = at(0.0, parameter(&-w, &v));
    let mut least = best.separation(x).norm_squared();
    let mut offer = |s: Real, t: Real| {
        let candidate = at(s, t);
        let squared = candidate.separation(x).norm_squared();
        if squared < least {
            (best, least) = (candidate, squared);
        }
    };
    offer(1.0, parameter(&(u - w), &v));
    offer(parameter(&w, &u), 0.0);
    offer(parameter(&(w + v), &u), 1.0);
    let (s, t) = (n.dot(&w.cross(&v)) / squared, n.dot(&w.cross(&u)) / squared);
    if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
        offer(s, t);
    }
    best
}
