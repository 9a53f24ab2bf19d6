//! Table 7.3 as a curve: the local step over the number of tetrahedral constraints.

use super::plain_tets::PlainTets;
use super::{Figure, Part};
use crate::lab::{Lab, TableError};
use crate::plot::{Line, Plot};
use crate::published::LOCAL_STEP;
use crate::{Cell, Column, Outcome, Table};
use pd_constraints::{StrainRange, TetStrain};
use pd_core::{CpuLocal, EnergyBatch, LocalInput, LocalStep, Model, Vec3};
use pd_mesh::{TetMesh, generate};
use std::time::Instant;

/// Passes of a frame: the thesis does not say what its time is of; see the note.
const PASSES: f64 = 10.0;
/// Constraints asked for; a bar of whole cubes comes near.
const SIZES: [u64; 9] = [8_000, 16_000, 40_000, 78_000, 125_000, 200_000, 350_000, 600_000, 1_000_000];
const RANGE: StrainRange = StrainRange { min: [0.95; 3], max: [1.05; 3] };

pub(super) fn make(lab: &Lab<'_>) -> Result<Part, TableError> {
    let t = lab.threads;
    let columns = vec![
        Column::fixed("constraints"),
        Column::fixed("ms, published"),
        Column::timing("plain, 1 thread"),
        Column::timing("SIMD, 1 thread"),
        Column::timing(format!("SIMD, {t} threads")),
        Column::timing("device"),
        Column::timing("published / plain"),
        Column::timing(format!("published / SIMD {t} threads")),
        Column::timing("ns per constraint, SIMD 1 thread"),
        Column::fixed("note"),
    ];
    let about = "Milliseconds of the local steps of one frame, ten passes: project all tetrahedra of a twisted bar onto \
                 singular values in [0.95, 1.05] and gather the forces on the vertices. Plain: one element at a time with a \
                 scalar singular value decomposition. SIMD: what `pd run` uses. Device: without a CUDA device there is \
                 nothing to measure.";
    let mut table = Table::new("7.3", "Table 7.3: the local step over its size", about, columns);
    let mut lines = ["published", "plain, 1 thread", "SIMD, 1 thread", "SIMD, all threads"]
        .map(|name| Line { name: name.into(), points: vec![] });
    for size in SIZES.into_iter().filter(|&size| size <= lab.effort.constraints) {
        let published = LOCAL_STEP.iter().find(|row| row.0 == size).map(|row| row.1);
        let mesh = bar(size)?;
        let tets = mesh.tets.len() as u64;
        lab.report_progress(&format!("local step: {tets} constraints"));
        let vector = model(&mesh, false)?;
        let plain = model(&mesh, true)?;
        let x = deformed(&mesh.positions);
        let device = match crate::device::local_step() {
            Some(local) => Cell::Number(time_with(lab, 1, local, &vector, &mesh.positions, &x)?),
            None => Cell::Outcome(Outcome::NoDevice),
        };
        let ms = [
            time(lab, 1, &plain, &mesh.positions, &x)?,
            time(lab, 1, &vector, &mesh.positions, &x)?,
            time(lab, t, &vector, &mesh.positions, &x)?,
        ];
        lines[0].points.extend(published.map(|ms| (tets as f64, ms)));
        for (line, ms) in lines[1..].iter_mut().zip(ms) {
            line.points.push((tets as f64, ms));
        }
        let [plain, one, all] = ms.map(Cell::Number);
        let published = published.map_or(Cell::Empty, Cell::Number);
        table.push(vec![
            Cell::Count(tets),
            published.clone(),
            plain.clone(),
            one,
            all.clone(),
            device,
            published.over(&plain),
            published.over(&all),
            Cell::Number(ms[1] / PASSES / tets as f64 * 1e6),
            if size > 200_000 { Cell::text("thesis: \"close to 0\" on its GPU") } else { Cell::Empty },
        ]);
    }
    table.notes.push(
        "The thesis gives no unit of work. Its program, run on one core, takes about 0.7 µs for a projection (Eigen's \
         JacobiSVD), so its figures fit ten passes on its faster processor, and ten passes are what is measured here."
            .into(),
    );
    let plot = Plot {
        title: "Local step of a frame over its size".into(),
        x: "tetrahedral constraints".into(),
        y: "ms for ten passes".into(),
        lines: lines.to_vec(),
    };
    let figure = Figure { id: "7.3-local-step".into(), table: "7.3".into(), drawing: plot.drawing() };
    Ok(Part { tables: vec![table], figures: vec![figure] })
}

/// A bar of about `tets` tetrahedra, five to a cube.
fn bar(tets: u64) -> Result<TetMesh, TableError> {
    let side = ((tets as f64 / 5.0 / 4.0).cbrt().round() as usize).max(1);
    let depth = (tets as f64 / (5 * side * side) as f64).round().max(1.0) as usize;
    generate::bar(side, side, depth, 1.0).map_err(|error| TableError::Model(error.to_string()))
}

/// Twisted and swollen, so that every element is strained.
pub(super) fn deformed(positions: &[Vec3]) -> Vec<Vec3> {
    let bend = |p: &Vec3| {
        let (sin, cos) = (3.0 * p.z).sin_cos();
        Vec3::new(
            1.2 * (cos * p.x - sin * p.y),
            1.2 * (sin * p.x + cos * p.y),
            0.9 * p.z + 0.05 * (9.0 * p.z).sin(),
        )
    };
    positions.iter().map(bend).collect()
}

fn model(mesh: &TetMesh, plain: bool) -> Result<Model, TableError> {
    let wrong = |error: &dyn std::fmt::Display| TableError::Model(error.to_string());
    let batch = TetStrain::new(&mesh.positions, &mesh.tets, 1000.0, RANGE).map_err(|e| wrong(&e))?;
    let batch: Box<dyn EnergyBatch> =
        if plain { Box::new(PlainTets::new(batch, RANGE)) } else { Box::new(batch) };
    Model::with_masses(vec![0.001; mesh.positions.len()]).boxed_energy(batch).build().map_err(|e| wrong(&e))
}

/// Least time of ten passes on the CPU, ms.
fn time(lab: &Lab<'_>, threads: usize, model: &Model, s: &[Vec3], x: &[Vec3]) -> Result<f64, TableError> {
    time_with(lab, threads, Box::new(CpuLocal::default()), model, s, x)
}

/// Least time of ten passes, ms.
fn time_with(
    lab: &Lab<'_>,
    threads: usize,
    mut local: Box<dyn LocalStep>,
    model: &Model,
    s: &[Vec3],
    x: &[Vec3],
) -> Result<f64, TableError> {
    lab.on(threads, || {
        let mut b = vec![Vec3::zeros(); x.len()];
        let input = LocalInput { model, dt: 1.0 / 60.0, s, x };
        let failed = |error| TableError::Scene(pd_sim::SceneError::Step(error));
        local.prepare(model).map_err(failed)?;
        local.run(input, &mut b).map_err(failed)?;
        let (begun, mut least) = (Instant::now(), f64::INFINITY);
        while least.is_infinite() || begun.elapsed().as_secs_f64() < lab.effort.seconds / 2.0 {
            let started = Instant::now();
            local.run(input, &mut b).map_err(failed)?;
            least = least.min(started.elapsed().as_secs_f64() * 1e3);
        }
        Ok(least * PASSES)
    })
}
