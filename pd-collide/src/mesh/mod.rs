//! Questions to a triangle mesh: the nearest point, what a ray hits, whether a point is inside.
//!
//! ```
//! use pd_collide::mesh::MeshQuery;
//! use pd_core::Vec3;
//! // A tetrahedron.
//! let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
//! let mesh = MeshQuery::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! mesh.check_closed()?;
//!
//! let nearest = mesh.closest(&Vec3::new(0.25, -1.0, 0.25));
//! assert_eq!((nearest.point, nearest.distance), (Vec3::new(0.25, 0.0, 0.25), 1.0));
//! assert!(mesh.winding_number(&Vec3::repeat(0.1)) > 0.5); // inside
//! assert!(mesh.winding_number(&Vec3::repeat(0.5)) < 0.5); // outside
//! let hit = mesh.ray_cast(&Vec3::new(0.25, -1.0, 0.25), &Vec3::y(), f64::INFINITY).unwrap();
//! assert_eq!((hit.triangle, hit.time), (1, 1.0));
//! # Ok::<(), pd_collide::mesh::MeshFault>(())
//! ```

pub(crate) mod check;
pub(crate) mod closest;
mod ray;
pub(crate) mod tree;
mod winding;

pub use check::MeshFault;
pub use closest::Nearest;
pub use ray::RayHit;

use pd_core::{Aabb, Real, SurfaceMesh, Vec3};
use tree::Node;

/// A triangle mesh with a tree over its triangles.
///
/// Triangles may have no area and vertices may coincide. Searches allocate nothing.
#[derive(Clone, Debug)]
pub struct MeshQuery {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Triangle at each place of the leaves.
    order: Vec<u32>,
    nodes: Vec<Node>,
    /// What a node looks like from afar, for winding numbers.
    dipoles: Vec<winding::Dipole>,
}

impl MeshQuery {
    /// Builds the tree; vertices in m, triangles counter-clockwise seen from outside.
    ///
    /// # Errors
    /// [`MeshFault::Empty`], [`MeshFault::Index`] or [`MeshFault::NotFinite`].
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshFault> {
        check::sound(&positions, &triangles)?;
        let corners = |t: u32| triangles[t as usize].map(|v| positions[v as usize]);
        let (order, nodes) = tree::build(triangles.len(), |t| Aabb::of_points(&corners(t)));
        let dipoles = winding::dipoles(&nodes, &order, corners);
        Ok(Self { positions, triangles, order, nodes, dipoles })
    }

    /// Takes over a display mesh; see [`MeshQuery::new`].
    ///
    /// # Errors
    /// As [`MeshQuery::new`].
    pub fn from_surface(mesh: SurfaceMesh) -> Result<Self, MeshFault> {
        Self::new(mesh.positions, mesh.triangles)
    }

    /// Vertex positions, m.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Vertices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Corners of a triangle, m.
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|v| self.positions[v as usize])
    }

    /// The box around the mesh, m.
    pub fn bounds(&self) -> Aabb {
        self.nodes[0].bounds
    }

    /// Enclosed volume, m³, of a closed mesh; negative if its triangles face inwards.
    pub fn volume(&self) -> Real {
        check::volume(&self.positions, &self.triangles)
    }

    /// Passes if the mesh is closed and faces outwards: every edge is used as often in the one direction as in the other,
    /// and the volume is positive.
    ///
    /// # Errors
    /// [`MeshFault::Open`], [`MeshFault::Flipped`] or [`MeshFault::Inward`].
    pub fn check_closed(&self) -> Result<(), MeshFault> {
        check::closed(&self.positions, &self.triangles)
    }

    /// Signed distance to a closed mesh, m; negative inside, where the winding number is above one half.
    pub fn signed_distance(&self, p: &Vec3) -> Real {
        let distance = self.closest(p).distance;
        if self.winding_number(p) > 0.5 { -distance } else { distance }
    }
}
