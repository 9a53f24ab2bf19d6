//! Contact of surfaces that never cross: lists, guard, rows with friction, memory.
//!
//! The parts, each of which a stepper can use alone:
//! - [`ContactSurface`]: triangles of all bodies, once;
//! - [`ContactList`]: all pairs of primitives that could meet in a motion, with a [`Guard`] that keeps every vertex in a
//!   convex set where no two of them can cross, and [`Row`]s, linear gaps of those that are near;
//! - [`Rows`]: the rows that may act in a step: energy, forces, stiffness, friction;
//! - [`Memory`]: what outlives a step, as columns of the state.

mod assemble;
mod candidates;
mod carry;
mod ease;
mod fans;
mod friction;
mod guard;
mod immersion;
mod list;
mod memory;
mod narrow;
mod obstacles;
mod options;
mod output;
mod pair;
mod row;
mod rows;
mod surface;
mod tangle;
mod vector;

pub use ease::Pace;
pub use guard::Guard;
pub use immersion::{Immersion, immersions};
pub use list::{ContactList, ListCapacity, ListInput, ListSize};
pub use memory::{Choice, Memory};
pub use options::{ContactOptions, SqueezePolicy, StartPolicy};
pub use output::Contacts;
pub use pair::ContactKind;
pub use row::{Row, RowKey};
pub use rows::{Rows, load_difference};
pub use surface::ContactSurface;
pub use vector::Vec4;
