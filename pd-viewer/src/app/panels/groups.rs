//! Pins and named groups of vertices of the selected body.

use crate::app::advice::Problem;
use crate::app::widgets::{drag, grid, number, section};
use crate::app::{App, edit};
use egui::{RichText, Ui};
use pd_sim::scene::desc::{PinDesc, SelectDesc};
use std::path::{Path, PathBuf};

impl App {
    pub(super) fn pins_and_groups(&mut self, ui: &mut Ui, index: usize) {
        section(ui, "Pins", true, |ui| self.pins(ui, index));
        section(ui, "Vertex groups", false, |ui| self.groups(ui, index));
    }

    fn pins(&mut self, ui: &mut Ui, index: usize) {
        let sizes: Vec<usize> = self
            .selected_loaded()
            .map(|loaded| loaded.pins.iter().map(Vec::len).collect())
            .unwrap_or_default();
        let object = &mut self.document.desc.objects[index];
        let mut gone = None;
        for (k, pin) in object.pins.iter_mut().enumerate() {
            ui.horizontal(|ui| {
                let size = sizes.get(k).map_or_else(|| "…".to_owned(), usize::to_string);
                ui.label(format!("{size} vertices, weight"));
                let weight = ui.add(drag(&mut pin.weight, 1e-6..=1e9)).on_hover_text("N/m");
                weight.accessible_name(format!("Weight of pins {}", k + 1));
                let unpin = ui.small_button("Unpin").accessible_name(format!("Unpin {}", k + 1));
                if unpin.on_hover_text("Remove these pins").clicked() {
                    gone = Some(k);
                }
            });
            if let Some(release) = &mut pin.release {
                grid(ui, ("release", k), |ui| {
                    number(ui, "Release at", "time at which these pins are released, s", release, 0.0..=1e6);
                });
            }
        }
        if let Some(k) = gone {
            object.pins.remove(k);
        }
        if object.pins.is_empty() {
            ui.label(RichText::new("None. Shift-click a vertex to pin it.").weak());
        }
        let chosen = self.vertices.len();
        if ui.add_enabled(chosen > 0, egui::Button::new(format!("Pin {chosen} selected"))).clicked() {
            self.pin_selected(index);
        }
    }

    /// Pins the selected vertices where they are.
    pub fn pin_selected(&mut self, index: usize) {
        let Some(first) = self.selected_loaded().map(|loaded| loaded.range.start as u32) else { return };
        let vertices: Vec<u32> = self.vertices.iter().copied().collect();
        let at: Vec<[f64; 3]> =
            vertices.iter().filter_map(|v| self.vertex(v + first)).map(Into::into).collect();
        if at.len() == vertices.len() && !at.is_empty() {
            let select = SelectDesc::of(vertices);
            let pin = PinDesc { select, weight: 1000.0, release: None, path: vec![], turn: None, at };
            self.document.desc.objects[index].pins.push(pin);
        }
    }

    fn groups(&mut self, ui: &mut Ui, index: usize) {
        ui.label(format!("{} vertices selected", self.vertices.len()));
        let count = self.selected_loaded().map_or(0, |loaded| loaded.range.len() as u32);
        ui.horizontal(|ui| {
            if ui.small_button("All").clicked() {
                self.vertices = (0..count).collect();
                self.redraw = true;
            }
            if ui.small_button("None").clicked() {
                self.vertices.clear();
                self.redraw = true;
            }
            if ui.small_button("Invert").clicked() {
                self.vertices = (0..count).filter(|v| !self.vertices.contains(v)).collect();
                self.redraw = true;
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label("Group name");
            ui.add(egui::TextEdit::singleline(&mut self.panels.group).desired_width(90.0))
                .labelled_by(label.id);
            let name = self.panels.group.trim().to_owned();
            let ready = !name.is_empty() && !self.vertices.is_empty();
            if ui.add_enabled(ready, egui::Button::new("Save group")).clicked() {
                let vertices = self.vertices.iter().copied().collect();
                edit::set_group(&mut self.document.desc.objects[index], &name, vertices, None);
            }
        });
        self.group_list(ui, index);
        ui.horizontal(|ui| {
            let label = ui.label("List file");
            ui.add(egui::TextEdit::singleline(&mut self.panels.group_path).desired_width(80.0))
                .labelled_by(label.id);
            let path = PathBuf::from(self.panels.group_path.trim());
            let typed = !path.as_os_str().is_empty();
            if ui
                .add_enabled(typed, egui::Button::new("Write"))
                .on_hover_text("Write the selected vertices")
                .clicked()
            {
                self.write_vertices(&path);
            }
            if ui
                .add_enabled(typed, egui::Button::new("Read"))
                .on_hover_text("Select the vertices of the file")
                .clicked()
            {
                self.read_vertices(&path, count);
            }
        });
    }

    fn group_list(&mut self, ui: &mut Ui, index: usize) {
        let known = self.selected_loaded().map(|loaded| loaded.groups.clone()).unwrap_or_default();
        let mut gone = None;
        let mut chosen = None;
        let object = &mut self.document.desc.objects[index];
        for (k, group) in object.groups.iter_mut().enumerate() {
            ui.horizontal(|ui| {
                ui.label(RichText::new(&group.name).strong());
                let tip = format!("Select the vertices of {}", group.name);
                let select = ui.small_button("Select").accessible_name(format!("Select {}", group.name));
                if select.on_hover_text(tip).clicked() {
                    let found = known.iter().find(|(name, _)| *name == group.name);
                    chosen = Some(found.map_or_else(|| group.vertices.clone(), |(_, list)| list.clone()));
                }
                ui.label("×").on_hover_text("factor on the weights inside");
                let mut weight = group.weight.unwrap_or(1.0);
                let factor =
                    ui.add(drag(&mut weight, 1e-6..=1e6)).on_hover_text("factor on the weights inside");
                if factor.accessible_name(format!("Factor of {}", group.name)).changed() {
                    group.weight = Some(weight);
                }
                let delete = ui.small_button("Delete").accessible_name(format!("Delete {}", group.name));
                if delete.on_hover_text("Delete this group, and pins that hold it").clicked() {
                    gone = Some(k);
                }
            });
        }
        if let Some(k) = gone {
            let name = object.groups.remove(k).name;
            // A pin that refers to a group goes with it.
            object.pins.retain(|pin| pin.select.group.as_deref() != Some(name.as_str()));
        }
        if let Some(list) = chosen {
            self.vertices = list.into_iter().collect();
            self.redraw = true;
        }
    }

    /// Writes the selected vertices as a list that scenes read.
    pub fn write_vertices(&mut self, path: &Path) {
        let text: String = self.vertices.iter().map(|v| format!("{v}\n")).collect();
        match pd_mesh::io::write_atomically(path, |file| file.write_all(text.as_bytes())) {
            Ok(()) => self.note = format!("Wrote {} vertices to {}", self.vertices.len(), path.display()),
            Err(error) => self.problem = Some(Problem::not_written(path, error)),
        }
    }

    /// Selects the vertices of a list; `count` is the number of vertices of the body.
    pub fn read_vertices(&mut self, path: &Path, count: u32) {
        let failed = |details: String| {
            let mut problem = Problem::words("The list of vertices is not understood.", details);
            problem.advice =
                "A list has numbers from 0, separated by white space; # starts a comment.".into();
            problem
        };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return self.problem = Some(failed(format!("{}: {error}", path.display()))),
        };
        let words = text.lines().flat_map(|line| line.split('#').next().unwrap_or("").split_whitespace());
        let mut list = vec![];
        for word in words {
            match word.parse::<u32>() {
                Ok(v) if v < count => list.push(v),
                _ => {
                    let details =
                        format!("{}: {word:?} is no vertex from 0 to {}", path.display(), count.max(1) - 1);
                    return self.problem = Some(failed(details));
                }
            }
        }
        self.vertices = list.into_iter().collect();
        self.redraw = true;
    }
}
