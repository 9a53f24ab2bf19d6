//! Sums over constraints, by chunk and then by vertex.
//!
//! The force on vertex i is −Σ_c (D_cᵀ W r)_i. Elements are cut into chunks by number alone. A chunk computes the forces
//! on all corners of its elements in a buffer that fits the first cache and sums them by vertex into slots of its own;
//! then every vertex sums its slots. Both sums follow an order that depends on the model alone, so the bits do not depend
//! on the number of threads, and no place is written by two threads. Compared with a list of all rows of DᵀW per vertex
//! this moves a fraction of the bytes: a vertex of a tetrahedral mesh has some 150 entries there, but lies in few chunks.

use crate::exec::{self, VERTEX_CHUNK};
use crate::{EnergyBatch, Model, Real, Vec3};
use std::ops::Range;

/// Corners of a chunk: 24 KB of forces.
const CORNERS: usize = 1024;

/// Elements of a chunk start at multiples of this, so that vector code works on whole blocks.
const ALIGNED: usize = 32;

/// Chunks that share one buffer: filling it with zeros is paid once for all of them.
const TOGETHER: usize = 8;

/// Some elements of one batch, and where they work.
#[derive(Clone, Debug)]
struct Chunk {
    batch: usize,
    elements: Range<usize>,
    /// Number of corners of its elements.
    corners: usize,
    /// Its slots; those of the next chunk follow.
    slots: Range<usize>,
}

/// Lists of indices, one after another.
#[derive(Clone, Debug, Default)]
struct Lists {
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    #[inline]
    fn get(&self, k: usize) -> &[u32] {
        &self.items[self.offsets[k] as usize..self.offsets[k + 1] as usize]
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.offsets[..]) + size_of_val(&self.items[..])
    }
}

/// Who adds where, for one model, and the sums of the chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForcePlan {
    chunks: Vec<Chunk>,
    /// By slot: the corners of its chunk that it sums, ascending.
    corners: Lists,
    /// By vertex: its slots, ascending.
    slots: Lists,
    forces: Vec<Vec3>,
    /// Elastic energy of each chunk at the last run, J.
    energies: Vec<Real>,
}

impl ForcePlan {
    /// Plans for a model.
    pub(crate) fn new(model: &Model) -> Self {
        let mut plan = Self::default();
        plan.corners.offsets.push(0);
        let (mut owners, mut sorted): (Vec<u32>, Vec<(u32, u32)>) = (vec![], vec![]);
        for (batch, energy) in model.batches().iter().enumerate() {
            for elements in cut(energy.as_ref()) {
                sorted.clear();
                sorted.extend(corner_vertices(energy.as_ref(), elements.clone()).iter().copied().zip(0..));
                let (corners, first) = (sorted.len(), owners.len());
                sorted.sort_unstable();
                for same in sorted.chunk_by(|a, b| a.0 == b.0) {
                    owners.push(same[0].0);
                    plan.corners.items.extend(same.iter().map(|&(_, corner)| corner));
                    plan.corners.offsets.push(plan.corners.items.len() as u32);
                }
                plan.chunks.push(Chunk { batch, elements, corners, slots: first..owners.len() });
            }
        }
        let offsets = &mut plan.slots.offsets;
        *offsets = vec![0; model.vertices() + 1];
        for &vertex in &owners {
            offsets[vertex as usize + 1] += 1;
        }
        for i in 0..model.vertices() {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        plan.slots.items = vec![0; owners.len()];
        for (slot, &vertex) in owners.iter().enumerate() {
            plan.slots.items[next[vertex as usize] as usize] = slot as u32;
            next[vertex as usize] += 1;
        }
        plan.forces = vec![Vec3::zeros(); owners.len()];
        plan.energies = vec![0.0; plan.chunks.len()];
        plan
    }

    /// out_i = base(i) − (DᵀW r)_i with r = D x − project(D x).
    pub(crate) fn run(
        &mut self,
        model: &Model,
        x: &[Vec3],
        base: impl Fn(usize) -> Vec3 + Sync,
        out: &mut [Vec3],
    ) {
        run_chunks(model, x, &self.corners, &self.chunks, &mut self.forces, &mut self.energies);
        let (slots, forces) = (&self.slots, &self.forces);
        exec::for_each_chunk(out, VERTEX_CHUNK, |first, out| {
            for (vertex, out) in (first..).zip(out) {
                *out = slots.get(vertex).iter().fold(base(vertex), |sum, &slot| sum + forces[slot as usize]);
            }
        });
    }

    /// Elastic energy at the positions of the last run, J.
    pub(crate) fn energy(&self) -> Real {
        self.energies.iter().sum()
    }

    /// Bytes of its arrays.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.chunks[..])
            + self.corners.bytes()
            + self.slots.bytes()
            + size_of_val(&self.forces[..])
            + size_of_val(&self.energies[..])
    }
}

/// The elements of a batch in ranges of at most [`CORNERS`] corners, unless a few elements have more.
fn cut(batch: &dyn EnergyBatch) -> impl Iterator<Item = Range<usize>> {
    let count = batch.stencil().elements();
    let corners = batch.corners().map_or(batch.stencil().entries(), |(per_element, _)| per_element * count);
    let mean = corners.div_ceil(count.max(1)).max(1);
    let size = (CORNERS / mean / ALIGNED).max(1) * ALIGNED;
    (0..count).step_by(size).map(move |start| start..count.min(start + size))
}

/// The vertices of the corners of some elements, in the order in which the batch counts them.
fn corner_vertices(batch: &dyn EnergyBatch, elements: Range<usize>) -> &[u32] {
    match batch.corners() {
        Some((per_element, vertices)) => &vertices[elements.start * per_element..elements.end * per_element],
        None => batch.stencil().entries_of(elements).0,
    }
}

/// Runs some chunks, halves side by side, each with its own part of the slots.
fn run_chunks(
    model: &Model,
    x: &[Vec3],
    lists: &Lists,
    chunks: &[Chunk],
    forces: &mut [Vec3],
    energies: &mut [Real],
) {
    let Some(first_slot) = chunks.first().map(|chunk| chunk.slots.start) else { return };
    if chunks.len() > TOGETHER {
        let middle = chunks.len() / 2;
        let (left, right) = chunks.split_at(middle);
        let (left_forces, right_forces) = forces.split_at_mut(right[0].slots.start - first_slot);
        let (left_energies, right_energies) = energies.split_at_mut(middle);
        rayon::join(
            || run_chunks(model, x, lists, left, left_forces, left_energies),
            || run_chunks(model, x, lists, right, right_forces, right_energies),
        );
        return;
    }
    let mut room = [Vec3::zeros(); CORNERS];
    let mut long = vec![]; // elements of very many corners are rare; they pay for a heap buffer
    for (chunk, energy) in chunks.iter().zip(energies) {
        let buffer = if chunk.corners <= CORNERS {
            &mut room[..chunk.corners]
        } else {
            long.resize(chunk.corners, Vec3::zeros());
            &mut long[..]
        };
        *energy = model.batches()[chunk.batch].forces(chunk.elements.clone(), x, buffer);
        let slots = &mut forces[chunk.slots.start - first_slot..chunk.slots.end - first_slot];
        let (buffer, ends) = (&*buffer, &lists.offsets[chunk.slots.start..=chunk.slots.end]);
        for (bounds, force) in ends.windows(2).zip(slots) {
            let mut sum = Vec3::zeros();
            for &corner in &lists.items[bounds[0] as usize..bounds[1] as usize] {
                sum += buffer[corner as usize];
            }
            *force = sum;
        }
    }
}
