//! Rigid bodies, joints and contacts beside projective dynamics.

mod error;
mod model;
mod shape;

pub use error::RigidError;
pub use model::{
    Axis, AxisControl, BodyDesc, Drive, Filter, Joint, JointDesc, JointKind, Motor, Part, PartDesc,
    RigidBuilder, RigidModel, Target,
};
pub use shape::{Face, MassProperties, Polyhedron, Shape};
