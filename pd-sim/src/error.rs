//! Errors of loading, building and starting a scene.

use std::path::PathBuf;

/// Why a scene could not be read, built or resumed. Messages give the file and the line or key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// Neither a built-in scene nor a file.
    #[error("there is no scene {name:?}: not a file, and the built-in scenes are {known}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A file could not be read or written.
    #[error("{}: {what}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        what: String,
    },
    /// The TOML is malformed, or has a key that is unknown, missing or of the wrong type.
    #[error("{file}:{line}:{column}: {what}")]
    Syntax {
        /// Name of the scene or its file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// A value is out of range or contradicts another.
    #[error("{file}: {field}: {what}")]
    Value {
        /// Name of the scene or its file.
        file: String,
        /// Which key, as `object "cloth".pin[0].weight`.
        field: String,
        /// What is wrong and what is allowed.
        what: String,
    },
    /// A mesh or list file of the scene was not found in any search directory.
    #[error(
        "{file}: needs the model file {wanted:?}, which is not in {searched}; put it in one of these directories, \
             or name its directory with --models DIR or in the environment variable PD_MODELS"
    )]
    ModelNotPresent {
        /// Name of the scene or its file.
        file: String,
        /// The file wanted.
        wanted: String,
        /// Where it was looked for.
        searched: String,
    },
    /// A mesh file is malformed.
    #[error("{0}")]
    Mesh(String),
    /// A checkpoint is malformed or belongs to another scene.
    #[error("{}: {what}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A stepper or solver is not known by this name.
    #[error("{0}")]
    Registry(String),
    /// Surfaces intersect where they must not.
    #[error("{file}: {pairs} pairs of triangles intersect, first {first}")]
    Intersecting {
        /// Name of the scene or its file.
        file: String,
        /// Number of pairs.
        pairs: usize,
        /// The first, by the names of its bodies.
        first: crate::scene::Crossing,
    },
    /// The step could not be prepared or taken.
    #[error(transparent)]
    Step(#[from] pd_core::StepError),
}

impl SceneError {
    /// Wraps an i/o error with its file.
    pub fn io(path: impl Into<PathBuf>, error: &std::io::Error) -> Self {
        Self::Io { path: path.into(), what: error.to_string() }
    }
}
