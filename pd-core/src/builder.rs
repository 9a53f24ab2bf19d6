//! Builds a [`Model`], checking everything once so that no loop has to.

use crate::{EnergyBatch, Model, ModelError, Real, Vec3};

/// Collects masses and batches; [`build`](Self::build) checks them.
///
/// ```
/// use pd_core::{Model, Vec3};
/// let model = Model::builder(&[Vec3::zeros(), Vec3::x()], 0.2).build()?;
/// assert_eq!(model.masses(), &[0.1, 0.1]);
/// # Ok::<(), pd_core::ModelError>(())
/// ```
#[derive(Default)]
pub struct ModelBuilder {
    masses: Vec<Real>,
    batches: Vec<Box<dyn EnergyBatch>>,
}

impl Model {
    /// Starts a model of as many vertices as there are positions, sharing `total_mass` (kg) evenly.
    pub fn builder(positions: &[Vec3], total_mass: Real) -> ModelBuilder {
        let mass = total_mass / positions.len().max(1) as Real;
        Self::with_masses(vec![mass; positions.len()])
    }

    /// Starts a model with the mass of every vertex given, kg.
    pub fn with_masses(masses: Vec<Real>) -> ModelBuilder {
        ModelBuilder { masses, batches: vec![] }
    }

    /// Takes the model apart again, to add a batch or take the last one away without making the others anew.
    ///
    /// ```
    /// use pd_core::{Model, Vec3};
    /// let model = Model::builder(&[Vec3::zeros(), Vec3::x()], 0.2).build()?;
    /// let again = model.into_builder().build()?;
    /// assert_eq!(again.masses(), &[0.1, 0.1]);
    /// # Ok::<(), pd_core::ModelError>(())
    /// ```
    pub fn into_builder(self) -> ModelBuilder {
        let (masses, batches) = self.into_parts();
        ModelBuilder { masses, batches }
    }
}

impl ModelBuilder {
    /// Adds a batch of constraints.
    pub fn energy(self, batch: impl EnergyBatch) -> Self {
        self.boxed_energy(Box::new(batch))
    }

    /// Adds a batch that is boxed already.
    pub fn boxed_energy(mut self, batch: Box<dyn EnergyBatch>) -> Self {
        self.batches.push(batch);
        self
    }

    /// Takes the batch added last away.
    pub fn without_last(mut self) -> Self {
        self.batches.pop();
        self
    }

    /// Checks masses, weights, coefficients and indices, and derives the operators.
    pub fn build(self) -> Result<Model, ModelError> {
        let vertices = self.masses.len();
        if vertices == 0 {
            return Err(ModelError::Empty);
        }
        if vertices > u32::MAX as usize {
            return Err(ModelError::TooMany { what: "vertices", count: vertices });
        }
        if let Some(vertex) = self.masses.iter().position(|m| !(*m > 0.0 && m.is_finite())) {
            return Err(ModelError::Mass { vertex, mass: self.masses[vertex] });
        }
        let mut rows = 0;
        for batch in &self.batches {
            batch.stencil().check(batch.kind(), vertices)?;
            if let Some(&vertex) = batch.pinned().iter().find(|&&v| v as usize >= vertices) {
                let kind = batch.kind().to_owned();
                return Err(ModelError::Vertex { kind, vertex: vertex as usize, vertices });
            }
            rows += batch.stencil().rows();
        }
        if rows > u32::MAX as usize {
            return Err(ModelError::TooMany { what: "constraint rows", count: rows });
        }
        Ok(Model::new(self.masses, self.batches))
    }
}
