//! `[[particles]]` and `[unified]`: grains, bodies, ropes, cloth and inflatables made of particles.

use super::{DisplayDesc, RotateDesc, ShapeDesc};
use pd_particles::{SubstepSettings, UnifiedSettings};
use serde::{Deserialize, Serialize};

/// A set of equal particles: grains, particle bodies, ropes, cloth or inflatables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ParticlesDesc {
    /// Name, unique among particle sets.
    pub name: String,
    /// What they are.
    pub kind: ParticleKindDesc,
    /// Particles along x, y and z of the block they start in, or of the body they make; omitted if there is a `shape`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub count: [usize; 3],
    /// A mesh: bodies are sampled from it, cloth and inflatables have a particle at each of its vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeDesc>,
    /// How the mesh is prepared and sampled.
    #[serde(default, skip_serializing_if = "SampleDesc::is_default")]
    pub sample: SampleDesc,
    /// Radius, m; particles of a block are twice as far apart.
    pub radius: f64,
    /// Mass of each, kg.
    pub mass: f64,
    /// Coulomb friction at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coulomb friction while sliding. Default 0.8 of that at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sliding: Option<f64>,
    /// Rolling resistance of grains; without it they do not spin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling: Option<f64>,
    /// Number of particles of a body to keep, outermost first; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outermost: Option<usize>,
    /// Only the outer layer of a block.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
    /// Centre of the block of grains, or of the body.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation of the block or body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotateDesc>,
    /// Centres of further bodies, m, turned as the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<[f64; 3]>,
    /// Equal bodies in a grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<ParticleCopiesDesc>,
    /// Velocity at the start, m/s.
    #[serde(default, skip_serializing_if = "is_still")]
    pub velocity: [f64; 3],
    /// Angular velocity at the start about the centre of the set, rad/s.
    #[serde(default, skip_serializing_if = "is_still")]
    pub angular_velocity: [f64; 3],
    /// Deformability of a body: 0 rigid, 1 any linear or quadratic map. Default 0.7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// Distance of neighbours in a rope, a sheet or a block of grains, m. Default: twice the radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Stiffness of every distance of a rope, cloth or inflatable, N/m. Default: inextensible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretch: Option<f64>,
    /// Bending rigidity: N m² of a rope, N m of cloth. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending: Option<f64>,
    /// Target volume of an inflatable relative to its rest volume. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// Fixed particles of a rope or cloth, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hold: Vec<usize>,
    /// Whether points of a rope or cloth touch each other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_contact: bool,
    /// Cells along each side of the display mesh of a block body; drawn as spheres when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skin: Option<usize>,
    /// How they are drawn.
    #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
    pub display: DisplayDesc,
}

fn is_zero(count: &[usize; 3]) -> bool {
    *count == [0; 3]
}

fn is_still(velocity: &[f64; 3]) -> bool {
    *velocity == [0.0; 3]
}

/// How the mesh of a set is prepared and sampled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SampleDesc {
    /// Where particles of a body lie.
    pub place: SamplePlaceDesc,
    /// Distance of neighbouring particles, m. Default: twice the radius.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Least depth of a particle's centre below the surface, in spacings.
    pub inset: f64,
    /// Farthest that a vertex of the mesh may be from the nearest particle, in spacings.
    pub cover: f64,
    /// Centre the mesh at the origin and scale its longest extent to 1 m.
    pub normalize: bool,
    /// Uniform scale, after that.
    pub scale: f64,
    /// Fill holes of the mesh with at most this many edges.
    pub fill_holes: usize,
    /// Simplify the mesh to this many triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triangles: Option<usize>,
}

impl Default for SampleDesc {
    fn default() -> Self {
        let place = SamplePlaceDesc::Volume;
        let (inset, cover, normalize, scale) = (0.5, 4.0, false, 1.0);
        Self { place, spacing: None, inset, cover, normalize, scale, fill_holes: 0, triangles: None }
    }
}

impl SampleDesc {
    /// Whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Where particles of a body lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplePlaceDesc {
    /// On a lattice through the inside.
    Volume,
    /// Near the surface only.
    Surface,
}

/// Equal bodies in a grid, the first at the set's position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ParticleCopiesDesc {
    /// Bodies along x, y and z.
    pub count: [usize; 3],
    /// Distance between neighbours along each axis, m.
    pub spacing: [f64; 3],
    /// Whether each is turned differently.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tumbled: bool,
}

/// What particles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParticleKindDesc {
    /// Loose grains.
    Grains,
    /// Fixed particles.
    Fixed,
    /// A rigid body.
    Rigid,
    /// A body that deforms by linear maps.
    Linear,
    /// A body that deforms by quadratic maps.
    Quadratic,
    /// A rope of `count[0]` particles along x.
    Rope,
    /// Cloth: a sheet of `count[0]` × `count[2]` particles, or the vertices of `shape`.
    Cloth,
    /// A closed cloth that keeps its volume: the vertices of `shape`.
    Inflatable,
}

/// How particles are solved. The keys after `push-speed` are those of `unified`, the ones before those of `unified-substep`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct UnifiedDesc {
    /// Solver by name: `unified-substep` or `unified`.
    pub solver: String,
    /// Substeps of a step, at least.
    pub substeps: usize,
    /// Substeps of a step, at most.
    pub most_substeps: usize,
    /// Sweeps over the contacts of bodies in a substep.
    pub body_sweeps: usize,
    /// Sweeps over the links of ropes, cloth and inflatables in a substep.
    pub link_sweeps: usize,
    /// Sweeps over grains in a substep where some spin.
    pub spin_sweeps: usize,
    /// Largest speed at which penetration is resolved, m/s.
    pub push_speed: f64,
    /// Iterations of a step.
    pub iterations: usize,
    /// Iterations of stabilisation on the old positions.
    pub stabilisation: usize,
    /// Over-relaxation ω, 1 to 2.
    pub relaxation: f64,
    /// Mass scaling k, 1/m.
    pub mass_scaling: f64,
    /// Displacement per step below which a particle does not move, m.
    pub freeze: f64,
}

impl Default for UnifiedDesc {
    fn default() -> Self {
        let substep = SubstepSettings::default();
        let published = UnifiedSettings::default();
        Self {
            solver: "unified-substep".into(),
            substeps: 8,
            most_substeps: substep.most_substeps,
            body_sweeps: substep.body_sweeps,
            link_sweeps: substep.link_sweeps,
            spin_sweeps: substep.spin_sweeps,
            push_speed: substep.push_speed,
            iterations: published.iterations,
            stabilisation: published.stabilisation,
            relaxation: published.relaxation,
            mass_scaling: published.mass_scaling,
            freeze: published.freeze,
        }
    }
}

impl UnifiedDesc {
    /// Names of solvers.
    pub const SOLVERS: [&str; 2] = ["unified-substep", "unified"];

    /// Whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Settings of `unified-substep`.
    pub fn substep_settings(&self) -> SubstepSettings {
        SubstepSettings {
            substeps: self.substeps,
            most_substeps: self.most_substeps,
            body_sweeps: self.body_sweeps,
            link_sweeps: self.link_sweeps,
            spin_sweeps: self.spin_sweeps,
            push_speed: self.push_speed,
        }
    }

    /// Settings of `unified`.
    pub fn jacobi_settings(&self) -> UnifiedSettings {
        UnifiedSettings {
            iterations: self.iterations,
            stabilisation: self.stabilisation,
            relaxation: self.relaxation,
            mass_scaling: self.mass_scaling,
            freeze: self.freeze,
        }
    }
}
