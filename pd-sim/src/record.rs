//! A run of a scene as a [`Film`]: bodies with their names and colours, obstacles with their paths.

use crate::scene::desc::{ColliderDesc, ColliderShapeDesc};
use crate::scene::{Object, Scene};
use pd_core::{State, Vec3};
use pd_mesh::film::{Film, Part, Pose, Rigid, Shape};
use pd_mesh::tetrahedralize::Skin;
use pd_mesh::{Mesh, TriMesh};

/// Default colours of bodies, sRGB.
const PALETTE: [[f64; 3]; 6] = [
    [0.82, 0.30, 0.26],
    [0.24, 0.48, 0.76],
    [0.91, 0.63, 0.24],
    [0.30, 0.62, 0.40],
    [0.58, 0.40, 0.72],
    [0.22, 0.64, 0.67],
];
const OBSTACLE: [f64; 3] = [0.72, 0.71, 0.68];
const FLOOR: [f64; 3] = [0.80, 0.81, 0.83];

/// Records states of a run as a film. The first recorded state is frame 0.
///
/// ```
/// use pd_sim::{ModelPaths, Recorder, Registry, scene::{Scene, SceneRun}};
/// let mut run = SceneRun::new(Scene::load("bar", &ModelPaths::default())?, &Registry::standard())?;
/// let mut recorder = Recorder::new(&run.scene, true, false);
/// recorder.push(&run.scene, &run.sim.state);
/// run.advance()?;
/// recorder.push(&run.scene, &run.sim.state);
/// let film = recorder.finish(&run.scene);
/// assert_eq!((film.frames.len(), film.vertices()), (2, 208));
/// let mut page = Vec::new();
/// pd_mesh::film::write_html(&mut page, &film)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorder {
    film: Film,
    skins: bool,
    velocities: bool,
    /// Poses of the rigid bodies in every frame.
    bodies: Vec<Vec<Pose>>,
    /// Rigid bodies that are recorded as vertices: number and vertices in the principal frame.
    vertices: Vec<(usize, Vec<Vec3>)>,
}

impl Recorder {
    /// Starts a film. With `skins`, a body made by `tetrahedralize` is recorded as its original surface, otherwise as
    /// the simulated one. With `velocities`, these are recorded too.
    pub fn new(scene: &Scene, skins: bool, velocities: bool) -> Self {
        let mut film = Film::new(format!("{}: {}", scene.name, scene.desc.title));
        let mut first = 0;
        for (k, object) in scene.objects.iter().enumerate() {
            let skin = skin(object, skins);
            let count = skin.map_or(object.mesh.positions().len(), |skin| skin.embeddings.len()) as u32;
            let triangles = skin.map_or(&object.surface, |skin| &skin.triangles).clone();
            let tets = match (&object.mesh, skin) {
                (Mesh::Tet(solid), None) => solid.tets.clone(),
                _ => vec![],
            };
            let (name, colour) = (object.name.clone(), colour(scene, &object.name, k));
            film.parts.push(Part {
                name,
                colour,
                vertices: first..first + count,
                triangles,
                tets,
                radius: 0.0,
            });
            first += count;
        }
        for (k, cloud) in scene.matter.clouds(&scene.desc).into_iter().enumerate() {
            let vertices = first..first + cloud.points.len() as u32;
            first = vertices.end;
            let (triangles, tets) = (vec![], vec![]);
            let colour = colour(scene, &cloud.name, k + scene.objects.len());
            film.parts.push(Part {
                name: cloud.name,
                colour,
                vertices,
                triangles,
                tets,
                radius: cloud.radius,
            });
        }
        Self { film, skins, velocities, bodies: vec![], vertices: vec![] }
    }

    /// Records rigid bodies by their vertices instead of their poses, for formats without parts that move as a whole. Call it
    /// before the first [`push`](Self::push).
    pub fn with_bodies_as_vertices(mut self, scene: &Scene) -> Self {
        let mut first = self.film.parts.last().map_or(0, |part| part.vertices.end);
        for (body, (name, mesh)) in scene.matter.body_meshes().into_iter().enumerate() {
            if mesh.triangles.is_empty() {
                continue;
            }
            let vertices = first..first + mesh.positions.len() as u32;
            first = vertices.end;
            let (colour, triangles) = (colour(scene, &name, body), mesh.triangles);
            self.film.parts.push(Part { name, colour, vertices, triangles, tets: vec![], radius: 0.0 });
            self.vertices.push((body, mesh.positions));
        }
        self
    }

    /// Takes a state.
    pub fn push(&mut self, scene: &Scene, state: &State) {
        let mut positions = carried(scene, &state.x, self.skins);
        let simulated = positions.len();
        for (body, local) in &self.vertices {
            positions.extend(local.iter().map(|p| state.bodies.world(*body, p)));
        }
        if self.velocities {
            // Skins carry velocities as they carry positions.
            let mut velocities = carried(scene, &state.v, self.skins);
            let bodies = self.vertices.iter().flat_map(|(body, local)| local.iter().map(move |_| *body));
            let moved = positions[simulated..].iter().zip(bodies);
            velocities.extend(moved.map(|(p, body)| state.bodies.velocity_at(body, p)));
            self.film.velocities.push(velocities);
        }
        self.film.push(state.time, positions);
        let pose = |(p, q): (&Vec3, &_)| Pose { position: *p, rotation: *q };
        self.bodies.push(state.bodies.p.iter().zip(&state.bodies.q).map(pose).collect());
    }

    /// The frames recorded so far, without obstacles.
    pub fn film(&self) -> &Film {
        &self.film
    }

    /// Removes the frames recorded so far, for formats with one file per frame.
    pub fn take_frame(&mut self) -> Film {
        self.bodies.clear();
        let (times, frames) = (std::mem::take(&mut self.film.times), std::mem::take(&mut self.film.frames));
        let velocities = std::mem::take(&mut self.film.velocities);
        Film { times, frames, velocities, ..self.film.clone() }
    }

    /// The film, with obstacles where they were in every frame.
    pub fn finish(mut self, scene: &Scene) -> Film {
        let extent = extent(&self.film);
        for (k, desc) in scene.desc.colliders.iter().enumerate() {
            if let Some(obstacle) = obstacle(k, desc, &self.film.times, extent) {
                self.film.rigid.push(obstacle);
            }
        }
        let bodies = if self.vertices.is_empty() { scene.matter.body_meshes() } else { vec![] };
        for (body, (name, mesh)) in bodies.into_iter().enumerate() {
            let poses = self.bodies.iter().filter_map(|frame| frame.get(body).copied()).collect();
            let colour = colour(scene, &name, body);
            self.film.rigid.push(Rigid { name, colour, shape: Shape::Mesh(mesh), poses, obstacle: false });
        }
        self.film
    }
}

/// What the scene says of the part called `name`, or the palette's colour of the `k`-th.
fn colour(scene: &Scene, name: &str, k: usize) -> [f64; 3] {
    scene.desc.display_of(name).colour.unwrap_or(PALETTE[k % PALETTE.len()])
}

fn skin(object: &Object, wanted: bool) -> Option<&Skin> {
    object.skin.as_ref().filter(|_| wanted)
}

/// Positions or velocities of what is shown, from those of the simulation.
fn carried(scene: &Scene, simulated: &[Vec3], skins: bool) -> Vec<Vec3> {
    let mut carried = Vec::with_capacity(simulated.len());
    for object in &scene.objects {
        let own = &simulated[object.range()];
        match skin(object, skins) {
            Some(skin) => carried.extend(skin.positions(own)),
            None => carried.extend_from_slice(own),
        }
    }
    // Particles and material points follow.
    let points = scene.matter.points();
    carried.extend_from_slice(&simulated[simulated.len() - points..]);
    carried
}

/// Middle of the first frame, and half the diagonal of the box around it, m.
fn extent(film: &Film) -> (Vec3, f64) {
    let frame = film.frames.first().map_or(&[][..], Vec::as_slice);
    let Some(&start) = frame.first() else { return (Vec3::zeros(), 1.0) };
    let (low, high) = frame.iter().fold((start, start), |(low, high), x| (low.inf(x), high.sup(x)));
    ((low + high) / 2.0, ((high - low).norm() / 2.0).max(1e-3))
}

/// An obstacle over the times of a film; nothing if it is hidden.
fn obstacle(k: usize, desc: &ColliderDesc, times: &[f64], (middle, extent): (Vec3, f64)) -> Option<Rigid> {
    if desc.display.hidden {
        return None;
    }
    let mut centre = Vec3::from(desc.centre());
    let shape = match desc.shape {
        _ if desc.rotate.is_some() => offered(&centre, desc),
        ColliderShapeDesc::Floor { .. } => {
            // A floor is infinite; the part below the bodies is drawn.
            centre += Vec3::new(middle.x, 0.0, middle.z);
            Shape::Floor(12.0 * extent)
        }
        ColliderShapeDesc::Sphere { radius, .. } => Shape::Sphere(radius),
        ColliderShapeDesc::Block { half_extents, .. } => Shape::Block(half_extents.into()),
        ColliderShapeDesc::Torus { major_radius, minor_radius, .. } => {
            Shape::Torus(major_radius, minor_radius)
        }
        _ => offered(&centre, desc),
    };
    let still = desc.path.is_empty() && desc.turn.is_none() && desc.velocity.is_none();
    let pose = |&time: &f64| {
        let moved = desc.pose(time);
        Pose {
            position: moved * nalgebra::Point3::from(centre) - nalgebra::Point3::origin(),
            rotation: moved.rotation,
        }
    };
    let poses = if still { vec![Pose::at(centre)] } else { times.iter().map(pose).collect() };
    let default = if matches!(shape, Shape::Floor(_)) { FLOOR } else { OBSTACLE };
    let name = desc.name.clone().unwrap_or_else(|| format!("{}_{k}", desc.kind()));
    Some(Rigid { name, colour: desc.display.colour.unwrap_or(default), shape, poses, obstacle: true })
}

/// The surface of an obstacle about its centre; `None` for an invalid one, which the scene has already reported.
fn offered(centre: &Vec3, desc: &ColliderDesc) -> Shape {
    let mut mesh = desc.mesh().unwrap_or_else(|| TriMesh { positions: vec![], triangles: vec![] });
    mesh.positions.iter_mut().for_each(|p| *p -= centre);
    Shape::Mesh(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModelPaths, Registry, scene::SceneRun};

    #[test]
    fn a_film_has_the_bodies_and_obstacles_of_its_scene_and_they_move() {
        let text = "title = \"t\"\n[[object]]\nname = \"sheet\"\nshape = { kind = \"grid\", rows = 3, columns = 3 }\n\
            edge = { weight = 10 }\ndisplay = { colour = [0.1, 0.2, 0.3] }\n\
            [[collider]]\nkind = \"sphere\"\ncentre = [0, -1, 0]\nradius = 0.5\npath = [[0, 0, 0, 0], [1, 6, 0, 0]]\n\
            [[collider]]\nkind = \"floor\"\nheight = -2\n\
            [[collider]]\nkind = \"block\"\ncentre = [9, 9, 9]\nhalf-extents = [1, 1, 1]\ndisplay = { hidden = true }\n";
        let scene = Scene::parse("t.toml", text, None, &ModelPaths::default()).unwrap();
        let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
        let mut recorder = Recorder::new(&run.scene, true, true);
        recorder.push(&run.scene, &run.sim.state);
        for _ in 0..10 {
            run.advance().unwrap();
            recorder.push(&run.scene, &run.sim.state);
        }
        let film = recorder.finish(&run.scene);
        film.check().unwrap();
        assert_eq!(
            (film.frames.len(), film.velocities.len(), film.parts.len(), film.rigid.len()),
            (11, 11, 1, 2)
        );
        assert_eq!((film.parts[0].name.as_str(), film.parts[0].colour), ("sheet", [0.1, 0.2, 0.3]));
        assert_eq!(film.frames[10], run.sim.state.x[..16], "the hidden block is no part of the film");
        assert_eq!(film.velocities[10], run.sim.state.v[..16]);
        let sphere = &film.rigid[0];
        assert!(
            (sphere.pose(10).position - Vec3::new(1.0, -1.0, 0.0)).norm() < 1e-9,
            "{:?}",
            sphere.pose(10)
        );
        assert_eq!((film.rigid[1].poses.len(), film.rigid[1].pose(5).position.y), (1, -2.0));
        assert!((film.rate() - 60.0).abs() < 1e-12);
    }
}
