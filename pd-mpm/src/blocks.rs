//! Sparse blocks of 4³ cells and the stable sort of particles into them.
//!
//! A block is a number: three coordinates of 21 bits. The sorted list of blocks that hold particles, and of those their
//! kernels reach, is all there is of the grid; nothing is allocated for empty space, and neighbours are found by walking
//! two sorted lists side by side.

use crate::kernel::Kernel;
use pd_core::{Real, exec};

/// No such block.
pub(crate) const NONE: u32 = u32::MAX;

/// Cells by which all coordinates are shifted, so that nodes beyond the walls have positive numbers.
pub(crate) const BIAS: i32 = 4;

/// Most cells an axis: 21 bits of block coordinates, less the shift.
pub(crate) const MOST_CELLS: u32 = (1 << 23) - 64;

const BITS: u32 = 21;
const MASK: u64 = (1 << BITS) - 1;

/// Entries of the small tables that remember blocks seen shortly before.
const SEEN: usize = 1024;

/// Particles per task of the ranking.
const CHUNK: usize = 4096;

/// The first node along an axis of a particle at `x` (m) and its distance from it in cells. All parts of a substep must
/// round alike, or a particle on the edge of a block is looked for in the wrong one; so all of them come here.
#[inline(always)]
pub(crate) fn base<K: Kernel>(x: Real, cells_per_metre: Real) -> (i32, Real) {
    let s = x * cells_per_metre + Real::from(BIAS);
    let first = (s - K::SHIFT) as i32;
    (first, s - Real::from(first))
}

/// The block of the node with these coordinates.
#[inline(always)]
pub(crate) fn key(node: [i32; 3]) -> u64 {
    let part = |a: i32| (a >> 2) as u64 & MASK;
    part(node[0]) << (2 * BITS) | part(node[1]) << BITS | part(node[2])
}

/// Coordinates of the first node of a block.
pub(crate) fn first_node(key: u64) -> [i32; 3] {
    [key >> (2 * BITS), key >> BITS, key].map(|part| (part & MASK) as i32 * 4)
}

/// Offset of the neighbour `d` of 0..8, whose bits are the steps along x, y and z.
fn neighbour(d: usize) -> u64 {
    ((d >> 2 & 1) as u64) << (2 * BITS) | ((d >> 1 & 1) as u64) << BITS | (d & 1) as u64
}

fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize % SEEN
}

/// Blocks of one substep and the order of particles in them.
#[derive(Default)]
pub(crate) struct Blocks {
    /// Blocks that hold particles, ascending.
    pub(crate) active: Vec<u64>,
    /// Blocks with a node that some particle may reach, ascending.
    pub(crate) touched: Vec<u64>,
    /// For each touched block the places in `active` of itself less the eight offsets.
    pub(crate) sources: Vec<[u32; 8]>,
    /// For each active block the places in `touched` of itself plus the eight offsets.
    pub(crate) targets: Vec<[u32; 8]>,
    /// Particles by block, then set, then their order before.
    pub(crate) order: Vec<u32>,
    /// Where the particles of (active block, set) begin in `order`.
    pub(crate) start: Vec<u32>,
    rank: Vec<u32>,
    at: Vec<u32>,
}

impl Blocks {
    /// Sorts particles by the keys of their blocks and by set, stably. Particles with the key `u64::MAX` are left out.
    pub(crate) fn sort(&mut self, keys: &[u64], set: impl Fn(usize) -> usize + Sync, sets: usize) {
        self.collect(keys);
        let active = &self.active;
        self.rank.resize(keys.len(), 0);
        exec::for_each_chunk(&mut self.rank, CHUNK, |first, ranks| {
            let mut seen = [(u64::MAX, 0u32); 256];
            for (k, rank) in ranks.iter_mut().enumerate() {
                let key = keys[first + k];
                if key == u64::MAX {
                    *rank = NONE;
                    continue;
                }
                let seen = &mut seen[slot(key) % 256];
                if seen.0 != key {
                    *seen = (key, active.partition_point(|&a| a < key) as u32);
                }
                *rank = seen.1 * sets as u32 + set(first + k) as u32;
            }
        });
        self.place(sets);
    }

    /// The blocks that hold particles, the blocks they reach, and who is whose neighbour.
    fn collect(&mut self, keys: &[u64]) {
        self.active.clear();
        let mut seen = [u64::MAX; SEEN];
        for &key in keys.iter().filter(|&&key| key != u64::MAX) {
            let seen = &mut seen[slot(key)];
            if *seen != key {
                *seen = key;
                self.active.push(key);
            }
        }
        self.active.sort_unstable();
        self.active.dedup();
        self.touched.clear();
        for d in 0..8 {
            self.touched.extend(self.active.iter().map(|key| key + neighbour(d)));
        }
        self.touched.sort_unstable();
        self.touched.dedup();
        self.sources.clear();
        self.sources.resize(self.touched.len(), [NONE; 8]);
        self.targets.clear();
        self.targets.resize(self.active.len(), [NONE; 8]);
        for d in 0..8 {
            let mut t = 0;
            for (a, key) in self.active.iter().enumerate() {
                let wanted = key + neighbour(d);
                while self.touched[t] < wanted {
                    t += 1; // every wanted key is in the list, so this ends
                }
                self.targets[a][d] = t as u32;
                self.sources[t][d] = a as u32;
            }
        }
    }

    /// Counting sort by rank.
    fn place(&mut self, sets: usize) {
        self.start.clear();
        self.start.resize(self.active.len() * sets + 1, 0);
        let mut live = 0;
        for &rank in self.rank.iter().filter(|&&rank| rank != NONE) {
            self.start[rank as usize + 1] += 1;
            live += 1;
        }
        for k in 1..self.start.len() {
            self.start[k] += self.start[k - 1];
        }
        self.at.clear();
        self.at.extend_from_slice(&self.start);
        self.order.resize(live, 0);
        for (i, &rank) in self.rank.iter().enumerate().filter(|(_, rank)| **rank != NONE) {
            let at = &mut self.at[rank as usize];
            self.order[*at as usize] = i as u32;
            *at += 1;
        }
    }

    /// Reserves memory for so many particles.
    pub(crate) fn reserve(&mut self, particles: usize) {
        self.order.reserve(particles);
        self.rank.reserve(particles);
    }

    /// Bytes that grow with the number of particles.
    pub(crate) fn particle_bytes(&self) -> usize {
        4 * (self.order.capacity() + self.rank.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Cubic, Quadratic};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_sort_is_the_stable_sort_of_the_library(
            nodes in proptest::collection::vec(([0i32..40, 0i32..9, 0i32..30], 0usize..3, proptest::bool::weighted(0.1)), 1..400)
        ) {
            let keys: Vec<u64> = nodes.iter().map(|n| if n.2 { u64::MAX } else { key(n.0) }).collect();
            let mut blocks = Blocks::default();
            blocks.sort(&keys, |i| nodes[i].1, 3);
            let mut expected: Vec<u32> = (0..keys.len() as u32).filter(|&i| !nodes[i as usize].2).collect();
            expected.sort_by_key(|&i| (keys[i as usize], nodes[i as usize].1));
            prop_assert_eq!(&blocks.order, &expected);
            for (a, &block) in blocks.active.iter().enumerate() {
                for set in 0..3 {
                    for k in blocks.start[a * 3 + set]..blocks.start[a * 3 + set + 1] {
                        let i = blocks.order[k as usize] as usize;
                        prop_assert!(keys[i] == block && nodes[i].1 == set);
                    }
                }
                let o = first_node(block);
                for (d, &t) in blocks.targets[a].iter().enumerate() {
                    let n = first_node(blocks.touched[t as usize]);
                    prop_assert_eq!(n, [o[0] + 4 * (d as i32 >> 2 & 1), o[1] + 4 * (d as i32 >> 1 & 1), o[2] + 4 * (d as i32 & 1)]);
                    prop_assert_eq!(blocks.sources[t as usize][d], a as u32);
                }
            }
        }
    }

    #[test]
    fn particles_on_nodes_and_between_have_their_first_node() {
        assert_eq!(base::<Quadratic>(0.5, 2.0), (4, 1.0));
        assert_eq!(base::<Quadratic>(0.75, 2.0), (5, 0.5));
        assert_eq!(base::<Cubic>(0.5, 2.0), (4, 1.0));
        assert_eq!(base::<Cubic>(0.875, 2.0), (4, 1.75));
        assert_eq!(first_node(key([5, 8, 4095])), [4, 8, 4092]);
    }
}
