//! Leaving a scene whose changes were not saved: the window asks first.

use super::{App, Document};
use egui::{Id, Modal, RichText, Ui, ViewportCommand};

/// Where to go from a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// To a built-in scene or a file.
    Scene(String),
    /// To an empty scene.
    Empty,
    /// The window closes.
    Window,
}

impl App {
    /// Leaves the scene, at once if nothing would be lost.
    pub fn leave(&mut self, leaving: Leaving) {
        if self.document.is_changed() {
            self.leaving = Some(leaving);
        } else {
            self.go(leaving);
        }
    }

    fn go(&mut self, leaving: Leaving) {
        match leaving {
            Leaving::Scene(name) => self.open(&name),
            Leaving::Empty => self.replace(Document::empty()),
            Leaving::Window => {
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
            self.leaving = Some(Leaving::Window);
        }
    }

    pub(super) fn show_leaving(&mut self, ui: &Ui) {
        let Some(leaving) = self.leaving.clone() else { return };
        let [mut save, mut discard, mut stay] = [false; 3];
        let modal = Modal::new(Id::unique("leaving")).show(ui.ctx(), |ui| {
            ui.set_width(340.0);
            ui.label(RichText::new("The scene has changes that are not saved.").strong().size(16.0));
            ui.add_space(4.0);
            let then = match &leaving {
                Leaving::Scene(name) => format!("{name} is opened in its place."),
                Leaving::Empty => "An empty scene takes its place.".into(),
                Leaving::Window => "The window closes.".into(),
            };
            ui.label(format!("{}: {then}", self.document.name));
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                save = ui.button("Save changes").clicked();
                discard = ui.button("Discard changes").clicked();
                stay = ui.button("Stay here").clicked();
            });
        });
        if save {
            self.save_or_ask();
        }
        if discard || (save && !self.document.is_changed()) {
            self.leaving = None;
            self.go(leaving);
        } else if save || stay || modal.should_close() {
            // Where the file has still to be named, leaving is asked for again afterwards.
            self.leaving = None;
        }
    }
}
