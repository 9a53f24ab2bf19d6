//! Errors are shown as messages, and the window continues.

use crate::common::Window;

#[test]
fn bad_files_show_their_message_and_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let mut window = Window::open("cloth");
    let scene = |body: &str| format!("title = \"bad\"\n[[object]]\nname = \"a\"\n{body}\n");
    write("broken.obj", "v 0 0 0\nv 1 0 zero\nf 1 2 3\n");
    let cases = [
        (write("syntax.toml", "title = \nfoo"), "not understood", "line"),
        (
            write("key.toml", &scene("shape = { kind = \"grid\", rows = 2, columns = 2 }\nstiffness = 3")),
            "not understood",
            "docs/scenes.md",
        ),
        (
            write("range.toml", &scene("shape = { kind = \"grid\", rows = 2, columns = 2 }\nscale = -1.0")),
            "not possible",
            "Correct",
        ),
        (
            write("missing.toml", &scene("shape = { kind = \"file\", file = \"nowhere.obj\" }")),
            "missing",
            "PD_MODELS",
        ),
        (
            write(
                "mesh.toml",
                &scene("shape = { kind = \"file\", file = \"broken.obj\" }\nedge = { weight = 1.0 }"),
            ),
            "mesh file is not understood",
            "pd check",
        ),
        ("no-such-scene".to_owned(), "no such scene", "list"),
        (directory.path().join("gone.toml").display().to_string(), "could not be read", "path"),
    ];
    for (path, what, advice) in cases {
        window.app_mut().open(&path);
        window.wait(&path, |app| app.problem.is_some());
        let problem = window.app().problem.clone().unwrap();
        assert!(problem.what.contains(what), "{path}: {problem:?}");
        assert!(problem.advice.contains(advice), "{path}: {problem:?}");
        window.step();
        assert!(window.has_text(&problem.what) && window.has_text("What to do"), "{path} is shown");
        window.press("Dismiss");
        assert!(window.app().problem.is_none());
    }
    window.app_mut().open("cloth");
    window.settle();
    window.run_frames(2);
}

#[test]
fn bad_meshes_are_refused_on_import_and_good_ones_run() {
    let directory = tempfile::tempdir().unwrap();
    let bad = directory.path().join("bad.obj");
    std::fs::write(&bad, "v 0 0 0\nf 1 2 9\n").unwrap();
    let mut window = Window::open("cloth");
    window.app_mut().import(&bad);
    window.wait("the message", |app| app.problem.is_some());
    let problem = window.app().problem.clone().unwrap();
    assert!(problem.details.contains("bad.obj") && problem.advice.contains("pd check"), "{problem:?}");
    assert_eq!(window.app().document.desc.objects.len(), 1);
    window.press("Dismiss");
    let good = directory.path().join("good.obj");
    let mut file = vec![];
    pd_mesh::io::write_obj(&mut file, &pd_mesh::generate::sphere(12, 8, 0.3).unwrap()).unwrap();
    std::fs::write(&good, file).unwrap();
    window.app_mut().import(&good);
    window.wait("the body", |app| app.loaded.as_ref().is_some_and(|l| l.objects.len() == 2));
    assert_eq!(window.app().document.desc.objects[1].name, "good");
    window.run_frames(3);
}

#[test]
fn divergence_pauses_and_says_what_to_do_and_a_restart_goes_on() {
    let mut window = Window::open("ball");
    let solver = &mut window.app_mut().document.desc.solver;
    solver.global = "jacobi-published".into();
    (solver.gamma, solver.inner_iterations) = (Some(1.9), Some(200));
    window.step();
    window.wait("the solver", |app| {
        app.problem.is_some() || app.loaded.as_ref().unwrap().desc.solver == app.document.desc.solver
    });
    window.key(egui::Key::Space);
    window.wait("the divergence", |app| app.problem.is_some());
    let problem = window.app().problem.clone().unwrap();
    assert!(problem.what.contains("diverged") && problem.advice.contains("cholesky"), "{problem:?}");
    window.wait("a pause", |app| !app.is_running());
    assert!(
        window.app().frame.x.iter().all(|x| x.iter().all(|c| c.is_finite())),
        "the last good state is kept"
    );
    window.press("Dismiss");
    window.app_mut().document.desc.solver = Default::default();
    window.step();
    window
        .wait("the usual solver", |app| app.loaded.as_ref().unwrap().desc.solver == app.document.desc.solver);
    window.key(egui::Key::R);
    window.run_frames(5);
}

#[test]
fn an_edit_that_is_refused_leaves_the_old_scene_running() {
    let mut window = Window::open("cloth");
    window.key(egui::Key::Space);
    window.wait("running", |app| app.is_running());
    window.app_mut().document.desc.objects[0].tet =
        Some(pd_sim::scene::desc::StrainDesc { weight: 1.0, min: 1.0, max: 1.0 });
    window.wait("the message", |app| app.problem.is_some());
    assert!(window.app().problem.as_ref().unwrap().details.contains("is for solids"));
    let frame = window.app().frame.frame;
    window.wait("frames", |app| app.frame.frame > frame + 3);
    window.keys(egui::Modifiers::COMMAND, egui::Key::Z);
    assert!(window.app().document.desc.objects[0].tet.is_none());
}

#[test]
fn changes_are_not_lost_without_asking() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mine.toml");
    let mut window = Window::sized("cloth", [1000.0, 700.0]);
    window.app_mut().settings.panels = true;
    window.app_mut().save(&path);
    let damping = |window: &mut Window, damping: f64| {
        window.app_mut().document.desc.step.damping = damping;
        window.step();
    };
    damping(&mut window, 3.0);
    window.press("Scene bar");
    assert!(window.has_text("not saved") && window.app().document.name.ends_with("mine.toml"));
    window.key(egui::Key::Escape);
    assert!(window.app().unsaved_changes.is_none() && window.app().document.desc.step.damping == 3.0);
    window.press("Scene bar");
    window.press("Keep editing");
    assert!(!window.has_text("not saved") && window.app().document.is_changed());
    window.press("Scene bar");
    window.press("Save changes");
    assert_eq!(window.app().document.name, "bar");
    assert_eq!(pd_sim::scene::read_desc(&path.display().to_string()).unwrap().0.step.damping, 3.0);
    window.settle();
    damping(&mut window, 5.0);
    window.press("Scene cloth");
    window.press("Discard changes");
    assert_eq!(window.app().document.name, "cloth");
    window.settle();
    // Nothing to lose, nothing to ask.
    window.press("Scene bar");
    assert_eq!((window.app().document.name.as_str(), &window.app().unsaved_changes), ("bar", &None));
    window.settle();
}
