//! `[contact]`: how bodies respond to obstacles, to each other and to themselves.

use serde::{Deserialize, Serialize};

/// Method of contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactMode {
    /// Nothing touches.
    Off,
    /// Vertices inside an obstacle are moved to its surface, without friction; bodies pass through each other. The thesis'
    /// method.
    #[default]
    Project,
    /// Surfaces never cross: bodies, themselves and obstacles, with Coulomb friction.
    Guard,
}

impl ContactMode {
    /// All modes with their names, as files and the command line have them.
    pub const NAMES: [(&'static str, Self); 3] =
        [("off", Self::Off), ("project", Self::Project), ("guard", Self::Guard)];

    /// Name of the mode.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, mode)| *mode == self).map_or("project", |(name, _)| name)
    }

    /// The mode of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
    }
}

/// Contact of a scene: `contact = "guard"`, or a table with more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContactDesc {
    /// The method.
    pub mode: ContactMode,
    /// Distance at which surfaces touch, m; 0.2 of the mean edge of each object when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Coulomb friction coefficient of all objects; 0.3 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Most iterations of a step; those of `step` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
}

impl ContactDesc {
    /// Whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl From<ContactMode> for ContactDesc {
    fn from(mode: ContactMode) -> Self {
        Self { mode, ..Self::default() }
    }
}

impl<'de> Deserialize<'de> for ContactDesc {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Table {
            mode: ContactMode,
            thickness: Option<f64>,
            friction: Option<f64>,
            iterations: Option<usize>,
        }
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "one of \"off\", \"project\", \"guard\", or a table with mode, thickness, friction, iterations"
        )]
        enum Either {
            Name(ContactMode),
            Table(Table),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Name(mode) => mode.into(),
            Either::Table(Table { mode, thickness, friction, iterations }) => {
                Self { mode, thickness, friction, iterations }
            }
        })
    }
}
