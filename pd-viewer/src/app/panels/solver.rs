//! Stepper, global solver and their parameters. A change is prepared in the background and takes effect while running.

use crate::app::App;
use crate::app::widgets::{choice, count, grid, number, optional, section};
use crate::app::worker::Command;
use egui::Ui;
use pd_cuda::DeviceChoice;

impl App {
    pub(in crate::app) fn solver(&mut self, ui: &mut Ui) {
        section(ui, "Time", true, |ui| self.time(ui));
        section(ui, "Method", true, |ui| self.method(ui));
        section(ui, "Linear solver", true, |ui| self.linear(ui));
        section(ui, "Machine", true, |ui| self.machine(ui));
    }

    fn time(&mut self, ui: &mut Ui) {
        let usual = self.document.desc.substeps();
        let step = &mut self.document.desc.step;
        grid(ui, "time", |ui| {
            let mut substeps = usual;
            number(ui, "Time step", "time of one frame, s", &mut step.dt, 1e-5..=0.5);
            count(ui, "Substeps", "steps per frame", &mut substeps, 1..=100);
            if substeps != usual {
                step.substeps = Some(substeps);
            }
            count(ui, "Iterations", "local/global iterations per step", &mut step.iterations, 1..=1000);
            number(ui, "Tolerance", "ends the iterations early; 0: never", &mut step.tolerance, 0.0..=0.99);
        });
        let real_time = ui.checkbox(&mut self.settings.real_time, "Limit to real time");
        if real_time.changed() {
            self.worker.send(Command::RealTime(self.settings.real_time));
        }
    }

    fn method(&mut self, ui: &mut Ui) {
        let about = |name: &str| {
            match name {
                "pd" => "projective dynamics",
                "pd-anderson" => "with Anderson acceleration",
                "pd-lbfgs" => "quasi-Newton with a memory of five steps",
                "fused-jacobi" => "one Jacobi sweep per local step, Chebyshev; needs no global solver",
                _ => "",
            }
            .to_owned()
        };
        let steppers: Vec<_> =
            self.registry.stepper_names().into_iter().map(|name| (name.to_owned(), about(name))).collect();
        let solvers: Vec<_> = self
            .registry
            .solvers
            .names()
            .map(|name| (name.to_owned(), self.registry.solvers.description(name).unwrap_or("").to_owned()))
            .collect();
        let solver = &mut self.document.desc.solver;
        grid(ui, "method", |ui| {
            choice(ui, "Stepper", "how a step is taken", &mut solver.stepper, &steppers);
            choice(ui, "Global solver", "how the linear system is solved", &mut solver.global, &solvers);
        });
    }

    fn linear(&mut self, ui: &mut Ui) {
        let solver = &mut self.document.desc.solver;
        let mut sweeps = solver.inner_iterations.map(|n| n as f64);
        let mut delay = solver.delay.map(|n| n as f64);
        grid(ui, "linear", |ui| {
            optional(ui, "Sweeps", "most iterations of one linear solve", &mut sweeps, 100.0, 1.0..=1e5);
            optional(
                ui,
                "Residual",
                "relative residual at which a solve ends",
                &mut solver.inner_tolerance,
                1e-6,
                0.0..=1.0,
            );
            optional(ui, "Chebyshev S", "sweeps before the acceleration starts", &mut delay, 10.0, 0.0..=1e4);
            optional(
                ui,
                "Gamma",
                "damping of the Jacobi family, or the factor of SOR",
                &mut solver.gamma,
                0.7,
                1e-3..=1.99,
            );
            optional(
                ui,
                "Rho",
                "spectral radius assumed by Chebyshev",
                &mut solver.rho,
                0.95,
                0.0..=0.999_999,
            );
        });
        solver.inner_iterations = sweeps.map(|n| n.round() as usize);
        solver.delay = delay.map(|n| n.round() as usize);
    }

    fn machine(&mut self, ui: &mut Ui) {
        let before = self.settings.threads;
        grid(ui, "machine", |ui| {
            let tip = "of the solver; 0: all. Results do not depend on it";
            let name = ui.label("Threads").on_hover_text(tip);
            let threads = egui::DragValue::new(&mut self.settings.threads)
                .range(0..=256)
                .speed(0.1)
                .custom_formatter(|n, _| if n == 0.0 { "all".into() } else { format!("{n:.0}") })
                .custom_parser(
                    |text| if text.trim() == "all" { Some(0.0) } else { text.trim().parse().ok() },
                );
            ui.add(threads).labelled_by(name.id).on_hover_text(tip);
            ui.end_row();
            let places: Vec<_> =
                DeviceChoice::ALL.map(|p| (p.name().to_owned(), p.about().to_owned())).into();
            choice(ui, "Device", "where steps are computed", &mut self.settings.device, &places);
        });
        if self.settings.threads != before {
            self.worker.send(Command::Threads(self.settings.threads));
        }
        if let Some(loaded) = &self.loaded {
            ui.label(format!("Runs on {}", loaded.device));
        }
    }
}
