//! Roots of polynomials in time: Provot, Collision and Self-Collision Handling in Cloth Model Dedicated to Design
//! Garments (1997), with the roots isolated.
//!
//! Without a separation, contact is coplanar: f(t) = a·(b × c) = 0, a cubic, where a, b, c lead from one vertex to the
//! other three. Its roots are candidates, and the closest points at each decide. Motion within a plane (f vanishes
//! identically) has the times at which a vertex passes the line of an edge, seen along a coordinate, instead.
//!
//! With a separation δ the first contact is a time at which some pair of features is δ apart: face or lines
//! f² = δ² |n|² (degree six), point and edge |w × e|² = δ² |e|² (degree four), points |w|² = δ² (degree two).

use super::{
    Ccd, EdgeEdge, PointTriangle,
    polynomial::{Curve, Polynomial, Times},
    query::Query,
};
use pd_core::{Real, Vec3};

/// Isolated roots, tested with a tolerance. Exact up to rounding in motion of general position; no proof.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cubic;

/// Closest points nearer than this part of the size of the pair, at a root, are in contact.
const TOLERANCE: Real = 1e-8;

/// f below this part of its possible size at all its control points is motion within a plane.
const PLANAR: Real = 1e-13;

impl Ccd for Cubic {
    fn name(&self) -> &'static str {
        "cubic"
    }

    fn vertex_triangle(&self, query: &PointTriangle) -> Option<Real> {
        first_contact(query)
    }

    fn edge_edge(&self, query: &EdgeEdge) -> Option<Real> {
        first_contact(query)
    }
}

fn first_contact<Q: Query>(query: &Q) -> Option<Real> {
    let (start, end) = (query.relative_at(0.0), query.relative_at(1.0));
    let size = start[1..].iter().chain(&end[1..]).map(|x| x.amax()).fold(0.0, Real::max);
    let mut times = Times::default();
    if query.separation() > 0.0 {
        separation_times::<Q>(&start, &end, query.separation(), &mut times);
    } else {
        let control = coplanarity(&start, &end);
        let least = PLANAR * size * size * size;
        let one_sided = |sign: Real| control.iter().all(|c| c * sign > least);
        if one_sided(1.0) || one_sided(-1.0) {
            return None;
        }
        if control.iter().all(|c| c.abs() <= least) {
            planar_times::<Q>(&start, &end, &mut times);
        }
        from_control(control).roots(&mut times);
    }
    times.push(0.0);
    times.sort();
    let near = query.separation() + TOLERANCE * size;
    times.as_slice().iter().copied().find(|t| {
        let x = query.relative_at(*t);
        let distance = Q::closest(&x).separation(&x).norm();
        distance <= near || distance.is_nan()
    })
}

/// Control points of the cubic f in Bernstein form: if all have one sign so has f.
fn coplanarity(start: &[Vec3; 4], end: &[Vec3; 4]) -> [Real; 4] {
    let det = |a: &Vec3, b: &Vec3, c: &Vec3| a.dot(&b.cross(c));
    let [_, a, b, c] = start;
    let [_, d, e, f] = end;
    [
        det(a, b, c),
        (det(d, b, c) + det(a, e, c) + det(a, b, f)) / 3.0,
        (det(a, e, f) + det(d, b, f) + det(d, e, c)) / 3.0,
        det(d, e, f),
    ]
}

/// The polynomial of given control points.
fn from_control([a, b, c, d]: [Real; 4]) -> Polynomial {
    Polynomial::new(&[a, 3.0 * (b - a), 3.0 * (a - 2.0 * b + c), d - 3.0 * c + 3.0 * b - a])
}

/// Times at which a vertex passes the line of an edge in a projection, or has a coordinate of a vertex.
fn planar_times<Q: Query>(start: &[Vec3; 4], end: &[Vec3; 4], times: &mut Times) {
    let between = |i: usize, j: usize| Curve::linear(&(start[j] - start[i]), &(end[j] - end[i]));
    for (p, [a, b]) in Q::POINT_EDGES {
        let normal = between(*a, *p).cross(&between(*a, *b));
        for axis in 0..3 {
            normal.axis(axis).roots(times);
        }
    }
    for (i, j) in Q::PAIRS {
        for axis in 0..3 {
            between(*i, *j).axis(axis).roots(times);
        }
    }
}

/// Times at which a pair of features is the separation apart.
fn separation_times<Q: Query>(start: &[Vec3; 4], end: &[Vec3; 4], separation: Real, times: &mut Times) {
    let squared = separation * separation;
    let between = |i: usize, j: usize| Curve::linear(&(start[j] - start[i]), &(end[j] - end[i]));
    let normal = if Q::FIRST_LEN == 1 {
        between(1, 2).cross(&between(1, 3))
    } else {
        between(0, 1).cross(&between(2, 3))
    };
    let volume = from_control(coplanarity(start, end));
    (volume.times(&volume) - normal.dot(&normal).scaled(squared)).roots(times);
    for (p, [a, b]) in Q::POINT_EDGES {
        let edge = between(*a, *b);
        let moment = between(*a, *p).cross(&edge);
        (moment.dot(&moment) - edge.dot(&edge).scaled(squared)).roots(times);
    }
    for (i, j) in Q::PAIRS {
        let w = between(*i, *j);
        (w.dot(&w) - Polynomial::new(&[squared])).roots(times);
    }
}
