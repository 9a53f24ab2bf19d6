//! What acts on the bodies: obstacles and forces.

use super::shape::one;
use super::{DisplayDesc, SelectDesc};
use serde::{Deserialize, Deserializer, Serialize};

/// An obstacle: a shape and what all shapes have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ColliderDesc {
    /// The shape; its keys stand beside the others.
    #[serde(flatten)]
    pub shape: ColliderShapeDesc,
    /// Distance kept free around the shape by `contact = "project"`, m; that of the shape when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Coulomb friction coefficient of the surface, for `contact = "guard"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Part of the approach velocity that is returned, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Path: `[time, dx, dy, dz]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<[f64; 4]>,
    /// Name, for people; may be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How it is drawn.
    #[serde(skip_serializing_if = "DisplayDesc::is_default")]
    pub display: DisplayDesc,
}

/// The shape of an obstacle, by the key `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum ColliderShapeDesc {
    /// Everything below a height.
    Floor {
        /// Height, m.
        height: f64,
    },
    /// A ball.
    Sphere {
        /// Centre, m.
        centre: [f64; 3],
        /// Radius, m.
        radius: f64,
    },
    /// A box along the axes.
    Block {
        /// Centre, m.
        centre: [f64; 3],
        /// Half of the size along each axis, m.
        half_extents: [f64; 3],
    },
    /// All points within a distance of a segment.
    Capsule {
        /// One end of the segment, m.
        from: [f64; 3],
        /// The other end, m.
        to: [f64; 3],
        /// Radius, m.
        radius: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Centre of one end, m.
        from: [f64; 3],
        /// Centre of the other end, m.
        to: [f64; 3],
        /// Radius, m.
        radius: f64,
    },
    /// A torus about the y axis.
    Torus {
        /// Centre, m.
        centre: [f64; 3],
        /// Radius of the centre circle, m.
        major_radius: f64,
        /// Radius of the tube, m.
        minor_radius: f64,
    },
}

/// By hand, because serde cannot flatten an enum and refuse unknown keys at once: common keys are taken out, and what is left
/// must be those of the shape.
impl<'de> Deserialize<'de> for ColliderDesc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = toml::Table::deserialize(deserializer)?;
        let desc = Self {
            margin: take(&mut table, "margin")?,
            friction: take(&mut table, "friction")?,
            restitution: take(&mut table, "restitution")?,
            path: take(&mut table, "path")?.unwrap_or_default(),
            name: take(&mut table, "name")?,
            display: take(&mut table, "display")?.unwrap_or_default(),
            shape: table.try_into().map_err(plain)?,
        };
        Ok(desc)
    }
}

fn take<T: serde::de::DeserializeOwned, E: serde::de::Error>(
    table: &mut toml::Table,
    key: &str,
) -> Result<Option<T>, E> {
    table
        .remove(key)
        .map(|value| value.try_into().map_err(|error| E::custom(format!("{key}: {}", message(&error)))))
        .transpose()
}

fn plain<E: serde::de::Error>(error: toml::de::Error) -> E {
    E::custom(message(&error))
}

fn message(error: &toml::de::Error) -> &str {
    error.message().trim()
}

impl From<ColliderShapeDesc> for ColliderDesc {
    fn from(shape: ColliderShapeDesc) -> Self {
        let (margin, friction, restitution, path, name) = (None, None, None, vec![], None);
        Self { shape, margin, friction, restitution, path, name, display: DisplayDesc::default() }
    }
}

impl ColliderDesc {
    /// What kind it is, as the file says it.
    pub fn kind(&self) -> &'static str {
        match self.shape {
            ColliderShapeDesc::Floor { .. } => "floor",
            ColliderShapeDesc::Sphere { .. } => "sphere",
            ColliderShapeDesc::Block { .. } => "block",
            ColliderShapeDesc::Torus { .. } => "torus",
            ColliderShapeDesc::Capsule { .. } => "capsule",
            ColliderShapeDesc::Cylinder { .. } => "cylinder",
        }
    }

    /// Its centre without the path, m; a floor's is below the origin.
    pub fn centre(&self) -> [f64; 3] {
        match self.shape {
            ColliderShapeDesc::Floor { height } => [0.0, height, 0.0],
            ColliderShapeDesc::Capsule { from, to, .. } | ColliderShapeDesc::Cylinder { from, to, .. } => {
                std::array::from_fn(|a| 0.5 * (from[a] + to[a]))
            }
            ColliderShapeDesc::Sphere { centre, .. }
            | ColliderShapeDesc::Block { centre, .. }
            | ColliderShapeDesc::Torus { centre, .. } => centre,
        }
    }

    /// Moves it; of a floor only the height changes.
    pub fn set_centre(&mut self, to: [f64; 3]) {
        let centre = self.centre();
        match &mut self.shape {
            ColliderShapeDesc::Floor { height } => *height = to[1],
            ColliderShapeDesc::Capsule { from, to: end, .. }
            | ColliderShapeDesc::Cylinder { from, to: end, .. } => {
                for a in 0..3 {
                    from[a] += to[a] - centre[a];
                    end[a] += to[a] - centre[a];
                }
            }
            ColliderShapeDesc::Sphere { centre, .. }
            | ColliderShapeDesc::Block { centre, .. }
            | ColliderShapeDesc::Torus { centre, .. } => *centre = to,
        }
    }
}

/// A force besides gravity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case")]
pub enum ForceDesc {
    /// The thesis' wind: f = strength · d |n·d| on every vertex of every surface.
    Wind {
        /// N per vertex.
        strength: f64,
        /// Direction, any length but zero.
        direction: [f64; 3],
        /// Start, s.
        #[serde(default)]
        from: f64,
        /// End, s.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
        /// Names of the objects it blows on; empty: all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        objects: Vec<String>,
    },
    /// Air drag by the velocity relative to the wind.
    Drag {
        /// Wind velocity, m/s.
        velocity: [f64; 3],
        /// Density of air, kg/m³.
        #[serde(default = "air")]
        density: f64,
        /// Drag coefficient.
        #[serde(default = "one")]
        coefficient: f64,
        /// Start, s.
        #[serde(default)]
        from: f64,
        /// End, s.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
        /// Names of the objects it blows on; empty: all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        objects: Vec<String>,
    },
    /// A force on chosen vertices over a time interval.
    Push {
        /// Name of the object.
        object: String,
        /// Which of its vertices.
        select: SelectDesc,
        /// N on each vertex.
        force: [f64; 3],
        /// Start, s.
        from: f64,
        /// End, s.
        to: f64,
    },
}

fn air() -> f64 {
    1.2
}
