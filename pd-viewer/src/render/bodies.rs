//! The bodies on the device: positions, normals and values are rewritten every frame, indices once per topology. A cut
//! and single tetrahedra have separate lists, built only while they are shown.

use super::buffer::Growing;
use crate::draw::{CutFaces, Drawing, Options, Topology};
use egui_wgpu::wgpu;
use std::ops::Range;
use std::sync::Arc;

/// Which triangles of one body to draw.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) part: usize,
    pub(super) mesh: PieceMesh,
    /// Indices, or vertices where there are none.
    pub(super) range: Range<u32>,
    /// One normal per triangle, regardless of the options.
    pub(super) flat: bool,
}

/// Where the triangles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceMesh {
    Whole,
    Cut,
    Tets,
    /// The surface of a liquid, by its place in the list.
    Liquid(usize),
}

/// The surface of a liquid, sent again for every frame.
pub(super) struct LiquidMesh {
    pub(super) positions: Growing,
    pub(super) normals: Growing,
    pub(super) triangles: Growing,
}

impl LiquidMesh {
    fn new(device: &wgpu::Device) -> Self {
        Self {
            positions: Growing::vertex(device, "liquid"),
            normals: Growing::vertex(device, "liquid normals"),
            triangles: Growing::index(device, "liquid triangles"),
        }
    }
}

/// Buffers of the bodies.
pub(super) struct Bodies {
    topology: Option<Arc<Topology>>,
    pub(super) positions: Growing,
    pub(super) normals: Growing,
    pub(super) values: Growing,
    pub(super) triangles: Growing,
    pub(super) cut: Growing,
    pub(super) wire: Growing,
    pub(super) edges: Growing,
    pub(super) tet_positions: Growing,
    pub(super) tet_values: Growing,
    pub(super) liquids: Vec<LiquidMesh>,
    /// Ranges of `wire` to draw.
    pub(super) wire_ranges: Vec<Range<u32>>,
    /// Ranges of `edges` and of vertices of the visible bodies.
    pub(super) shown: Vec<(Range<u32>, Range<u32>)>,
    pub(super) has_values: bool,
    pub(super) pieces: Vec<Piece>,
    wire_is_whole: bool,
    cut_faces: CutFaces,
    triangle_list: Vec<[u32; 3]>,
    edge_list: Vec<[u32; 2]>,
    corner_list: Vec<[f32; 3]>,
    value_list: Vec<f32>,
}

impl Bodies {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        Self {
            topology: None,
            positions: Growing::vertex(device, "positions"),
            normals: Growing::vertex(device, "normals"),
            values: Growing::vertex(device, "values"),
            triangles: Growing::index(device, "triangles"),
            cut: Growing::index(device, "cut"),
            wire: Growing::index(device, "wire"),
            edges: Growing::index(device, "edges"),
            tet_positions: Growing::vertex(device, "tetrahedra"),
            tet_values: Growing::vertex(device, "values of tetrahedra"),
            liquids: vec![],
            wire_ranges: vec![],
            shown: vec![],
            has_values: false,
            pieces: vec![],
            wire_is_whole: false,
            cut_faces: CutFaces::default(),
            triangle_list: vec![],
            edge_list: vec![],
            corner_list: vec![],
            value_list: vec![],
        }
    }

    pub(super) fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        drawing: &Drawing,
        options: &Options,
    ) {
        let topology = &drawing.topology;
        if self.topology.as_ref().is_none_or(|old| !Arc::ptr_eq(old, topology)) {
            self.triangles.write(device, queue, &topology.triangles);
            self.edges.write(device, queue, &topology.edges);
            self.wire_is_whole = false;
            self.topology = Some(topology.clone());
        }
        self.positions.write(device, queue, drawing.positions());
        self.normals.write(device, queue, drawing.normals());
        self.has_values = options.colour.is_some() && !drawing.values().is_empty();
        if self.has_values {
            self.values.write(device, queue, drawing.values());
        }
        self.pieces.clear();
        self.shown.clear();
        for (part, _) in topology.parts.iter().zip(&drawing.visible).filter(|(_, visible)| **visible) {
            let (edges, vertices) = (&part.edges, &part.vertices);
            self.shown.push((
                edges.start as u32 * 2..edges.end as u32 * 2,
                vertices.start as u32..vertices.end as u32,
            ));
        }
        if let Some(plane) = &options.cut {
            self.cut_faces.update(topology, drawing.positions(), plane);
        }
        if let Some(shrink) = options.tets {
            self.explode(device, queue, drawing, options, shrink.clamp(0.05, 1.0));
        }
        let tets_shown = options.tets.is_some();
        if options.cut.is_some() {
            self.cut_pieces(device, queue, drawing, tets_shown);
        } else {
            for (part, range) in topology.parts.iter().enumerate() {
                let liquid = drawing.liquids.iter().any(|liquid| liquid.part == part);
                if drawing.visible[part] && !liquid && (!tets_shown || range.tets.is_empty()) {
                    let range = indices(&range.triangles);
                    self.pieces.push(Piece { part, mesh: PieceMesh::Whole, range, flat: false });
                }
            }
        }
        if options.cut.is_none() {
            self.upload_liquids(device, queue, drawing);
        }
        self.set_wire(device, queue, drawing, options);
    }

    fn upload_liquids(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, drawing: &Drawing) {
        for (k, liquid) in drawing.liquids.iter().enumerate().filter(|(_, l)| drawing.visible[l.part]) {
            while self.liquids.len() <= k {
                self.liquids.push(LiquidMesh::new(device));
            }
            let mesh = &mut self.liquids[k];
            mesh.positions.write(device, queue, &liquid.positions);
            mesh.normals.write(device, queue, &liquid.normals);
            mesh.triangles.write(device, queue, &liquid.triangles);
            let range = 0..liquid.triangles.len() as u32 * 3;
            self.pieces.push(Piece { part: liquid.part, mesh: PieceMesh::Liquid(k), range, flat: false });
        }
    }

    /// What a cut leaves, and the faces it lays open.
    fn cut_pieces(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        drawing: &Drawing,
        tets_shown: bool,
    ) {
        let faces = &self.cut_faces;
        self.triangle_list.clear();
        self.triangle_list.extend_from_slice(&faces.surface);
        self.triangle_list.extend_from_slice(&faces.opened);
        self.cut.write(device, queue, &self.triangle_list);
        for part in 0..drawing.topology.parts.len() {
            if !drawing.visible[part] || (tets_shown && !drawing.topology.parts[part].tets.is_empty()) {
                continue;
            }
            let opened = &faces.opened_parts[part];
            let shift = faces.surface.len();
            let ranges = [faces.surface_parts[part].clone(), opened.start + shift..opened.end + shift];
            for (flat, range) in [false, true].into_iter().zip(ranges) {
                self.pieces.push(Piece { part, mesh: PieceMesh::Cut, range: indices(&range), flat });
            }
        }
    }

    /// Every tetrahedron by itself, shrunken about its centre: x → c + s (x − c).
    fn explode(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        drawing: &Drawing,
        options: &Options,
        shrink: f32,
    ) {
        let (x, values) = (drawing.positions(), drawing.values());
        self.corner_list.clear();
        self.value_list.clear();
        for (part, ranges) in drawing.topology.parts.iter().enumerate() {
            let first = self.corner_list.len() as u32;
            if !drawing.visible[part] {
                continue;
            }
            for k in ranges.tets.clone() {
                if options.cut.is_some() && self.cut_faces.hidden()[k] {
                    continue;
                }
                let tet = drawing.topology.tets[k];
                let corners = tet.map(|v| x[v as usize]);
                let centre: [f32; 3] =
                    std::array::from_fn(|c| corners.iter().map(|p| p[c]).sum::<f32>() / 4.0);
                let corners =
                    corners.map(|p| std::array::from_fn(|c| centre[c] + shrink * (p[c] - centre[c])));
                for face in crate::draw::TET_FACES {
                    self.corner_list.extend(face.map(|c| corners[c]));
                    if self.has_values {
                        self.value_list.extend(face.map(|c| values[tet[c] as usize]));
                    }
                }
            }
            let range = first..self.corner_list.len() as u32;
            if !range.is_empty() {
                self.pieces.push(Piece { part, mesh: PieceMesh::Tets, range, flat: true });
            }
        }
        self.tet_positions.write(device, queue, &self.corner_list);
        self.tet_values.write(device, queue, &self.value_list);
    }

    /// Edges of the whole surface, or of what is left of it; faces laid open always show theirs.
    fn set_wire(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, drawing: &Drawing, options: &Options) {
        self.wire_ranges.clear();
        let wired = |part: usize| drawing.visible[part] && (options.wireframe || drawing.wireframes[part]);
        let parts = &drawing.topology.parts;
        if options.cut.is_some() {
            self.edge_list.clear();
            let faces = &self.cut_faces;
            for part in (0..parts.len()).filter(|&part| drawing.visible[part]) {
                let surface = if wired(part) { faces.surface_parts[part].clone() } else { 0..0 };
                let opened = &faces.opened[faces.opened_parts[part].clone()];
                for &[a, b, c] in faces.surface[surface].iter().chain(opened) {
                    self.edge_list.extend([[a, b], [b, c], [c, a]]);
                }
            }
            self.wire.write(device, queue, &self.edge_list);
            self.wire_ranges.push(0..self.edge_list.len() as u32 * 2);
            self.wire_is_whole = false;
        } else if (0..parts.len()).any(wired) {
            if !self.wire_is_whole {
                self.wire.write(device, queue, &drawing.topology.surface_edges);
                self.wire_is_whole = true;
            }
            let ranges = (0..parts.len()).filter(|&part| wired(part)).map(|part| &parts[part].surface_edges);
            self.wire_ranges.extend(ranges.map(|range| range.start as u32 * 2..range.end as u32 * 2));
        }
    }
}

/// Indices of a range of triangles.
fn indices(triangles: &Range<usize>) -> Range<u32> {
    triangles.start as u32 * 3..triangles.end as u32 * 3
}
