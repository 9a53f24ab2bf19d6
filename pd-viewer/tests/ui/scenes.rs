//! Every built-in scene opens, runs and steps.

use crate::common::Window;
use egui::Key;
use egui_kittest::kittest::Queryable as _;

/// Scenes that need a model file which does not ship.
fn needs_a_file(name: &str) -> bool {
    ["bunny", "dragon", "armadillo", "armadillo-free", "armadillo-pair"].contains(&name)
}

#[test]
fn every_built_in_scene_opens_and_steps() {
    let mut window = Window::open("cloth");
    for builtin in pd_sim::scene::builtins().iter().filter(|builtin| builtin.is_of_thesis()) {
        window.app_mut().open(builtin.name);
        if needs_a_file(builtin.name) {
            window.wait("a problem", |app| app.problem.is_some());
            let problem = window.app().problem.clone().unwrap();
            assert!(problem.what.contains("missing") && problem.advice.contains("-twin"), "{problem:?}");
            window.step();
            assert!(window.has_text("A model file is missing"), "{}", builtin.name);
            window.press("Dismiss");
            assert!(window.app().problem.is_none());
            continue;
        }
        window.wait(builtin.name, |app| {
            app.is_settled() && app.loaded.as_ref().is_some_and(|l| l.desc == app.document.desc)
        });
        let before = window.app().frame.x.clone();
        window.run_frames(1);
        assert_eq!(window.app().frame.frame, 1, "{}", builtin.name);
        let moved = before.iter().zip(&window.app().frame.x).any(|(a, b)| a != b);
        assert!(moved, "{} does not move", builtin.name);
        if let Some(published) = window.app().document.desc.published {
            let loaded = window.app().loaded.clone().unwrap();
            let counts = (loaded.rest.len(), loaded.elements, loaded.constraints);
            assert_eq!(
                counts,
                (published.vertices, published.elements, published.constraints),
                "{}",
                builtin.name
            );
        }
    }
}

#[test]
fn run_pause_step_and_restart_by_button_and_by_key() {
    let mut window = Window::open("cloth");
    window.press("Step");
    window.wait("one frame", |app| app.frame.frame == 1);
    window.key(Key::Period);
    window.wait("two frames", |app| app.frame.frame == 2);
    assert!(window.has("Run"));
    window.key(Key::Space);
    window.wait("running", |app| app.is_running() && app.frame.frame > 10);
    assert!(window.has("Pause"));
    window.press("Pause");
    window.wait("a pause", |app| !app.is_running());
    let frame = window.app().frame.frame;
    (0..5).for_each(|_| window.step());
    assert_eq!(window.app().frame.frame, frame, "paused");
    window.key(Key::R);
    window.wait("the start", |app| app.frame.frame == 0);
    assert_eq!(window.app().frame.x, window.app().loaded.as_ref().unwrap().rest);
}

#[test]
fn the_browser_opens_scenes_and_shows_their_pictures() {
    let mut window = Window::sized("cloth", [1000.0, 640.0]);
    window.key(Key::H);
    assert!(window.app().settings.panels);
    window.press("Scene cloth-pair");
    window.wait("the scene", |app| app.loaded.as_ref().is_some_and(|l| l.objects.len() == 2));
    assert_eq!(window.app().document.name, "cloth-pair");
    let card = window.harness.get_by_label("Scene cloth").rect();
    let image = window.harness.render().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for y in (card.top() as u32 + 6..card.bottom() as u32 - 6).step_by(3) {
        for x in (card.left() as u32 + 6..card.left() as u32 + 84).step_by(3) {
            seen.insert(image.get_pixel(x, y).0);
        }
    }
    assert!(seen.len() > 20, "a picture, not a plain colour: {} colours", seen.len());
}

#[test]
fn a_preparation_can_be_cancelled_while_the_window_goes_on() {
    let mut window = Window::open("cloth");
    window.key(Key::Space);
    window.wait("running", |app| app.is_running());
    window.app_mut().open("dragon-twin");
    window.wait("a preparation", |app| app.preparing.is_some());
    let frame = window.app().frame.frame;
    window.wait("the old scene going on", |app| app.frame.frame > frame + 3);
    assert!(window.app().preparing.is_some(), "still preparing");
    window.press("Cancel");
    window.wait("the cancellation", |app| app.preparing.is_none());
    assert_eq!(window.app().loaded.as_ref().unwrap().objects.len(), 1);
    assert!(window.app().is_running() && window.app().problem.is_none());
}
