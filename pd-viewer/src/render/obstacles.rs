//! Obstacles and the floor on the device. A shape is sent once; where it is goes with every draw.

use super::buffer::Growing;
use crate::draw::{Drawing, ObstacleShape, vertex_normals};
use egui_wgpu::wgpu;

/// One obstacle's mesh.
pub(super) struct ObstacleMesh {
    shape: ObstacleShape,
    pub(super) positions: Growing,
    pub(super) normals: Growing,
    pub(super) triangles: Growing,
    pub(super) indices: u32,
    pub(super) hidden: bool,
}

/// Meshes of all obstacles, in the drawing's order, and the square of the floor.
pub(super) struct ObstacleMeshes {
    pub(super) list: Vec<ObstacleMesh>,
    pub(super) floor: Growing,
    pub(super) floor_normals: Growing,
}

impl ObstacleMeshes {
    pub(super) fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let mut floor = Growing::vertex(device, "floor");
        let mut floor_normals = Growing::vertex(device, "floor normals");
        floor_normals.write(device, queue, &[[0.0f32, 1.0, 0.0]; 6]);
        floor.write(device, queue, &square(1.0));
        Self { list: vec![], floor, floor_normals }
    }

    pub(super) fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        drawing: &Drawing,
        reach: f32,
    ) {
        self.floor.write(device, queue, &square(reach));
        self.list.truncate(drawing.obstacles.len());
        for (k, obstacle) in drawing.obstacles.iter().enumerate() {
            if self.list.get(k).is_none_or(|mesh| mesh.shape != obstacle.shape) {
                let made = make(device, queue, &obstacle.shape);
                match self.list.get_mut(k) {
                    Some(old) => *old = made,
                    None => self.list.push(made),
                }
            }
            self.list[k].hidden = obstacle.hidden;
        }
    }
}

/// Two triangles around the origin, seen from above.
fn square(reach: f32) -> [[f32; 3]; 6] {
    let corner = |x: f32, z: f32| [x * reach, 0.0, z * reach];
    let [a, b, c, d] = [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    [a, b, c, a, c, d]
}

/// A shape without a mesh (a radius out of range) draws nothing.
fn make(device: &wgpu::Device, queue: &wgpu::Queue, shape: &ObstacleShape) -> ObstacleMesh {
    let mut made = ObstacleMesh {
        shape: shape.clone(),
        positions: Growing::vertex(device, "obstacle"),
        normals: Growing::vertex(device, "obstacle normals"),
        triangles: Growing::index(device, "obstacle triangles"),
        indices: 0,
        hidden: false,
    };
    if let Ok(mesh) = shape.mesh() {
        let positions: Vec<[f32; 3]> =
            mesh.positions.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
        let mut normals = vec![[0.0; 3]; positions.len()];
        let mut faces = vec![[0.0; 3]; mesh.triangles.len()];
        vertex_normals(&positions, &mesh.triangles, &mesh.vertex_faces(), &mut faces, &mut normals);
        made.positions.write(device, queue, &positions);
        made.normals.write(device, queue, &normals);
        made.triangles.write(device, queue, &mesh.triangles);
        made.indices = mesh.triangles.len() as u32 * 3;
    }
    made
}
