//! `[contact]`: how bodies respond to obstacles, to each other and to themselves.

use serde::{Deserialize, Serialize};

/// Method of contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactMode {
    /// Nothing touches.
    Off,
    /// Vertices inside an obstacle are moved to its surface, without friction; bodies pass through each other. The thesis'
    /// method.
    Project,
    /// Intersection-free contact: self-contact, between bodies and with obstacles, with Coulomb friction.
    Guard,
    /// The interior-point method: a logarithmic barrier, minimised by Newton steps limited by continuous collision detection.
    Barrier,
    /// A step without contact, then rigid impact zones where surfaces would intersect.
    ImpactZones,
}

impl ContactMode {
    /// All modes with their names in files and on the command line.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("off", Self::Off),
        ("project", Self::Project),
        ("guard", Self::Guard),
        ("barrier", Self::Barrier),
        ("impact-zones", Self::ImpactZones),
    ];

    /// Name of the mode.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, mode)| *mode == self).map_or("project", |(name, _)| name)
    }

    /// The mode of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
    }

    /// Whether contact is intersection-free, so that the model needs a collision surface.
    pub fn keeps_apart(self) -> bool {
        matches!(self, Self::Guard | Self::Barrier | Self::ImpactZones)
    }
}

/// What to do with surfaces that intersect at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartDesc {
    /// The run fails with an error that names a pair.
    #[default]
    Refuse,
    /// Intersecting bodies ignore each other until they have separated.
    Ignore,
    /// Intersecting triangles are pushed apart over several frames.
    Untangle,
}

/// Contact parameters between some objects; they override those of the objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ContactPairDesc {
    /// Names of two or more objects; it applies to any two of them.
    pub objects: Vec<String>,
    /// Whether they touch at all. Default true.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub touch: bool,
    /// Distance at which they touch, m; the mean of their thicknesses when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Coulomb friction coefficient; the geometric mean of theirs when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
}

/// Contact of a scene: `contact = "guard"`, or a table with more.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContactDesc {
    /// The method; see [`SceneDesc::contact_mode`](super::SceneDesc::contact_mode) for the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ContactMode>,
    /// Distance at which surfaces touch, m; 0.2 of the mean edge of each object when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Coulomb friction coefficient of all objects; 0.3 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Maximum number of iterations per step; those of `step` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// Bound of the speed at which surfaces nearer than their thickness are moved apart, m/s; six thicknesses a second when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ease_speed: Option<f64>,
    /// Surfaces that intersect at the start.
    #[serde(skip_serializing_if = "is_refuse")]
    pub start: StartDesc,
    /// Pairs of objects without contact or with other parameters.
    #[serde(rename = "pair", skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<ContactPairDesc>,
}

impl ContactDesc {
    /// Whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl From<ContactMode> for ContactDesc {
    fn from(mode: ContactMode) -> Self {
        Self { mode: Some(mode), ..Self::default() }
    }
}

impl<'de> Deserialize<'de> for ContactDesc {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Table {
            mode: Option<ContactMode>,
            thickness: Option<f64>,
            friction: Option<f64>,
            iterations: Option<usize>,
            ease_speed: Option<f64>,
            #[serde(default)]
            start: StartDesc,
            #[serde(default, rename = "pair")]
            pairs: Vec<ContactPairDesc>,
        }
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "one of \"off\", \"project\", \"guard\", \"barrier\", \"impact-zones\", or a table with mode, thickness, friction, iterations, ease-speed, start, pair"
        )]
        enum Either {
            Name(ContactMode),
            Table(Table),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Name(mode) => mode.into(),
            Either::Table(Table { mode, thickness, friction, iterations, ease_speed, start, pairs }) => {
                Self { mode, thickness, friction, iterations, ease_speed, start, pairs }
            }
        })
    }
}

fn is_refuse(start: &StartDesc) -> bool {
    *start == StartDesc::Refuse
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}
