//! What of a scene lies in obstacles.

use super::desc::StartDesc;
use super::obstacles::{collider, mesh_collider};
use super::{Object, Scene};
use crate::SceneError;
use pd_collide::contact::{ContactSurface, Immersion, immersions};
use pd_core::{Collider, Real, Vec3};
use pd_mesh::Mesh;

/// A body that lies in an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Immersed {
    /// Name of the object.
    pub object: String,
    /// The obstacle: `collider[2]`, or the name of an object.
    pub obstacle: String,
    /// How many of its vertices, and triangles with all corners outside, lie in the obstacle.
    pub places: usize,
    /// The deepest vertex, in the object's numbers, or the nearest corner of the deepest triangle.
    pub vertex: usize,
    /// Where that is deepest, m.
    pub place: Vec3,
    /// How deep, m.
    pub depth: Real,
}

/// An obstacle with its name.
type Named = (String, Box<dyn Collider>);

impl std::fmt::Display for Immersed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { object, obstacle, places, vertex, place, depth } = self;
        let (x, y, z) = (place.x, place.y, place.z);
        write!(
            f,
            "{object:?} lies in {obstacle} at {places} places, deepest by {depth:.3e} m at ({x:.4}, {y:.4}, {z:.4}), vertex {vertex}"
        )
    }
}

impl Scene {
    /// Bodies that lie in obstacles at positions `x` of all vertices and a time, s; each pair once.
    pub fn immersions(&self, x: &[Vec3], time: Real) -> Result<Vec<Immersed>, SceneError> {
        let vertices = self.masses.len().min(x.len());
        let surface = ContactSurface::from_parts(vertices, &self.surface(&self.rest())?)
            .map_err(|error| self.error("contact", error))?;
        let (names, shapes): (Vec<String>, Vec<_>) = self.solid_obstacles()?.into_iter().unzip();
        let mut found: Vec<Immersed> = vec![];
        immersions(
            &surface,
            &shapes,
            time,
            &x[..vertices],
            |Immersion { obstacle, vertex, place, depth }| {
                let Some(k) = self.objects.iter().position(|object| object.range().contains(&vertex)) else {
                    return;
                };
                if self.desc.objects[k].obstacle.is_some() {
                    return;
                }
                let (object, obstacle) = (&self.objects[k], &names[obstacle]);
                let vertex = vertex - object.range().start;
                match found.iter_mut().find(|f| f.object == object.name && f.obstacle == *obstacle) {
                    Some(known) => {
                        known.places += 1;
                        if depth > known.depth {
                            (known.vertex, known.place, known.depth) = (vertex, place, depth);
                        }
                    }
                    None => {
                        let (object, obstacle) = (object.name.clone(), obstacle.clone());
                        found.push(Immersed { object, obstacle, places: 1, vertex, place, depth });
                    }
                }
            },
        );
        Ok(found)
    }

    /// Objects that may touch, with vertices that no element names: nothing holds these, and they fall through everything. Names and how
    /// many.
    pub fn loose_vertices(&self) -> Vec<(String, usize)> {
        if !self.desc.contact_mode().keeps_apart() {
            return vec![];
        }
        let loose = |object: &Object| {
            let mut used = vec![false; object.mesh.positions().len()];
            match &object.mesh {
                Mesh::Tri(mesh) => mesh.triangles.iter().flatten().for_each(|&v| used[v as usize] = true),
                Mesh::Tet(mesh) => mesh.tets.iter().flatten().for_each(|&v| used[v as usize] = true),
            }
            used.iter().filter(|used| !**used).count()
        };
        let counted = self.objects.iter().map(|object| (object.name.clone(), loose(object)));
        counted.filter(|(_, count)| *count > 0).collect()
    }

    /// Whether nothing may begin in an obstacle, and obstacles whose triangles belong to the model could have swallowed something: the stepper
    /// looks only whether triangles cross.
    pub(super) fn may_swallow(&self) -> bool {
        self.desc.contact.start == StartDesc::Refuse && !self.walls.is_empty()
    }

    /// The error of bodies that lie in obstacles.
    pub(super) fn refuse_immersed(&self, x: &[Vec3], time: Real) -> Result<(), SceneError> {
        match self.immersed_in_words(x, time)? {
            Some(what) => Err(self.error("contact", what)),
            None => Ok(()),
        }
    }

    /// Bodies that lie in obstacles, in words; `None` if there are none.
    pub(super) fn immersed_in_words(&self, x: &[Vec3], time: Real) -> Result<Option<String>, SceneError> {
        let found = self.immersions(x, time)?;
        let more = match found.len() {
            0 | 1 => String::new(),
            count => format!(" (and {} more pairs of bodies and obstacles)", count - 1),
        };
        Ok(found.first().map(|first| format!("{first}{more}")))
    }

    /// Obstacles with an inside, whether their triangles belong to the model or not, with their names.
    fn solid_obstacles(&self) -> Result<Vec<Named>, SceneError> {
        let mut obstacles = vec![];
        for (k, desc) in self.desc.colliders.iter().enumerate() {
            let wrong = |(key, what)| self.error(format!("collider[{k}]{key}"), what);
            obstacles.push((format!("collider[{k}]"), collider(desc, false).map_err(wrong)?));
        }
        for (k, object) in self.objects.iter().enumerate() {
            if let Some(field) = mesh_collider(self, k, self.desc.contact_mode())? {
                obstacles.push((format!("{:?}", object.name), field));
            }
        }
        Ok(obstacles)
    }
}
