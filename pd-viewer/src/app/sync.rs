//! Once per pass of the window: receive messages of the simulation, send changes of the document, update the drawing.

use super::dialogs::Purpose;
use super::unsaved_changes::Destination;
use super::worker::{Command, Event, Loaded, Message, Request};
use super::{App, Selected};
use crate::draw::{Drawing, Legend, Line, Marker, Material};
use crate::render::SceneRenderer;
use pd_core::Vec3;
use std::sync::Arc;
use std::time::Instant;

/// Maximum number of dots of one kind.
const MAX_DOTS: usize = 4000;

impl App {
    /// Processes everything that happened since the last pass.
    pub(super) fn take_in(&mut self) {
        while let Some(message) = self.worker.message() {
            self.take_message(message);
        }
        while let Some((purpose, path)) = self.dialogs.answer() {
            let Some(path) = path else {
                self.note = purpose.otherwise().into();
                continue;
            };
            match purpose {
                Purpose::Open => self.leave(Destination::Scene(path.display().to_string())),
                Purpose::Save => self.save(&path),
                Purpose::Import => self.import(&path),
                Purpose::RecordTo => self.settings.record_directory = path.display().to_string(),
            }
        }
        self.take_imports();
        let frame = self.worker.frame();
        if frame.serial != self.frame.serial {
            self.frame = frame;
            self.redraw = true;
        }
    }

    /// Processes a message of the simulation, unless it refers to a replaced scene.
    pub fn take_message(&mut self, message: Message) {
        if !self.requests.admit(&message) {
            return;
        }
        match message.event {
            Event::Preparing(stage) => {
                let since = self.preparing.map_or_else(Instant::now, |(_, since)| since);
                self.preparing = Some((stage, since));
            }
            Event::Ready(loaded) => {
                self.take_scene(loaded);
                if std::mem::take(&mut self.run_when_ready) {
                    self.worker.send(Command::Run(true));
                }
            }
            Event::Cancelled => {
                self.preparing = None;
                self.note = "Cancelled; what ran before still runs".into();
            }
            Event::Applied => {}
            Event::Refused(problem) => {
                self.preparing = None;
                self.problem = Some(problem);
            }
            Event::Failed(problem) => {
                // No further frame will come by itself.
                self.stop_recording();
                self.problem = Some(problem);
            }
            Event::Measured { frame, reduction, measures } => self.history.push(frame, reduction, measures),
            Event::Kept(frame) => self.note = format!("State kept at frame {frame}"),
            Event::Restored(frame) => self.note = format!("Back to the state of frame {frame}"),
        }
    }

    fn take_scene(&mut self, loaded: Arc<Loaded>) {
        self.preparing = None;
        self.note = format!(
            "{} vertices, {} constraints, prepared in {:.0} ms",
            loaded.rest.len(),
            loaded.constraints,
            loaded.prepare.as_secs_f64() * 1e3
        );
        if let Some(problem) = &loaded.refused {
            self.problem = Some(problem.clone());
            self.settings.device = loaded.device_choice.name().to_owned();
            if let Some((_, device_choice)) = &mut self.sent {
                *device_choice = loaded.device_choice;
            }
        }
        let fresh = loaded.fresh;
        if fresh || !self.drawing.topology.is_like(&loaded.topology) {
            // The recording has other triangles, or starts from another state.
            self.stop_recording();
        }
        self.drawing = Drawing::new(loaded.topology.clone());
        self.drawing.set_positions(&loaded.rest);
        self.drawing.ground = crate::draw::ground(&loaded.desc);
        self.loaded = Some(loaded);
        self.viewport.forget();
        // A pull that was sent before refers to a vertex of the wrong scene.
        self.worker.send(Command::Pull(None));
        self.redraw = true;
        if fresh {
            self.history = Default::default();
            self.refresh_drawing();
            self.frame_all();
        }
    }

    /// Whether all requests have been answered: the running scene is the last one sent, unless it was rejected.
    pub fn is_settled(&self) -> bool {
        self.requests.is_answered()
    }

    /// Shows everything.
    pub fn frame_all(&mut self) {
        let [w, h] = self.viewport.size();
        self.camera.frame(&self.drawing.bounds(), f64::from(w.max(1)) / f64::from(h.max(1)));
        self.framed = Some((self.camera, [w, h]));
    }

    /// A camera that shows everything still does after the window has another size, unless it was moved meanwhile.
    pub(super) fn frame_again(&mut self) {
        if let Some((camera, size)) = self.framed
            && camera == self.camera
            && size != self.viewport.size()
        {
            self.frame_all();
        }
    }

    /// Sends the description if it differs from what was sent.
    pub(super) fn send_scene(&mut self, fresh: bool) {
        let (desc, device_choice) = (&self.document.desc, self.settings.device_choice());
        if !fresh && self.sent.as_ref().is_some_and(|(sent, at)| sent == desc && *at == device_choice) {
            return;
        }
        self.sent = Some((desc.clone(), device_choice));
        self.redraw = true;
        let matter = [desc.bodies.len(), desc.urdf.len(), desc.particles.len(), desc.fluids.len()];
        if desc.objects.is_empty() && matter.iter().all(|&n| n == 0) {
            // A scene without bodies cannot be simulated; it is only drawn.
            self.worker.send(Command::Clear(self.requests.clear()));
            self.stop_recording();
            self.loaded = None;
            self.preparing = None;
            self.drawing = Drawing::new(Arc::new(crate::draw::Topology::new(vec![], vec![], vec![], vec![])));
            return;
        }
        let fresh = fresh || self.loaded.is_none();
        let request = Request {
            number: if fresh { self.requests.replace() } else { self.requests.edit() },
            name: self.document.name.clone(),
            desc: desc.clone(),
            directory: self.document.directory.clone(),
            fresh,
            device_choice,
        };
        self.worker.send(Command::Describe(Box::new(request)));
    }

    /// The body of the description that a vertex of the running scene belongs to, and its own number there.
    pub fn body_of(&self, vertex: u32) -> Option<(usize, u32)> {
        let loaded = self.loaded.as_ref()?;
        let object = loaded.objects.iter().find(|object| object.range.contains(&(vertex as usize)))?;
        let index = self.document.desc.objects.iter().position(|desc| desc.name == object.name)?;
        Some((index, vertex - object.range.start as u32))
    }

    /// The running body of the selected object.
    pub(super) fn selected_loaded(&self) -> Option<&super::worker::LoadedObject> {
        let Selected::Object(index) = self.selected else { return None };
        let name = &self.document.desc.objects.get(index)?.name;
        self.loaded.as_ref()?.objects.iter().find(|object| object.name == *name)
    }

    /// Updates the drawing and passes it to the renderer.
    pub(super) fn refresh_drawing(&mut self) {
        if !std::mem::take(&mut self.redraw) {
            return;
        }
        let started = Instant::now();
        let ours = self.loaded.as_ref().is_some_and(|loaded| loaded.id == self.frame.scene);
        let mut time = 0.0;
        if ours {
            self.drawing.set_positions(&self.frame.x);
            self.drawing.set_values(&self.frame.values);
            self.drawing.contacts.clone_from(&self.frame.contacts);
            self.drawing.set_liquids(&self.frame.liquids);
            time = self.frame.time;
        }
        self.options.colour = (ours && !self.frame.values.is_empty()).then_some(crate::draw::ColourRange {
            low: self.frame.range.0,
            high: self.frame.range.1,
            ramp: self.panels.ramp,
        });
        let vertex = self.viewport.hovered().or(self.viewport.picked);
        self.options.adjacency = vertex.filter(|_| self.settings.show_neighbours);
        self.drawing.set_obstacles(&self.document.desc.colliders, time);
        self.dress();
        self.mark();
        if let Some(state) = &self.device {
            let mut renderer = state.renderer.write();
            if let Some(scene) = renderer.callback_resources.get_mut::<SceneRenderer>() {
                scene.upload(&state.device, &state.queue, &self.drawing, &self.options);
            }
        }
        self.upload = started.elapsed();
    }

    /// Colours, shading and visibility from the description. While an edit is prepared the running bodies may be others
    /// than those of the description, so they are matched by name.
    fn dress(&mut self) {
        let parts = self.drawing.topology.clone();
        let mut displays = vec![];
        for (k, part) in parts.parts.iter().enumerate() {
            let place = self.document.desc.objects.iter().position(|object| object.name == part.name);
            self.drawing.materials[k] = Material::of_part(&self.document.desc, part, place.unwrap_or(k));
            displays.push(self.document.desc.display_of(&part.name));
        }
        self.drawing.set_display(&displays);
    }

    /// The dots and lines of the view: those of every picture, and the vertex under the pointer.
    fn mark(&mut self) {
        let (mut markers, lines) = self.marks();
        if let Some(at) = self.viewport.hovered().and_then(|vertex| self.drawing.position(vertex)) {
            markers.push(Marker { at, colour: [1.0, 1.0, 1.0, 0.9], size: 8.0, on_top: true });
        }
        (self.drawing.markers, self.drawing.lines) = (markers, lines);
    }

    /// Dots on pins and selected vertices, the line of a pull.
    pub(super) fn marks(&self) -> (Vec<Marker>, Vec<Line>) {
        let (mut markers, mut lines) = (vec![], vec![]);
        let Some(loaded) = &self.loaded else { return (markers, lines) };
        let mut dots: Vec<(u32, [f32; 4], f32)> = vec![];
        if self.settings.show_pins {
            for object in &loaded.objects {
                let first = object.range.start as u32;
                let pins = object.pins.iter().flatten().take(MAX_DOTS);
                dots.extend(pins.map(|v| (v + first, [1.0, 0.75, 0.1, 1.0], 7.0)));
            }
        }
        if let Some(object) = self.selected_loaded() {
            let first = object.range.start as u32;
            let chosen = self.vertices.iter().take(MAX_DOTS);
            dots.extend(chosen.map(|v| (v + first, [0.1, 0.9, 1.0, 1.0], 6.0)));
        }
        for (vertex, colour, size) in dots {
            if let Some(at) = self.drawing.position(vertex) {
                markers.push(Marker { at, colour, size, on_top: true });
            }
        }
        if let Some((vertex, target)) = self.viewport.pulling()
            && let Some(from) = self.drawing.position(vertex)
        {
            let red = [0.95, 0.12, 0.08, 1.0];
            lines.push(Line { from, to: target, colour: red, width: 2.5, on_top: true });
            markers.push(Marker { at: from, colour: red, size: 9.0, on_top: true });
            markers.push(Marker { at: target, colour: red, size: 6.0, on_top: true });
        }
        // Joints: a dot where the anchors meet, a line where they are apart.
        let green = [0.15, 0.85, 0.3, 1.0];
        for &[a, b] in self.frame.joints.iter().take(MAX_DOTS).filter(|_| self.frame.scene == loaded.id) {
            markers.push(Marker { at: b, colour: green, size: 7.0, on_top: true });
            if (a - b).norm() > 1e-3 {
                lines.push(Line { from: a, to: b, colour: green, width: 2.0, on_top: true });
            }
        }
        (markers, lines)
    }

    /// The legend, if there is a colour map.
    pub(super) fn legend(&self) -> Option<Legend> {
        let range = self.options.colour?;
        let title = self.field?.title().to_owned();
        Some(Legend { title, low: range.low, high: range.high, ramp: range.ramp })
    }

    /// Position of a vertex of the running scene, m.
    pub fn vertex(&self, vertex: u32) -> Option<Vec3> {
        self.frame.x.get(vertex as usize).copied()
    }
}

/// Linear light to sRGB.
pub(super) fn screen(colour: [f32; 3]) -> [f64; 3] {
    colour.map(|c| {
        let c = f64::from(c).clamp(0.0, 1.0);
        if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
    })
}
