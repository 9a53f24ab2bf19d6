//! The draws of a pass, in their order.

use super::SceneRenderer;
use super::bodies::PieceMesh;
use super::constants::SLOT;
use egui_wgpu::wgpu;

impl SceneRenderer {
    pub(super) fn draw_picture(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_bind_group(0, &self.globals_bind, &[]);
        pass.set_pipeline(&self.pipelines.sky);
        pass.draw(0..3, 0..1);
        pass.set_bind_group(2, &self.tables.bind, &[]);
        pass.set_pipeline(&self.pipelines.surface);
        self.draw_surfaces(pass);
        if self.has_floor {
            pass.set_pipeline(&self.pipelines.floor);
            self.set_slot(pass, self.constants.len() - 1);
            pass.set_vertex_buffer(0, self.obstacles.floor.get().slice(..));
            pass.set_vertex_buffer(1, self.obstacles.floor_normals.get().slice(..));
            pass.set_vertex_buffer(2, self.obstacles.floor.get().slice(..));
            pass.draw(0..6, 0..1);
        }
        self.draw_marks(pass);
    }

    /// Bodies and obstacles, with the pipeline that is set.
    pub(super) fn draw_surfaces(&self, pass: &mut wgpu::RenderPass<'_>) {
        let bodies = &self.bodies;
        if self.options.surfaces {
            for (slot, piece) in bodies.pieces.iter().enumerate().filter(|(_, piece)| !piece.range.is_empty())
            {
                self.set_slot(pass, slot);
                let (positions, normals, values) = match piece.mesh {
                    PieceMesh::Tets => (&bodies.tet_positions, &bodies.tet_positions, &bodies.tet_values),
                    PieceMesh::Liquid(k) => {
                        let mesh = &bodies.liquids[k];
                        (&mesh.positions, &mesh.normals, &mesh.positions)
                    }
                    PieceMesh::Whole | PieceMesh::Cut => (&bodies.positions, &bodies.normals, &bodies.values),
                };
                pass.set_vertex_buffer(0, positions.get().slice(..));
                pass.set_vertex_buffer(1, normals.get().slice(..));
                // Without values any buffer of that length does; it is not looked at.
                let values = if bodies.has_values { values } else { positions };
                pass.set_vertex_buffer(2, values.get().slice(..));
                let indices = match piece.mesh {
                    PieceMesh::Tets => {
                        pass.draw(piece.range.clone(), 0..1);
                        continue;
                    }
                    PieceMesh::Whole => &bodies.triangles,
                    PieceMesh::Cut => &bodies.cut,
                    PieceMesh::Liquid(k) => &bodies.liquids[k].triangles,
                };
                pass.set_index_buffer(indices.get().slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(piece.range.clone(), 0, 0..1);
            }
        }
        if self.options.obstacles {
            let first = bodies.pieces.len();
            for (k, mesh) in self.obstacles.list.iter().enumerate().filter(|(_, mesh)| !mesh.hidden) {
                self.set_slot(pass, first + k);
                pass.set_vertex_buffer(0, mesh.positions.get().slice(..));
                pass.set_vertex_buffer(1, mesh.normals.get().slice(..));
                pass.set_vertex_buffer(2, mesh.positions.get().slice(..));
                pass.set_index_buffer(mesh.triangles.get().slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(0..mesh.indices, 0, 0..1);
            }
        }
    }

    fn draw_marks(&self, pass: &mut wgpu::RenderPass<'_>) {
        let (pipelines, bodies) = (&self.pipelines, &self.bodies);
        pass.set_vertex_buffer(0, bodies.positions.get().slice(..));
        if !bodies.wire_ranges.is_empty() {
            pass.set_pipeline(&pipelines.wire.behind);
            pass.set_index_buffer(bodies.wire.get().slice(..), wgpu::IndexFormat::Uint32);
            for range in &bodies.wire_ranges {
                pass.draw_indexed(range.clone(), 0, 0..1);
            }
        }
        if self.options.edges {
            pass.set_pipeline(&pipelines.wire.on_top);
            pass.set_index_buffer(bodies.edges.get().slice(..), wgpu::IndexFormat::Uint32);
            for (edges, _) in &bodies.shown {
                pass.draw_indexed(edges.clone(), 0, 0..1);
            }
        }
        if self.options.points {
            pass.set_pipeline(&pipelines.vertices);
            for (_, vertices) in &bodies.shown {
                pass.draw(0..4, vertices.clone());
            }
        }
        let marks = [(&pipelines.lines, &self.marks.lines), (&pipelines.dots, &self.marks.dots)];
        for (pipelines, instances) in marks {
            pass.set_vertex_buffer(0, instances.buffer.get().slice(..));
            let ranges = [0..instances.behind, instances.behind..instances.all];
            for (pipeline, range) in [&pipelines.behind, &pipelines.on_top].into_iter().zip(ranges) {
                if !range.is_empty() {
                    pass.set_pipeline(pipeline);
                    pass.draw(0..4, range);
                }
            }
        }
    }

    fn set_slot(&self, pass: &mut wgpu::RenderPass<'_>, slot: usize) {
        pass.set_bind_group(1, &self.slots_bind, &[(slot * SLOT) as u32]);
    }
}
