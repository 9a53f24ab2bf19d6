//! Preparing a scene: meshes, constraints, factor. Runs on a thread of its own and looks between the stages whether its
//! result is still wanted; a factorisation that has begun runs to its end, but nobody waits for it.

use super::{Command, Event, Request, incremental::registry};
use crate::app::advice::Problem;
use crate::draw::Topology;
use pd_core::Vec3;
use pd_sim::ModelPaths;
use pd_sim::scene::{Scene, SceneDesc, SceneRun};
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// What a preparation is doing.
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

/// A body as the window knows it.
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
    /// Number of the scene; frames carry it.
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
}

/// The end of a preparation.
pub struct Outcome {
    pub(super) generation: u64,
    pub(super) result: Result<Built, Problem>,
}

/// A prepared scene at rest.
pub(super) struct Built {
    pub(super) run: SceneRun,
    pub(super) loaded: Loaded,
}

/// Where a preparation reports and looks whether it is wanted.
#[derive(Clone)]
pub(super) struct Post {
    pub(super) wanted: Arc<AtomicU64>,
    pub(super) commands: Sender<Command>,
    pub(super) events: Sender<Event>,
    pub(super) wake: Arc<dyn Fn() + Send + Sync>,
}

/// Starts a preparation.
pub(super) fn spawn(
    generation: u64,
    request: Request,
    models: ModelPaths,
    pool: Arc<rayon::ThreadPool>,
    post: Post,
) -> std::io::Result<()> {
    let work = move || {
        let build = || pool.install(|| build(generation, &request, &models, &post));
        // Nothing here should panic; if something does, the window says so and goes on.
        let result = std::panic::catch_unwind(AssertUnwindSafe(build))
            .unwrap_or_else(|_| Err(Problem::internal("preparing the scene")));
        let _ = post.commands.send(Command::Built(Box::new(Outcome { generation, result })));
        (post.wake)();
    };
    std::thread::Builder::new().name("preparation".into()).spawn(work).map(drop)
}

fn build(generation: u64, request: &Request, models: &ModelPaths, post: &Post) -> Result<Built, Problem> {
    let stage = |stage: Stage| -> Result<(), Problem> {
        if post.wanted.load(Ordering::Relaxed) != generation {
            return Err(Problem::cancelled());
        }
        let _ = post.events.send(Event::Preparing(stage));
        (post.wake)();
        Ok(())
    };
    let started = Instant::now();
    stage(Stage::Meshes)?;
    let scene = Scene::from_desc(&request.name, request.desc.clone(), request.directory.as_deref(), models)
        .map_err(|error| Problem::of(&error))?;
    stage(Stage::Constraints)?;
    let topology = Arc::new(Topology::of_scene(&scene));
    let mut run = SceneRun::new(scene, &registry()).map_err(|error| Problem::of(&error))?;
    stage(Stage::Factor)?;
    run.prepare().map_err(|error| Problem::of(&error))?;
    let loaded = describe(&run, generation, request.fresh, topology, started.elapsed());
    Ok(Built { run, loaded })
}

fn describe(run: &SceneRun, id: u64, fresh: bool, topology: Arc<Topology>, prepare: Duration) -> Loaded {
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
        id,
        fresh,
        topology,
        prepare,
        desc: run.scene.desc.clone(),
        rest: run.scene.rest(),
        objects: objects.collect(),
        constraints: run.sim.model.constraints(),
        elements: run.scene.elements(),
    }
}
