//! Progress of long work: a bar on a terminal, a few plain lines elsewhere, always on stderr. [`Progress`] counts frames,
//! [`PartProgress`] shows a fraction of the work.

use crate::print_line::eprint_line;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// Steps of the bar: finer than any terminal is wide.
const STEPS: u64 = 1000;

/// Progress over a known number of frames.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    total: u64,
    done: u64,
}

impl Progress {
    pub(crate) fn new(total: u64, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {eta} left") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, quiet, total, done: 0 }
    }

    pub(crate) fn advance(&mut self) {
        self.done += 1;
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if !self.quiet && self.total >= 10 && self.done.is_multiple_of(self.total.div_ceil(10)) => {
                eprint_line(format_args!("frame {} of {}", self.done, self.total));
            }
            None => {}
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Progress of work that knows what fraction of it is done; shown until [`PartProgress::finish`].
pub(crate) struct PartProgress {
    bar: Option<ProgressBar>,
}

impl PartProgress {
    pub(crate) fn new(what: String, quiet: bool) -> Self {
        if quiet {
            return Self { bar: None };
        }
        if !std::io::stderr().is_terminal() {
            eprint_line(what);
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
