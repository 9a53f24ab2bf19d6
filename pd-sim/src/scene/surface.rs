//! The collision surface of a scene: surfaces of objects, and obstacles with edges as kinematic meshes.

use super::desc::{ContactPairDesc, ObstacleKind, SceneDesc};
use super::motion::{MeshMotion, Motion};
use super::obstacles::material;
use super::{Object, Scene};
use crate::SceneError;
use pd_collide::broad::{BroadPhase, LinearBvh};
use pd_collide::intersect::mesh_intersections;
use pd_core::{Aabb, CollisionSurface, ContactMaterial, PairContact, Real, SurfaceBody, Vec3};

/// Default thickness of a surface as a fraction of its mean edge length.
const THICKNESS: Real = 0.2;

/// Largest thickness as a fraction of the mean edge length: a thicker surface would touch itself across its own triangles.
const MOST: Real = 0.5;

/// An obstacle with edges: vertices after those of all objects.
#[derive(Debug)]
pub(super) struct Wall {
    /// Number of the obstacle.
    pub(super) collider: usize,
    /// First vertex in the scene's numbers.
    pub(super) first: u32,
    /// At rest, m.
    pub(super) positions: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) motion: Motion,
}

/// Two intersecting triangles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Names of their bodies: objects, or obstacles as `collider[2]`.
    pub bodies: [String; 2],
    /// Their numbers in the surface of each body.
    pub triangles: [u32; 2],
}

impl std::fmt::Display for Crossing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ([a, b], [i, j]) = (&self.bodies, self.triangles);
        write!(f, "triangle {i} of {a:?} and triangle {j} of {b:?}")
    }
}

/// Obstacles whose triangles belong to the model.
pub(super) fn walls(name: &str, desc: &SceneDesc, first: usize) -> Result<Vec<Wall>, SceneError> {
    if desc.objects.is_empty() || !desc.contact_mode().keeps_apart() {
        return Ok(vec![]);
    }
    let (mut walls, mut first) = (vec![], first);
    for (collider, obstacle) in desc.colliders.iter().enumerate().filter(|(_, o)| o.has_edges()) {
        let wrong = |(key, what): (&'static str, String)| SceneError::Value {
            file: name.to_owned(),
            field: format!("collider[{collider}]{key}"),
            what,
        };
        obstacle.check().map_err(wrong)?;
        let mesh = obstacle.contact_mesh().map_err(wrong)?;
        let motion = obstacle.motion().map_err(wrong)?;
        let start = first as u32;
        first += mesh.positions.len();
        let (positions, triangles) = (mesh.positions, mesh.triangles);
        walls.push(Wall { collider, first: start, positions, triangles, motion });
    }
    Ok(walls)
}

impl Wall {
    pub(super) fn vertices(&self) -> Vec<u32> {
        (self.first..self.first + self.positions.len() as u32).collect()
    }

    pub(super) fn mesh_motion(&self) -> MeshMotion {
        MeshMotion { frames: vec![], motion: self.motion.clone() }
    }
}

impl Scene {
    /// Names of the bodies of the model's surface, in its order.
    pub fn surface_names(&self) -> Vec<String> {
        let objects = self.touching().map(|k| self.objects[k].name.clone());
        objects.chain(self.walls.iter().map(|wall| format!("collider[{}]", wall.collider))).collect()
    }

    /// Objects whose triangles take part in contact.
    fn touching(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.objects.len()).filter(|&k| {
            let obstacle = self.desc.objects[k].obstacle.as_ref();
            obstacle.is_none_or(|obstacle| obstacle.kind == ObstacleKind::Surface)
        })
    }

    /// The surface for intersection-free contact.
    pub(super) fn surface(&self, rest: &[Vec3]) -> Result<CollisionSurface, SceneError> {
        let contact = &self.desc.contact;
        // Rest positions determine which pairs of a body are close at rest.
        let mut surface = CollisionSurface { rest: rest.to_vec(), ..CollisionSurface::default() };
        // Obstacles use the thickness of the bodies, regardless of their own edge lengths.
        let given = |k: usize| self.desc.objects[k].thickness.or(contact.thickness);
        let usual = |k: usize| given(k).unwrap_or_else(|| THICKNESS * mean_edge(&self.objects[k]));
        let soft: Vec<Real> =
            self.touching().filter(|&k| self.desc.objects[k].obstacle.is_none()).map(usual).collect();
        // Without bodies nothing touches obstacles; their own edges are as good as any.
        let soft = if soft.is_empty() { self.touching().map(usual).collect() } else { soft };
        let mean = soft.iter().sum::<Real>() / soft.len().max(1) as Real;
        let mut own = soft.into_iter();
        for k in self.touching() {
            let (object, desc) = (&self.objects[k], &self.desc.objects[k]);
            let edge = mean_edge(object);
            let given = given(k);
            let soft = desc.obstacle.is_none();
            if let Some(thickness) = given.filter(|&given| !(given > 0.0 && (given <= MOST * edge || !soft)))
            {
                let what = format!(
                    "is {thickness} m; it must be positive and at most {MOST} of the mean edge, which is {edge:.4} m"
                );
                return Err(self.error(format!("object {:?}.thickness", object.name), what));
            }
            let usual = if desc.obstacle.is_some() { None } else { own.next() };
            let mut body = SurfaceBody::new(usual.or(given).unwrap_or(mean));
            body.material = material(desc.friction.or(contact.friction), desc.restitution);
            body.self_contact = desc.self_contact;
            if let Some(obstacle) = &desc.obstacle {
                body.material.restitution = obstacle.restitution.unwrap_or(body.material.restitution);
                body.self_contact = false;
            }
            surface.add_body(body, &object.surface, object.first);
        }
        for wall in &self.walls {
            let desc = &self.desc.colliders[wall.collider];
            let mut body = SurfaceBody::new(desc.thickness.unwrap_or(mean));
            body.material = material(desc.friction, desc.restitution);
            body.self_contact = false;
            surface.add_body(body, &wall.triangles, wall.first);
        }
        self.filter(&mut surface)?;
        Ok(surface)
    }

    /// Contact parameters of pairs of bodies.
    fn filter(&self, surface: &mut CollisionSurface) -> Result<(), SceneError> {
        let names = self.surface_names();
        for (k, pair) in self.desc.contact.pairs.iter().enumerate() {
            let field = |key: &str| format!("contact.pair[{k}]{key}");
            let bodies = members(pair, &names).map_err(|what| self.error(field(".objects"), what))?;
            if let Some(value) = pair.thickness.filter(|&value| !(value > 0.0 && value.is_finite())) {
                let what = format!("is {value}; it must be positive and finite, in m");
                return Err(self.error(field(".thickness"), what));
            }
            for (n, &a) in bodies.iter().enumerate() {
                for &b in &bodies[n + 1..] {
                    if !pair.touch {
                        surface.ignore(a, b);
                        continue;
                    }
                    let of = |body: u32| &surface.bodies[body as usize].material;
                    let plain = ContactMaterial::between(of(a), of(b));
                    let own = material(pair.friction, pair.restitution);
                    let material = ContactMaterial {
                        restitution: if pair.restitution.is_some() {
                            own.restitution
                        } else {
                            plain.restitution
                        },
                        ..if pair.friction.is_some() { own } else { plain }
                    };
                    material.check().map_err(|error| self.error(field(""), error))?;
                    surface.set_pair(a, b, PairContact { thickness: pair.thickness, material });
                }
            }
        }
        Ok(())
    }

    /// Pairs of triangles that intersect at positions `x` of all vertices, by exact predicates, among bodies that may touch.
    pub fn crossings(&self, x: &[Vec3]) -> Result<Vec<Crossing>, SceneError> {
        let surface = self.surface(&self.rest())?;
        let corners = |t: &[u32; 3]| t.map(|v| x[v as usize]);
        let boxes: Vec<Aabb> = surface.triangles.iter().map(|t| Aabb::of_points(&corners(t))).collect();
        let (mut tree, mut pairs) = (LinearBvh::default(), vec![]);
        tree.build(&boxes);
        tree.self_pairs(&mut pairs);
        let body = |t: u32| surface.triangle_body[t as usize];
        let moved: Vec<bool> = self
            .touching()
            .map(|k| self.desc.objects[k].obstacle.is_some())
            .chain(self.walls.iter().map(|_| true))
            .collect();
        pairs.retain(|&[f, g]| {
            let (a, b) = (body(f), body(g));
            surface.may_touch(a, b) && !(moved[a as usize] && moved[b as usize])
        });
        let first = |number: u32| surface.triangle_body.partition_point(|&body| body < number) as u32;
        let names = self.surface_names();
        let crossing = mesh_intersections(x, &surface.triangles, &pairs);
        let named = crossing.iter().map(|pair| Crossing {
            bodies: pair.map(|t| names[body(t) as usize].clone()),
            triangles: pair.map(|t| t - first(body(t))),
        });
        Ok(named.collect())
    }
}

fn mean_edge(object: &Object) -> Real {
    let x = object.mesh.positions();
    let mut edges: Vec<[u32; 2]> = object
        .surface
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let length = |&[i, j]: &[u32; 2]| (x[i as usize] - x[j as usize]).norm();
    edges.iter().map(length).sum::<Real>() / edges.len().max(1) as Real
}

/// Numbers of the bodies that a pair names.
fn members(pair: &ContactPairDesc, names: &[String]) -> Result<Vec<u32>, String> {
    if pair.objects.len() < 2 {
        return Err(format!("names {}; two or more are needed", pair.objects.len()));
    }
    let mut bodies = vec![];
    for name in &pair.objects {
        let Some(body) = names.iter().position(|known| known == name) else {
            return Err(format!(
                "there is no object {name:?} that can touch; known are {}",
                names.join(", ")
            ));
        };
        bodies.push(body as u32);
    }
    bodies.sort_unstable();
    bodies.dedup();
    if bodies.len() < 2 {
        return Err("names one object twice; see self-contact of the object".to_owned());
    }
    Ok(bodies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SceneRun;
    use crate::{ModelPaths, Registry};
    use std::path::Path;

    const SHEET: &str = "title = \"t\"\n[[object]]\nname = \"sheet\"\nshape = { kind = \"grid\", rows = 6, columns = 6, width = 0.6, depth = 0.6 }\n\
        translate = [0, 0.25, 0]\nmass = { total = 0.1 }\nedge = { weight = 100 }\n";

    fn parse(text: &str) -> Result<Scene, SceneError> {
        Scene::parse("t.toml", text, None, &ModelPaths::default())
    }

    /// Every frame of a sheet that falls on an obstacle is free of crossings, and the obstacle holds it.
    #[test]
    fn a_sheet_lies_on_every_obstacle() {
        for obstacle in [
            "kind = \"half-space\"\npoint = [0, 0.1, 0]\nnormal = [0.1, 1, 0]\nfriction = 0.8",
            "kind = \"block\"\ncentre = [0, 0, 0]\nhalf-extents = [0.05, 0.15, 0.05]\nrotate = { axis = [0, 1, 0], degrees = 30 }",
            "kind = \"cylinder\"\nfrom = [-0.5, 0.05, 0]\nto = [0.5, 0.05, 0]\nradius = 0.1",
            "kind = \"hull\"\npoints = [[0, 0.18, 0], [0.2, 0, 0.2], [-0.2, 0, 0.2], [0, 0, -0.3]]",
            "kind = \"height-field\"\ncorner = [-0.5, 0, -0.5]\nspacing = 0.5\nheights = [[0, 0, 0], [0, 0.15, 0], [0, 0, 0]]",
            "kind = \"sphere\"\ncentre = [0, 0, 0]\nradius = 0.15\nedges = true",
            "kind = \"torus\"\ncentre = [0, 0.05, 0]\nmajor-radius = 0.2\nminor-radius = 0.08\nturn = { axis = [0, 1, 0], keys = [[0, 0], [1, 500]] }",
            "kind = \"capsule\"\nfrom = [-0.5, 0, 0]\nto = [0.5, 0, 0]\nradius = 0.1\nvelocity = [0, 0.2, 0]",
        ] {
            let scene = parse(&format!("{SHEET}[[collider]]\n{obstacle}\n")).unwrap();
            let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
            let sheet = run.scene.objects[0].range();
            for _ in 0..20 {
                run.advance().unwrap();
                let crossings = run.scene.crossings(&run.sim.state.x).unwrap();
                assert!(crossings.is_empty(), "{obstacle}: {}", crossings[0]);
            }
            let fallen = 0.25 - 0.5 * 9.8 * (20.0f64 / 60.0).powi(2);
            let highest = run.sim.state.x[sheet].iter().map(|p| p.y).fold(Real::NEG_INFINITY, Real::max);
            assert!(highest > fallen + 0.1, "{obstacle}: nothing holds the sheet, {highest} m");
        }
    }

    /// The other methods, on a sheet that falls onto a sharp wedge.
    #[test]
    fn no_method_lets_a_sheet_cross_a_wedge() {
        let sheet = SHEET.replace("rows = 6, columns = 6", "rows = 10, columns = 10").replace("0.25", "0.22");
        let wedge = "[[collider]]\nkind = \"hull\"\npoints = [[-0.5, 0.2, 0], [0.5, 0.2, 0], [-0.5, 0, 0.05], [0.5, 0, 0.05], [-0.5, 0, -0.05], [0.5, 0, -0.05]]\n";
        for mode in ["guard", "barrier", "impact-zones"] {
            let text = format!("contact = \"{mode}\"\n{sheet}{wedge}");
            let mut run = SceneRun::new(parse(&text).unwrap(), &Registry::standard()).unwrap();
            let mut touched = 0;
            for frame in 0..14 {
                let report = run.advance().unwrap();
                touched += report.contact.unwrap().contacts;
                let crossings = run.scene.crossings(&run.sim.state.x).unwrap();
                assert!(crossings.is_empty(), "{mode}, frame {frame}: {}", crossings[0]);
            }
            let x = &run.sim.state.x[run.scene.objects[0].range()];
            let [low, high] = [Real::INFINITY, Real::NEG_INFINITY];
            let low = x.iter().map(|p| p.y).fold(low, Real::min);
            let high = x.iter().map(|p| p.y).fold(high, Real::max);
            assert!(touched > 0 && high > 0.19, "{mode}: the wedge does not hold it, {high} m");
            assert!(low < 0.15, "{mode}: its sides do not fall, {low} m");
        }
    }

    #[test]
    fn bad_obstacles_filters_and_stitches_are_named() {
        let open = "[[object]]\nname = \"mesh\"\nshape = { kind = \"grid\", rows = 2, columns = 2 }\n";
        for (text, word) in [
            ("[[collider]]\nkind = \"block\"\ncentre = [0, 0, 0]\nhalf-extents = [0, 1, 1]", "collider[0]"),
            (
                "[[collider]]\nkind = \"hull\"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]",
                "collider[0]",
            ),
            ("[[collider]]\nkind = \"half-space\"\npoint = [0, 0, 0]\nnormal = [0, 0, 0]", "normal"),
            (
                "[[collider]]\nkind = \"height-field\"\ncorner = [0, 0, 0]\nspacing = 1\nheights = [[0, 0], [0]]",
                "heights",
            ),
            ("[[collider]]\nkind = \"sphere\"\ncentre = [nan, 0, 0]\nradius = 1", "collider[0]"),
            (
                "[[collider]]\nkind = \"floor\"\nheight = 0\nrotate = { axis = [0, 0, 0], degrees = 3 }",
                "rotate",
            ),
            (
                "[[collider]]\nkind = \"floor\"\nheight = 0\nturn = { axis = [0, 1, 0], keys = [[0, nan]] }",
                "turn",
            ),
            ("[[collider]]\nkind = \"floor\"\nheight = 0\npath = [[nan, 0, 0, 0]]", "path"),
            ("[[collider]]\nkind = \"floor\"\nheight = 0\nvelocity = [nan, 0, 0]", "velocity"),
            ("[contact]\nthickness = 0.08", "thickness"),
            ("[contact]\nthickness = -1", "thickness"),
            ("[[contact.pair]]\nobjects = [\"sheet\", \"shirt\"]", "shirt"),
            ("[[contact.pair]]\nobjects = [\"sheet\"]", "two or more"),
            ("[[stitch]]\nobjects = [\"sheet\", \"shirt\"]\nweight = 1\npairs = [[0, 0]]", "shirt"),
            ("[[stitch]]\nobjects = [\"sheet\", \"sheet\"]\nweight = 1\npairs = [[0, 99]]", "99"),
            ("[[stitch]]\nobjects = [\"sheet\", \"sheet\"]\nweight = 1", "nothing"),
            (&format!("{open}obstacle = {{ as = \"distance\" }}"), "mesh"),
            (
                &format!("{open}obstacle = {{ turn = {{ axis = [0, 0, 0], keys = [[0, 0]] }} }}"),
                "obstacle.turn",
            ),
            (&format!("{open}obstacle = {{}}\nedge = {{ weight = 1 }}"), "edge"),
            (&format!("{open}obstacle = {{ frames = [[1.0, \"none.obj\"]] }}"), "none.obj"),
        ] {
            // Tables of the whole scene stand before the first object.
            let whole = text.starts_with("[contact]");
            let text = if whole {
                SHEET.replacen("[[object]]", &format!("{text}\n[[object]]"), 1)
            } else {
                format!("{SHEET}{text}\n")
            };
            let error = parse(&text).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn an_inward_mesh_is_no_distance_field() {
        let directory = tempfile::tempdir().unwrap();
        let mut ball = pd_mesh::generate::torus(12, 8, 0.2, 0.05).unwrap();
        ball.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        let mut file = std::fs::File::create(directory.path().join("flipped.obj")).unwrap();
        pd_mesh::io::write_obj(&mut file, &pd_mesh::Mesh::Tri(ball)).unwrap();
        let text = format!(
            "{SHEET}[[object]]\nname = \"ring\"\nshape = {{ kind = \"file\", file = \"flipped.obj\" }}\nobstacle = {{ as = \"distance\" }}\n"
        );
        let built = Scene::parse("t.toml", &text, Some(directory.path() as &Path), &ModelPaths::default());
        let error = built.map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("ring") && error.contains("outwards"), "{error}");
    }

    /// A mesh that turns under a sheet, as a surface and as a distance field.
    #[test]
    fn a_mesh_is_an_obstacle_in_either_way() {
        for kind in ["surface", "distance"] {
            let text = format!(
                "{SHEET}[[object]]\nname = \"ring\"\nshape = {{ kind = \"torus\", sectors = 24, stacks = 12, major-radius = 0.2, minor-radius = 0.08 }}\n\
                 translate = [0, 0.05, 0]\nfriction = 0.9\nobstacle = {{ as = \"{kind}\", turn = {{ axis = [0, 1, 0], keys = [[0, 0], [1, 360]] }} }}\n"
            );
            let mut run = SceneRun::new(parse(&text).unwrap(), &Registry::standard()).unwrap();
            for _ in 0..24 {
                run.advance().unwrap();
            }
            let [sheet, ring] = [0, 1].map(|k| run.scene.objects[k].range());
            let x = &run.sim.state.x;
            let least = x[sheet].iter().map(|p| p.y).fold(Real::INFINITY, Real::min);
            assert!(least > -0.2, "{kind}: the sheet fell through to {least} m");
            let (from, to) = (run.scene.rest()[ring.start], x[ring.start]);
            let angle = from.xz().angle(&to.xz()).to_degrees();
            assert!((angle - 144.0).abs() < 1e-6, "{kind}: {angle}");
        }
    }

    #[test]
    fn stitches_join_and_filters_let_pass() {
        let two = "[[object]]\nname = \"other\"\nshape = { kind = \"grid\", rows = 6, columns = 6, width = 0.6, depth = 0.6 }\n\
                   translate = [0, 0.3, 0]\nmass = { total = 0.1 }\nedge = { weight = 100 }\n";
        let stitch = "[[stitch]]\nobjects = [\"sheet\", \"other\"]\nweight = 500\nwithin = 0.06\n";
        let scene = parse(&format!("{SHEET}{two}{stitch}")).unwrap();
        assert_eq!(scene.model(0.0).unwrap().batches().last().unwrap().stencil().elements(), 49);
        let pass = "[[contact.pair]]\nobjects = [\"sheet\", \"other\"]\ntouch = false\n";
        let scene = parse(&format!("{SHEET}{two}{pass}")).unwrap();
        assert!(!scene.model(0.0).unwrap().surface().may_touch(0, 1));
        let rough = "[[contact.pair]]\nobjects = [\"sheet\", \"other\"]\nfriction = 0.9\nthickness = 0.01\n";
        let model = parse(&format!("{SHEET}{two}{rough}")).unwrap().model(0.0).unwrap();
        let pair = model.surface().pair(1, 0).unwrap();
        assert_eq!((pair.thickness, pair.material.kinetic_friction), (Some(0.01), 0.9));
    }

    #[test]
    fn other_steppers_fall_back_where_the_scene_names_no_contact() {
        let block = "[[collider]]\nkind = \"block\"\ncentre = [0, 0, 0]\nhalf-extents = [0.1, 0.1, 0.1]\n";
        let scene = parse(&format!("{SHEET}{block}")).unwrap();
        assert_eq!((scene.vertices(), scene.colliders().unwrap().len()), (49 + 8, 0));
        let stepper = Registry::standard().stepper("newton", "cholesky").unwrap();
        let mut run = SceneRun::with_stepper(scene, stepper).unwrap();
        assert_eq!((run.scene.vertices(), run.sim.colliders.len()), (49, 1));
        run.advance().unwrap();
        let guarded = format!("contact = \"guard\"\n{SHEET}{block}");
        let stepper = Registry::standard().stepper("newton", "cholesky").unwrap();
        let mut run = SceneRun::with_stepper(parse(&guarded).unwrap(), stepper).unwrap();
        let refused = run.advance().unwrap_err().to_string();
        assert!(refused.contains("newton") && refused.contains("project"), "{refused}");
    }
}
