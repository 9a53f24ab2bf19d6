//! Other engines for table 7.6, run as separate programs.
//!
//! The programs are in `pd-tables/peers/`. Each is run once per setting in a separate process: it reads a mesh,
//! simulates, and prints lines of JSON. `{"engine": …, "begun": "loaded"}` (or `"finished"`) reports its progress,
//! `{"engine": …, "frames": …, "ms": …, "p99": …, "volume": …, "inverted": …, "note": …}` is its result. The time limit per setting is
//! [`Effort::peer_seconds`](crate::Effort). It is passed to the program, which stops by itself shortly before; at the limit it is
//! stopped. A peer without a result for any setting gets a smaller task, with its first
//! setting. The total time is bounded by [`longest`].

mod answer;
mod child;
mod install;
mod mesh_text;
mod taichi;

pub use taichi::{TaichiMpm, taichi_mpm};

use crate::Outcome;
use crate::lab::{Lab, Stand, TableError};
use crate::quality::Quality;
use answer::answer;
use install::{PEERS, Peer, Setting, install};
use mesh_text::mesh_text;
use pd_sim::scene::desc::ShapeDesc;
use pd_sim::scene::{Scene, SceneDesc};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The 140×140 cloth hung by two corners.
    Cloth,
    /// Two Armadillos dropped on the floor.
    Pair,
}

impl Task {
    /// All tasks.
    pub const ALL: [Self; 2] = [Self::Cloth, Self::Pair];

    /// Name in table 7.6.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cloth => "cloth 140×140",
            Self::Pair => "2 Armadillos",
        }
    }

    /// Our scene.
    pub fn scene(self) -> &'static str {
        match self {
            Self::Cloth => "cloth-140",
            Self::Pair => "armadillo-pair",
        }
    }

    /// Its stand-in where the model is missing.
    pub fn twin(self) -> Option<&'static str> {
        match self {
            Self::Cloth => None,
            Self::Pair => Some("armadillo-pair-twin"),
        }
    }

    fn settings(self, peer: &Peer) -> &'static [Setting] {
        match self {
            Self::Cloth => peer.cloth,
            Self::Pair => peer.solid,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Cloth => "cloth",
            Self::Pair => "solid",
        }
    }

    /// What is simulated in its place by an engine that cannot load the whole.
    fn part(self) -> &'static str {
        match self {
            Self::Cloth => "a cloth of 70×70",
            Self::Pair => "one of the two bodies",
        }
    }

    fn reduce(self, desc: &mut SceneDesc) {
        desc.objects.truncate(1);
        if let (Self::Cloth, Some(object)) = (self, desc.objects.first_mut()) {
            object.shape = ShapeDesc::Grid { rows: 70, columns: 70, width: 1.0, depth: 1.0 };
            for pin in &mut object.pins {
                pin.select.vertices = vec![0, 70 * 71];
            }
        }
    }
}

/// A measurement of a peer.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerRow {
    /// What it simulated.
    pub task: Task,
    /// Name and version.
    pub engine: String,
    /// Iterations, substeps, stiffness.
    pub settings: String,
    /// Ms a frame and quality, or why there is none.
    pub result: Result<(f64, Quality), Outcome>,
    /// Frames it came to; fewer than asked for where time was over or it diverged, 0 where there is no result.
    pub frames: usize,
    /// The part of the task that it was given in place of the whole.
    pub part: Option<&'static str>,
    /// What to know.
    pub note: String,
}

/// Measurements of all peers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeerRows {
    /// Rows in the order they were taken.
    pub rows: Vec<PeerRow>,
    /// Taichi's material points, if they were asked for.
    pub taichi: Option<Result<TaichiMpm, Outcome>>,
}

/// A task as files: the whole mesh, and a part of it.
struct Given {
    task: Task,
    whole: PathBuf,
    part: PathBuf,
}

/// The longest that all peers may take together once they are installed, s, with `seconds` for a setting: every setting once,
/// and for every peer and task one on a part.
pub fn longest(seconds: u64) -> u64 {
    let children = |peer: &Peer, task: Task| task.settings(peer).len() as u64 + 1;
    let all = PEERS.iter().flat_map(|peer| Task::ALL.map(|task| children(peer, task)));
    all.sum::<u64>() * seconds
}

/// Installs what is missing under `directory` and runs every peer on every task with every setting, each for the time that
/// [`Effort::peer_seconds`](crate::Effort) names.
pub fn run(lab: &Lab<'_>, directory: &Path) -> Result<PeerRows, TableError> {
    std::fs::create_dir_all(directory)
        .map_err(|error| TableError::File { path: directory.to_owned(), error })?;
    let mut rows = PeerRows::default();
    let mut tasks = vec![];
    for task in Task::ALL.into_iter().filter(|task| lab.wants(task.scene())) {
        let stands = lab.stand_ins(task.scene(), task.twin())?;
        let Some(Stand::Scene(scene) | Stand::Twin(scene)) = stands.last() else { continue };
        let write = |name: String, desc: SceneDesc| -> Result<PathBuf, TableError> {
            let text = mesh_text(&Scene::from_desc(scene, desc, None, lab.models)?);
            crate::report::write(&directory.join(name), &text)
        };
        let whole = write(format!("{}.txt", task.word()), lab.describe(scene, |_| {})?)?;
        let part =
            write(format!("{}-part.txt", task.word()), lab.describe(scene, |desc| task.reduce(desc))?)?;
        tasks.push(Given { task, whole, part });
    }
    for peer in &PEERS {
        lab.report_progress(&format!("{}: installing", peer.name));
        match install(peer, directory)? {
            Ok(program) => {
                for given in &tasks {
                    rows.rows.extend(measure(lab, peer, &program, given));
                }
            }
            Err(why) => rows.rows.extend(tasks.iter().map(|given| missing(given.task, peer, &why))),
        }
    }
    Ok(rows)
}

fn missing(task: Task, peer: &Peer, why: &str) -> PeerRow {
    let result = Err(Outcome::Missing(why.to_owned()));
    let (engine, settings, note) = (peer.name.into(), String::new(), String::new());
    PeerRow { task, engine, settings, result, frames: 0, part: None, note }
}

/// The whole task with every setting, and a part of it where time was over before there was any figure of the whole.
fn measure(lab: &Lab<'_>, peer: &Peer, program: &[PathBuf], given: &Given) -> Vec<PeerRow> {
    let settings = given.task.settings(peer);
    let whole = |setting| attempt(lab, peer, program, given.task, &given.whole, setting);
    let mut rows: Vec<PeerRow> = settings.iter().map(whole).collect();
    let late = |row: &PeerRow| matches!(row.result, Err(Outcome::Late { .. }));
    if let (false, true, Some(first)) =
        (rows.iter().any(|row| row.result.is_ok()), rows.iter().any(late), settings.first())
    {
        let row = attempt(lab, peer, program, given.task, &given.part, first);
        rows.push(PeerRow { part: Some(given.task.part()), ..row });
    }
    rows
}

/// One setting: a process of its own, with all the time of a setting.
fn attempt(
    lab: &Lab<'_>,
    peer: &Peer,
    program: &[PathBuf],
    task: Task,
    mesh: &Path,
    setting: &Setting,
) -> PeerRow {
    let (frames, seconds) = (lab.effort.settle_frames, lab.effort.peer_seconds);
    lab.report_progress(&format!("{}: {}, {}, {seconds} s at most", peer.name, task.title(), setting.says));
    let blank = PeerRow { settings: setting.says.into(), ..missing(task, peer, "it printed no result") };
    let Some((first, rest)) = program.split_first() else { return blank };
    let log = mesh.with_file_name(format!("{}-{}-{}", peer.name, task.word(), setting.word));
    let mut command = Command::new(first);
    command.args(rest).arg(task.word()).arg(mesh);
    command.args([&frames.to_string(), &seconds.to_string(), setting.word]);
    match child::run(&mut command, &log, Duration::from_secs(seconds)) {
        Err(why) => PeerRow { result: Err(Outcome::Missing(why)), ..blank },
        Ok((text, end)) => answer(blank, &text, end, seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `pd tables --help` promises: with the full effort the peers take less than 22 minutes, with the quick one 8.
    #[test]
    fn the_longest_run_is_bounded() {
        assert_eq!(longest(1), 20, "fourteen settings, and six parts");
        assert!(longest(crate::Effort::FULL.peer_seconds) <= 22 * 60);
        assert!(longest(crate::Effort::QUICK.peer_seconds) <= 8 * 60);
    }

    fn given(directory: &Path) -> Given {
        Given { task: Task::Cloth, whole: directory.join("whole.txt"), part: directory.join("part.txt") }
    }

    #[test]
    fn a_program_that_is_not_there_is_a_word_in_a_cell() {
        let models = pd_sim::ModelPaths::default();
        let lab = Lab::new(&models, crate::Effort::QUICK, 1, &|_| {}).unwrap();
        let program = [PathBuf::from("no/such/program")];
        let directory = tempfile::tempdir().unwrap();
        let rows = measure(&lab, &PEERS[0], &program, &given(directory.path()));
        assert_eq!(rows.len(), PEERS[0].cloth.len(), "every setting has a row");
        for (row, setting) in rows.iter().zip(PEERS[0].cloth) {
            assert_eq!(row.settings, setting.says);
            assert!(matches!(&row.result, Err(Outcome::Missing(why)) if why.contains("no/such")));
        }
    }

    /// A setting that takes all its time takes none of that of the next; an engine that is late with all is given a part.
    #[cfg(unix)]
    #[test]
    fn every_setting_has_its_own_time() {
        let models = pd_sim::ModelPaths::default();
        let effort = crate::Effort { peer_seconds: 2, ..crate::Effort::QUICK };
        let lab = Lab::new(&models, effort, 1, &|_| {}).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let script = directory.path().join("engine.sh");
        let rows = |sleeps: &str| {
            let text = format!(
                r#"echo '{{"engine":"E","begun":"loaded"}}'
                case $2-$5 in {sleeps}) exec sleep 60;; esac
                echo '{{"engine":"E","frames":4,"ms":3.0,"p99":0.25,"note":"n"}}'"#
            );
            std::fs::write(&script, text).unwrap();
            measure(&lab, &PEERS[0], &[PathBuf::from("sh"), script.clone()], &given(directory.path()))
        };
        let is_late = |row: &PeerRow| row.result == Err(Outcome::Late { what: "loaded".into(), seconds: 2 });
        let one = rows("*whole*-32");
        assert!(one.len() == 2 && is_late(&one[0]) && one[1].result.is_ok(), "{one:?}");
        let all = rows("*whole*");
        assert!(all.len() == 3 && is_late(&all[0]) && is_late(&all[1]) && all[2].result.is_ok(), "{all:?}");
        assert_eq!(all[2].part, Some("a cloth of 70×70"));
    }
}
