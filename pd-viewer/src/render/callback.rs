//! The renderer as a paint callback of egui: drawn in `prepare`, copied in `paint`.

use super::SceneRenderer;
use crate::draw::Camera;
use egui_wgpu::wgpu;

/// Paints what was last uploaded to the [`SceneRenderer`] in egui's `callback_resources`.
///
/// `ui.painter().add(egui_wgpu::Callback::new_paint_callback(rect, SceneCallback { … }))`
#[derive(Clone, Copy, Debug)]
pub struct SceneCallback {
    /// Size of the rectangle, physical pixels.
    pub size: [u32; 2],
    /// From where.
    pub camera: Camera,
}

impl egui_wgpu::CallbackTrait for SceneCallback {
    fn prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        _screen: &egui_wgpu::ScreenDescriptor,
        encoder: &mut wgpu::CommandEncoder,
        resources: &mut egui_wgpu::CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        if let Some(renderer) = resources.get_mut::<SceneRenderer>() {
            renderer.encode(device, queue, encoder, self.size, &self.camera);
        }
        vec![]
    }

    fn paint(
        &self,
        _info: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &egui_wgpu::CallbackResources,
    ) {
        if let Some(renderer) = resources.get::<SceneRenderer>() {
            renderer.blit(pass);
        }
    }
}
