//! All that does not change during a step: masses, batches, and the operators derived from them.

use crate::exec::{self, ELEMENT_CHUNK, VERTEX_CHUNK};
use crate::{Csr, EnergyBatch, Pattern, Real, Strain, Vec3, assemble};
use std::any::Any;
use std::sync::Arc;

/// The constant part of a simulation, made by [`ModelBuilder`](crate::ModelBuilder).
///
/// With D the stacked rows of all batches and W their weights, it holds DᵀW by vertex: sums over constraints are
/// gathered by the vertex that receives them, in a fixed order, so no two threads ever add into one place.
pub struct Model {
    masses: Vec<Real>,
    batches: Vec<Box<dyn EnergyBatch>>,
    /// First row of each batch in the stacked D, and the total at the end.
    first_row: Vec<usize>,
    transpose: assemble::Transpose,
    pattern: Arc<Pattern>,
    pinned: Vec<u32>,
}

impl Model {
    pub(crate) fn new(masses: Vec<Real>, batches: Vec<Box<dyn EnergyBatch>>) -> Self {
        let mut first_row = vec![0];
        let mut rows = 0;
        for batch in &batches {
            rows += batch.stencil().rows();
            first_row.push(rows);
        }
        let transpose = assemble::Transpose::new(masses.len(), &batches, &first_row);
        let pattern = Arc::new(assemble::pattern(masses.len(), &batches, &first_row, &transpose));
        let mut pinned: Vec<u32> = batches.iter().flat_map(|b| b.pinned().iter().copied()).collect();
        pinned.sort_unstable();
        pinned.dedup();
        Self { masses, batches, first_row, transpose, pattern, pinned }
    }

    pub(crate) fn into_parts(self) -> (Vec<Real>, Vec<Box<dyn EnergyBatch>>) {
        (self.masses, self.batches)
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.masses.len()
    }

    /// Mass of every vertex, kg.
    pub fn masses(&self) -> &[Real] {
        &self.masses
    }

    /// The batches, in the order they were added.
    pub fn batches(&self) -> &[Box<dyn EnergyBatch>] {
        &self.batches
    }

    /// Number of elements of all batches: the thesis' "constraints".
    pub fn constraints(&self) -> usize {
        self.batches.iter().map(|b| b.stencil().elements()).sum()
    }

    /// Rows of the stacked D.
    pub fn rows(&self) -> usize {
        self.first_row[self.batches.len()]
    }

    /// Bytes of masses, stencils, DᵀW and the matrix pattern; what batches hold beside their stencil is not counted.
    pub fn bytes(&self) -> usize {
        let stencils: usize = self.batches.iter().map(|batch| batch.stencil().bytes()).sum();
        size_of_val(&self.masses[..]) + stencils + self.transpose.bytes() + self.pattern.bytes()
    }

    /// Vertices held by a pin, ascending.
    pub fn pinned(&self) -> &[u32] {
        &self.pinned
    }

    /// The batches of type `T`, to change data that the matrix does not depend on (targets of pins) between steps.
    pub fn batches_mut<T: EnergyBatch>(&mut self) -> impl Iterator<Item = &mut T> {
        self.batches.iter_mut().filter_map(|batch| {
            let any: &mut dyn Any = batch.as_mut();
            any.downcast_mut::<T>()
        })
    }

    /// Moves everything that follows a path to `time`, s.
    pub fn set_time(&mut self, time: Real) {
        for batch in &mut self.batches {
            batch.set_time(time);
        }
    }

    /// Pattern of the global matrix; the same for every time step. It also identifies the model to a stepper.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// The global matrix M/h² + DᵀWD, n×n, shared by the three coordinates. `dt` is h, s.
    pub fn system_matrix(&self, dt: Real) -> Csr {
        assemble::matrix(&self.masses, dt, &self.batches, &self.first_row, &self.transpose, &self.pattern)
    }

    /// r = D x − project(D x), all batches; `r` has [`rows`](Self::rows) entries.
    pub fn residual(&self, x: &[Vec3], r: &mut [Vec3]) {
        for (batch, first) in self.batches.iter().zip(self.first_row.windows(2)) {
            let d = batch.stencil().rows_per_element();
            if d == 0 {
                continue;
            }
            exec::for_each_chunk(&mut r[first[0]..first[1]], ELEMENT_CHUNK * d, |row, r| {
                let start = row / d;
                batch.residual(start..start + r.len() / d, x, r);
            });
        }
    }

    /// out_i = base(i) − Σ_j (DᵀW)_ij r_j, rows in ascending order: parallel over vertices, no atomics.
    pub fn gather_forces(&self, r: &[Vec3], base: impl Fn(usize) -> Vec3 + Sync, out: &mut [Vec3]) {
        exec::for_each_chunk(out, VERTEX_CHUNK, |first, out| {
            for (k, out) in out.iter_mut().enumerate() {
                let vertex = first + k;
                *out = self.transpose.row(vertex).fold(base(vertex), |sum, (row, wc)| sum - r[row] * wc);
            }
        });
    }

    /// Elastic energy of all batches, J.
    pub fn elastic_energy(&self, x: &[Vec3]) -> Real {
        self.over_elements(0.0, |batch, elements| batch.energy(elements, x), |a, b| a + b)
    }

    /// Elastic energy of all batches, J, from the [`residual`](Self::residual) rows at `x`: no second projection.
    pub fn elastic_energy_at(&self, x: &[Vec3], rows: &[Vec3]) -> Real {
        self.batches.iter().zip(self.first_row.windows(2)).fold(0.0, |sum, (batch, first)| {
            let (r, d) = (&rows[first[0]..first[1]], batch.stencil().rows_per_element());
            let leaf = |e: std::ops::Range<usize>| batch.energy_at(e.clone(), x, &r[e.start * d..e.end * d]);
            sum + exec::reduce(0..batch.stencil().elements(), ELEMENT_CHUNK, &leaf, &|a, b| a + b)
        })
    }

    /// ∇E(x) of the elastic energy, N. `rows` is scratch of [`rows`](Self::rows) entries.
    pub fn elastic_gradient(&self, x: &[Vec3], rows: &mut [Vec3], gradient: &mut [Vec3]) {
        self.residual(x, rows);
        self.gather_forces(rows, |_| Vec3::zeros(), gradient);
        for g in gradient {
            *g = -*g;
        }
    }

    /// Worst strain over all batches.
    pub fn strain(&self, x: &[Vec3]) -> Strain {
        self.over_elements(Strain::default(), |batch, elements| batch.strain(elements, x), Strain::max)
    }

    /// Folds a per-range quantity over all batches in a fixed order.
    fn over_elements<T: Send>(
        &self,
        zero: T,
        f: impl Fn(&dyn EnergyBatch, std::ops::Range<usize>) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        self.batches.iter().fold(zero, |sum, batch| {
            let elements = 0..batch.stencil().elements();
            combine(sum, exec::reduce(elements, ELEMENT_CHUNK, &|range| f(batch.as_ref(), range), &combine))
        })
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds: Vec<_> = self.batches.iter().map(|b| (b.kind(), b.stencil().elements())).collect();
        f.debug_struct("Model").field("vertices", &self.vertices()).field("batches", &kinds).finish()
    }
}
