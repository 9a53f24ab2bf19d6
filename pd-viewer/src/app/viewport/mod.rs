//! The view: camera, picking, pulling, pinning, tools.

mod camera;
mod click;
mod gizmo;
mod region;

use super::keys::Tool;
use super::worker::Command;
use super::{App, Selected};
use crate::render::SceneCallback;
use egui::{Modifiers, PointerButton, Pos2, Rect, Response, Sense, Ui};
use gizmo::Grab;
use pd_core::Vec3;

/// The current gesture of the pointer.
#[derive(Clone, Debug, Default)]
enum Gesture {
    #[default]
    None,
    Orbit,
    Pan,
    /// Pulling a vertex on the plane through `plane` that faces the camera.
    Pull {
        vertex: u32,
        plane: Vec3,
        target: Vec3,
    },
    Gizmo(Box<Grab>),
    Region(Vec<Pos2>),
    Brush,
}

/// State of the view.
#[derive(Clone, Debug, Default)]
pub struct Viewport {
    rect: Option<Rect>,
    pixels: f32,
    gesture: Gesture,
    hovered: Option<u32>,
    /// The vertex last clicked or pulled, scene's number.
    pub picked: Option<u32>,
    /// Radius of the brush, points.
    pub brush_radius: f32,
    /// Factor that the brush paints.
    pub brush_factor: f64,
    /// Whether regions select only vertices that face the camera.
    pub front_only: bool,
}

impl Viewport {
    /// Size of the view in physical pixels.
    pub fn size(&self) -> [u32; 2] {
        let size = self.rect.map_or(egui::vec2(900.0, 600.0), |rect| rect.size()) * self.pixels.max(0.5);
        [size.x.round().max(1.0) as u32, size.y.round().max(1.0) as u32]
    }

    /// Where the view is in the window.
    pub fn rect(&self) -> Option<Rect> {
        self.rect
    }

    /// The vertex under the pointer.
    pub fn hovered(&self) -> Option<u32> {
        self.hovered
    }

    /// The vertex being pulled, and where to.
    pub fn pulling(&self) -> Option<(u32, Vec3)> {
        match self.gesture {
            Gesture::Pull { vertex, target, .. } => Some((vertex, target)),
            _ => None,
        }
    }

    /// Clears vertex numbers that belong to another scene.
    pub(super) fn forget(&mut self) {
        self.hovered = None;
        self.picked = None;
        if matches!(self.gesture, Gesture::Pull { .. }) {
            self.gesture = Gesture::None;
        }
    }

    /// A position in the window as a physical pixel of the view.
    fn pixel(&self, at: Pos2) -> [f64; 2] {
        let origin = self.rect.map_or(Pos2::ZERO, |rect| rect.min);
        [f64::from((at.x - origin.x) * self.pixels), f64::from((at.y - origin.y) * self.pixels)]
    }

    /// A physical pixel of the view as a position in the window.
    fn position(&self, pixel: [f64; 3]) -> Pos2 {
        let origin = self.rect.map_or(Pos2::ZERO, |rect| rect.min);
        origin + egui::vec2(pixel[0] as f32, pixel[1] as f32) / self.pixels.max(0.1)
    }
}

impl App {
    /// The view fills what is left of the window.
    pub(super) fn show_stage(&mut self, ui: &mut Ui) {
        let rect = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Canvas, true, "Scene view"));
        self.viewport.rect = Some(rect);
        self.viewport.pixels = ui.ctx().pixels_per_point();
        self.frame_again();
        if self.viewport.brush_radius == 0.0 {
            (self.viewport.brush_radius, self.viewport.brush_factor) = (24.0, 4.0);
        }
        let modifiers = ui.input(|input| input.modifiers);
        self.move_camera(ui, &response);
        self.hover(&response);
        if response.drag_started()
            && let Some(origin) = ui.input(|input| input.pointer.press_origin())
        {
            let button = ui.input(|input| {
                let down = |button| input.pointer.button_down(button);
                [PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle]
                    .into_iter()
                    .find(|b| down(*b))
            });
            self.begin(button.unwrap_or(PointerButton::Primary), modifiers, origin);
        }
        if response.dragged()
            && let Some(at) = response.interact_pointer_pos()
        {
            self.go_on(&response, at);
        }
        if response.drag_stopped() || !ui.input(|input| input.pointer.any_down()) {
            self.end(modifiers);
        }
        if response.clicked_by(PointerButton::Primary)
            && let Some(at) = response.interact_pointer_pos()
        {
            self.click(at, modifiers);
        }
        self.refresh_drawing();
        let callback = SceneCallback { size: self.viewport.size(), camera: self.camera };
        ui.painter().add(egui_wgpu::Callback::new_paint_callback(rect, callback));
        self.paint_over(ui, rect);
    }

    fn ray(&self, at: Pos2) -> crate::draw::Ray {
        self.camera.ray(self.viewport.pixel(at), self.viewport.size())
    }

    fn hover(&mut self, response: &Response) {
        let idle = matches!(self.viewport.gesture, Gesture::None) && self.tool == Tool::Pull;
        let under = response.hover_pos().filter(|_| idle && !response.dragged());
        let hovered = under.and_then(|at| {
            let ray = self.ray(at);
            self.drawing.pick(&ray).map(|hit| hit.vertex)
        });
        if hovered != self.viewport.hovered {
            self.viewport.hovered = hovered;
            self.redraw = true;
        }
    }

    /// A button went down at `at` and moves.
    fn begin(&mut self, button: PointerButton, modifiers: Modifiers, at: Pos2) {
        self.viewport.gesture = match button {
            PointerButton::Secondary if modifiers.shift => Gesture::Pan,
            PointerButton::Secondary => Gesture::Orbit,
            PointerButton::Middle => Gesture::Pan,
            _ if modifiers.command => Gesture::Pan,
            _ => self.begin_tool(at),
        };
    }

    fn begin_tool(&mut self, at: Pos2) -> Gesture {
        match self.tool {
            Tool::Pull => {
                let ray = self.ray(at);
                let hit = self.drawing.pick(&ray);
                let blocked =
                    self.drawing.pick_obstacle(&ray).map_or(f64::INFINITY, |(_, distance)| distance);
                match hit.filter(|hit| hit.distance < blocked) {
                    Some(hit) => {
                        let plane = self.drawing.position(hit.vertex).unwrap_or(hit.point);
                        self.viewport.picked = Some(hit.vertex);
                        Gesture::Pull { vertex: hit.vertex, plane, target: plane }
                    }
                    None => Gesture::Orbit,
                }
            }
            Tool::Move | Tool::Rotate | Tool::Scale => {
                self.grab(at).map_or(Gesture::Orbit, |grab| Gesture::Gizmo(Box::new(grab)))
            }
            Tool::Box | Tool::Lasso => Gesture::Region(vec![at]),
            Tool::Brush => {
                self.select_under(at);
                Gesture::Brush
            }
        }
    }

    /// The pointer moved to `at` with a button down.
    fn go_on(&mut self, response: &Response, at: Pos2) {
        let delta = response.drag_delta();
        let mut gesture = std::mem::take(&mut self.viewport.gesture);
        match &mut gesture {
            Gesture::None => {}
            Gesture::Orbit => self.camera.orbit(f64::from(-delta.x) * 0.4, f64::from(delta.y) * 0.4),
            Gesture::Pan => {
                let pixels = f64::from(self.viewport.pixels);
                let size = self.viewport.size();
                self.camera.pan(f64::from(delta.x) * pixels, f64::from(delta.y) * pixels, size);
            }
            Gesture::Pull { vertex, plane, target } => {
                let pixel = self.viewport.pixel(at);
                if let Some(point) = self.camera.unproject(pixel, self.viewport.size(), *plane) {
                    *target = point;
                    self.worker.send(Command::Pull(Some((*vertex, point))));
                    self.redraw = true;
                }
            }
            Gesture::Gizmo(grab) => self.drag_gizmo(grab, at),
            Gesture::Region(outline) => {
                if outline.last().is_none_or(|last| last.distance(at) > 3.0) {
                    outline.push(at);
                }
            }
            Gesture::Brush => self.brush(at),
        }
        self.viewport.gesture = gesture;
    }

    /// The button went up.
    fn end(&mut self, modifiers: Modifiers) {
        match std::mem::take(&mut self.viewport.gesture) {
            Gesture::Pull { .. } => {
                self.worker.send(Command::Pull(None));
                self.redraw = true;
            }
            Gesture::Gizmo(grab) => self.drop_gizmo(&grab),
            Gesture::Region(outline) => self.select_region(&outline, modifiers),
            _ => {}
        }
    }

    /// Cancels the current gesture without effect.
    pub(super) fn escape(&mut self) {
        match std::mem::take(&mut self.viewport.gesture) {
            Gesture::None => {
                if self.vertices.is_empty() {
                    self.selected = Selected::Nothing;
                }
                self.vertices.clear();
            }
            Gesture::Pull { .. } => self.worker.send(Command::Pull(None)),
            _ => {}
        }
        self.redraw = true;
    }

    /// What is painted over the picture.
    fn paint_over(&mut self, ui: &Ui, rect: Rect) {
        let painter = ui.painter_at(rect);
        let accent = ui.visuals().selection.stroke.color;
        if let Gesture::Region(outline) = &self.viewport.gesture {
            self.paint_region(&painter, outline, accent);
        }
        if self.tool == Tool::Brush
            && let Some(at) = ui.input(|input| input.pointer.hover_pos()).filter(|at| rect.contains(*at))
        {
            painter.circle_stroke(at, self.viewport.brush_radius, (1.5, accent));
        }
        if matches!(self.tool, Tool::Move | Tool::Rotate | Tool::Scale) {
            self.paint_gizmo(ui, &painter);
        }
        if let Some(legend) = self.legend() {
            crate::render::paint_legend(&painter, rect, &legend, self.options.theme);
        }
        if self.viewport.pulling().is_some() && !self.is_running() {
            let at = rect.center_bottom() - egui::vec2(0.0, 24.0);
            let words = "Paused: press Space to see the pull act";
            painter.text(at, egui::Align2::CENTER_BOTTOM, words, egui::FontId::proportional(14.0), accent);
        }
    }
}
