//! Point against triangle, by the seven regions of the triangle's plane.
//!
//! Ericson, Real-Time Collision Detection (2005), section 5.1.5: with a, b, c the corners, the dot products of the two
//! edges at a with p − a, p − b and p − c decide the region, and their 2×2 minors are the barycentrics of the foot of
//! the perpendicular times 4 area². On slivers these minors cancel, so there the candidates are compared.

use super::{Closest, point::parameter};
use pd_core::{Real, Vec3};

/// sin² of the angle at the first corner below which the triangle is treated as a sliver.
const SLIVER: Real = 1e-10;

/// Closest points of the point `x[0]` and the triangle `x[1]`, `x[2]`, `x[3]`. A triangle of no area counts as its
/// edges.
#[inline]
pub fn point_triangle(x: &[Vec3; 4]) -> Closest<4> {
    let [p, a, b, c] = x;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    let (e, f, g) = (ab.norm_squared(), ab.dot(&ac), ac.norm_squared());
    let squared_area = e * g - f * f;
    if squared_area <= SLIVER * e * g {
        return sliver(x);
    }
    if d1 <= 0.0 && d2 <= 0.0 {
        return corner(1);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return corner(2);
    }
    let over_ab = d1 * d4 - d3 * d2;
    if over_ab <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return edge(1, 2, d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return corner(3);
    }
    let over_ac = d5 * d2 - d1 * d6;
    if over_ac <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return edge(1, 3, d2 / (d2 - d6));
    }
    let over_bc = d3 * d6 - d5 * d4;
    if over_bc <= 0.0 && d4 >= d3 && d5 >= d6 {
        return edge(2, 3, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let scale = 1.0 / (over_bc + over_ac + over_ab);
    let (v, w) = (over_ac * scale, over_ab * scale);
    Closest { weights: [1.0, -(1.0 - v - w), -v, -w], support: 0b1111, first_len: 1 }
}

fn corner(j: usize) -> Closest<4> {
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    weights[j] = -1.0;
    Closest { weights, support: 1 | 1 << j, first_len: 1 }
}

/// The point at parameter `s` of the edge from corner `j` to corner `k`.
fn edge(j: usize, k: usize, s: Real) -> Closest<4> {
    if s <= 0.0 {
        return corner(j);
    }
    if s >= 1.0 {
        return corner(k);
    }
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    weights[j] = s - 1.0;
    weights[k] = -s;
    Closest { weights, support: 1 | 1 << j | 1 << k, first_len: 1 }
}

/// The best of the three edges and of the interior, each computed without the cancellation of the minors.
#[cold]
fn sliver(x: &[Vec3; 4]) -> Closest<4> {
    let [p, a, b, c] = x;
    let on = |j: usize, k: usize| edge(j, k, parameter(&(p - x[j]), &(x[k] - x[j])));
    let mut best = on(1, 2);
    let mut least = best.separation(x).norm_squared();
    let mut offer = |candidate: Closest<4>| {
        let squared = candidate.separation(x).norm_squared();
        if squared < least {
            (best, least) = (candidate, squared);
        }
    };
    offer(on(1, 3));
    offer(on(2, 3));
    let normal = (b - a).cross(&(c - a));
    let inverse = 1.0 / normal.norm_squared();
    let v = (p - a).cross(&(c - a)).dot(&normal) * inverse;
    let w = (b - a).cross(&(p - a)).dot(&normal) * inverse;
    if inverse.is_finite() && v > 0.0 && w > 0.0 && v + w < 1.0 {
        offer(Closest { weights: [1.0, -(1.0 - v - w), -v, -w], support: 0b1111, first_len: 1 });
    }
    best
}
