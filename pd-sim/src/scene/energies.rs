//! The model of a scene: one batch per body and kind of constraint.

use super::desc::{LaplacianDesc, MaterialDesc, ObjectDesc, StrainDesc};
use super::{Object, Scene};
use crate::SceneError;
use pd_collide::Path;
use pd_constraints::{
    Area, Bending, BendingWeights, EdgeSprings, Material, Pins, RingsRef, StrainRange, TetStrain, TriStrain,
    Volume, membrane_weights, tet_weights,
};
use pd_core::{EnergyBatch, Model, ModelBuilder, Real, Vec3};
use pd_mesh::topology::{InteriorRings, Rings};
use pd_mesh::{Mesh, TriMesh};

/// Builds the model with the pins that hold at `time`.
pub(super) fn model(scene: &Scene, time: Real) -> Result<Model, SceneError> {
    let rest = scene.rest();
    let mut builder = Model::with_masses(scene.masses.clone());
    for (object, desc) in scene.objects.iter().zip(&scene.desc.objects) {
        let body = Body { scene, object, desc, rest: &rest };
        builder = body.springs(builder)?;
        builder = body.bending(builder)?;
        builder = body.strains(builder)?;
        builder = body.material(builder)?;
        builder = body.pins(builder, time)?;
    }
    builder.build().map_err(|error| scene.error("model", error))
}

struct Body<'a> {
    scene: &'a Scene,
    object: &'a Object,
    desc: &'a ObjectDesc,
    rest: &'a [Vec3],
}

impl Body<'_> {
    fn error(&self, key: &str, what: impl ToString) -> SceneError {
        self.scene.error(format!("object {:?}.{key}", self.object.name), what)
    }

    fn add<T: EnergyBatch>(
        &self,
        builder: ModelBuilder,
        key: &str,
        batch: Result<T, impl ToString>,
    ) -> Result<ModelBuilder, SceneError> {
        Ok(builder.energy(batch.map_err(|error| self.error(key, error))?))
    }

    /// Element lists in the scene's vertex numbers.
    fn shift<const N: usize>(&self, elements: &[[u32; N]]) -> Vec<[u32; N]> {
        elements.iter().map(|element| element.map(|v| v + self.object.first)).collect()
    }

    /// The weight of every element: one for all, or times the factors of the mesh file and of the groups.
    fn weights(&self, weight: Real) -> Vec<Real> {
        let elements = self.object.mesh.element_count();
        let mut weights: Vec<Real> = match &self.object.weight_factors {
            Some(factors) => factors.iter().map(|factor| factor * weight).collect(),
            None => vec![weight; elements],
        };
        if let Some(factors) = self.object.element_factors() {
            weights.iter_mut().zip(factors).for_each(|(weight, factor)| *weight *= factor);
        }
        weights
    }

    /// The weight of every constraint on these vertices (own numbers): one for all, or times the factors of the groups.
    fn weights_on<const N: usize>(&self, weight: Real, constraints: &[[u32; N]]) -> Vec<Real> {
        match self.object.group_factors(constraints) {
            Some(factors) => factors.iter().map(|factor| factor * weight).collect(),
            None => vec![weight; constraints.len()],
        }
    }

    fn springs(&self, builder: ModelBuilder) -> Result<ModelBuilder, SceneError> {
        let Some(edge) = self.desc.edge else { return Ok(builder) };
        let edges = self.shift(&self.object.edges);
        let weights = self.weights_on(edge.weight, &self.object.edges);
        self.add(builder, "edge", EdgeSprings::new(self.rest, &edges, &weights))
    }

    fn bending(&self, builder: ModelBuilder) -> Result<ModelBuilder, SceneError> {
        let Some(bending) = self.desc.bending else { return Ok(builder) };
        let Mesh::Tri(mesh) = &self.object.mesh else {
            return Err(self.error("bending", "is for surfaces; this body is a solid"));
        };
        let InteriorRings { vertices, offsets, neighbours } = interior_rings(mesh, self.object.first);
        let rings = RingsRef { vertices: &vertices, offsets: &offsets, neighbours: &neighbours };
        let laplacian = match bending.laplacian {
            LaplacianDesc::MeanValue => BendingWeights::MeanValue,
            LaplacianDesc::CotanVoronoi => BendingWeights::CotanVoronoi,
        };
        let centres: Vec<[u32; 1]> = vertices.iter().map(|v| [v - self.object.first]).collect();
        let weights = self.weights_on(bending.weight, &centres);
        self.add(builder, "bending", Bending::new(self.rest, rings, &weights, laplacian))
    }

    fn strains(&self, mut builder: ModelBuilder) -> Result<ModelBuilder, SceneError> {
        let desc = self.desc;
        let range = |s: StrainDesc| StrainRange::uniform(s.min, s.max);
        match &self.object.mesh {
            Mesh::Tri(mesh) => {
                if desc.tet.is_some() || desc.volume.is_some() {
                    let key = if desc.tet.is_some() { "tet" } else { "volume" };
                    return Err(self.error(key, "is for solids; this body is a surface"));
                }
                let triangles = self.shift(&mesh.triangles);
                if let Some(s) = desc.triangle {
                    let batch = TriStrain::new(self.rest, &triangles, &self.weights(s.weight)[..], range(s));
                    builder = self.add(builder, "triangle", batch)?;
                }
                if let Some(s) = desc.area {
                    let batch = Area::new(self.rest, &triangles, &self.weights(s.weight)[..], s.min, s.max);
                    builder = self.add(builder, "area", batch)?;
                }
            }
            Mesh::Tet(mesh) => {
                if desc.triangle.is_some() || desc.area.is_some() {
                    let key = if desc.triangle.is_some() { "triangle" } else { "area" };
                    return Err(self.error(key, "is for surfaces; this body is a solid"));
                }
                let tets = self.shift(&mesh.tets);
                if let Some(s) = desc.tet {
                    let batch = TetStrain::new(self.rest, &tets, &self.weights(s.weight)[..], range(s));
                    builder = self.add(builder, "tet", batch)?;
                }
                if let Some(s) = desc.volume {
                    let batch = Volume::new(self.rest, &tets, &self.weights(s.weight)[..], s.min, s.max);
                    builder = self.add(builder, "volume", batch)?;
                }
            }
        }
        Ok(builder)
    }

    fn material(&self, builder: ModelBuilder) -> Result<ModelBuilder, SceneError> {
        let Some(MaterialDesc { young, poisson, density, thickness }) = self.desc.material else {
            return Ok(builder);
        };
        let fault = |error| self.error("material", error);
        let material = Material::new(young, poisson, density).map_err(fault)?;
        match (&self.object.mesh, thickness) {
            (Mesh::Tet(mesh), None) => {
                let tets = self.shift(&mesh.tets);
                let weights = tet_weights(&material, poisson > 0.0).map_err(fault)?;
                let strain =
                    TetStrain::new(self.rest, &tets, &self.weights(weights.strain), StrainRange::RIGID);
                let builder = self.add(builder, "material", strain)?;
                match weights.volume {
                    Some(weight) => self.add(
                        builder,
                        "material",
                        Volume::new(self.rest, &tets, &self.weights(weight), 1.0, 1.0),
                    ),
                    None => Ok(builder),
                }
            }
            (Mesh::Tri(mesh), Some(thickness)) => {
                let triangles = self.shift(&mesh.triangles);
                let weights = membrane_weights(&material, thickness, poisson > 0.0).map_err(fault)?;
                let strain =
                    TriStrain::new(self.rest, &triangles, &self.weights(weights.strain), StrainRange::RIGID);
                let builder = self.add(builder, "material", strain)?;
                match weights.area {
                    Some(weight) => self.add(
                        builder,
                        "material",
                        Area::new(self.rest, &triangles, &self.weights(weight), 1.0, 1.0),
                    ),
                    None => Ok(builder),
                }
            }
            (Mesh::Tet(_), Some(_)) => {
                Err(self.error("material.thickness", "is for surfaces; this body is a solid"))
            }
            (Mesh::Tri(_), None) => Err(self.error("material.thickness", "is needed for a surface, in m")),
        }
    }

    fn pins(&self, mut builder: ModelBuilder, time: Real) -> Result<ModelBuilder, SceneError> {
        for (k, (pin, vertices)) in self.desc.pins.iter().zip(&self.object.pins).enumerate() {
            if pin.release.is_some_and(|release| release <= time) {
                continue;
            }
            let key = format!("pin[{k}]");
            let vertices: Vec<u32> = vertices.iter().map(|v| v + self.object.first).collect();
            let mut pins = Pins::new(self.rest, &vertices, pin.weight).map_err(|e| self.error(&key, e))?;
            for (k, &point) in pin.at.iter().enumerate() {
                pins.set_target(k, point.into()).map_err(|e| self.error(&format!("{key}.at"), e))?;
            }
            if !pin.path.is_empty() {
                let path = path(&pin.path).map_err(|e| self.error(&format!("{key}.path"), e))?;
                pins = pins.with_motion(move |time| path.offset(time));
            }
            builder = builder.energy(pins);
        }
        Ok(builder)
    }
}

/// Keyframes `[time, dx, dy, dz]` as a path.
pub(super) fn path(keys: &[[f64; 4]]) -> Result<Path, pd_collide::CollideError> {
    Path::new(keys.iter().map(|&[time, x, y, z]| (time, Vec3::new(x, y, z))).collect())
}

/// Interior vertices and their ordered rings, shifted to the scene's numbers.
fn interior_rings(mesh: &TriMesh, first: u32) -> InteriorRings {
    let mut rings = Rings::new(mesh).interior();
    for vertex in rings.vertices.iter_mut().chain(&mut rings.neighbours) {
        *vertex += first;
    }
    rings
}
