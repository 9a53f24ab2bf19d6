//! The selected obstacle. Every change takes effect while the simulation runs.

use super::objects::colour_row;
use crate::app::widgets::{grid, number, optional, vector};
use crate::app::{App, Selected};
use egui::Ui;
use pd_sim::scene::desc::ColliderShapeDesc;

impl App {
    pub(super) fn obstacle(&mut self, ui: &mut Ui, index: usize) {
        let mut name = self.document.desc.colliders[index].name.clone().unwrap_or_default();
        ui.horizontal(|ui| {
            let label = ui.label("Name");
            if ui
                .add(egui::TextEdit::singleline(&mut name).desired_width(150.0))
                .labelled_by(label.id)
                .changed()
            {
                self.document.desc.colliders[index].name = (!name.is_empty()).then_some(name.clone());
            }
        });
        self.copy_and_remove(ui);
        if self.selected != Selected::Obstacle(index) {
            return; // it is gone, or its copy is selected
        }
        let Some(collider) = self.document.desc.colliders.get_mut(index) else { return };
        let grey = crate::draw::Material::obstacle().colour;
        self.redraw |= colour_row(ui, &mut collider.display, grey, false);
        grid(ui, "obstacle", |ui| {
            const SIZE: std::ops::RangeInclusive<f64> = 1e-3..=1e3;
            match &mut collider.shape {
                ColliderShapeDesc::Floor { height } => {
                    number(ui, "Height", "m", height, -1e3..=1e3);
                }
                ColliderShapeDesc::Sphere { centre, radius } => {
                    vector(ui, "Centre", "m", centre);
                    number(ui, "Radius", "m", radius, SIZE);
                }
                ColliderShapeDesc::Block { centre, half_extents } => {
                    vector(ui, "Centre", "m", centre);
                    vector(ui, "Half size", "half of the size along each axis, m", half_extents);
                    half_extents.iter_mut().for_each(|h| *h = h.clamp(1e-3, 1e3));
                }
                ColliderShapeDesc::Capsule { from, to, radius }
                | ColliderShapeDesc::Cylinder { from, to, radius } => {
                    vector(ui, "From", "centre of one end, m", from);
                    vector(ui, "To", "centre of the other end, m", to);
                    number(ui, "Radius", "m", radius, SIZE);
                }
                ColliderShapeDesc::Torus { centre, major_radius, minor_radius } => {
                    vector(ui, "Centre", "m", centre);
                    number(ui, "Ring radius", "of the centre circle, m", major_radius, SIZE);
                    number(ui, "Tube radius", "m", minor_radius, SIZE);
                }
                ColliderShapeDesc::HalfSpace { point, normal } => {
                    vector(ui, "Point", "of the plane, m", point);
                    vector(ui, "Normal", "out of the half-space", normal);
                }
                ColliderShapeDesc::Hull { .. } => {}
                ColliderShapeDesc::HeightField { corner, spacing, .. } => {
                    vector(ui, "Corner", "of the least x and z, m", corner);
                    number(ui, "Spacing", "m", spacing, SIZE);
                }
            }
            optional(ui, "Margin", "kept free around it, m", &mut collider.margin, 0.01, 0.0..=1.0);
            optional(ui, "Friction", "Coulomb coefficient", &mut collider.friction, 0.3, 0.0..=2.0);
        });
        if !collider.path.is_empty() {
            ui.label(format!("Follows a path of {} keys, on top of its place.", collider.path.len()));
        }
    }
}
