//! The surface of water as triangles, reconstructed from its material points (`pd_mpm::surface`).

use super::{GridMatter, Matter};
use crate::SceneError;
use crate::scene::desc::{LawDesc, SceneDesc};
use pd_core::{State, Vec3};
use pd_mesh::TriMesh;
use pd_mpm::surface::{SurfaceParams, reconstruct};

/// Distance of the surface from the outermost points, in their radii: more than √3, so that a block of points has no holes.
const RADII: f64 = 2.0;

impl Matter {
    /// Name and surface of every fluid that is water, as it is at `state`. The number of vertices changes from frame to frame.
    ///
    /// # Errors
    /// Points that are too far apart for a grid of this spacing.
    pub fn water_surfaces(
        &self,
        desc: &SceneDesc,
        state: &State,
    ) -> Result<Vec<(String, TriMesh)>, SceneError> {
        let (grid, first): (&GridMatter, usize) = match self {
            Self::Grid(grid) => (grid, 0),
            Self::Mixed(mixed) => match &mixed.grid {
                Some(grid) => (grid, mixed.first_material()),
                None => return Ok(vec![]),
            },
            _ => return Ok(vec![]),
        };
        let params = SurfaceParams { spacing: 2.0 * grid.radius, radius: RADII * grid.radius };
        let mut surfaces = vec![];
        for (material, fluid) in grid.model.materials().iter().zip(&desc.fluids) {
            if !matches!(fluid.law, LawDesc::Water { .. }) {
                continue;
            }
            let range = material.points.start + first..material.points.end + first;
            let finite = |p: &&Vec3| p.iter().all(|c| c.is_finite());
            let points: Vec<Vec3> = state.x[range].iter().filter(finite).copied().collect();
            let made = reconstruct(&points, &params).map_err(|error| SceneError::Mesh(error.to_string()))?;
            surfaces
                .push((fluid.name.clone(), TriMesh { positions: made.positions, triangles: made.triangles }));
        }
        Ok(surfaces)
    }
}
