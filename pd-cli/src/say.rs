//! Speaking on stdout without panicking when nobody listens (`pd scenes | head -1`) or the disk is full.

use crate::failure::Failure;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes the text and a line end to stdout. A reader who has gone away has heard enough: that is no failure.
pub(crate) fn say(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Input(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr; where that fails there is nobody left to tell.
pub(crate) fn say_aside(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
