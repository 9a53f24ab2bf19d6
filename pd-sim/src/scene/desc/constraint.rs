//! Masses, constraints and pins of a body.

use super::shape::one;
use serde::{Deserialize, Serialize};

/// How heavy a body is. At most one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MassDesc {
    /// Mass of every vertex, kg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_vertex: Option<f64>,
    /// Mass of the whole body, shared evenly, kg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// kg/m³ for solids, kg/m² for surfaces, lumped to vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
}

/// A constraint that has a weight only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WeightDesc {
    /// Weight ω.
    pub weight: f64,
}

/// Bending.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BendingDesc {
    /// Weight ω.
    pub weight: f64,
    /// Laplacian weights.
    #[serde(default)]
    pub laplacian: LaplacianDesc,
}

/// Laplacian weights of bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaplacianDesc {
    /// The thesis' mean-value weights.
    #[default]
    MeanValue,
    /// Cotangent weights with Voronoi areas: independent of resolution.
    CotanVoronoi,
}

/// A strain constraint with the range singular values (or area, or volume ratios) may take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StrainDesc {
    /// Weight ω, multiplied by the rest area or volume of each element.
    pub weight: f64,
    /// Smallest allowed value.
    #[serde(default = "one")]
    pub min: f64,
    /// Largest allowed value.
    #[serde(default = "one")]
    pub max: f64,
}

/// Physical constants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MaterialDesc {
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson ratio.
    pub poisson: f64,
    /// kg/m³.
    pub density: f64,
    /// Thickness of a surface, m; needed for surfaces, refused for solids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
}

/// A group of pins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PinDesc {
    /// Which vertices of the object.
    pub select: SelectDesc,
    /// Weight ω, N/m.
    pub weight: f64,
    /// Time at which the pins let go, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<f64>,
    /// Path the targets follow: `[time, dx, dy, dz]`, linear in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<[f64; 4]>,
    /// Where the vertices are held, m: one point for each selected vertex in ascending order. Default: where they are at rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<[f64; 3]>,
}

/// Vertices of an object: the union of what is given, at least one key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SelectDesc {
    /// By number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<u32>,
    /// Numbers `first`, `first + step`, … below `end`: `[first, end, step]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<[u32; 3]>,
    /// All within the box `[[min x, y, z], [max x, y, z]]`, in the scene's coordinates, borders included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<[[f64; 3]; 2]>,
    /// Numbers in a text file, one per line, found like a mesh file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// All vertices of a group of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

impl SelectDesc {
    /// These vertices by number.
    pub fn of(vertices: Vec<u32>) -> Self {
        Self { vertices, ..Self::default() }
    }
}
