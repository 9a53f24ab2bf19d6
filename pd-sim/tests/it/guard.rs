//! Contact that never crosses among deformable bodies that water, grains and bodies push at the same time.

use pd_couple::Coupled;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};

/// Two cloths, one over the other, over an obstacle with edges; water, grains and a box fall onto them.
const LAYERS: &str = r#"
title = "layers"
contact = "guard"
coupling = { substeps = 8 }
[step]
iterations = 3
[[object]]
name = "lower"
shape = { kind = "grid", rows = 12, columns = 12, width = 0.6, depth = 0.6 }
mass = { density = 0.3 }
edge = { weight = 800.0 }
thickness = 0.012
[[object]]
name = "upper"
shape = { kind = "grid", rows = 10, columns = 10, width = 0.5, depth = 0.5 }
rotate = { axis = [0, 1, 0], degrees = 20 }
translate = [0.02, 0.03, 0.01]
mass = { density = 0.3 }
edge = { weight = 800.0 }
thickness = 0.012
[[collider]]
kind = "block"
centre = [0.0, -0.16, 0.0]
half-extents = [0.1, 0.14, 0.1]
[[body]]
name = "box"
shape = { kind = "box", half-extents = [0.05, 0.04, 0.05] }
position = [0.15, 0.12, 0.12]
velocity = [0.0, -2.0, 0.0]
[[particles]]
name = "sand"
kind = "grains"
count = [4, 3, 4]
radius = 0.015
mass = 0.02
friction = 0.5
position = [-0.15, 0.12, 0.1]
velocity = [0.0, -2.0, 0.0]
[[fluid]]
name = "water"
law = { kind = "water", sound-speed = 20.0 }
min = [-0.1, 0.08, -0.2]
max = [0.05, 0.18, -0.05]
velocity = [0.0, -2.0, 0.0]
[grid]
dx = 0.05
min = [-0.6, -0.6, -0.6]
cells = [24, 24, 24]
"#;

fn scene(text: &str) -> Scene {
    Scene::parse("layers.toml", text, None, &ModelPaths::default()).unwrap()
}

fn start(text: &str) -> Result<SceneRun, pd_sim::SceneError> {
    let mut run = SceneRun::new(scene(text), &Registry::standard())?;
    run.prepare()?;
    Ok(run)
}

#[test]
fn deformable_bodies_that_others_push_do_not_cross() {
    never_cross(LAYERS, 12);
    never_cross(&LAYERS.replace("substeps = 8", "scheme = \"one-way\", substeps = 8"), 6);
}

fn never_cross(text: &str, frames: usize) {
    let mut run = start(text).unwrap();
    let n = run.scene.rest().len();
    let (mut crossings, mut held_back) = (0, 0);
    for _ in 0..frames {
        for _ in 0..run.scene.steps_per_frame() {
            run.sim.step().unwrap();
            let coupled = run.sim.stepper().as_any().and_then(|any| any.downcast_ref::<Coupled>()).unwrap();
            held_back += coupled.report().held_back;
        }
        crossings += run.scene.crossings(&run.sim.state.x[..n]).unwrap().len();
    }
    assert_eq!(crossings, 0);
    assert!(held_back > 0, "nothing was pushed so far that it had to be held back");
}

#[test]
fn other_contact_of_deformable_bodies_is_refused_by_name() {
    let refused =
        |from: &str, to: &str| start(&LAYERS.replace(from, to)).map(|_| ()).unwrap_err().to_string();
    for mode in ["barrier", "impact-zones"] {
        let error = refused("contact = \"guard\"", &format!("contact = \"{mode}\""));
        assert!(error.contains("other matter") && error.contains("\"guard\""), "{mode}: {error}");
    }
    let attached = "[[object]]\nname = \"upper\"\nattach = [{ select = { vertices = [0] }, body = \"box\" }]";
    let error = refused("[[object]]\nname = \"upper\"", attached);
    assert!(error.contains("attached vertices") && error.contains("project"), "{error}");
    let bodies = LAYERS.find("[[body]]").unwrap()..LAYERS.find("[[particles]]").unwrap();
    let mut text =
        LAYERS.replace("substeps = 8", "scheme = \"admm-ipc\"").replace("[step]\niterations = 3\n", "");
    text = text.replace(&LAYERS[bodies], "");
    let error = start(&text).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("admm-ipc") && error.contains("keeps surfaces apart"), "{error}");
}
