//! Pictures without a window.

use super::legend::Overlay;
use super::texture::PICTURE;
use super::{Driver, Gpu, RenderError, SceneRenderer};
use crate::draw::{Camera, Drawing, Legend, Options};
use crate::record::Image;
use egui_wgpu::wgpu;

/// A renderer with its own device.
pub struct Offscreen {
    gpu: Gpu,
    renderer: SceneRenderer,
    overlay: Overlay,
    readback: Option<wgpu::Buffer>,
}

impl Offscreen {
    /// Opens a device and makes a renderer with 1 or 4 samples per pixel.
    pub fn new(driver: Driver, samples: u32) -> Result<Self, RenderError> {
        let gpu = Gpu::open(driver)?;
        let renderer = SceneRenderer::new(&gpu.device, &gpu.queue, PICTURE, samples);
        let overlay = Overlay::new(&gpu.device, PICTURE);
        Ok(Self { gpu, renderer, overlay, readback: None })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Draws a picture of `size` pixels, with the legend of its colours if there is one.
    pub fn draw(
        &mut self,
        drawing: &Drawing,
        options: &Options,
        camera: &Camera,
        size: [u32; 2],
        legend: Option<&Legend>,
    ) -> Result<Image, RenderError> {
        self.check(size)?;
        let Gpu { device, queue, .. } = &self.gpu;
        self.renderer.upload(device, queue, drawing, options);
        let mut encoder = device.create_command_encoder(&Default::default());
        self.renderer.encode(device, queue, &mut encoder, size, camera);
        if let (Some(legend), Some(view)) = (legend, self.renderer.view()) {
            self.overlay.draw(device, queue, &mut encoder, view, size, legend, options.theme);
        }
        queue.submit([encoder.finish()]);
        self.read()
    }

    fn check(&self, size: [u32; 2]) -> Result<(), RenderError> {
        let most = self.gpu.device.limits().max_texture_dimension_2d;
        if size.iter().all(|s| (1..=most).contains(s)) {
            return Ok(());
        }
        Err(RenderError::Size { width: size[0], height: size[1], most })
    }

    /// Waits for the picture and copies it here.
    fn read(&mut self) -> Result<Image, RenderError> {
        let failed = |reason: String| RenderError::ReadBack { reason };
        let Some(texture) = self.renderer.texture() else { return Err(failed("there is none".into())) };
        let (width, height) = (texture.width(), texture.height());
        let stride =
            (width * 4).div_ceil(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT) * wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;
        let bytes = u64::from(stride) * u64::from(height);
        let Gpu { device, queue, .. } = &self.gpu;
        let buffer = match self.readback.take() {
            Some(buffer) if buffer.size() == bytes => buffer,
            _ => device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("picture"),
                size: bytes,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
        };
        let mut encoder = device.create_command_encoder(&Default::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: None };
        let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), to, texture.size());
        queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.slice(..).map_async(wgpu::MapMode::Read, move |outcome| {
            // The receiver waits below; a closed channel is ignored.
            let _ = sender.send(outcome);
        });
        device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| failed(e.to_string()))?;
        match receiver.recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(failed(error.to_string())),
            Err(error) => return Err(failed(error.to_string())),
        }
        let mut pixels = Vec::with_capacity((width * height * 3) as usize);
        {
            let mapped = buffer.slice(..).get_mapped_range().map_err(|e| failed(e.to_string()))?;
            for row in mapped.chunks_exact(stride as usize) {
                for pixel in row[..width as usize * 4].chunks_exact(4) {
                    pixels.extend_from_slice(&pixel[..3]);
                }
            }
        }
        buffer.unmap();
        self.readback = Some(buffer);
        Ok(Image { width, height, pixels })
    }
}
