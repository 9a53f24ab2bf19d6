//! What is asked: four vertices that move along straight lines, and how near is too near.

use crate::distance::{Closest, edge_edge, point_triangle};
use pd_core::{Real, Vec3};

/// A vertex and a triangle that move, each vertex along a straight line, from time 0 to time 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTriangle {
    /// Vertex and corners at time 0, m.
    pub start: [Vec3; 4],
    /// The same at time 1, m.
    pub end: [Vec3; 4],
    /// They count as touching when they are this near, m; not negative.
    pub separation: Real,
}

/// Two edges that move, each vertex along a straight line, from time 0 to time 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeEdge {
    /// Ends of the first edge and of the second at time 0, m.
    pub start: [Vec3; 4],
    /// The same at time 1, m.
    pub end: [Vec3; 4],
    /// They count as touching when they are this near, m; not negative.
    pub separation: Real,
}

/// What the algorithms need to know of either.
pub(super) trait Query {
    /// Vertices of the first simplex.
    const FIRST_LEN: usize;
    /// Pairs of a vertex of the first and one of the second: three or four.
    const PAIRS: &'static [(usize, usize)];
    /// Vertices of one against edges of the other: what meets first in a plane.
    const POINT_EDGES: &'static [(usize, [usize; 2])];

    fn start(&self) -> &[Vec3; 4];
    fn end(&self) -> &[Vec3; 4];
    fn separation(&self) -> Real;
    fn closest(x: &[Vec3; 4]) -> Closest<4>;

    /// Positions at time t relative to vertex 0 of the same time, up to rounding. Differences come first, so that the
    /// distance from the origin does not matter.
    #[inline]
    fn relative_at(&self, t: Real) -> [Vec3; 4] {
        let (a, b) = (self.start(), self.end());
        let mut x = [Vec3::zeros(); 4];
        for j in 1..4 {
            x[j] = (a[j] - a[0]) * (1.0 - t) + (b[j] - b[0]) * t;
        }
        x
    }
}

impl Query for PointTriangle {
    const FIRST_LEN: usize = 1;
    const PAIRS: &'static [(usize, usize)] = &[(0, 1), (0, 2), (0, 3)];
    const POINT_EDGES: &'static [(usize, [usize; 2])] = &[(0, [1, 2]), (0, [2, 3]), (0, [1, 3])];

    fn start(&self) -> &[Vec3; 4] {
        &self.start
    }
    fn end(&self) -> &[Vec3; 4] {
        &self.end
    }
    fn separation(&self) -> Real {
        self.separation
    }
    #[inline]
    fn closest(x: &[Vec3; 4]) -> Closest<4> {
        point_triangle(x)
    }
}

impl Query for EdgeEdge {
    const FIRST_LEN: usize = 2;
    const PAIRS: &'static [(usize, usize)] = &[(0, 2), (0, 3), (1, 2), (1, 3)];
    const POINT_EDGES: &'static [(usize, [usize; 2])] = &[(0, [2, 3]), (1, [2, 3]), (2, [0, 1]), (3, [0, 1])];

    fn start(&self) -> &[Vec3; 4] {
        &self.start
    }
    fn end(&self) -> &[Vec3; 4] {
        &self.end
    }
    fn separation(&self) -> Real {
        self.separation
    }
    #[inline]
    fn closest(x: &[Vec3; 4]) -> Closest<4> {
        edge_edge(x)
    }
}
