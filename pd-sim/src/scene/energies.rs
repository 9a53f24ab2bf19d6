//! The model of a scene: one batch per body and kind of constraint.

use super::desc::{ContactMode, LaplacianDesc, MaterialDesc, ObjectDesc, StrainDesc};
use super::{Object, Scene};
use crate::SceneError;
use pd_collide::Path;
use pd_constraints::{
    Area, Bending, BendingWeights, EdgeSprings, Material, Pins, RingsRef, StrainRange, TetStrain, TriStrain,
    Volume, membrane_weights, tet_weights,
};
use pd_core::{CollisionSurface, ContactMaterial, EnergyBatch, Model, ModelBuilder, Real, SurfaceBody, Vec3};
use pd_mesh::topology::{InteriorRings, Rings};
use pd_mesh::{Mesh, TriMesh, order};

/// Thickness of a surface as a part of its mean edge, where the scene gives none.
const THICKNESS: Real = 0.2;

/// Elements that are summed together, about.
const BLOCK: usize = 256;

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
    if scene.desc.contact.mode == ContactMode::Guard {
        builder = builder.surface(surface(scene, &rest)?);
    }
    builder.build().map_err(|error| scene.error("model", error))
}

/// What can touch: the surface of every object.
fn surface(scene: &Scene, rest: &[Vec3]) -> Result<CollisionSurface, SceneError> {
    let contact = &scene.desc.contact;
    // Rest positions tell which pairs of a body are close by birth.
    let mut surface = CollisionSurface { rest: rest.to_vec(), ..CollisionSurface::default() };
    for (object, desc) in scene.objects.iter().zip(&scene.desc.objects) {
        let positions = &rest[object.range()];
        let lengths =
            object.edges.iter().map(|&[i, j]| (positions[i as usize] - positions[j as usize]).norm());
        let mean = lengths.sum::<Real>() / object.edges.len().max(1) as Real;
        let mut body = SurfaceBody::new(desc.thickness.or(contact.thickness).unwrap_or(THICKNESS * mean));
        if let Some(friction) = desc.friction.or(contact.friction) {
            body.material = ContactMaterial::with_friction(friction);
        }
        body.self_contact = desc.self_contact;
        surface.add_body(body, &object.surface, object.first);
    }
    Ok(surface)
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

    /// Elements in the scene's vertex numbers, and their weights, sorted by place if their own order is none: the local
    /// step sums forces over blocks of elements, and is the faster the fewer vertices a block touches. Generated bodies
    /// and files that follow the numbers of their vertices are best left alone.
    fn sorted<const N: usize>(
        &self,
        elements: &[[u32; N]],
        weights: Vec<Real>,
    ) -> (Vec<[u32; N]>, Vec<Real>) {
        let shifted = |element: &[u32; N]| element.map(|v| v + self.object.first);
        let given: Vec<[u32; N]> = elements.iter().map(shifted).collect();
        let order = order::by_place(self.object.mesh.positions(), elements);
        let near: Vec<[u32; N]> = order.iter().map(|&e| given[e as usize]).collect();
        if 2 * order::touched(&near, BLOCK) > order::touched(&given, BLOCK) {
            return (given, weights);
        }
        (near, order.iter().map(|&e| weights[e as usize]).collect())
    }

    /// What the weight of every element is multiplied by: factors of the mesh file and of the groups.
    fn factors(&self) -> Vec<Real> {
        let of_file = self.object.weight_factors.clone();
        let mut factors = of_file.unwrap_or_else(|| vec![1.0; self.object.mesh.element_count()]);
        if let Some(of_groups) = self.object.element_factors() {
            factors.iter_mut().zip(of_groups).for_each(|(factor, other)| *factor *= other);
        }
        factors
    }

    /// The weight of every constraint on these vertices (own numbers): one for all, or times the factors of the groups.
    fn weights_on<const N: usize>(&self, weight: Real, constraints: &[[u32; N]]) -> Vec<Real> {
        match self.object.group_factors(constraints) {
            Some(factors) => times(&factors, weight),
            None => vec![weight; constraints.len()],
        }
    }

    fn springs(&self, builder: ModelBuilder) -> Result<ModelBuilder, SceneError> {
        let Some(edge) = self.desc.edge else { return Ok(builder) };
        let weights = self.weights_on(edge.weight, &self.object.edges);
        let (edges, weights) = self.sorted(&self.object.edges, weights);
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
                let (triangles, factors) = self.sorted(&mesh.triangles, self.factors());
                if let Some(s) = desc.triangle {
                    let batch = TriStrain::new(self.rest, &triangles, &times(&factors, s.weight), range(s));
                    builder = self.add(builder, "triangle", batch)?;
                }
                if let Some(s) = desc.area {
                    let batch = Area::new(self.rest, &triangles, &times(&factors, s.weight), s.min, s.max);
                    builder = self.add(builder, "area", batch)?;
                }
            }
            Mesh::Tet(mesh) => {
                if desc.triangle.is_some() || desc.area.is_some() {
                    let key = if desc.triangle.is_some() { "triangle" } else { "area" };
                    return Err(self.error(key, "is for surfaces; this body is a solid"));
                }
                let (tets, factors) = self.sorted(&mesh.tets, self.factors());
                if let Some(s) = desc.tet {
                    let batch = TetStrain::new(self.rest, &tets, &times(&factors, s.weight), range(s));
                    builder = self.add(builder, "tet", batch)?;
                }
                if let Some(s) = desc.volume {
                    let batch = Volume::new(self.rest, &tets, &times(&factors, s.weight), s.min, s.max);
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
                let (tets, factors) = self.sorted(&mesh.tets, self.factors());
                let weights = tet_weights(&material, poisson > 0.0).map_err(fault)?;
                let strain =
                    TetStrain::new(self.rest, &tets, &times(&factors, weights.strain), StrainRange::RIGID);
                let builder = self.add(builder, "material", strain)?;
                match weights.volume {
                    Some(weight) => self.add(
                        builder,
                        "material",
                        Volume::new(self.rest, &tets, &times(&factors, weight), 1.0, 1.0),
                    ),
                    None => Ok(builder),
                }
            }
            (Mesh::Tri(mesh), Some(thickness)) => {
                let (triangles, factors) = self.sorted(&mesh.triangles, self.factors());
                let weights = membrane_weights(&material, thickness, poisson > 0.0).map_err(fault)?;
                let strain = TriStrain::new(
                    self.rest,
                    &triangles,
                    &times(&factors, weights.strain),
                    StrainRange::RIGID,
                );
                let builder = self.add(builder, "material", strain)?;
                match weights.area {
                    Some(weight) => self.add(
                        builder,
                        "material",
                        Area::new(self.rest, &triangles, &times(&factors, weight), 1.0, 1.0),
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

/// The factors times a weight.
fn times(factors: &[Real], weight: Real) -> Vec<Real> {
    factors.iter().map(|factor| factor * weight).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelPaths;
    use pd_mesh::{generate, io};

    /// A bar from a file that lists the tetrahedra in this order, each with its own stiffness.
    fn bar(order: impl Iterator<Item = usize>) -> (Scene, Model) {
        let mut mesh = generate::bar(8, 8, 8, 1.0).unwrap();
        let order: Vec<usize> = order.collect();
        mesh.tets = order.iter().map(|&e| mesh.tets[e]).collect();
        let stiff: Vec<f64> = order.iter().map(|&e| 1.0 + (e % 7) as f64).collect();
        let directory = tempfile::tempdir().unwrap();
        let mut file = std::fs::File::create(directory.path().join("bar.vtu")).unwrap();
        io::write_vtu(&mut file, &mesh, &[], &[("stiff", &stiff)]).unwrap();
        let text = "title = \"bar\"\n[[object]]\nname = \"bar\"\nshape = { kind = \"file\", file = \"bar.vtu\" }\n\
                    weight-column = \"stiff\"\ntet = { weight = 100.0 }\nvolume = { weight = 30.0 }\n";
        let scene = Scene::parse("bar.toml", text, Some(directory.path()), &ModelPaths::default()).unwrap();
        let model = scene.model(0.0).unwrap();
        (scene, model)
    }

    fn touched(model: &Model) -> usize {
        let (_, corners) = model.batches()[0].force_vertices().unwrap();
        order::touched(corners.as_chunks::<4>().0, BLOCK)
    }

    #[test]
    fn shuffled_elements_are_sorted_and_keep_their_weights() {
        let count = generate::bar(8, 8, 8, 1.0).unwrap().tets.len();
        let (scene, plain) = bar(0..count);
        // 1009 is prime and no divisor of the count, so every element is met once, far from the one before.
        let (_, shuffled) = bar((0..count).map(|e| e * 1009 % count));
        assert!(touched(&shuffled) <= touched(&plain), "{} {}", touched(&shuffled), touched(&plain));
        let (_, corners) = plain.batches()[0].force_vertices().unwrap();
        let Mesh::Tet(mesh) = &scene.objects[0].mesh else { panic!("a bar is solid") };
        assert_eq!(corners, mesh.tets.as_flattened(), "an order that is good already stays");

        let twist = |x: Vec3| Vec3::new(x.x + x.y * x.z, 1.1 * x.y, x.z - 0.3 * x.x * x.x);
        let x: Vec<Vec3> = scene.rest().into_iter().map(twist).collect();
        let [expected, found] = [&plain, &shuffled].map(|model| {
            let (mut rows, mut gradient) = (vec![Vec3::zeros(); model.rows()], vec![Vec3::zeros(); x.len()]);
            model.elastic_gradient(&x, &mut rows, &mut gradient);
            gradient
        });
        let largest = expected.iter().map(|g| g.norm()).fold(0.0, Real::max);
        for (a, b) in expected.iter().zip(&found) {
            assert!((a - b).norm() < 1e-12 * largest, "{a} {b}");
        }
    }
}
