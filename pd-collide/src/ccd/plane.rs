//! One direction that keeps two moving primitives apart for a while, with a proof.
//!
//! For a fixed direction n and vertices p_i of the first, q_j of the second primitive, f_ij(t) = n·(p_i(t) − q_j(t)) is
//! linear in t. While all f_ij exceed δ |n| some plane across n has the primitives on different sides, δ apart. So the
//! values at both ends of the motion give an interval of times, and that is all arithmetic the proof needs: where n came
//! from does not matter.
//!
//! Rounding. A difference of two numbers is off by at most u = 2⁻⁵³ of itself, wherever the origin is; a dot product of
//! three terms by another 3u Σ|n_k d_k|, to first order. With m the largest |d_k| of all pairs at both ends,
//! 8 u |n|₁ m bounds all of it and the rounding of what is done to the result: subtracting the bound and δ |n|.

use super::query::Query;
use pd_core::{Real, Vec3};

const U: Real = Real::EPSILON / 2.0;

/// Differences p_i − q_j of a motion at both ends.
pub(super) struct Differences {
    start: [Vec3; 4],
    end: [Vec3; 4],
    len: usize,
    /// Largest coordinate among them, m.
    size: Real,
    separation: Real,
}

/// Times in (after, before) are free; in [0, before) if `after` is negative.
#[derive(Clone, Copy)]
pub(super) struct Free {
    pub(super) after: Real,
    pub(super) before: Real,
}

impl Free {
    /// Nothing is.
    const NEVER: Free = Free { after: 2.0, before: -2.0 };
}

impl Differences {
    #[inline]
    pub(super) fn new<Q: Query>(query: &Q) -> Self {
        let (a, b) = (query.start(), query.end());
        let mut out = Differences {
            start: [Vec3::zeros(); 4],
            end: [Vec3::zeros(); 4],
            len: Q::PAIRS.len(),
            size: 0.0,
            separation: query.separation(),
        };
        for (k, (i, j)) in Q::PAIRS.iter().enumerate() {
            out.start[k] = a[*i] - a[*j];
            out.end[k] = b[*i] - b[*j];
            for axis in 0..3 {
                out.size = out.size.max(out.start[k][axis].abs()).max(out.end[k][axis].abs());
            }
        }
        out
    }

    /// When the direction n keeps the primitives apart; `before` exceeds 1 if it does to the end.
    #[inline]
    pub(super) fn free(&self, n: &Vec3) -> Free {
        let length = n.x.abs() + n.y.abs() + n.z.abs();
        // Products of numbers near the smallest lose more than a relative error; the last term covers that.
        let mut bound = 8.0 * U * length * self.size + Real::MIN_POSITIVE;
        if self.separation > 0.0 {
            bound += self.separation * n.norm() * (1.0 + 8.0 * U);
        }
        let mut free = Free { after: -1.0, before: 2.0 };
        for k in 0..self.len {
            let (a, b) = (n.dot(&self.start[k]) - bound, n.dot(&self.end[k]) - bound);
            if a > 0.0 {
                if b > 0.0 {
                    continue;
                }
                // a > 0 ≥ b. Four roundings at most; eight units are taken off.
                free.before = free.before.min(a / (a - b) * (1.0 - 8.0 * U));
            } else if b > 0.0 {
                free.after = free.after.max(a / (a - b) * (1.0 + 8.0 * U));
            } else {
                // Also what is not a number.
                return Free::NEVER;
            }
        }
        free
    }

    /// Whether a direction that turns evenly from n at time `from` to m at time `to` keeps the primitives apart for all of
    /// that time.
    ///
    /// f_ij is then quadratic, and positive if its three control points in Bernstein form are. Differences at a time in
    /// between are off by 5 u of the largest one, so the bound is twice as large as for a fixed direction.
    #[inline]
    pub(super) fn free_turning(&self, (n, from): (&Vec3, Real), (m, to): (&Vec3, Real)) -> bool {
        let length = |n: &Vec3| n.x.abs() + n.y.abs() + n.z.abs();
        let mut bound = 16.0 * U * (length(n) + length(m)) * self.size + Real::MIN_POSITIVE;
        if self.separation > 0.0 {
            bound += self.separation * n.norm().max(m.norm()) * (1.0 + 8.0 * U);
        }
        let at = |k: usize, t: Real| self.start[k] + (self.end[k] - self.start[k]) * t;
        (0..self.len).all(|k| {
            let (a, b) = (at(k, from), at(k, to));
            n.dot(&a) > bound && m.dot(&b) > bound && 0.5 * (n.dot(&b) + m.dot(&a)) > bound
        })
    }

    /// Largest difference of coordinates, m.
    pub(super) fn size(&self) -> Real {
        self.size
    }
}
