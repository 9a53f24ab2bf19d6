//! Runs a program with a time limit: it is stopped at the limit, and its output so far is used.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By itself, with success.
    Well,
    /// By itself, without; the last line of what it complained of.
    Failed(String),
    /// Its time was up.
    Late,
}

/// Runs a program to its end or the limit; what it printed, and how it ended. Its output goes to files beside `log`. An
/// error is a program that could not be started.
pub(super) fn run(command: &mut Command, log: &Path, limit: Duration) -> Result<(String, End), String> {
    let program = format!("{:?}", command.get_program());
    let (out, errors) = (log.with_extension("out"), log.with_extension("err"));
    let file =
        |path: &Path| std::fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()));
    let (stdout, stderr) = (file(&out)?, file(&errors)?);
    let mut child =
        command.stdout(stdout).stderr(stderr).spawn().map_err(|error| format!("{program}: {error}"))?;
    let begun = Instant::now();
    let end = loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break End::Well,
            Ok(Some(_)) => {
                break End::Failed(complaint(&std::fs::read_to_string(&errors).unwrap_or_default()));
            }
            Ok(None) if begun.elapsed() > limit => {
                // If it cannot be ended it has ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                break End::Late;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(error) => break End::Failed(error.to_string()),
        }
    };
    Ok((std::fs::read_to_string(&out).unwrap_or_default(), end))
}

/// The last line with words.
fn complaint(text: &str) -> String {
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed without a word").trim().to_owned()
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use super::*;

    #[cfg(unix)]
    fn shell(script: &str, limit: Duration) -> (String, End) {
        let directory = tempfile::tempdir().unwrap();
        run(Command::new("sh").args(["-c", script]), &directory.path().join("log"), limit).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn ends_are_told_apart_and_words_are_kept() {
        let minute = Duration::from_secs(60);
        assert_eq!(shell("echo one", minute), ("one\n".into(), End::Well));
        assert_eq!(shell("echo x >&2; echo why >&2; exit 3", minute), ("".into(), End::Failed("why".into())));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let begun = Instant::now();
        let (text, end) = shell("echo begun; exec sleep 600", Duration::from_millis(300));
        assert_eq!((text.as_str(), end), ("begun\n", End::Late));
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}
