//! The window.
//!
//! [`App`] is the whole program behind it: a [`Document`] that panels edit, a [`Worker`] that simulates it on a thread of its
//! own, and the drawing of the latest frame. Tests drive the same type without a display.

pub mod advice;
pub mod dialogs;
pub mod document;
pub mod edit;
pub mod history;
pub mod import;
pub mod keys;
mod layout;
pub mod leaving;
mod notices;
mod panels;
pub mod recording;
pub mod requests;
pub mod settings;
mod stage;
mod sync;
mod widgets;
pub mod worker;

pub use document::Document;
pub use keys::Tool;
pub use settings::Settings;
pub use stage::Stage;
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
    /// The window system or the graphics driver refused.
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
    /// From where the scene is seen.
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
    pub stage: Stage,
    /// What went wrong, until it is dismissed.
    pub problem: Option<Problem>,
    /// The last message of the status bar.
    pub note: String,
    /// The preparation under way: its stage and when it began.
    pub preparing: Option<(worker::Stage, Instant)>,
    /// Curves.
    pub history: history::History,
    /// Whether the help is shown.
    pub help: bool,
    /// Which colour map is shown.
    pub field: Option<crate::draw::Field>,
    /// Recordings.
    pub recording: recording::Recording,
    /// Where to go once it is known what becomes of the changes.
    pub leaving: Option<leaving::Leaving>,
    /// Whether the window closes in any case.
    closing: bool,
    /// The camera that showed everything, and the size of the view then.
    framed: Option<(Camera, [u32; 2])>,
    requests: requests::Requests,
    sent: Option<(pd_sim::scene::SceneDesc, pd_cuda::Place)>,
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
    /// Makes the program for a window; `scene` is a built-in name or a path. A scene that cannot be read is shown as a
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
            stage: Stage::default(),
            problem,
            note: "F1 shows the keys".into(),
            preparing: None,
            history: history::History::default(),
            help: false,
            field: None,
            recording: recording::Recording::default(),
            leaving: None,
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

    /// Gives up a text being typed: it was meant for the scene before.
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

    /// Samples per pixel: those of the settings, or what the graphics adapter does without effort.
    pub fn samples(&self) -> u32 {
        let software = self
            .device
            .as_ref()
            .is_some_and(|state| state.adapter.get_info().device_type == egui_wgpu::wgpu::DeviceType::Cpu);
        self.settings.smooth.samples(software)
    }

    /// Makes the renderer for the samples wanted.
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

/// Opens the window with a scene, or with the one that always works.
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
