//! Shaders, bind group layouts and pipelines.

use super::texture::{DEPTH, PICTURE};
use egui_wgpu::wgpu;
use wgpu::{PrimitiveTopology as Topology, ShaderStages as Stages, VertexStepMode as Step};

/// Everything that is made once per device.
pub(super) struct Pipelines {
    pub(super) globals_layout: wgpu::BindGroupLayout,
    pub(super) draw_layout: wgpu::BindGroupLayout,
    pub(super) tables_layout: wgpu::BindGroupLayout,
    pub(super) picture_layout: wgpu::BindGroupLayout,
    pub(super) shadow: wgpu::RenderPipeline,
    pub(super) sky: wgpu::RenderPipeline,
    pub(super) surface: wgpu::RenderPipeline,
    pub(super) floor: wgpu::RenderPipeline,
    pub(super) wire: Marks,
    pub(super) lines: Marks,
    pub(super) dots: Marks,
    pub(super) vertices: wgpu::RenderPipeline,
    pub(super) blit: wgpu::RenderPipeline,
}

/// The same marks hidden by surfaces or seen through them.
pub(super) struct Marks {
    pub(super) behind: wgpu::RenderPipeline,
    pub(super) on_top: wgpu::RenderPipeline,
}

/// What differs between pipelines.
struct Recipe<'a> {
    label: &'static str,
    layout: &'a wgpu::PipelineLayout,
    module: &'a wgpu::ShaderModule,
    vertex: &'static str,
    fragment: Option<(&'static str, wgpu::TextureFormat)>,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    topology: Topology,
    /// Whether it is mixed with what is there. This is expensive on a software driver, at every sample.
    blend: bool,
    /// Depth test and whether depths are written; `None` for a target without depths.
    depth: Option<(wgpu::CompareFunction, bool)>,
    samples: u32,
}

fn build(device: &wgpu::Device, recipe: &Recipe<'_>) -> wgpu::RenderPipeline {
    let targets = recipe.fragment.map(|(_, format)| {
        [Some(wgpu::ColorTargetState {
            format,
            blend: recipe.blend.then_some(wgpu::BlendState::ALPHA_BLENDING),
            write_mask: wgpu::ColorWrites::ALL,
        })]
    });
    let fragment = recipe.fragment.zip(targets.as_ref()).map(|((entry, _), targets)| wgpu::FragmentState {
        module: recipe.module,
        entry_point: Some(entry),
        targets,
        compilation_options: Default::default(),
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(recipe.label),
        layout: Some(recipe.layout),
        vertex: wgpu::VertexState {
            module: recipe.module,
            entry_point: Some(recipe.vertex),
            buffers: recipe.buffers,
            compilation_options: Default::default(),
        },
        primitive: wgpu::PrimitiveState { topology: recipe.topology, ..Default::default() },
        depth_stencil: recipe.depth.map(|(compare, write)| wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(write),
            depth_compare: Some(compare),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState { count: recipe.samples, ..Default::default() },
        fragment,
        multiview_mask: None,
        cache: None,
    })
}

fn buffer(
    stride: u64,
    step: Step,
    attributes: &[wgpu::VertexAttribute],
) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout { array_stride: stride, step_mode: step, attributes })
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, output: wgpu::TextureFormat, samples: u32) -> Self {
        let module = |label: &'static str, source: String| {
            let source = wgpu::ShaderSource::Wgsl(source.into());
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
        };
        let globals = include_str!("globals.wgsl");
        let blockers = match device.adapter_info().backend {
            wgpu::Backend::Gl => include_str!("blockers_gl.wgsl"),
            _ => include_str!("blockers.wgsl"),
        };
        let surfaces = include_str!("surface.wgsl").replace("//BLOCKERS", blockers);
        let surfaces = module("surface", globals.to_owned() + &surfaces);
        let marks = module("marks", globals.to_owned() + include_str!("marks.wgsl"));
        let blits = module("blit", include_str!("blit.wgsl").to_owned());
        let [globals_layout, draw_layout, tables_layout, picture_layout] = layouts(device);
        let joined = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let globals_only = joined(&[Some(&globals_layout)]);
        let with_draw = joined(&[Some(&globals_layout), Some(&draw_layout)]);
        let with_tables = joined(&[Some(&globals_layout), Some(&draw_layout), Some(&tables_layout)]);
        let picture = joined(&[Some(&picture_layout)]);

        let position = wgpu::vertex_attr_array![0 => Float32x3];
        let normal = wgpu::vertex_attr_array![1 => Float32x3];
        let value = wgpu::vertex_attr_array![2 => Float32];
        let line = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x4, 3 => Float32];
        let dot = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x4, 2 => Float32];
        let positions = [buffer(12, Step::Vertex, &position)];
        let body = [positions[0].clone(), buffer(12, Step::Vertex, &normal), buffer(4, Step::Vertex, &value)];
        let lines = [buffer(44, Step::Instance, &line)];
        let dots = [buffer(32, Step::Instance, &dot)];
        let vertices = [buffer(12, Step::Instance, &position)];

        let less = wgpu::CompareFunction::LessEqual;
        let surface = Recipe {
            label: "surface",
            layout: &with_tables,
            module: &surfaces,
            vertex: "vs",
            fragment: Some(("fs", PICTURE)),
            buffers: &body,
            topology: Topology::TriangleList,
            blend: false,
            depth: Some((less, true)),
            samples,
        };
        let mark = |label, vertex, fragment, buffers, topology| {
            let with_depth = |depth| {
                let recipe = Recipe {
                    label,
                    layout: &globals_only,
                    module: &marks,
                    vertex,
                    fragment: Some((fragment, PICTURE)),
                    buffers,
                    topology,
                    blend: true,
                    depth: Some((depth, false)),
                    samples,
                };
                build(device, &recipe)
            };
            Marks { behind: with_depth(less), on_top: with_depth(wgpu::CompareFunction::Always) }
        };
        let encode = if output.is_srgb() { "fs" } else { "fs_encode" };
        Self {
            shadow: build(
                device,
                &Recipe {
                    label: "shadow",
                    layout: &with_draw,
                    vertex: "vs_shadow",
                    fragment: None,
                    buffers: &positions,
                    samples: 1,
                    ..surface
                },
            ),
            sky: build(
                device,
                &Recipe {
                    label: "sky",
                    layout: &globals_only,
                    vertex: "vs_sky",
                    fragment: Some(("fs_sky", PICTURE)),
                    buffers: &[],
                    depth: Some((wgpu::CompareFunction::Always, false)),
                    ..surface
                },
            ),
            floor: build(
                device,
                &Recipe { label: "floor", fragment: Some(("fs_floor", PICTURE)), blend: true, ..surface },
            ),
            surface: build(device, &surface),
            wire: mark("wire", "vs_wire", "fs_wire", &positions, Topology::LineList),
            lines: mark("lines", "vs_line", "fs_wire", &lines, Topology::TriangleStrip),
            dots: mark("dots", "vs_dot", "fs_dot", &dots, Topology::TriangleStrip),
            vertices: mark("vertices", "vs_vertex", "fs_dot", &vertices, Topology::TriangleStrip).behind,
            blit: build(
                device,
                &Recipe {
                    label: "blit",
                    layout: &picture,
                    module: &blits,
                    fragment: Some((encode, output)),
                    buffers: &[],
                    depth: None,
                    samples: 1,
                    ..surface
                },
            ),
            globals_layout,
            draw_layout,
            tables_layout,
            picture_layout,
        }
    }
}

fn layouts(device: &wgpu::Device) -> [wgpu::BindGroupLayout; 4] {
    let layout = |label, types: &[wgpu::BindingType]| {
        let entries: Vec<_> = (0..)
            .zip(types)
            .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: Stages::VERTEX_FRAGMENT,
                ty: *ty,
                count: None,
            })
            .collect();
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        })
    };
    let uniform = |has_dynamic_offset| wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset,
        min_binding_size: None,
    };
    let texture = |sample_type, view_dimension| wgpu::BindingType::Texture {
        sample_type,
        view_dimension,
        multisampled: false,
    };
    let colour = wgpu::TextureSampleType::Float { filterable: true };
    let (plain, layered) = (wgpu::TextureViewDimension::D2, wgpu::TextureViewDimension::D2Array);
    let filtering = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    [
        layout("globals", &[uniform(false)]),
        layout("draw", &[uniform(true)]),
        layout(
            "tables",
            &[
                texture(wgpu::TextureSampleType::Depth, plain),
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison),
                texture(colour, plain),
                texture(colour, layered),
                filtering,
            ],
        ),
        layout("picture", &[texture(colour, plain), filtering]),
    ]
}
