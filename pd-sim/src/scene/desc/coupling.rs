//! `coupling`: contact between different kinds of matter in one scene.

use pd_couple::Scheme;
use serde::{Deserialize, Serialize};

/// Coupling of a scene: `coupling = "rows"`, or a table with more.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CouplingDesc {
    /// Scheme by name: `one-way`, `staggered`, `rows`, `admm-ipc`.
    pub scheme: String,
    /// Coupling steps per frame (per substep of `step`).
    pub substeps: usize,
    /// Sweeps over the contacts of a step, at most.
    pub sweeps: usize,
    /// Iterations of a step with `admm-ipc`, at most.
    pub iterations: usize,
}

impl Default for CouplingDesc {
    fn default() -> Self {
        Self { scheme: Scheme::default().name().to_owned(), substeps: 16, sweeps: 16, iterations: 40 }
    }
}

impl CouplingDesc {
    /// Whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The scheme, or an error message.
    ///
    /// # Errors
    /// Names the known schemes.
    pub fn scheme(&self) -> Result<Scheme, String> {
        let known = || Scheme::NAMES.map(|(name, _)| name).join(", ");
        Scheme::by_name(&self.scheme)
            .ok_or_else(|| format!("there is no coupling {:?}; known are {}", self.scheme, known()))
    }
}

impl<'de> Deserialize<'de> for CouplingDesc {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Table {
            scheme: Option<String>,
            substeps: Option<usize>,
            sweeps: Option<usize>,
            iterations: Option<usize>,
        }
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "the name of a scheme, or a table with scheme, substeps, sweeps, iterations"
        )]
        enum Either {
            Name(String),
            Table(Table),
        }
        let default = Self::default();
        Ok(match Either::deserialize(deserializer)? {
            Either::Name(scheme) => Self { scheme, ..default },
            Either::Table(Table { scheme, substeps, sweeps, iterations }) => Self {
                scheme: scheme.unwrap_or(default.scheme),
                substeps: substeps.unwrap_or(default.substeps),
                sweeps: sweeps.unwrap_or(default.sweeps),
                iterations: iterations.unwrap_or(default.iterations),
            },
        })
    }
}
