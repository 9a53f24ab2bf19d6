//! Material point method: water, sand and elastic matter on a sparse grid.

mod blocks;
mod bodies;
mod boundary;
mod error;
mod inflow;
mod kernel;
mod lanes;
mod law;
pub mod measure;
mod model;
mod particles;
pub mod scenes;
mod stepper;
pub mod surface;
mod transfer;

pub use bodies::{Coupling, MpmBody};
pub use boundary::Boundary;
pub use error::MpmError;
pub use inflow::Inflow;
pub use kernel::Spline;
pub use law::{DruckerPrager, FixedCorotated, Law, Memory, NeoHookean, Snow, Strains, Water, check_gradient};
pub use model::{Material, MpmBuilder, MpmModel, Transfer};
pub use stepper::{MpmReport, MpmStages, MpmStepper};
pub use transfer::nodes::Impulses;
