//! Table 1 of the report on XPBD for rigid bodies: frames per second of a triple pendulum and of boxes, its profile, and what the
//! other solvers reach at the same number of substeps.

use super::Part;
use crate::lab::{Lab, TableError, as_value};
use crate::published::{RIGID, RIGID_PROFILE};
use crate::{Cell, Column, Table};
use pd_core::{State, Vec3};
use pd_sim::SceneError;
use pd_sim::scene::{Matter, Scene, SceneDesc};
use std::time::Duration;

/// Solvers, the published one first.
const SOLVERS: [&str; 4] = ["xpbd", "direct", "tgs-soft", "rattle"];
const SUBSTEPS: [usize; 2] = [5, 10];
/// Frames after which accuracy is judged: 2 s.
const FRAMES: usize = 120;

pub(super) fn make(lab: &Lab<'_>) -> Result<Part, TableError> {
    let tables = vec![rates(lab)?, accuracy(lab)?, profile(lab)?];
    Ok(Part { tables, figures: vec![] })
}

fn describe(lab: &Lab<'_>, scene: &str, solver: &str, substeps: usize) -> Result<SceneDesc, TableError> {
    lab.describe(scene, |desc| {
        desc.rigid.solver = solver.into();
        (desc.rigid.substeps, desc.rigid.sleep) = (substeps, false);
    })
}

fn rates(lab: &Lab<'_>) -> Result<Table, TableError> {
    let mut columns = vec![
        Column::fixed("scene"),
        Column::fixed("substeps"),
        Column::fixed("CPU, published"),
        Column::fixed("GPU, published"),
    ];
    columns.extend(SOLVERS.map(Column::timing));
    columns.push(Column::timing("xpbd / CPU published"));
    let about = "Frames of 1/60 s a second. Published: Taichi, positions by XPBD, one iteration a substep. Here: double precision, one \
                 thread, contacts with friction included, without rendering; nothing sleeps. The report does not say how many boxes it \
                 has; here there are five on each other.";
    let mut table = Table::new("rigid", "Rigid bodies: table 1 of the XPBD report", about, columns);
    for (name, scene, cpu, gpu) in RIGID.iter().filter(|row| lab.wants(row.1)) {
        for (k, substeps) in SUBSTEPS.into_iter().enumerate() {
            let mut cells = vec![
                Cell::text(*name),
                Cell::Count(substeps as u64),
                Cell::Number(cpu[k]),
                Cell::Number(gpu[k]),
            ];
            for solver in SOLVERS {
                let measured = lab.rates(scene, describe(lab, scene, solver, substeps)?, 1)?;
                cells.push(Cell::from(measured.map(|rates| rates.fps[1])));
            }
            let ratio = cells[4].over(&cells[2]);
            cells.push(ratio);
            table.push(cells);
        }
    }
    Ok(table)
}

/// What a run ends with.
struct End {
    places: Vec<Vec3>,
    energy: f64,
    times: [Duration; 4],
}

/// Runs a scene of rigid bodies and keeps its stepper, which knows more than the trait tells.
fn run(lab: &Lab<'_>, scene: &str, desc: SceneDesc) -> Result<Option<End>, TableError> {
    let settings = desc.rigid.clone();
    let built = Scene::from_desc(scene, desc, None, lab.models)?;
    let Matter::Rigid(rigid) = &built.matter else { return Ok(None) };
    let mut stepper = rigid.rigid_stepper(&settings)?;
    let (params, mut state) = (built.params(), built.initial_state());
    let energy = |state: &State| rigid.model.energy(&state.bodies, &params.gravity).iter().sum::<f64>();
    let before = energy(&state);
    let mut times = [Duration::ZERO; 4];
    let whole = lab.on(1, || -> Result<(), SceneError> {
        for _ in 0..FRAMES {
            stepper.advance(&params, &[], &mut state)?;
            times.iter_mut().zip(stepper.report().times).for_each(|(sum, time)| *sum += time);
        }
        Ok(())
    });
    Ok(as_value(whole)?.ok().map(|()| End { energy: energy(&state) - before, places: state.bodies.p, times }))
}

fn accuracy(lab: &Lab<'_>) -> Result<Table, TableError> {
    let columns = ["scene", "substeps", "solver", "farthest body, mm", "energy lost, J"];
    let about = "After 2 s: the pendulum against `rattle` at 512 substeps, the boxes against where they stood; energy against that of the \
                 start.";
    let mut table = Table::new(
        "rigid-accuracy",
        "Rigid bodies: what the frames are worth",
        about,
        columns.map(Column::fixed).to_vec(),
    );
    for (name, scene, ..) in RIGID.iter().filter(|row| lab.wants(row.1)) {
        lab.report_progress(&format!("{scene}: accuracy"));
        let reference = if *scene == "pendulum" {
            run(lab, scene, describe(lab, scene, "rattle", 512)?)?.map(|end| end.places)
        } else {
            let built = Scene::from_desc(scene, describe(lab, scene, "direct", 4)?, None, lab.models)?;
            Some(built.initial_state().bodies.p)
        };
        for substeps in SUBSTEPS {
            for solver in SOLVERS {
                let end = run(lab, scene, describe(lab, scene, solver, substeps)?)?;
                let mut cells = vec![Cell::text(*name), Cell::Count(substeps as u64), Cell::text(solver)];
                if let (Some(end), Some(reference)) = (end, &reference) {
                    let off =
                        end.places.iter().zip(reference).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                    cells.extend([Cell::Number(off * 1e3), Cell::Number(-end.energy)]);
                }
                table.push(cells);
            }
        }
    }
    table.notes.push(
        "Boxes start a centimetre above each other and fall; the first centimetres of the farthest one are that fall.".into(),
    );
    Ok(table)
}

fn profile(lab: &Lab<'_>) -> Result<Table, TableError> {
    let columns = vec![
        Column::fixed("kernel, published"),
        Column::fixed("share %, published"),
        Column::fixed("ms a call, published"),
        Column::fixed("stage, here"),
        Column::timing("share %, xpbd"),
        Column::timing("ms a frame, xpbd"),
        Column::timing("share %, rattle"),
        Column::timing("ms a frame, rattle"),
    ];
    let about = "Triple pendulum at 10 substeps on one thread. The report profiles kernels, four of which take 64 % of the time of 16,190 calls; \
                 here the stages of a step: contacts are looked for and islands laid out once a frame, and one call solves all \
                 substeps.";
    let mut table =
        Table::new("rigid-profile", "Rigid bodies: profile of the triple pendulum", about, columns);
    if !lab.wants("pendulum") {
        return Ok(table);
    }
    let stages = ["find contacts", "lay out islands", "solve (all substeps)", "write the state"];
    let measured = ["xpbd", "rattle"].map(|solver| {
        run(lab, "pendulum", describe(lab, "pendulum", solver, 10)?).map(|end| end.map(|e| e.times))
    });
    let [xpbd, rattle] = measured;
    let times = [xpbd?, rattle?];
    for (k, (kernel, share, ms)) in RIGID_PROFILE.iter().enumerate() {
        let mut cells =
            vec![Cell::text(*kernel), Cell::Number(*share), Cell::Number(*ms), Cell::text(stages[k])];
        for times in times.iter().flatten() {
            let sum: f64 = times.iter().map(Duration::as_secs_f64).sum();
            let own = times[k].as_secs_f64();
            cells.extend([Cell::Number(100.0 * own / sum), Cell::Number(own * 1e3 / FRAMES as f64)]);
        }
        table.push(cells);
    }
    Ok(table)
}
