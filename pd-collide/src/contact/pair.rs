//! A pair of primitives without a common vertex, vertex–face or edge–edge: closest points and a plane between them.
//!
//! β are the signed barycentric weights of the closest points, Σβ = 0, so that Σ β_j x_j points from the second primitive
//! to the first; its direction n separates the two, since both are convex. With c the positions at which vertices may end
//! (they lie inside half-spaces of both sides) lo = min n·c over the first primitive and hi = max n·c over the second.

use super::surface::ContactSurface;
use crate::distance::{edge_edge, point_triangle};
use pd_core::{Real, Vec3};

/// Steps of the search for the direction in which two primitives pass each other, at most.
const PASSING: usize = 24;
/// Part of the distance along that direction by which it may be less than the largest.
const PASSED: Real = 0.01;

/// What meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContactKind {
    /// The first vertex and the triangle of the others.
    #[default]
    VertexFace,
    /// The edge of the first two vertices and that of the last two.
    EdgeEdge,
    /// A vertex, or a point of an edge or a face, and an obstacle given by signed distance.
    Obstacle,
}

impl ContactKind {
    /// Vertices of the first primitive.
    #[inline]
    pub(crate) fn first(self) -> usize {
        match self {
            Self::EdgeEdge => 2,
            _ => 1,
        }
    }
}

/// Two primitives by the numbers of their vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) v: [u32; 4],
    pub(crate) kind: ContactKind,
}

/// Weights and separation of the closest points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    pub(crate) weights: [Real; 4],
    /// Bit j: vertex j belongs to the closest features.
    pub(crate) support: u8,
    pub(crate) separation: Vec3,
}

impl Pair {
    #[inline]
    pub(crate) fn corners(&self, x: &[Vec3]) -> [Vec3; 4] {
        let at = |k: usize| x[self.v[k] as usize];
        [at(0), at(1), at(2), at(3)]
    }

    #[inline]
    pub(crate) fn closest(&self, x: &[Vec3]) -> Closest {
        self.closest_of(&self.corners(x))
    }

    #[inline]
    pub(crate) fn closest_of(&self, p: &[Vec3; 4]) -> Closest {
        let closest = if self.kind == ContactKind::EdgeEdge { edge_edge(p) } else { point_triangle(p) };
        Closest { weights: closest.weights, support: closest.support, separation: closest.separation(p) }
    }

    /// Extent of both primitives along n, about the first corner: least of the first, largest of the second.
    #[inline]
    pub(crate) fn extent(&self, x: &[Vec3], n: &Vec3) -> (Real, Real) {
        self.extent_of(&self.corners(x), n)
    }

    #[inline]
    pub(crate) fn extent_of(&self, p: &[Vec3; 4], n: &Vec3) -> (Real, Real) {
        let m = self.kind.first();
        let along = |k: usize| n.dot(&(p[k] - p[0]));
        let a = [0.0, along(1), along(2), along(3)];
        if m == 1 { (0.0, a[1].max(a[2]).max(a[3])) } else { (a[0].min(a[1]), a[2].max(a[3])) }
    }

    /// Whether all vertices of the first, and of the second primitive are moved and not pushed.
    pub(crate) fn kinematic(&self, surface: &ContactSurface) -> (bool, bool) {
        let all = |v: &[u32]| v.iter().all(|&v| surface.kinematic[v as usize]);
        let (p, q) = self.v.split_at(self.kind.first());
        (all(p), all(q))
    }

    /// The direction along which two primitives stay farthest apart at two places: to the point y nearest to the origin of the
    /// convex hull of all differences d of their corners at both, since n·d ≥ ‖y‖ for n = y/‖y‖ (Gilbert, Johnson and Keerthi
    /// 1988). What slides over a seam has it before it at first and behind it in the end; there this is the way up.
    pub(crate) fn passing(&self, start: &[Vec3; 4], end: &[Vec3; 4]) -> Option<Vec3> {
        let m = self.kind.first();
        let mut simplex = [start[0] - start[m]; 3];
        let (mut y, mut count) = (simplex[0], 1);
        for _ in 0..PASSING {
            let (mut least, mut next) = (Real::INFINITY, y);
            for p in [start, end] {
                for d in p[..m].iter().flat_map(|a| p[m..].iter().map(move |b| a - b)) {
                    if y.dot(&d) < least {
                        (least, next) = (y.dot(&d), d);
                    }
                }
            }
            let squared = y.norm_squared();
            if squared - least <= PASSED * squared {
                break;
            }
            // The face of the simplex with the new corner that is nearest; it keeps the corners that matter.
            let (mut nearest, mut kept, mut many) = (squared, simplex, count);
            let faces: &[[usize; 2]] = if count == 3 { &[[0, 1], [1, 2], [2, 0]] } else { &[[0, 1]] };
            for &[i, j] in faces {
                let j = j.min(count - 1);
                let corners = [next, simplex[i], simplex[j]];
                let closest = point_triangle(&[Vec3::zeros(), corners[0], corners[1], corners[2]]);
                let point = -closest.separation(&[Vec3::zeros(), corners[0], corners[1], corners[2]]);
                if point.norm_squared() < nearest {
                    (nearest, y, many) = (point.norm_squared(), point, 0);
                    for (k, corner) in
                        corners.iter().enumerate().filter(|(k, _)| closest.weights[k + 1] != 0.0)
                    {
                        if k < 2 || i != j {
                            kept[many] = *corner;
                            many += 1;
                        }
                    }
                }
            }
            if nearest >= squared || many == 0 {
                break;
            }
            (simplex, count) = (kept, many);
        }
        (y.norm_squared() > 0.0).then(|| y.normalize())
    }

    /// Other directions that may separate two primitives that nearly touch: normals, products of edges, centroids.
    pub(crate) fn axes(&self, x: &[Vec3]) -> impl Iterator<Item = Vec3> + use<> {
        self.axes_of(&self.corners(x))
    }

    pub(crate) fn axes_of(&self, p: &[Vec3; 4]) -> impl Iterator<Item = Vec3> + use<> {
        let m = self.kind.first();
        let centre = |v: &[Vec3]| v.iter().sum::<Vec3>() / v.len() as Real;
        let between = centre(&p[..m]) - centre(&p[m..]);
        let list = match self.kind {
            ContactKind::EdgeEdge => {
                let (e, f) = (p[1] - p[0], p[3] - p[2]);
                let n = e.cross(&f);
                [n, e.cross(&n), f.cross(&n), between, Vec3::zeros()]
            }
            _ => {
                let n = (p[2] - p[1]).cross(&(p[3] - p[1]));
                let side = |a: usize, b: usize| (p[b] - p[a]).cross(&n);
                [n, side(1, 2), side(2, 3), side(3, 1), between]
            }
        };
        list.into_iter()
            .filter(|a| a.norm_squared() > 0.0)
            .map(move |a| if a.dot(&between) < 0.0 { -a.normalize() } else { a.normalize() })
    }
}
