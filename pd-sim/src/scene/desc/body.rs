//! `[[body]]`, `[[joint]]` and `[rigid]`: rigid bodies and what joins them.

use super::{DisplayDesc, RotateDesc};
use serde::{Deserialize, Serialize};

/// A rigid body, or a regular arrangement of equal ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BodyDesc {
    /// Name, unique among bodies. Copies are `name`, `name.1`, `name.2` …
    pub name: String,
    /// The shape.
    pub shape: BodyShapeDesc,
    /// Centre of the shape, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation about that centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotateDesc>,
    /// Velocity at the start, m/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub velocity: [f64; 3],
    /// Angular velocity at the start, rad/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub angular_velocity: [f64; 3],
    /// Density, kg/m³. Default 1000.
    #[serde(default = "water", skip_serializing_if = "is_water")]
    pub density: f64,
    /// Coulomb friction coefficient. Default 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Part of the approach velocity that is returned, 0 to 1. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Whether it stays where it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Equal bodies in a row, a grid or a pyramid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<CopiesDesc>,
    /// How it is drawn.
    #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
    pub display: DisplayDesc,
}

/// Shape of a rigid body, about its centre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum BodyShapeDesc {
    /// A box.
    Box {
        /// Half of the size along each axis, m.
        half_extents: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A capsule along y.
    Capsule {
        /// Half of the length of its segment, m.
        half_length: f64,
        /// Radius, m.
        radius: f64,
    },
    /// A cylinder along y.
    Cylinder {
        /// Half of the height, m.
        half_height: f64,
        /// Radius, m.
        radius: f64,
    },
    /// The convex hull of points.
    Hull {
        /// The points, m.
        points: Vec<[f64; 3]>,
    },
    /// Everything below its position; always fixed.
    Ground,
}

/// Equal bodies, the first at the body's position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CopiesDesc {
    /// Bodies along x, y and z.
    pub count: [usize; 3],
    /// Distance between neighbours along each axis, m.
    pub spacing: [f64; 3],
    /// One body fewer along x in every layer above, shifted by half a distance: a pyramid.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pyramid: bool,
    /// Joins neighbours along x, y and z in turn by ball joints half way between them: a chain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chained: bool,
}

/// A joint of two bodies, or of a body and the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct JointDesc {
    /// What it leaves free.
    pub kind: JointKindDesc,
    /// First body by name; the world when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// Second body by name.
    pub b: String,
    /// Where it is at the start, m.
    pub anchor: [f64; 3],
    /// Its axis. Default x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Lowest and highest angle (degrees) or distance (m) of a hinge, a slider, a distance or the swing of a ball joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<[f64; 2]>,
    /// Speed of a motor, rad/s or m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor_speed: Option<f64>,
    /// Largest torque (N·m) or force (N) of the motor. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor_most: Option<f64>,
    /// Force at which it breaks, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_force: Option<f64>,
    /// Length of a distance joint, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}

/// Kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointKindDesc {
    /// All rotations about the anchor.
    Ball,
    /// Rotation about the axis.
    Hinge,
    /// Translation along the axis.
    Slider,
    /// Nothing.
    Fixed,
    /// Everything but the distance of the anchors.
    Distance,
    /// Translation along and rotation about the axis.
    Cylindrical,
    /// Two rotations.
    Universal,
}

/// How rigid bodies are solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RigidDesc {
    /// Solver by name: `direct`, `rattle`, `tgs-soft`, `xpbd`.
    pub solver: String,
    /// Substeps of a step.
    pub substeps: usize,
    /// Whether bodies at rest fall asleep.
    pub sleep: bool,
}

impl Default for RigidDesc {
    fn default() -> Self {
        Self { solver: "direct".into(), substeps: 4, sleep: true }
    }
}

impl RigidDesc {
    /// Whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

fn water() -> f64 {
    1000.0
}

fn is_water(density: &f64) -> bool {
    *density == water()
}

fn is_zero(vector: &[f64; 3]) -> bool {
    *vector == [0.0; 3]
}
