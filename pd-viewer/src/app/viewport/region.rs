//! Selecting vertices by rectangle or outline, and painting them.

use super::{App, Tool};
use crate::app::{Selected, edit};
use egui::{Color32, Modifiers, Painter, Pos2, Rect, Stroke};
use pd_core::Vec3;

impl App {
    /// The first body is meant where none is selected and there is only one.
    fn ensure_body(&mut self) {
        if !matches!(self.selected, Selected::Object(_)) && self.document.desc.objects.len() == 1 {
            self.selected = Selected::Object(0);
        }
    }

    /// Vertices of the selected body with their places in the window; hidden ones are left out where requested.
    fn places(&self) -> Vec<(u32, Pos2)> {
        let Some(object) = self.selected_loaded() else { return vec![] };
        let (size, eye) = (self.viewport.size(), self.camera.eye());
        let faces = |v: usize| {
            let p = self.drawing.position(v as u32).unwrap_or_default();
            let n = Vec3::from(self.drawing.normals()[v].map(f64::from));
            !self.viewport.front_only || n.dot(&(eye - p)) > 0.0
        };
        let place = |v: usize| {
            let pixel = self.camera.project(self.drawing.position(v as u32)?, size)?;
            faces(v).then(|| ((v - object.range.start) as u32, self.viewport.position(pixel)))
        };
        object.range.clone().filter_map(place).collect()
    }

    pub(super) fn select_region(&mut self, outline: &[Pos2], modifiers: Modifiers) {
        self.ensure_body();
        let [Some(first), Some(last)] = [outline.first(), outline.last()] else { return };
        let rect = Rect::from_two_pos(*first, *last);
        let boxed = self.tool == Tool::Box;
        let inside = |p: Pos2| if boxed { rect.contains(p) } else { contains(outline, p) };
        let chosen: Vec<u32> =
            self.places().into_iter().filter(|(_, p)| inside(*p)).map(|(v, _)| v).collect();
        if !modifiers.shift && !modifiers.alt {
            self.vertices.clear();
        }
        for v in chosen {
            if modifiers.alt {
                self.vertices.remove(&v);
            } else {
                self.vertices.insert(v);
            }
        }
        self.note = match self.selected {
            Selected::Object(_) => format!("{} vertices selected", self.vertices.len()),
            _ => "Select a body first: vertices belong to one".into(),
        };
        self.redraw = true;
    }

    /// Paints the vertices under the brush with its factor.
    pub(super) fn brush(&mut self, at: Pos2) {
        self.ensure_body();
        let radius = self.viewport.brush_radius;
        let under: Vec<u32> =
            self.places().into_iter().filter(|(_, p)| p.distance(at) <= radius).map(|(v, _)| v).collect();
        let Selected::Object(k) = self.selected else { return };
        let factor = self.viewport.brush_factor;
        if let Some(object) = self.document.desc.objects.get_mut(k)
            && !under.is_empty()
        {
            edit::paint(object, &under, factor);
            self.vertices.extend(under);
            self.redraw = true;
        }
    }

    pub(super) fn paint_region(&self, painter: &Painter, outline: &[Pos2], colour: Color32) {
        let [Some(first), Some(last)] = [outline.first(), outline.last()] else { return };
        let stroke = Stroke::new(1.5, colour);
        if self.tool == Tool::Box {
            let rect = Rect::from_two_pos(*first, *last);
            painter.rect_filled(rect, 0.0, colour.gamma_multiply(0.15));
            painter.rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Inside);
        } else {
            painter.line([outline, &[*first]].concat(), stroke);
        }
    }
}

/// Whether a closed outline contains a point, by the parity of crossings.
fn contains(outline: &[Pos2], p: Pos2) -> bool {
    let mut inside = false;
    let mut before = match outline.last() {
        Some(last) => *last,
        None => return false,
    };
    for &q in outline {
        if (q.y > p.y) != (before.y > p.y) {
            let x = q.x + (p.y - q.y) / (before.y - q.y) * (before.x - q.x);
            inside ^= p.x < x;
        }
        before = q;
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_with_a_notch_contains_what_it_should() {
        let shape =
            [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (5.0, 2.0), (0.0, 10.0)].map(|(x, y)| Pos2::new(x, y));
        for ((x, y), expected) in [
            ((1.0, 1.0), true),
            ((5.0, 1.0), true),
            ((5.0, 6.0), false),
            ((9.0, 6.0), true),
            ((11.0, 1.0), false),
        ] {
            assert_eq!(contains(&shape, Pos2::new(x, y)), expected, "{x} {y}");
        }
        assert!(!contains(&[], Pos2::ZERO));
    }
}
