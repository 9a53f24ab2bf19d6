//! `[[body]]`, `[[joint]]` and `[rigid]`: rigid bodies and joints.

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
    /// Mass, kg, in place of density; the inertia is that of the shape with this mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Mass, centre and inertia in place of those of the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertial: Option<InertialDesc>,
    /// Damping rates of velocity and angular velocity, 1/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<[f64; 2]>,
    /// Coulomb friction coefficient. Default 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Whether it is fixed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Path: `[time, dx, dy, dz]`. A body with a path or a spin is kinematic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<[f64; 4]>,
    /// Constant angular velocity of a body that follows a path, rad/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spin: Option<[f64; 3]>,
    /// Groups it belongs to, a sum of powers of two. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Groups it collides with; two bodies collide if each one's mask contains a group of the other. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<u32>,
    /// Equal bodies in a row, a grid or a pyramid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<CopiesDesc>,
    /// How it is drawn.
    #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
    pub display: DisplayDesc,
}

impl BodyDesc {
    /// A body of a shape with every key at its default.
    pub fn new(name: &str, shape: BodyShapeDesc) -> Self {
        Self {
            name: name.to_owned(),
            shape,
            position: [0.0; 3],
            rotate: None,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            density: water(),
            mass: None,
            inertial: None,
            damping: None,
            friction: None,
            restitution: None,
            fixed: false,
            path: vec![],
            spin: None,
            group: None,
            mask: None,
            copies: None,
            display: DisplayDesc::default(),
        }
    }
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
    /// A mesh from a file.
    Mesh {
        /// The file.
        file: String,
        /// Factor on its coordinates. Default 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scale: Option<[f64; 3]>,
        /// Collision shape. Default `parts`, for a fixed body `triangles`.
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        stand_in: Option<MeshAsDesc>,
    },
    /// No shape: no contacts; needs `inertial`.
    None,
    /// Several shapes.
    Compound {
        /// The shapes, each at its place.
        parts: Vec<PartDesc>,
    },
}

/// Collision shape of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeshAsDesc {
    /// Its triangles, one-sided; for fixed and kinematic bodies.
    Triangles,
    /// Its convex hull.
    Hull,
    /// Convex parts of the volume that it encloses.
    Parts,
}

/// A shape of a compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PartDesc {
    /// The shape.
    pub shape: BodyShapeDesc,
    /// Its centre in the frame of the body, m.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub position: [f64; 3],
    /// Rotation about that centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotateDesc>,
    /// Density, kg/m³; that of the body when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
}

/// Mass and inertia in the frame of the body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InertialDesc {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub centre: [f64; 3],
    /// Inertia about the centre of mass: xx, yy, zz, xy, xz, yz, kg·m².
    pub inertia: [f64; 6],
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

/// A joint of two bodies, of a body and an obstacle, or of a body and the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct JointDesc {
    /// What it leaves free.
    pub kind: JointKindDesc,
    /// First body, or an obstacle, by name; the world when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// Second body by name.
    pub b: String,
    /// Initial position, m.
    pub anchor: [f64; 3],
    /// Anchor on the second body if it differs (distance joints), m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_b: Option<[f64; 3]>,
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
    /// Target position of a servo, degrees or m, instead of the speed of a motor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor_position: Option<f64>,
    /// Stiffness of the servo, N·m/rad or N/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor_stiffness: Option<f64>,
    /// Damping of the servo, N·m·s/rad or N·s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor_damping: Option<f64>,
    /// Compliance of the positional constraints, m/N. Default 0: rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compliance: Option<f64>,
    /// Compliance of the angular constraints, rad/(N·m). Default 0: rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_compliance: Option<f64>,
    /// Damping of compliant constraints, N·s/m and N·m·s/rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// Force at which it breaks, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_force: Option<f64>,
    /// Torque at which it breaks, N·m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_torque: Option<f64>,
    /// Whether its two bodies collide with each other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub collide: bool,
    /// Turns of the second body for one of the first, for a gear; negative for the opposite sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Length of a distance joint, m; that of the anchors when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}

impl JointDesc {
    /// A rigid joint with every other key at its default.
    pub fn new(kind: JointKindDesc, a: Option<String>, b: String, anchor: [f64; 3]) -> Self {
        Self {
            kind,
            a,
            b,
            anchor,
            anchor_b: None,
            axis: None,
            limit: None,
            motor_speed: None,
            motor_most: None,
            motor_position: None,
            motor_stiffness: None,
            motor_damping: None,
            compliance: None,
            angular_compliance: None,
            damping: None,
            break_force: None,
            break_torque: None,
            collide: false,
            length: None,
            ratio: None,
        }
    }
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
    /// Everything but the ratio of two rotations about the axis.
    Gear,
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
    /// Newton steps on the joints in a substep of `direct`.
    pub joint_iterations: usize,
    /// Distance below which contacts are detected, m.
    pub margin: f64,
    /// Frequency of the springs that resolve penetration, Hz.
    pub contact_frequency: f64,
    /// Fastest push-out, m/s.
    pub push_out_speed: f64,
    /// Smallest approach velocity with restitution, m/s.
    pub bounce_speed: f64,
}

impl Default for RigidDesc {
    fn default() -> Self {
        let params = pd_rigid::RigidParams::default();
        Self {
            solver: "direct".into(),
            substeps: params.substeps,
            sleep: params.sleep,
            joint_iterations: params.joint_iterations,
            margin: params.margin,
            contact_frequency: params.contact_frequency,
            push_out_speed: params.push_out_speed,
            bounce_speed: params.bounce_speed,
        }
    }
}

impl RigidDesc {
    /// Whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Parameters of the stepper.
    pub fn params(&self) -> pd_rigid::RigidParams {
        let mut params = pd_rigid::RigidParams::default();
        params.substeps = self.substeps;
        params.sleep = self.sleep;
        params.joint_iterations = self.joint_iterations;
        params.margin = self.margin;
        params.contact_frequency = self.contact_frequency;
        params.push_out_speed = self.push_out_speed;
        params.bounce_speed = self.bounce_speed;
        params
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

/// A robot from a URDF file: its links as bodies, its joints as joints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UrdfDesc {
    /// The file.
    pub file: String,
    /// Origin of its first link, m.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub position: [f64; 3],
    /// Rotation about that origin, after z of the file has become +y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotateDesc>,
    /// Whether the root link is fixed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Prefix of the names of its links, separated by a dot. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Whether its links collide with each other. Default: only with other bodies.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_contact: bool,
}
