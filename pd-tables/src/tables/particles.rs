//! Table 1 of the unified-particle report: sizes and frame rates, and the conservation properties of each solver.

use super::{Figure, Part, row_name};
use crate::lab::{Lab, Rates, Stand, TableError, as_value};
use crate::plot::{Bars, Group};
use crate::published::{PARTICLES, ParticleRow};
use crate::{Cell, Column, Outcome, Table};
use pd_core::{Real, State};
use pd_sim::SceneError;
use pd_sim::scene::desc::UnifiedDesc;
use pd_sim::scene::{Matter, Scene, SceneDesc, SceneRun};

pub(super) fn make(lab: &Lab<'_>) -> Result<Part, TableError> {
    let t = lab.threads;
    let mut columns = vec![Column::fixed("scene")];
    for what in ["particles", "faces", "vertices"] {
        columns.extend([Column::fixed(format!("{what}, published")), Column::fixed(format!("{what}, here"))]);
    }
    columns.extend([
        Column::fixed("FPS, published"),
        Column::timing("unified-substep, 1 thread"),
        Column::timing(format!("unified-substep, {t} threads")),
        Column::timing("ms a frame"),
        Column::timing(format!("unified, {t} threads")),
        Column::timing("unified-substep / published"),
        Column::fixed("note"),
    ]);
    let about = "Median frames a second over windows of ten frames, from the start of the scene. `unified-substep` is the \
                 default solver, `unified` the published averaged Jacobi iteration. The published rates are of a GPU that is \
                 not named, with rendering; those here are of the CPU, without rendering.";
    let mut table =
        Table::new("particles", "Table 1 (unified-particle report): scenes of particles", about, columns);
    let mut groups = vec![];
    for row in PARTICLES.iter().filter(|row| lab.wants(row.scene)) {
        for stand in lab.stand_ins(row.scene, row.twin)? {
            let name = row_name(row.name, stand);
            let (Stand::Scene(scene) | Stand::Twin(scene)) = stand else {
                table.push(cells(
                    &name,
                    row,
                    None,
                    &absent(),
                    "name its directory with --models or PD_MODELS",
                ));
                continue;
            };
            let rates = |solver: &str, threads: usize| {
                let desc = lab.describe(scene, |desc| desc.unified.solver = solver.into())?;
                lab.rates(scene, desc, threads)
            };
            let [substep, published] = UnifiedDesc::SOLVERS;
            let measured = [rates(substep, 1)?, rates(substep, t)?, rates(published, t)?];
            groups.push(group(&name, row, &measured));
            let counts = counts(&Scene::load(scene, lab.models)?);
            table.push(cells(&name, row, Some(counts), &measured, row.note));
        }
    }
    let series = [
        "published (GPU)",
        "unified-substep, 1 thread",
        "unified-substep, all threads",
        "unified, all threads",
    ];
    let title = "Frames per second by scene of particles".into();
    let bars =
        Bars { title, x: "frames per second".into(), series: series.map(String::from).to_vec(), groups };
    let figure = Figure { id: "particles-rates".into(), table: "particles".into(), drawing: bars.drawing() };
    Ok(Part { tables: vec![table, promises(lab)?], figures: vec![figure] })
}

type Measured = [Result<Rates, Outcome>; 3];

fn absent() -> Measured {
    [0; 3].map(|_| Err(Outcome::ModelNotPresent))
}

fn cells(
    name: &str,
    row: &ParticleRow,
    counts: Option<[u64; 3]>,
    measured: &Measured,
    note: &str,
) -> Vec<Cell> {
    let mut cells = vec![Cell::text(name)];
    for (k, published) in row.counts.into_iter().enumerate() {
        let here = counts.map_or(Cell::Outcome(Outcome::ModelNotPresent), |counts| Cell::Count(counts[k]));
        cells.extend([Cell::Count(published), here]);
    }
    let rate = |k: usize| match &measured[k] {
        Ok(rates) => Cell::Number(rates.fps[1]),
        Err(outcome) => Cell::Outcome(outcome.clone()),
    };
    let ms = rate(1).value().map_or_else(|| rate(1), |fps| Cell::Number(1e3 / fps));
    let published = Cell::Number(row.fps);
    let ratio = rate(1).over(&published);
    cells.extend([published, rate(0), rate(1), ms, rate(2), ratio, Cell::text(note)]);
    cells
}

fn group(name: &str, row: &ParticleRow, measured: &Measured) -> Group {
    let rate = |k: usize| match &measured[k] {
        Ok(rates) => Ok(rates.fps[1]),
        Err(outcome) => Err(outcome.to_string()),
    };
    Group { name: name.into(), values: vec![Ok(row.fps), rate(0), rate(1), rate(2)] }
}

/// Particles, and triangles and vertices of the meshes that are drawn.
fn counts(scene: &Scene) -> [u64; 3] {
    let Matter::Particles(model) = &scene.matter else { return [0; 3] };
    let faces: usize = model.skins().iter().map(|skin| skin.triangles().len()).sum();
    let vertices: usize = model.skins().iter().map(pd_particles::Skin::len).sum();
    [model.len(), faces, vertices].map(|n| n as u64)
}

/// What each solver keeps, measured.
fn promises(lab: &Lab<'_>) -> Result<Table, TableError> {
    let columns = ["promise", "wanted", "unified-substep", "unified"].map(Column::fixed).to_vec();
    let about = "The same scenes by both solvers at their default settings. Momentum: the two bodies of `particles-rigid` meet in \
                 free space at 6 m/s; change over the momentum of one of them.";
    let mut table = Table::new("particles-promises", "What the particle solvers keep", about, columns);
    let [substep, published] = UnifiedDesc::SOLVERS;
    let mut add = |scene: &str, promise: &str, wanted: &str, frames: usize, judge: Judge| {
        if !lab.wants(scene) {
            return Ok(());
        }
        let result = |solver: &str| promise_of(lab, scene, solver, frames, judge);
        table.push(vec![Cell::text(promise), Cell::text(wanted), result(substep)?, result(published)?]);
        Ok::<(), TableError>(())
    };
    add("sand", "sand: height of the tower before the ball comes, m", "≥ 3.91 of 3.95", 59, |_, state| {
        state.x.iter().map(|x| x.y).fold(Real::MIN, Real::max)
    })?;
    add("particles-stack", "stack: fastest particle after 250 frames, m/s", "< 0.001", 250, |_, state| {
        state.v.iter().map(|v| v.norm()).fold(0.0, Real::max)
    })?;
    add("particles-stack", "stack: height after 250 frames, m", "2.95", 250, |_, state| {
        state.x.iter().map(|x| x.y).fold(Real::MIN, Real::max)
    })?;
    add("particles-rigid", "collision: change of linear momentum", "< 1e-12", 40, |run, state| {
        drift(run, state)[0]
    })?;
    add("particles-rigid", "collision: change of angular momentum", "< 1e-12", 40, |run, state| {
        drift(run, state)[1]
    })?;
    Ok(table)
}

type Judge = fn(&SceneRun, &State) -> Real;

fn promise_of(
    lab: &Lab<'_>,
    scene: &str,
    solver: &str,
    frames: usize,
    judge: Judge,
) -> Result<Cell, TableError> {
    lab.report_progress(&format!("{scene}: {solver}, {frames} frames"));
    let desc = lab.describe(scene, |desc| {
        desc.unified.solver = solver.into();
        if scene == "particles-rigid" {
            collide(desc);
        }
    })?;
    let value = as_value(lab.on(lab.threads, || -> Result<Real, SceneError> {
        let mut run = SceneRun::new(Scene::from_desc(scene, desc, None, lab.models)?, &lab.registry)?;
        run.prepare()?;
        for _ in 0..frames {
            run.advance()?;
        }
        Ok(judge(&run, &run.sim.state))
    }))?;
    Ok(value.map_or_else(Cell::Outcome, Cell::Number))
}

/// The upper body flies at the lower one in free space.
fn collide(desc: &mut SceneDesc) {
    desc.step.gravity = [0.0; 3];
    desc.colliders.clear();
    for set in desc.particles.iter_mut().skip(1) {
        set.velocity = [0.0, -6.0, 0.0];
    }
}

/// Changes of linear and angular momentum since the start, over those of the start.
fn drift(run: &SceneRun, state: &State) -> [Real; 2] {
    let Matter::Particles(model) = &run.scene.matter else { return [Real::NAN; 2] };
    let (before, after) = (model.momentum(&model.state()), model.momentum(state));
    [0, 1].map(|k| (after[k] - before[k]).norm() / before[k].norm())
}
