//! Built-in scenes with pictures, and files.

use crate::app::App;
use crate::app::dialogs::Purpose;
use crate::app::unsaved_changes::Destination;
use crate::app::widgets::section;
use egui::{RichText, Ui};
use pd_sim::scene::builtins;
use std::path::PathBuf;

impl App {
    pub(in crate::app) fn browser(&mut self, ui: &mut Ui) {
        section(ui, "Files", false, |ui| self.files(ui));
        let mut chosen = None;
        for builtin in builtins().iter().filter(|builtin| builtin.is_deformable()) {
            let open = self.document.name == builtin.name;
            let picture = self.thumbnail(ui, builtin.name);
            let response = card(ui, builtin.name, title(builtin.text), open, picture.as_ref());
            if response.clicked() {
                chosen = Some(builtin.name);
            }
        }
        if let Some(name) = chosen {
            self.leave(Destination::Scene(name.to_owned()));
        }
    }

    fn files(&mut self, ui: &mut Ui) {
        let label = ui.label("Scene file");
        ui.text_edit_singleline(&mut self.panels.scene_path).labelled_by(label.id);
        let typed = self.panels.scene_path.trim().to_owned();
        ui.horizontal(|ui| {
            let has = !typed.is_empty();
            if ui.add_enabled(has, egui::Button::new("Open file")).clicked() {
                self.leave(Destination::Scene(typed.clone()));
            }
            if ui.add_enabled(has, egui::Button::new("Save as")).clicked() {
                let mut path = PathBuf::from(&typed);
                if path.extension().is_none() {
                    path.set_extension("toml");
                }
                self.save(&path);
            }
        });
        ui.horizontal(|ui| {
            if ui.button("New").on_hover_text("An empty scene").clicked() {
                self.leave(Destination::Empty);
            }
            if ui.button("Browse to open").clicked() {
                self.ask(Purpose::Open);
            }
            if ui.button("Browse to save").clicked() {
                self.ask(Purpose::Save);
            }
        });
        let recent = self.settings.recent.clone();
        for file in recent {
            if ui.link(&file).clicked() {
                self.leave(Destination::Scene(file));
            }
        }
    }

    fn thumbnail(&mut self, ui: &Ui, name: &'static str) -> Option<egui::TextureHandle> {
        if let Some(texture) = self.panels.thumbnails.get(name) {
            return Some(texture.clone());
        }
        let bytes = thumbnail_bytes(name)?;
        let image = decode(bytes)?;
        let texture = ui.ctx().load_texture(format!("thumbnail {name}"), image, egui::TextureOptions::LINEAR);
        self.panels.thumbnails.insert(name, texture.clone());
        Some(texture)
    }
}

/// The title line of a scene without parsing all of it.
fn title(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("title = \""));
    line.and_then(|line| line.strip_suffix('"')).unwrap_or("")
}

/// A picture, the name and one line.
fn card(
    ui: &mut Ui,
    name: &str,
    title: &str,
    open: bool,
    picture: Option<&egui::TextureHandle>,
) -> egui::Response {
    let size = egui::vec2(ui.available_width(), 62.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, format!("Scene {name}"))
    });
    if ui.is_rect_visible(rect) {
        let visuals = ui.style().interact_selectable(&response, open);
        if open || response.hovered() || response.has_focus() {
            ui.painter().rect(rect, 4.0, visuals.weak_bg_fill, visuals.bg_stroke, egui::StrokeKind::Inside);
        }
        let frame = egui::Rect::from_min_size(rect.min + egui::vec2(4.0, 4.0), egui::vec2(86.4, 54.0));
        match picture {
            Some(texture) => egui::Image::from_texture(texture).corner_radius(3.0).paint_at(ui, frame),
            None => {
                ui.painter().rect_filled(frame, 3.0, ui.visuals().extreme_bg_color);
            }
        }
        let text = egui::Rect::from_min_max(egui::pos2(frame.right() + 8.0, rect.top() + 4.0), rect.max);
        let mut inner = ui.new_child(egui::UiBuilder::new().max_rect(text));
        inner.add(egui::Label::new(RichText::new(name).strong()).selectable(false).truncate());
        inner.add(egui::Label::new(RichText::new(title).small()).selectable(false).wrap());
    }
    response.on_hover_text(title)
}

fn decode(bytes: &[u8]) -> Option<egui::ColorImage> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    let size = [info.width as usize, info.height as usize];
    match info.color_type {
        png::ColorType::Rgb => Some(egui::ColorImage::from_rgb(size, &pixels[..size[0] * size[1] * 3])),
        png::ColorType::Rgba => {
            Some(egui::ColorImage::from_rgba_unmultiplied(size, &pixels[..size[0] * size[1] * 4]))
        }
        _ => None,
    }
}

/// Small pictures of scenes, by name.
const PICTURES: &[(&str, &[u8])] = &[
    ("cloth", include_bytes!("../../../assets/thumbnails/cloth.png")),
    ("cloth-pair", include_bytes!("../../../assets/thumbnails/cloth-pair.png")),
    ("cloth-pair-wind", include_bytes!("../../../assets/thumbnails/cloth-pair-wind.png")),
    ("cloth-100", include_bytes!("../../../assets/thumbnails/cloth-100.png")),
    ("cloth-140", include_bytes!("../../../assets/thumbnails/cloth-140.png")),
    ("cloths-8", include_bytes!("../../../assets/thumbnails/cloths-8.png")),
    ("hemispheres", include_bytes!("../../../assets/thumbnails/hemispheres.png")),
    ("tubes", include_bytes!("../../../assets/thumbnails/tubes.png")),
    ("bar", include_bytes!("../../../assets/thumbnails/bar.png")),
    ("bridge", include_bytes!("../../../assets/thumbnails/bridge.png")),
    ("ball", include_bytes!("../../../assets/thumbnails/ball.png")),
    ("sandbox", include_bytes!("../../../assets/thumbnails/sandbox.png")),
    ("bunny-twin", include_bytes!("../../../assets/thumbnails/bunny-twin.png")),
    ("armadillo-twin", include_bytes!("../../../assets/thumbnails/armadillo-twin.png")),
    ("armadillo-free-twin", include_bytes!("../../../assets/thumbnails/armadillo-free-twin.png")),
    ("armadillo-pair-twin", include_bytes!("../../../assets/thumbnails/armadillo-pair-twin.png")),
    ("dragon-twin", include_bytes!("../../../assets/thumbnails/dragon-twin.png")),
];

/// Pictures of the built-in scenes, made by `assets/thumbnails/make.sh`. A scene that needs a scanned model shows its twin.
fn thumbnail_bytes(name: &str) -> Option<&'static [u8]> {
    let find = |name: &str| PICTURES.iter().find(|picture| picture.0 == name).map(|picture| picture.1);
    find(name).or_else(|| find(&format!("{name}-twin")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_scene_has_a_title_and_every_picture_a_scene() {
        for builtin in builtins() {
            assert!(!title(builtin.text).is_empty(), "{}", builtin.name);
        }
        for (name, bytes) in PICTURES {
            assert!(builtins().iter().any(|builtin| builtin.name == *name), "{name}");
            assert_eq!(decode(bytes).expect(name).size, [173, 108], "{name}");
        }
    }
}
