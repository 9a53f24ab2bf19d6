//! Bending at interior vertices: keep the length of the Laplacian of the positions.
//!
//! W_i = ω/2 (|δ_i| − H_i)² = ω/2 min_R |δ_i − R v_i|², with δ_i = Σ_j c_j (x_i − x_j) (coefficients in `ring.rs`),
//! v_i = δ_i at rest, H_i = |v_i| and R any rotation (Bouaziz et al. 2014, section 5.4). The projection is
//! H_i δ_i/|δ_i|, and 0 if the rest shape is flat at i. The row of D is Σ_j c_j on i and −c_j on the ring, so the
//! global matrix reaches the 2-ring, exactly: dropping those entries would make it indefinite.
//!
//! Sign: with counter-clockwise rings δ points to the outside of a convex patch, along the normal N. Where δ
//! vanishes its direction is undefined and the normal of the ring replaces it: σ_i H_i N, σ_i = sign(v_i·N_i) at
//! rest. The length of δ does not distinguish a dent from a bump, so a snapped-through dent is a second minimum: snap-through
//! belongs to this model.

use crate::lanes::{BLOCK, Level, transpose};
use crate::length_lanes::{Block, Scale, Targets, blocks};
use crate::ring::{self, BendingWeights, Collinear, RingsRef};
use crate::{ConstraintError, SHORTEST_EDGE, Weight, check, radial, selected};
use pd_core::{BatchData, EnergyBatch, Psd, Real, Stencil, Vec3, as_flat};
use std::ops::Range;

const KIND: &str = "bending";

/// A vertex is flat at rest if its Laplacian is shorter than this: a pure number for mean-value weights, and in
/// units of Σ c_j |x_i − x_j| for cotangent weights, so that the test does not depend on the size of the mesh.
const FLAT: Real = 1e-5;

/// δ has lost its direction when it is shorter than this fraction of its rest length. Relative to the rest length and
/// not absolute: a slightly curved shell at rest then never uses the fallback, and where the fallback is used its
/// energy is that of the nearest point up to this relative error.
const LOST_DIRECTION: Real = 1e-5;

/// A batch of bending constraints.
#[derive(Clone, Debug)]
pub struct Bending {
    stencil: Stencil,
    vertices: Vec<u32>,
    /// Laplacian at rest; zero where the rest shape is treated as flat.
    rest: Vec<Vec3>,
    /// Length of `rest`, with the sign of its product with the normal.
    signed_length: Vec<Real>,
    collinear: Vec<Collinear>,
    skipped: usize,
}

impl Bending {
    /// Bending at rest in `positions`, one constraint per listed ring. `weight` is ω, J; one for each ring.
    ///
    /// Vertices with an edge shorter than [`SHORTEST_EDGE`] or without any usable triangle are skipped and counted
    /// in [`skipped`](Self::skipped).
    ///
    /// ```
    /// use pd_constraints::{Bending, BendingWeights, RingsRef};
    /// use pd_core::{EnergyBatch, Vec3};
    /// // A pyramid: vertex 4 above a square.
    /// let x = [Vec3::x(), Vec3::y(), -Vec3::x(), -Vec3::y(), Vec3::z()];
    /// let rings = RingsRef { vertices: &[4], offsets: &[0, 4], neighbours: &[0, 1, 2, 3] };
    /// let bending = Bending::new(&x, rings, 0.1, BendingWeights::MeanValue)?;
    /// assert!(bending.energy(0..1, &x) < 1e-30);
    /// assert!(bending.rest()[0].z > 0.0);
    /// # Ok::<(), pd_constraints::ConstraintError>(())
    /// ```
    pub fn new<'a>(
        positions: &[Vec3],
        rings: RingsRef<'_>,
        weight: impl Into<Weight<'a>>,
        weights: BendingWeights,
    ) -> Result<Self, ConstraintError> {
        let weight = weight.into();
        check::positions(positions)?;
        weight.check(KIND, rings.vertices.len())?;
        rings.check(KIND, positions.len())?;
        let mut batch = Self {
            stencil: Stencil::with_capacity(1, rings.vertices.len(), 7),
            vertices: vec![],
            rest: vec![],
            signed_length: vec![],
            collinear: vec![],
            skipped: 0,
        };
        let mut row = vec![];
        for (element, &vertex) in rings.vertices.iter().enumerate() {
            let ring = rings.ring(element);
            let edge = |j: u32| positions[vertex as usize] - positions[j as usize];
            if ring.iter().any(|&j| edge(j).norm() < SHORTEST_EDGE) {
                batch.skipped += 1;
                continue;
            }
            let Some(laplacian) = ring::laplacian(weights, positions, vertex, ring, &mut batch.collinear)
            else {
                batch.skipped += 1;
                continue;
            };
            let terms = || ring.iter().zip(&laplacian.coefficients);
            row.clear();
            row.push((vertex, laplacian.coefficients.iter().sum()));
            row.extend(terms().map(|(&j, &c)| (j, -c)));
            batch.stencil.push(weight.at(element) * laplacian.area, &[&row]);

            let unit = match weights {
                BendingWeights::MeanValue => 1.0,
                BendingWeights::CotanVoronoi => terms().map(|(&j, c)| c.abs() * edge(j).norm()).sum(),
            };
            let rest = terms().fold(Vec3::zeros(), |sum, (&j, &c)| sum + edge(j) * c);
            let flat = rest.norm() < FLAT * unit;
            let rest = if flat { Vec3::zeros() } else { rest };
            let normal = ring::ring_normal(positions, vertex, ring).unwrap_or(rest);
            batch.signed_length.push(rest.norm().copysign(rest.dot(&normal)));
            batch.rest.push(rest);
            batch.vertices.push(vertex);
        }
        Ok(batch)
    }

    /// The vertices with a constraint, in element order.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The Laplacian of each element at rest; zero where the rest shape is treated as flat.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// Vertices that were skipped: an edge is too short, or there is no usable triangle.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Triangles that were skipped because their corners are collinear.
    pub fn collinear(&self) -> &[Collinear] {
        &self.collinear
    }

    /// δ = Σ c_j (x_i − x_j). Taking differences first is exact far from the origin, where Σ_l w_l x_l cancels.
    fn laplacian(&self, element: usize, x: &[Vec3]) -> Vec3 {
        let (vertices, coefficients) = self.stencil.row_slices(element);
        let centre = x[vertices[0] as usize];
        let ring = vertices[1..].iter().zip(&coefficients[1..]);
        ring.fold(Vec3::zeros(), |sum, (&j, &c)| sum + (x[j as usize] - centre) * c)
    }

    /// Nearest vector of rest length; `None` if the direction of `delta` is undefined.
    fn nearest(&self, element: usize, delta: &Vec3) -> Option<Vec3> {
        let height = self.signed_length[element].abs();
        let length = delta.norm();
        if height == 0.0 {
            Some(Vec3::zeros())
        } else if length > LOST_DIRECTION * height {
            Some(delta * (height / length))
        } else {
            None
        }
    }

    /// r and energies of up to a block of elements.
    fn fill(&self, elements: Range<usize>, x: &[Vec3], block: &mut Block, targets: &mut Targets) {
        for (lane, element) in elements.clone().enumerate().take(BLOCK) {
            let delta = self.laplacian(element, x);
            for c in 0..3 {
                block.vectors[c][lane] = delta[c];
            }
            targets.lengths[lane] = self.signed_length[element].abs();
            targets.weights[lane] = self.stencil.weight(element);
        }
        let scale = Scale { lost: LOST_DIRECTION };
        if block.residual(Level::best(), scale, &targets.lengths, &targets.weights) {
            self.repair(elements, x, block);
        }
    }

    /// Recomputes the elements whose direction is undefined.
    #[cold]
    fn repair(&self, elements: Range<usize>, x: &[Vec3], block: &mut Block) {
        for (lane, element) in elements.enumerate() {
            if block.valid[lane] != 1.0 {
                let delta = self.laplacian(element, x);
                let nearest = self.nearest(element, &delta).unwrap_or_else(|| self.along_normal(element, x));
                block.repair(lane, (delta - nearest).into(), self.stencil.weight(element));
            }
        }
    }

    /// The projection where the direction is undefined: along the current normal of the ring, or as at rest.
    fn along_normal(&self, element: usize, x: &[Vec3]) -> Vec3 {
        let (vertices, _) = self.stencil.row_slices(element);
        match ring::ring_normal(x, vertices[0], &vertices[1..]) {
            Some(normal) => normal * self.signed_length[element],
            None => self.rest[element],
        }
    }
}

impl EnergyBatch for Bending {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn export(&self) -> Option<BatchData<'_>> {
        let data = BatchData::new(KIND, &self.stencil)
            .with_column(1, &self.signed_length)
            .with_column(3, as_flat(&self.rest));
        Some(data)
    }

    /// Where the direction is undefined, positions are not available and the rest vector is returned;
    /// [`residual`](Self::residual) uses the normal at the current positions.
    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z) {
            *z = self.nearest(element, z).unwrap_or(self.rest[element]);
        }
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        for (element, dx) in elements.zip(dx) {
            *dx = self.laplacian(element, x);
        }
    }

    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        let (mut block, mut targets) = (Block::new(), Targets::new());
        for (elements, r) in blocks(elements).zip(r.chunks_mut(BLOCK)) {
            self.fill(elements, x, &mut block, &mut targets);
            transpose::to_rows(&block.vectors, r);
        }
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self {
            stencil: self.stencil.select(order),
            vertices: selected(&self.vertices, order),
            rest: selected(&self.rest, order),
            signed_length: selected(&self.signed_length, order),
            collinear: vec![],
            skipped: self.skipped,
        }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        for (element, out) in elements.zip(out.chunks_exact_mut(9)) {
            let (delta, rest) = (self.laplacian(element, x), self.signed_length[element].abs());
            radial::spring(&delta, rest, self.stencil.weight(element), psd, out);
        }
    }

    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        let (mut energy, mut forces) = (0.0, forces.iter_mut());
        let (mut block, mut targets) = (Block::new(), Targets::new());
        for elements in blocks(elements) {
            self.fill(elements.clone(), x, &mut block, &mut targets);
            for (lane, element) in elements.enumerate() {
                let pull = Vec3::from(block.vector(lane)) * -targets.weights[lane];
                for (coefficient, force) in self.stencil.row_slices(element).1.iter().zip(&mut forces) {
                    *force = pull * *coefficient;
                }
                energy += block.energies[lane];
            }
        }
        energy
    }
}
