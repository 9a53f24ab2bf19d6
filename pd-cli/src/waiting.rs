//! Long work of unknown length: a moving sign on a terminal, one plain line elsewhere, always on stderr.

use crate::say::say_aside;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Shown until [`Waiting::finish`].
pub(crate) struct Waiting {
    bar: Option<ProgressBar>,
}

impl Waiting {
    pub(crate) fn new(what: String, quiet: bool) -> Self {
        if quiet {
            return Self { bar: None };
        }
        if !std::io::stderr().is_terminal() {
            say_aside(what);
            return Self { bar: None };
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self { bar: Some(bar) }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
