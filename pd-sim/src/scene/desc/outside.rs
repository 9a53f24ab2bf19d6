//! What acts on the bodies: obstacles and forces.

use super::shape::one;
use super::{DisplayDesc, SelectDesc};
use serde::{Deserialize, Serialize};

/// An obstacle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case")]
pub enum ColliderDesc {
    /// Everything below a height.
    Floor {
        /// Height, m.
        height: f64,
        /// Margin, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// Path: `[time, dx, dy, dz]`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<[f64; 4]>,
        /// Name, for people; may be left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// How it is drawn.
        #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
        display: DisplayDesc,
    },
    /// A ball.
    Sphere {
        /// Centre, m.
        centre: [f64; 3],
        /// Radius, m.
        radius: f64,
        /// Margin, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// Path: `[time, dx, dy, dz]`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<[f64; 4]>,
        /// Name, for people; may be left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// How it is drawn.
        #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
        display: DisplayDesc,
    },
    /// A box along the axes.
    #[serde(rename_all = "kebab-case")]
    Block {
        /// Centre, m.
        centre: [f64; 3],
        /// Half of the size along each axis, m.
        half_extents: [f64; 3],
        /// Margin, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// Path: `[time, dx, dy, dz]`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<[f64; 4]>,
        /// Name, for people; may be left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// How it is drawn.
        #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
        display: DisplayDesc,
    },
    /// A torus about the y axis.
    #[serde(rename_all = "kebab-case")]
    Torus {
        /// Centre, m.
        centre: [f64; 3],
        /// Radius of the centre circle, m.
        major_radius: f64,
        /// Radius of the tube, m.
        minor_radius: f64,
        /// Margin, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// Path: `[time, dx, dy, dz]`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<[f64; 4]>,
        /// Name, for people; may be left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// How it is drawn.
        #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
        display: DisplayDesc,
    },
}

impl ColliderDesc {
    /// What kind it is, as the file says it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Floor { .. } => "floor",
            Self::Sphere { .. } => "sphere",
            Self::Block { .. } => "block",
            Self::Torus { .. } => "torus",
        }
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Floor { name, .. }
            | Self::Sphere { name, .. }
            | Self::Block { name, .. }
            | Self::Torus { name, .. } => name.as_deref(),
        }
    }

    /// Gives it a name.
    pub fn set_name(&mut self, new: Option<String>) {
        match self {
            Self::Floor { name, .. }
            | Self::Sphere { name, .. }
            | Self::Block { name, .. }
            | Self::Torus { name, .. } => *name = new,
        }
    }

    /// How it is drawn.
    pub fn display(&self) -> &DisplayDesc {
        match self {
            Self::Floor { display, .. }
            | Self::Sphere { display, .. }
            | Self::Block { display, .. }
            | Self::Torus { display, .. } => display,
        }
    }

    /// How it is drawn, to change.
    pub fn display_mut(&mut self) -> &mut DisplayDesc {
        match self {
            Self::Floor { display, .. }
            | Self::Sphere { display, .. }
            | Self::Block { display, .. }
            | Self::Torus { display, .. } => display,
        }
    }

    /// Its path: `[time, dx, dy, dz]`.
    pub fn path(&self) -> &[[f64; 4]] {
        match self {
            Self::Floor { path, .. }
            | Self::Sphere { path, .. }
            | Self::Block { path, .. }
            | Self::Torus { path, .. } => path,
        }
    }

    /// Its centre without the path, m; a floor's is below the origin.
    pub fn centre(&self) -> [f64; 3] {
        match *self {
            Self::Floor { height, .. } => [0.0, height, 0.0],
            Self::Sphere { centre, .. } | Self::Block { centre, .. } | Self::Torus { centre, .. } => centre,
        }
    }

    /// Moves it; of a floor only the height changes.
    pub fn set_centre(&mut self, to: [f64; 3]) {
        match self {
            Self::Floor { height, .. } => *height = to[1],
            Self::Sphere { centre, .. } | Self::Block { centre, .. } | Self::Torus { centre, .. } => {
                *centre = to
            }
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
