//! Results are bitwise identical for any number of threads, and for a run that was stopped, written to disk and continued: `state_hash`
//! of every generated scene, on pools of 1, 2, 3 and 8 threads.
//!
//! To have obstacles, pushes, gusts and releases within few frames, a case may start its clock late and lower the bodies
//! towards the floor; a checkpoint is taken half-way, so that these happen on both sides of it.

use pd_sim::scene::{Scene, SceneRun, builtins};
use pd_sim::{Checkpoint, ModelPaths, Registry, SceneError};

/// A scene, where to start it, and what must happen for the case to be worth running.
#[derive(Clone, Copy)]
struct Case {
    scene: &'static str,
    /// Time at the start, s.
    time: f64,
    /// Whether the bodies start with their lowest vertex 3 cm below the floor, which is at −1 m where this is used.
    sunk: bool,
    /// Frames in all; the checkpoint is after half of them.
    frames: u64,
    event: Event,
}

#[derive(Clone, Copy, PartialEq)]
enum Event {
    /// Elastic motion; where there is wind or a push, its time is within the run.
    Motion,
    /// An obstacle moves vertices.
    Contact,
    /// Pins let go.
    Release,
}

const fn case(scene: &'static str, time: f64, sunk: bool, frames: u64, event: Event) -> Case {
    Case { scene, time, sunk, frames, event }
}

const SMALL: [Case; 11] = [
    case("cloth", 0.0, false, 30, Event::Contact),
    case("cloth-pair", 3.0, false, 60, Event::Contact),
    case("cloth-pair-wind", 2.8, false, 24, Event::Motion), // the gust of 3.0 s
    case("hemispheres", 0.9, false, 16, Event::Motion),     // the push of 1.0 s
    case("tubes", 1.0, false, 12, Event::Contact),
    case("tubes", 3.9, false, 12, Event::Motion), // the wind of 4.0 s
    case("bar", 1.2, false, 70, Event::Contact),
    case("bridge", 0.6, false, 50, Event::Motion), // two pushes
    case("ball", 0.0, false, 30, Event::Contact),
    case("flag", 0.0, false, 10, Event::Motion),
    case("mixed", 0.0, false, 10, Event::Motion),
];

const MIDDLE: [Case; 5] = [
    case("cloths-8", 0.0, false, 6, Event::Motion),
    case("bunny-twin", 1.85, false, 12, Event::Contact),
    case("cloth-100", 0.0, false, 4, Event::Motion),
    case("cloth-140", 0.0, false, 2, Event::Motion),
    case("sandbox", 0.0, true, 2, Event::Contact),
];

const LARGE: [Case; 4] = [
    case("armadillo-twin", 1.98, false, 2, Event::Release), // after the first frame
    case("armadillo-free-twin", 0.0, true, 2, Event::Contact),
    case("armadillo-pair-twin", 0.0, true, 2, Event::Contact),
    case("dragon-twin", 0.0, true, 2, Event::Contact),
];

fn start(case: &Case) -> Result<SceneRun, SceneError> {
    let scene = Scene::load(case.scene, &ModelPaths::default())?;
    let mut run = SceneRun::new(scene, &Registry::standard())?;
    run.sim.state.time = case.time;
    if case.sunk {
        let lowest = run.sim.state.x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        run.sim.state.x.iter_mut().for_each(|x| x.y -= lowest + 1.03);
    }
    Ok(run)
}

/// What one run left behind.
struct Outcome {
    half: Checkpoint,
    end: u64,
    collisions: usize,
    constraints: [usize; 2],
}

fn whole_run(case: &Case) -> Result<Outcome, SceneError> {
    let mut run = start(case)?;
    let (mut half, mut collisions) = (run.checkpoint(), 0);
    let before = run.sim.model.constraints();
    while run.frame() < case.frames {
        collisions += run.advance()?.collisions;
        if run.frame() == case.frames / 2 {
            half = run.checkpoint();
        }
    }
    let constraints = [before, run.sim.model.constraints()];
    Ok(Outcome { half, end: run.sim.state.hash(), collisions, constraints })
}

/// From a checkpoint file to the end.
fn second_half(case: &Case, half: &Checkpoint) -> Result<u64, SceneError> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("half.pdc");
    half.write(&file)?;
    let scene = Scene::load(case.scene, &ModelPaths::default())?;
    let stepper = Registry::standard().for_scene(&scene)?;
    let mut run = SceneRun::resume(scene, stepper, Checkpoint::read(&file)?)?;
    while run.frame() < case.frames {
        run.advance()?;
    }
    Ok(run.sim.state.hash())
}

fn on<T: Send>(threads: usize, work: impl FnOnce() -> Result<T, SceneError> + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work).unwrap()
}

/// One thread does the whole run; the others repeat it or go on from its checkpoint.
fn check(case: &Case) {
    let name = case.scene;
    let one = on(1, || whole_run(case));
    assert_ne!(one.half.state.hash(), one.end, "{name} does not move");
    match case.event {
        Event::Contact => assert!(one.collisions > 0, "{name}: nothing was touched"),
        Event::Release => assert!(one.constraints[1] < one.constraints[0], "{name}: no pin let go"),
        Event::Motion => {}
    }
    for threads in [2, 8] {
        let other = on(threads, || whole_run(case));
        assert_eq!(other.half.state.hash(), one.half.state.hash(), "{name}: {threads} threads, half-way");
        assert_eq!(other.end, one.end, "{name}: {threads} threads");
    }
    assert_eq!(on(3, || second_half(case, &one.half)), one.end, "{name}: continued on 3 threads");
}

#[test]
fn every_generated_scene_has_a_case() {
    let mut cases: Vec<_> = SMALL.iter().chain(&MIDDLE).chain(&LARGE).map(|c| c.scene).collect();
    cases.sort_unstable();
    cases.dedup();
    let nowhere = ModelPaths::default();
    let mut generated: Vec<_> = builtins()
        .iter()
        .filter(|b| b.is_of_thesis() || b.name == "cloth")
        .map(|b| b.name)
        .filter(|name| !matches!(Scene::load(name, &nowhere), Err(SceneError::ModelNotPresent { .. })))
        .collect();
    generated.sort_unstable();
    assert_eq!(cases, generated);
}

#[test]
fn small_scenes() {
    SMALL.iter().for_each(check);
}

#[test]
fn middle_scenes() {
    MIDDLE.iter().for_each(check);
}

#[test]
fn large_scenes() {
    LARGE.iter().for_each(check);
}

/// Three threads also do a whole run from the start; the small scenes can afford it.
#[test]
fn small_scenes_on_three_threads() {
    for case in &SMALL {
        let (one, three) = (on(1, || whole_run(case)), on(3, || whole_run(case)));
        assert_eq!(three.end, one.end, "{}", case.scene);
    }
}
