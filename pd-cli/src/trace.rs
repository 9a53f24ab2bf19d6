//! `--trace`: one row of numbers a frame, as CSV.

use pd_core::StepReport;
use std::io::{self, Write};

/// Rows collected during a run; written in one go, so that a failed run leaves no half file.
#[derive(Default)]
pub(crate) struct Trace {
    rows: Vec<String>,
}

const HEADER: &str = "frame,time,kinetic,elastic,potential,total,objective,residual,worst_strain,max_edge_strain,\
                      inverted,iterations,linear_iterations,collisions,predict_ms,local_ms,global_ms,collide_ms";

impl Trace {
    pub(crate) fn push(&mut self, frame: u64, time: f64, edge_strain: f64, report: &StepReport) {
        let m = report.measures.unwrap_or_default();
        let s = report.stages;
        let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
        self.rows.push(format!(
            "{frame},{time},{},{},{},{},{},{},{},{edge_strain},{},{},{},{},{:.4},{:.4},{:.4},{:.4}",
            m.kinetic,
            m.elastic,
            m.potential,
            m.kinetic + m.elastic + m.potential,
            m.objective,
            m.residual,
            m.strain.worst,
            m.strain.inverted,
            report.iterations,
            report.linear_iterations,
            report.collisions,
            ms(s.predict),
            ms(s.local),
            ms(s.global),
            ms(s.collide),
        ));
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")?;
        self.rows.iter().try_for_each(|row| writeln!(out, "{row}"))
    }
}
