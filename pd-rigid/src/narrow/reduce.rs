//! At most four points of many that hold a body as well as all of them do.

use super::{Touch, Touches};
use pd_core::{Real, Vec3};

/// Keeps the deepest point, the one farthest from it, and the two that add most area on either side of their line.
pub(crate) fn reduce(normal: Vec3, points: &[Touch]) -> Touches {
    let mut touches = Touches { normal, ..Touches::default() };
    if points.len() <= 4 {
        points.iter().for_each(|p| touches.push(p.place, p.gap, p.feature));
        return touches;
    }
    // Of points equally deep up to rounding the first along a fixed direction: the choice must not flicker.
    let fixed = Vec3::new(0.36, 0.48, 0.8);
    let a = best(points, |p| -p.gap * 1e3 + 1e-3 * fixed.dot(&p.place));
    let b = best(points, |p| (p.place - points[a].place).norm_squared());
    let across = normal.cross(&(points[b].place - points[a].place));
    let c = best(points, |p| across.dot(&(p.place - points[a].place)));
    let d = best(points, |p| -across.dot(&(p.place - points[a].place)));
    let mut chosen = [a, b, c, d];
    chosen.sort_unstable();
    for (k, &i) in chosen.iter().enumerate() {
        if k == 0 || chosen[k - 1] != i {
            touches.push(points[i].place, points[i].gap, points[i].feature);
        }
    }
    touches
}

/// The first point of the largest measure.
fn best(points: &[Touch], measure: impl Fn(&Touch) -> Real) -> usize {
    let mut best = (0, Real::NEG_INFINITY);
    for (k, p) in points.iter().enumerate() {
        let value = measure(p);
        if value > best.1 {
            best = (k, value);
        }
    }
    best.0
}
