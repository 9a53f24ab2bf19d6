//! Progress of work that knows which part of it is done: a bar on a terminal, one plain line elsewhere, always on stderr.

use crate::say::say_aside;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// Steps of the bar: finer than any terminal is wide.
const STEPS: u64 = 1000;

/// Shown until [`PartBar::finish`].
pub(crate) struct PartBar {
    bar: Option<ProgressBar>,
}

impl PartBar {
    pub(crate) fn new(what: String, quiet: bool) -> Self {
        if quiet {
            return Self { bar: None };
        }
        if !std::io::stderr().is_terminal() {
            say_aside(what);
            return Self { bar: None };
        }
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %, {msg}, {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Self { bar: Some(bar) }
    }

    /// Shows a part from 0 to 1.
    pub(crate) fn show(&self, part: f64) {
        if let Some(bar) = &self.bar {
            bar.set_position((part.clamp(0.0, 1.0) * STEPS as f64) as u64);
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
