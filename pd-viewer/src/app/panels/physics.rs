//! Gravity, wind, damping and masses. All of it takes effect while the simulation runs.

use crate::app::App;
use crate::app::widgets::{grid, number, section, short, vector};
use egui::{RichText, Sense, Ui};
use pd_sim::scene::desc::{ForceDesc, MassDesc, ObjectDesc};

/// Constant wind, as set by the dial.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dial {
    strength: f64,
    /// Degrees around the vertical axis, from +z towards +x: where the wind blows to.
    azimuth: f64,
    /// Degrees above the horizon.
    elevation: f64,
}

impl Dial {
    fn of(strength: f64, d: [f64; 3]) -> Self {
        let flat = d[0].hypot(d[2]);
        Self { strength, azimuth: d[0].atan2(d[2]).to_degrees(), elevation: d[1].atan2(flat).to_degrees() }
    }

    fn direction(self) -> [f64; 3] {
        let (a, e) = (self.azimuth.to_radians(), self.elevation.to_radians());
        [a.sin() * e.cos(), e.sin(), a.cos() * e.cos()]
    }
}

impl App {
    pub(in crate::app) fn physics(&mut self, ui: &mut Ui) {
        let step = &mut self.document.desc.step;
        section(ui, "Gravity", true, |ui| {
            grid(ui, "gravity", |ui| {
                vector(ui, "Gravity", "acceleration, m/s²", &mut step.gravity);
            });
            ui.horizontal(|ui| {
                for (name, g) in [("Earth", -9.8), ("Moon", -1.62), ("None", 0.0)] {
                    if ui.small_button(name).clicked() {
                        step.gravity = [0.0, g, 0.0];
                    }
                }
            });
        });
        section(ui, "Wind", true, |ui| self.wind(ui));
        let step = &mut self.document.desc.step;
        section(ui, "Damping", true, |ui| {
            grid(ui, "damping", |ui| {
                number(
                    ui,
                    "Damping",
                    "velocities are divided by 1 + h·damping, 1/s",
                    &mut step.damping,
                    0.0..=100.0,
                );
            });
            ui.checkbox(&mut step.hold_pinned, "Hold pinned vertices").on_hover_text(
                "The predictor leaves pinned vertices where they are, so gravity does not pull on a pin",
            );
        });
        section(ui, "Mass", true, |ui| self.masses(ui));
        self.other_forces(ui);
    }

    /// Total mass of every body; editing it changes the key that defines it.
    fn masses(&mut self, ui: &mut Ui) {
        let Some(loaded) = &self.loaded else { return };
        grid(ui, "masses", |ui| {
            for object in &mut self.document.desc.objects {
                let Some(body) = loaded.objects.iter().find(|body| body.name == object.name) else {
                    continue;
                };
                let before = loaded.desc.objects.iter().find(|other| other.name == object.name);
                let ((kind, now), old) = (given(object), before.map(given));
                // While a change is prepared, what runs still has the mass before it.
                let ratio = old.filter(|old| old.0 == kind && old.1 > 0.0).map_or(1.0, |old| now / old.1);
                let mut mass = body.mass * ratio;
                let tip = "mass of the whole body, kg; how it is given is on the page Objects";
                if object.mass_column.is_some() || mass <= 0.0 {
                    ui.label(&object.name);
                    ui.label(short(mass));
                    ui.end_row();
                } else if number(ui, &object.name, tip, &mut mass, 1e-6..=1e6).changed() {
                    give(object, now * mass / (body.mass * ratio));
                }
            }
        });
        let total: f64 = loaded.objects.iter().map(|body| body.mass).sum();
        ui.label(RichText::new(format!("{} kg in all", short(total))).weak());
    }

    fn wind(&mut self, ui: &mut Ui) {
        let surfaces =
            self.loaded.as_ref().is_some_and(|loaded| loaded.objects.iter().any(|object| !object.solid));
        if !surfaces {
            ui.label(RichText::new("Wind acts on cloth and shells; this scene has none.").weak());
            return;
        }
        let forces = &mut self.document.desc.forces;
        let steady =
            |force: &ForceDesc| matches!(force, ForceDesc::Wind { from, to: None, .. } if *from == 0.0);
        let place = forces.iter().position(steady);
        let before = match place.map(|k| &forces[k]) {
            Some(ForceDesc::Wind { strength, direction, .. }) => Dial::of(*strength, *direction),
            _ => Dial { strength: 0.0, azimuth: 90.0, elevation: 0.0 },
        };
        let mut dial = before;
        ui.horizontal(|ui| {
            dial_widget(ui, &mut dial);
            grid(ui, "wind", |ui| {
                number(ui, "Strength", "N on a vertex that faces the wind", &mut dial.strength, 0.0..=10.0);
                number(ui, "Direction", "degrees from +z towards +x", &mut dial.azimuth, -180.0..=180.0);
                number(ui, "Elevation", "degrees above the horizon", &mut dial.elevation, -90.0..=90.0);
            });
        });
        if dial == before {
            return;
        }
        match place {
            Some(k) if dial.strength == 0.0 => drop(forces.remove(k)),
            Some(k) => {
                if let ForceDesc::Wind { strength, direction, .. } = &mut forces[k] {
                    (*strength, *direction) = (dial.strength, dial.direction());
                }
            }
            None if dial.strength > 0.0 => forces.push(ForceDesc::Wind {
                strength: dial.strength,
                direction: dial.direction(),
                from: 0.0,
                to: None,
                objects: vec![],
            }),
            None => {}
        }
    }

    fn other_forces(&mut self, ui: &mut Ui) {
        if self.document.desc.forces.is_empty() {
            return;
        }
        section(ui, "All forces", false, |ui| {
            let mut gone = None;
            for (k, force) in self.document.desc.forces.iter().enumerate() {
                let words = match force {
                    ForceDesc::Wind { strength, from, to, .. } => {
                        format!("wind {strength} N, {}", interval(*from, *to))
                    }
                    ForceDesc::Drag { velocity, from, to, .. } => {
                        let speed = velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
                        format!("air drag at {speed:.1} m/s, {}", interval(*from, *to))
                    }
                    ForceDesc::Push { object, from, to, .. } => {
                        format!("push on {object}, {}", interval(*from, Some(*to)))
                    }
                };
                ui.horizontal(|ui| {
                    let name = format!("Remove {words}");
                    ui.label(words);
                    if ui.small_button("Remove").accessible_name(name).clicked() {
                        gone = Some(k);
                    }
                });
            }
            if let Some(k) = gone {
                self.document.desc.forces.remove(k);
            }
        });
    }
}

/// The key that defines the mass of a body, and its value; the mass is proportional to it.
fn given(object: &ObjectDesc) -> (u8, f64) {
    match (&object.material, object.mass) {
        (Some(material), _) => (0, material.density),
        (None, MassDesc { total: Some(total), .. }) => (1, total),
        (None, MassDesc { density: Some(density), .. }) => (2, density),
        (None, MassDesc { per_vertex, .. }) => (3, per_vertex.unwrap_or(0.001)),
    }
}

fn give(object: &mut ObjectDesc, value: f64) {
    match (given(object).0, &mut object.material) {
        (0, Some(material)) => material.density = value,
        (1, _) => object.mass.total = Some(value),
        (2, _) => object.mass.density = Some(value),
        _ => object.mass.per_vertex = Some(value),
    }
}

fn interval(from: f64, to: Option<f64>) -> String {
    match to {
        Some(to) => format!("{from} to {to} s"),
        None => format!("from {from} s on"),
    }
}

/// A disc seen from above: the arrow points where the wind blows to, its length is the strength.
fn dial_widget(ui: &mut Ui, dial: &mut Dial) {
    const RADIUS: f32 = 38.0;
    /// Strength at the rim, N.
    const RIM: f64 = 0.05;
    let (rect, response) =
        ui.allocate_exact_size(egui::Vec2::splat(2.0 * RADIUS + 4.0), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::slider(true, dial.azimuth, "Wind dial"));
    if let Some(at) = response.interact_pointer_pos() {
        let d = at - rect.center();
        let length = f64::from(d.length() / RADIUS).min(1.0);
        dial.strength = if length < 0.12 { 0.0 } else { (length * RIM * 1000.0).round() / 1000.0 };
        if dial.strength > 0.0 {
            // Seen from above, +x is to the right and +z down.
            dial.azimuth = f64::from(d.x.atan2(d.y)).to_degrees();
        }
    }
    let visuals = ui.style().interact(&response);
    let painter = ui.painter();
    painter.circle(rect.center(), RADIUS, ui.visuals().extreme_bg_color, visuals.bg_stroke);
    painter.circle_filled(rect.center(), 3.0, visuals.text_color());
    let length = (dial.strength / RIM).clamp(0.0, 1.0) as f32 * RADIUS;
    if length > 0.0 {
        let (sin, cos) = (dial.azimuth.to_radians() as f32).sin_cos();
        painter.arrow(rect.center(), egui::vec2(sin, cos) * length, (3.0, ui.visuals().selection.bg_fill));
    }
    response.on_hover_text("Drag: direction seen from above, length is strength; the middle is calm");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_and_directions_are_inverse() {
        for d in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.5, -0.8], [-1.0, -0.2, 0.1]] {
            let length = d.iter().map(|c: &f64| c * c).sum::<f64>().sqrt();
            let back = Dial::of(1.0, d).direction();
            for k in 0..3 {
                assert!((back[k] - d[k] / length).abs() < 1e-12, "{d:?} {back:?}");
            }
        }
    }
}
