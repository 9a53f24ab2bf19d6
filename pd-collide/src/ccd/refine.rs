//! The chain of separating planes where gaps are near the rounding of a number: in twice the precision.
//!
//! Same proof as in `plane`, with differences that are exact and a bound of 2⁻⁹⁶ |n|₁ m. Closest points would need the
//! closest feature, which is in doubt at such gaps; so the directions of all features are tried (face or common normal,
//! vertex to edge, vertex to vertex), and the one that lasts longest is taken.

use super::{
    query::Query,
    wide::{Wide, WideVec},
};
use pd_core::{Real, Vec3};

/// Planes in a chain before the pair counts as touching.
const MOST_PLANES: usize = 16;

/// Some 15 operations, each off by less than 2⁻¹⁰² of |n|₁ m, come to less than 2⁻⁹⁸ of it.
const BOUND: Real = 1.0 / (1_u128 << 96) as Real;

/// Continues from time `t`, up to which nothing touches.
#[cold]
pub(super) fn first_contact<Q: Query>(query: &Q, t: Real) -> Option<Real> {
    let (a, b) = (query.start(), query.end());
    let mut ends = [[WideVec::ZERO; 2]; 4];
    let mut size: Real = 0.0;
    for (k, (i, j)) in Q::PAIRS.iter().enumerate() {
        ends[k] = [WideVec::difference(&a[*i], &a[*j]), WideVec::difference(&b[*i], &b[*j])];
        size = ends[k].iter().flat_map(|d| d.0).map(|c| c.hi.abs()).fold(size, Real::max);
    }
    let ends = &ends[..Q::PAIRS.len()];
    let mut t = Wide::from(t);
    for _ in 0..MOST_PLANES {
        let mut farthest = t;
        let x = query.relative_at(t.hi);
        for n in directions::<Q>(query, t) {
            // Most do not separate at all, and plain numbers tell.
            let plain = Vec3::from(n.0.map(|c| c.hi));
            let least = -1e-12 * n.length() * size;
            if Q::PAIRS.iter().any(|(i, j)| plain.dot(&(x[*i] - x[*j])) < least) {
                continue;
            }
            if let Some(before) = free_until(ends, size, query.separation(), &n, t) {
                if before.hi > 1.0 {
                    return None;
                }
                if (before - farthest).is_positive() {
                    farthest = before;
                }
            }
        }
        if !(farthest - t).is_positive() {
            break;
        }
        t = farthest;
    }
    // Not later than what is proven.
    Some(if t.lo < 0.0 { t.hi.next_down().max(0.0) } else { t.hi })
}

/// End of the time from `t` on for which direction n keeps the primitives apart; above 1 if to the end.
fn free_until(ends: &[[WideVec; 2]], size: Real, separation: Real, n: &WideVec, t: Wide) -> Option<Wide> {
    let length = n.length();
    // |n| from the leading parts, rounded up below.
    let norm = (n.0[0].hi * n.0[0].hi + n.0[1].hi * n.0[1].hi + n.0[2].hi * n.0[2].hi).sqrt();
    let bound = Wide::from(BOUND * length * size + Real::MIN_POSITIVE / Real::EPSILON)
        + Wide::from(separation) * Wide::from(norm * (1.0 + 8.0 * Real::EPSILON));
    let mut before = Wide::from(2.0);
    for [start, end] in ends {
        let (a, b) = (n.dot(start) - bound, n.dot(end) - bound);
        match (a.is_positive(), b.is_positive()) {
            (true, true) => {}
            (true, false) => {
                let until = a.over(a - b);
                let until = until - until * Wide::from(8.0 * BOUND);
                if (before - until).is_positive() {
                    before = until;
                }
            }
            (false, true) => {
                let from = a.over(a - b);
                let from = from + from * Wide::from(8.0 * BOUND);
                if !(t - from).is_positive() {
                    return None;
                }
            }
            // Also what is not a number.
            (false, false) => return None,
        }
    }
    (before - t).is_positive().then_some(before)
}

/// Directions from the second primitive to the first that separate if some direction of a pair of features does.
fn directions<Q: Query>(query: &Q, t: Wide) -> impl Iterator<Item = WideVec> {
    let (a, b) = (query.start(), query.end());
    let between = |i: usize, j: usize| {
        let (start, end) = (WideVec::difference(&a[j], &a[i]), WideVec::difference(&b[j], &b[i]));
        let motion = end.minus(&start).scaled(t);
        WideVec(std::array::from_fn(|k| start.0[k] + motion.0[k]))
    };
    let mut found = [WideVec::ZERO; 12];
    let mut len = 0;
    let mut push = |n: WideVec| {
        found[len] = n;
        len += 1;
    };
    let normal = if Q::FIRST_LEN == 1 {
        between(1, 2).cross(&between(1, 3))
    } else {
        between(0, 1).cross(&between(2, 3))
    };
    push(normal);
    push(WideVec(normal.0.map(|c| -c)));
    // From an edge to a vertex: w less its part along the edge, times the edge's squared length.
    for (p, [i, j]) in Q::POINT_EDGES {
        let (w, e) = (between(*i, *p), between(*i, *j));
        let across = w.scaled(e.dot(&e)).minus(&e.scaled(e.dot(&w)));
        push(if *p < Q::FIRST_LEN { across } else { WideVec(across.0.map(|c| -c)) });
    }
    for (i, j) in Q::PAIRS {
        push(between(*j, *i));
    }
    found.into_iter().take(len)
}
