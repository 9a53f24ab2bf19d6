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

use crate::blocks;
use crate::kernel::Kernel;
use pd_core::Real;

/// Forces by moving least squares.
pub(crate) const MLS: u8 = 0;
/// Forces by gradients of the weights.
pub(crate) const GRADIENT: u8 = 1;
/// As [`GRADIENT`], with impulses of the forces kept apart from the momentum.
pub(crate) const FLIP: u8 = 2;

/// Particles of one material in one block are shown to their law in slices of at most this many.
pub(crate) const SLICE: usize = 16;

/// The first node of a particle in the tile of its block.
#[inline(always)]
pub(crate) fn first_of_tile<K: Kernel>(x: &[Real; 3], cells_per_metre: Real) -> usize {
    let [x, y, z] = x.map(|x| blocks::base::<K>(x, cells_per_metre).0 as usize & 3);
    (x * K::TILE + y) * K::TILE + z
}

/// Calls `f` with the places in the tile of all nodes of a particle.
#[inline(always)]
pub(crate) fn for_stencil<K: Kernel>(first: usize, mut f: impl FnMut(usize)) {
    for i in 0..K::NODES {
        for j in 0..K::NODES {
            (0..K::NODES).for_each(|k| f(first + (i * K::TILE + j) * K::TILE + k));
        }
    }
}
