//! The window under test, and waiting for its simulation.

use egui::{Event, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use pd_core::Vec3;
use pd_sim::ModelPaths;
use pd_viewer::app::{App, Settings};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Most time any preparation may take here.
const LIMIT: Duration = Duration::from_secs(120);

/// The software rasteriser uses all cores; windows of several tests at once only slow each other down.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A window with a scene in it.
pub(crate) struct Window {
    pub(crate) harness: Harness<'static, App>,
    _turn: MutexGuard<'static, ()>,
}

impl Window {
    /// Opens a window and waits until its scene is ready.
    pub(crate) fn open(scene: &str) -> Self {
        Self::sized(scene, [760.0, 480.0])
    }

    pub(crate) fn sized(scene: &str, size: [f32; 2]) -> Self {
        let mut window = Self::bare(scene, size);
        window.wait("the scene", |app| app.loaded.is_some() && app.is_settled());
        window
    }

    /// Opens a window with what a session before has stored, without waiting for anything.
    pub(crate) fn stored(scene: &str, storage: &crate::settings::Storage) -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let (scene, storage) = (scene.to_owned(), storage.clone());
        let builder = Harness::builder().with_size([1280.0, 900.0]).with_max_steps(4).wgpu();
        let harness = builder.build_eframe(move |creation| {
            // Storage must live as long as the harness; a few bytes of a test.
            creation.storage = Some(Box::leak(Box::new(storage)));
            App::new(creation, Some(&scene), ModelPaths::default()).unwrap()
        });
        Self { harness, _turn: turn }
    }

    /// Opens a window without waiting for anything.
    pub(crate) fn bare(scene: &str, size: [f32; 2]) -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let scene = scene.to_owned();
        let harness =
            Harness::builder().with_size(size).with_max_steps(4).wgpu().build_eframe(move |creation| {
                assert!(
                    creation.wgpu_render_state.is_some(),
                    "no graphics adapter: install mesa-vulkan-drivers"
                );
                let mut app = App::new(creation, Some(&scene), ModelPaths::default()).unwrap();
                app.settings = Settings { real_time: false, panels: false, ..Settings::default() };
                app.worker.send(pd_viewer::app::Command::RealTime(false));
                app
            });
        Self { harness, _turn: turn }
    }

    pub(crate) fn app(&self) -> &App {
        self.harness.state()
    }

    pub(crate) fn app_mut(&mut self) -> &mut App {
        self.harness.state_mut()
    }

    pub(crate) fn step(&mut self) {
        self.harness.step();
    }

    /// Draws until a condition holds.
    pub(crate) fn wait(&mut self, what: &str, mut done: impl FnMut(&App) -> bool) {
        let start = Instant::now();
        loop {
            self.harness.step();
            if done(self.harness.state()) {
                return;
            }
            assert!(start.elapsed() < LIMIT, "waited in vain for {what}: {}", self.state());
            std::thread::sleep(Duration::from_millis(4));
        }
    }

    /// What a wait in vain is to be understood from.
    fn state(&self) -> String {
        let app = self.app();
        let loaded = app.loaded.as_ref().map(|loaded| (loaded.id, &loaded.desc.objects, &loaded.desc.solver));
        let frame = &app.frame;
        format!(
            "problem {:?}, preparing {:?}, note {:?}, frame {} of scene {}, running {}, loaded {loaded:?}, document {:?}",
            app.problem,
            app.preparing,
            app.note,
            frame.frame,
            frame.scene,
            frame.running,
            (&app.document.desc.objects, &app.document.desc.solver),
        )
    }

    /// Waits for the edit last made to take effect.
    pub(crate) fn settle(&mut self) {
        let bodies = |desc: &pd_sim::scene::SceneDesc| {
            let mut objects = desc.objects.clone();
            objects.iter_mut().for_each(|object| object.display = Default::default());
            (objects, desc.solver.clone(), desc.step.dt)
        };
        self.step();
        self.wait("the edit", |app| {
            let wanted = bodies(&app.document.desc);
            // A scene that looks the same may still be the one before.
            app.is_settled()
                && app.preparing.is_none()
                && app.loaded.as_ref().is_some_and(|loaded| bodies(&loaded.desc) == wanted)
        });
    }

    /// Runs so many frames and pauses.
    pub(crate) fn run_frames(&mut self, frames: u64) {
        // The frame shown may still be one of the scene before.
        self.wait("a frame of the scene", |app| {
            app.loaded.as_ref().is_some_and(|loaded| loaded.id == app.frame.scene)
        });
        let goal = self.app().frame.frame + frames;
        self.app_mut().worker.send(pd_viewer::app::Command::Step(frames));
        self.wait("frames", |app| app.frame.frame >= goal || app.problem.is_some());
        assert!(self.app().problem.is_none(), "{:?}", self.app().problem);
    }

    /// Where a vertex is in the window.
    pub(crate) fn place(&self, vertex: u32) -> Pos2 {
        let app = self.app();
        let at = app.vertex(vertex).unwrap();
        let [x, y, _] =
            app.camera.project(at, app.viewport.size()).expect("the vertex is in front of the camera");
        let pixels = self.harness.ctx.pixels_per_point();
        app.viewport.rect().unwrap().min + egui::vec2(x as f32, y as f32) / pixels
    }

    pub(crate) fn vertex(&self, vertex: u32) -> Vec3 {
        self.app().vertex(vertex).unwrap()
    }

    pub(crate) fn pointer(&mut self, to: Pos2) {
        self.harness.event(Event::PointerMoved(to));
        self.step();
    }

    pub(crate) fn button(&mut self, pos: Pos2, button: PointerButton, pressed: bool, modifiers: Modifiers) {
        self.harness.event_modifiers(Event::PointerButton { pos, button, pressed, modifiers }, modifiers);
        self.step();
    }

    /// Presses, moves in steps, and leaves the button down.
    pub(crate) fn drag(&mut self, button: PointerButton, from: Pos2, to: Pos2) {
        self.pointer(from);
        self.button(from, button, true, Modifiers::NONE);
        for k in 1..=4 {
            self.pointer(from + (to - from) * (k as f32 / 4.0));
        }
    }

    pub(crate) fn release(&mut self, button: PointerButton, at: Pos2) {
        self.button(at, button, false, Modifiers::NONE);
        self.step();
    }

    pub(crate) fn click(&mut self, at: Pos2, modifiers: Modifiers) {
        self.pointer(at);
        self.button(at, PointerButton::Primary, true, modifiers);
        self.button(at, PointerButton::Primary, false, modifiers);
        self.step();
    }

    pub(crate) fn key(&mut self, key: egui::Key) {
        self.harness.key_press(key);
        self.step();
        self.step();
    }

    pub(crate) fn keys(&mut self, modifiers: Modifiers, key: egui::Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.step();
        self.step();
    }

    /// Clicks the widget of this name.
    pub(crate) fn press(&mut self, label: &str) {
        // A window of egui that has just opened is measured first and shown in the next pass.
        self.step();
        self.harness.get_by_label(label).click();
        self.step();
        self.step();
    }

    pub(crate) fn has(&self, label: &str) -> bool {
        self.harness.query_by_label(label).is_some()
    }

    pub(crate) fn has_text(&self, part: &str) -> bool {
        self.harness.query_all_by_label_contains(part).next().is_some()
    }
}
