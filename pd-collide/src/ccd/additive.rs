//! Additive continuous collision detection (ACCD): Li et al., Codimensional Incremental Potential Contact (2021),
//! section 5.
//!
//! No two points of the primitives approach faster than l, the sum of the largest displacements of their vertices in a
//! frame in which these are small. So at distance d, with separation ξ, a fraction (d − ξ)/l of the motion is free. Take
//! 0.9 of that, again and again, until a tenth of the first d − ξ is left (a hit) or the time is up (a miss). Steps never
//! shrink below that tenth, so it ends soon; the price is that whoever comes nearer than a tenth of the first gap counts
//! as a hit.
//!
//! Added here: a first look whether one plane settles the whole motion, and an allowance for the rounding of distances,
//! so that primitives that touch at the start are a hit.

use super::{Ccd, EdgeEdge, PointTriangle, plane::Differences, query::Query};
use pd_core::{Real, Vec3};

/// ACCD. Fast, and without a known false negative; not proven to have none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Additive;

/// Part of the free motion that is taken; the rest of the gap is kept.
const RESCALE: Real = 0.9;

/// Steps before the pair counts as touching.
const MOST_STEPS: usize = 1024;

impl Ccd for Additive {
    fn name(&self) -> &'static str {
        "additive"
    }

    fn vertex_triangle(&self, query: &PointTriangle) -> Option<Real> {
        first_contact(query)
    }

    fn edge_edge(&self, query: &EdgeEdge) -> Option<Real> {
        first_contact(query)
    }
}

fn first_contact<Q: Query>(query: &Q) -> Option<Real> {
    let mut x = query.relative_at(0.0);
    let end = query.relative_at(1.0);
    let n = Q::closest(&x).separation(&x);
    let differences = Differences::new(query);
    let free = differences.free(&n);
    if free.after < 0.0 && free.before > 1.0 {
        return None;
    }
    let mut motion: [Vec3; 4] = std::array::from_fn(|j| end[j] - x[j]);
    // Relative to vertex 0 that one does not move; the mean motion is a better frame.
    let mean = (motion[1] + motion[2] + motion[3]) * 0.25;
    motion.iter_mut().for_each(|m| *m -= mean);
    let longest = |side: &[Vec3]| side.iter().map(Vec3::norm_squared).fold(0.0, Real::max).sqrt();
    let speed = longest(&motion[..Q::FIRST_LEN]) + longest(&motion[Q::FIRST_LEN..]);
    // Rounding of the differences, of their sums along the way, and of the closest points.
    let allowance = query.separation() + 32.0 * Real::EPSILON * differences.size();
    let mut gap = n.norm() - allowance;
    let least = (1.0 - RESCALE) * gap;
    let mut t = 0.0;
    for _ in 0..MOST_STEPS {
        if gap <= 0.0 || gap.is_nan() {
            return Some(t);
        }
        let step = RESCALE * gap / speed;
        for j in 0..4 {
            x[j] += motion[j] * step;
        }
        if t + step > 1.0 {
            return None;
        }
        t += step;
        gap = Q::closest(&x).separation(&x).norm() - allowance;
        if gap < least {
            return Some(t);
        }
    }
    Some(t)
}
