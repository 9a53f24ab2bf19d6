//! The frame around the view: tool bar, panels, status bar.

use super::dialogs::Purpose;
use super::keys::{self, Action, Tool};
use super::settings::{LeftPage, RightPage};
use super::worker::Command;
use super::{App, Selected, edit, recording, settings};
use egui::{Align, Layout, Panel, RichText, ScrollArea, Ui};

impl eframe::App for App {
    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        self.take_in();
        self.hold_window(ui);
        for action in keys::pressed(ui.ctx()) {
            self.act(action);
        }
        // A text field that loses focus in this pass would write its text into the wrong scene.
        let opened = std::mem::take(&mut self.typing).then(|| self.document.desc.clone());
        let before = self.documents;
        Panel::top("tool bar").show(ui, |ui| self.tool_bar(ui));
        Panel::bottom("status bar").show(ui, |ui| self.status_bar(ui, frame));
        if self.settings.panels {
            Panel::left("left panel")
                .default_size(272.0)
                .size_range(220.0..=420.0)
                .show(ui, |ui| self.left(ui));
            Panel::right("right panel")
                .default_size(292.0)
                .size_range(220.0..=460.0)
                .show(ui, |ui| self.right(ui));
        }
        egui::CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| self.show_stage(ui));
        self.show_help(ui);
        self.show_problem(ui);
        self.show_unsaved_changes(ui);
        if let Some(desc) = opened.filter(|_| self.documents == before) {
            self.document.desc = desc;
        }
        self.record();
        let busy = ui.input(|input| input.pointer.any_down()) || ui.ctx().egui_wants_keyboard_input();
        if !busy {
            self.document.commit();
        }
        self.send_scene(false);
        if self.preparing.is_some() {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, settings::KEY, &self.settings);
    }
}

impl App {
    /// Executes the action of a key or a button.
    pub fn act(&mut self, action: Action) {
        match action {
            // A recording steps the simulation itself; an additional step would be missing in it.
            Action::RunPause if self.recording.is_filming() => self.stop_recording(),
            Action::Step if self.recording.is_filming() => {}
            Action::RunPause => self.worker.send(Command::Run(!self.is_running())),
            Action::Step => self.worker.send(Command::Step(1)),
            Action::Restart => {
                self.problem = None;
                self.history = Default::default();
                self.worker.send(Command::Restart);
            }
            Action::FrameAll => self.frame_all(),
            Action::Panels => self.settings.panels = !self.settings.panels,
            Action::Help => self.help = !self.help,
            Action::Undo => self.document.undo(),
            Action::Redo => self.document.redo(),
            Action::Save => self.save_or_ask(),
            Action::Open => self.ask(Purpose::Open),
            Action::Remove => self.remove_selected(),
            Action::Duplicate => self.duplicate_selected(),
            Action::Keep => self.worker.send(Command::Keep),
            Action::Restore => self.worker.send(Command::Restore),
            Action::Screenshot => self.start_recording(recording::Kind::Screenshot),
            Action::Escape if self.unsaved_changes.is_some() => self.unsaved_changes = None,
            Action::Escape if self.help => self.help = false,
            Action::Escape if self.problem.is_some() => self.problem = None,
            Action::Escape => self.escape(),
            Action::Tool(tool) => self.tool = tool,
        }
        self.redraw = true;
        self.fix_selection();
    }

    /// After an undo the selected object may be gone.
    fn fix_selection(&mut self) {
        let gone = match self.selected {
            Selected::Nothing => false,
            Selected::Object(k) => k >= self.document.desc.objects.len(),
            Selected::Obstacle(k) => k >= self.document.desc.colliders.len(),
        };
        if gone {
            self.selected = Selected::Nothing;
            self.vertices.clear();
        }
    }

    pub(super) fn ask(&mut self, purpose: Purpose) {
        let context = self.context.clone();
        self.dialogs.ask(purpose, move || context.request_repaint());
    }

    pub(super) fn save_or_ask(&mut self) {
        let path = std::path::PathBuf::from(&self.document.name);
        if path.extension().is_some_and(|extension| extension == "toml") {
            self.save(&path);
        } else {
            self.ask(Purpose::Save);
        }
    }

    /// Removes the selected object.
    pub fn remove_selected(&mut self) {
        match self.selected {
            Selected::Nothing => return,
            Selected::Object(k) => edit::remove_object(&mut self.document.desc, k),
            Selected::Obstacle(k) if k < self.document.desc.colliders.len() => {
                self.document.desc.colliders.remove(k);
            }
            Selected::Obstacle(_) => {}
        }
        self.selected = Selected::Nothing;
        self.vertices.clear();
    }

    /// Duplicates the selected object and selects the copy.
    pub fn duplicate_selected(&mut self) {
        let desc = &mut self.document.desc;
        self.selected = match self.selected {
            Selected::Nothing => Selected::Nothing,
            Selected::Object(k) => {
                edit::duplicate_object(desc, k).map_or(Selected::Nothing, Selected::Object)
            }
            Selected::Obstacle(k) => {
                edit::duplicate_obstacle(desc, k).map_or(Selected::Nothing, Selected::Obstacle)
            }
        };
        self.vertices.clear();
    }

    fn tool_bar(&mut self, ui: &mut Ui) {
        ui.add_space(3.0);
        ui.horizontal_wrapped(|ui| {
            let ready = self.loaded.is_some();
            let running = self.is_running();
            let clicked = |ui: &mut Ui, enabled: bool, text: &str, tip: &str, action: Action| {
                let button = ui.add_enabled(enabled, egui::Button::new(text)).on_hover_text(tip);
                button.clicked().then_some(action)
            };
            let run = if running { "Pause" } else { "Run" };
            let mut actions = vec![
                clicked(ui, ready, run, "Space", Action::RunPause),
                clicked(ui, ready, "Step", "One frame: .", Action::Step),
                clicked(ui, ready, "Restart", "R", Action::Restart),
                clicked(ui, ready, "Keep", "Keep the state: K", Action::Keep),
                clicked(ui, ready, "Restore", "Return to the stored state: J", Action::Restore),
            ];
            ui.separator();
            let (undo, redo) = (self.document.can_undo(), self.document.can_redo());
            actions.push(clicked(ui, undo, "Undo", "Ctrl+Z", Action::Undo));
            actions.push(clicked(ui, redo, "Redo", "Ctrl+Shift+Z", Action::Redo));
            actions.push(clicked(ui, true, "Save", "Ctrl+S", Action::Save));
            ui.separator();
            for tool in Tool::ALL {
                let chosen = self.tool == tool;
                if ui.selectable_label(chosen, tool.name()).on_hover_text(tool.about()).clicked() {
                    actions.push(Some(Action::Tool(tool)));
                }
            }
            self.tool_options(ui);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.button("Help").on_hover_text("F1").clicked() {
                    self.help = !self.help;
                }
                let theme = if self.settings.dark { "Light" } else { "Dark" };
                if ui.button(theme).on_hover_text("Light or dark theme").clicked() {
                    self.settings.dark = !self.settings.dark;
                    self.apply_theme();
                }
                let panels = if self.settings.panels { "Hide panels" } else { "Show panels" };
                if ui.button(panels).on_hover_text("H").clicked() {
                    self.settings.panels = !self.settings.panels;
                }
                if ui.button("Frame").on_hover_text("Show everything: F").clicked() {
                    self.frame_all();
                }
            });
            for action in actions.into_iter().flatten() {
                self.act(action);
            }
        });
        ui.add_space(2.0);
    }

    fn tool_options(&mut self, ui: &mut Ui) {
        if self.tool == Tool::Brush {
            let label = ui.label("factor");
            ui.add(super::widgets::drag(&mut self.viewport.brush_factor, 1e-3..=1e3)).labelled_by(label.id);
            let label = ui.label("radius");
            ui.add(egui::DragValue::new(&mut self.viewport.brush_radius).range(2.0..=200.0))
                .labelled_by(label.id);
        }
        if matches!(self.tool, Tool::Brush | Tool::Box | Tool::Lasso) {
            ui.checkbox(&mut self.viewport.front_only, "front only");
        }
    }

    fn status_bar(&mut self, ui: &mut Ui, frame: &eframe::Frame) {
        ui.horizontal(|ui| {
            if let Some((stage, since)) = self.preparing {
                let words = format!("{}: {:.1} s", stage.words(), since.elapsed().as_secs_f32());
                ui.add(egui::ProgressBar::new(stage.share()).desired_width(220.0).text(words).animate(true));
                if ui.button("Cancel").clicked() {
                    self.worker.send(Command::Cancel);
                }
            } else {
                ui.label(&self.note);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let work = self.frame.wall.as_secs_f64();
                self.pass =
                    std::time::Duration::from_secs_f32(frame.info().cpu_usage.unwrap_or(0.0).max(0.0));
                ui.label(format!("window {:.1} ms", self.pass.as_secs_f64() * 1e3));
                ui.separator();
                ui.label(format!("step {:.2} ms", work * 1e3));
                ui.separator();
                ui.label(self.rate());
                ui.separator();
                ui.label(format!("frame {}, {:.2} s", self.frame.frame, self.frame.time));
                ui.separator();
                let changed = if self.document.is_changed() { " *" } else { "" };
                ui.label(RichText::new(format!("{}{changed}", self.document.name)).strong());
            });
        });
    }

    /// How fast the simulation runs, as text.
    pub(super) fn rate(&self) -> String {
        match self.is_running() {
            true => format!("{:.0} frames/s", self.frame.rate),
            false => "paused".into(),
        }
    }

    fn left(&mut self, ui: &mut Ui) {
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            for (page, name) in [(LeftPage::Scenes, "Scenes"), (LeftPage::Objects, "Objects")] {
                ui.selectable_value(&mut self.settings.left, page, name);
            }
        });
        ui.separator();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match self.settings.left {
            LeftPage::Scenes => self.browser(ui),
            LeftPage::Objects => self.objects(ui),
        });
    }

    fn right(&mut self, ui: &mut Ui) {
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            let pages = [
                (RightPage::Physics, "Physics"),
                (RightPage::Solver, "Solver"),
                (RightPage::Display, "Display"),
                (RightPage::Measure, "Measure"),
                (RightPage::Record, "Record"),
            ];
            ui.spacing_mut().item_spacing.x = 1.0;
            ui.spacing_mut().button_padding.x = 4.0;
            for (page, name) in pages {
                ui.selectable_value(&mut self.settings.right, page, name);
            }
        });
        ui.separator();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match self.settings.right {
            RightPage::Physics => self.physics(ui),
            RightPage::Solver => self.solver(ui),
            RightPage::Display => self.display(ui),
            RightPage::Measure => self.measure_page(ui),
            RightPage::Record => self.record_page(ui),
        });
    }
}
