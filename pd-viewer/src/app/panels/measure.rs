//! Rates, times, counts, plots.

use crate::app::App;
use crate::app::widgets::{grid, section};
use crate::app::worker::Command;
use egui::Ui;
use egui_plot::{Legend, Line, Plot, PlotPoints};

impl App {
    pub(in crate::app) fn measure_page(&mut self, ui: &mut Ui) {
        section(ui, "Time per frame", true, |ui| self.times(ui));
        section(ui, "Counts", true, |ui| self.counts(ui));
        section(ui, "Convergence", true, |ui| {
            let curves = [
                ("reduction", self.history.reduction.points()),
                ("residual, N", self.history.residual.points()),
            ];
            plot(ui, "Plot of convergence", "log10", curves);
        });
        section(ui, "Energy", true, |ui| {
            let history = &self.history;
            let curves = [
                ("kinetic, J", history.kinetic.points()),
                ("elastic, J", history.elastic.points()),
                ("total, J", history.total.points()),
            ];
            plot(ui, "Plot of energy", "J", curves);
        });
        ui.horizontal(|ui| {
            let label = ui.label("Measure every");
            let every =
                egui::DragValue::new(&mut self.settings.measure_every).range(0..=1000).suffix(" frames");
            let tip = "Energies and residual cost one more local step per iteration; 0: never";
            if ui.add(every).labelled_by(label.id).on_hover_text(tip).changed() {
                self.worker.send(Command::Measure(self.settings.measure_every));
            }
        });
    }

    fn times(&mut self, ui: &mut Ui) {
        let stages = self.frame.report.stages;
        let ms = |duration: std::time::Duration| duration.as_secs_f64() * 1e3;
        let precompute = self.loaded.as_ref().map_or(0.0, |loaded| ms(loaded.prepare));
        let bars = [
            ("Predict", ms(stages.predict), "where inertia and forces lead"),
            ("Local", ms(stages.local), "projections of the constraints"),
            ("Global", ms(stages.global), "linear solves"),
            ("Collision", ms(stages.collide), "obstacles"),
            ("Render", ms(self.upload), "normals and colours, and their way to the graphics driver"),
            ("Window", ms(self.pass), "a whole pass of the window, on its own thread"),
        ];
        let most = bars.iter().map(|bar| bar.1).fold(1e-3, f64::max);
        grid(ui, "times", |ui| {
            ui.label("Simulation");
            ui.label(format!("{} ({:.2} ms each)", self.rate(), ms(self.frame.wall)));
            ui.end_row();
            for (name, value, tip) in bars {
                ui.label(name).on_hover_text(tip);
                let share = (value / most) as f32;
                ui.add(egui::ProgressBar::new(share).desired_width(130.0).text(format!("{value:.2} ms")));
                ui.end_row();
            }
            ui.label("Precompute");
            ui.label(format!("{precompute:.0} ms"));
            ui.end_row();
        });
    }

    fn counts(&mut self, ui: &mut Ui) {
        let Some(loaded) = &self.loaded else { return };
        let report = &self.frame.report;
        let rows = [
            ("Vertices", loaded.rest.len().to_string()),
            ("Elements", loaded.elements.to_string()),
            ("Constraints", loaded.constraints.to_string()),
            ("Iterations", report.iterations.to_string()),
            ("Linear sweeps", report.linear_iterations.to_string()),
            ("Contacts", report.collisions.to_string()),
        ];
        grid(ui, "counts", |ui| {
            for (name, value) in rows {
                ui.label(name);
                ui.label(value);
                ui.end_row();
            }
            if let Some(last) = &self.history.last {
                ui.label("Worst strain");
                ui.label(format!("{:.1} %", last.strain.worst * 100.0));
                ui.end_row();
                ui.label("Inverted");
                ui.label(last.strain.inverted.to_string());
                ui.end_row();
            }
        });
    }
}

fn plot<const N: usize>(ui: &mut Ui, name: &str, unit: &str, curves: [(&str, Vec<[f64; 2]>); N]) {
    let plot = Plot::new(name)
        .height(130.0)
        .legend(Legend::default().text_style(egui::TextStyle::Small))
        .y_axis_label(unit)
        .allow_scroll(false)
        .allow_drag(false)
        .allow_zoom(false);
    let response = plot.show(ui, |plot| {
        for (name, points) in curves {
            plot.line(Line::new(name, PlotPoints::from(points)));
        }
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Image, true, name));
}
