//! Handles to translate, rotate and scale: three axes or rings drawn over the view.
//!
//! A drag is measured in space: along an axis by the point of it nearest to the pointer's ray, around a ring by the angle of
//! the ray's point in the ring's plane, and for scale by the distance from the centre on the screen. Obstacles follow while
//! they are dragged; bodies, which need a new preparation, show a box and follow when the button goes up.

use super::{App, Tool};
use crate::app::Selected;
use crate::app::edit::{self, Motion};
use crate::draw::{Bounds, Ray};
use egui::{Color32, Painter, Pos2, Stroke, Ui};
use nalgebra::{Rotation3, Unit};
use pd_core::Vec3;
use pd_sim::scene::desc::ColliderDesc;

const COLOURS: [Color32; 3] =
    [Color32::from_rgb(226, 74, 68), Color32::from_rgb(96, 178, 64), Color32::from_rgb(66, 130, 230)];

/// Length of an axis and radius of a ring, points.
const LENGTH: f32 = 84.0;

/// A handle being dragged.
#[derive(Clone, Debug)]
pub(super) struct Grab {
    axis: usize,
    centre: Vec3,
    start: f64,
    motion: Motion,
    bounds: Bounds,
    before: Option<ColliderDesc>,
}

fn unit(axis: usize) -> Vec3 {
    Vec3::ith(axis, 1.0)
}

impl App {
    /// Centre and box of the selected object.
    fn target(&self) -> Option<(Vec3, Bounds)> {
        match self.selected {
            Selected::Nothing => None,
            Selected::Object(_) => {
                let range = self.selected_loaded()?.range.clone();
                let points = self.drawing.positions().get(range)?;
                let bounds = Bounds::of(points.iter().map(|p| Vec3::from(p.map(f64::from))));
                (!bounds.is_empty()).then(|| (bounds.centre(), bounds))
            }
            Selected::Obstacle(index) => match self.drawing.obstacles.iter().find(|o| o.index == index) {
                Some(obstacle) => Some((obstacle.position, obstacle.bounds())),
                None => {
                    let height = self.drawing.floor?.height;
                    let at = Vec3::new(self.camera.target.x, height, self.camera.target.z);
                    Some((at, Bounds { low: at, high: at }))
                }
            },
        }
    }

    fn project(&self, p: Vec3) -> Option<Pos2> {
        self.camera.project(p, self.viewport.size()).map(|pixel| self.viewport.position(pixel))
    }

    /// Length of an axis in space, so that it has a fixed length on the screen.
    fn reach(&self, centre: Vec3) -> f64 {
        let depth = (self.camera.eye() - centre).dot(&self.camera.axes().2).max(1e-6);
        let per_pixel = self.camera.metres_per_pixel(self.viewport.size()) * depth / self.camera.distance;
        per_pixel * f64::from(LENGTH * self.viewport.pixels)
    }

    fn ring(&self, centre: Vec3, axis: usize) -> Vec<Pos2> {
        let radius = self.reach(centre);
        let (a, b) = (unit((axis + 1) % 3), unit((axis + 2) % 3));
        let at = |k: usize| {
            let (sin, cos) = (k as f64 / 48.0 * std::f64::consts::TAU).sin_cos();
            self.project(centre + (a * cos + b * sin) * radius)
        };
        (0..=48).filter_map(at).collect()
    }

    /// Axes of the tool for the selected object.
    fn axes(&self) -> &'static [usize] {
        let floor = match self.selected {
            Selected::Obstacle(k) => self.document.desc.colliders.get(k).is_some_and(|c| c.kind() == "floor"),
            _ => false,
        };
        match self.tool {
            Tool::Move if floor => &[1],
            Tool::Move => &[0, 1, 2],
            Tool::Rotate if matches!(self.selected, Selected::Object(_)) => &[0, 1, 2],
            Tool::Scale if !floor => &[0],
            _ => &[],
        }
    }

    /// The handle under a place of the window.
    pub(super) fn grab(&self, at: Pos2) -> Option<Grab> {
        let (centre, bounds) = self.target()?;
        let nearest = |axis: usize| -> Option<f32> {
            match self.tool {
                Tool::Rotate => {
                    let ring = self.ring(centre, axis);
                    ring.windows(2).map(|pair| distance(at, pair[0], pair[1])).min_by(f32::total_cmp)
                }
                Tool::Scale => Some(at.distance(self.scale_handle(centre)?)),
                _ => {
                    let tip = self.project(centre + unit(axis) * self.reach(centre))?;
                    Some(distance(at, self.project(centre)?, tip))
                }
            }
        };
        let found = self.axes().iter().filter_map(|&axis| Some((axis, nearest(axis)?)));
        let (axis, gap) = found.min_by(|a, b| a.1.total_cmp(&b.1))?;
        if gap > 12.0 {
            return None;
        }
        let before = match self.selected {
            Selected::Obstacle(k) => self.document.desc.colliders.get(k).cloned(),
            _ => None,
        };
        let mut grab = Grab { axis, centre, start: 0.0, motion: Motion::still(centre), bounds, before };
        grab.start = self.measure(&grab, at)?;
        Some(grab)
    }

    fn scale_handle(&self, centre: Vec3) -> Option<Pos2> {
        Some(self.project(centre)? + egui::vec2(LENGTH * 0.7, -LENGTH * 0.7))
    }

    /// The coordinate that a drag changes.
    fn measure(&self, grab: &Grab, at: Pos2) -> Option<f64> {
        let ray = self.camera.ray(self.viewport.pixel(at), self.viewport.size());
        match self.tool {
            Tool::Rotate => {
                let axis = unit(grab.axis);
                let point = ray.meets_plane(grab.centre, axis)? - grab.centre;
                let (a, b) = (unit((grab.axis + 1) % 3), unit((grab.axis + 2) % 3));
                Some(point.dot(&b).atan2(point.dot(&a)))
            }
            Tool::Scale => Some(f64::from(at.distance(self.project(grab.centre)?)).max(4.0)),
            _ => along(&ray, grab.centre, unit(grab.axis)),
        }
    }

    pub(super) fn drag_gizmo(&mut self, grab: &mut Grab, at: Pos2) {
        let Some(now) = self.measure(grab, at) else { return };
        let mut motion = Motion::still(grab.centre);
        match self.tool {
            Tool::Rotate => {
                let axis = Unit::new_unchecked(unit(grab.axis));
                motion.turn = Rotation3::from_axis_angle(&axis, now - grab.start);
            }
            Tool::Scale => motion.grow = (now / grab.start).clamp(0.05, 20.0),
            _ => motion.by = unit(grab.axis) * (now - grab.start),
        }
        grab.motion = motion;
        if let (Selected::Obstacle(k), Some(before)) = (self.selected, &grab.before)
            && let Some(collider) = self.document.desc.colliders.get_mut(k)
        {
            *collider = before.clone();
            edit::move_obstacle(collider, &Motion { about: Vec3::from(before.centre()), ..motion });
            self.redraw = true;
        }
    }

    pub(super) fn drop_gizmo(&mut self, grab: &Grab) {
        if let Selected::Object(k) = self.selected
            && let Some(object) = self.document.desc.objects.get_mut(k)
            && grab.motion != Motion::still(grab.centre)
        {
            edit::move_object(object, &grab.motion);
            self.redraw = true;
        }
    }

    pub(super) fn paint_gizmo(&self, ui: &Ui, painter: &Painter) {
        let Some((mut centre, bounds)) = self.target() else { return };
        let held = match &self.viewport.gesture {
            super::Gesture::Gizmo(grab) => Some(grab),
            _ => None,
        };
        if let Some(grab) = held
            && matches!(self.selected, Selected::Object(_))
        {
            centre = grab.motion.apply(grab.centre);
            self.paint_box(painter, &grab.bounds, &grab.motion, ui.visuals().strong_text_color());
        } else if matches!(self.selected, Selected::Object(_)) {
            let faint = ui.visuals().weak_text_color();
            self.paint_box(painter, &bounds, &Motion::still(centre), faint);
        }
        let pointer = ui.input(|input| input.pointer.hover_pos());
        let hot = held.map(|grab| grab.axis).or_else(|| self.grab(pointer?).map(|grab| grab.axis));
        for &axis in self.axes() {
            let width = if hot == Some(axis) { 5.0 } else { 3.0 };
            let stroke = Stroke::new(width, COLOURS[axis]);
            match self.tool {
                Tool::Rotate => {
                    painter.line(self.ring(centre, axis), stroke);
                }
                Tool::Scale => {
                    let (Some(from), Some(to)) = (self.project(centre), self.scale_handle(centre)) else {
                        continue;
                    };
                    let colour = ui.visuals().strong_text_color();
                    painter.line_segment([from, to], Stroke::new(1.5, colour));
                    let size = if hot == Some(axis) { 16.0 } else { 12.0 };
                    let handle = egui::Rect::from_center_size(to, egui::Vec2::splat(size));
                    painter.rect_filled(handle, 2.0, colour);
                }
                _ => {
                    let tip = self.project(centre + unit(axis) * self.reach(centre));
                    let (Some(from), Some(tip)) = (self.project(centre), tip) else { continue };
                    painter.arrow(from, tip - from, stroke);
                }
            }
        }
    }

    fn paint_box(&self, painter: &Painter, bounds: &Bounds, motion: &Motion, colour: Color32) {
        let corners = bounds.corners().map(|corner| self.project(motion.apply(corner)));
        for i in 0..8usize {
            for bit in [1, 2, 4] {
                let j = i | bit;
                if let (true, Some(a), Some(b)) = (j != i, corners[i], corners[j]) {
                    painter.line_segment([a, b], Stroke::new(1.0, colour));
                }
            }
        }
    }
}

/// Coordinate along an axis of the point nearest to a ray; `None` where they are parallel.
fn along(ray: &Ray, origin: Vec3, axis: Vec3) -> Option<f64> {
    let w = ray.origin - origin;
    let b = ray.direction.dot(&axis);
    let denominator = 1.0 - b * b;
    (denominator > 1e-6).then(|| (axis.dot(&w) - b * ray.direction.dot(&w)) / denominator)
}

/// Distance of a point from a segment.
fn distance(p: Pos2, a: Pos2, b: Pos2) -> f32 {
    let d = b - a;
    let t = if d.length_sq() > 0.0 { ((p - a).dot(d) / d.length_sq()).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + d * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_of_an_axis_is_found() {
        let ray = Ray { origin: Vec3::new(2.0, 5.0, 3.0), direction: Vec3::new(0.0, -1.0, 0.0) };
        assert!((along(&ray, Vec3::zeros(), Vec3::x()).unwrap() - 2.0).abs() < 1e-12);
        assert!((along(&ray, Vec3::new(1.0, 0.0, 0.0), Vec3::z()).unwrap() - 3.0).abs() < 1e-12);
        assert_eq!(along(&ray, Vec3::zeros(), Vec3::y()), None);
    }

    #[test]
    fn distances_to_segments() {
        let (a, b) = (Pos2::new(0.0, 0.0), Pos2::new(10.0, 0.0));
        assert_eq!(distance(Pos2::new(5.0, 3.0), a, b), 3.0);
        assert_eq!(distance(Pos2::new(-4.0, 3.0), a, b), 5.0);
        assert_eq!(distance(Pos2::new(3.0, 4.0), a, a), 5.0);
    }
}
