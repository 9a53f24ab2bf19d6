//! `[[particles]]` and `[unified]`: grains and bodies made of particles.

use super::{DisplayDesc, RotateDesc};
use serde::{Deserialize, Serialize};

/// A set of equal particles: loose grains, or bodies of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ParticlesDesc {
    /// Name, unique among particle sets.
    pub name: String,
    /// What they are.
    pub kind: ParticleKindDesc,
    /// Particles along x, y and z of the block they start in, or of the body they make.
    pub count: [usize; 3],
    /// Radius, m; particles of a block are twice as far apart.
    pub radius: f64,
    /// Mass of each, kg.
    pub mass: f64,
    /// Coulomb friction at rest; sliding friction is 0.8 of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Rolling resistance of grains; without it they do not spin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling: Option<f64>,
    /// How many particles of a body are kept, the outermost first; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outermost: Option<usize>,
    /// Only the outer layer of a body.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
    /// Centre of the block of grains.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation of the block or body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotateDesc>,
    /// Centres of further bodies, m, turned as the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<[f64; 3]>,
    /// How stiff a deformable body is: 0 as its rigid goal, 1 any linear or quadratic map. Default 0.7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// How they are drawn.
    #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
    pub display: DisplayDesc,
}

/// What particles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParticleKindDesc {
    /// Loose grains.
    Grains,
    /// A rigid body.
    Rigid,
    /// A body that deforms by linear maps.
    Linear,
    /// A body that deforms by quadratic maps.
    Quadratic,
}

/// How particles are solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct UnifiedDesc {
    /// Solver by name.
    pub solver: String,
    /// Substeps of a step, at least.
    pub substeps: usize,
}

impl Default for UnifiedDesc {
    fn default() -> Self {
        Self { solver: "unified-substep".into(), substeps: 8 }
    }
}

impl UnifiedDesc {
    /// Whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
