//! How the scene is drawn.

use crate::app::App;
use crate::app::settings::{Look, Smooth};
use crate::app::widgets::section;
use crate::app::worker::Command;
use crate::draw::{Field, MatCap, Plane, Ramp, Shading};
use egui::Ui;

impl App {
    pub(in crate::app) fn display(&mut self, ui: &mut Ui) {
        let before = (self.options, self.settings.clone());
        section(ui, "Shading", true, |ui| {
            ui.horizontal_wrapped(|ui| {
                ui.radio_value(&mut self.options.shading, Shading::Phong, "Blinn-Phong");
                for matcap in MatCap::ALL {
                    ui.radio_value(
                        &mut self.options.shading,
                        Shading::MatCap(matcap),
                        format!("MatCap {}", matcap.name()),
                    );
                }
                ui.radio_value(&mut self.options.shading, Shading::Normals, "Normals");
            });
            ui.checkbox(&mut self.options.flat, "Flat");
            ui.checkbox(&mut self.settings.shadows, "Shadows");
            ui.add(egui::Slider::new(&mut self.options.softness, 0.0..=6.0).text("Softness"));
            ui.add(
                egui::Slider::new(&mut self.options.light_azimuth, -180.0..=180.0).text("Light direction"),
            );
            ui.add(egui::Slider::new(&mut self.options.light_elevation, 5.0..=90.0).text("Light height"));
        });
        section(ui, "Shown", true, |ui| {
            ui.checkbox(&mut self.settings.wireframe, "Wireframe");
            ui.checkbox(&mut self.options.surfaces, "Surfaces");
            ui.checkbox(&mut self.options.edges, "All edges, interior too");
            ui.checkbox(&mut self.options.points, "Vertices");
            ui.checkbox(&mut self.settings.show_pins, "Pins");
            ui.checkbox(&mut self.options.obstacles, "Obstacles");
            ui.checkbox(&mut self.options.floor, "Floor");
            let contacts = ui.checkbox(&mut self.settings.show_contacts, "Contacts");
            if contacts.on_hover_text("Where vertices touch obstacles, with the normal").changed() {
                self.worker.send(Command::Contacts(self.settings.show_contacts));
            }
            let liquids = ui.checkbox(&mut self.settings.liquid_surfaces, "Surface of water");
            if liquids.on_hover_text("Water by its surface instead of its points").changed() {
                self.worker.send(Command::Liquids(self.settings.liquid_surfaces));
            }
            ui.checkbox(&mut self.settings.show_neighbours, "Neighbours of a vertex")
                .on_hover_text("Of the vertex under the pointer, or else the one clicked last");
            let mut tets = self.options.tets.is_some();
            ui.checkbox(&mut tets, "Exploded tetrahedra");
            self.options.tets = tets.then(|| self.options.tets.unwrap_or(0.8));
            if let Some(share) = &mut self.options.tets {
                ui.add(egui::Slider::new(share, 0.1..=1.0).text("Size of tetrahedra"));
            }
            self.cut(ui);
        });
        section(ui, "Colour map", true, |ui| self.colour_map(ui));
        section(ui, "Antialiasing", false, |ui| {
            ui.horizontal_wrapped(|ui| {
                let choices = [
                    (Smooth::Auto, "Automatic", "where a graphics processor draws"),
                    (Smooth::Always, "Always", "four samples per pixel"),
                    (Smooth::Never, "Never", "one sample per pixel: twice as fast where the CPU draws"),
                ];
                for (smooth, name, tip) in choices {
                    ui.radio_value(&mut self.settings.smooth, smooth, name).on_hover_text(tip);
                }
            });
        });
        section(ui, "Touchpad", false, |ui| {
            ui.checkbox(&mut self.settings.scroll_turns, "Two fingers orbit instead of zooming");
        });
        self.options.shadows = self.settings.shadows;
        self.options.wireframe = self.settings.wireframe;
        self.options.contacts = self.settings.show_contacts;
        self.settings.look = Look::of(&self.options);
        if self.settings.smooth != before.1.smooth {
            self.make_renderer();
        }
        self.redraw |= before != (self.options, self.settings.clone());
    }

    fn cut(&mut self, ui: &mut Ui) {
        let mut on = self.options.cut.is_some();
        ui.checkbox(&mut on, "Cut plane");
        if !on {
            self.options.cut = None;
            return;
        }
        let bounds = self.drawing.body_bounds();
        if bounds.is_empty() {
            return;
        }
        let middle = bounds.centre();
        let plane = self.options.cut.get_or_insert_with(|| Plane::across(0, middle.x));
        let mut axis = plane.normal.iamax();
        ui.horizontal(|ui| {
            for (k, name) in ["Across x", "Across y", "Across z"].into_iter().enumerate() {
                if ui.radio_value(&mut axis, k, name).changed() {
                    *plane = Plane::across(k, middle[k]);
                }
            }
        });
        let mut at = plane.point[axis];
        let slider = egui::Slider::new(&mut at, bounds.low[axis]..=bounds.high[axis]).text("Cut at, m");
        // A body that swings away leaves the cut where it is.
        if ui.add(slider.clamping(egui::SliderClamping::Edits)).changed() {
            *plane = Plane::across(axis, at);
        }
    }

    fn colour_map(&mut self, ui: &mut Ui) {
        let before = (self.field, self.panels.ramp);
        ui.horizontal_wrapped(|ui| {
            ui.radio_value(&mut self.field, None, "Materials");
            for field in Field::ALL {
                ui.radio_value(&mut self.field, Some(field), field.name());
            }
        });
        ui.horizontal_wrapped(|ui| {
            for ramp in Ramp::ALL {
                ui.radio_value(&mut self.panels.ramp, ramp, ramp.name());
            }
        });
        if before != (self.field, self.panels.ramp) {
            self.worker.send(Command::Field(self.field));
            self.redraw = true;
        }
    }
}
