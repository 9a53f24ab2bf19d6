//! A directory of its own for a run of `pd`, and the one way all bad input must end: exit code 1 for a wrong scene and 2 for the
//! rest, a line on stderr that names the place, nothing on stdout, no panic, and no file made or changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A temporary working directory.
pub(crate) struct Sandbox(tempfile::TempDir);

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// `pd` with these arguments here, without the model directories of the caller.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pd"));
        command.args(arguments).current_dir(self.0.path()).env_remove("PD_MODELS").env("RUST_BACKTRACE", "0");
        command
    }

    /// Runs `pd`.
    pub(crate) fn pd(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs `pd` and expects success; returns stdout.
    pub(crate) fn good(&self, arguments: &[&str]) -> String {
        let output = self.pd(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "pd {arguments:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Every file and directory here with its content.
    fn listing(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        fn visit(directory: &Path, seen: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    visit(&path, seen);
                    seen.insert(path, None);
                } else {
                    let content = std::fs::read(&path).unwrap();
                    seen.insert(path, Some(content));
                }
            }
        }
        let mut seen = BTreeMap::new();
        visit(self.0.path(), &mut seen);
        seen
    }

    /// Says what is wrong with the way `pd` refused, if anything.
    fn refusal(&self, code: i32, arguments: &[&str], words: &[&str]) -> Result<(), String> {
        let before = self.listing();
        let output = self.pd(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let fault = |what: String| Err(format!("{what}\n    stderr: {}", stderr.trim()));
        if output.status.code() != Some(code) {
            return fault(format!("exit code {:?}, not {code}", output.status.code()));
        }
        if !output.stdout.is_empty() {
            return fault(format!("wrote to stdout: {}", String::from_utf8_lossy(&output.stdout)));
        }
        if stderr.contains("panicked") || stderr.contains("RUST_BACKTRACE") {
            return fault("panicked".into());
        }
        if let Some(word) = words.iter().find(|word| !stderr.contains(**word)) {
            return fault(format!("does not say {word:?}"));
        }
        let after = self.listing();
        if after != before {
            let new: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
            return fault(format!("left something behind: {new:?}"));
        }
        Ok(())
    }
}

/// Faults of many cases, reported together.
#[derive(Default)]
pub(crate) struct Report {
    cases: usize,
    faults: Vec<String>,
}

impl Report {
    /// One case: `pd` must refuse these arguments with code 2 and say all of `words`.
    pub(crate) fn refuses(&mut self, what: &str, sandbox: &Sandbox, arguments: &[&str], words: &[&str]) {
        self.ends(2, what, sandbox, arguments, words);
    }

    /// One case: `pd check` and `pd run` must both refuse a scene with code 1 and say all of `words`.
    pub(crate) fn faults(&mut self, what: &str, sandbox: &Sandbox, scene: &str, words: &[&str]) {
        self.ends(1, what, sandbox, &run_with_all_outputs(scene), words);
        self.ends(1, &format!("check: {what}"), sandbox, &["check", scene], words);
    }

    fn ends(&mut self, code: i32, what: &str, sandbox: &Sandbox, arguments: &[&str], words: &[&str]) {
        self.cases += 1;
        if let Err(fault) = sandbox.refusal(code, arguments, words) {
            self.faults.push(format!("{what}: {fault}"));
        }
    }

    /// Fails with every fault at once.
    pub(crate) fn finish(self, least: usize) {
        println!("{} cases refused as they should be", self.cases - self.faults.len());
        assert!(self.faults.is_empty(), "{}", self.faults.join("\n"));
        assert!(self.cases >= least, "only {} cases ran", self.cases);
    }
}

/// Arguments that ask for every kind of output of a run.
pub(crate) fn run_with_all_outputs(scene: &str) -> Vec<&str> {
    let mut arguments = vec!["run", scene, "--frames", "2"];
    arguments.extend(["--positions", "positions.txt", "--checkpoint", "end.pdc"]);
    arguments.extend(["--trace", "trace.csv", "--out", "frames"]);
    arguments
}
