//! Signed distance fields on a grid: any closed mesh as an obstacle, at the cost of one interpolation.
//!
//! Distances are exact at the nodes and interpolated trilinearly between. Near the surface, in the *narrow band*, nodes
//! are one spacing h apart, in blocks of 8³ cells; everywhere else within the grid there are the corners of the blocks
//! alone. A distance is 1-Lipschitz, so an interpolated one is off by at most √3/2 of the distance between nodes (at
//! the ridges of the distance; where it is smooth the error is of second order). The sign is that of the winding
//! number, which holds for meshes that cross themselves too.

mod sample;

use crate::CollideError;
use crate::error::{not_negative, positive};
use crate::mesh::MeshQuery;
use pd_core::{Aabb, Real, SurfaceMesh, Vec3};
use rayon::prelude::*;

/// Cells of a block along an axis.
const SIDE: usize = 8;

/// Nodes of a block: both ends of its cells.
const NODES: usize = (SIDE + 1) * (SIDE + 1) * (SIDE + 1);

/// Blocks of a grid, at most: with all of them in the band the field takes 12 GB.
const MOST_BLOCKS: Real = 4_194_304.0;

/// A block without nodes of its own.
const FAR: u32 = u32::MAX;

/// A signed distance field on a grid with a narrow band.
///
/// ```
/// use pd_collide::{SignedDistanceField, mesh::MeshQuery};
/// use pd_core::Vec3;
/// let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
/// let tetrahedron = MeshQuery::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let field = SignedDistanceField::from_mesh(&tetrahedron, 0.02)?;
/// let (distance, normal) = field.distance(&Vec3::new(0.2, -0.1, 0.2));
/// assert!((distance - 0.1).abs() < 1e-6 && (normal + Vec3::y()).norm() < 1e-5);
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SignedDistanceField {
    /// First node of the grid, m.
    origin: Vec3,
    /// Between nodes in the band, m.
    spacing: Real,
    /// Blocks along each axis.
    blocks: [usize; 3],
    /// Distances at the corners of blocks, z fastest, m.
    corners: Vec<f32>,
    /// For each block: which block of `nodes` is its own, or [`FAR`].
    own: Vec<u32>,
    /// Distances at the nodes of blocks in the band, z fastest, m.
    nodes: Vec<f32>,
    /// Around the surface, m.
    bounds: Aabb,
    margin: Real,
    shown: Option<SurfaceMesh>,
}

impl SignedDistanceField {
    /// Margin unless another is asked for, m.
    pub const MARGIN: Real = 0.0;

    /// The field of a closed mesh that faces outwards, with nodes so far apart, m, in a band of three spacings.
    ///
    /// # Errors
    /// [`CollideError::Mesh`] if the mesh is open, flipped or faces inwards, [`CollideError::Parameter`] if the
    /// spacing is not positive and finite or makes too many blocks.
    pub fn from_mesh(mesh: &MeshQuery, spacing: Real) -> Result<Self, CollideError> {
        mesh.check_closed()?;
        let mut field = Self::from_fn(mesh.bounds(), spacing, |p| mesh.signed_distance(p))?;
        field.shown =
            Some(SurfaceMesh { positions: mesh.positions().to_vec(), triangles: mesh.triangles().to_vec() });
        Ok(field)
    }

    /// The field of any signed distance that is zero only within `bounds`, m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the bounds or the spacing are not positive and finite, or make too many blocks.
    pub fn from_fn(
        bounds: Aabb,
        spacing: Real,
        distance: impl Fn(&Vec3) -> Real + Sync,
    ) -> Result<Self, CollideError> {
        positive("distance field", "spacing", spacing)?;
        let size = bounds.max - bounds.min;
        positive("distance field", "size of the bounds", size.amax())?;
        not_negative("distance field", "least size of the bounds", size.min())?;
        let (edge, band) = (spacing * SIDE as Real, 3.0 * spacing);
        let counts = size.map(|x| ((x + 2.0 * band) / edge).ceil().max(1.0));
        if counts.product() > MOST_BLOCKS {
            return Err(CollideError::Parameter {
                shape: "distance field",
                name: "spacing",
                value: spacing,
                expected: "it makes more than four million blocks of 8³ cells; it must be larger",
            });
        }
        let blocks = [counts.x as usize, counts.y as usize, counts.z as usize];
        // The bounds in the middle of the grid.
        let origin = (bounds.min + bounds.max) / 2.0 - counts * (edge / 2.0);
        let mut field = Self {
            origin,
            spacing,
            blocks,
            corners: Vec::new(),
            own: Vec::new(),
            nodes: Vec::new(),
            bounds,
            margin: Self::MARGIN,
            shown: None,
        };
        field.fill(band, distance);
        Ok(field)
    }

    /// Evaluates the distance at all nodes.
    fn fill(&mut self, band: Real, distance: impl Fn(&Vec3) -> Real + Sync) {
        let (origin, spacing, blocks) = (self.origin, self.spacing, self.blocks);
        let edge = spacing * SIDE as Real;
        let value = |p: Vec3| distance(&p) as f32;
        let point = |k: [usize; 3], step: Real| origin + Vec3::from(k.map(|k| k as Real)) * step;
        let sides = blocks.map(|n| n + 1);
        self.corners = (0..sides.iter().product())
            .into_par_iter()
            .map(|k| value(point(unpack(k, sides), edge)))
            .collect();
        // The surface is in a block only if its middle is nearer than its corners are.
        let reach = edge * Real::sqrt(3.0) / 2.0 + band;
        let near: Vec<bool> = (0..blocks.iter().product())
            .into_par_iter()
            .map(|k| distance(&(point(unpack(k, blocks), edge).add_scalar(edge / 2.0))).abs() <= reach)
            .collect();
        let mut count = 0;
        self.own = near
            .iter()
            .map(|&near| {
                count += u32::from(near);
                if near { count - 1 } else { FAR }
            })
            .collect();
        let mut owners: Vec<usize> = (0..near.len()).collect();
        owners.retain(|&k| near[k]);
        self.nodes = vec![0.0; owners.len() * NODES];
        self.nodes.par_chunks_mut(NODES).zip(&owners).for_each(|(nodes, &owner)| {
            let first = unpack(owner, blocks).map(|k| k * SIDE);
            for (k, node) in nodes.iter_mut().enumerate() {
                let within = unpack(k, [SIDE + 1; 3]);
                *node = value(point(std::array::from_fn(|a| first[a] + within[a]), spacing));
            }
        });
    }

    /// The same field with a margin, m: every distance is less by it.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative or not finite.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        Ok(Self { margin: not_negative("distance field", "margin", margin)?, ..self })
    }

    /// Distance kept to the surface, m.
    pub fn margin(&self) -> Real {
        self.margin
    }

    /// Distance between nodes in the band, m.
    pub fn spacing(&self) -> Real {
        self.spacing
    }

    /// The box around the surface, without margin, m.
    pub fn surface_bounds(&self) -> Aabb {
        self.bounds
    }

    /// Most that a distance in the band can be wrong, m: √3/2 spacings.
    pub fn error_bound(&self) -> Real {
        Real::sqrt(3.0) / 2.0 * self.spacing
    }

    /// Memory taken by distances, bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.corners.len() + self.own.len() + self.nodes.len())
    }
}

/// Coordinates of the k-th node of a grid, z fastest.
fn unpack(k: usize, [_, y, z]: [usize; 3]) -> [usize; 3] {
    [k / (y * z), k / z % y, k % z]
}
