//! Lines and dots as the device takes them.

use super::buffer::Growing;
use crate::draw::{Drawing, Line, Marker, Options};
use egui_wgpu::wgpu;
use pd_core::Vec3;

/// One line, as in `marks.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct LineInstance {
    start: [f32; 3],
    end: [f32; 3],
    colour: [f32; 4],
    width: f32,
}

/// One dot, as in `marks.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct DotInstance {
    centre: [f32; 3],
    colour: [f32; 4],
    size: f32,
}

/// Instances in two groups, behind and on top, in one buffer.
pub(super) struct Instances {
    pub(super) buffer: Growing,
    /// How many are hidden by surfaces; those seen through follow.
    pub(super) behind: u32,
    pub(super) all: u32,
}

/// Lines and dots of a drawing.
pub(super) struct MarkBuffers {
    pub(super) lines: Instances,
    pub(super) dots: Instances,
    line_list: Vec<LineInstance>,
    dot_list: Vec<DotInstance>,
}

const CONTACT: [f32; 4] = [0.95, 0.60, 0.02, 1.0];
const NEIGHBOUR: [f32; 4] = [0.02, 0.70, 0.75, 1.0];

impl MarkBuffers {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let none = |label| Instances { buffer: Growing::vertex(device, label), behind: 0, all: 0 };
        Self { lines: none("lines"), dots: none("dots"), line_list: vec![], dot_list: vec![] }
    }

    pub(super) fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        drawing: &Drawing,
        options: &Options,
    ) {
        self.line_list.clear();
        self.dot_list.clear();
        for on_top in [false, true] {
            let lines = drawing.lines.iter().filter(|line| line.on_top == on_top);
            self.line_list.extend(lines.map(line_instance));
            let dots = drawing.markers.iter().filter(|marker| marker.on_top == on_top);
            self.dot_list.extend(dots.map(dot_instance));
            if on_top {
                self.neighbours(drawing, options);
            } else {
                self.contacts(drawing, options);
                self.lines.behind = self.line_list.len() as u32;
                self.dots.behind = self.dot_list.len() as u32;
            }
        }
        self.lines.all = self.line_list.len() as u32;
        self.dots.all = self.dot_list.len() as u32;
        self.lines.buffer.write(device, queue, &self.line_list);
        self.dots.buffer.write(device, queue, &self.dot_list);
    }

    /// A dot and the normal for each contact.
    fn contacts(&mut self, drawing: &Drawing, options: &Options) {
        if !options.contacts {
            return;
        }
        let length = drawing.body_bounds().radius() * 0.06;
        for contact in &drawing.contacts {
            let to = contact.point + contact.normal * length;
            let line = Line { from: contact.point, to, colour: CONTACT, width: 1.5, on_top: false };
            self.line_list.push(line_instance(&line));
            let marker = Marker { at: contact.point, colour: CONTACT, size: 5.0, on_top: false };
            self.dot_list.push(dot_instance(&marker));
        }
    }

    /// Lines from the chosen vertex to its neighbours.
    fn neighbours(&mut self, drawing: &Drawing, options: &Options) {
        let chosen = options.adjacency.and_then(|v| Some((v, drawing.position(v)?)));
        let Some((vertex, from)) = chosen else { return };
        for &neighbour in drawing.topology.neighbours(vertex) {
            let Some(to) = drawing.position(neighbour) else { continue };
            self.line_list.push(line_instance(&Line {
                from,
                to,
                colour: NEIGHBOUR,
                width: 2.5,
                on_top: true,
            }));
            self.dot_list.push(dot_instance(&Marker { at: to, colour: NEIGHBOUR, size: 7.0, on_top: true }));
        }
        self.dot_list.push(dot_instance(&Marker { at: from, colour: CONTACT, size: 9.0, on_top: true }));
    }
}

fn single(p: Vec3) -> [f32; 3] {
    [p.x as f32, p.y as f32, p.z as f32]
}

fn line_instance(line: &Line) -> LineInstance {
    LineInstance { start: single(line.from), end: single(line.to), colour: line.colour, width: line.width }
}

fn dot_instance(marker: &Marker) -> DotInstance {
    DotInstance { centre: single(marker.at), colour: marker.colour, size: marker.size }
}
