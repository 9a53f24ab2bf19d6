//! Recordings: pictures and meshes written in a separate thread.
//!
//! Frames are passed one by one through a short queue. While recording, the simulation is stepped as the queue accepts
//! frames, so that no frame is lost or written twice and the window never blocks.

use super::App;
use super::advice::Problem;
use super::worker::{Command, Frame, Loaded};
use crate::draw::{Camera, Drawing, Legend, Line, Marker, Material, Options, Shading};
use crate::record::{Format, MeshFormat, MeshRecorder, RecordError, Recorder};
use crate::render::{Driver, Offscreen};
use pd_sim::scene::desc::ColliderDesc;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};

/// What is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One picture.
    Screenshot,
    /// A directory of pictures.
    PngSequence,
    /// An animation with 256 colours.
    Gif,
    /// An animation in full colour.
    Apng,
    /// An animated mesh.
    Gltf,
    /// A directory of meshes.
    ObjSequence,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Screenshot, Self::PngSequence, Self::Gif, Self::Apng, Self::Gltf, Self::ObjSequence];

    /// Name on its button.
    pub fn name(self) -> &'static str {
        match self {
            Self::Screenshot => "Screenshot",
            Self::PngSequence => "PNG sequence",
            Self::Gif => "GIF",
            Self::Apng => "APNG",
            Self::Gltf => "glTF animation",
            Self::ObjSequence => "OBJ sequence",
        }
    }

    fn file(self, stem: &str) -> String {
        match self {
            Self::Screenshot => format!("{stem}.png"),
            Self::PngSequence => format!("{stem}-png"),
            Self::Gif => format!("{stem}.gif"),
            Self::Apng => format!("{stem}.apng"),
            Self::Gltf => format!("{stem}.glb"),
            Self::ObjSequence => format!("{stem}-obj"),
        }
    }
}

/// One frame to write.
struct Shot {
    frame: Arc<Frame>,
    camera: Camera,
    options: Options,
    materials: Vec<Material>,
    visible: Vec<bool>,
    shadings: Vec<Option<Shading>>,
    wireframes: Vec<bool>,
    colliders: Vec<ColliderDesc>,
    legend: Option<Legend>,
    markers: Vec<Marker>,
    lines: Vec<Line>,
}

/// A recording under way.
struct Active {
    kind: Kind,
    path: PathBuf,
    shots: SyncSender<Shot>,
    /// The frame last handed over, as [`Frame::computed`].
    last: Option<u64>,
    frames: u64,
}

/// Recordings of a window.
#[derive(Default)]
pub struct Recording {
    active: Option<Active>,
    results: Vec<Receiver<Result<(PathBuf, usize), Problem>>>,
    /// The last file written.
    pub last: Option<PathBuf>,
}

impl Recording {
    /// The kind and the number of frames of the recording under way.
    pub fn active(&self) -> Option<(Kind, u64)> {
        self.active.as_ref().map(|active| (active.kind, active.frames))
    }

    /// Whether frames are being recorded one after the other.
    pub fn is_filming(&self) -> bool {
        self.active.as_ref().is_some_and(|active| active.kind != Kind::Screenshot)
    }

    /// Whether files are still being written.
    pub fn is_busy(&self) -> bool {
        self.active.is_some() || !self.results.is_empty()
    }
}

impl App {
    /// Starts a recording in the configured directory, under an unused name.
    pub fn start_recording(&mut self, kind: Kind) {
        let Some(loaded) = self.loaded.clone() else { return };
        if self.recording.active.is_some() {
            self.note = "A recording is under way; stop it first".into();
            return;
        }
        let directory = PathBuf::from(&self.settings.record_directory);
        if let Err(error) = std::fs::create_dir_all(&directory) {
            self.problem = Some(Problem::not_written(&directory, error));
            return;
        }
        let stem = Path::new(&self.document.name).file_stem().map_or("scene".into(), |s| s.to_string_lossy());
        let free = |name: String| {
            let path = directory.join(name);
            (!path.exists()).then_some(path)
        };
        let Some(path) = (1..10_000).find_map(|k| free(kind.file(&format!("{stem}-{k:03}")))) else { return };
        let size =
            if self.settings.record_size[0] == 0 { self.viewport.size() } else { self.settings.record_size };
        // The format GIF counts hundredths of a second, two at least.
        let most = if kind == Kind::Gif { 50.0 } else { 240.0 };
        let fps = (1.0 / self.document.desc.step.dt).round().clamp(1.0, most) as u32;
        let (shots, inbox) = sync_channel(2);
        let (answer, result) = channel();
        let (target, context) = (path.clone(), self.context.clone());
        let write = move || {
            let written = write(kind, &target, &loaded, size.map(|s| s.clamp(16, 4096)), fps, &inbox);
            let _ = answer.send(written.map(|frames| (target, frames)));
            context.request_repaint();
        };
        if std::thread::Builder::new().name("recording".into()).spawn(write).is_err() {
            self.problem = Some(Problem::internal("starting a thread"));
            return;
        }
        self.recording.results.push(result);
        self.recording.active = Some(Active { kind, path, shots, last: None, frames: 0 });
        if kind != Kind::Screenshot {
            // From now on it steps as frames are taken.
            self.worker.send(Command::Run(false));
        }
        self.redraw = true;
    }

    /// Ends the current recording; queued frames are still written.
    pub fn stop_recording(&mut self) {
        if let Some(active) = self.recording.active.take() {
            self.note = format!("Writing {}", active.path.display());
        }
    }

    /// Queues the current frame and requests the next; collects finished files.
    pub(super) fn record(&mut self) {
        if let Some(mut active) = self.recording.active.take()
            && self.hand_over(&mut active)
        {
            self.recording.active = Some(active);
        }
        let mut done = vec![];
        self.recording.results.retain(|result| match result.try_recv() {
            Ok(result) => {
                done.push(result);
                false
            }
            Err(error) => error == std::sync::mpsc::TryRecvError::Empty,
        });
        for result in done {
            match result {
                Ok((path, frames)) => {
                    self.note = format!("Wrote {} ({frames} frames)", path.display());
                    self.recording.last = Some(path);
                }
                Err(problem) => {
                    self.recording.active = None;
                    self.problem = Some(problem);
                }
            }
        }
    }

    /// Whether the recording continues.
    fn hand_over(&mut self, active: &mut Active) -> bool {
        // The same frame may be published more than once: when a step is requested, and when it is done.
        let seen = active.last == Some(self.frame.computed);
        // A simulation that ran freely must have stopped, or frames between the first two would be missing.
        let runs = active.last.is_none() && active.kind != Kind::Screenshot && self.frame.running;
        if seen || runs || self.loaded.as_ref().is_none_or(|l| l.id != self.frame.scene) {
            return true;
        }
        let (markers, lines) = self.marks();
        let shot = Shot {
            frame: self.frame.clone(),
            camera: self.camera,
            options: self.options,
            materials: self.drawing.materials.clone(),
            visible: self.drawing.visible.clone(),
            shadings: self.drawing.shadings.clone(),
            wireframes: self.drawing.wireframes.clone(),
            colliders: self.document.desc.colliders.clone(),
            legend: self.legend(),
            markers,
            lines,
        };
        match active.shots.try_send(shot) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                self.context.request_repaint_after(std::time::Duration::from_millis(10));
                return true;
            }
            Err(TrySendError::Disconnected(_)) => return false,
        }
        active.last = Some(self.frame.computed);
        active.frames += 1;
        if active.kind == Kind::Screenshot || active.frames >= self.settings.record_frames.max(1) {
            return false;
        }
        self.worker.send(Command::Step(1));
        true
    }
}

/// Writes frames until the other end is dropped.
fn write(
    kind: Kind,
    path: &Path,
    loaded: &Loaded,
    size: [u32; 2],
    fps: u32,
    inbox: &Receiver<Shot>,
) -> Result<usize, Problem> {
    let failed = |error: RecordError| Problem::not_written(path, error);
    let mesh = |format| -> Result<usize, Problem> {
        let mut recorder =
            MeshRecorder::new(path, format, loaded.topology.triangles.clone(), fps).map_err(failed)?;
        for shot in inbox {
            recorder.add(&shot.frame.x).map_err(failed)?;
        }
        recorder.finish().map_err(failed)
    };
    let picture = |format| -> Result<usize, Problem> {
        let driver = |error: crate::render::RenderError| {
            Problem::words("The pictures could not be drawn.", error.to_string())
        };
        let mut offscreen = Offscreen::new(Driver::default(), 4).map_err(driver)?;
        let mut recorder = Recorder::new(path, format, fps).map_err(failed)?;
        let mut drawing = Drawing::new(loaded.topology.clone());
        for shot in inbox {
            drawing.set_positions(&shot.frame.x);
            drawing.set_values(&shot.frame.values);
            drawing.contacts.clone_from(&shot.frame.contacts);
            drawing.set_liquids(&shot.frame.liquids);
            drawing.set_obstacles(&shot.colliders, shot.frame.time);
            drawing.materials.clone_from(&shot.materials);
            drawing.visible.clone_from(&shot.visible);
            drawing.shadings.clone_from(&shot.shadings);
            drawing.wireframes.clone_from(&shot.wireframes);
            (drawing.markers, drawing.lines) = (shot.markers, shot.lines);
            let legend = shot.legend.as_ref();
            let image =
                offscreen.draw(&drawing, &shot.options, &shot.camera, size, legend).map_err(driver)?;
            recorder.add(&image).map_err(failed)?;
        }
        recorder.finish().map_err(failed)
    };
    match kind {
        Kind::Screenshot => picture(Format::Png),
        Kind::PngSequence => picture(Format::PngSequence),
        Kind::Gif => picture(Format::Gif),
        Kind::Apng => picture(Format::Apng),
        Kind::Gltf => mesh(MeshFormat::Glb),
        Kind::ObjSequence => mesh(MeshFormat::ObjSequence),
    }
}
