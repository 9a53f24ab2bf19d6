//! Edge springs: keep the length of edges.
//!
//! W = ω/2 (|x_i − x_j| − r)² = ω/2 min_{|p| = r} |x_i − x_j − p|², r the rest length. The row of D is e_i − e_j
//! and the projection r (x_i − x_j)/|x_i − x_j|: Hooke's springs of stiffness ω (Liu et al. 2013, "Fast simulation
//! of mass-spring systems").

use crate::lanes::springs::Springs;
use crate::lanes::{BLOCK, Level, transpose};
use crate::length_lanes::{Block, Scale, Targets};
use crate::{ConstraintError, SHORTEST_EDGE, Weight, check, radial, selected};
use pd_core::{BatchData, EnergyBatch, Psd, Real, Stencil, Strain, Vec3, as_flat};
use std::ops::Range;

const KIND: &str = "edge";

/// Edges shorter than this fraction of their rest length are computed one by one: their squares lose digits.
const SCALE: Scale = Scale { lost: 1e-90 };

/// Edges that are computed in blocks where the direct path stops.
const STOP: usize = 4;

/// A batch of springs on edges.
#[derive(Clone, Debug)]
pub struct EdgeSprings {
    stencil: Stencil,
    edges: Vec<[u32; 2]>,
    lengths: Vec<Real>,
    /// Rest vectors x_i − x_j: the projection of an edge with zero length.
    rest: Vec<Vec3>,
    skipped: usize,
}

impl EdgeSprings {
    /// Springs at rest in `positions`. `weight` is the stiffness ω, N/m. Edges shorter than
    /// [`SHORTEST_EDGE`] are skipped and counted in [`skipped`](Self::skipped).
    pub fn new<'a>(
        positions: &[Vec3],
        edges: &[[u32; 2]],
        weight: impl Into<Weight<'a>>,
    ) -> Result<Self, ConstraintError> {
        let weight = weight.into();
        check::positions(positions)?;
        weight.check(KIND, edges.len())?;
        check::indices(KIND, edges, positions.len())?;
        let mut batch = Self {
            stencil: Stencil::with_capacity(1, edges.len(), 2),
            edges: Vec::with_capacity(edges.len()),
            lengths: Vec::with_capacity(edges.len()),
            rest: Vec::with_capacity(edges.len()),
            skipped: 0,
        };
        for (element, &[i, j]) in edges.iter().enumerate() {
            let rest = positions[i as usize] - positions[j as usize];
            let length = rest.norm();
            if length < SHORTEST_EDGE {
                batch.skipped += 1;
                continue;
            }
            batch.stencil.push(weight.at(element), &[&[(i, 1.0), (j, -1.0)]]);
            batch.edges.push([i, j]);
            batch.lengths.push(length);
            batch.rest.push(rest);
        }
        Ok(batch)
    }

    /// Edges that were skipped because they are too short to have a direction.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// The edges with a spring.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Rest length of each of [`edges`](Self::edges), m.
    pub fn rest_lengths(&self) -> &[Real] {
        &self.lengths
    }

    fn vector(&self, element: usize, x: &[Vec3]) -> Vec3 {
        let [i, j] = self.edges[element];
        x[i as usize] - x[j as usize]
    }

    /// A range of edges, for the direct path.
    fn springs<'a>(&'a self, elements: Range<usize>, x: &'a [Vec3]) -> Springs<'a> {
        Springs {
            edges: &self.edges[elements.clone()],
            lengths: &self.lengths[elements.clone()],
            weights: &self.stencil.weights()[elements],
            x,
            scale: SCALE,
        }
    }

    /// Number of edges to compute in blocks before the direct path is tried again, if there is one.
    fn over_a_block(level: Level) -> usize {
        if level.has_springs() { STOP } else { BLOCK }
    }

    /// r and energies of up to a block of edges; returns their weights.
    fn fill<'a>(
        &'a self,
        elements: Range<usize>,
        x: &[Vec3],
        block: &mut Block,
        scratch: &'a mut Targets,
    ) -> &'a [Real; BLOCK] {
        let (lengths, weights) = (&self.lengths[elements.clone()], &self.stencil.weights()[elements.clone()]);
        let (lengths, weights) = match (lengths.first_chunk(), weights.first_chunk()) {
            (Some(lengths), Some(weights)) => (lengths, weights),
            _ => {
                scratch.lengths[..lengths.len()].copy_from_slice(lengths);
                scratch.weights[..weights.len()].copy_from_slice(weights);
                (&scratch.lengths, &scratch.weights)
            }
        };
        transpose::differences(&self.edges[elements.clone()], x, &mut block.vectors);
        if block.residual(Level::best(), SCALE, lengths, weights) {
            self.repair(elements, x, block);
        }
        weights
    }

    /// Recomputes the edges whose length is out of the normal range.
    #[cold]
    fn repair(&self, elements: Range<usize>, x: &[Vec3], block: &mut Block) {
        for (lane, element) in elements.enumerate() {
            if block.valid[lane] != 1.0 {
                let vector = self.vector(element, x);
                let r = vector - self.nearest(element, &vector);
                block.repair(lane, r.into(), self.stencil.weight(element));
            }
        }
    }

    fn nearest(&self, element: usize, vector: &Vec3) -> Vec3 {
        let length = vector.norm();
        if length > 0.0 { vector * (self.lengths[element] / length) } else { self.rest[element] }
    }
}

impl EnergyBatch for EdgeSprings {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn export(&self) -> Option<BatchData<'_>> {
        Some(
            BatchData::new(KIND, &self.stencil)
                .with_column(1, &self.lengths)
                .with_column(3, as_flat(&self.rest)),
        )
    }

    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z) {
            *z = self.nearest(element, z);
        }
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        for (element, dx) in elements.zip(dx) {
            *dx = self.vector(element, x);
        }
    }

    /// r = d (1 − l/|d|), many edges side by side.
    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        let level = Level::best();
        let (mut block, mut scratch) = (Block::new(), Targets::new());
        let (mut at, mut r) = (elements.start, r);
        while at < elements.end {
            let done = self.springs(at..elements.end, x).residual(level, r);
            (at, r) = (at + done, &mut r[done..]);
            if at < elements.end {
                let part = at..elements.end.min(at + Self::over_a_block(level));
                self.fill(part.clone(), x, &mut block, &mut scratch);
                transpose::to_rows(&block.vectors, &mut r[..part.len()]);
                (at, r) = (part.end, &mut r[part.len()..]);
            }
        }
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self {
            stencil: self.stencil.select(order),
            edges: selected(&self.edges, order),
            lengths: selected(&self.lengths, order),
            rest: selected(&self.rest, order),
            skipped: self.skipped,
        }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        for (element, out) in elements.zip(out.chunks_exact_mut(9)) {
            let (y, weight) = (self.vector(element, x), self.stencil.weight(element));
            radial::spring(&y, self.lengths[element], weight, psd, out);
        }
    }

    fn force_vertices(&self) -> Option<(usize, &[u32])> {
        Some((2, self.edges.as_flattened()))
    }

    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        let level = Level::best();
        let (mut block, mut scratch) = (Block::new(), Targets::new());
        let (mut at, mut ends, mut energy) = (elements.start, forces.as_chunks_mut::<2>().0, 0.0);
        while at < elements.end {
            let (done, more) = self.springs(at..elements.end, x).forces(level, ends);
            (at, ends) = (at + done, &mut ends[done..]);
            energy += more;
            if at < elements.end {
                let part = at..elements.end.min(at + Self::over_a_block(level));
                let weights = self.fill(part.clone(), x, &mut block, &mut scratch);
                transpose::to_ends(&block.vectors, weights, &mut ends[..part.len()]);
                energy += block.energy(part.len());
                (at, ends) = (part.end, &mut ends[part.len()..]);
            }
        }
        energy
    }

    fn strain(&self, elements: Range<usize>, x: &[Vec3]) -> Strain {
        let worst = elements.fold(0.0, |worst: Real, element| {
            worst.max((self.vector(element, x).norm() / self.lengths[element] - 1.0).abs())
        });
        Strain { worst, inverted: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_plain_way_for_any_cut() {
        let n = 600;
        let at = |k: usize, size: Real| {
            let k = k as Real;
            Vec3::new((1.7 * k).sin(), (2.3 * k).cos(), (0.9 * k).sin()) * size
        };
        let rest: Vec<Vec3> = (0..=n).map(|k| at(k, 1.0)).collect();
        let edges: Vec<[u32; 2]> = (0..n as u32).map(|k| [k, k + 1]).collect();
        let batch = EdgeSprings::new(&rest, &edges, 1.0).unwrap();
        let mut x: Vec<Vec3> = (0..=n).map(|k| at(k + 7, 1.3)).collect();
        // No length, denormal, tiny, huge.
        for (k, size) in [(50, 0.0), (100, 1e-310), (290, 1e-160), (599, 1e150)] {
            x[k + 1] = x[k] * 0.0 + Vec3::y() * size;
            x[k] *= 0.0;
        }
        let mut whole = vec![Vec3::zeros(); n];
        batch.residual(0..n, &x, &mut whole);
        for (element, r) in whole.iter().enumerate() {
            let vector = batch.vector(element, &x);
            let plain = vector - batch.nearest(element, &vector);
            assert!((r - plain).amax() <= 1e-15 * (1.0 + vector.amax()), "{element} {r} {plain}");
        }
        for cut in [1, 5, 31, 33, 255, 257, 599] {
            let mut parts = vec![Vec3::zeros(); n];
            let (first, second) = parts.split_at_mut(cut);
            batch.residual(0..cut, &x, first);
            batch.residual(cut..n, &x, second);
            assert_eq!(whole, parts, "{cut}");
        }
    }
}
