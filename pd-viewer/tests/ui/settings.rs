//! What is set in one session is there in the next.

use crate::common::Window;

use pd_viewer::app::Settings;
use pd_viewer::app::settings::{LeftPage, RightPage, Smooth};
use pd_viewer::draw::{MatCap, Shading, Theme};
use std::collections::BTreeMap;

/// Storage as the window has it, in memory.
#[derive(Clone, Default)]
pub(crate) struct Storage(BTreeMap<String, String>);

impl eframe::Storage for Storage {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

#[test]
fn settings_survive_a_restart() {
    let mut storage = Storage::default();
    let mut window = Window::stored("cloth", &storage);
    assert_eq!(window.app().settings, Settings::default(), "nothing is stored yet");
    window.wait("the scene", |app| app.loaded.is_some());
    window.press("Light");
    window.press("Solver");
    window.press("Limit to real time");
    window.press("Objects");
    window.press("Display");
    window.press("Wireframe");
    window.press("Shadows");
    window.press("MatCap jade");
    window.press("Floor");
    window.press("Antialiasing");
    // The section opens over some passes.
    (0..20).for_each(|_| window.step());
    window.press("Always");
    let app = window.app_mut();
    app.settings.threads = 3;
    app.settings.measure_every = 7;
    app.settings.record_directory = "films".into();
    (app.settings.record_frames, app.settings.record_size) = (33, [320, 200]);
    app.settings.remember("a scene.toml");
    let before = app.settings.clone();
    eframe::App::save(app, &mut storage);
    drop(window);

    let window = Window::stored("cloth", &storage);
    let app = window.app();
    assert_eq!(app.settings, before);
    let expected = Settings {
        dark: false,
        left: LeftPage::Objects,
        right: RightPage::Display,
        real_time: false,
        wireframe: true,
        shadows: false,
        smooth: Smooth::Always,
        threads: 3,
        measure_every: 7,
        record_directory: "films".into(),
        record_frames: 33,
        record_size: [320, 200],
        recent: vec!["a scene.toml".into()],
        look: before.look,
        ..Settings::default()
    };
    assert_eq!(app.settings, expected);
    assert_eq!((app.options.theme, app.options.wireframe, app.options.shadows), (Theme::Light, true, false));
    assert_eq!((app.options.shading, app.options.floor), (Shading::MatCap(MatCap::Jade), false));
    assert_eq!(app.samples(), 4, "asked for, though the CPU draws");
}

#[test]
fn settings_that_cannot_be_read_are_those_of_a_first_start() {
    let mut storage = Storage::default();
    eframe::Storage::set_string(&mut storage, "pd-viewer", "(dark: maybe)".into());
    let mut window = Window::stored("cloth", &storage);
    assert_eq!(window.app().settings, Settings::default());
    window.wait("the scene", |app| app.loaded.is_some());
}
