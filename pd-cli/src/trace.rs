//! `--trace`: one row of numbers per frame, as CSV. Values that were not measured or do not apply are empty.

use pd_collide::contact::Contacts;
use pd_core::{ContactReport, Measures, StepReport};
use pd_sim::audit::{Account, Audit};
use pd_sim::scene::SceneRun;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Rows collected during a run; written at once, so that a failed run leaves no incomplete file.
#[derive(Default)]
pub(crate) struct Trace {
    rows: Vec<String>,
    /// Whether there are columns of contact.
    apart: bool,
    /// Names of the bodies whose contact forces are written.
    bodies: Vec<String>,
    contacts: Contacts,
}

const HEADER: &str = "frame,time,kinetic,elastic,potential,total,objective,residual,worst_strain,max_edge_strain,\
                      inverted,iterations,linear_iterations,collisions,predict_ms,local_ms,global_ms,collide_ms,\
                      momentum_x,momentum_y,momentum_z,angular_x,angular_y,angular_z,faults";

/// Columns of steppers with intersection-free contact.
const CONTACT: &str = ",contacts,min_gap,clamped,rebuilds";

impl Trace {
    /// A trace of this run; if the stepper provides contacts, with the resultant force on every body.
    pub(crate) fn new(run: &SceneRun) -> Self {
        let mut trace = Self { apart: run.sim.stepper().keeps_surfaces_apart(), ..Self::default() };
        if run.sim.contacts(&mut trace.contacts) {
            trace.bodies = run.scene.surface_names();
        }
        trace
    }

    pub(crate) fn push(&mut self, run: &SceneRun, edge_strain: f64, report: &StepReport, audit: &Audit) {
        let m = report.measures;
        let s = report.stages;
        let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
        let measured = |value: fn(&Measures) -> f64| text(m.as_ref().map(value));
        // Energies and strain follow from the state, whether or not the steppers measure.
        let totals = Account::of(&run.scene, &run.sim).total();
        let energies = [totals.kinetic, totals.elastic, totals.potential];
        let vertices = run.sim.model.elastic().len();
        let strain = (vertices > 0 && run.sim.model.constraints() > 0)
            .then(|| run.sim.model.strain(&run.sim.state.x[..vertices]));
        let contact = |value: fn(&ContactReport) -> f64| text(report.contact.as_ref().map(value));
        let mut row = format!(
            "{},{},{},{},{},{},{},{},{},{edge_strain},{},{},{},{},{:.4},{:.4},{:.4},{:.4}",
            run.frame(),
            run.sim.state.time,
            energies[0],
            energies[1],
            energies[2],
            totals.energy(),
            measured(|m| m.objective),
            measured(|m| m.residual),
            text(strain.map(|s| s.worst)),
            text(strain.map(|s| s.inverted as f64)),
            report.iterations,
            report.linear_iterations,
            report.collisions,
            ms(s.predict),
            ms(s.local),
            ms(s.global),
            ms(s.collide),
        );
        // Writing to a string cannot fail.
        for value in totals.momentum.iter().chain(&totals.angular) {
            let _ = write!(row, ",{value}");
        }
        let _ = write!(row, ",{}", audit.faults(run));
        if self.apart {
            let gap = text(report.contact.map(|c| c.min_gap).filter(|gap| gap.is_finite()));
            let [contacts, clamped, rebuilds] = [
                contact(|c| c.contacts as f64),
                contact(|c| c.clamped as f64),
                contact(|c| c.rebuilds as f64),
            ];
            let _ = write!(row, ",{contacts},{gap},{clamped},{rebuilds}");
        }
        if !self.bodies.is_empty() {
            run.sim.contacts(&mut self.contacts);
            for force in self.contacts.resultants(self.bodies.len()) {
                let _ = write!(row, ",{},{},{}", force.x, force.y, force.z);
            }
        }
        self.rows.push(row);
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{HEADER}{}", if self.apart { CONTACT } else { "" })?;
        for body in &self.bodies {
            let body = body.replace([',', '"', '\n'], "_");
            write!(out, ",force_x {body},force_y {body},force_z {body}")?;
        }
        writeln!(out)?;
        self.rows.iter().try_for_each(|row| writeln!(out, "{row}"))
    }
}

fn text(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
