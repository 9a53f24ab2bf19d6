//! Output to stdout and stderr that does not panic when the pipe is closed (`pd scenes | head -1`) or the disk is full.

use crate::failure::Failure;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line to stdout. A closed pipe is not an error.
pub(crate) fn print_line(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Input(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr; errors are ignored.
pub(crate) fn eprint_line(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
