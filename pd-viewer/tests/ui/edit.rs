//! Editing: objects, solver, history, files.

use crate::common::Window;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use pd_sim::scene::desc::ContactMode;
use pd_viewer::app::{App, Selected};

fn objects_page(window: &mut Window) {
    window.app_mut().settings.panels = true;
    window.app_mut().settings.left = pd_viewer::app::settings::LeftPage::Objects;
    window.step();
    window.step();
}

#[test]
fn bodies_are_added_copied_renamed_and_removed_while_the_rest_runs_on() {
    let mut window = Window::sized("cloth", [1100.0, 700.0]);
    objects_page(&mut window);
    window.run_frames(20);
    let before = window.app().frame.x.clone();
    window.press("Add body");
    window.press("ball");
    window.wait("the ball", |app| app.loaded.as_ref().unwrap().objects.len() == 2 && app.is_settled());
    assert_eq!(window.app().frame.x[..before.len()], before[..], "the cloth kept its folds");
    assert_eq!(window.app().selected, Selected::Object(1));
    window.press("Duplicate");
    window.wait("the copy", |app| app.loaded.as_ref().unwrap().objects.len() == 3);
    assert_eq!(window.app().document.desc.objects[2].name, "ball 2");
    window.run_frames(3);
    window.press("Remove");
    window.wait("the removal", |app| app.loaded.as_ref().unwrap().objects.len() == 2);
    assert!(pd_viewer::app::edit::rename_object(&mut window.app_mut().document.desc, 1, "egg"));
    window.settle();
    window.wait("the name", |app| app.loaded.as_ref().unwrap().objects[1].name == "egg");
    window.app_mut().selected = Selected::Object(0);
    window.key(Key::Delete);
    window.wait("the removal", |app| app.loaded.as_ref().unwrap().objects.len() == 1);
    assert_eq!(window.app().document.desc.objects[0].name, "egg");
    window.app_mut().selected = Selected::Object(0);
    window.key(Key::Delete);
    assert!(window.app().document.desc.objects.is_empty() && window.app().loaded.is_none());
    assert!(window.has_text("The scene has no body"));
    window.keys(Modifiers::COMMAND, Key::Z);
    window.wait("the body again", |app| app.loaded.is_some());
}

#[test]
fn the_solver_changes_while_the_scene_runs() {
    let mut window = Window::open("cloth");
    // Not every stepper keeps surfaces apart, and contact by guard rejects those that have crossed.
    window.app_mut().document.desc.contact.mode = Some(ContactMode::Project);
    window.key(Key::Space);
    window.wait("running", |app| app.is_running());
    for (stepper, global) in [
        ("pd", "panels-f16"),
        ("pd", "a-jacobi-2"),
        ("pd-anderson", "cholesky"),
        ("fused-jacobi", "cholesky"),
        ("pd", "pcg"),
    ] {
        let solver = &mut window.app_mut().document.desc.solver;
        (solver.stepper, solver.global) = (stepper.into(), global.into());
        window.wait(global, |app| {
            app.is_settled() && app.loaded.as_ref().unwrap().desc.solver == app.document.desc.solver
        });
        let frame = window.app().frame.frame;
        window.wait("frames", |app| app.frame.frame > frame + 5);
        assert!(frame > 0 && window.app().is_running(), "{stepper} {global}: goes on from where it was");
        assert!(window.app().problem.is_none(), "{:?}", window.app().problem);
    }
    let iterations = |app: &App| app.frame.report.iterations;
    window.app_mut().document.desc.step.iterations = 3;
    window.wait("fewer iterations", |app| iterations(app) == 3);
    window.app_mut().document.desc.step.dt = 0.01;
    window.wait("the time step", |app| app.loaded.as_ref().unwrap().desc.step.dt == 0.01);
    assert!(window.app().is_running());
}

#[test]
fn undo_and_redo_reach_the_simulation() {
    let mut window = Window::open("cloth");
    let start = window.app().document.desc.clone();
    window.app_mut().document.desc.step.gravity = [0.0, 5.0, 0.0];
    window.step();
    window.app_mut().document.desc.colliders.clear();
    window.step();
    let end = window.app().document.desc.clone();
    window.keys(Modifiers::COMMAND, Key::Z);
    window.keys(Modifiers::COMMAND, Key::Z);
    assert_eq!(window.app().document.desc, start);
    assert!(!window.app().document.can_undo());
    window.press("Redo");
    window.keys(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
    assert_eq!(window.app().document.desc, end);
    window.run_frames(60);
    let rest = window.app().loaded.as_ref().unwrap().rest.clone();
    let risen = window.app().frame.x.iter().zip(&rest).map(|(x, r)| x.y - r.y).fold(f64::MIN, f64::max);
    assert!(risen > 0.1, "gravity points up in the simulation too: {risen}");
}

#[test]
fn a_saved_scene_loads_equal_and_the_command_line_reads_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mine.toml");
    let mut window = Window::sized("cloth-pair", [1100.0, 700.0]);
    window.app_mut().settings.panels = true;
    window.run_frames(10);
    window.app_mut().toggle_pin(100);
    window.app_mut().document.desc.objects[1].display.colour = Some([0.2, 0.4, 0.6]);
    window.settle();
    window.press("Files");
    window.harness.get_by_label("Scene file").focus();
    window.step();
    window.harness.get_by_label("Scene file").type_text(&path.display().to_string());
    window.step();
    window.press("Save as");
    assert!(path.exists(), "{:?}", window.app().problem);
    assert!(!window.app().document.is_changed());
    let saved = window.app().document.desc.clone();
    window.app_mut().open("bar");
    window.settle();
    window.press("Open file");
    window.wait("the file", |app| app.loaded.as_ref().is_some_and(|l| l.desc == app.document.desc));
    assert_eq!(window.app().document.desc, saved);
    let scene = pd_sim::scene::Scene::load(&path.display().to_string(), &Default::default()).unwrap();
    assert_eq!(scene.desc, saved);
    window.run_frames(2);
}

#[test]
fn a_kept_state_comes_back_to_the_bit() {
    let mut window = Window::open("cloth");
    window.run_frames(7);
    window.press("Keep");
    window.wait("the note", |app| app.note.contains("kept at frame 7"));
    let kept = window.app().frame.x.clone();
    window.run_frames(9);
    assert_ne!(window.app().frame.x, kept);
    window.press("Restore");
    window.wait("the state", |app| app.frame.frame == 7);
    assert_eq!(window.app().frame.x, kept);
}

#[test]
fn a_scene_saved_elsewhere_still_finds_its_files() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut mesh = vec![];
    pd_mesh::io::write_obj(&mut mesh, &pd_mesh::generate::sphere(12, 8, 0.3).unwrap()).unwrap();
    std::fs::write(from.path().join("own.obj"), mesh).unwrap();
    let text = "title = \"t\"\nsource = \"own\"\n[[object]]\nname = \"a\"\nshape = { kind = \"file\", file = \"own.obj\" }\n\
                edge = { weight = 10.0 }\n";
    std::fs::write(from.path().join("a.toml"), text).unwrap();
    let mut window = Window::open(&from.path().join("a.toml").display().to_string());
    let moved = to.path().join("b.toml");
    window.app_mut().save(&moved);
    window.settle();
    assert!(!window.app().document.is_changed() && window.app().problem.is_none());
    let scene = pd_sim::scene::Scene::load(&moved.display().to_string(), &Default::default()).unwrap();
    assert_eq!(scene.vertices(), window.app().loaded.as_ref().unwrap().rest.len());
}
