//! Which method to use: every stepper on a cloth, on a fabric and on rubber, at equal error.

use super::{Figure, Part};
use crate::compare::{self, Contender, Curve, Limits, Reference};
use crate::lab::{Lab, TableError};
use crate::{Cell, Column, Table};
use pd_linear::SolverOptions;
use pd_sim::scene::SceneDesc;

/// Relative errors compared.
const ERRORS: [f64; 3] = [1e-1, 1e-2, 1e-4];

/// Steppers and the solver of each.
const STEPPERS: [&str; 15] = [
    "pd/panels",
    "pd-anderson/panels",
    "pd-lbfgs/panels",
    "newton/cholesky",
    "newton/panels",
    "admm/panels",
    "admm-consensus",
    "fused-jacobi",
    "descent",
    "vbd",
    "vbd-chebyshev",
    "xpbd-block",
    "xpbd",
    "pbd",
    "pbd-jacobi",
];

/// Scenes: name, built-in it is made of, frame.
const SCENES: [(&str, &str, u64); 3] =
    [("cloth of springs", "cloth", 20), ("rubber and cloth", "mixed", 10), ("stiff fabric", "flag", 10)];

pub(super) fn make(lab: &Lab<'_>) -> Result<Part, TableError> {
    let mut columns =
        vec![Column::fixed("scene"), Column::fixed("stepper/global"), Column::timing("prepare ms")];
    for error in ["1e-1", "1e-2", "1e-4"] {
        columns.push(Column::timing(format!("iterations to {error}")));
        columns.push(Column::timing(format!("ms to {error}")));
    }
    columns.push(Column::fixed("least error"));
    let about = "One frame by every stepper until its distance to the step that Newton's method converges to is a tenth, a hundredth \
                 and a ten-thousandth of the motion of the frame; one thread; iterations go in steps of √2. Least error: where the \
                 method stands still or its time is over. `pbd` and `xpbd` end elsewhere.";
    let mut table = Table::new("lab", "The laboratory: all steppers at equal error", about, columns);
    let mut figures = vec![];
    for (name, scene, frame) in SCENES.iter().filter(|(_, scene, _)| lab.wants(scene)) {
        // Without obstacles: position projection is no part of the minimisation that steppers share.
        let desc: SceneDesc = lab.describe(scene, |desc| desc.colliders.clear())?;
        let newton = Contender::new("newton", "cholesky", SolverOptions::default());
        let reference = Reference::beside(lab, scene, desc, None, *frame, &newton)?;
        let limits = Limits { seconds: lab.effort.curve_seconds, error: 1e-5, iterations: 20_000 };
        let curves = STEPPERS
            .iter()
            .map(|contender| {
                let contender = Contender::parse(contender, SolverOptions::default())?;
                reference.curve(lab, &contender, 1, limits)
            })
            .collect::<Result<Vec<Curve>, _>>()?;
        for curve in &curves {
            let mut cells = vec![Cell::text(*name), Cell::text(&curve.name), Cell::Number(curve.prepare_ms)];
            for error in ERRORS {
                let point = curve.reach(error);
                cells.push(point.clone().map_or_else(Cell::Outcome, |p| Cell::Count(p.iterations as u64)));
                cells.push(Cell::from(point.map(|p| p.ms)));
            }
            let least = curve.points.iter().map(|p| p.error).fold(f64::INFINITY, f64::min);
            cells.push(if least.is_finite() { Cell::Number(least) } else { Cell::Empty });
            table.push(cells);
        }
        let [time, iterations] = compare::plots(name, &curves);
        for (over, plot) in [("time", time), ("iterations", iterations)] {
            let id = format!("lab-{scene}-{over}");
            figures.push(Figure { id, table: "lab".into(), drawing: plot.drawing() });
        }
    }
    Ok(Part { tables: vec![table], figures })
}
