//! The simulation and its preparations have threads of their own, so messages about a scene may arrive after the window has
//! turned to another. Here they are replayed in the orders that chance seldom makes.

use crate::common::Window;
use pd_viewer::app::advice::Problem;
use pd_viewer::app::worker::{Event, Message, Stage};
use std::sync::Arc;

fn all(about: u64) -> [Message; 5] {
    [
        Event::Preparing(Stage::Meshes),
        Event::Preparing(Stage::Factor),
        Event::Refused(Problem::words("Refused late.", "")),
        Event::Failed(Problem::words("Failed late.", "")),
        Event::Cancelled,
    ]
    .map(|event| Message { about, event })
}

#[test]
fn late_words_about_a_replaced_scene_change_nothing() {
    let mut window = Window::open("cloth");
    let old = window.app().loaded.clone().unwrap();
    window.app_mut().open("bar");
    window.settle();
    let note = window.app().note.clone();
    for message in all(old.id) {
        window.app_mut().take_message(message);
        window.step();
    }
    window.app_mut().take_message(Message { about: old.id, event: Event::Ready(old) });
    window.step();
    let app = window.app();
    assert!(app.problem.is_none() && app.preparing.is_none(), "{:?} {:?}", app.problem, app.preparing);
    assert_eq!((&app.note, app.loaded.as_ref().unwrap().objects[0].solid), (&note, true));
    window.run_frames(2);
}

#[test]
fn words_about_the_scene_before_do_not_touch_the_one_being_prepared() {
    let mut window = Window::open("cloth");
    let old = window.app().loaded.clone().unwrap();
    window.app_mut().open("bar");
    // Before the window hears anything of the new scene.
    for message in all(old.id) {
        window.app_mut().take_message(message);
    }
    assert!(window.app().problem.is_none() && window.app().preparing.is_none());
    window.settle();
    assert!(window.app().problem.is_none());
}

#[test]
fn a_stage_reported_after_the_end_of_its_preparation_is_not_under_way() {
    let mut window = Window::open("cloth");
    let now = window.app().loaded.as_ref().unwrap().id;
    let stage = |about| Message { about, event: Event::Preparing(Stage::Factor) };
    window.app_mut().take_message(stage(now));
    assert!(window.app().preparing.is_none(), "ready already");
    // An edit is given up while its thread is between two stages; the next edit is made all the same.
    window.app_mut().take_message(stage(now + 1));
    assert!(window.app().preparing.is_some());
    window.app_mut().take_message(Message { about: now + 1, event: Event::Cancelled });
    window.app_mut().take_message(stage(now + 1));
    assert!(window.app().preparing.is_none());
    let edge = window.app().document.desc.objects[0].edge.as_ref().unwrap().weight;
    window.app_mut().document.desc.objects[0].edge.as_mut().unwrap().weight = 2.0 * edge;
    window.step();
    window.app_mut().document.desc.objects[0].edge.as_mut().unwrap().weight = 3.0 * edge;
    window.settle();
    window.run_frames(2);
}

#[test]
fn an_emptied_scene_stays_empty_whatever_was_under_way() {
    let mut window = Window::open("cloth");
    let old = window.app().loaded.clone().unwrap();
    window.key(egui::Key::Space);
    window.wait("running", |app| app.is_running());
    window.app_mut().open("bar");
    window.app_mut().document.desc.objects.clear();
    window.step();
    for message in all(old.id).into_iter().chain(all(old.id + 1)) {
        window.app_mut().take_message(message);
    }
    let ready = Message { about: old.id + 1, event: Event::Ready(Arc::clone(&old)) };
    window.app_mut().take_message(ready);
    window.wait("rest", |app| !app.is_running() && app.frame.x.is_empty());
    for _ in 0..100 {
        window.step();
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let app = window.app();
    assert!(app.loaded.is_none() && app.preparing.is_none() && app.problem.is_none(), "{:?}", app.problem);
    window.key(egui::Key::Space);
    window.step();
    assert!(!window.app().is_running(), "there is nothing to run");
    window.app_mut().open("cloth");
    window.settle();
    window.run_frames(2);
}

#[test]
fn a_scene_whose_replacement_was_refused_runs_on_and_is_heard_again() {
    let mut window = Window::open("cloth");
    let old = window.app().loaded.clone().unwrap();
    let mut bad = window.app().document.clone();
    bad.desc.objects[0].scale = Some(-1.0);
    window.app_mut().replace(bad);
    window.wait("the message", |app| app.problem.is_some());
    window.press("Dismiss");
    let failed = Message { about: old.id, event: Event::Failed(Problem::words("Failed now.", "")) };
    window.app_mut().take_message(failed);
    assert!(window.app().problem.is_some(), "it is the one that runs");
    window.press("Dismiss");
    // The scene requested has not run yet, so once it can be made it starts from rest.
    window.app_mut().document.desc.objects[0].scale = Some(2.0);
    window.settle();
    assert!(window.app().loaded.as_ref().unwrap().fresh);
}
