//! Table 7.2: precomputation and frame rates of the scenes.

use super::{Figure, Part, row_name};
use crate::device::{self, Global};
use crate::lab::{Lab, Rates, Stand, TableError};
use crate::plot::{Bars, Group};
use crate::published::{SCENES, SceneRow};
use crate::{Cell, Column, Outcome, Table};

/// The global solvers measured: the thesis' kind, and the fastest here at the same ten exact iterations.
const GLOBALS: [&str; 2] = ["cholesky", "panels"];

pub(super) fn make(lab: &Lab<'_>) -> Result<Part, TableError> {
    let t = lab.threads;
    let columns = vec![
        Column::fixed("scene"),
        Column::fixed("prepare ms, published"),
        Column::timing("prepare ms, cholesky"),
        Column::timing("prepare ms, panels"),
        Column::timing("published / panels"),
        Column::fixed("FPS min, published"),
        Column::fixed("FPS max, published"),
        Column::timing("cholesky, 1 thread"),
        Column::timing(format!("cholesky, {t} threads")),
        Column::timing("panels, 1 thread"),
        Column::timing(format!("panels, {t} threads: min")),
        Column::timing("median"),
        Column::timing("max"),
        Column::timing("device"),
        Column::timing("median / published min"),
        Column::fixed("note"),
    ];
    let about = "Frames a second, least, median and largest over windows of ten frames; ten iterations a frame as in the \
                 thesis. `cholesky` is a sparse Cholesky in double precision (faer); `panels` is our block Cholesky with \
                 single-precision panels in increment form, which converges to the same double-precision result. The \
                 published rates are of a GPU local step and include rendering; those here are of the CPU alone, without \
                 rendering.";
    let mut table = Table::new("7.2", "Table 7.2: precomputation and frames per second", about, columns);
    let mut groups = vec![];
    for row in SCENES.iter().filter(|row| lab.wants(row.scene)) {
        for stand in lab.stand_ins(row.scene, row.twin)? {
            let name = row_name(row.name, stand);
            let measured = measure(lab, stand)?;
            if stand != Stand::Absent {
                groups.push(group(&name, row, &measured));
            }
            let device = match stand {
                Stand::Scene(scene) | Stand::Twin(scene) => {
                    device::rates(lab, scene, lab.describe(scene, |_| {})?, &Global::Host("cholesky"))?
                }
                Stand::Absent => Cell::Outcome(Outcome::ModelNotPresent),
            };
            table.push(cells(&name, row, stand, &measured, device));
        }
    }
    let series = ["published, least (GPU local step)", "cholesky, 1 thread", "panels, all threads"];
    let title = "Frames per second by scene, ten iterations a frame".into();
    let bars =
        Bars { title, x: "frames per second".into(), series: series.map(String::from).to_vec(), groups };
    let figure = Figure { id: "7.2-rates".into(), table: "7.2".into(), drawing: bars.drawing() };
    Ok(Part { tables: vec![table], figures: vec![figure] })
}

/// Rates with `cholesky` on one and all threads, then with `panels`.
type Measured = [Result<Rates, Outcome>; 4];

fn measure(lab: &Lab<'_>, stand: Stand) -> Result<Measured, TableError> {
    let absent = || Err(Outcome::ModelNotPresent);
    let mut measured = [absent(), absent(), absent(), absent()];
    let (Stand::Scene(scene) | Stand::Twin(scene)) = stand else { return Ok(measured) };
    for (k, slot) in measured.iter_mut().enumerate() {
        let desc = lab.describe(scene, |desc| desc.solver.global = GLOBALS[k / 2].into())?;
        *slot = lab.rates(scene, desc, [1, lab.threads][k % 2])?;
    }
    Ok(measured)
}

fn cells(name: &str, row: &SceneRow, stand: Stand, measured: &Measured, device: Cell) -> Vec<Cell> {
    let pick = |k: usize, f: fn(&Rates) -> f64| Cell::from(measured[k].clone().map(|rates| f(&rates)));
    let published = Cell::Number(row.prepare_ms);
    let panels = pick(2, |r| r.prepare_ms);
    let median = pick(3, |r| r.fps[1]);
    let least = row.fps[0].cell();
    vec![
        Cell::text(name),
        published.clone(),
        pick(0, |r| r.prepare_ms),
        panels.clone(),
        published.over(&panels),
        least.clone(),
        row.fps[1].cell(),
        pick(0, |r| r.fps[1]),
        pick(1, |r| r.fps[1]),
        pick(2, |r| r.fps[1]),
        pick(3, |r| r.fps[0]),
        median.clone(),
        pick(3, |r| r.fps[2]),
        device,
        median.over(&least),
        Cell::text(note(row.scene, stand)),
    ]
}

fn group(name: &str, row: &SceneRow, measured: &Measured) -> Group {
    let rate = |k: usize| match &measured[k] {
        Ok(rates) => Ok(rates.fps[1]),
        Err(outcome) => Err(outcome.to_string()),
    };
    let published = row.fps[0].cell().value().ok_or_else(|| "–".to_owned());
    Group { name: name.into(), values: vec![published, rate(0), rate(3)] }
}

fn note(scene: &str, stand: Stand) -> &'static str {
    match (scene, stand) {
        (_, Stand::Absent) => "name its directory with --models or PD_MODELS",
        ("sandbox", _) => {
            "the thesis' text says more than 200 FPS for it elsewhere; its table is taken as the record"
        }
        ("armadillo", _) => "measured while it hangs",
        ("dragon" | "bunny", _) => {
            "the thesis' precomputation builds, for every constraint, a matrix as wide as its largest vertex number"
        }
        ("cloth-140", _) => "no bending, as the published counts tell; the thesis' program has 5e-3",
        ("hemispheres" | "tubes", _) => "bending with its exact two-ring pattern and the right sign",
        _ => "",
    }
}
