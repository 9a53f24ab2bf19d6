//! Textures: the picture itself, the shadow map, the colour ramp and the painted balls.

use crate::draw::{MatCap, Ramp};
use egui_wgpu::wgpu;
use wgpu::TextureUsages as Usage;

/// Format of the picture: stored as sRGB, blended and averaged as light.
pub(super) const PICTURE: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// Format of depths.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Side of the shadow map, texels.
pub(super) const SHADOW_SIDE: u32 = 2048;
const RAMP_SIDE: u32 = 256;
const BALL_SIDE: u32 = 128;

pub(super) fn texture(
    device: &wgpu::Device,
    [width, height, layers]: [u32; 3],
    samples: u32,
    format: wgpu::TextureFormat,
    usage: Usage,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: layers },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// The picture and its depths, for one size.
pub(super) struct Target {
    pub(super) size: [u32; 2],
    pub(super) texture: wgpu::Texture,
    pub(super) view: wgpu::TextureView,
    pub(super) samples: Option<wgpu::TextureView>,
    pub(super) depth: wgpu::TextureView,
    pub(super) bind: wgpu::BindGroup,
}

impl Target {
    pub(super) fn new(
        device: &wgpu::Device,
        size: [u32; 2],
        samples: u32,
        layout: &wgpu::BindGroupLayout,
        sampler: &wgpu::Sampler,
    ) -> Self {
        let extent = [size[0], size[1], 1];
        let usage = Usage::RENDER_ATTACHMENT | Usage::TEXTURE_BINDING | Usage::COPY_SRC;
        let picture = texture(device, extent, 1, PICTURE, usage);
        let view = picture.create_view(&Default::default());
        let attachment = |format| {
            let texture = texture(device, extent, samples, format, Usage::RENDER_ATTACHMENT);
            texture.create_view(&Default::default())
        };
        let bind = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("picture"),
            layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(sampler) },
            ],
        });
        let samples = (samples > 1).then(|| attachment(PICTURE));
        Self { size, texture: picture, view, samples, depth: attachment(DEPTH), bind }
    }
}

/// The textures that surfaces look things up in.
pub(super) struct Tables {
    pub(super) shadow: wgpu::TextureView,
    pub(super) bind: wgpu::BindGroup,
    ramp: wgpu::Texture,
    ramp_now: Option<Ramp>,
}

impl Tables {
    pub(super) fn new(device: &wgpu::Device, queue: &wgpu::Queue, layout: &wgpu::BindGroupLayout) -> Self {
        let side = SHADOW_SIDE;
        let usage = Usage::RENDER_ATTACHMENT | Usage::TEXTURE_BINDING;
        let shadow = texture(device, [side, side, 1], 1, DEPTH, usage).create_view(&Default::default());
        let usage = Usage::TEXTURE_BINDING | Usage::COPY_DST;
        let ramp = texture(device, [RAMP_SIDE, 1, 1], 1, PICTURE, usage);
        let balls = texture(device, [BALL_SIDE, BALL_SIDE, MatCap::ALL.len() as u32], 1, PICTURE, usage);
        let pixels: Vec<u8> =
            MatCap::ALL.iter().flat_map(|&ball| super::matcap::paint(ball, BALL_SIDE)).collect();
        fill(queue, &balls, &pixels);
        let compare = device.create_sampler(&wgpu::SamplerDescriptor {
            compare: Some(wgpu::CompareFunction::LessEqual),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let smooth = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let ball_view = balls.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2Array),
            ..Default::default()
        });
        let resources = [
            wgpu::BindingResource::TextureView(&shadow),
            wgpu::BindingResource::Sampler(&compare),
            wgpu::BindingResource::TextureView(&ramp.create_view(&Default::default())),
            wgpu::BindingResource::TextureView(&ball_view),
            wgpu::BindingResource::Sampler(&smooth),
        ];
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let bind = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("tables"),
            layout,
            entries: &entries,
        });
        Self { shadow, bind, ramp, ramp_now: None }
    }

    /// Puts a ramp into its texture, unless it is there.
    pub(super) fn set_ramp(&mut self, queue: &wgpu::Queue, ramp: Ramp) {
        if self.ramp_now == Some(ramp) {
            return;
        }
        let mut pixels = [255u8; RAMP_SIDE as usize * 4];
        for (k, pixel) in pixels.chunks_exact_mut(4).enumerate() {
            let colour = ramp.srgb(k as f32 / (RAMP_SIDE - 1) as f32);
            for c in 0..3 {
                pixel[c] = (colour[c] * 255.0).round() as u8;
            }
        }
        fill(queue, &self.ramp, &pixels);
        self.ramp_now = Some(ramp);
    }
}

fn fill(queue: &wgpu::Queue, texture: &wgpu::Texture, pixels: &[u8]) {
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(texture.width() * 4),
        rows_per_image: Some(texture.height()),
    };
    queue.write_texture(texture.as_image_copy(), pixels, layout, texture.size());
}
