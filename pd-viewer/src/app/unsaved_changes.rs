//! Unsaved changes: the window asks before it leaves a scene.

use super::{App, Document};
use egui::{Id, Modal, RichText, Ui, ViewportCommand};

/// What replaces the scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To a built-in scene or a file.
    Scene(String),
    /// To an empty scene.
    Empty,
    /// The window closes.
    Window,
}

impl App {
    /// Leaves the scene, immediately if there are no unsaved changes.
    pub fn leave(&mut self, destination: Destination) {
        if self.document.is_changed() {
            self.unsaved_changes = Some(destination);
        } else {
            self.go(destination);
        }
    }

    fn go(&mut self, destination: Destination) {
        match destination {
            Destination::Scene(name) => self.open(&name),
            Destination::Empty => self.replace(Document::empty()),
            Destination::Window => {
                self.closing = true;
                self.context.send_viewport_cmd(ViewportCommand::Close);
            }
        }
    }

    /// Keeps the window open while there is something to be saved.
    pub(super) fn hold_window(&mut self, ui: &Ui) {
        let asked = ui.input(|input| input.viewport().close_requested());
        if asked && !self.closing && self.document.is_changed() {
            ui.ctx().send_viewport_cmd(ViewportCommand::CancelClose);
            self.unsaved_changes = Some(Destination::Window);
        }
    }

    pub(super) fn show_unsaved_changes(&mut self, ui: &Ui) {
        let Some(destination) = self.unsaved_changes.clone() else { return };
        let [mut save, mut discard, mut stay] = [false; 3];
        let modal = Modal::new(Id::unique("unsaved changes")).show(ui.ctx(), |ui| {
            ui.set_width(340.0);
            ui.label(RichText::new("The scene has changes that are not saved.").strong().size(16.0));
            ui.add_space(4.0);
            let then = match &destination {
                Destination::Scene(name) => format!("{name} is opened in its place."),
                Destination::Empty => "An empty scene takes its place.".into(),
                Destination::Window => "The window closes.".into(),
            };
            ui.label(format!("{}: {then}", self.document.name));
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                save = ui.button("Save changes").clicked();
                discard = ui.button("Discard changes").clicked();
                stay = ui.button("Keep editing").clicked();
            });
        });
        if save {
            self.save_or_ask();
        }
        if discard || (save && !self.document.is_changed()) {
            self.unsaved_changes = None;
            self.go(destination);
        } else if save || stay || modal.should_close() {
            // If the file has no name yet, the user is asked again after saving.
            self.unsaved_changes = None;
        }
    }
}
