//! Whole bodies for a [`ModelBuilder`]: the constraints of a cloth or of a solid in one call.

use pd_constraints::{
    Bending, BendingWeights, ConstraintError, EdgeSprings, Material, RingsRef, StrainRange, TetStrain,
    Volume, tet_weights,
};
use pd_core::{ModelBuilder, Real};
use pd_mesh::topology::{InteriorRings, Rings};
use pd_mesh::{TetMesh, TriMesh};

/// Adds the constraints of whole bodies to a model. The vertices of the mesh are the first vertices of the model.
///
/// ```
/// use pd_sim::prelude::*;
/// let mesh = generate::grid(20, 20, 1.0, 1.0)?;
/// let model = Model::builder(&mesh.positions, 0.2).cloth(&mesh, 500.0, 1e-5)?.fixed(&mesh.positions, &[0, 20]).build()?;
/// let mut sim = Simulation::new(model, State::at_rest(mesh.positions), ProjectiveDynamics::new(PanelCholesky::default()));
/// sim.step()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ElasticBodies: Sized {
    /// A cloth: springs of weight `stretch` (N/m) along all edges and mean-curvature bending of weight `bending` (N·m; 0 for
    /// none).
    fn cloth(self, mesh: &TriMesh, stretch: Real, bending: Real) -> Result<Self, ConstraintError>;

    /// A solid of a linear elastic material at small strain: corotated strain and, for ν > 0, volume preservation.
    fn solid(self, mesh: &TetMesh, material: &Material) -> Result<Self, ConstraintError>;
}

impl ElasticBodies for ModelBuilder {
    fn cloth(self, mesh: &TriMesh, stretch: Real, bending: Real) -> Result<Self, ConstraintError> {
        let rest = &mesh.positions;
        let builder = self.energy(EdgeSprings::new(rest, &mesh.edges(), stretch)?);
        if bending == 0.0 {
            return Ok(builder);
        }
        let InteriorRings { vertices, offsets, neighbours } = Rings::new(mesh).interior();
        let rings = RingsRef { vertices: &vertices, offsets: &offsets, neighbours: &neighbours };
        Ok(builder.energy(Bending::new(rest, rings, bending, BendingWeights::CotanVoronoi)?))
    }

    fn solid(self, mesh: &TetMesh, material: &Material) -> Result<Self, ConstraintError> {
        let rest = &mesh.positions;
        let weights = tet_weights(material, material.poisson > 0.0)?;
        let builder = self.energy(TetStrain::new(rest, &mesh.tets, weights.strain, StrainRange::RIGID)?);
        match weights.volume {
            Some(weight) => Ok(builder.energy(Volume::new(rest, &mesh.tets, weight, 1.0, 1.0)?)),
            None => Ok(builder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_core::Model;
    use pd_mesh::generate;

    #[test]
    fn bodies_have_the_constraints_that_scenes_give_them() {
        let sheet = generate::grid(6, 6, 1.0, 1.0).unwrap();
        let cloth =
            Model::builder(&sheet.positions, 0.1).cloth(&sheet, 100.0, 1e-4).unwrap().build().unwrap();
        assert_eq!(cloth.constraints(), sheet.edges().len() + 25, "edges and inner vertices");
        let plain = Model::builder(&sheet.positions, 0.1).cloth(&sheet, 100.0, 0.0).unwrap().build().unwrap();
        assert_eq!(plain.constraints(), sheet.edges().len());
        let bar = generate::bar(2, 2, 2, 1.0).unwrap();
        let rubber = Material::new(1e5, 0.3, 1000.0).unwrap();
        let solid = Model::builder(&bar.positions, 1.0).solid(&bar, &rubber).unwrap().build().unwrap();
        assert_eq!(solid.constraints(), 2 * bar.tets.len());
        assert!(Model::builder(&sheet.positions, 0.1).cloth(&sheet, -1.0, 0.0).is_err());
    }
}
