//! Shapes of the rigid bodies of a scene.

use crate::SceneError;
use crate::scene::desc::{BodyDesc, BodyShapeDesc, MeshAsDesc, RotateDesc};
use crate::scene::files::Files;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use pd_core::{Real, Vec3};
use pd_mesh::Mesh;
use pd_rigid::{ConvexParts, MeshTriangle, PartDesc, Polyhedron, RigidError, Shape, convex_parts};
use std::sync::Arc;

/// Why a shape could not be created.
pub(super) enum ShapeError {
    /// A value or a mesh is not a valid shape.
    Rigid(RigidError),
    /// A file was not found or not read.
    Scene(SceneError),
    /// Something else, in words.
    Words(String),
}

impl ShapeError {
    /// As the error of a key of the scene.
    pub(super) fn in_field(self, files: &Files<'_>, field: &str) -> SceneError {
        let what = match self {
            Self::Scene(error) => return error,
            Self::Rigid(error) => error.to_string(),
            Self::Words(what) => what,
        };
        SceneError::Value { file: files.scene.to_owned(), field: format!("{field}.shape"), what }
    }
}

impl From<RigidError> for ShapeError {
    fn from(error: RigidError) -> Self {
        Self::Rigid(error)
    }
}

/// The parts of a body.
pub(super) fn parts(body: &BodyDesc, files: &Files<'_>) -> Result<Vec<PartDesc>, ShapeError> {
    let moves = !body.fixed && body.path.is_empty() && body.spin.is_none();
    let mut parts = vec![];
    add(&body.shape, (&Isometry3::identity(), body.density), moves, files, &mut parts)?;
    Ok(parts)
}

fn add(
    shape: &BodyShapeDesc,
    place: (&Isometry3<Real>, Real),
    moves: bool,
    files: &Files<'_>,
    parts: &mut Vec<PartDesc>,
) -> Result<(), ShapeError> {
    let (pose, density) = place;
    let one = match shape {
        BodyShapeDesc::Box { half_extents } => Shape::cuboid((*half_extents).into())?,
        BodyShapeDesc::Sphere { radius } => Shape::sphere(*radius)?,
        BodyShapeDesc::Capsule { half_length, radius } => Shape::capsule(*half_length, *radius)?,
        BodyShapeDesc::Cylinder { half_height, radius } => Shape::cylinder(*half_height, *radius)?,
        BodyShapeDesc::Hull { points } => {
            Shape::hull(&points.iter().map(|&p| p.into()).collect::<Vec<Vec3>>())?
        }
        BodyShapeDesc::Ground => {
            parts.push(PartDesc { pose: *pose, ..PartDesc::new(Shape::HalfSpace, 0.0) });
            return Ok(());
        }
        BodyShapeDesc::None => return Ok(()),
        BodyShapeDesc::Compound { parts: inner } => {
            if inner.is_empty() {
                return Err(ShapeError::Words("a compound needs at least one part".into()));
            }
            for part in inner {
                let own = pose * placed(part.position, part.rotate);
                add(&part.shape, (&own, part.density.unwrap_or(density)), moves, files, parts)?;
            }
            return Ok(());
        }
        BodyShapeDesc::Mesh { file, scale, stand_in } => {
            let how = stand_in.unwrap_or(if moves { MeshAsDesc::Parts } else { MeshAsDesc::Triangles });
            for shape in mesh(file, *scale, how, files)? {
                parts.push(PartDesc { pose: *pose, ..PartDesc::new(shape, density) });
            }
            return Ok(());
        }
    };
    parts.push(PartDesc { pose: *pose, ..PartDesc::new(one, density) });
    Ok(())
}

/// A pose from the keys of a part.
fn placed(position: [f64; 3], rotate: Option<RotateDesc>) -> Isometry3<Real> {
    let turn = |rotate: RotateDesc| {
        let axis = nalgebra::Unit::try_new(Vector3::from(rotate.axis), 0.0)?;
        Some(UnitQuaternion::from_axis_angle(&axis, rotate.degrees.to_radians()))
    };
    let rotation = rotate.and_then(turn).unwrap_or_else(UnitQuaternion::identity);
    Isometry3::from_parts(Translation3::from(Vec3::from(position)), rotation)
}

/// The collision shapes of a mesh.
fn mesh(
    file: &str,
    scale: Option<[f64; 3]>,
    how: MeshAsDesc,
    files: &Files<'_>,
) -> Result<Vec<Shape>, ShapeError> {
    let path = files.find(file).map_err(ShapeError::Scene)?;
    let read = pd_mesh::io::read_path(path).map_err(|error| ShapeError::Words(error.to_string()))?;
    let (mut positions, triangles) = match read {
        Mesh::Tri(mesh) => (mesh.positions, mesh.triangles),
        Mesh::Tet(mesh) => (mesh.positions.clone(), mesh.surface_triangles()),
    };
    if let Some(scale) = scale {
        let scale = Vec3::from(scale);
        positions.iter_mut().for_each(|p| p.component_mul_assign(&scale));
    }
    Ok(match how {
        MeshAsDesc::Triangles => {
            MeshTriangle::of_mesh(&positions, &triangles)?.into_iter().map(Shape::Triangle).collect()
        }
        MeshAsDesc::Hull => vec![Shape::Hull(Arc::new(Polyhedron::simplified_hull(&positions)?.0))],
        MeshAsDesc::Parts => convex_parts(&positions, &triangles, &ConvexParts::default())?,
    })
}
