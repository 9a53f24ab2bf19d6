//! How fast the simulation runs.

use std::time::Instant;

/// Frames per second over the last second or so.
#[derive(Default)]
pub(super) struct Rate {
    since: Option<Instant>,
    frames: u32,
    value: f64,
}

impl Rate {
    /// Counts a frame.
    pub(super) fn tick(&mut self) {
        let now = Instant::now();
        let since = *self.since.get_or_insert(now);
        self.frames += 1;
        let passed = (now - since).as_secs_f64();
        if passed > 0.5 {
            self.value = f64::from(self.frames) / passed;
            (self.since, self.frames) = (Some(now), 0);
        }
    }

    /// Frames per second.
    pub(super) fn get(&self) -> f64 {
        self.value
    }
}
