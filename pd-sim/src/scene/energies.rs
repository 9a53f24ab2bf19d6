//! The model of a scene: one batch per body and kind of constraint.

#[cfg(test)]
mod laws;
mod sheet;
mod solid;

use super::desc::{ObjectDesc, StrainDesc};
use super::motion::{Motion, keyframes};
use super::{Object, Scene};
use crate::{CustomParts, SceneError};
use pd_constraints::{Area, Pins, Stitches, StrainRange, TetStrain, TriStrain, Volume};
use pd_core::{EnergyBatch, Model, ModelBuilder, Real, Vec3};
use pd_mesh::{Mesh, order};

/// Elements that are summed together, about.
const BLOCK: usize = 256;

/// Builds the model with the pins that hold at `time`.
pub(super) fn model(scene: &Scene, time: Real) -> Result<Model, SceneError> {
    let rest = scene.rest();
    let mut builder = Model::with_masses(scene.masses.clone());
    for (k, (object, desc)) in scene.objects.iter().zip(&scene.desc.objects).enumerate() {
        if desc.obstacle.is_some() {
            let vertices: Vec<u32> = object.range().map(|v| v as u32).collect();
            builder = builder.kinematic(&rest, &vertices, scene.mesh_motion(k)?);
            continue;
        }
        let body = Body { scene, object, desc, rest: &rest };
        builder = body.springs(builder)?;
        builder = body.bending(builder)?;
        builder = body.cloth(builder)?;
        builder = body.strains(builder)?;
        builder = body.material(builder)?;
        builder = body.pins(builder, time)?;
    }
    for energy in scene.custom_parts(CustomParts::make_energy)? {
        builder = builder.boxed_energy(energy);
    }
    for k in 0..scene.desc.stitches.len() {
        builder = builder.energy(stitches(scene, k, &rest)?);
    }
    for wall in &scene.walls {
        builder = builder.kinematic(&rest, &wall.vertices(), wall.mesh_motion());
    }
    if scene.desc.contact_mode().keeps_apart() {
        builder = builder.surface(scene.surface(&rest)?);
    }
    builder.build().map_err(|error| scene.error("model", error))
}

/// Springs between vertices of objects.
fn stitches(scene: &Scene, k: usize, rest: &[Vec3]) -> Result<Stitches, SceneError> {
    let desc = &scene.desc.stitches[k];
    let wrong = |key: &str, what: String| scene.error(format!("stitch[{k}]{key}"), what);
    let find = |name: &String| {
        let found = scene.objects.iter().find(|object| object.name == *name);
        found.ok_or_else(|| {
            let known: Vec<_> = scene.objects.iter().map(|o| format!("{:?}", o.name)).collect();
            wrong(".objects", format!("there is no object {name:?}; known are {}", known.join(", ")))
        })
    };
    let objects = [find(&desc.objects[0])?, find(&desc.objects[1])?];
    let mut pairs = vec![];
    for pair in &desc.pairs {
        for (object, &vertex) in objects.iter().zip(pair) {
            let count = object.range().len();
            if vertex as usize >= count {
                let what = format!("{:?} has no vertex {vertex}; there are {count}", object.name);
                return Err(wrong(".pairs", what));
            }
        }
        pairs.push([pair[0] + objects[0].first, pair[1] + objects[1].first]);
    }
    if let Some(within) = desc.within {
        if objects[0].first == objects[1].first {
            return Err(wrong(".within", "joins two objects; name vertices of one object in pairs".into()));
        }
        for i in objects[0].range() {
            let distance = |j: usize| (rest[i] - rest[j]).norm();
            let near = objects[1].range().min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            if let Some(j) = near.filter(|&j| distance(j) <= within) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    if pairs.is_empty() {
        return Err(wrong(
            "",
            "joins nothing; give pairs of vertices, or a larger distance as within".into(),
        ));
    }
    Stitches::new(rest, &pairs, desc.weight, desc.length).map_err(|error| wrong("", error.to_string()))
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

    /// Elements in the scene's vertex numbers, and what belongs to each, sorted by place if their own order is none: the local
    /// step sums forces over blocks of elements, and is the faster the fewer vertices a block touches. Generated bodies
    /// and files that follow the numbers of their vertices are best left alone.
    fn sorted<const N: usize, T: Copy>(
        &self,
        elements: &[[u32; N]],
        weights: Vec<T>,
    ) -> (Vec<[u32; N]>, Vec<T>) {
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
            if pin.turn.is_some() {
                let motion = Motion::new(&pin.path, pin.turn.as_ref(), Vec3::zeros());
                let motion = motion.map_err(|(of, what)| self.error(&format!("{key}.{of}"), what))?;
                pins = pins.with_target_motion(move |time, p| {
                    let pose = motion.pose(time);
                    pose.rotation * p + pose.translation.vector
                });
            } else if !pin.path.is_empty() {
                let path = keyframes(&pin.path).map_err(|e| self.error(&format!("{key}.path"), e))?;
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
