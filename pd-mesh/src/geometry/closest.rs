//! Nearest point of a triangle, by the region of the plane in which the projection lies (C. Ericson, Real-Time Collision
//! Detection, 2005, section 5.1.5).

use crate::Vec3;

/// The point of triangle (a, b, c) nearest to `q`. Degenerate triangles are taken as the segment or point they are.
#[must_use]
pub fn closest_on_triangle(q: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac, aq) = (b - a, c - a, q - a);
    let (d1, d2) = (ab.dot(&aq), ac.dot(&aq));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bq = q - b;
    let (d3, d4) = (ab.dot(&bq), ac.dot(&bq));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let cq = q - c;
    let (d5, d6) = (ab.dot(&cq), ac.dot(&cq));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vc = d1 * d4 - d3 * d2;
    let vb = d5 * d2 - d1 * d6;
    let va = d3 * d6 - d5 * d4;
    let sum = va + vb + vc;
    let inside = va > 0.0 && vb > 0.0 && vc > 0.0;
    if inside && sum.is_finite() {
        return a + ab * (vb / sum) + ac * (vc / sum);
    }
    // On the border, or of no area: the best of the three sides.
    let mut best = a;
    let mut least = f64::INFINITY;
    for (from, to) in [(a, b), (b, c), (c, a)] {
        let p = closest_on_segment(q, from, to);
        let squared = (p - q).norm_squared();
        if squared < least {
            (best, least) = (p, squared);
        }
    }
    best
}

/// The point of segment (a, b) nearest to `q`.
fn closest_on_segment(q: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let ab = b - a;
    let length = ab.norm_squared();
    let t = if length > 0.0 { ((q - a).dot(&ab) / length).clamp(0.0, 1.0) } else { 0.0 };
    a + ab * t
}
