//! Frames of a scene, simulated first and drawn afterwards: the camera and the colours can then be chosen from all of
//! them.

use crate::draw::{
    Bounds, Camera, ColourRange, Contact, Drawing, Field, FieldInput, FieldScratch, Legend, Options, Ramp,
    Shown, find_contacts, touch_distance,
};
use crate::record::Image;
use crate::render::{Offscreen, RenderError};
use pd_core::{StepContext, Vec3};
use pd_mesh::TriMesh;
use pd_sim::SceneError;
use pd_sim::scene::{Matter, SceneRun};

/// One frame of a run.
#[derive(Clone, Debug)]
pub struct FilmFrame {
    /// Number of the frame.
    pub frame: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Positions of all vertices, m.
    pub positions: Vec<Vec3>,
    /// The requested field, one value per vertex; empty without one.
    pub values: Vec<f32>,
    /// Vertices that touch obstacles.
    pub contacts: Vec<Contact>,
    /// Name and surface of every liquid.
    pub liquids: Vec<(String, TriMesh)>,
}

/// A run of a scene with selected frames stored.
pub struct Film {
    /// The run, at its last frame.
    pub run: SceneRun,
    /// What is drawn; at the last frame shown.
    pub drawing: Drawing,
    /// The frames kept.
    pub frames: Vec<FilmFrame>,
    field: Option<Field>,
    range: (f32, f32),
}

impl Film {
    /// Simulates up to the last of `wanted` (ascending frame numbers) and keeps those, with a field if one is requested.
    /// `progress` receives the current frame.
    pub fn shoot(
        mut run: SceneRun,
        wanted: &[u64],
        field: Option<Field>,
        mut progress: impl FnMut(u64),
    ) -> Result<Self, SceneError> {
        let drawing = Drawing::of_scene(&run.scene);
        // Fields are of deformable bodies.
        let field = field.filter(|_| matches!(run.scene.matter, Matter::Elastic));
        let mut scratch = field.map(|_| FieldScratch::new(&drawing.topology, &run.scene.rest()));
        let shown = Shown::of_scene(&run.scene);
        let mut before = (field == Some(Field::Residual)).then(|| run.sim.state.clone());
        let (mut frames, mut high) = (Vec::with_capacity(wanted.len()), 0.0f32);
        for &frame in wanted {
            while run.frame() < frame {
                if let Some(before) = &mut before {
                    before.clone_from(&run.sim.state);
                }
                run.advance()?;
                progress(run.frame());
            }
            let sim = &run.sim;
            let mut values = vec![];
            if let (Some(field), Some(scratch)) = (field, &mut scratch) {
                let context = StepContext::new(&sim.model, &sim.params, &sim.forces, &sim.colliders);
                let moved = before.as_ref().filter(|_| run.frame() > 0);
                let input = FieldInput { context, state: &sim.state, before: moved };
                scratch.evaluate(field, &drawing.topology, &input, &mut values);
                high = high.max(scratch.range(&values).1);
            }
            let mut contacts = vec![];
            find_contacts(
                &sim.state.x,
                &sim.colliders,
                sim.state.time,
                touch_distance(&sim.model),
                &mut contacts,
            );
            let liquids = run.scene.water_surfaces(&sim.state)?;
            let (mut positions, time) = (vec![], sim.state.time);
            shown.place(&sim.state, &mut positions);
            frames.push(FilmFrame { frame, time, positions, values, contacts, liquids });
        }
        Ok(Self { run, drawing, frames, field, range: (0.0, high) })
    }

    /// Loads a stored frame into the drawing.
    pub fn show(&mut self, index: usize) {
        let Some(frame) = self.frames.get(index) else { return };
        self.drawing.set_positions(&frame.positions);
        self.drawing.set_obstacles(&self.run.scene.desc.colliders, frame.time);
        self.drawing.set_values(&frame.values);
        self.drawing.contacts.clone_from(&frame.contacts);
        self.drawing.set_liquids(&frame.liquids);
    }

    /// The box around bodies and obstacles in all kept frames.
    pub fn bounds(&mut self) -> Bounds {
        let mut bounds = Bounds::nothing();
        for index in 0..self.frames.len() {
            self.show(index);
            bounds.join(&self.drawing.bounds());
        }
        bounds
    }

    /// A camera at these angles (degrees) that shows the bodies, and the obstacles if wanted, in all kept frames.
    pub fn camera(&mut self, azimuth: f64, elevation: f64, aspect: f64, with_obstacles: bool) -> Camera {
        let mut points = vec![];
        for index in 0..self.frames.len() {
            self.show(index);
            let bodies = self.drawing.topology.parts.iter().zip(&self.drawing.visible);
            let shown = bodies.filter(|(_, visible)| **visible).map(|(part, _)| part.vertices.clone());
            points.extend(shown.flat_map(|range| &self.frames[index].positions[range]));
            for obstacle in
                self.drawing.obstacles.iter().filter(|obstacle| with_obstacles && !obstacle.hidden)
            {
                points.extend(obstacle.bounds().corners());
            }
        }
        let mut camera = Camera { azimuth, elevation, ..Camera::default() };
        // A wide image is seen from further away, to limit distortion at its ends.
        let half = (camera.field_of_view.to_radians() / 2.0).tan() * (1.8 / aspect).min(1.0);
        camera.field_of_view = (2.0 * half.atan()).to_degrees();
        camera.frame_points(points, aspect);
        camera
    }

    /// Sets the values at the ends of the ramp instead of those found in the frames.
    pub fn set_range(&mut self, low: f32, high: f32) {
        self.range = (low, high);
    }

    /// Colours for [`Options::colour`] and the legend of them; `None` if no field was requested.
    pub fn colours(&self, ramp: Ramp) -> Option<(ColourRange, Legend)> {
        let (low, high) = self.range;
        let title = self.field?.title().to_owned();
        Some((ColourRange { low, high, ramp }, Legend { title, low, high, ramp }))
    }

    /// Draws a kept frame.
    pub fn draw(
        &mut self,
        offscreen: &mut Offscreen,
        index: usize,
        options: &Options,
        camera: &Camera,
        size: [u32; 2],
        legend: Option<&Legend>,
    ) -> Result<Image, RenderError> {
        self.show(index);
        offscreen.draw(&self.drawing, options, camera, size, legend)
    }
}
