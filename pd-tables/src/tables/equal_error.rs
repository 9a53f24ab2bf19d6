//! Tables 7.4 and 7.5 at equal error: how long every stepper and solver takes to come equally near to the converged step.

use super::solvers::frame;
use super::{Figure, Part, row_name};
use crate::cell::significant;
use crate::compare::{self, Contender, Curve, Limits};
use crate::lab::{CONSENSUS_SWEEP, Lab, Stand, TableError};
use crate::published::{SOLVERS, SolverRow};
use crate::{Cell, Column, Outcome, Table};
use pd_linear::SolverOptions;

/// Relative errors compared.
const ERRORS: [f64; 3] = [3e-2, 1e-2, 1e-3];
/// Which of them orders pictures and gives the ratio.
const MIDDLE: f64 = 1e-2;
/// Residual at which an inner iteration ends: a tenth is enough, since the outer iteration corrects the rest.
const INNER: f64 = 0.1;
/// Most sweeps of an inner solve.
const MAX_SWEEPS: usize = 2_000;
/// Curves in a picture; more are not legible.
const DRAWN: usize = 12;

pub(super) fn make(lab: &Lab<'_>) -> Result<Part, TableError> {
    let columns = vec![
        Column::fixed("scene"),
        Column::fixed("stepper/global"),
        Column::timing("prepare ms"),
        Column::timing("iterations to 3e-2"),
        Column::timing("ms to 3e-2"),
        Column::timing("iterations to 1e-2"),
        Column::timing("ms to 1e-2"),
        Column::timing("iterations to 1e-3"),
        Column::timing("ms to 1e-3"),
        Column::timing("pd/cholesky / this, 1e-2"),
    ];
    let about = format!(
        "Time and iterations of one frame (the 21st; the 46th of the ball) until its distance to the converged step is 3e-2, \
         1e-2 and 1e-3 of the motion of the frame; one thread. Iterative solvers end each solve at a residual of {INNER}; those \
         named -published do the sweeps of the thesis. Iterations go in steps of √2. Not reached: not within the time given to \
         a curve."
    );
    let mut table = Table::new("7.4-equal", "Tables 7.4 and 7.5 at equal error: all solvers", about, columns);
    let mut figures = vec![];
    for row in SOLVERS.iter().filter(|row| lab.wants(row.scene)) {
        for stand in lab.stand_ins(row.scene, row.twin)? {
            let name = row_name(row.name, stand);
            let (Stand::Scene(scene) | Stand::Twin(scene)) = stand else {
                table.push(vec![
                    Cell::text(&name),
                    Cell::text("all"),
                    Cell::Outcome(Outcome::ModelNotPresent),
                ]);
                continue;
            };
            let (curves, (iterations, reduction)) = curves(lab, row, scene)?;
            table.notes.push(format!(
                "{name}: the reference took {iterations} iterations; its force imbalance fell to {} of the first.",
                significant(reduction)
            ));
            figures.extend(pictures(&name, scene, &curves));
            push_rows(&mut table, &name, &curves);
        }
    }
    Ok(Part { tables: vec![table], figures })
}

/// `pd` with every solver that is not dense, every other stepper with the fastest solver.
fn contenders(lab: &Lab<'_>, row: &SolverRow) -> Vec<Contender> {
    let mut list = vec![];
    // The other methods have a comparison of their own, `pd compare`.
    let family = ["pd", "pd-anderson", "pd-lbfgs", "fused-jacobi", CONSENSUS_SWEEP];
    for stepper in lab.registry.stepper_names().into_iter().filter(|name| family.contains(name)) {
        if stepper != "pd" {
            list.push(Contender::new(stepper, "panels", SolverOptions::default()));
            continue;
        }
        for global in lab.registry.solvers.names().filter(|name| !name.starts_with("dense")) {
            let options = if global.ends_with("-published") {
                SolverOptions { iterations: Some(row.iterations.1), gamma: row.gamma, ..Default::default() }
            } else {
                SolverOptions { iterations: Some(MAX_SWEEPS), tolerance: Some(INNER), ..Default::default() }
            };
            list.push(Contender::new(stepper, global, options));
        }
    }
    list
}

type Converged = (usize, f64);

fn curves(lab: &Lab<'_>, row: &SolverRow, scene: &str) -> Result<(Vec<Curve>, Converged), TableError> {
    let reference = lab.reference(scene, row.iterations.0, frame(scene))?;
    let limits =
        Limits { seconds: lab.effort.curve_seconds, error: lab.effort.curve_error, iterations: 3_000 };
    let curves = contenders(lab, row)
        .iter()
        .map(|contender| reference.curve(lab, contender, 1, limits))
        .collect::<Result<_, _>>()?;
    Ok((curves, reference.converged))
}

fn push_rows(table: &mut Table, name: &str, curves: &[Curve]) {
    let base = curves.iter().find(|c| c.name == "pd/cholesky").and_then(|c| c.reach(MIDDLE).ok());
    let base = base.map_or(Cell::Empty, |point| Cell::Number(point.ms));
    for curve in curves {
        let mut cells = vec![Cell::text(name), Cell::text(&curve.name), Cell::Number(curve.prepare_ms)];
        for error in ERRORS {
            let point = curve.reach(error);
            cells.push(point.clone().map_or_else(Cell::Outcome, |p| Cell::Count(p.iterations as u64)));
            cells.push(Cell::from(point.map(|p| p.ms)));
        }
        cells.push(base.over(&cells[6]));
        table.push(cells);
    }
}

fn pictures(name: &str, scene: &str, curves: &[Curve]) -> Vec<Figure> {
    // The fastest to 1e-2 are drawn; as published only where they get anywhere.
    let mut drawn: Vec<&Curve> = curves.iter().filter(|c| c.points.len() > 1).collect();
    let rank = |c: &Curve| c.reach(MIDDLE).map_or(f64::INFINITY, |p| p.ms);
    drawn.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    let drawn: Vec<Curve> = drawn.into_iter().take(DRAWN).cloned().collect();
    let [time, iterations] = compare::plots(name, &drawn);
    [("time", time), ("iterations", iterations)]
        .map(|(over, plot)| Figure {
            id: format!("7.4-{scene}-{over}"),
            table: "7.4-equal".into(),
            drawing: plot.drawing(),
        })
        .into()
}
