//! The colour bar. The same strokes of egui in the window and on a picture without one.

use crate::draw::{Legend, Theme};
use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke, StrokeKind, pos2, vec2};
use egui_wgpu::wgpu;

/// Stripes of the bar.
const STRIPES: usize = 64;

/// Paints a colour bar with its title and numbers into the lower left corner of `area`.
pub fn paint_legend(painter: &egui::Painter, area: Rect, legend: &Legend, theme: Theme) {
    let (ink, paper) = match theme {
        Theme::Light => (Color32::from_gray(25), Color32::from_rgba_unmultiplied(255, 255, 255, 205)),
        Theme::Dark => (Color32::from_gray(225), Color32::from_rgba_unmultiplied(18, 20, 26, 205)),
    };
    let height = (area.height() * 0.42).clamp(60.0, 220.0);
    let panel =
        Rect::from_min_size(area.left_bottom() + vec2(12.0, -height - 46.0), vec2(118.0, height + 34.0));
    painter.rect_filled(panel, 4.0, paper);
    let title: Pos2 = panel.left_top() + vec2(9.0, 6.0);
    painter.text(title, Align2::LEFT_TOP, &legend.title, FontId::proportional(12.5), ink);
    let bar = Rect::from_min_size(panel.left_top() + vec2(10.0, 26.0), vec2(16.0, height - 2.0));
    painter.add(egui::Shape::mesh(gradient(bar, legend)));
    painter.rect_stroke(bar, 0.0, Stroke::new(1.0, ink), StrokeKind::Outside);
    for (at, word) in legend.ticks() {
        let y = bar.bottom() - at.clamp(0.0, 1.0) * bar.height();
        painter.line_segment([pos2(bar.right(), y), pos2(bar.right() + 5.0, y)], Stroke::new(1.0, ink));
        painter.text(pos2(bar.right() + 9.0, y), Align2::LEFT_CENTER, word, FontId::proportional(12.0), ink);
    }
}

/// The colours from low at the bottom to high at the top, blended between stripes.
fn gradient(bar: Rect, legend: &Legend) -> egui::Mesh {
    let mut mesh = egui::Mesh::default();
    for k in 0..=STRIPES {
        let at = k as f32 / STRIPES as f32;
        let [r, g, b] = legend.ramp.srgb(at).map(|c| (c * 255.0).round() as u8);
        let y = bar.bottom() - at * bar.height();
        for x in [bar.left(), bar.right()] {
            mesh.colored_vertex(pos2(x, y), Color32::from_rgb(r, g, b));
        }
    }
    for k in 0..STRIPES as u32 {
        mesh.add_triangle(2 * k, 2 * k + 1, 2 * k + 2);
        mesh.add_triangle(2 * k + 1, 2 * k + 3, 2 * k + 2);
    }
    mesh
}

/// Draws a legend over a finished picture, without a window.
pub(super) struct Overlay {
    context: egui::Context,
    renderer: egui_wgpu::Renderer,
}

impl Overlay {
    pub(super) fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        let renderer = egui_wgpu::Renderer::new(device, format, egui_wgpu::RendererOptions::default());
        Self { context: egui::Context::default(), renderer }
    }

    #[expect(clippy::too_many_arguments, reason = "a device call: where to, how large, and what")]
    pub(super) fn draw(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::TextureView,
        size: [u32; 2],
        legend: &Legend,
        theme: Theme,
    ) {
        // Letters keep their share of the picture.
        let scale = (size[1] as f32 / 540.0).clamp(0.6, 4.0);
        let area = Rect::from_min_size(Pos2::ZERO, vec2(size[0] as f32 / scale, size[1] as f32 / scale));
        let input = egui::RawInput { screen_rect: Some(area), ..Default::default() };
        self.context.set_pixels_per_point(scale);
        let mut output = self.context.run_ui(input, |ui| paint_legend(ui.painter(), area, legend, theme));
        for (id, deltas) in &output.textures_delta.set {
            for delta in deltas {
                self.renderer.update_texture(device, queue, *id, delta);
            }
        }
        let shapes = self.context.tessellate(output.shapes, output.pixels_per_point);
        let screen =
            egui_wgpu::ScreenDescriptor { size_in_pixels: size, pixels_per_point: output.pixels_per_point };
        self.renderer.update_buffers(device, queue, encoder, &shapes, &screen);
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("legend"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        self.renderer.render(&mut pass.forget_lifetime(), &shapes, &screen);
        for id in &output.textures_delta.free {
            self.renderer.free_texture(id);
        }
        output.textures_delta.clear(); // egui wants to hear that all were taken care of
    }
}
