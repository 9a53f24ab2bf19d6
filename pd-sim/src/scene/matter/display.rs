//! Triangles that show rigid bodies and particles: a mesh per body or set, and its vertices at a state.

use super::Matter;
use crate::scene::desc::SceneDesc;
use pd_core::{Real, State, Vec3};
use pd_mesh::{TriMesh, generate};
use pd_rigid::Shape;

/// What shows one body or one set of particles.
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
    /// The same small ball about each of these points.
    Points { points: std::ops::Range<usize>, ball: Vec<Vec3> },
}

impl DisplayMesh {
    /// Appends the vertices at this state, m.
    pub fn place(&self, state: &State, out: &mut Vec<Vec3>) {
        match &self.kind {
            Kind::Body { body, local } => {
                out.extend(local.iter().map(|p| state.bodies.world(*body, p)));
            }
            Kind::Points { points, ball } => {
                out.extend(state.x[points.clone()].iter().flat_map(|x| ball.iter().map(move |p| x + p)));
            }
        }
    }
}

impl Matter {
    /// Meshes that show the matter; none for deformable bodies, which show themselves.
    pub fn display(&self, desc: &SceneDesc) -> Vec<DisplayMesh> {
        match self {
            Self::Elastic => vec![],
            Self::Rigid(rigid) => {
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
            Self::Particles(_) | Self::Grid(_) => {
                let clouds = self.clouds(desc).into_iter().enumerate();
                clouds.map(|(k, cloud)| points(&cloud.name, k, cloud.points, cloud.radius)).collect()
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
            Self::Particles(model) => {
                let cloud = |set: &pd_particles::ParticleSet| Cloud {
                    name: set.name.clone(),
                    points: set.range.clone(),
                    radius: set.radius,
                };
                model.sets().iter().map(cloud).collect()
            }
            Self::Grid(grid) => {
                let named = grid.model.materials().iter().zip(&desc.fluids);
                named
                    .map(|(material, fluid)| Cloud {
                        name: fluid.name.clone(),
                        points: material.points.clone(),
                        radius: grid.radius,
                    })
                    .collect()
            }
        }
    }

    /// Name and triangles of every rigid body, in its principal frame; the ground has no triangles.
    pub fn body_meshes(&self) -> Vec<(String, TriMesh)> {
        let Self::Rigid(rigid) = self else { return vec![] };
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
