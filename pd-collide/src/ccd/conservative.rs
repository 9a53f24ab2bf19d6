//! Conservative detection by a chain of separating planes.
//!
//! At time t the direction n between the closest points separates the primitives, and keeps doing so until
//! `plane::Free::before`; go there, take the direction anew, and so on. The chain of intervals proves that nothing
//! touches from 0 to the time reached. Only the intervals are part of the proof, and their rounding is bounded; positions
//! and closest points along the way choose directions and may be as inexact as they like.
//!
//! This is conservative advancement (Mirtich, Timewarp Rigid Body Simulation, 2000; Zhang et al., Interactive Continuous
//! Collision Detection for Non-Convex Polyhedra, 2006) with the bound along n taken from all vertices, exactly, instead
//! of from speeds; the idea of a certified answer is that of Wang et al., A Large-scale Benchmark and an Inclusion-based
//! Algorithm for Continuous Collision Detection (2021), whose interval arithmetic it replaces.

use super::{Ccd, EdgeEdge, PointTriangle, plane::Differences, query::Query, refine};
use pd_core::{Real, Vec3};

/// No false negatives. See above.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conservative;

/// Planes in a chain before it goes on in twice the precision.
const MOST_PLANES: usize = 256;

/// Planes in a chain after which it counts as slow.
const SLOW: usize = 12;

impl Ccd for Conservative {
    fn name(&self) -> &'static str {
        "conservative"
    }

    fn vertex_triangle(&self, query: &PointTriangle) -> Option<Real> {
        first_contact(query)
    }

    fn edge_edge(&self, query: &EdgeEdge) -> Option<Real> {
        first_contact(query)
    }
}

fn first_contact<Q: Query>(query: &Q) -> Option<Real> {
    let differences = Differences::new(query);
    let mut t = 0.0;
    // How far the next turning direction is tried.
    let mut ahead = 1.0;
    for planes in 0..MOST_PLANES {
        let x = query.relative_at(t);
        let n = Q::closest(&x).separation(&x);
        let free = differences.free(&n);
        if !(free.after < t && t < free.before) {
            break;
        }
        if free.before > 1.0 {
            return None;
        }
        let mut reached = free.before;
        if planes >= SLOW
            && let Some(further) = turn(query, &differences, t, &n, &mut ahead)
        {
            reached = reached.max(further);
        }
        if reached >= 1.0 {
            return None;
        }
        t = reached;
    }
    if passes_through(query, t) { Some(t) } else { refine::first_contact(query, t) }
}

/// Whether the primitives plainly pass through each other at time t: the closest points are well inside of both, and
/// the volume that the four vertices span changes sign. Then there is no need to look closer. No part of the proof: to
/// say "contact" is always safe.
fn passes_through<Q: Query>(query: &Q, t: Real) -> bool {
    const INSIDE: Real = 1e-4;
    const AROUND: Real = 1e-7;
    let x = query.relative_at(t);
    let volume = |t: Real| {
        let x = query.relative_at(t.clamp(0.0, 1.0));
        x[1].dot(&x[2].cross(&x[3]))
    };
    Q::closest(&x).weights.iter().all(|b| b.abs() > INSIDE) && volume(t - AROUND) * volume(t + AROUND) < 0.0
}

/// Time up to which a direction that turns with the motion keeps the primitives apart, from n at time t on.
///
/// One that rotates quickly leaves a fixed plane at once, however slowly it approaches.
fn turn<Q: Query>(query: &Q, differences: &Differences, t: Real, n: &Vec3, ahead: &mut Real) -> Option<Real> {
    *ahead = (4.0 * *ahead).min(1.0 - t);
    let unit = n / n.norm();
    for _ in 0..6 {
        let to = t + *ahead;
        let x = query.relative_at(to);
        let m = Q::closest(&x).separation(&x);
        if differences.free_turning((&unit, t), (&(m / m.norm()), to)) {
            return Some(to);
        }
        *ahead *= 0.25;
    }
    None
}
