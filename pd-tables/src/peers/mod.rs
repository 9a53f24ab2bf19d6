//! Other engines for table 7.6, run as programs of their own: what they are given and what they answer.
//!
//! Scripts live in `pd-tables/peers/`; each reads a mesh, simulates, and prints one line of JSON per setting:
//! `{"engine": …, "settings": …, "ms": …, "p99": …, "volume": …, "inverted": …, "note": …}`, or `"missing": …`. A line
//! with `"begun": "loaded"` or `"begun": "run"` says what it is at. A peer has a time for each task, is told it, and is
//! ended when it is over; one that had no figure by then is given a part of the task.

mod child;
mod install;
mod mesh_text;

use crate::Outcome;
use crate::lab::{Lab, Stand, TableError};
use crate::quality::Quality;
use child::End;
use install::{PEERS, Peer, install};
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
    /// What to know.
    pub note: String,
}

/// Measurements of all peers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeerRows {
    /// Rows in the order they were taken.
    pub rows: Vec<PeerRow>,
}

/// A task as files: the whole mesh, and a part of it.
struct Given {
    task: Task,
    whole: PathBuf,
    part: PathBuf,
}

/// Installs what is missing under `directory` and runs every peer on every task, each for the time that
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
        lab.say(&format!("{}: installing", peer.name));
        match install(peer, directory)? {
            Ok(program) => {
                for given in &tasks {
                    lab.say(&format!("{}: {}", peer.name, given.task.title()));
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
    PeerRow { task, engine: peer.name.into(), settings: String::new(), result, note: String::new() }
}

/// The whole task, and a part of it where time was over before there was any figure of the whole.
fn measure(lab: &Lab<'_>, peer: &Peer, program: &[PathBuf], given: &Given) -> Vec<PeerRow> {
    let mut rows = attempt(lab, peer, program, given.task, &given.whole);
    let late = |row: &PeerRow| matches!(row.result, Err(Outcome::Late { .. }));
    if !rows.iter().any(|row| row.result.is_ok()) && rows.iter().any(late) {
        let part = given.task.part();
        lab.say(&format!("{}: {part}", peer.name));
        for mut row in attempt(lab, peer, program, given.task, &given.part) {
            let note = std::mem::take(&mut row.note);
            row.note =
                if note.is_empty() { format!("on {part} only") } else { format!("on {part} only; {note}") };
            rows.push(row);
        }
    }
    rows
}

fn attempt(lab: &Lab<'_>, peer: &Peer, program: &[PathBuf], task: Task, mesh: &Path) -> Vec<PeerRow> {
    let Some((first, rest)) = program.split_first() else { return vec![] };
    let (frames, seconds) = (lab.effort.settle_frames.to_string(), lab.effort.peer_seconds);
    let log = mesh.with_file_name(format!("{}-{}", peer.name, task.word()));
    let mut command = Command::new(first);
    command.args(rest).arg(task.word()).arg(mesh).arg(frames).arg(seconds.to_string());
    match child::run(&mut command, &log, Duration::from_secs(seconds)) {
        Err(why) => vec![missing(task, peer, &why)],
        Ok((text, end)) => answers(task, peer, &text, &end, seconds),
    }
}

/// The rows a peer printed, and one for what it did not come to.
fn answers(task: Task, peer: &Peer, text: &str, end: &End, seconds: u64) -> Vec<PeerRow> {
    let (mut rows, mut begun) = (vec![], None);
    for answer in text.lines().filter_map(|line| read(task, line)) {
        match answer {
            Answer::Begun(row) => begun = Some(row),
            Answer::Result(row) => {
                begun = None;
                rows.push(row);
            }
        }
    }
    let unfinished = begun.unwrap_or_else(|| missing(task, peer, "it printed no result"));
    match end {
        End::Well if rows.is_empty() => rows.push(missing(task, peer, "it printed no result")),
        End::Well => {}
        End::Failed(why) => rows.push(PeerRow { result: Err(Outcome::Missing(why.clone())), ..unfinished }),
        End::Late => {
            let what = match &unfinished.result {
                Err(Outcome::Late { what, .. }) => what.clone(),
                _ => "done".to_owned(),
            };
            rows.push(PeerRow { result: Err(Outcome::Late { what, seconds }), ..unfinished });
        }
    }
    rows
}

/// A line of a peer.
#[derive(Debug, PartialEq)]
enum Answer {
    /// What it is at, as a row that says it is late with it.
    Begun(PeerRow),
    /// A measurement.
    Result(PeerRow),
}

/// One line of an answer; lines that are no JSON object are the engine's own chatter.
fn read(task: Task, line: &str) -> Option<Answer> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let words = |key: &str| value.get(key).and_then(|v| v.as_str()).unwrap_or("").to_owned();
    let number = |key: &str| value.get(key).and_then(serde_json::Value::as_f64);
    let engine = value.get("engine")?.as_str()?.to_owned();
    let row = |result| PeerRow { task, engine, settings: words("settings"), result, note: words("note") };
    if value.get("begun").is_some() {
        return Some(Answer::Begun(row(Err(Outcome::Late { what: words("begun"), seconds: 0 }))));
    }
    Some(Answer::Result(row(match (number("ms"), number("p99")) {
        (Some(ms), Some(p99)) if p99.is_finite() => {
            let inverted = number("inverted").map(|n| n as usize);
            Ok((ms, Quality { p99_edge_strain: p99, volume_ratio: number("volume"), inverted }))
        }
        (Some(_), None) => Err(Outcome::Diverges),
        _ => Err(Outcome::Missing(words("missing"))),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(task: Task, line: &str) -> PeerRow {
        match read(task, line) {
            Some(Answer::Result(row)) => row,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn answers_are_read_and_chatter_is_not() {
        let good =
            r#"{"engine":"E 1","settings":"s","ms":2.0,"p99":0.5,"volume":0.9,"inverted":3,"note":"n"}"#;
        let row = result(Task::Pair, good);
        let quality = Quality { p99_edge_strain: 0.5, volume_ratio: Some(0.9), inverted: Some(3) };
        assert_eq!((row.engine.as_str(), row.result), ("E 1", Ok((2.0, quality))));
        let wild = result(Task::Cloth, r#"{"engine":"E","ms":2.0,"p99":null}"#);
        assert_eq!(wild.result, Err(Outcome::Diverges));
        let gone = result(Task::Cloth, r#"{"engine":"E","missing":"no tets"}"#);
        assert_eq!(gone.result, Err(Outcome::Missing("no tets".into())));
        assert_eq!(read(Task::Cloth, "pybullet build time: now"), None);
    }

    #[test]
    fn what_was_begun_and_not_done_is_a_row() {
        let text = "{\"engine\":\"E\",\"settings\":\"a\",\"begun\":\"loaded\"}\n\
                    {\"engine\":\"E\",\"settings\":\"a\",\"ms\":2.0,\"p99\":0.5}\n\
                    {\"engine\":\"E\",\"settings\":\"b\",\"begun\":\"loaded\"}\n";
        let rows = answers(Task::Cloth, &PEERS[0], text, &End::Late, 7);
        let late = Outcome::Late { what: "loaded".into(), seconds: 7 };
        assert_eq!(late.to_string(), "not loaded within 7 s");
        assert!(rows[0].result.is_ok());
        assert_eq!((rows.len(), rows[1].settings.as_str(), &rows[1].result), (2, "b", &Err(late)));
        let rows = answers(Task::Cloth, &PEERS[0], text, &End::Failed("killed".into()), 7);
        assert_eq!(rows[1].result, Err(Outcome::Missing("killed".into())));
        assert_eq!(answers(Task::Cloth, &PEERS[0], "", &End::Well, 7).len(), 1);
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
        assert!(
            matches!(&rows[..], [PeerRow { result: Err(Outcome::Missing(why)), .. }] if why.contains("no/such"))
        );
    }

    /// An engine that loads only the part: it is late with the whole and answers for the part.
    #[cfg(unix)]
    #[test]
    fn an_engine_that_is_late_is_given_a_part() {
        let models = pd_sim::ModelPaths::default();
        let effort = crate::Effort { peer_seconds: 1, ..crate::Effort::QUICK };
        let lab = Lab::new(&models, effort, 1, &|_| {}).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let script = directory.path().join("engine.sh");
        let text = r#"echo '{"engine":"E","settings":"s","begun":"loaded"}'
            case $2 in *whole*) exec sleep 60;; esac
            echo '{"engine":"E","settings":"s","ms":3.0,"p99":0.25,"note":"n"}'"#;
        std::fs::write(&script, text).unwrap();
        let rows = measure(&lab, &PEERS[0], &[PathBuf::from("sh"), script], &given(directory.path()));
        let [late, part] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!(late.result, Err(Outcome::Late { what: "loaded".into(), seconds: 1 }));
        assert!(part.result.is_ok());
        assert_eq!(part.note, "on a cloth of 70×70 only; n");
    }
}
