//! Wheel, pinch and two fingers.

use super::App;
use egui::{Event, MouseWheelUnit, Response, Ui};

impl App {
    pub(super) fn move_camera(&mut self, ui: &Ui, response: &Response) {
        if !response.hovered() && !response.dragged() {
            return;
        }
        let pinch = ui.input(|input| input.zoom_delta());
        if pinch != 1.0 {
            self.camera.dolly(1.0 / f64::from(pinch.clamp(0.2, 5.0)));
        }
        let scrolls: Vec<_> = ui.input(|input| {
            let wheel = |event: &Event| match event {
                Event::MouseWheel { unit, delta, modifiers, .. } => Some((*unit, *delta, *modifiers)),
                _ => None,
            };
            input.events.iter().filter_map(wheel).collect()
        });
        for (unit, delta, modifiers) in scrolls {
            if modifiers.command {
                continue; // egui makes a pinch of it
            }
            // A wheel counts lines, a touchpad points.
            let points = if unit == MouseWheelUnit::Point { delta } else { delta * 40.0 };
            let (x, y) = (f64::from(points.x), f64::from(points.y));
            if modifiers.shift {
                let size = self.viewport.size();
                // With Shift some systems report a vertical wheel as a horizontal one; both move the view.
                self.camera.pan(x, y, size);
            } else if unit == MouseWheelUnit::Point && self.settings.scroll_turns {
                self.camera.orbit(-x * 0.3, y * 0.3);
            } else {
                self.camera.dolly((-y * 0.003).clamp(-1.0, 1.0).exp());
            }
        }
    }
}
