//! Draws a [`Drawing`] into its own texture: first the shadow map, then background, surfaces, floor, wires, lines
//! and dots.

use super::bodies::Bodies;
use super::buffer::Growing;
use super::constants::{DrawConstants, SLOT};
use super::globals::{Globals, casts_shadows, colours};
use super::marks::MarkBuffers;
use super::obstacles::ObstacleMeshes;
use super::pipeline::Pipelines;
use super::texture::{Tables, Target};
use crate::draw::{Bounds, Camera, Drawing, Material, Options};
use egui_wgpu::wgpu;

/// Draws into its own colour and depth target, which the window then copies.
///
/// In the window: keep it in egui's `callback_resources`, call [`upload`](Self::upload) from `ui` when the drawing or the
/// options changed, and add a [`SceneCallback`](super::SceneCallback) to the painter. Without one: [`Offscreen`](super::Offscreen).
pub struct SceneRenderer {
    samples: u32,
    pub(super) pipelines: Pipelines,
    pub(super) tables: Tables,
    sampler: wgpu::Sampler,
    globals: wgpu::Buffer,
    pub(super) globals_bind: wgpu::BindGroup,
    slots: Growing,
    pub(super) slots_bind: wgpu::BindGroup,
    pub(super) constants: Vec<DrawConstants>,
    pub(super) bodies: Bodies,
    pub(super) obstacles: ObstacleMeshes,
    pub(super) marks: MarkBuffers,
    target: Option<Target>,
    pub(super) options: Options,
    bounds: Bounds,
    pub(super) has_floor: bool,
}

impl SceneRenderer {
    /// A renderer whose picture is copied into targets of format `output`, with 1 or 4 samples per pixel.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        output: wgpu::TextureFormat,
        samples: u32,
    ) -> Self {
        let samples = if samples > 1 { 4 } else { 1 };
        let pipelines = Pipelines::new(device, output, samples);
        let globals = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("globals"),
            size: size_of::<Globals>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let globals_bind = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("globals"),
            layout: &pipelines.globals_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: globals.as_entire_binding() }],
        });
        let slots = Growing::new(device, "draws", wgpu::BufferUsages::UNIFORM);
        Self {
            samples,
            tables: Tables::new(device, queue, &pipelines.tables_layout),
            sampler: device.create_sampler(&wgpu::SamplerDescriptor::default()),
            globals,
            globals_bind,
            slots_bind: bind_slots(device, &pipelines, &slots),
            slots,
            constants: vec![],
            bodies: Bodies::new(device),
            obstacles: ObstacleMeshes::new(device, queue),
            marks: MarkBuffers::new(device),
            target: None,
            options: Options::default(),
            bounds: Bounds::nothing(),
            has_floor: false,
            pipelines,
        }
    }

    /// Uploads changed positions and options to the device. Buffers are reused; indices are sent again only for
    /// another topology.
    pub fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        drawing: &Drawing,
        options: &Options,
    ) {
        self.options = *options;
        self.bounds = drawing.body_bounds();
        if options.obstacles {
            for obstacle in drawing.obstacles.iter().filter(|obstacle| !obstacle.hidden) {
                self.bounds.join(&obstacle.bounds());
            }
        }
        let reach = self.bounds.radius() as f32 * 9.0;
        self.bodies.upload(device, queue, drawing, options);
        self.obstacles.upload(device, queue, drawing, reach);
        self.marks.upload(device, queue, drawing, options);
        if let Some(range) = options.colour {
            self.tables.set_ramp(queue, range.ramp);
        }
        self.fill_constants(drawing, reach);
        if self.slots.write(device, queue, &self.constants) {
            self.slots_bind = bind_slots(device, &self.pipelines, &self.slots);
        }
    }

    /// One slot per piece of a body, then one per obstacle, then the floor.
    fn fill_constants(&mut self, drawing: &Drawing, reach: f32) {
        let flag = |on: bool| f32::from(u8::from(on));
        self.constants.clear();
        for piece in &self.bodies.pieces {
            let flags = [flag(piece.flat), flag(self.bodies.has_values), 0.0, 0.0];
            let (material, shading) = (&drawing.materials[piece.part], drawing.shadings[piece.part]);
            self.constants.push(DrawConstants::new([0.0; 3], material, shading, flags));
        }
        for obstacle in &drawing.obstacles {
            let p = obstacle.position;
            let flags = [flag(obstacle.shape.is_angular()), 0.0, 0.0, 0.0];
            let offset = [p.x as f32, p.y as f32, p.z as f32];
            self.constants.push(DrawConstants::new(offset, &obstacle.material, obstacle.shading, flags));
        }
        self.has_floor = self.options.floor && drawing.floor.is_some();
        if let (true, Some(floor)) = (self.has_floor, drawing.floor) {
            let [colour, back] = colours(self.options.theme).floor;
            let material = Material { colour, back, specular: 0.0, shininess: 1.0 };
            let centre = self.bounds.centre();
            let offset = [centre.x as f32, floor.height as f32, centre.z as f32];
            let flags = [0.0, 0.0, floor.tile.max(1e-3) as f32, reach];
            self.constants.push(DrawConstants::new(offset, &material, None, flags));
        }
    }

    /// Records the passes of one picture of `size` pixels of what was uploaded last.
    pub fn encode(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        size: [u32; 2],
        camera: &Camera,
    ) {
        let most = device.limits().max_texture_dimension_2d;
        let size = size.map(|s| s.clamp(1, most));
        if self.target.as_ref().is_none_or(|target| target.size != size) {
            let layout = &self.pipelines.picture_layout;
            self.target = Some(Target::new(device, size, self.samples, layout, &self.sampler));
        }
        let globals = Globals::new(camera, &self.options, &self.bounds, size);
        queue.write_buffer(&self.globals, 0, bytemuck::bytes_of(&globals));
        if casts_shadows(&self.options) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadow"),
                depth_stencil_attachment: Some(depth(&self.tables.shadow, wgpu::StoreOp::Store)),
                ..Default::default()
            });
            pass.set_pipeline(&self.pipelines.shadow);
            pass.set_bind_group(0, &self.globals_bind, &[]);
            self.draw_surfaces(&mut pass);
        }
        let Some(target) = &self.target else { return };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(colour(target))],
            depth_stencil_attachment: Some(depth(&target.depth, wgpu::StoreOp::Discard)),
            ..Default::default()
        });
        self.draw_picture(&mut pass);
    }

    /// Copies the picture into the current viewport of a pass.
    pub fn blit(&self, pass: &mut wgpu::RenderPass<'static>) {
        if let Some(target) = &self.target {
            pass.set_pipeline(&self.pipelines.blit);
            pass.set_bind_group(0, &target.bind, &[]);
            pass.draw(0..3, 0..1);
        }
    }

    /// The picture, RGBA in 8 bits sRGB, once something was encoded.
    pub fn texture(&self) -> Option<&wgpu::Texture> {
        self.target.as_ref().map(|target| &target.texture)
    }

    /// A view of it.
    pub(super) fn view(&self) -> Option<&wgpu::TextureView> {
        self.target.as_ref().map(|target| &target.view)
    }
}

fn bind_slots(device: &wgpu::Device, pipelines: &Pipelines, slots: &Growing) -> wgpu::BindGroup {
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("draws"),
        layout: &pipelines.draw_layout,
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: slots.get(),
                offset: 0,
                size: std::num::NonZeroU64::new(SLOT as u64),
            }),
        }],
    })
}

fn colour(target: &Target) -> wgpu::RenderPassColorAttachment<'_> {
    let store = if target.samples.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
    wgpu::RenderPassColorAttachment {
        view: target.samples.as_ref().unwrap_or(&target.view),
        depth_slice: None,
        resolve_target: target.samples.as_ref().map(|_| &target.view),
        ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store },
    }
}

fn depth(view: &wgpu::TextureView, store: wgpu::StoreOp) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store }),
        stencil_ops: None,
    }
}
