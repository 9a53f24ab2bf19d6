//! `[[object.group]]`: a named part of a body.

use super::SelectDesc;
use serde::{Deserialize, Serialize};

/// A named part of a body: vertices to pin or push by name, and factors on weights and masses.
///
/// With none of `vertices`, `ranges`, `within`, `file` and `column` the name is that of a group of the mesh file (`g`, `o`
/// and `usemtl` of OBJ, physical names of MSH). Otherwise the group is the union of what these keys name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GroupDesc {
    /// Name, unique in the body.
    pub name: String,
    /// By number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<u32>,
    /// Numbers `first`, `first + step`, … below `end`: `[first, end, step]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<[u32; 3]>,
    /// All within the box `[[min x, y, z], [max x, y, z]]`, in the scene's coordinates, borders included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<[[f64; 3]; 2]>,
    /// Numbers in a text file, found like a mesh file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A column of the mesh file, per vertex or per element: painted colours, selections, references, markers. What has a
    /// value from `min` to `max` belongs to the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Smallest selected value of the column; default: the smallest positive number, so that 0 is "not selected".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest selected value of the column; default: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Factor on the weights of all constraints inside the group, except pins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Young's modulus of the elements of the group, Pa, instead of the material's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
    /// Poisson's ratio of the elements of the group, instead of the material's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Factor on the masses of the vertices of the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
}

impl GroupDesc {
    /// Whether the name is that of a group of the mesh file.
    #[must_use]
    pub fn is_of_the_mesh(&self) -> bool {
        self.select() == SelectDesc::default() && self.column.is_none()
    }

    /// Vertices selected by number, position or file.
    pub(crate) fn select(&self) -> SelectDesc {
        SelectDesc {
            vertices: self.vertices.clone(),
            ranges: self.ranges.clone(),
            within: self.within,
            file: self.file.clone(),
            group: None,
        }
    }
}
