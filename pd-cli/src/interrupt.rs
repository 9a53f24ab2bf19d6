//! SIGINT and SIGTERM stop the program gracefully: current work is finished and written. A second signal stops immediately.

use crate::failure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether the program received a termination signal, and which.
#[derive(Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Starts to listen for signals.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let asked = Self::default();
        let again = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            let code = 128 + signal;
            // In this order: the first signal finds `again` unset, and sets it.
            signal_hook::flag::register_conditional_shutdown(signal, code, again.clone())
                .and_then(|_| signal_hook::flag::register(signal, again.clone()))
                .and_then(|_| signal_hook::flag::register_usize(signal, asked.0.clone(), signal as usize))
                .map_err(|error| Failure::Input(format!("signals: {error}")))?;
        }
        Ok(asked)
    }

    /// The received signal, if any.
    pub(crate) fn signal(&self) -> Option<u8> {
        u8::try_from(self.0.load(Ordering::Relaxed)).ok().filter(|&signal| signal != 0)
    }
}
