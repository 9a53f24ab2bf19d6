//! The window.
//!
//! [`App`] is the whole program behind it: a [`Document`] that panels edit, a [`Worker`] that simulates it in its own
//! thread, and the drawing of the latest frame. Tests drive the same type without a display.

pub mod advice;
pub mod dialogs;
pub mod document;
pub mod edit;
pub mod history;
pub mod import;
pub mod keys;
mod layout;
mod notices;
mod panels;
pub mod recording;
pub mod requests;
pub mod settings;
mod sync;
pub mod unsaved_changes;
mod viewport;
mod widgets;
pub mod worker;

pub use document::Document;
pub use keys::Tool;
pub use settings::Settings;
pub use viewport::Viewport;
pub use worker::{Command, Worker};

use crate::draw::{Camera, Drawing, Options, Topology};
use crate::render::SceneRenderer;
use advice::Problem;
use pd_sim::ModelPaths;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// Why the window could not run.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// An error of the window system or the graphics driver.
    #[error(
        "the window could not be opened: {0}; pictures without a window: pd-viewer render SCENE --out FILE.png"
    )]
    Window(String),
}

/// What is selected in the lists and the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selected {
    /// Nothing.
    #[default]
    Nothing,
    /// A body by its place in the description.
    Object(usize),
    /// An obstacle by its place in the description.
    Obstacle(usize),
}

/// The whole program behind the window.
pub struct App {
    /// The scene being edited.
    pub document: Document,
    /// What is remembered.
    pub settings: Settings,
    /// What is selected.
    pub selected: Selected,
    /// Selected vertices of the selected body, own numbers.
    pub vertices: BTreeSet<u32>,
    /// What the left button does.
    pub tool: Tool,
    /// The camera.
    pub camera: Camera,
    /// How it is drawn.
    pub options: Options,
    /// The simulation.
    pub worker: Worker,
    /// The scene that runs.
    pub loaded: Option<Arc<worker::Loaded>>,
    /// The latest frame.
    pub frame: Arc<worker::Frame>,
    /// What is drawn.
    pub drawing: Drawing,
    /// The view's state.
    pub viewport: Viewport,
    /// The current error, until it is dismissed.
    pub problem: Option<Problem>,
    /// The last message of the status bar.
    pub note: String,
    /// The running preparation: its stage and start time.
    pub preparing: Option<(worker::Stage, Instant)>,
    /// Curves.
    pub history: history::History,
    /// Whether the help is shown.
    pub help: bool,
    /// Which colour map is shown.
    pub field: Option<crate::draw::Field>,
    /// Recordings.
    pub recording: recording::Recording,
    /// What to open after the user has decided about unsaved changes.
    pub unsaved_changes: Option<unsaved_changes::Destination>,
    /// Whether the window closes without asking.
    closing: bool,
    /// The camera that showed everything, and the size of the view then.
    framed: Option<(Camera, [u32; 2])>,
    requests: requests::Requests,
    sent: Option<(pd_sim::scene::SceneDesc, pd_cuda::DeviceChoice)>,
    dialogs: dialogs::Dialogs,
    imports: import::Imports,
    panels: panels::State,
    redraw: bool,
    /// Whether a text was being typed when the document was replaced.
    typing: bool,
    /// Documents so far.
    documents: u64,
    /// Whether the scene runs as soon as it is built: one named on the command line does.
    run_when_ready: bool,
    registry: pd_sim::Registry,
    context: egui::Context,
    device: Option<egui_wgpu::RenderState>,
    upload: std::time::Duration,
    /// Time of the last pass of the window, drawing included.
    pass: std::time::Duration,
}

impl App {
    /// Creates the application; `scene` is a built-in name or a path. A scene that cannot be read is shown as a
    /// problem, with an empty scene behind it.
    pub fn new(
        creation: &eframe::CreationContext<'_>,
        scene: Option<&str>,
        models: ModelPaths,
    ) -> Result<Self, AppError> {
        let device = creation.wgpu_render_state.clone();
        let settings: Settings = creation
            .storage
            .and_then(|storage| eframe::get_value(storage, settings::KEY))
            .unwrap_or_default();
        let context = creation.egui_ctx.clone();
        let wake = context.clone();
        let worker = Worker::start(models, move || wake.request_repaint())
            .map_err(|error| AppError::Window(format!("no thread for the simulation: {error}")))?;
        worker.send(Command::RealTime(settings.real_time));
        worker.send(Command::Threads(settings.threads));
        worker.send(Command::Measure(settings.measure_every));
        worker.send(Command::Contacts(settings.show_contacts));
        worker.send(Command::Liquids(settings.liquid_surfaces));
        let (document, problem) = match Document::load(scene.unwrap_or("cloth")) {
            Ok(document) => (document, None),
            Err(problem) => (Document::empty(), Some(problem)),
        };
        let topology = Arc::new(Topology::new(vec![], vec![], vec![], vec![]));
        let mut app = Self {
            options: settings.options(),
            document,
            settings,
            selected: Selected::Nothing,
            vertices: BTreeSet::new(),
            tool: Tool::Pull,
            camera: Camera::default(),
            frame: worker.frame(),
            worker,
            loaded: None,
            drawing: Drawing::new(topology),
            viewport: Viewport::default(),
            problem,
            note: "F1 shows the keys".into(),
            preparing: None,
            history: history::History::default(),
            help: false,
            field: None,
            recording: recording::Recording::default(),
            unsaved_changes: None,
            closing: false,
            framed: None,
            requests: requests::Requests::default(),
            sent: None,
            dialogs: dialogs::Dialogs::default(),
            imports: import::Imports::default(),
            panels: panels::State::default(),
            redraw: true,
            typing: false,
            documents: 0,
            run_when_ready: false,
            registry: worker::registry(),
            context,
            device,
            upload: std::time::Duration::ZERO,
            pass: std::time::Duration::ZERO,
        };
        app.apply_theme();
        app.make_renderer();
        app.send_scene(true);
        Ok(app)
    }

    /// Replaces the document by a built-in scene or a file.
    pub fn open(&mut self, name: &str) {
        match Document::load(name) {
            Ok(document) => {
                if !pd_sim::scene::builtins().iter().any(|builtin| builtin.name == name) {
                    self.settings.remember(name);
                }
                self.replace(document);
            }
            Err(problem) => self.problem = Some(problem),
        }
    }

    /// Replaces the document.
    pub fn replace(&mut self, document: Document) {
        self.document = document;
        self.selected = Selected::Nothing;
        self.vertices.clear();
        self.problem = None;
        self.history = history::History::default();
        self.drop_typing();
        self.send_scene(true);
    }

    /// Discards text being typed: it belonged to the previous scene.
    fn drop_typing(&mut self) {
        let focused =
            self.context.memory_mut(|memory| memory.focused().inspect(|id| memory.surrender_focus(*id)));
        self.typing = focused.is_some();
        self.documents += 1;
    }

    /// Saves the document.
    pub fn save(&mut self, path: &std::path::Path) {
        match self.document.save(path) {
            Ok(()) => {
                let name = path.display().to_string();
                self.settings.remember(&name);
                self.note = format!("Saved {name}");
            }
            Err(problem) => self.problem = Some(problem),
        }
    }

    /// Whether the simulation runs.
    pub fn is_running(&self) -> bool {
        self.frame.running
    }

    /// Samples per pixel: those of the settings, or the default for the graphics adapter.
    pub fn samples(&self) -> u32 {
        let software = self
            .device
            .as_ref()
            .is_some_and(|state| state.adapter.get_info().device_type == egui_wgpu::wgpu::DeviceType::Cpu);
        self.settings.smooth.samples(software)
    }

    /// Creates the renderer with the requested number of samples.
    pub(crate) fn make_renderer(&mut self) {
        let samples = self.samples();
        if let Some(state) = &self.device {
            let renderer = SceneRenderer::new(&state.device, &state.queue, state.target_format, samples);
            state.renderer.write().callback_resources.insert(renderer);
        }
        self.redraw = true;
    }

    pub(crate) fn apply_theme(&mut self) {
        self.context.set_theme(if self.settings.dark { egui::Theme::Dark } else { egui::Theme::Light });
        self.options.theme = self.settings.options().theme;
        self.redraw = true;
    }
}

/// Opens the window with a scene, or with the default scene.
///
/// `models` are directories searched first for model files.
pub fn run(scene: Option<String>, models: Vec<std::path::PathBuf>) -> Result<(), AppError> {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("pd-viewer")
            .with_inner_size([1280.0, 720.0])
            .with_min_inner_size([760.0, 480.0]),
        persist_window: true,
        ..Default::default()
    };
    let create = move |creation: &eframe::CreationContext<'_>| {
        let mut app = App::new(creation, scene.as_deref(), ModelPaths::from_env(models))?;
        app.run_when_ready = scene.is_some();
        Ok(Box::new(app) as Box<dyn eframe::App>)
    };
    eframe::run_native("pd-viewer", options, Box::new(create))
        .map_err(|error| AppError::Window(error.to_string()))
}
