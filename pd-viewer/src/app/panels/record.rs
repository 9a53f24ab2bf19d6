//! Pictures and meshes.

use crate::app::App;
use crate::app::dialogs::Purpose;
use crate::app::recording::Kind;
use egui::Ui;

impl App {
    pub(in crate::app) fn record_page(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            let label = ui.label("Directory");
            let field = egui::TextEdit::singleline(&mut self.settings.record_directory).desired_width(120.0);
            ui.add(field).labelled_by(label.id);
            if ui.button("Browse").clicked() {
                self.ask(Purpose::RecordTo);
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label("Frames");
            let length = egui::DragValue::new(&mut self.settings.record_frames).range(1..=100_000);
            ui.add(length).labelled_by(label.id).on_hover_text("A recording ends after this many frames");
        });
        let size = &mut self.settings.record_size;
        let mut as_view = size[0] == 0;
        if ui.checkbox(&mut as_view, "Pictures at the size of the view").changed() {
            *size = if as_view { [0, 0] } else { [640, 480] };
        }
        if !as_view {
            ui.horizontal(|ui| {
                ui.label("Picture size");
                for (side, name) in size.iter_mut().zip(["Picture width", "Picture height"]) {
                    ui.add(egui::DragValue::new(side).range(16..=4096)).accessible_name(name);
                }
            });
        }
        ui.add_space(4.0);
        match self.recording.active() {
            Some((kind, frames)) => {
                let share = frames as f32 / self.settings.record_frames.max(1) as f32;
                ui.add(egui::ProgressBar::new(share).text(format!("{}: {frames} frames", kind.name())));
                if ui.button("Stop recording").clicked() {
                    self.stop_recording();
                }
            }
            None => {
                let ready = self.loaded.is_some();
                for kind in Kind::ALL {
                    if ui.add_enabled(ready, egui::Button::new(kind.name())).clicked() {
                        self.start_recording(kind);
                    }
                }
            }
        }
        if let Some(last) = &self.recording.last {
            ui.add_space(4.0);
            ui.label(format!("Last: {}", last.display()));
        }
        ui.add_space(6.0);
        ui.label(
            egui::RichText::new(
                "A recording steps the simulation frame by frame, so that none is left out; the window stays free.",
            )
            .weak(),
        );
    }
}
