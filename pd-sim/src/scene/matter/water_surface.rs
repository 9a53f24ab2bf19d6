//! The surface of water as triangles, reconstructed from its material points (`pd_mpm::surface`).
//!
//! The surface lies a distance r outside of the outermost points, so water that rests on a cloth would show through it. A
//! vertex is therefore moved back along the segment from its nearest point to just before the first sheet on the way.

use super::{GridMatter, Matter};
use crate::SceneError;
use crate::scene::Scene;
use pd_collide::mesh::{MeshFault, MeshQuery};
use pd_core::{Real, State, Vec3, exec};
use pd_mesh::TriMesh;
use pd_mpm::surface::{SurfaceParams, reconstruct};

/// Distance of the surface from the outermost points, in their radii: more than √3, so that a block of points has no holes.
const RADII: Real = 2.0;

/// Part of the way from a point to a sheet at which a vertex ends that would lie beyond the sheet.
const BEFORE_SHEET: Real = 0.9;

impl Scene {
    /// Name and surface of every fluid that is water, as it is at `state`, on its own side of all deformable bodies. The
    /// number of vertices changes from frame to frame.
    ///
    /// # Errors
    /// Points that are too far apart for a grid of this spacing, or bodies whose positions are not finite.
    pub fn water_surfaces(&self, state: &State) -> Result<Vec<(String, TriMesh)>, SceneError> {
        let (grid, first): (&GridMatter, usize) = match &self.matter {
            Matter::Grid(grid) => (grid, 0),
            Matter::Mixed(mixed) => match &mixed.grid {
                Some(grid) => (grid, mixed.first_material()),
                None => return Ok(vec![]),
            },
            _ => return Ok(vec![]),
        };
        let failed = |error: MeshFault| SceneError::Mesh(error.to_string());
        let sheets = self.sheets(state).map_err(failed)?;
        let params = SurfaceParams { spacing: 2.0 * grid.radius, radius: RADII * grid.radius };
        let mut surfaces = vec![];
        for (material, fluid) in grid.model.materials().iter().zip(&self.desc.fluids) {
            if !fluid.is_water() {
                continue;
            }
            let range = material.points.start + first..material.points.end + first;
            let finite = |p: &&Vec3| p.iter().all(|c| c.is_finite());
            let points: Vec<Vec3> = state.x[range].iter().filter(finite).copied().collect();
            let made = reconstruct(&points, &params).map_err(|error| SceneError::Mesh(error.to_string()))?;
            let mut mesh = TriMesh { positions: made.positions, triangles: made.triangles };
            if let Some(sheets) = &sheets
                && !points.is_empty()
            {
                keep_before(&mut mesh.positions, points, sheets, params.radius + 2.0 * params.spacing)
                    .map_err(failed)?;
            }
            surfaces.push((fluid.name.clone(), mesh));
        }
        Ok(surfaces)
    }

    /// The surfaces of all deformable bodies as one mesh; `None` if there are none.
    fn sheets(&self, state: &State) -> Result<Option<MeshQuery>, MeshFault> {
        let mut triangles = vec![];
        for object in &self.objects {
            let first = object.range().start as u32;
            triangles.extend(object.surface.iter().map(|t| t.map(|v| v + first)));
        }
        if triangles.is_empty() {
            return Ok(None);
        }
        let vertices = self.objects.iter().map(|object| object.range().end).max().unwrap_or(0);
        MeshQuery::new(state.x[..vertices].to_vec(), triangles).map(Some)
    }
}

/// Moves every vertex that lies beyond a sheet, seen from its nearest point within `reach`, to before the sheet.
fn keep_before(
    vertices: &mut [Vec3],
    points: Vec<Vec3>,
    sheets: &MeshQuery,
    reach: Real,
) -> Result<(), MeshFault> {
    let triangles = (0..points.len() as u32).map(|k| [k; 3]).collect();
    let points = MeshQuery::new(points, triangles)?;
    exec::for_each_chunk(vertices, exec::ELEMENT_CHUNK, |_, vertices| {
        for x in vertices {
            if sheets.closest_within(x, reach).is_none() {
                continue;
            }
            if let Some(nearest) = points.closest_within(x, reach) {
                let way = *x - nearest.point;
                if let Some(hit) = sheets.ray_cast(&nearest.point, &way, 1.0) {
                    *x = nearest.point + way * (BEFORE_SHEET * hit.time);
                }
            }
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_beyond_a_sheet_come_back_to_the_side_of_their_points() {
        let sheet = vec![
            Vec3::new(-1.0, 0.0, -1.0),
            Vec3::new(1.0, 0.0, -1.0),
            Vec3::new(1.0, 0.0, 1.0),
            Vec3::new(-1.0, 0.0, 1.0),
        ];
        let sheet = MeshQuery::new(sheet, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let points = vec![Vec3::new(0.1, 0.05, 0.2), Vec3::new(-0.3, -0.05, 0.2)];
        let params = SurfaceParams { spacing: 0.02, radius: 0.1 };
        let mut mesh = reconstruct(&points, &params).unwrap();
        let (above, below): (Vec<usize>, Vec<usize>) =
            (0..mesh.positions.len()).partition(|&k| mesh.positions[k].x > -0.1);
        let crossing = |mesh: &[Vec3], who: &[usize], side: Real| {
            who.iter().filter(|&&k| mesh[k].y * side < 0.0).count()
        };
        assert!(crossing(&mesh.positions, &above, 1.0) > 10 && crossing(&mesh.positions, &below, -1.0) > 10);
        let before = mesh.positions.clone();
        keep_before(&mut mesh.positions, points, &sheet, 0.2).unwrap();
        assert_eq!(crossing(&mesh.positions, &above, 1.0), 0);
        assert_eq!(crossing(&mesh.positions, &below, -1.0), 0);
        let kept = (0..before.len()).filter(|&k| before[k] == mesh.positions[k]).count();
        assert!(kept > before.len() / 2, "{kept} of {}", before.len());
    }
}
