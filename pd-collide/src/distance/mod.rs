//! Distances between points, edges and triangles: closest points, squared distance, gradient and Hessian.
//!
//! Every pair here is a pair of simplices: point–point, point–edge, point–triangle and edge–edge. Vertices come in one
//! array, those of the first simplex before those of the second. The closest points are c = Σ β_j x_j over the first
//! and c' = −Σ β_j x_j over the second simplex, so that the *signed weights* β sum to one over the first, to minus one
//! over the second, and the separation is r = c − c' = Σ β_j x_j.
//!
//! Which vertices carry weight is the *support*: it names the closest feature (a corner, an edge, the face) and it is
//! what derivatives are taken with. Distance is once continuously differentiable where the supports change and r ≠ 0;
//! the Hessian jumps there. At r = 0 the squared distance is 0, its gradient is 0 and its Hessian is that of the
//! squared distance of the spans.
//!
//! ```
//! use pd_collide::distance::{point_triangle, squared_distance};
//! use pd_core::Vec3;
//!
//! // A point 2 m above a triangle.
//! let x = [Vec3::new(0.25, 2.0, 0.5), Vec3::zeros(), Vec3::z(), Vec3::x()];
//! let closest = point_triangle(&x);
//! assert!((closest.separation(&x) - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-15);
//! let squared = squared_distance(&x, &closest);
//! assert!((squared.value - 4.0).abs() < 1e-15);
//! assert!((squared.gradient[0] - Vec3::new(0.0, 4.0, 0.0)).norm() < 1e-15);
//! ```

mod derivatives;
mod edge_edge;
mod mollifier;
mod point;
mod point_triangle;
mod squared;

pub use derivatives::Derivatives;
pub use edge_edge::edge_edge;
pub use mollifier::{PARALLEL, edge_edge_mollifier, mollifier_threshold};
pub use point::{point_edge, point_point};
pub use point_triangle::point_triangle;
pub use squared::squared_distance;

use pd_core::{Real, Vec3};

/// The closest points of two simplices with N vertices together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest<const N: usize> {
    /// Signed barycentric weights β: positive on the first simplex, negative on the second, zero off the support.
    pub weights: [Real; N],
    /// Bit j is set if vertex j belongs to the closest features.
    pub support: u8,
    /// Number of vertices of the first simplex: two for a pair of edges, otherwise one.
    pub first_len: usize,
}

impl<const N: usize> Closest<N> {
    /// r = Σ β_j x_j, from the point on the second simplex to the point on the first, m.
    ///
    /// Summed over differences from the first vertex, so that it is as accurate far from the origin as near it.
    #[inline]
    pub fn separation(&self, x: &[Vec3; N]) -> Vec3 {
        let mut r = Vec3::zeros();
        for j in 1..N {
            r += (x[j] - x[0]) * self.weights[j];
        }
        r
    }

    /// Whether vertex `j` belongs to the closest features.
    #[inline]
    pub fn supports(&self, j: usize) -> bool {
        self.support >> j & 1 == 1
    }

    /// Number of vertices of the closest features: 2 for corner–corner, 3 for corner–edge, 4 for the full pair of a
    /// point and a triangle or of two edges.
    #[inline]
    pub fn support_len(&self) -> usize {
        self.support.count_ones() as usize
    }
}
