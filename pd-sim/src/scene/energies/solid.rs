//! Bodies given by Young's modulus and Poisson's ratio: solids of any elastic law, and membranes.

use super::Body;
use crate::SceneError;
use crate::scene::desc::{ElasticLawDesc, MaterialDesc};
use pd_constraints::{
    Area, Corotated, IsotropicLaw, Material, NeoHookean, StVenantKirchhoff, StableNeoHookean, StrainRange,
    TetElastic, TetStrain, TriStrain, Volume, membrane_weights, tet_weights,
};
use pd_core::{ModelBuilder, Real};
use pd_mesh::Mesh;

impl Body<'_> {
    pub(super) fn material(&self, builder: ModelBuilder) -> Result<ModelBuilder, SceneError> {
        let Some(material) = self.desc.material else { return Ok(builder) };
        let materials = self.materials(&material)?;
        match (&self.object.mesh, material.thickness) {
            (Mesh::Tet(mesh), None) => {
                let (tets, materials) = self.sorted(&mesh.tets, materials);
                match material.law {
                    ElasticLawDesc::Projective => self.projective_solid(builder, &tets, &materials),
                    ElasticLawDesc::Corotated => self.elastic::<Corotated>(builder, &tets, &materials),
                    ElasticLawDesc::StVenantKirchhoff => {
                        self.elastic::<StVenantKirchhoff>(builder, &tets, &materials)
                    }
                    ElasticLawDesc::NeoHookean => self.elastic::<NeoHookean>(builder, &tets, &materials),
                    ElasticLawDesc::StableNeoHookean => {
                        self.elastic::<StableNeoHookean>(builder, &tets, &materials)
                    }
                }
            }
            (Mesh::Tri(_), _) if material.law != ElasticLawDesc::Projective => {
                Err(self.error("material.law", "is for solids; this body is a surface"))
            }
            (Mesh::Tri(mesh), Some(thickness)) => {
                let (triangles, materials) = self.sorted(&mesh.triangles, materials);
                self.membrane(builder, &triangles, &materials, thickness)
            }
            (Mesh::Tet(_), Some(_)) => {
                Err(self.error("material.thickness", "is for surfaces; this body is a solid"))
            }
            (Mesh::Tri(_), None) => Err(self.error("material.thickness", "is needed for a surface, in m")),
        }
    }

    /// The material of every element: that of the body, with what groups change. Their factors on weights multiply Young's modulus.
    fn materials(&self, desc: &MaterialDesc) -> Result<Vec<Material>, SceneError> {
        let fault = |error| self.error("material", error);
        let common = Material::new(desc.young, desc.poisson, desc.density).map_err(fault)?;
        let factors = self.factors();
        let mut materials = vec![common; factors.len()];
        for (k, group) in self.desc.groups.iter().enumerate() {
            if group.young.is_none() && group.poisson.is_none() {
                continue;
            }
            let (young, poisson) = (group.young.unwrap_or(desc.young), group.poisson.unwrap_or(desc.poisson));
            let own = Material::new(young, poisson, desc.density)
                .map_err(|error| self.error(&format!("group[{k}]"), error))?;
            for element in self.object.group_elements(&group.name) {
                if group.young.is_some() {
                    materials[element].young = own.young;
                }
                if group.poisson.is_some() {
                    materials[element].poisson = own.poisson;
                }
            }
        }
        for (material, factor) in materials.iter_mut().zip(factors) {
            material.young *= factor;
        }
        Ok(materials)
    }

    fn elastic<L: IsotropicLaw>(
        &self,
        builder: ModelBuilder,
        tets: &[[u32; 4]],
        materials: &[Material],
    ) -> Result<ModelBuilder, SceneError> {
        self.add(builder, "material", TetElastic::<L>::new(self.rest, tets, materials))
    }

    /// Strain and volume constraints.
    fn projective_solid(
        &self,
        builder: ModelBuilder,
        tets: &[[u32; 4]],
        materials: &[Material],
    ) -> Result<ModelBuilder, SceneError> {
        let fault = |error| self.error("material", error);
        let (mut strains, mut tets_of_volume, mut volumes) = (vec![], vec![], vec![]);
        for (tet, material) in tets.iter().zip(materials) {
            let weights = tet_weights(material, material.poisson > 0.0).map_err(fault)?;
            strains.push(weights.strain);
            if let Some(weight) = weights.volume {
                tets_of_volume.push(*tet);
                volumes.push(weight);
            }
        }
        let strain = TetStrain::new(self.rest, tets, &strains, StrainRange::RIGID);
        let builder = self.add(builder, "material", strain)?;
        if volumes.is_empty() {
            return Ok(builder);
        }
        self.add(builder, "material", Volume::new(self.rest, &tets_of_volume, &volumes, 1.0, 1.0))
    }

    /// Strain and area constraints of a sheet in plane stress.
    fn membrane(
        &self,
        builder: ModelBuilder,
        triangles: &[[u32; 3]],
        materials: &[Material],
        thickness: Real,
    ) -> Result<ModelBuilder, SceneError> {
        let fault = |error| self.error("material", error);
        let (mut strains, mut triangles_of_area, mut areas) = (vec![], vec![], vec![]);
        for (triangle, material) in triangles.iter().zip(materials) {
            let weights = membrane_weights(material, thickness, material.poisson > 0.0).map_err(fault)?;
            strains.push(weights.strain);
            if let Some(weight) = weights.area {
                triangles_of_area.push(*triangle);
                areas.push(weight);
            }
        }
        let strain = TriStrain::new(self.rest, triangles, &strains, StrainRange::RIGID);
        let builder = self.add(builder, "material", strain)?;
        if areas.is_empty() {
            return Ok(builder);
        }
        self.add(builder, "material", Area::new(self.rest, &triangles_of_area, &areas, 1.0, 1.0))
    }
}
