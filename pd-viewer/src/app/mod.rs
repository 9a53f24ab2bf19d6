//! The window.

/// Why the window could not run.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is no window in this build.
    #[error("this build has no window yet; use `pd-viewer render SCENE --out FILE.png`")]
    NoWindow,
}

/// Opens the window with a scene, or with the one that always works.
pub fn run(_scene: Option<String>) -> Result<(), AppError> {
    Err(AppError::NoWindow)
}
