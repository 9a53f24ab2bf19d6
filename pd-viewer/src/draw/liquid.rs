//! The surface of a liquid, drawn in place of its points. It has other vertices and triangles in every frame.

use super::{Topology, vertex_normals};
use pd_mesh::TriMesh;

/// Triangles that stand for one part of a drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiquidSurface {
    /// The part whose points it replaces.
    pub part: usize,
    /// Vertices, m.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals of the vertices.
    pub normals: Vec<[f32; 3]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl LiquidSurface {
    /// The surface of the part with this name; `None` if there is no such part.
    pub(super) fn new(topology: &Topology, name: &str, mesh: &TriMesh) -> Option<Self> {
        let part = topology.parts.iter().position(|part| part.name == name)?;
        let positions: Vec<[f32; 3]> =
            mesh.positions.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
        let mut normals = vec![[0.0; 3]; positions.len()];
        let mut faces = vec![[0.0; 3]; mesh.triangles.len()];
        vertex_normals(&positions, &mesh.triangles, &mesh.vertex_faces(), &mut faces, &mut normals);
        Some(Self { part, positions, normals, triangles: mesh.triangles.clone() })
    }
}

#[cfg(test)]
mod tests {
    use crate::draw::Drawing;
    use pd_sim::ModelPaths;
    use pd_sim::scene::Scene;

    #[test]
    fn the_surface_of_water_encloses_its_points_and_replaces_them() {
        let scene = Scene::load("water-on-cloth", &ModelPaths::default()).unwrap();
        let mut drawing = Drawing::of_scene(&scene);
        assert!(drawing.liquids.is_empty());
        let state = scene.initial_state();
        drawing.set_liquids(&scene.water_surfaces(&state).unwrap());
        let [water] = &drawing.liquids[..] else { panic!("{} liquids", drawing.liquids.len()) };
        assert_eq!(drawing.topology.parts[water.part].name, "water");
        for axis in 0..3 {
            let points = state.x[scene.matter.clouds(&scene.desc)[0].points.clone()].iter().map(|p| p[axis]);
            let surface = water.positions.iter().map(|p| f64::from(p[axis]));
            assert!(
                surface.clone().fold(f64::INFINITY, f64::min) < points.clone().fold(f64::INFINITY, f64::min)
            );
            assert!(surface.fold(-f64::INFINITY, f64::max) > points.fold(-f64::INFINITY, f64::max));
        }
        assert!(water.normals.iter().all(|n| (n.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-3));
        drawing.set_liquids(&[("no such part".into(), pd_mesh::TriMesh::default())]);
        assert!(drawing.liquids.is_empty());
    }
}
