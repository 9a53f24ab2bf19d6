//! Recordings made in the window: every frame once, with what the view shows, and an end in every case.

use crate::common::Window;
use egui::{Key, PointerButton};
use pd_core::Vec3;
use pd_sim::ModelPaths;
use pd_sim::scene::{Scene, SceneRun};
use pd_viewer::app::recording::Kind;
use pd_viewer::record::Image;
use std::path::PathBuf;

/// A window that records small pictures into a directory of its own.
fn window(scene: &str) -> (Window, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let mut window = Window::open(scene);
    window.app_mut().settings.record_directory = directory.path().display().to_string();
    window.app_mut().settings.record_size = [320, 240];
    (window, directory)
}

/// Records and waits for the end.
fn record(window: &mut Window, kind: Kind) -> PathBuf {
    window.app_mut().start_recording(kind);
    window.wait(kind.name(), |app| !app.recording.is_busy());
    assert!(window.app().problem.is_none(), "{:?}", window.app().problem);
    window.app().recording.last.clone().unwrap()
}

fn screenshot(window: &mut Window) -> Image {
    Image::read_png(&record(window, Kind::Screenshot)).unwrap()
}

/// Share of pixels that differ.
fn difference(a: &Image, b: &Image) -> f64 {
    let pixels = a.pixels.chunks_exact(3).zip(b.pixels.chunks_exact(3));
    pixels.clone().filter(|(a, b)| a != b).count() as f64 / pixels.len() as f64
}

#[test]
fn recordings_are_written_frame_by_frame() {
    let directory = tempfile::tempdir().unwrap();
    let mut window = Window::open("bar");
    window.app_mut().settings.record_directory = directory.path().display().to_string();
    window.app_mut().settings.record_frames = 3;
    window.app_mut().settings.record_size = [160, 120];
    for (kind, count) in [
        (Kind::Screenshot, 1),
        (Kind::PngSequence, 3),
        (Kind::Gif, 3),
        (Kind::Apng, 3),
        (Kind::Gltf, 3),
        (Kind::ObjSequence, 3),
    ] {
        let frame = window.app().frame.frame;
        window.app_mut().start_recording(kind);
        window.wait(kind.name(), |app| !app.recording.is_busy());
        assert!(window.app().problem.is_none(), "{:?}", window.app().problem);
        let path = window.app().recording.last.clone().unwrap();
        let files = if path.is_dir() { std::fs::read_dir(&path).unwrap().count() } else { 1 };
        assert_eq!(files, if path.is_dir() { count } else { 1 }, "{}", path.display());
        assert!(window.app().note.contains(&format!("({count} frames)")), "{}", window.app().note);
        assert_eq!(window.app().frame.frame, frame + count as u64 - 1);
    }
}

#[test]
fn every_frame_is_recorded_once_even_if_the_scene_was_running() {
    let (mut window, _directory) = window("cloth-100");
    window.app_mut().settings.record_frames = 6;
    window.key(Key::Space);
    window.wait("frames", |app| app.frame.frame > 2);
    let path = record(&mut window, Kind::ObjSequence);
    let last = window.app().frame.frame;
    let scene = Scene::load("cloth-100", &ModelPaths::default()).unwrap();
    let mut plain = SceneRun::new(scene, &pd_viewer::app::worker::registry()).unwrap();
    while plain.frame() < last - 5 {
        plain.advance().unwrap();
    }
    for k in 0..6 {
        let mesh = pd_mesh::io::read_path(path.join(format!("frame_{k:05}.obj"))).unwrap();
        let gap =
            |x: &[Vec3]| x.iter().zip(mesh.positions()).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let (here, frame) = (gap(&plain.sim.state.x), plain.frame());
        assert!(here < 1e-9, "file {k} is not frame {frame}: {here} m");
        plain.advance().unwrap();
        assert!(gap(&plain.sim.state.x) > 1e-6, "frames differ, so the comparison can fail");
    }
}

#[test]
fn contacts_are_in_a_recording() {
    let (mut window, _directory) = window("cloth");
    window.run_frames(60);
    let without = screenshot(&mut window);
    window.app_mut().settings.show_contacts = true;
    window.app_mut().options.contacts = true;
    window.app_mut().worker.send(pd_viewer::app::Command::Contacts(true));
    window.wait("contacts", |app| !app.frame.contacts.is_empty());
    let with = screenshot(&mut window);
    let share = difference(&without, &with);
    assert!(share > 1e-3, "{share} of the pixels differ");
    // A film has them too, where they then are.
    window.app_mut().settings.record_frames = 2;
    let film = record(&mut window, Kind::PngSequence);
    let first = Image::read_png(&film.join("frame_00000.png")).unwrap();
    assert_eq!(difference(&first, &with), 0.0, "the first frame is the one of the screenshot");
    window.app_mut().options.contacts = false;
    let bare = screenshot(&mut window);
    let second = Image::read_png(&film.join("frame_00001.png")).unwrap();
    assert!(difference(&second, &bare) > 1e-3, "the same frame without them is another picture");
}

#[test]
fn pins_and_the_line_of_a_pull_are_in_a_recording() {
    let (mut window, _directory) = window("cloth");
    let pins = screenshot(&mut window);
    window.app_mut().settings.show_pins = false;
    let none = screenshot(&mut window);
    assert!(difference(&pins, &none) > 1e-4);
    let start = window.place(840);
    window.drag(PointerButton::Primary, start, start + egui::vec2(60.0, -40.0));
    assert!(window.app().viewport.pulling().is_some());
    let pulled = screenshot(&mut window);
    assert!(difference(&pulled, &none) > 1e-4, "nothing has moved, so it is the line");
    window.release(PointerButton::Primary, start);
}

#[test]
fn a_recording_ends_with_its_scene_and_by_the_space_bar() {
    let (mut window, _directory) = window("cloth");
    let begin = |window: &mut Window, kind| {
        window.app_mut().settings.record_frames = 100_000;
        window.app_mut().start_recording(kind);
        window.wait("frames", |app| app.recording.active().is_some_and(|(_, frames)| frames > 2));
    };
    begin(&mut window, Kind::ObjSequence);
    window.key(Key::F12);
    assert!(window.app().note.contains("under way"), "{}", window.app().note);
    window.key(Key::Space);
    window.wait("the end", |app| !app.recording.is_busy());
    begin(&mut window, Kind::Gltf);
    window.app_mut().open("bar");
    window.settle();
    window.wait("the end", |app| !app.recording.is_busy());
    begin(&mut window, Kind::Gif);
    // A pin leaves the triangles as they are, another body does not.
    let frames = window.app().recording.active().unwrap().1;
    window.app_mut().toggle_pin(5);
    window.settle();
    window.wait("more frames", |app| app.recording.active().is_some_and(|(_, now)| now > frames + 2));
    window.app_mut().document.desc.objects[0].scale = Some(1.5);
    window.settle();
    assert!(window.app().recording.active().is_some(), "the same triangles, larger");
    let copy = pd_viewer::app::edit::duplicate_object(&mut window.app_mut().document.desc, 0);
    assert!(copy.is_some());
    window.settle();
    window.wait("the end", |app| !app.recording.is_busy());
    assert!(window.app().problem.is_none(), "{:?}", window.app().problem);
    window.run_frames(2);
}

#[test]
fn a_recording_ends_when_the_simulation_fails() {
    let (mut window, _directory) = window("ball");
    let solver = &mut window.app_mut().document.desc.solver;
    solver.global = "jacobi-published".into();
    (solver.gamma, solver.inner_iterations) = (Some(1.9), Some(200));
    window.settle();
    window.app_mut().settings.record_frames = 100_000;
    window.app_mut().start_recording(Kind::ObjSequence);
    window.wait("the divergence", |app| app.problem.is_some());
    window.wait("the end", |app| !app.recording.is_busy());
    assert!(window.app().problem.as_ref().unwrap().what.contains("diverged"));
}
