//! Sums over constraints, by chunk and then by vertex.
//!
//! The force on vertex i is −Σ_c (D_cᵀ W r)_i. Elements are cut into chunks by number alone. A chunk computes the forces
//! on all corners of its elements in a buffer that fits the L1 cache and sums them by vertex into its own slots;
//! then every vertex sums its slots. Both sums follow an order that depends only on the model, so results do not depend
//! on the number of threads, and no memory is written by two threads. Compared with a list of all rows of DᵀW per vertex
//! this moves a fraction of the bytes: a vertex of a tetrahedral mesh has about 150 entries there, but belongs to few chunks.

use crate::exec::{self, VERTEX_CHUNK};
use crate::grouped_sums::GroupedSums;
use crate::{EnergyBatch, Model, Real, Vec3};
use std::ops::Range;

/// Corners of a chunk: 24 KB of forces.
const CORNERS: usize = 1024;

/// Elements of a chunk start at multiples of this, so that SIMD code works on whole blocks.
const ALIGNED: usize = 32;

/// Chunks that share one buffer: it is zeroed once for all of them.
const TOGETHER: usize = 8;

/// A range of elements of one batch, and its slots.
#[derive(Clone, Debug)]
struct Chunk {
    batch: usize,
    elements: Range<usize>,
    /// Number of corners of its elements.
    corners: usize,
    /// Its slots; those of the next chunk follow.
    slots: Range<usize>,
}

/// The order of summation for one model, and the sums of the chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForcePlan {
    chunks: Vec<Chunk>,
    /// By chunk and slot: the corners of the chunk that the slot sums, ascending.
    corners: GroupedSums,
    /// By [`VERTEX_CHUNK`] vertices: the slots of each vertex, ascending.
    slots: GroupedSums,
    /// The vertices of these sums, in chunks of as many: numbers within the chunk.
    order: Vec<u32>,
    forces: Vec<Vec3>,
    /// Elastic energy of each chunk at the last run, J.
    energies: Vec<Real>,
}

impl ForcePlan {
    /// Plans for a model.
    pub(crate) fn new(model: &Model) -> Self {
        let mut plan = Self::default();
        let (mut owners, mut sorted): (Vec<u32>, Vec<(u32, u32)>) = (vec![], vec![]);
        let (mut ends, mut corners): (Vec<usize>, Vec<u32>) = (vec![], vec![]);
        for (batch, energy) in model.batches().iter().enumerate() {
            for elements in cut(energy.as_ref()) {
                sorted.clear();
                sorted.extend(corner_vertices(energy.as_ref(), elements.clone()).iter().copied().zip(0..));
                let (count, first) = (sorted.len(), owners.len());
                sorted.sort_unstable();
                corners.clear();
                corners.extend(sorted.iter().map(|&(_, corner)| corner));
                ends.clear();
                ends.push(0);
                for same in sorted.chunk_by(|a, b| a.0 == b.0) {
                    ends.push(ends[ends.len() - 1] + same.len());
                }
                let order = plan.corners.push(ends.len() - 1, |k| &corners[ends[k]..ends[k + 1]]);
                owners.extend(order.iter().map(|&k| sorted[ends[k as usize]].0));
                plan.chunks.push(Chunk { batch, elements, corners: count, slots: first..owners.len() });
            }
        }
        let mut offsets = vec![0; model.vertices() + 1];
        for &vertex in &owners {
            offsets[vertex as usize + 1] += 1;
        }
        for i in 0..model.vertices() {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut slots = vec![0; owners.len()];
        for (slot, &vertex) in owners.iter().enumerate() {
            slots[next[vertex as usize]] = slot as u32;
            next[vertex as usize] += 1;
        }
        for first in (0..model.vertices()).step_by(VERTEX_CHUNK) {
            let count = VERTEX_CHUNK.min(model.vertices() - first);
            plan.order.extend(plan.slots.push(count, |k| &slots[offsets[first + k]..offsets[first + k + 1]]));
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
        run_chunks(model, x, &self.corners, 0, &self.chunks, &mut self.forces, &mut self.energies);
        let (slots, forces, order) = (&self.slots, &self.forces, &self.order);
        exec::for_each_chunk(out, VERTEX_CHUNK, |first, out| {
            let order = &order[first..first + out.len()];
            let start = |k: usize| base(first + order[k] as usize);
            slots.run(first / VERTEX_CHUNK, forces, start, |k, sum| out[order[k] as usize] = sum);
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
            + size_of_val(&self.order[..])
            + size_of_val(&self.forces[..])
            + size_of_val(&self.energies[..])
    }
}

/// The elements of a batch in ranges of at most [`CORNERS`] corners, unless a few elements have more or the batch requests
/// more per call.
fn cut(batch: &dyn EnergyBatch) -> impl Iterator<Item = Range<usize>> {
    let count = batch.stencil().elements();
    let corners =
        batch.force_vertices().map_or(batch.stencil().entries(), |(per_element, _)| per_element * count);
    let mean = corners.div_ceil(count.max(1)).max(1);
    let wanted = batch.elements_per_call().unwrap_or(CORNERS / mean);
    let size = (wanted / ALIGNED).max(1) * ALIGNED;
    (0..count).step_by(size).map(move |start| start..count.min(start + size))
}

/// The vertices of the corners of some elements, in the order in which the batch counts them.
fn corner_vertices(batch: &dyn EnergyBatch, elements: Range<usize>) -> &[u32] {
    match batch.force_vertices() {
        Some((per_element, vertices)) => &vertices[elements.start * per_element..elements.end * per_element],
        None => batch.stencil().entries_of(elements).0,
    }
}

/// Runs the chunks from the one numbered `first` on, halves side by side, each with its own part of the slots.
fn run_chunks(
    model: &Model,
    x: &[Vec3],
    sums: &GroupedSums,
    first: usize,
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
            || run_chunks(model, x, sums, first, left, left_forces, left_energies),
            || run_chunks(model, x, sums, first + middle, right, right_forces, right_energies),
        );
        return;
    }
    let mut room = [Vec3::zeros(); CORNERS];
    let mut long = vec![]; // elements with very many corners are rare and use a heap buffer
    for ((number, chunk), energy) in (first..).zip(chunks).zip(energies) {
        let buffer = if chunk.corners <= CORNERS {
            &mut room[..chunk.corners]
        } else {
            long.resize(chunk.corners, Vec3::zeros());
            &mut long[..]
        };
        *energy = model.batches()[chunk.batch].forces(chunk.elements.clone(), x, buffer);
        let slots = &mut forces[chunk.slots.start - first_slot..chunk.slots.end - first_slot];
        sums.run(number, buffer, |_| Vec3::zeros(), |k, sum| slots[k] = sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, Stencil};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Springs of length zero along a chain, counting calls.
    struct Chain {
        stencil: Stencil,
        per_call: Option<usize>,
        calls: AtomicUsize,
    }

    impl Chain {
        fn model(links: u32, per_call: Option<usize>) -> Model {
            let mut stencil = Stencil::new(1);
            for i in 0..links {
                stencil.push(2.0, &[&[(i, 1.0), (i + 1, -1.0)]]);
            }
            let chain = Self { stencil, per_call, calls: AtomicUsize::new(0) };
            Model::with_masses(vec![1.0; links as usize + 1]).energy(chain).build().unwrap()
        }
    }

    impl EnergyBatch for Chain {
        fn kind(&self) -> &'static str {
            "chain"
        }
        fn stencil(&self) -> &Stencil {
            &self.stencil
        }
        fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
            z.fill(Vec3::zeros());
        }
        fn elements_per_call(&self) -> Option<usize> {
            self.per_call
        }
        fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
            self.calls.fetch_add(1, Ordering::Relaxed);
            let mut energy = 0.0;
            for (k, pair) in elements.zip(forces.chunks_exact_mut(2)) {
                let r = x[k] - x[k + 1];
                (pair[0], pair[1]) = (r * -2.0, r * 2.0);
                energy += r.norm_squared();
            }
            energy
        }
    }

    #[test]
    fn a_batch_gets_as_many_elements_to_a_call_as_it_asks_for() {
        let x: Vec<Vec3> = (0..5001).map(|i| Vec3::new((i * i % 97) as Real, i as Real, 0.5)).collect();
        let run = |per_call: Option<usize>| {
            let model = Chain::model(5000, per_call);
            let mut plan = ForcePlan::new(&model);
            let mut out = vec![Vec3::zeros(); x.len()];
            plan.run(&model, &x, |_| Vec3::zeros(), &mut out);
            let any: &dyn std::any::Any = model.batches()[0].as_ref();
            (out, plan.energy(), any.downcast_ref::<Chain>().unwrap().calls.load(Ordering::Relaxed))
        };
        let (expected, energy, calls) = run(None);
        assert_eq!(calls, 5000_usize.div_ceil(CORNERS / 2));
        for (per_call, calls) in [(100_000, 1), (2500, 3), (1, 157)] {
            // Ranges start at multiples of 32.
            let (out, its_energy, its_calls) = run(Some(per_call));
            assert_eq!(its_calls, calls, "{per_call}");
            let worst = out.iter().zip(&expected).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
            assert!(worst < 1e-9 && (its_energy - energy).abs() < 1e-9 * energy, "{per_call}: {worst}");
        }
    }
}
