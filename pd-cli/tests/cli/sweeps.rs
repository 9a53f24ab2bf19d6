//! `--set`, checkpoints on the way, signals, and sweeps that are killed and go on.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    serde_json::from_str(&sandbox.good(&[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn keys_are_set_and_wrong_ones_refused() {
    let sandbox = Sandbox::new();
    let hash = |set: &[&str]| {
        json(&sandbox, &[&["run", "bar", "--frames", "3"], set].concat())["state_hash"].clone()
    };
    let plain = hash(&[]);
    assert_ne!(hash(&["--set", "step.gravity=[0, -1, 0]"]), plain);
    assert_eq!(hash(&["--set", "step.gravity=[0, -9.8, 0]", "--set", "step.iterations = 10"]), plain);
    for (set, word) in
        [("object.baz.mass.total=1", "bar"), ("step.dumping=1", "dumping"), ("step.dt", "KEY=VALUE")]
    {
        let output = sandbox.pd(&["run", "bar", "--frames", "1", "--set", set]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(word), "{set}: {said}");
    }
}

#[test]
fn checkpoints_are_written_on_the_way() {
    let sandbox = Sandbox::new();
    let whole = json(&sandbox, &["run", "bar", "--frames", "7"]);
    let part = ["run", "bar", "--frames", "5", "--checkpoint", "a.pdc", "--checkpoint-every", "2"];
    sandbox.good(&part);
    let rest = json(&sandbox, &["run", "bar", "--frames", "7", "--resume", "a.pdc"]);
    assert_eq!(rest["state_hash"], whole["state_hash"]);
    assert_eq!(
        sandbox.pd(&["run", "bar", "--checkpoint-every", "2"]).status.code(),
        Some(2),
        "needs --checkpoint"
    );
}

/// Waits for something that another process does.
fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
#[cfg(unix)]
fn a_signal_keeps_a_checkpoint_that_goes_on_to_the_same_bits() {
    let sandbox = Sandbox::new();
    let arguments = ["run", "bar", "--frames", "1000000", "--checkpoint", "a.pdc", "--checkpoint-every", "1"];
    let mut child = sandbox.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("the first checkpoint", || sandbox.path("a.pdc").exists());
    let kill = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(kill.success());
    let output = {
        let mut said = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
        (child.wait().unwrap(), said)
    };
    assert_eq!(output.0.code(), Some(143), "{}", output.1);
    assert!(output.1.contains("--resume a.pdc"), "{}", output.1);
    let words: Vec<&str> = output.1.rsplit_once("after frame ").unwrap().1.split(';').collect();
    let frame: u64 = words[0].parse().unwrap();
    let end = (frame + 2).to_string();
    let whole = json(&sandbox, &["run", "bar", "--frames", &end]);
    let rest = json(&sandbox, &["run", "bar", "--frames", &end, "--resume", "a.pdc"]);
    assert_eq!(rest["state_hash"], whole["state_hash"]);
}

const SWEEP: &str = "scene = \"bar\"\nframes = 6\nsamples = 2\nseed = 7\n[axes]\n\
    \"step.damping\" = [0.0, 0.5, 1.0, -1.0]\n\"step.iterations\" = [2, 4, 6, 8]\n[random]\n\
    \"step.tolerance\" = { uniform = [0.0, 0.5] }\n[keep]\nevery = 3\n";

#[test]
fn a_sweep_that_is_killed_twice_ends_as_one_that_is_not() {
    let sandbox = Sandbox::new();
    sandbox.write("s.toml", SWEEP);
    let plan = json(&sandbox, &["sweep", "plan", "s.toml"]);
    let runs = runs_of(&plan).len();
    assert_eq!(runs, 32);
    let directory = sandbox.path("s.runs");
    let finished = || {
        let entries = std::fs::read_dir(&directory).map(|entries| {
            entries.filter(|e| !e.as_ref().unwrap().file_name().to_string_lossy().starts_with('.')).count()
        });
        entries.unwrap_or(0)
    };
    for count in [3, 9] {
        let mut child =
            sandbox.command(&["sweep", "run", "s.toml", "--workers", "1", "--json"]).spawn().unwrap();
        wait_for("a few runs", || finished() >= count);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(finished() < runs, "killed in the middle");
    }
    let before = finished();
    sandbox.write("s.runs/.0123456789abcdef.1.tmp/frames.npz", "of a killed process");
    let rest = json(&sandbox, &["sweep", "run", "s.toml"]);
    assert_eq!(rest["done_now"].as_u64().unwrap() as usize, runs - before, "no run is done twice");
    let hidden = |e: &std::fs::DirEntry| e.file_name().to_string_lossy().starts_with('.');
    let drafts = std::fs::read_dir(&directory).unwrap().filter(|e| hidden(e.as_ref().unwrap())).count();
    assert_eq!(drafts, 0, "drafts of killed processes are gone");
    let again = json(&sandbox, &["sweep", "run", "s.toml"]);
    assert_eq!(again["done_now"], 0);
    // In two slices, elsewhere.
    for slice in ["0/2", "1/2"] {
        sandbox.good(&["sweep", "run", "s.toml", "--out", "other", "--slice", slice, "--workers", "2"]);
    }
    sandbox.good(&["sweep", "gather", "s.toml"]);
    sandbox.good(&["sweep", "gather", "s.toml", "--out", "other"]);
    let table = sandbox.read("s.runs/results.csv");
    assert_eq!(table, sandbox.read("other/results.csv"));
    assert_eq!(table.lines().count(), runs + 1);
    assert_eq!(table.matches(",refused,").count(), 8, "{table}");
    let status = json(&sandbox, &["sweep", "status", "s.toml"]);
    assert_eq!((&status["ran"], &status["refused"], &status["open"]), (&24.into(), &8.into(), &0.into()));
    // One run by hand has the same hash.
    let run = runs_of(&plan).iter().find(|run| run["set"]["step.damping"] == 0.5).unwrap();
    let sets: Vec<String> =
        run["set"].as_object().unwrap().iter().map(|(key, value)| format!("--set={key}={value}")).collect();
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let hash = json(&sandbox, &[&["run", "bar", "--frames", "6"], &sets[..]].concat())["state_hash"].clone();
    let row = table.lines().find(|line| line.starts_with(run["id"].as_str().unwrap())).unwrap();
    assert!(row.contains(hash.as_str().unwrap()), "{row} has not {hash}");
    // The table holds the bits of the values that ran.
    for run in runs_of(&plan) {
        let row = table.lines().find(|line| line.starts_with(run["id"].as_str().unwrap())).unwrap();
        for value in run["set"].as_object().unwrap().values().filter_map(Value::as_f64) {
            assert!(row.split(',').any(|cell| cell.parse() == Ok(value)), "{row} has not {value:?}");
        }
    }
}

fn runs_of(plan: &Value) -> &Vec<Value> {
    plan["runs"].as_array().unwrap()
}

#[test]
fn bad_sweeps_are_refused() {
    let sandbox = Sandbox::new();
    for (text, word) in [
        ("scene = \"bar\"\nframes = 1\n[axis]\n", "axis"),
        ("scene = \"bars\"\n", "bars"),
        ("scene = \"bar\"\n[axes]\n\"step.dt\" = []\n", "no values"),
        ("scene = \"bar\"\n[axes]\n\"step.dt\" = { log = [-1, 1], count = 3 }\n", "positive"),
        ("scene = \"bar\"\nsamples = 9999999\n", "runs"),
        ("scene = \"bar\"\n[keep]\nevery = 0\n", "every"),
    ] {
        sandbox.write("s.toml", text);
        let output = sandbox.pd(&["sweep", "plan", "s.toml"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}: {said}");
        assert!(said.contains(word), "{text}: {said}");
    }
}
