//! The selected obstacle. Every change takes effect while the simulation runs.

use super::objects::colour_row;
use crate::app::widgets::{grid, number, optional, vector};
use crate::app::{App, Selected};
use egui::Ui;
use pd_sim::scene::desc::ColliderDesc;

impl App {
    pub(super) fn obstacle(&mut self, ui: &mut Ui, index: usize) {
        let mut name = self.document.desc.colliders[index].name().unwrap_or("").to_owned();
        ui.horizontal(|ui| {
            let label = ui.label("Name");
            if ui
                .add(egui::TextEdit::singleline(&mut name).desired_width(150.0))
                .labelled_by(label.id)
                .changed()
            {
                self.document.desc.colliders[index].set_name((!name.is_empty()).then_some(name.clone()));
            }
        });
        self.copy_and_remove(ui);
        if self.selected != Selected::Obstacle(index) {
            return; // it is gone, or its copy is selected
        }
        let Some(collider) = self.document.desc.colliders.get_mut(index) else { return };
        let grey = crate::draw::Material::obstacle().colour;
        self.redraw |= colour_row(ui, collider.display_mut(), grey, false);
        grid(ui, "obstacle", |ui| {
            const SIZE: std::ops::RangeInclusive<f64> = 1e-3..=1e3;
            match collider {
                ColliderDesc::Floor { height, margin, .. } => {
                    number(ui, "Height", "m", height, -1e3..=1e3);
                    optional(ui, "Margin", "kept free around it, m", margin, 0.01, 0.0..=1.0);
                }
                ColliderDesc::Sphere { centre, radius, margin, .. } => {
                    vector(ui, "Centre", "m", centre);
                    number(ui, "Radius", "m", radius, SIZE);
                    optional(ui, "Margin", "kept free around it, m", margin, 0.01, 0.0..=1.0);
                }
                ColliderDesc::Block { centre, half_extents, margin, .. } => {
                    vector(ui, "Centre", "m", centre);
                    vector(ui, "Half size", "half of the size along each axis, m", half_extents);
                    half_extents.iter_mut().for_each(|h| *h = h.clamp(1e-3, 1e3));
                    optional(ui, "Margin", "kept free around it, m", margin, 0.01, 0.0..=1.0);
                }
                ColliderDesc::Torus { centre, major_radius, minor_radius, margin, .. } => {
                    vector(ui, "Centre", "m", centre);
                    number(ui, "Ring radius", "of the centre circle, m", major_radius, SIZE);
                    number(ui, "Tube radius", "m", minor_radius, SIZE);
                    optional(ui, "Margin", "kept free around it, m", margin, 0.01, 0.0..=1.0);
                }
            }
        });
        if !collider.path().is_empty() {
            ui.label(format!("Follows a path of {} keys, on top of its place.", collider.path().len()));
        }
    }
}
