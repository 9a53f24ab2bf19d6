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

use super::{Ccd, EdgeEdge, PointTriangle, plane::Differences, query::Query};
use pd_core::Real;

/// No false negatives. See above.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conservative;

/// Planes in a chain before the pair counts as touching.
const MOST_PLANES: usize = 4096;

impl Ccd for Conservative {
    fn name(&self) -> &'static str {
        "conservative"
    }

    fn vertex_triangle(&self, query: &PointTriangle) -> Option<Real> {
        first_contact(query).0
    }

    fn edge_edge(&self, query: &EdgeEdge) -> Option<Real> {
        first_contact(query).0
    }
}

fn first_contact<Q: Query>(query: &Q) -> (Option<Real>, usize) {
    let differences = Differences::new(query);
    let mut t = 0.0;
    for planes in 0..MOST_PLANES {
        let x = query.relative_at(t);
        let n = Q::closest(&x).separation(&x);
        let mut free = differences.free(&n);
        if !(free.after < t && t < free.before) {
            // Closer than the rounding of the closest points: the common normal is known much better.
            let n = if Q::FIRST_LEN == 1 {
                (x[2] - x[1]).cross(&(x[3] - x[1]))
            } else {
                x[1].cross(&(x[3] - x[2]))
            };
            free = differences.free(&n);
            if !(free.after < t && t < free.before) {
                free = differences.free(&-n);
                if !(free.after < t && t < free.before) {
                    return (Some(t), planes);
                }
            }
        }
        if free.before > 1.0 {
            return (None, planes);
        }
        t = free.before;
    }
    (Some(t), MOST_PLANES)
}
