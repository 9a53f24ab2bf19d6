//! Prescribed motion of pins, obstacles and meshes.

use serde::{Deserialize, Serialize};

/// A turn about a fixed axis over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TurnDesc {
    /// Direction of the axis, any length but zero.
    pub axis: [f64; 3],
    /// A point of the axis, m; the centre of an obstacle, otherwise the origin, when absent. It moves with the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<[f64; 3]>,
    /// `[time, degrees]`, linear in between; more than a full turn is allowed.
    pub keys: Vec<[f64; 2]>,
}

/// A kinematic object: a mesh as an obstacle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ObstacleDesc {
    /// How others meet it.
    #[serde(rename = "as", skip_serializing_if = "ObstacleKind::is_surface")]
    pub kind: ObstacleKind,
    /// Distance between the nodes of a distance field, m; a 40th of the longest side when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Path: `[time, dx, dy, dz]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<[f64; 4]>,
    /// Turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnDesc>,
    /// Mesh files of the same vertices at later times, `[time, file]`, linear in between; scaled and placed as the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<(f64, String)>,
}

/// How bodies meet a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObstacleKind {
    /// Its vertices, edges and faces collide with those of bodies (intersection-free contact); with `contact = "project"`
    /// the same as `distance`.
    #[default]
    Surface,
    /// Vertices of bodies collide with its signed distance: cheap for fine meshes, which must be closed.
    Distance,
}

impl ObstacleKind {
    fn is_surface(&self) -> bool {
        *self == Self::Surface
    }
}

/// Springs between vertices of objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StitchDesc {
    /// The two objects; the same name twice joins parts of one object.
    pub objects: [String; 2],
    /// Vertices of the first and of the second, own numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<[u32; 2]>,
    /// Joins every vertex of the first object to the nearest of the second within this distance at rest, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// Weight ω, N/m.
    pub weight: f64,
    /// Rest length of the springs, m; the initial distance when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}
