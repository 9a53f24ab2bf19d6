//! Tables 7.4 and 7.5 at the thesis' fixed iteration counts: frame rates by global solver, with the error each leaves.

use super::{Part, row_name};
use crate::compare::{Contender, Reference};
use crate::device::{self, Global};
use crate::lab::{Lab, Stand, TableError};
use crate::published::{Fps, SOLVER_NAMES, SOLVERS, SolverRow};
use crate::{Cell, Column, Outcome, Table};
use pd_linear::SolverOptions;
use pd_sim::scene::SceneDesc;

/// The frame after which errors are measured: bodies are in motion and, where they fall, in contact.
pub(super) fn frame(scene: &str) -> u64 {
    if scene == "ball" { 45 } else { 20 }
}
/// Sweeps by which a dense solver is timed before the rest is estimated.
const DENSE_SWEEPS: usize = 4;

/// `which` indexes the five published solvers.
pub(super) fn make(lab: &Lab<'_>, id: &str, which: &[usize]) -> Result<Part, TableError> {
    let columns = vec![
        Column::fixed("scene"),
        Column::fixed("solver"),
        Column::fixed("iterations"),
        Column::fixed("FPS, published"),
        Column::timing(format!("FPS here, {} threads", lab.threads)),
        Column::timing("here / published"),
        Column::fixed("error left"),
        Column::timing("device"),
        Column::fixed("note"),
    ];
    let about = String::from(
        "Frames a second at the iterations of the thesis (local/global × sweeps). The Jacobi family is run as published, \
         faults included, except that each solve starts at the present positions instead of zero. Error left: distance of one \
         frame (the 21st; the 46th of the ball, when it is in contact) to the converged step, relative to the motion of the \
         frame. `panels` is added as the fastest exact solve here. For all solvers at equal error see below.",
    );
    let title = format!("Table {id}: global solvers at the published iteration counts");
    let mut table = Table::new(id, &title, about, columns);
    for row in SOLVERS.iter().filter(|row| lab.wants(row.scene)) {
        for stand in lab.stand_ins(row.scene, row.twin)? {
            let name = row_name(row.name, stand);
            let (Stand::Scene(scene) | Stand::Twin(scene)) = stand else {
                table.push(vec![
                    Cell::text(&name),
                    Cell::text("all"),
                    Cell::Empty,
                    Cell::Empty,
                    Cell::Outcome(Outcome::ModelNotPresent),
                ]);
                continue;
            };
            let reference = lab.reference(scene, row.iterations.0, frame(scene))?;
            for &k in which {
                table.push(measure(lab, &name, scene, row, SOLVER_NAMES[k], row.fps[k], &reference)?);
            }
            if which.contains(&0) {
                table.push(measure(lab, &name, scene, row, ("panels", "panels"), row.fps[0], &reference)?);
            }
        }
    }
    Ok(Part { tables: vec![table], figures: vec![] })
}

fn measure(
    lab: &Lab<'_>,
    name: &str,
    scene: &str,
    row: &SolverRow,
    (label, global): (&str, &str),
    published: Fps,
    reference: &Reference,
) -> Result<Vec<Cell>, TableError> {
    let (outer, sweeps) = row.iterations;
    let direct = matches!(global, "cholesky" | "panels");
    let dense = global.starts_with("dense");
    // The naive solver knows no γ.
    let gamma = if dense { None } else { row.gamma };
    let options = if direct {
        SolverOptions::default()
    } else {
        SolverOptions { iterations: Some(sweeps), gamma, ..Default::default() }
    };
    // The same sweeps on the sparse matrix tell the error without the cost of the dense one.
    let same = if dense { "jacobi-published" } else { global };
    lab.report_progress(&format!("{scene}: error of {global}"));
    let error = reference.error_after(lab, &Contender::new("pd", same, options), outer)?;
    let set = |desc: &mut SceneDesc, sweeps: usize, outer: usize| {
        desc.step.iterations = outer;
        desc.solver.global = global.into();
        desc.solver.inner_iterations = options.iterations.map(|_| sweeps);
        desc.solver.gamma = gamma;
    };
    let fps = match &error {
        // A solver that diverges has no rate.
        Err(outcome) => Cell::Outcome(outcome.clone()),
        Ok(_) if dense => {
            let desc = lab.describe(scene, |desc| set(desc, DENSE_SWEEPS, 1))?;
            let rates = lab.rates(scene, desc, lab.threads)?;
            let scale = (outer * sweeps) as f64 / DENSE_SWEEPS as f64;
            rates.map_or_else(Cell::Outcome, |rates| Cell::About(rates.fps[1] / scale))
        }
        Ok(_) => {
            let desc = lab.describe(scene, |desc| set(desc, sweeps, outer))?;
            Cell::from(lab.rates(scene, desc, lab.threads)?.map(|rates| rates.fps[1]))
        }
    };
    let device = match label.strip_prefix("A-Jacobi ").and_then(|order| order.parse().ok()) {
        Some(order) => {
            let desc = lab.describe(scene, |desc| desc.step.iterations = outer)?;
            device::rates(lab, scene, desc, &Global::AJacobi(order, sweeps))?
        }
        None => Cell::Empty,
    };
    let iterations = if direct { outer.to_string() } else { format!("{outer} × {sweeps}") };
    let published = published.cell();
    Ok(vec![
        Cell::text(name),
        Cell::text(label),
        Cell::text(iterations),
        if label == "panels" { Cell::Empty } else { published.clone() },
        fps.clone(),
        fps.over(&published),
        Cell::from(error.map(|point| point.error)),
        device,
        Cell::text(note(row.scene, label)),
    ])
}

fn note(scene: &str, label: &str) -> &'static str {
    match (scene, label) {
        (_, "panels") => "not in the thesis; ratio to its Cholesky",
        (_, "Cholesky") => "thesis: Eigen, single precision, three times as many unknowns as needed",
        ("bunny", "naive Jacobi" | "A-Jacobi 1" | "A-Jacobi 2" | "A-Jacobi 3") => {
            "λmax(D⁻¹A) is near 4, so γ = 1 diverges; any γ below 0.5 converges, contrary to the thesis"
        }
        ("ball", "naive Jacobi") => "diverges for the same reason: γ = 1 is beyond 2/λmax",
        ("ball", _) => "γ = 0.7 as published",
        ("cloth-100", "naive Jacobi") => "(3n)² numbers; the thesis reports \"out of memory\"",
        (_, "naive Jacobi") => "dense 3n × 3n matrix; rate estimated from a few sweeps",
        ("cloth-100", "A-Jacobi 1") => {
            "5 × 200 is the setting recorded in the thesis' program; it is not converged"
        }
        (_, "A-Jacobi 2" | "A-Jacobi 3") => {
            "slower than order 1 in the thesis because its kernel advances equal sequences; R^l is no better polynomial"
        }
        _ => "",
    }
}
