//! Masses, constraints and pins of a body.

use super::shape::one;
use pd_constraints::Fabric;
use serde::{Deserialize, Serialize};

/// Mass of a body. At most one key.
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

/// Springs: Hooke's law, or with options that reduce locking.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SpringDesc {
    /// Stiffness ω, N/m.
    pub weight: f64,
    /// Stiffness under compression over that under tension, from 0 to 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub compression: f64,
    /// Relative change of length without energy, from 0 to below 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dead_zone: f64,
    /// Only every n-th edge has a spring.
    #[serde(default = "every", skip_serializing_if = "is_every")]
    pub every: usize,
}

impl SpringDesc {
    /// Hooke's springs of this stiffness, N/m, on all edges.
    pub fn new(weight: f64) -> Self {
        Self { weight, compression: 1.0, dead_zone: 0.0, every: 1 }
    }
}

/// Bending.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BendingDesc {
    /// Weight ω; the rigidity B, J, for `dihedral` and `isometric`.
    pub weight: f64,
    /// Which bending energy.
    #[serde(default, skip_serializing_if = "is_default")]
    pub model: BendingModelDesc,
    /// Laplacian weights, for the model `laplacian`.
    #[serde(default)]
    pub laplacian: LaplacianDesc,
}

impl BendingDesc {
    /// The thesis' bending of this weight.
    pub fn new(weight: f64) -> Self {
        Self { weight, model: BendingModelDesc::default(), laplacian: LaplacianDesc::default() }
    }
}

/// Which bending energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BendingModelDesc {
    /// The length of the Laplacian at interior vertices, as in the thesis.
    #[default]
    Laplacian,
    /// The angle between the triangles at interior edges (discrete shells); rest angles are kept.
    Dihedral,
    /// Quadratic bending at interior edges of a sheet that is flat at rest.
    Isometric,
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
    /// Thickness of a surface, m; required for surfaces, an error for solids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Elastic law of a solid.
    #[serde(default, skip_serializing_if = "is_default")]
    pub law: ElasticLawDesc,
}

/// Elastic law of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElasticLawDesc {
    /// Strain and volume constraints with the weights of the material: fastest convergence with projective dynamics.
    #[default]
    Projective,
    /// Corotated linear elasticity.
    Corotated,
    /// St. Venant–Kirchhoff.
    StVenantKirchhoff,
    /// Neo-Hookean; elements cannot invert.
    NeoHookean,
    /// Stable Neo-Hookean; inverted elements recover.
    StableNeoHookean,
}

/// Woven cloth: stretch along warp and weft and shear between them, N/m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WovenDesc {
    /// Stiffness along the warp, N/m.
    pub warp: f64,
    /// Stiffness along the weft, N/m.
    pub weft: f64,
    /// Shear stiffness, N/m.
    pub shear: f64,
    /// Direction of the warp, in the axes of the shape before `rotate`. Default: x.
    #[serde(default = "along_x", skip_serializing_if = "is_along_x")]
    pub direction: [f64; 3],
}

/// A fabric with measured constants: mass, woven stretch and shear, bending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FabricDesc {
    /// Cotton shirting.
    Cotton,
    /// Silk.
    Silk,
    /// Denim.
    Denim,
    /// Wool suiting.
    Wool,
    /// Garment leather.
    Leather,
}

impl FabricDesc {
    /// The measured constants.
    pub fn constants(self) -> &'static Fabric {
        match self {
            Self::Cotton => &Fabric::COTTON,
            Self::Silk => &Fabric::SILK,
            Self::Denim => &Fabric::DENIM,
            Self::Wool => &Fabric::WOOL,
            Self::Leather => &Fabric::LEATHER,
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_one(value: &f64) -> bool {
    *value == 1.0
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

fn every() -> usize {
    1
}

fn is_every(value: &usize) -> bool {
    *value == 1
}

fn along_x() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

fn is_along_x(value: &[f64; 3]) -> bool {
    *value == along_x()
}

/// A group of pins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PinDesc {
    /// Which vertices of the object.
    pub select: SelectDesc,
    /// Weight ω, N/m.
    pub weight: f64,
    /// Time at which the pins are released, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<f64>,
    /// Path of the targets: `[time, dx, dy, dz]`, linear in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<[f64; 4]>,
    /// Turn of the targets over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<super::TurnDesc>,
    /// Where the vertices are held, m: one point for each selected vertex in ascending order. Default: where they are at rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<[f64; 3]>,
}

/// Vertices attached to a rigid body where they are at the start; both feel the force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AttachDesc {
    /// Which vertices of the object.
    pub select: SelectDesc,
    /// Name of the body.
    pub body: String,
    /// Force on a vertex at which its attachment breaks, N. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_force: Option<f64>,
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
