//! The `pd-viewer` command: a window for scenes, and pictures of them without a window.

use std::process::ExitCode;

fn main() -> ExitCode {
    match pd_viewer::app::run(std::env::args().nth(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}
