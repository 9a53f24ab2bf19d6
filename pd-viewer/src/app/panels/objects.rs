//! Bodies and obstacles: lists, and properties of the selected one.

use crate::app::dialogs::Purpose;
use crate::app::widgets::{section, short};
use crate::app::{App, Selected, edit};
use egui::{RichText, Ui};
use pd_sim::scene::desc::DisplayDesc;
use std::path::PathBuf;

impl App {
    pub(in crate::app) fn objects(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            ui.menu_button("Add body", |ui| {
                for (name, shape, solid) in edit::shapes() {
                    if ui.button(name).clicked() {
                        let mut body = edit::body(name, shape, solid);
                        body.translate = Some(self.free_place());
                        let index = edit::add_object(&mut self.document.desc, body);
                        self.select(Selected::Object(index));
                        ui.close();
                    }
                }
            });
            ui.menu_button("Add obstacle", |ui| {
                for collider in edit::obstacles() {
                    if ui.button(collider.kind()).clicked() {
                        self.document.desc.colliders.push(collider);
                        self.select(Selected::Obstacle(self.document.desc.colliders.len() - 1));
                        ui.close();
                    }
                }
            });
        });
        section(ui, "Import a mesh", false, |ui| self.import_row(ui));
        ui.add_space(2.0);
        self.list(ui);
        ui.separator();
        match self.selected {
            Selected::Nothing => {
                ui.label(RichText::new("Click a body or obstacle in the view or in the list.").weak());
            }
            Selected::Object(index) if index < self.document.desc.objects.len() => self.inspector(ui, index),
            Selected::Obstacle(index) if index < self.document.desc.colliders.len() => {
                self.obstacle(ui, index)
            }
            _ => self.selected = Selected::Nothing,
        }
    }

    /// Above everything that is there.
    fn free_place(&self) -> [f64; 3] {
        let bounds = self.drawing.body_bounds();
        if bounds.is_empty() {
            [0.0, 0.0, 0.0]
        } else {
            [bounds.centre().x, bounds.high.y + 0.4, bounds.centre().z]
        }
    }

    pub(in crate::app) fn select(&mut self, selected: Selected) {
        if self.selected != selected {
            self.vertices.clear();
            self.panels.name = None;
        }
        self.selected = selected;
        self.redraw = true;
    }

    fn import_row(&mut self, ui: &mut Ui) {
        let label = ui.label("Mesh file (OBJ, PLY, STL, OFF, glTF, MSH, MEDIT, VTK, TetGen)");
        ui.text_edit_singleline(&mut self.panels.mesh_path).labelled_by(label.id);
        ui.checkbox(&mut self.imports.fill, "Fill with tetrahedra");
        ui.horizontal(|ui| {
            if ui.button("Browse mesh").clicked() {
                self.ask(Purpose::Import);
            }
            let typed = !self.panels.mesh_path.trim().is_empty();
            if ui.add_enabled(typed, egui::Button::new("Import")).clicked() {
                let path = PathBuf::from(self.panels.mesh_path.trim());
                self.import(&path);
            }
            if self.imports.is_busy() {
                ui.spinner();
            }
        });
    }

    fn list(&mut self, ui: &mut Ui) {
        let mut chosen = None;
        for (k, object) in self.document.desc.objects.iter_mut().enumerate() {
            let selected = self.selected == Selected::Object(k);
            let row = row(ui, selected, &object.name, &mut object.display);
            if row.0 {
                chosen = Some(Selected::Object(k));
            }
            self.redraw |= row.1;
        }
        for (k, collider) in self.document.desc.colliders.iter_mut().enumerate() {
            let selected = self.selected == Selected::Obstacle(k);
            let name = obstacle_name(collider, k);
            let row = row(ui, selected, &name, &mut collider.display);
            if row.0 {
                chosen = Some(Selected::Obstacle(k));
            }
            self.redraw |= row.1;
        }
        if self.document.desc.objects.is_empty() {
            ui.label(RichText::new("The scene has no body; add one.").weak());
        }
        if let Some(chosen) = chosen {
            self.select(chosen);
        }
    }

    /// Name, copies and colour of the selected body, then its other settings.
    fn inspector(&mut self, ui: &mut Ui, index: usize) {
        let before = self.document.desc.objects[index].name.clone();
        let mut name = self.panels.name.take().unwrap_or_else(|| before.clone());
        ui.horizontal(|ui| {
            let label = ui.label("Name");
            let field =
                ui.add(egui::TextEdit::singleline(&mut name).desired_width(150.0)).labelled_by(label.id);
            if field.lost_focus() && name != before {
                if edit::rename_object(&mut self.document.desc, index, name.trim()) {
                    self.note = format!("Renamed {before} to {}", name.trim());
                } else {
                    self.note = format!("The name {:?} is empty or taken", name.trim());
                }
            } else if field.has_focus() {
                self.panels.name = Some(name.clone());
            }
        });
        self.copy_and_remove(ui);
        if self.selected != Selected::Object(index) {
            return; // it is gone, or its copy is selected
        }
        let display = &mut self.document.desc.objects[index].display;
        let default = crate::draw::PALETTE[index % crate::draw::PALETTE.len()];
        self.redraw |= colour_row(ui, display, default, true);
        if let Some(loaded) = self.selected_loaded() {
            let kind = if loaded.solid { "tetrahedra" } else { "triangles" };
            let (vertices, elements, mass) = (loaded.range.len(), loaded.elements, short(loaded.mass));
            ui.label(format!("{vertices} vertices, {elements} {kind}, {mass} kg"));
        }
        self.shape_section(ui, index);
        self.constraints(ui, index);
        self.pins_and_groups(ui, index);
    }

    pub(super) fn copy_and_remove(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            if ui.button("Duplicate").on_hover_text("Ctrl+D").clicked() {
                self.duplicate_selected();
            }
            if ui.button("Remove").on_hover_text("Delete").clicked() {
                self.remove_selected();
            }
        });
    }
}

pub(super) fn obstacle_name(collider: &pd_sim::scene::desc::ColliderDesc, index: usize) -> String {
    collider.name.clone().unwrap_or_else(|| format!("{} {}", collider.kind(), index + 1))
}

/// A line of the list: whether it was chosen, and whether its visibility changed.
fn row(ui: &mut Ui, selected: bool, name: &str, display: &mut DisplayDesc) -> (bool, bool) {
    ui.horizontal(|ui| {
        let mut shown = !display.hidden;
        let eye = ui.checkbox(&mut shown, "").on_hover_text(format!("Show {name}"));
        eye.widget_info(|| {
            egui::WidgetInfo::selected(egui::accesskit::Role::CheckBox, true, shown, format!("Show {name}"))
        });
        display.hidden = !shown;
        let chosen = ui.selectable_label(selected, name).clicked();
        (chosen, eye.changed())
    })
    .inner
}

/// Colour and shading of an object; returns whether something changed.
pub(super) fn colour_row(ui: &mut Ui, display: &mut DisplayDesc, default: [f32; 3], body: bool) -> bool {
    let before = *display;
    ui.horizontal(|ui| {
        let label = ui.label("Colour");
        let shown = display.colour.unwrap_or_else(|| crate::app::sync::screen(default));
        let mut bytes = shown.map(|c| (c * 255.0).round() as u8);
        if ui.color_edit_button_srgb(&mut bytes).labelled_by(label.id).changed() {
            display.colour = Some(bytes.map(|b| f64::from(b) / 255.0));
        }
        if display.colour.is_some() && ui.small_button("default").accessible_name("Default colour").clicked()
        {
            display.colour = None;
        }
    });
    ui.horizontal(|ui| {
        use pd_sim::scene::desc::ShadingDesc;
        let name = |shading: Option<ShadingDesc>| match shading {
            None => "as the view",
            Some(ShadingDesc::BlinnPhong) => "Blinn-Phong",
            Some(ShadingDesc::Matcap) => "MatCap",
            Some(ShadingDesc::Normals) => "Normals",
        };
        let label = ui.label("Shading");
        let combo = egui::ComboBox::from_id_salt("shading").selected_text(name(display.shading)).width(96.0);
        let response = combo.show_ui(ui, |ui| {
            for shading in
                [None, Some(ShadingDesc::BlinnPhong), Some(ShadingDesc::Matcap), Some(ShadingDesc::Normals)]
            {
                ui.selectable_value(&mut display.shading, shading, name(shading));
            }
        });
        response.response.labelled_by(label.id);
        if body {
            ui.checkbox(&mut display.wireframe, "Wires");
        }
    });
    *display != before
}
