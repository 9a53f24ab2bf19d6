//! Table 7.6: other engines, each with the quality of its result beside its speed.

use super::Part;
use crate::lab::{Lab, Stand, TableError, as_value};
use crate::peers::{PeerRow, PeerRows, Task};
use crate::published::ENGINES;
use crate::quality::{self, Quality};
use crate::{Cell, Column, Outcome, Table};
use pd_sim::SceneError;
use pd_sim::scene::{Scene, SceneDesc, SceneRun};
use std::collections::BTreeMap;
use std::time::Instant;

/// How we run: stepper, global solver, iterations.
const OURS: [(&str, &str, usize); 6] = [
    ("pd", "cholesky", 10),
    ("pd", "panels", 10),
    ("pd", "panels", 3),
    ("vbd", "none", 10),
    ("xpbd+sub10", "none", 1),
    ("xpbd+sub20", "none", 2),
];

pub(super) fn make(lab: &Lab<'_>, peers: Option<&PeerRows>) -> Result<Part, TableError> {
    let columns = vec![
        Column::fixed("scene"),
        Column::fixed("engine"),
        Column::fixed("settings"),
        Column::fixed("FPS, published"),
        Column::timing("FPS here"),
        Column::timing("ms a frame"),
        Column::fixed("p99 edge strain"),
        Column::fixed("volume ratio"),
        Column::fixed("inverted"),
        Column::fixed("note"),
    ];
    let about = format!(
        "Average frames a second of {} frames of 1/60 s, and the state at their end: 99th percentile of |length/rest − 1| over \
         edges, volume over that at rest, tetrahedra inside out. Same mesh, mass (1 g a vertex), gravity, pins and floor for \
         all. Bodies do not touch each other. Ours on {} threads; peers as their packages come, {} s at most for each setting: \
         where that is short a note says after how many frames the state was taken, and how ours is then. \
         `pd tables 7.6 --peers` installs and runs the peers.",
        lab.effort.settle_frames, lab.threads, lab.effort.peer_seconds
    );
    let mut table = Table::new("7.6", "Table 7.6: other engines", about, columns);
    for task in Task::ALL.into_iter().filter(|task| lab.wants(task.scene())) {
        for (scene, engine, fps) in ENGINES.iter().filter(|row| row.0 == task.title()) {
            let note = note(scene, engine);
            let (scene, engine) = (Cell::text(*scene), Cell::text(*engine));
            table.push(vec![scene, engine, Cell::text("as published"), Cell::Number(*fps)]);
            if let Some(cell) = table.rows.last_mut().and_then(|row| row.last_mut()) {
                *cell = Cell::text(note);
            }
        }
        for stand in lab.stand_ins(task.scene(), task.twin())? {
            let title = super::row_name(task.title(), stand);
            let (Stand::Scene(scene) | Stand::Twin(scene)) = stand else {
                let absent = Cell::Outcome(Outcome::ModelNotPresent);
                table.push(vec![Cell::text(title), Cell::text("pd"), Cell::Empty, Cell::Empty, absent]);
                continue;
            };
            for (stepper, global, iterations) in OURS {
                let result = ours(lab, scene, describe(lab, scene, (stepper, global, iterations))?)?;
                let by = if global == "none" { stepper.to_owned() } else { format!("{stepper}/{global}") };
                let settings = format!("{by}, {iterations} iterations");
                let all = lab.effort.settle_frames;
                let cut = result.as_ref().ok().filter(|(_, _, frames)| *frames < all);
                let note =
                    cut.map_or(String::new(), |(_, _, frames)| format!("after {frames} of {all} frames"));
                let result = result.map(|(ms, quality, _)| (ms, quality));
                table.push(row(&title, "pd (this program)", &settings, result, &note));
            }
            let of_task = |row: &&PeerRow| row.task == task;
            let peers: Vec<&PeerRow> =
                peers.iter().flat_map(|peers| peers.rows.iter().filter(of_task)).collect();
            push_peers(&mut table, &title, &peers, &ours_at(lab, scene, &peers)?, lab.effort.settle_frames);
        }
    }
    if peers.is_none() {
        table.notes.push("Peers were not asked for: `pd tables 7.6 --peers` installs and runs them.".into());
    }
    Ok(Part { tables: vec![table], figures: vec![] })
}

fn describe(
    lab: &Lab<'_>,
    scene: &str,
    (stepper, global, iterations): (&str, &str, usize),
) -> Result<SceneDesc, TableError> {
    lab.describe(scene, |desc| {
        let global = if global == "none" { "panels" } else { global };
        (desc.solver.stepper, desc.solver.global) = (stepper.into(), global.into());
        desc.step.iterations = iterations;
    })
}

/// ms a frame, quality, and the frames after which it was taken.
type Measured = Result<(f64, Quality, usize), Outcome>;

fn ours(lab: &Lab<'_>, scene: &str, desc: SceneDesc) -> Result<Measured, TableError> {
    let (stepper, global, iterations) = (&desc.solver.stepper, &desc.solver.global, desc.step.iterations);
    lab.report_progress(&format!(
        "{scene}: {stepper}/{global}, {iterations} iterations, {} frames",
        lab.effort.settle_frames
    ));
    as_value(lab.on(lab.threads, || -> Result<_, SceneError> {
        let scene = Scene::from_desc(scene, desc, None, lab.models)?;
        let mut run = SceneRun::new(scene, &lab.registry)?;
        run.prepare()?;
        let (started, mut frames) = (Instant::now(), 0);
        // Bounded as peers are.
        while frames < lab.effort.settle_frames && started.elapsed().as_secs() < lab.effort.peer_seconds {
            run.advance()?;
            frames += 1;
        }
        let ms = started.elapsed().as_secs_f64() * 1e3 / frames.max(1) as f64;
        Ok((ms, quality::of_scene(&run.scene, &run.sim.state.x), frames))
    }))
}

fn row(
    scene: &str,
    engine: &str,
    settings: &str,
    measured: Result<(f64, Quality), Outcome>,
    note: &str,
) -> Vec<Cell> {
    let mut cells = vec![Cell::text(scene), Cell::text(engine), Cell::text(settings), Cell::Empty];
    match measured {
        Ok((ms, quality)) => cells.extend([
            Cell::Number(1e3 / ms),
            Cell::Number(ms),
            Cell::Number(quality.p99_edge_strain),
            quality.volume_ratio.map_or(Cell::Empty, Cell::Number),
            quality.inverted.map_or(Cell::Empty, |n| Cell::Count(n as u64)),
        ]),
        Err(outcome) => {
            cells.extend([Cell::Outcome(outcome), Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty])
        }
    }
    cells.push(Cell::text(note));
    cells
}

/// Our quality (`panels`, 10 iterations) after as many frames as each peer that was cut short came to.
fn ours_at(lab: &Lab<'_>, scene: &str, peers: &[&PeerRow]) -> Result<BTreeMap<usize, Quality>, TableError> {
    let cut =
        |row: &&&PeerRow| row.result.is_ok() && row.part.is_none() && row.frames < lab.effort.settle_frames;
    let mut at: BTreeMap<usize, Quality> =
        peers.iter().filter(cut).map(|row| (row.frames, Quality::default())).collect();
    let Some(&last) = at.keys().next_back() else { return Ok(at) };
    let desc = describe(lab, scene, OURS[1])?;
    let done = as_value(lab.on(lab.threads, || -> Result<_, SceneError> {
        let mut run = SceneRun::new(Scene::from_desc(scene, desc, None, lab.models)?, &lab.registry)?;
        run.prepare()?;
        for frame in 1..=last {
            run.advance()?;
            if let Some(quality) = at.get_mut(&frame) {
                *quality = quality::of_scene(&run.scene, &run.sim.state.x);
            }
        }
        Ok(())
    }))?;
    Ok(if done.is_ok() { at } else { BTreeMap::new() })
}

fn push_peers(
    table: &mut Table,
    title: &str,
    peers: &[&PeerRow],
    ours: &BTreeMap<usize, Quality>,
    frames: usize,
) {
    for peer in peers {
        let mut note: Vec<String> = peer.part.iter().map(|part| format!("{part} only")).collect();
        if (1..frames).contains(&peer.frames) {
            let then = match (peer.part, ours.get(&peer.frames)) {
                (None, Some(quality)) => format!(", when ours has {}", words(quality)),
                _ => String::new(),
            };
            note.push(format!("after {} of {frames} frames{then}", peer.frames));
        }
        note.extend((!peer.note.is_empty()).then(|| peer.note.clone()));
        table.push(row(title, &peer.engine, &peer.settings, peer.result.clone(), &note.join("; ")));
    }
}

/// "p99 0.52, volume 0.97, 12 inverted".
fn words(quality: &Quality) -> String {
    let mut words = vec![format!("p99 {}", Cell::Number(quality.p99_edge_strain))];
    words.extend(quality.volume_ratio.map(|ratio| format!("volume {}", Cell::Number(ratio))));
    words.extend(quality.inverted.map(|count| format!("{count} inverted")));
    words.join(", ")
}

fn note(scene: &str, engine: &str) -> &'static str {
    match (scene, engine) {
        ("cloth 140×140", "thesis (A-Jacobi)") => {
            "5 × 200 sweeps do not converge; no measure of quality is given"
        }
        ("2 Armadillos", "PhysX 5.1.3") => "355 voxel tetrahedra a body against 49393",
        ("2 Armadillos", "Bullet 3.25") => "same tetrahedra; intersects itself and drifts",
        _ => "",
    }
}
