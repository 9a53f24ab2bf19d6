//! Builds and validates a [`Model`], so that no later loop has to check indices or values.

use crate::kinematic::{KinematicGroup, Motion, Still};
use crate::model::{BatchId, Parts};
use crate::{CollisionSurface, EnergyBatch, Model, ModelError, ParticleSet, Real, Vec3};

/// Collects masses, batches, sets, surfaces and kinematic vertices; [`build`](Self::build) checks them.
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
    sets: Vec<ParticleSet>,
    surface: CollisionSurface,
    kinematic: Vec<KinematicGroup>,
}

impl Model {
    /// Starts a model of as many vertices as there are positions, sharing `total_mass` (kg) evenly.
    pub fn builder(positions: &[Vec3], total_mass: Real) -> ModelBuilder {
        let mass = total_mass / positions.len().max(1) as Real;
        Self::with_masses(vec![mass; positions.len()])
    }

    /// Starts a model with the mass of every vertex given, kg. A model without vertices is allowed: rigid bodies need none.
    pub fn with_masses(masses: Vec<Real>) -> ModelBuilder {
        ModelBuilder { masses, ..ModelBuilder::default() }
    }

    /// Takes the model apart again, to change it without rebuilding its batches.
    ///
    /// ```
    /// use pd_core::{Model, Vec3};
    /// let model = Model::builder(&[Vec3::zeros(), Vec3::x()], 0.2).build()?;
    /// let again = model.into_builder().build()?;
    /// assert_eq!(again.masses(), &[0.1, 0.1]);
    /// # Ok::<(), pd_core::ModelError>(())
    /// ```
    pub fn into_builder(self) -> ModelBuilder {
        let Parts { masses, batches, sets, surface, kinematic, .. } = self.into_parts();
        ModelBuilder { masses, batches, sets, surface, kinematic }
    }
}

impl ModelBuilder {
    /// Adds a batch of constraints.
    pub fn energy(self, batch: impl EnergyBatch) -> Self {
        self.boxed_energy(Box::new(batch))
    }

    /// Adds a boxed batch.
    pub fn boxed_energy(mut self, batch: Box<dyn EnergyBatch>) -> Self {
        self.batches.push(batch);
        self
    }

    /// Adds a batch and returns its id, for [`Model::batch_mut`].
    pub fn add(&mut self, batch: impl EnergyBatch) -> BatchId {
        self.batches.push(Box::new(batch));
        BatchId(self.batches.len() - 1)
    }

    /// Names a range of points. Elastic sets come first, and all sets together cover every point without overlap.
    pub fn set(mut self, set: ParticleSet) -> Self {
        self.sets.push(set);
        self
    }

    /// Sets the collision surface.
    pub fn surface(mut self, surface: CollisionSurface) -> Self {
        self.surface = surface;
        self
    }

    /// Holds vertices exactly where they are: pins of infinite stiffness. `positions` are those of all vertices, m.
    pub fn fixed(self, positions: &[Vec3], vertices: &[u32]) -> Self {
        self.kinematic(positions, vertices, Still)
    }

    /// Prescribes the motion of vertices: forces do not move them, and they act on
    /// whatever is connected to them or touches them. `positions` are those of all vertices, m.
    pub fn kinematic(mut self, positions: &[Vec3], vertices: &[u32], motion: impl Motion + 'static) -> Self {
        // A vertex without a position is found by `build`.
        let rest = vertices.iter().map(|&v| positions.get(v as usize).copied().unwrap_or_default()).collect();
        self.kinematic.push(KinematicGroup { vertices: vertices.to_vec(), rest, motion: Box::new(motion) });
        self
    }

    /// Checks masses, weights, coefficients and indices, and derives the operators.
    pub fn build(self) -> Result<Model, ModelError> {
        let Self { masses, batches, sets, surface, kinematic } = self;
        let vertices = masses.len();
        if vertices > u32::MAX as usize {
            return Err(ModelError::TooMany { what: "vertices", count: vertices });
        }
        if let Some(vertex) = masses.iter().position(|m| !(*m > 0.0 && m.is_finite())) {
            return Err(ModelError::Mass { vertex, mass: masses[vertex] });
        }
        let elastic = elastic(&sets, vertices)?;
        let mut rows = 0;
        for batch in &batches {
            check_batch(batch.as_ref(), elastic)?;
            rows += batch.stencil().rows();
        }
        if rows > u32::MAX as usize {
            return Err(ModelError::TooMany { what: "constraint rows", count: rows });
        }
        surface.check(vertices)?;
        check_kinematic(&kinematic, vertices)?;
        Ok(Model::new(Parts { masses, batches, sets, elastic, surface, kinematic }))
    }
}

/// Rejects a batch that names vertices outside the elastic range, or whose values are not finite.
pub(crate) fn check_batch(batch: &dyn EnergyBatch, elastic: usize) -> Result<(), ModelError> {
    batch.stencil().check(batch.kind(), elastic)?;
    match batch.pinned().iter().find(|&&v| v as usize >= elastic) {
        Some(&vertex) => {
            let kind = batch.kind().to_owned();
            Err(ModelError::Vertex { kind, vertex: vertex as usize, vertices: elastic })
        }
        None => Ok(()),
    }
}

/// Number of elastic points; checks that sets follow each other without gap, elastic ones first.
fn elastic(sets: &[ParticleSet], vertices: usize) -> Result<usize, ModelError> {
    if sets.is_empty() {
        return Ok(vertices);
    }
    let (mut end, mut elastic, mut others) = (0, 0, false);
    for set in sets {
        let wrong = |what| Err(ModelError::Set { name: set.name.clone(), what });
        if set.range.start as usize != end || set.range.end < set.range.start {
            return wrong("must begin where the set before it ends");
        }
        end = set.range.end as usize;
        if !(set.radius >= 0.0 && set.radius.is_finite()) {
            return wrong("must have a radius that is zero or positive and finite");
        }
        if set.kind.is_elastic() {
            if others {
                return wrong("is elastic and must come before sets that are not");
            }
            elastic = end;
        } else {
            others = true;
        }
    }
    if end != vertices {
        let name = sets.last().map(|set| set.name.clone()).unwrap_or_default();
        return Err(ModelError::Set { name, what: "is the last and must end with the last point" });
    }
    Ok(elastic)
}

fn check_kinematic(groups: &[KinematicGroup], vertices: usize) -> Result<(), ModelError> {
    let mut all: Vec<u32> = groups.iter().flat_map(|group| group.vertices.iter().copied()).collect();
    all.sort_unstable();
    if let Some(&vertex) = all.last().filter(|&&vertex| vertex as usize >= vertices) {
        return Err(ModelError::Vertex { kind: "kinematic".to_owned(), vertex: vertex as usize, vertices });
    }
    if let Some(pair) = all.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(ModelError::KinematicTwice { vertex: pair[0] as usize });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SetKind;

    fn set(name: &str, range: std::ops::Range<u32>, kind: SetKind) -> ParticleSet {
        ParticleSet { name: name.to_owned(), range, kind, radius: 0.0 }
    }

    #[test]
    fn only_the_elastic_range_enters_the_matrix() {
        let builder = || Model::with_masses(vec![1.0; 5]);
        let model = builder()
            .set(set("cloth", 0..3, SetKind::Cloth))
            .set(set("sand", 3..5, SetKind::Grains))
            .build()
            .unwrap();
        assert_eq!((model.vertices(), model.elastic(), model.pattern().rows()), (5, 0..3, 3));
        let wrong = [
            builder().set(set("sand", 0..2, SetKind::Grains)).set(set("cloth", 2..5, SetKind::Cloth)),
            builder().set(set("cloth", 0..4, SetKind::Cloth)),
            builder().set(set("cloth", 0..3, SetKind::Cloth)).set(set("solid", 4..5, SetKind::Solid)),
        ];
        for builder in wrong {
            assert!(matches!(builder.build(), Err(ModelError::Set { .. })));
        }
    }

    #[test]
    fn kinematic_vertices_are_checked() {
        let x = vec![Vec3::zeros(); 3];
        assert!(matches!(
            Model::builder(&x, 1.0).fixed(&x, &[3]).build(),
            Err(ModelError::Vertex { vertex: 3, .. })
        ));
        assert_eq!(
            Model::builder(&x, 1.0).fixed(&x, &[0, 1]).fixed(&x, &[1]).build().err(),
            Some(ModelError::KinematicTwice { vertex: 1 })
        );
    }
}
