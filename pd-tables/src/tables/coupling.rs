//! The coupling thesis: tables 4.1 and 4.2, its mixed scene, and the speed of water beside that of Taichi.

use super::{Part, ccd, consensus};
use crate::compare::{Contender, Reference};
use crate::lab::{Lab, TableError, as_value};
use crate::peers::PeerRows;
use crate::published::MIXED;
use crate::{Cell, Column, Outcome, Table};
use pd_linear::SolverOptions;
use pd_mesh::Mesh;
use pd_mpm::scenes;
use pd_sim::SceneError;
use pd_sim::scene::Scene;

/// Cells to the width of the column of water: 102,400 particles.
pub const WATER_RESOLUTION: u32 = 40;

/// Steps of water that are measured.
const WATER_STEPS: usize = 30;

/// How the mixed scene is run: stepper and global solver. The thesis has consensus ADMM.
const STEPPERS: [(&str, &str); 4] =
    [("admm-consensus", "none"), ("admm", "cholesky"), ("pd", "panels"), ("newton", "none")];

/// Table 4.1 is left out where it is made for itself.
pub(super) fn make(
    lab: &Lab<'_>,
    with_consensus: bool,
    peers: Option<&PeerRows>,
) -> Result<Part, TableError> {
    let with_consensus = with_consensus && lab.wants("cloth-100");
    let mut part = if with_consensus { consensus::make(lab)? } else { Part::default() };
    if lab.wants("ccd") {
        part.tables.push(ccd::make(lab)?);
    }
    if lab.wants("mixed") {
        part.tables.push(mixed(lab)?);
    }
    if lab.wants("dam-break") {
        part.tables.push(water(lab, peers)?);
    }
    Ok(part)
}

/// 400 nodes, 1,384 tetrahedra, 310 frames a second: by whom, and how near to the converged step.
fn mixed(lab: &Lab<'_>) -> Result<Table, TableError> {
    let columns = vec![
        Column::fixed("stepper"),
        Column::fixed("nodes, published"),
        Column::fixed("nodes here"),
        Column::fixed("tetrahedra, published"),
        Column::fixed("tetrahedra here"),
        Column::fixed("FPS, published"),
        Column::timing("FPS here"),
        Column::timing("here / published"),
        Column::fixed("error left"),
    ];
    let about = "The scene `mixed`: a Neo-Hookean bar of the published number of tetrahedra and a cloth of springs, 10 iterations, \
                 one thread. Errors are relative to the motion of a frame, against the converged step. The thesis names neither \
                 machine nor accuracy."
        .to_owned();
    let mut table = Table::new("mixed", "The mixed scene of the coupling thesis", about, columns);
    let desc = lab.describe("mixed", |_| ())?;
    let iterations = desc.step.iterations;
    let reference = Reference::new(lab, "mixed", desc.clone(), 10)?;
    let scene = Scene::load("mixed", lab.models)?;
    let nodes = scene.rest().len() as u64;
    let tets = |mesh: &Mesh| if let Mesh::Tet(mesh) = mesh { mesh.tets.len() } else { 0 };
    let tets: usize = scene.objects.iter().map(|object| tets(&object.mesh)).sum();
    let (published_nodes, published_tets, published_fps) = MIXED;
    for (stepper, global) in STEPPERS {
        lab.report_progress(&format!("mixed: {stepper}/{global}"));
        let mut own = desc.clone();
        own.solver.stepper = stepper.into();
        own.solver.global = if global == "none" { "cholesky".into() } else { global.into() };
        let fps = match lab.rates("mixed", own, 1)? {
            Ok(rates) => Cell::Number(rates.fps[1]),
            Err(outcome) => Cell::Outcome(outcome),
        };
        let by = if global == "none" { "cholesky" } else { global };
        let contender = Contender::new(stepper, by, SolverOptions::default());
        let error = match reference.error_after(lab, &contender, iterations)? {
            Ok(point) => Cell::Number(point.error),
            Err(outcome) => Cell::Outcome(outcome),
        };
        let published = Cell::Number(published_fps);
        table.push(vec![
            Cell::text(if global == "none" { stepper.to_owned() } else { format!("{stepper}/{global}") }),
            Cell::Count(published_nodes),
            Cell::Count(nodes),
            Cell::Count(published_tets),
            Cell::Count(tets as u64),
            published.clone(),
            fps.clone(),
            fps.over(&published),
            error,
        ]);
    }
    Ok(table)
}

/// Particle-steps a second of processor time.
fn water(lab: &Lab<'_>, peers: Option<&PeerRows>) -> Result<Table, TableError> {
    let columns = vec![
        Column::fixed("program"),
        Column::fixed("particles"),
        Column::fixed("precision"),
        Column::timing("M particle-steps/s"),
        Column::fixed("note"),
    ];
    let about = "Water by MLS-MPM with quadratic splines: a column that collapses, its first steps. One thread, processor time, so \
                 that other programs on the machine do not count."
        .to_owned();
    let mut table = Table::new("water", "Speed of water on a grid", about, columns);
    lab.report_progress("water: 102,400 particles");
    let ours = as_value(lab.on(1, || -> Result<(usize, f64), SceneError> {
        let wrong = |error: &dyn std::fmt::Display| SceneError::Registry(error.to_string());
        let mut scene =
            scenes::dam_break(0.5, WATER_RESOLUTION, pd_mpm::Transfer::Mls).map_err(|error| wrong(&error))?;
        scene.params.dt = 1e-3;
        let mut stepper = scene.stepper().map_err(|error| wrong(&error))?;
        scene.run(&mut stepper, 2).map_err(|error| wrong(&error))?;
        let (mut substeps, begun) = (0, processor_seconds());
        for _ in 0..WATER_STEPS {
            scene.run(&mut stepper, 1).map_err(|error| wrong(&error))?;
            substeps += stepper.report().substeps;
        }
        let count = scene.state.x.len();
        Ok((count, (count * substeps) as f64 / (processor_seconds() - begun)))
    }))?;
    let (count, rate) = match ours {
        Ok((count, rate)) if rate.is_finite() => (Cell::Count(count as u64), Cell::Number(rate / 1e6)),
        Ok(_) => (Cell::Empty, Cell::Outcome(Outcome::Missing("no clock of processor time".into()))),
        Err(outcome) => (Cell::Empty, Cell::Outcome(outcome)),
    };
    table.push(vec![
        Cell::text("pd (this program)"),
        count.clone(),
        Cell::text("f64"),
        rate,
        Cell::text("same bits for any number of threads"),
    ]);
    let (name, rate, note) = match peers.and_then(|peers| peers.taichi.as_ref()) {
        Some(Ok(taichi)) => (format!("Taichi {}", taichi.version), Cell::Number(taichi.rate / 1e6), ""),
        Some(Err(outcome)) => ("Taichi".into(), Cell::Outcome(outcome.clone()), ""),
        None => {
            ("Taichi".into(), Cell::Empty, "not asked for: `pd tables coupling --peers` installs and runs it")
        }
    };
    table.push(vec![Cell::text(name), count, Cell::text("f32"), rate, Cell::text(note)]);
    Ok(table)
}

/// Processor time of this process so far, s; NaN where the system does not tell.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name in brackets, which may hold spaces: fields 14 and 15, hundredths of a second.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|field| field.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(11) + ticks(12)) / 100.0
}
