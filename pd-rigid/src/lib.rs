//! Rigid bodies, joints and contacts beside projective dynamics.

mod error;
mod model;
mod params;
mod shape;
mod solve;

pub use error::RigidError;
pub use model::{
    Axis, AxisControl, BodyDesc, Drive, Filter, Joint, JointDesc, JointKind, Motor, Part, PartDesc,
    RigidBuilder, RigidModel, Target,
};
pub use params::RigidParams;
pub use shape::{Face, MassProperties, Polyhedron, Shape};
pub use solve::{Direct, Island, RigidSolver, SOLVERS, solver};
