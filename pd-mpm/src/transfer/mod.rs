//! Particles to nodes and back.
//!
//! Particles to nodes: each block of 4³ cells adds its particles, in their order, into a tile of its own that fits into
//! the first cache; then each node adds up the at most eight tiles that reach it, in a fixed order. No two threads write
//! one place, there are no atomics, and sums have the same bits for any number of threads.
//!
//! Nodes to particles: each block copies the nodes it reaches into such a tile and reads from there, and writes its
//! particles in the order of blocks, so that the next substep finds them next to each other.

pub(crate) mod gather;
pub(crate) mod nodes;
pub(crate) mod scatter;

/// Forces by moving least squares.
pub(crate) const MLS: u8 = 0;
/// Forces by gradients of the weights.
pub(crate) const GRADIENT: u8 = 1;
/// As [`GRADIENT`], with impulses of the forces kept apart from the momentum.
pub(crate) const FLIP: u8 = 2;

/// Particles of one material in one block are shown to their law in slices of at most this many.
pub(crate) const SLICE: usize = 16;
