//! Progress of long work: a bar on a terminal, a few plain lines elsewhere, always on stderr.

use crate::say::say_aside;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

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
                say_aside(format_args!("frame {} of {}", self.done, self.total));
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
