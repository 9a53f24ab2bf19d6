//! Scenes of several kinds of matter: they run, come back from a checkpoint, are recorded whole, and faults are named.

use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{Checkpoint, ModelPaths, Recorder, Registry};

const ALL: &str = r#"
title = "all kinds"
coupling = { substeps = 8 }
[step]
iterations = 3
[[object]]
name = "cloth"
shape = { kind = "grid", rows = 8, columns = 8, width = 0.8, depth = 0.8 }
mass = { density = 0.4 }
edge = { weight = 600.0 }
thickness = 0.02
pin = [{ select = { vertices = [0, 8, 72, 80] }, weight = 1e4 }]
[[object]]
name = "sheet"
shape = { kind = "grid", rows = 4, columns = 4, width = 0.3, depth = 0.3 }
translate = [-0.1, 0.05, -0.1]
mass = { density = 0.4 }
edge = { weight = 600.0 }
thickness = 0.02
[[body]]
name = "box"
shape = { kind = "box", half-extents = [0.06, 0.05, 0.06] }
position = [0.2, 0.09, 0.2]
[[particles]]
name = "sand"
kind = "grains"
count = [3, 3, 3]
radius = 0.02
mass = 0.02
friction = 0.5
position = [0.2, 0.1, -0.2]
[[fluid]]
name = "water"
law = { kind = "water", sound-speed = 20.0 }
min = [-0.3, 0.1, 0.1]
max = [-0.1, 0.3, 0.3]
[grid]
dx = 0.05
min = [-0.6, -0.6, -0.6]
cells = [24, 24, 24]
"#;

fn scene(text: &str) -> Result<Scene, pd_sim::SceneError> {
    Scene::parse("all.toml", text, None, &ModelPaths::default())
}

#[test]
fn all_kinds_run_resume_and_are_recorded() {
    let registry = Registry::standard();
    let mut run = SceneRun::new(scene(ALL).unwrap(), &registry).unwrap();
    assert_eq!(run.sim.state.vertices(), 81 + 25 + 27 + 512);
    assert_eq!((run.scene.matter.points(), run.scene.matter.bodies()), (539, 1));
    let mut recorder = Recorder::new(&run.scene, true, false);
    for _ in 0..10 {
        run.advance().unwrap();
    }
    let kept = run.checkpoint().to_bytes();
    for _ in 0..5 {
        run.advance().unwrap();
    }
    recorder.push(&run.scene, &run.sim.state);
    let other = scene(ALL).unwrap();
    let stepper = registry.for_scene(&other).unwrap();
    let mut again = SceneRun::resume(other, stepper, Checkpoint::from_bytes(&kept).unwrap()).unwrap();
    for _ in 0..5 {
        again.advance().unwrap();
    }
    assert_eq!(again.sim.state.hash(), run.sim.state.hash());
    assert!((run.sim.state.time - 0.25).abs() < 1e-9);
    let film = recorder.finish(&run.scene);
    film.check().unwrap();
    let names: Vec<_> = film.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["cloth", "sheet", "sand", "water"]);
    assert_eq!(film.frames[0], run.sim.state.x);
    assert_eq!(film.rigid.len(), 1);
    assert_eq!(run.scene.matter.display(&run.scene.desc).len(), 3, "box, sand and water");
    // Nothing fell past the cloth.
    let low = |range: std::ops::Range<usize>| {
        run.sim.state.x[range].iter().map(|x| x.y).fold(f64::INFINITY, f64::min)
    };
    assert!(low(81..106) > low(0..81), "the sheet lies on the cloth");
    assert!(low(106..133) > low(0..81), "the sand lies on the cloth");
    assert!(run.sim.state.bodies.p[0].y > low(0..81), "the box lies on the cloth");
}

#[test]
fn faults_are_named() {
    let message = |text: String| match scene(&text) {
        Err(error) => error.to_string(),
        Ok(scene) => Registry::standard().for_scene(&scene).map(|_| ()).unwrap_err().to_string(),
    };
    let unknown = message(ALL.replace("substeps = 8", "scheme = \"row\""));
    assert!(unknown.contains("\"row\"") && unknown.contains("staggered"), "{unknown}");
    let zero = message(ALL.replace("substeps = 8", "substeps = 0"));
    assert!(zero.contains("coupling.substeps"), "{zero}");
    // A cloth of 0.4 kg/m² before a cell of water of 50 kg/m².
    let light = message(ALL.replace("substeps = 8", "scheme = \"staggered\""));
    assert!(light.contains("0.4") && light.contains("50") && light.contains("staggered"), "{light}");
    let cells = message(ALL.replace("dx = 0.05", "dx = 0.0"));
    assert!(cells.contains("grid.dx"), "{cells}");
    let thin = message(ALL.replace("thickness = 0.02", "thickness = -1.0"));
    assert!(thin.contains("thickness"), "{thin}");
}

/// A cloth that sinks into a narrow basin presses water against its walls, with few substeps: none of it leaves.
#[test]
fn water_pressed_against_the_walls_stays_in_its_basin() {
    let text = r#"
title = "a basin"
coupling = { substeps = 4 }
[[object]]
name = "cloth"
shape = { kind = "grid", rows = 8, columns = 8, width = 0.6, depth = 0.6 }
mass = { density = 0.4 }
edge = { weight = 3000.0 }
thickness = 0.012
pin = [{ select = { vertices = [0, 8, 72, 80] }, weight = 2e4 }]
[[fluid]]
name = "water"
law = { kind = "water", sound-speed = 20.0 }
min = [0.0, 0.0, 0.0]
max = [0.2, 0.3, 0.3]
[grid]
dx = 0.05
cells = [10, 10, 6]
"#;
    let mut run = SceneRun::new(scene(text).unwrap(), &Registry::standard()).unwrap();
    for _ in 0..30 {
        run.advance().unwrap();
    }
}
