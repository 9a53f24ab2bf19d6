//! Preparing a scene: meshes, constraints, factor. Runs in its own thread and checks between stages whether its
//! result is still needed; a factorisation that has started runs to its end, but the window does not wait for it.

use super::pinned::Pinned;
use super::{Command, Event, Message, Request, incremental::registry};
use crate::app::advice::Problem;
use crate::draw::{Shown, Topology};
use pd_core::Vec3;
use pd_cuda::DeviceChoice;
use pd_sim::scene::{Scene, SceneDesc, SceneRun};
use pd_sim::{ModelPaths, SceneError};
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Stage of a preparation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading or making meshes.
    Meshes,
    /// Setting up constraints and the matrix.
    Constraints,
    /// Factoring the matrix.
    Factor,
}

impl Stage {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Meshes => "Reading meshes",
            Self::Constraints => "Setting up constraints",
            Self::Factor => "Factoring the matrix",
        }
    }

    /// How far it is, 0 to 1, for a bar.
    pub fn share(self) -> f32 {
        match self {
            Self::Meshes => 0.1,
            Self::Constraints => 0.4,
            Self::Factor => 0.7,
        }
    }
}

/// A body, for the window.
#[derive(Clone, Debug)]
pub struct LoadedObject {
    /// Name in the scene.
    pub name: String,
    /// Its vertices among those of the scene.
    pub range: Range<usize>,
    /// Whether it is made of tetrahedra.
    pub solid: bool,
    /// Its elements.
    pub elements: usize,
    /// Its mass, kg.
    pub mass: f64,
    /// Vertices of each pin group, own numbers.
    pub pins: Vec<Vec<u32>>,
    /// Named groups with their vertices, own numbers.
    pub groups: Vec<(String, Vec<u32>)>,
}

/// A scene that is ready.
#[derive(Debug)]
pub struct Loaded {
    /// Number of the scene, that of its request; frames carry it.
    pub id: u64,
    /// The description it was built from.
    pub desc: SceneDesc,
    /// Whether it started from rest.
    pub fresh: bool,
    /// Triangles, edges, tetrahedra.
    pub topology: Arc<Topology>,
    /// Positions at rest, m.
    pub rest: Vec<Vec3>,
    /// The bodies.
    pub objects: Vec<LoadedObject>,
    /// Number of constraints.
    pub constraints: usize,
    /// Triangles of surfaces plus tetrahedra of solids.
    pub elements: usize,
    /// Time of the preparation, s.
    pub prepare: Duration,
    /// Where it runs.
    pub device_choice: DeviceChoice,
    /// Name of the device it runs on.
    pub device: String,
    /// Why it does not run on the requested device.
    pub refused: Option<Problem>,
    /// Whether it reuses the factor of the previous scene, updated at a few pins.
    pub kept_factor: bool,
}

/// The end of a preparation.
pub struct Outcome {
    pub(super) number: u64,
    pub(super) result: Result<Built, Problem>,
}

/// A prepared scene at rest.
pub(super) struct Built {
    pub(super) run: SceneRun,
    pub(super) loaded: Loaded,
}

/// Where a preparation reports and checks whether it was cancelled.
#[derive(Clone)]
pub(super) struct Post {
    /// Number of the request being prepared, 0 if none is.
    pub(super) wanted: Arc<AtomicU64>,
    pub(super) commands: Sender<Command>,
    pub(super) messages: Sender<Message>,
    pub(super) wake: Arc<dyn Fn() + Send + Sync>,
}

impl Post {
    /// Tells the window, which may have closed meanwhile.
    pub(super) fn tell(&self, about: u64, event: Event) {
        let _ = self.messages.send(Message { about, event });
        (self.wake)();
    }
}

/// Starts a preparation. `factored` are the pins of the previous scene's factor, if it can be reused.
pub(super) fn spawn(
    request: Request,
    factored: Option<Pinned>,
    models: ModelPaths,
    pool: Arc<rayon::ThreadPool>,
    post: Post,
) -> std::io::Result<()> {
    let work = move || {
        let number = request.number;
        let build = || pool.install(|| build(&request, factored.as_ref(), &models, &post));
        // Nothing here should panic; if something does, the window says so and continues.
        let result = std::panic::catch_unwind(AssertUnwindSafe(build))
            .unwrap_or_else(|_| Err(Problem::internal("preparing the scene")));
        let _ = post.commands.send(Command::Built(Box::new(Outcome { number, result })));
        (post.wake)();
    };
    std::thread::Builder::new().name("preparation".into()).spawn(work).map(drop)
}

fn build(
    request: &Request,
    factored: Option<&Pinned>,
    models: &ModelPaths,
    post: &Post,
) -> Result<Built, Problem> {
    let stage = |stage: Stage| -> Result<(), Problem> {
        if post.wanted.load(Ordering::Relaxed) != request.number {
            return Err(Problem::cancelled());
        }
        post.tell(request.number, Event::Preparing(stage));
        Ok(())
    };
    let scene = || {
        Scene::from_desc(&request.name, request.desc.clone(), request.directory.as_deref(), models)
            .map_err(|error| Problem::of(&error))
    };
    let started = Instant::now();
    stage(Stage::Meshes)?;
    let mut on = Device::default();
    if request.device_choice != DeviceChoice::Cpu {
        let made = on_device(request, scene()?, || stage(Stage::Factor));
        match made? {
            Ok(Some((run, device))) => {
                on = Device { device_choice: request.device_choice, name: device, ..on };
                return Ok(finish(run, request, on, started));
            }
            Ok(None) => on.device_choice = request.device_choice,
            Err(problem) => on.refused = Some(problem),
        }
    }
    let scene = scene()?;
    stage(Stage::Constraints)?;
    on.kept_factor = factored.is_some_and(|pins| pins.reaches(&Pinned::of(&scene)));
    let mut run = SceneRun::new(scene, &registry()).map_err(|error| Problem::of(&error))?;
    if !on.kept_factor {
        stage(Stage::Factor)?;
        run.prepare().map_err(|error| Problem::of(&error))?;
    }
    Ok(finish(run, request, on, started))
}

/// What a scene runs on.
struct Device {
    device_choice: DeviceChoice,
    name: String,
    refused: Option<Problem>,
    kept_factor: bool,
}

impl Default for Device {
    fn default() -> Self {
        Self { device_choice: DeviceChoice::Cpu, name: "cpu".into(), refused: None, kept_factor: false }
    }
}

/// A run and the name of its device (`None` for the CPU), or why the device does not support it.
type Made = Result<Option<(SceneRun, String)>, Problem>;

/// The scene on the device requested. The outer error is one of the stages.
fn on_device(
    request: &Request,
    scene: Scene,
    stage: impl Fn() -> Result<(), Problem>,
) -> Result<Made, Problem> {
    let solver = &request.desc.solver;
    let registry = registry();
    let made =
        request.device_choice.stepper(&solver.stepper, &solver.global, &solver.options(), &registry.solvers);
    let on = match made {
        Ok(Some(on)) => on,
        Ok(None) => return Ok(Ok(None)),
        Err(error) => return Ok(Err(Problem::device(request.device_choice.name(), &error.to_string()))),
    };
    stage()?;
    let prepared = |stepper| -> Result<SceneRun, SceneError> {
        let mut run = SceneRun::with_stepper(scene, stepper)?;
        run.prepare()?;
        Ok(run)
    };
    Ok(match prepared(on.stepper) {
        Ok(run) => Ok(Some((run, on.device))),
        Err(error) => Err(Problem::device(&on.device, &error.to_string())),
    })
}

fn finish(run: SceneRun, request: &Request, on: Device, started: Instant) -> Built {
    let topology = Arc::new(Topology::of_scene(&run.scene));
    let loaded = describe(&run, request, on, topology, started.elapsed());
    Built { run, loaded }
}

fn describe(
    run: &SceneRun,
    request: &Request,
    on: Device,
    topology: Arc<Topology>,
    prepare: Duration,
) -> Loaded {
    let masses = run.sim.model.masses();
    let objects = run.scene.objects.iter().map(|object| LoadedObject {
        name: object.name.clone(),
        range: object.range(),
        solid: object.is_solid(),
        elements: object.mesh.element_count(),
        mass: masses[object.range()].iter().sum(),
        pins: object.pins().to_vec(),
        groups: object.groups.iter().map(|group| (group.name.clone(), group.vertices.clone())).collect(),
    });
    Loaded {
        id: request.number,
        fresh: request.fresh,
        topology,
        prepare,
        device_choice: on.device_choice,
        device: on.name,
        refused: on.refused,
        kept_factor: on.kept_factor,
        desc: run.scene.desc.clone(),
        rest: {
            let mut rest = vec![];
            Shown::of_scene(&run.scene).place(&run.scene.initial_state(), &mut rest);
            rest
        },
        objects: objects.collect(),
        constraints: run.sim.model.constraints(),
        elements: run.scene.elements(),
    }
}
