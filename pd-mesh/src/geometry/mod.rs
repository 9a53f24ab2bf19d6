//! Distance and inside-outside queries on triangle surfaces with a bounding volume hierarchy.
//!
//! | type | answers |
//! |---|---|
//! | [`SurfaceTree`] | nearest point of the surface, generalised winding number |
//! | [`hausdorff`] | Hausdorff distance of two surfaces |
//! | [`intersect`] | intersection of two triangles, by exact predicates |

mod bvh;
mod closest;
pub mod hausdorff;
pub mod intersect;
mod winding;

pub(crate) use bvh::{Bounds, Bvh};
pub use closest::closest_on_triangle;

use crate::{TriMesh, Vec3};
use winding::Dipole;

/// A surface with a tree over its triangles. Building costs O(F log F), a query O(log F) on even surfaces.
///
/// ```
/// use pd_mesh::{Vec3, generate, geometry::SurfaceTree};
/// let ball = generate::sphere(32, 16, 1.0)?;
/// let tree = SurfaceTree::new(&ball);
/// assert!((tree.winding_number(Vec3::zeros()) - 1.0).abs() < 0.05);
/// assert!(tree.winding_number(Vec3::x() * 2.0).abs() < 0.01);
/// assert!((tree.distance(Vec3::y() * 3.0) - 2.0).abs() < 1e-12);
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SurfaceTree {
    corners: Vec<[Vec3; 3]>,
    bvh: Bvh,
    dipoles: Vec<Dipole>,
}

impl SurfaceTree {
    /// Builds a tree over the triangles of `surface`. Triangles with invalid vertices are skipped.
    #[must_use]
    pub fn new(surface: &TriMesh) -> Self {
        let point = |v: u32| surface.positions.get(v as usize).copied();
        let corners: Vec<[Vec3; 3]> = surface
            .triangles
            .iter()
            .filter_map(|&[a, b, c]| Some([point(a)?, point(b)?, point(c)?]))
            .collect();
        let boxes: Vec<Bounds> = corners.iter().map(|triangle| Bounds::of(triangle)).collect();
        let bvh = Bvh::new(&boxes);
        let dipoles = winding::dipoles(&bvh, &corners);
        Self { corners, bvh, dipoles }
    }

    /// Number of triangles in the tree.
    #[must_use]
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// Whether there is no triangle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// Number of the nearest triangle and the nearest point on it; `None` for an empty tree.
    #[must_use]
    pub fn closest(&self, q: Vec3) -> Option<(usize, Vec3)> {
        self.closest_within(q, f64::INFINITY)
    }

    /// As [`SurfaceTree::closest`], if something lies nearer than `reach` metres.
    #[must_use]
    pub fn closest_within(&self, q: Vec3, reach: f64) -> Option<(usize, Vec3)> {
        let mut best = None;
        self.bvh.nearest(q, reach * reach, |item, limit| {
            let p = closest_on_triangle(q, self.corners[item]);
            let squared = (p - q).norm_squared();
            if squared < limit {
                best = Some((item, p));
                squared
            } else {
                limit
            }
        });
        best
    }

    /// Whether any point of the surface lies nearer to `q` than `reach` metres.
    #[must_use]
    pub fn any_within(&self, q: Vec3, reach: f64) -> bool {
        let mut found = false;
        self.bvh.nearest(q, reach * reach, |item, limit| {
            found |= (closest_on_triangle(q, self.corners[item]) - q).norm_squared() < reach * reach;
            // A negative limit ends the search.
            if found { -1.0 } else { limit }
        });
        found
    }

    /// Distance from `q` to the surface in metres; infinite for an empty tree.
    #[must_use]
    pub fn distance(&self, q: Vec3) -> f64 {
        self.closest(q).map_or(f64::INFINITY, |(_, p)| (p - q).norm())
    }

    /// How often the surface winds around `q`: 1 inside and 0 outside a closed surface with outward normals, in between
    /// near a hole; errors of up to 5 % where the tree approximates distant triangles.
    #[must_use]
    pub fn winding_number(&self, q: Vec3) -> f64 {
        winding::winding_number(&self.bvh, &self.dipoles, &self.corners, q)
    }
}
