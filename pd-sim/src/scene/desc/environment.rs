//! The environment of the bodies: obstacles and forces.

use super::shape::one;
use super::{DisplayDesc, RotateDesc, SelectDesc, TurnDesc};
use serde::{Deserialize, Deserializer, Serialize};

/// An obstacle: a shape and the keys common to all shapes.
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
    /// Coefficient of restitution, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Distance at which its surface touches bodies where `edges` holds, m; that of the bodies when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Whether it is converted to triangles, whose edges and faces collide with those of bodies (intersection-free contact),
    /// or acts by its signed distance. Default: true for shapes with edges, for concave shapes, and for round ones that move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<bool>,
    /// Largest distance of these triangles from a round shape, which they enclose, m. Default: 1 % of its radius, 2 % of the
    /// tube of a torus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Rotation about its centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotateDesc>,
    /// Turn over time, after that rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnDesc>,
    /// Constant velocity, m/s, in place of a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Path: `[time, dx, dy, dz]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<[f64; 4]>,
    /// Optional name.
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
    /// Everything on one side of a plane.
    HalfSpace {
        /// A point of the plane, m.
        point: [f64; 3],
        /// Direction out of the half-space, any length but zero.
        normal: [f64; 3],
    },
    /// The convex hull of points.
    Hull {
        /// The points, m.
        points: Vec<[f64; 3]>,
    },
    /// Ground through heights over a square grid.
    HeightField {
        /// Corner of the least x and z, above which heights are measured, m.
        corner: [f64; 3],
        /// Distance of neighbours, m.
        spacing: f64,
        /// Heights, m: one list along z for each x.
        heights: Vec<Vec<f64>>,
    },
}

/// Implemented by hand, because serde cannot flatten an enum and reject unknown keys at once: common keys are removed, and the
/// remaining ones must belong to the shape.
impl<'de> Deserialize<'de> for ColliderDesc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = toml::Table::deserialize(deserializer)?;
        let desc = Self {
            margin: take(&mut table, "margin")?,
            friction: take(&mut table, "friction")?,
            restitution: take(&mut table, "restitution")?,
            thickness: take(&mut table, "thickness")?,
            edges: take(&mut table, "edges")?,
            tolerance: take(&mut table, "tolerance")?,
            rotate: take(&mut table, "rotate")?,
            turn: take(&mut table, "turn")?,
            velocity: take(&mut table, "velocity")?,
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
        Self {
            shape,
            margin: None,
            friction: None,
            restitution: None,
            thickness: None,
            edges: None,
            tolerance: None,
            rotate: None,
            turn: None,
            velocity: None,
            path: vec![],
            name: None,
            display: DisplayDesc::default(),
        }
    }
}

impl ColliderDesc {
    /// Its kind, as in the file.
    pub fn kind(&self) -> &'static str {
        match self.shape {
            ColliderShapeDesc::Floor { .. } => "floor",
            ColliderShapeDesc::Sphere { .. } => "sphere",
            ColliderShapeDesc::Block { .. } => "block",
            ColliderShapeDesc::Torus { .. } => "torus",
            ColliderShapeDesc::Capsule { .. } => "capsule",
            ColliderShapeDesc::Cylinder { .. } => "cylinder",
            ColliderShapeDesc::HalfSpace { .. } => "half-space",
            ColliderShapeDesc::Hull { .. } => "hull",
            ColliderShapeDesc::HeightField { .. } => "height-field",
        }
    }

    /// Whether it is converted to triangles for intersection-free contact.
    pub fn has_edges(&self) -> bool {
        let moves = self.velocity.is_some() || !self.path.is_empty() || self.turn.is_some();
        let usual = match self.shape {
            ColliderShapeDesc::Floor { .. } | ColliderShapeDesc::HalfSpace { .. } => return false,
            ColliderShapeDesc::Sphere { .. } | ColliderShapeDesc::Capsule { .. } => moves,
            _ => true,
        };
        self.edges.unwrap_or(usual)
    }

    /// Its centre without the path, m; a floor's is below the origin.
    pub fn centre(&self) -> [f64; 3] {
        match &self.shape {
            ColliderShapeDesc::Floor { height } => [0.0, *height, 0.0],
            ColliderShapeDesc::Capsule { from, to, .. } | ColliderShapeDesc::Cylinder { from, to, .. } => {
                std::array::from_fn(|a| 0.5 * (from[a] + to[a]))
            }
            ColliderShapeDesc::Sphere { centre, .. }
            | ColliderShapeDesc::Block { centre, .. }
            | ColliderShapeDesc::Torus { centre, .. } => *centre,
            ColliderShapeDesc::HalfSpace { point, .. } => *point,
            ColliderShapeDesc::Hull { points } => {
                std::array::from_fn(|a| points.iter().map(|p| p[a]).sum::<f64>() / points.len().max(1) as f64)
            }
            ColliderShapeDesc::HeightField { corner, spacing, heights } => {
                let width = |count: usize| 0.5 * spacing * count.saturating_sub(1) as f64;
                let [x, y, z] = *corner;
                [x + width(heights.len()), y, z + width(heights.first().map_or(0, Vec::len))]
            }
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
            ColliderShapeDesc::HalfSpace { point, .. } => *point = to,
            ColliderShapeDesc::Hull { points } => {
                points.iter_mut().for_each(|p| *p = std::array::from_fn(|a| p[a] + to[a] - centre[a]));
            }
            ColliderShapeDesc::HeightField { corner, .. } => {
                *corner = std::array::from_fn(|a| corner[a] + to[a] - centre[a]);
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
        /// Names of the objects it acts on; empty: all.
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
        /// Names of the objects it acts on; empty: all.
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
