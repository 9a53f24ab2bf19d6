//! Everything that is constant during a step: masses, batches, and the operators derived from them.

use crate::exec::{self, ELEMENT_CHUNK, VERTEX_CHUNK};
use crate::kinematic::Kinematic;
use crate::{
    CollisionSurface, Csr, EnergyBatch, ModelError, ParticleSet, Pattern, Real, Strain, Vec3, assemble,
};
use std::any::Any;
use std::sync::Arc;

/// Identity of a model: different for any two models that were built. A stepper compares it to decide whether
/// its preparation is still valid.
#[derive(Clone, Debug)]
pub struct Revision(Arc<()>);

impl PartialEq for Revision {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Revision {}

/// Number of a batch in its model, as [`ModelBuilder::add`](crate::ModelBuilder::add) returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchId(pub(crate) usize);

/// The constant part of a simulation, made by [`ModelBuilder`](crate::ModelBuilder).
///
/// With D the stacked rows of all batches and W their weights, it holds DᵀW by vertex: sums over constraints are
/// gathered by the vertex that receives them, in a fixed order, so no two threads write to the same address.
pub struct Model {
    masses: Vec<Real>,
    batches: Vec<Box<dyn EnergyBatch>>,
    /// First row of each batch in the stacked D, and the total at the end.
    first_row: Vec<usize>,
    transpose: assemble::Transpose,
    pattern: Arc<Pattern>,
    pinned: Vec<u32>,
    sets: Vec<ParticleSet>,
    /// Vertices 0..elastic enter the global matrix.
    elastic: usize,
    surface: CollisionSurface,
    kinematic: Kinematic,
    revision: Revision,
}

impl Model {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { masses, batches, sets, elastic, surface, kinematic } = parts;
        let mut first_row = vec![0];
        let mut rows = 0;
        for batch in &batches {
            rows += batch.stencil().rows();
            first_row.push(rows);
        }
        let transpose = assemble::Transpose::new(elastic, &batches, &first_row);
        let pattern = Arc::new(assemble::pattern(elastic, &batches, &first_row, &transpose));
        let mut pinned: Vec<u32> = batches.iter().flat_map(|b| b.pinned().iter().copied()).collect();
        pinned.sort_unstable();
        pinned.dedup();
        let kinematic = Kinematic::new(kinematic, masses.len());
        let revision = Revision(Arc::new(()));
        Self {
            masses,
            batches,
            first_row,
            transpose,
            pattern,
            pinned,
            sets,
            elastic,
            surface,
            kinematic,
            revision,
        }
    }

    pub(crate) fn into_parts(self) -> Parts {
        let Self { masses, batches, sets, elastic, surface, kinematic, .. } = self;
        Parts { masses, batches, sets, elastic, surface, kinematic: kinematic.into_groups() }
    }

    /// Adds a batch to a model in place, as a tool that pulls a vertex does. Recomputes the operators, so steppers prepare
    /// again. An invalid batch is an error and leaves the model unchanged.
    ///
    /// ```
    /// use pd_core::{Model, Vec3};
    /// let mut model = Model::builder(&[Vec3::zeros(), Vec3::x()], 0.2).build()?;
    /// assert!(model.remove_last_energy().is_none());
    /// # Ok::<(), pd_core::ModelError>(())
    /// ```
    pub fn add_energy(&mut self, batch: impl EnergyBatch) -> Result<BatchId, ModelError> {
        crate::builder::check_batch(&batch, self.elastic)?;
        let rows = self.rows() + batch.stencil().rows();
        if rows > u32::MAX as usize {
            return Err(ModelError::TooMany { what: "constraint rows", count: rows });
        }
        self.rebuild(|batches| batches.push(Box::new(batch)));
        Ok(BatchId(self.batches.len() - 1))
    }

    /// Removes the batch that was added last, in place; `None` if there is none.
    pub fn remove_last_energy(&mut self) -> Option<Box<dyn EnergyBatch>> {
        if self.batches.is_empty() {
            return None;
        }
        let mut removed = None;
        self.rebuild(|batches| removed = batches.pop());
        removed
    }

    /// Recomputes the operators after a change of the batches, which the caller has checked.
    fn rebuild(&mut self, change: impl FnOnce(&mut Vec<Box<dyn EnergyBatch>>)) {
        let mut parts = std::mem::replace(self, Self::new(Parts::default())).into_parts();
        change(&mut parts.batches);
        *self = Self::new(parts);
    }

    /// Identity of the model. It is unchanged by [`set_time`](Self::set_time) and changes of batch data, which the
    /// global matrix does not depend on.
    pub fn revision(&self) -> &Revision {
        &self.revision
    }

    /// Vertices that elastic energies may act on, always the first: the global matrix has a row for each of these.
    pub fn elastic(&self) -> std::ops::Range<usize> {
        0..self.elastic
    }

    /// Named ranges of points; empty if the model is one elastic body without a name.
    pub fn sets(&self) -> &[ParticleSet] {
        &self.sets
    }

    /// The collision surface; empty unless the builder was given one.
    pub fn surface(&self) -> &CollisionSurface {
        &self.surface
    }

    /// Vertices with prescribed motion.
    pub fn kinematic(&self) -> &[u32] {
        &self.kinematic.vertices
    }

    /// Positions of the [`kinematic`](Self::kinematic) vertices at the time last [set](Self::set_time), m.
    pub fn kinematic_targets(&self) -> &[Vec3] {
        &self.kinematic.targets
    }

    /// Whether the motion of a vertex is prescribed.
    pub fn is_kinematic(&self, vertex: usize) -> bool {
        self.kinematic.contains(vertex)
    }

    /// Sets the entries of kinematic vertices in `x` to their targets.
    pub fn place_kinematic(&self, x: &mut [Vec3]) {
        for (&vertex, target) in self.kinematic.vertices.iter().zip(&self.kinematic.targets) {
            x[vertex as usize] = *target;
        }
    }

    /// Sets the entries of kinematic vertices in `forces` to zero.
    pub fn clear_kinematic(&self, forces: &mut [Vec3]) {
        for &vertex in &self.kinematic.vertices {
            forces[vertex as usize] = Vec3::zeros();
        }
    }

    /// The batch of this number, if it is of type `T`.
    pub fn batch<T: EnergyBatch>(&self, id: BatchId) -> Option<&T> {
        let any: &dyn Any = self.batches.get(id.0)?.as_ref();
        any.downcast_ref::<T>()
    }

    /// As [`batch`](Self::batch), to change data that the matrix does not depend on (targets of pins) between steps.
    pub fn batch_mut<T: EnergyBatch>(&mut self, id: BatchId) -> Option<&mut T> {
        let any: &mut dyn Any = self.batches.get_mut(id.0)?.as_mut();
        any.downcast_mut::<T>()
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

    /// Bytes of masses, stencils, DᵀW and the matrix pattern; data that batches hold besides their stencil is not counted.
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

    /// Moves pins and kinematic vertices to their positions at `time`, s.
    pub fn set_time(&mut self, time: Real) {
        for batch in &mut self.batches {
            batch.set_time(time);
        }
        self.kinematic.set_time(time);
    }

    /// Pattern of the global matrix; the same for every time step.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// The global matrix M/h² + DᵀWD, n×n, shared by the three coordinates. `dt` is h, s.
    pub fn system_matrix(&self, dt: Real) -> Csr {
        let masses = &self.masses[self.elastic()];
        let kinematic = |vertex| self.is_kinematic(vertex);
        assemble::matrix(
            masses,
            dt,
            &self.batches,
            &self.first_row,
            &self.transpose,
            &self.pattern,
            kinematic,
        )
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

/// What a model is built from.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) masses: Vec<Real>,
    pub(crate) batches: Vec<Box<dyn EnergyBatch>>,
    pub(crate) sets: Vec<ParticleSet>,
    pub(crate) elastic: usize,
    pub(crate) surface: CollisionSurface,
    pub(crate) kinematic: Vec<crate::kinematic::KinematicGroup>,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds: Vec<_> = self.batches.iter().map(|b| (b.kind(), b.stencil().elements())).collect();
        f.debug_struct("Model").field("vertices", &self.vertices()).field("batches", &kinds).finish()
    }
}
