//! Files that a scene names: where they are looked for, and the meshes of shapes.

use super::desc::ShapeDesc;
use crate::{ModelPaths, SceneError};
use pd_mesh::io::{MeshData, read_path_with_columns};
use pd_mesh::{Mesh, generate};
use std::path::Path;

/// The elastic ball of the thesis' size, 530 vertices and 1539 tetrahedra: a generated lat-long sphere, meshed.
const BALL: &[u8] = include_bytes!("../../assets/ball_530v_1539t.mesh");

/// Search directories of the files of a scene.
pub(super) struct Files<'a> {
    pub(super) scene: &'a str,
    pub(super) directory: Option<&'a Path>,
    pub(super) models: &'a ModelPaths,
}

impl Files<'_> {
    pub(super) fn find(&self, file: &str) -> Result<std::path::PathBuf, SceneError> {
        self.models.find(file, self.directory).ok_or_else(|| SceneError::ModelNotPresent {
            file: self.scene.to_owned(),
            wanted: file.to_owned(),
            searched: self.models.describe(),
        })
    }
}

/// The mesh of a shape; `field` names what has it, for errors.
pub(super) fn load_shape(shape: &ShapeDesc, field: &str, files: &Files<'_>) -> Result<MeshData, SceneError> {
    let mesh = match shape {
        &ShapeDesc::Grid { rows, columns, width, depth } => {
            generate::grid(rows, columns, width, depth).map(Mesh::Tri)
        }
        &ShapeDesc::Hemisphere { sectors, stacks, radius } => {
            generate::hemisphere(sectors, stacks, radius).map(Mesh::Tri)
        }
        &ShapeDesc::Sphere { sectors, stacks, radius } => {
            generate::sphere(sectors, stacks, radius).map(Mesh::Tri)
        }
        &ShapeDesc::Cylinder { sectors, stacks, radius, height } => {
            generate::cylinder(sectors, stacks, radius, height).map(Mesh::Tri)
        }
        &ShapeDesc::Cone { sectors, stacks, radius, height } => {
            generate::cone(sectors, stacks, radius, height).map(Mesh::Tri)
        }
        &ShapeDesc::Torus { sectors, stacks, major_radius, minor_radius } => {
            generate::torus(sectors, stacks, major_radius, minor_radius).map(Mesh::Tri)
        }
        &ShapeDesc::Bar { width, height, depth, length } => {
            generate::bar(width, height, depth, length).map(Mesh::Tet)
        }
        &ShapeDesc::Ball { cells, radius } => generate::ball(cells, cells, radius).map(Mesh::Tet),
        &ShapeDesc::Creature { cells, layers } => generate::creature_with_cells(cells, layers).map(Mesh::Tet),
        ShapeDesc::Asset { name } => match name.as_str() {
            "ball" => {
                return pd_mesh::io::read_medit(BALL, "ball asset")
                    .map(MeshData::from)
                    .map_err(|e| SceneError::Mesh(e.to_string()));
            }
            _ => {
                return Err(SceneError::Value {
                    file: files.scene.to_owned(),
                    field: format!("{field}.shape.name"),
                    what: format!("there is no asset {name:?}; the only one is \"ball\""),
                });
            }
        },
        ShapeDesc::File { file } => return load_file(&files.find(file)?),
    };
    mesh.map(MeshData::from).map_err(|error| SceneError::Value {
        file: files.scene.to_owned(),
        field: format!("{field}.shape"),
        what: error.to_string(),
    })
}

/// A mesh file; solids come in both orientations and are made positive.
fn load_file(path: &Path) -> Result<MeshData, SceneError> {
    let mut data = read_path_with_columns(path).map_err(|error| SceneError::Mesh(error.to_string()))?;
    if let Mesh::Tet(solid) = &mut data.mesh {
        solid.orient_positively();
    }
    Ok(data)
}

/// Vertex numbers from a text file, separated by white space; `#` starts a comment.
pub(super) fn read_numbers(path: &Path) -> Result<Vec<u32>, SceneError> {
    let text = std::fs::read_to_string(path).map_err(|error| SceneError::io(path, &error))?;
    let mut numbers = vec![];
    for (line, content) in text.lines().enumerate() {
        for word in content.split('#').next().unwrap_or("").split_whitespace() {
            numbers.push(word.parse().map_err(|_| SceneError::Syntax {
                file: path.display().to_string(),
                line: line + 1,
                column: 1,
                what: format!("{word:?} is not a vertex number"),
            })?);
        }
    }
    Ok(numbers)
}
