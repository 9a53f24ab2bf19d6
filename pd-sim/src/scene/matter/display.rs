//! Display meshes of rigid bodies and particles: a mesh per body or set, and its vertices at a state.

use super::Matter;
use crate::scene::desc::SceneDesc;
use pd_core::{Real, State, Vec3};
use pd_mesh::{TriMesh, generate};
use pd_particles::{ParticleModel, ParticleSet, Skin};
use pd_rigid::Shape;
use std::sync::Arc;

/// Display mesh of one body or one set of particles.
#[derive(Clone, Debug, PartialEq)]
pub struct DisplayMesh {
    /// Name of the body or set.
    pub name: String,
    /// Number of its description in the scene, among those of its kind.
    pub source: usize,
    /// Vertices of each triangle, counted from the first vertex of this mesh.
    pub triangles: Vec<[u32; 3]>,
    /// Number of vertices.
    pub vertices: usize,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Vertices in the principal frame of a rigid body.
    Body { body: usize, local: Vec<Vec3> },
    /// Points that are the vertices.
    Vertices { points: std::ops::Range<usize> },
    /// Meshes that bodies of particles carry, one after the other.
    Skins { model: Arc<ParticleModel>, skins: std::ops::Range<usize> },
    /// The same small ball about each of these points.
    Points { points: std::ops::Range<usize>, ball: Vec<Vec3> },
}

impl DisplayMesh {
    /// The rigid body it shows; nothing for particles.
    pub fn body(&self) -> Option<usize> {
        match self.kind {
            Kind::Body { body, .. } => Some(body),
            Kind::Vertices { .. } | Kind::Skins { .. } | Kind::Points { .. } => None,
        }
    }

    /// Appends the vertices at this state, m.
    pub fn place(&self, state: &State, out: &mut Vec<Vec3>) {
        match &self.kind {
            Kind::Body { body, local } => {
                out.extend(local.iter().map(|p| state.bodies.world(*body, p)));
            }
            Kind::Vertices { points } => out.extend_from_slice(&state.x[points.clone()]),
            Kind::Skins { model, skins } => {
                model.skins()[skins.clone()].iter().for_each(|skin| skin.place(model, &state.x, out));
            }
            Kind::Points { points, ball } => {
                out.extend(state.x[points.clone()].iter().flat_map(|x| ball.iter().map(move |p| x + p)));
            }
        }
    }
}

impl Matter {
    /// Display meshes; none for deformable bodies, which are drawn directly.
    pub fn display(&self, desc: &SceneDesc) -> Vec<DisplayMesh> {
        if let Self::Particles(model) = self {
            let sets = model.sets().iter().enumerate();
            let shown = sets.map(|(k, set)| {
                let skinned = skins(model, k, set);
                let cloth = || vertices(k, set);
                let balls = || points(&set.name, k, set.range.clone(), set.radius);
                skinned.or_else(cloth).unwrap_or_else(balls)
            });
            return shown.collect();
        }
        let mut meshes = self.display_bodies();
        let clouds = self.clouds(desc).into_iter().enumerate();
        meshes.extend(clouds.map(|(k, cloud)| points(&cloud.name, k, cloud.points, cloud.radius)));
        meshes
    }

    fn display_bodies(&self) -> Vec<DisplayMesh> {
        match self.rigid() {
            None => vec![],
            Some(rigid) => {
                let shown = self
                    .body_meshes()
                    .into_iter()
                    .enumerate()
                    .filter(|(_, (_, mesh))| !mesh.triangles.is_empty());
                shown
                    .map(|(body, (name, mesh))| DisplayMesh {
                        name,
                        source: rigid.source[body],
                        triangles: mesh.triangles,
                        vertices: mesh.positions.len(),
                        kind: Kind::Body { body, local: mesh.positions },
                    })
                    .collect()
            }
        }
    }
}

/// A set of points that are drawn as balls.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    /// Name of the set.
    pub name: String,
    /// Its points in the state.
    pub points: std::ops::Range<usize>,
    /// Radius of each, m.
    pub radius: Real,
}

impl Matter {
    /// Sets of particles or material points.
    pub fn clouds(&self, desc: &SceneDesc) -> Vec<Cloud> {
        match self {
            Self::Elastic | Self::Rigid(_) => vec![],
            Self::Particles(model) => particle_clouds(model, 0),
            Self::Grid(grid) => grid_clouds(grid, desc, 0),
            Self::Mixed(mixed) => {
                let particles = mixed.particles.as_ref();
                let mut clouds = particles.map_or(vec![], |model| particle_clouds(model, mixed.elastic));
                if let Some(grid) = &mixed.grid {
                    clouds.extend(grid_clouds(grid, desc, mixed.first_material()));
                }
                clouds
            }
        }
    }

    /// The rigid bodies, if there are some.
    pub fn rigid(&self) -> Option<&super::RigidMatter> {
        match self {
            Self::Rigid(rigid) => Some(rigid),
            Self::Mixed(mixed) => mixed.rigid.as_ref(),
            _ => None,
        }
    }

    /// Name and triangles of every rigid body, in its principal frame; the ground has no triangles.
    pub fn body_meshes(&self) -> Vec<(String, TriMesh)> {
        let Some(rigid) = self.rigid() else { return vec![] };
        let empty = |name: &String| (name.clone(), TriMesh { positions: vec![], triangles: vec![] });
        let mut meshes: Vec<(String, TriMesh)> = rigid.names.iter().map(empty).collect();
        for part in rigid.model.parts() {
            let mesh = &mut meshes[part.body as usize].1;
            let Some(shape) = shape_mesh(&part.shape) else { continue };
            let first = mesh.positions.len() as u32;
            mesh.triangles.extend(shape.triangles.iter().map(|t| t.map(|v| v + first)));
            mesh.positions
                .extend(shape.positions.iter().map(|p| (part.pose * nalgebra::Point3::from(*p)).coords));
        }
        meshes
    }
}

/// The meshes that the bodies of a set carry; `None` if they carry none.
fn skins(model: &Arc<ParticleModel>, source: usize, set: &ParticleSet) -> Option<DisplayMesh> {
    let inside = |skin: &Skin| set.range.contains(&model.bodies()[skin.body()].range.start);
    let first = model.skins().iter().position(inside)?;
    let skins = first..first + model.skins()[first..].iter().take_while(|skin| inside(skin)).count();
    let (mut triangles, mut vertices) = (vec![], 0);
    for skin in &model.skins()[skins.clone()] {
        triangles.extend(skin.triangles().iter().map(|t| t.map(|v| v + vertices as u32)));
        vertices += skin.len();
    }
    let kind = Kind::Skins { model: model.clone(), skins };
    Some(DisplayMesh { name: set.name.clone(), source, triangles, vertices, kind })
}

/// A cloth or an inflatable; `None` for other sets.
fn vertices(source: usize, set: &ParticleSet) -> Option<DisplayMesh> {
    (!set.triangles.is_empty()).then(|| DisplayMesh {
        name: set.name.clone(),
        source,
        triangles: set.triangles.clone(),
        vertices: set.range.len(),
        kind: Kind::Vertices { points: set.range.clone() },
    })
}

fn particle_clouds(model: &pd_particles::ParticleModel, first: usize) -> Vec<Cloud> {
    let cloud = |set: &pd_particles::ParticleSet| Cloud {
        name: set.name.clone(),
        points: set.range.start + first..set.range.end + first,
        radius: set.radius,
    };
    model.sets().iter().map(cloud).collect()
}

fn grid_clouds(grid: &super::GridMatter, desc: &SceneDesc, first: usize) -> Vec<Cloud> {
    let named = grid.model.materials().iter().zip(&desc.fluids);
    let cloud = |(material, fluid): (&pd_mpm::Material, &crate::scene::desc::FluidDesc)| Cloud {
        name: fluid.name.clone(),
        points: material.points.start + first..material.points.end + first,
        radius: grid.radius,
    };
    named.map(cloud).collect()
}

fn points(name: &str, source: usize, points: std::ops::Range<usize>, radius: Real) -> DisplayMesh {
    let (ball, faces) = icosahedron(radius);
    let count = points.len() as u32;
    let triangles = (0..count).flat_map(|k| faces.iter().map(move |t| t.map(|v| v + 12 * k))).collect();
    DisplayMesh {
        name: name.to_owned(),
        source,
        triangles,
        vertices: 12 * points.len(),
        kind: Kind::Points { points, ball },
    }
}

/// Vertices at distance `radius` from the origin, and twenty triangles.
fn icosahedron(radius: Real) -> (Vec<Vec3>, [[u32; 3]; 20]) {
    let g = 0.5 * (1.0 + Real::sqrt(5.0));
    let corners = [
        [-1.0, g, 0.0],
        [1.0, g, 0.0],
        [-1.0, -g, 0.0],
        [1.0, -g, 0.0],
        [0.0, -1.0, g],
        [0.0, 1.0, g],
        [0.0, -1.0, -g],
        [0.0, 1.0, -g],
        [g, 0.0, -1.0],
        [g, 0.0, 1.0],
        [-g, 0.0, -1.0],
        [-g, 0.0, 1.0],
    ];
    let ball = corners.map(|c| Vec3::from(c).normalize() * radius).to_vec();
    let faces = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    (ball, faces)
}

/// The same with vertices of its own for every triangle, so that edges are drawn sharp.
fn flat(mesh: &TriMesh) -> TriMesh {
    let corners = mesh.triangles.iter().flatten();
    let positions: Vec<Vec3> = corners.map(|&v| mesh.positions[v as usize]).collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    TriMesh { positions, triangles }
}

/// Triangles of a shape in its own frame.
fn shape_mesh(shape: &Shape) -> Option<TriMesh> {
    match shape {
        Shape::Sphere { radius } => generate::sphere(24, 12, *radius).ok(),
        Shape::Capsule { half, radius } => {
            let mut mesh = generate::sphere(24, 12, *radius).ok()?;
            for p in &mut mesh.positions {
                p.y += half * if p.y >= 0.0 { 1.0 } else { -1.0 };
            }
            Some(mesh)
        }
        Shape::HalfSpace => None, // drawn as the floor is
        Shape::Cylinder { .. } | Shape::Triangle(_) => {
            let (positions, triangles) = shape.surface(32);
            Some(flat(&TriMesh { positions, triangles }))
        }
        other => {
            let solid = other.polyhedron()?;
            let mut mesh = TriMesh::default();
            // A vertex per corner of each face, so that edges are drawn sharp.
            for face in solid.faces() {
                let first = mesh.positions.len() as u32;
                mesh.positions.extend(face.corners.iter().map(|&v| solid.vertices()[v as usize]));
                mesh.triangles
                    .extend((2..face.corners.len() as u32).map(|k| [first, first + k - 1, first + k]));
            }
            Some(mesh)
        }
    }
}
