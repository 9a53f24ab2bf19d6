//! Clicks: select, pin, paint.

use crate::app::keys::Tool;
use crate::app::{App, Selected, edit};
use egui::{Modifiers, Pos2};

impl App {
    pub(super) fn click(&mut self, at: Pos2, modifiers: Modifiers) {
        let picks = matches!(self.tool, Tool::Pull | Tool::Move | Tool::Rotate | Tool::Scale);
        if modifiers.shift && picks {
            let ray = self.ray(at);
            if let Some(hit) = self.drawing.pick(&ray) {
                self.toggle_pin(hit.vertex);
            }
        } else if self.tool == Tool::Brush {
            self.brush(at);
        } else {
            self.select_under(at);
        }
    }

    /// Selects the body or obstacle under a place of the window.
    pub(super) fn select_under(&mut self, at: Pos2) {
        let ray = self.ray(at);
        let body = self.drawing.pick(&ray);
        let obstacle = self.drawing.pick_obstacle(&ray);
        let before = self.selected;
        self.selected = match (body, obstacle) {
            (Some(hit), other) if other.is_none_or(|(_, distance)| hit.distance <= distance) => {
                self.viewport.picked = Some(hit.vertex);
                self.body_of(hit.vertex).map_or(Selected::Nothing, |(index, _)| Selected::Object(index))
            }
            (_, Some((k, _))) => {
                self.drawing.obstacles.get(k).map_or(Selected::Nothing, |o| Selected::Obstacle(o.index))
            }
            _ => Selected::Nothing,
        };
        if self.selected != before {
            self.vertices.clear();
        }
        self.redraw = true;
    }

    /// Pins a vertex of the scene at its position, or unpins it.
    pub fn toggle_pin(&mut self, vertex: u32) {
        let Some((index, own)) = self.body_of(vertex) else { return };
        let Some(at) = self.vertex(vertex) else { return };
        let Some(loaded) = self.loaded.clone() else { return };
        let object = &mut self.document.desc.objects[index];
        let Some(body) = loaded.objects.iter().find(|body| body.name == object.name) else { return };
        let rest = &loaded.rest[body.range.clone()];
        let pinned = edit::toggle_pin(object, body, own, at, rest);
        let name = object.name.clone();
        self.viewport.picked = Some(vertex);
        self.note = format!("Vertex {own} of {name} {}", if pinned { "pinned" } else { "unpinned" });
        self.redraw = true;
    }
}
