//! Springs, bending and woven cloth of surfaces.

use super::Body;
use crate::SceneError;
use crate::scene::desc::{BendingModelDesc, LaplacianDesc, SpringDesc, WovenDesc};
use pd_constraints::{
    Bending, BendingWeights, DihedralBending, EdgeSprings, Fabric, IsometricBending, MassSpring, RingsRef,
    SpringLaw, Woven, WovenStiffness, bending_pairs, hinges,
};
use pd_core::{ModelBuilder, Real, Vec3};
use pd_mesh::topology::{InteriorRings, Rings};
use pd_mesh::{Mesh, TriMesh, transform};

impl Body<'_> {
    /// The triangles of a surface; a solid is rejected.
    fn surface(&self, key: &str) -> Result<&TriMesh, SceneError> {
        match &self.object.mesh {
            Mesh::Tri(mesh) => Ok(mesh),
            Mesh::Tet(_) => Err(self.error(key, "is for surfaces; this body is a solid")),
        }
    }

    /// Springs on edges, and between the vertices opposite to an interior edge.
    pub(super) fn springs(&self, mut builder: ModelBuilder) -> Result<ModelBuilder, SceneError> {
        if let Some(edge) = self.desc.edge {
            builder = self.spring(builder, "edge", edge, &self.object.edges)?;
        }
        if let Some(spring) = self.desc.bending_spring {
            let pairs = bending_pairs(&self.surface("bending-spring")?.triangles);
            builder = self.spring(builder, "bending-spring", spring, &pairs)?;
        }
        Ok(builder)
    }

    fn spring(
        &self,
        builder: ModelBuilder,
        key: &str,
        spring: SpringDesc,
        edges: &[[u32; 2]],
    ) -> Result<ModelBuilder, SceneError> {
        if spring.every == 0 {
            return Err(self.error(&format!("{key}.every"), "must be at least 1"));
        }
        let edges = MassSpring::subset(edges, spring.every);
        let (edges, weights) = self.sorted(&edges, self.weights_on(spring.weight, &edges));
        let law = SpringLaw { compression: spring.compression, dead_zone: spring.dead_zone };
        if law == SpringLaw::default() {
            return self.add(builder, key, EdgeSprings::new(self.rest, &edges, &weights));
        }
        self.add(builder, key, MassSpring::new(self.rest, &edges, &weights, law))
    }

    pub(super) fn bending(&self, builder: ModelBuilder) -> Result<ModelBuilder, SceneError> {
        let Some(bending) = self.desc.bending else { return Ok(builder) };
        let mesh = self.surface("bending")?;
        if bending.model == BendingModelDesc::Laplacian {
            let InteriorRings { vertices, offsets, neighbours } = interior_rings(mesh, self.object.first);
            let rings = RingsRef { vertices: &vertices, offsets: &offsets, neighbours: &neighbours };
            let laplacian = match bending.laplacian {
                LaplacianDesc::MeanValue => BendingWeights::MeanValue,
                LaplacianDesc::CotanVoronoi => BendingWeights::CotanVoronoi,
            };
            let centres: Vec<[u32; 1]> = vertices.iter().map(|v| [v - self.object.first]).collect();
            let weights = self.weights_on(bending.weight, &centres);
            return self.add(builder, "bending", Bending::new(self.rest, rings, &weights, laplacian));
        }
        if bending.laplacian != LaplacianDesc::default() {
            return Err(self.error("bending.laplacian", "is for the model \"laplacian\""));
        }
        let hinges = hinges(&mesh.triangles);
        let (hinges, weights) = self.sorted(&hinges, self.weights_on(bending.weight, &hinges));
        match bending.model {
            BendingModelDesc::Isometric => {
                self.add(builder, "bending", IsometricBending::new(self.rest, &hinges, &weights))
            }
            _ => self.add(builder, "bending", DihedralBending::new(self.rest, &hinges, &weights)),
        }
    }

    /// Woven stretch and shear, given by numbers or by the name of a fabric, and the fabric's bending.
    pub(super) fn cloth(&self, mut builder: ModelBuilder) -> Result<ModelBuilder, SceneError> {
        if let Some(WovenDesc { warp, weft, shear, direction }) = self.desc.woven {
            let stiffness = WovenStiffness { warp, weft, shear };
            builder = self.woven(builder, "woven", stiffness, direction.into())?;
        }
        let Some(fabric) = self.desc.fabric else { return Ok(builder) };
        let fabric: &Fabric = fabric.constants();
        let mesh = self.surface("fabric")?;
        builder = self.woven(builder, "fabric", fabric.stretch, Vec3::x())?;
        let hinges = hinges(&mesh.triangles);
        let (hinges, factors) = self.sorted(&hinges, self.weights_on(1.0, &hinges));
        let warp = self.turned(Vec3::x());
        let rigidity = fabric.rigidities(self.rest, &hinges, warp);
        let rigidity: Vec<Real> = rigidity.iter().zip(&factors).map(|(b, factor)| b * factor).collect();
        self.add(builder, "fabric", DihedralBending::new(self.rest, &hinges, &rigidity))
    }

    fn woven(
        &self,
        builder: ModelBuilder,
        key: &str,
        stiffness: WovenStiffness,
        direction: Vec3,
    ) -> Result<ModelBuilder, SceneError> {
        if !(direction.norm() > 0.0 && direction.norm().is_finite()) {
            return Err(self.error(&format!("{key}.direction"), "must be finite and not zero"));
        }
        let (triangles, factors) = self.sorted(&self.surface(key)?.triangles, self.factors());
        let warp = self.turned(direction);
        self.add(builder, key, Woven::new(self.rest, &triangles, warp, stiffness, &factors))
    }

    /// A direction of the shape after `rotate`.
    fn turned(&self, direction: Vec3) -> Vec3 {
        let mut turned = [direction];
        if let Some(rotate) = self.desc.rotate {
            transform::rotate(&mut turned, rotate.axis.into(), rotate.degrees.to_radians());
        }
        turned[0]
    }
}

/// Interior vertices and their ordered rings, shifted to the scene's numbers.
fn interior_rings(mesh: &TriMesh, first: u32) -> InteriorRings {
    let mut rings = Rings::new(mesh).interior();
    for vertex in rings.vertices.iter_mut().chain(&mut rings.neighbours) {
        *vertex += first;
    }
    rings
}
