//! Overlays of the window: help and error messages.

use super::App;
use super::keys::{MOUSE, SHORTCUTS};
use egui::{RichText, Ui};

impl App {
    pub(super) fn show_help(&mut self, ui: &mut Ui) {
        if !self.help {
            return;
        }
        let mut open = true;
        // In a small window the list scrolls.
        let height = (ui.ctx().content_rect().height() - 110.0).max(120.0);
        let window = egui::Window::new("Keys and mouse").open(&mut open).collapsible(false).resizable(false);
        window.default_width(620.0).anchor(egui::Align2::CENTER_TOP, [0.0, 44.0]).show(ui.ctx(), |ui| {
            egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
                ui.columns(2, |columns| {
                    columns[0].heading("Mouse and touchpad");
                    super::widgets::grid(&mut columns[0], "help mouse", |ui| {
                        for (input, words) in MOUSE {
                            ui.label(RichText::new(*input).strong());
                            ui.label(*words);
                            ui.end_row();
                        }
                    });
                    columns[1].heading("Keys");
                    super::widgets::grid(&mut columns[1], "help keys", |ui| {
                        for shortcut in SHORTCUTS {
                            ui.label(RichText::new(shortcut.keys).strong());
                            ui.label(shortcut.words);
                            ui.end_row();
                        }
                    });
                });
            });
        });
        self.help = open;
    }

    pub(super) fn show_problem(&mut self, ui: &mut Ui) {
        let Some(problem) = self.problem.clone() else { return };
        let mut keep = true;
        let window = egui::Window::new("Problem").collapsible(false).resizable(false).default_width(420.0);
        window.anchor(egui::Align2::CENTER_TOP, [0.0, 60.0]).show(ui.ctx(), |ui| {
            ui.label(RichText::new(&problem.what).strong().size(16.0));
            ui.add_space(4.0);
            if !problem.details.is_empty() {
                ui.label(RichText::new(&problem.details).monospace());
                ui.add_space(4.0);
            }
            ui.label(format!("What to do: {}", problem.advice));
            ui.add_space(6.0);
            if ui.button("Dismiss").clicked() {
                keep = false;
            }
        });
        if !keep {
            self.problem = None;
        }
    }
}
