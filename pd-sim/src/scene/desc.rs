//! The scene file: plain data read from TOML. Unknown keys are errors.
//!
//! These types are separate from the simulation's own, so that internal layouts may change without breaking files.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SceneDesc {
    /// One line that says what is seen.
    pub title: String,
    /// Where the scene comes from: figure, table, or "own".
    #[serde(default)]
    pub source: String,
    /// Frames a plain run simulates.
    #[serde(default = "default_frames")]
    pub frames: usize,
    /// Time step, iterations, gravity.
    #[serde(default)]
    pub step: StepDesc,
    /// Stepper and global solver.
    #[serde(default)]
    pub solver: SolverDesc,
    /// Published counts that the scene reproduces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedDesc>,
    /// Deformable bodies, in vertex order.
    #[serde(default, rename = "object")]
    pub objects: Vec<ObjectDesc>,
    /// Obstacles.
    #[serde(default, rename = "collider", skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<ColliderDesc>,
    /// Forces besides gravity.
    #[serde(default, rename = "force", skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<ForceDesc>,
}

fn default_frames() -> usize {
    300
}

/// Parameters of the step; see [`pd_core::StepParams`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StepDesc {
    /// Time of one frame, s.
    pub dt: f64,
    /// Steps per frame, each of `dt / substeps`.
    pub substeps: usize,
    /// Local/global iterations per step.
    pub iterations: usize,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Velocity damping, 1/s.
    pub damping: f64,
    /// Whether pinned vertices are left alone by the predictor.
    pub hold_pinned: bool,
    /// Relative tolerance for an early end of the iterations; 0 never ends early.
    pub tolerance: f64,
}

impl Default for StepDesc {
    fn default() -> Self {
        let params = pd_core::StepParams::default();
        Self {
            dt: params.dt,
            substeps: 1,
            iterations: params.iterations,
            gravity: params.gravity.into(),
            damping: params.damping,
            hold_pinned: params.hold_pinned,
            tolerance: params.tolerance,
        }
    }
}

/// Stepper and global solver by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SolverDesc {
    /// Name of the stepper.
    pub stepper: String,
    /// Name of the global solver.
    pub global: String,
    /// Most iterations of one linear solve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_iterations: Option<usize>,
    /// Relative residual at which a linear solve ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_tolerance: Option<f64>,
    /// Spectral radius assumed by Chebyshev acceleration; estimated when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
    /// Damping of the Jacobi family; from the spectrum when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// Sweeps before Chebyshev acceleration starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<usize>,
}

impl Default for SolverDesc {
    fn default() -> Self {
        Self {
            stepper: "pd".into(),
            global: "cholesky".into(),
            inner_iterations: None,
            inner_tolerance: None,
            rho: None,
            gamma: None,
            delay: None,
        }
    }
}

impl SolverDesc {
    /// The options as `pd-linear` takes them.
    pub fn options(&self) -> pd_linear::SolverOptions {
        pd_linear::SolverOptions {
            iterations: self.inner_iterations,
            tolerance: self.inner_tolerance,
            rho: self.rho,
            gamma: self.gamma,
            delay: self.delay,
            ..Default::default()
        }
    }
}

/// A row of the thesis' table 7.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PublishedDesc {
    /// Vertices.
    pub vertices: usize,
    /// Triangles of surfaces plus tetrahedra of solids.
    pub elements: usize,
    /// Constraints at the start.
    pub constraints: usize,
}

/// One deformable body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ObjectDesc {
    /// Name, unique in the scene.
    pub name: String,
    /// The mesh.
    pub shape: ShapeDesc,
    /// Fill a closed surface with tetrahedra, before anything else. The body is then a solid; nothing of a solid changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tetrahedralize: Option<TetrahedralizeDesc>,
    /// Mass of every vertex from a column of the mesh file (PLY, VTK, VTU, TetGen), kg, instead of `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_column: Option<String>,
    /// Factors on the weights of `triangle`, `area`, `tet` and `volume` from a column of the mesh file: one per element, or
    /// one per vertex, of which each element takes the mean of its corners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_column: Option<String>,
    /// Centre at the origin and scale the longest extent to 1 m before anything else, as the thesis' import does.
    #[serde(default)]
    pub normalize: bool,
    /// Uniform scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Rotation about the origin, after scaling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotateDesc>,
    /// Translation, after rotation, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translate: Option<[f64; 3]>,
    /// How heavy it is. Default: the thesis' 0.001 kg per vertex.
    #[serde(default)]
    pub mass: MassDesc,
    /// Springs on the edges of the mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<WeightDesc>,
    /// Bending at interior vertices of a surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending: Option<BendingDesc>,
    /// Strain of triangles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangle: Option<StrainDesc>,
    /// Area of triangles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<StrainDesc>,
    /// Strain of tetrahedra.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tet: Option<StrainDesc>,
    /// Volume of tetrahedra.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<StrainDesc>,
    /// Weights and masses from physical constants, instead of `mass`, `tet`, `volume`, `triangle`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<MaterialDesc>,
    /// Pins.
    #[serde(default, rename = "pin", skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<PinDesc>,
}

/// Where a mesh comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case")]
pub enum ShapeDesc {
    /// A cloth of `rows` × `columns` cells in the plane y = 0.
    #[serde(rename_all = "kebab-case")]
    Grid {
        /// Cells along x.
        rows: usize,
        /// Cells along z.
        columns: usize,
        /// Width along x, m.
        #[serde(default = "one")]
        width: f64,
        /// Depth along z, m.
        #[serde(default = "one")]
        depth: f64,
    },
    /// A half sphere, pole up.
    Hemisphere {
        /// Vertices per ring.
        sectors: usize,
        /// Rings of cells from pole to equator.
        stacks: usize,
        /// Radius, m.
        #[serde(default = "one")]
        radius: f64,
    },
    /// A closed sphere surface.
    Sphere {
        /// Vertices per ring.
        sectors: usize,
        /// Rings of cells from pole to pole.
        stacks: usize,
        /// Radius, m.
        #[serde(default = "one")]
        radius: f64,
    },
    /// An open tube along y.
    Cylinder {
        /// Vertices per ring.
        sectors: usize,
        /// Rings of cells.
        stacks: usize,
        /// Radius, m.
        radius: f64,
        /// Height, m.
        height: f64,
    },
    /// A cone surface along y.
    Cone {
        /// Vertices per ring.
        sectors: usize,
        /// Rings of cells.
        stacks: usize,
        /// Radius of the base, m.
        radius: f64,
        /// Height, m.
        height: f64,
    },
    /// A torus surface about y.
    #[serde(rename_all = "kebab-case")]
    Torus {
        /// Cells around the axis.
        sectors: usize,
        /// Cells around the tube.
        stacks: usize,
        /// Radius of the centre circle, m.
        major_radius: f64,
        /// Radius of the tube, m.
        minor_radius: f64,
    },
    /// A solid bar of cubes, five tetrahedra each.
    Bar {
        /// Cubes along x.
        width: usize,
        /// Cubes along y.
        height: usize,
        /// Cubes along z.
        depth: usize,
        /// Longest side of the bar, m.
        #[serde(default = "one")]
        length: f64,
    },
    /// A solid ball.
    Ball {
        /// Cells along the edge of the lattice it is made of.
        cells: usize,
        /// Radius, m.
        #[serde(default = "one")]
        radius: f64,
    },
    /// A generated thick-walled creature over an a × b × c lattice surface: the stand-in for scanned models.
    Creature {
        /// Lattice cells along the three axes.
        cells: [usize; 3],
        /// Layers of the wall.
        layers: usize,
    },
    /// A mesh that ships with the program.
    Asset {
        /// Its name.
        name: String,
    },
    /// A mesh file: beside the scene file, or in one of the model directories.
    File {
        /// File name.
        file: String,
    },
}

fn one() -> f64 {
    1.0
}

/// How a surface becomes a solid. At most one of `cells`, `edge` and `tets`; default: 20 cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TetrahedralizeDesc {
    /// Lattice cells along the longest side of the surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
    /// Lattice edge in the surface's own units, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<f64>,
    /// Number of tetrahedra to come near to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tets: Option<usize>,
    /// Names of meshers to try in this order; default: `["stuffing"]`. `tetgen` runs that program if it is installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meshers: Option<Vec<String>>,
    /// Switches of TetGen; default: `pq1.414Y`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<String>,
}

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RotateDesc {
    /// Axis, any length but zero.
    pub axis: [f64; 3],
    /// Angle, degrees.
    pub degrees: f64,
}

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
}

/// An obstacle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case")]
pub enum ColliderDesc {
    /// Everything below a height.
    Floor {
        /// Height, m.
        height: f64,
        /// Margin, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// Path: `[time, dx, dy, dz]`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<[f64; 4]>,
    },
    /// A ball.
    Sphere {
        /// Centre, m.
        centre: [f64; 3],
        /// Radius, m.
        radius: f64,
        /// Margin, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// Path: `[time, dx, dy, dz]`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<[f64; 4]>,
    },
    /// A box along the axes.
    #[serde(rename_all = "kebab-case")]
    Block {
        /// Centre, m.
        centre: [f64; 3],
        /// Half of the size along each axis, m.
        half_extents: [f64; 3],
        /// Margin, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// Path: `[time, dx, dy, dz]`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<[f64; 4]>,
    },
    /// A torus about the y axis.
    #[serde(rename_all = "kebab-case")]
    Torus {
        /// Centre, m.
        centre: [f64; 3],
        /// Radius of the centre circle, m.
        major_radius: f64,
        /// Radius of the tube, m.
        minor_radius: f64,
        /// Margin, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// Path: `[time, dx, dy, dz]`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<[f64; 4]>,
    },
}

/// A force besides gravity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case")]
pub enum ForceDesc {
    /// The thesis' wind: f = strength · d |n·d| on every vertex of every surface.
    Wind {
        /// N per vertex.
        strength: f64,
        /// Direction, any length but zero.
        direction: [f64; 3],
        /// Start, s.
        #[serde(default)]
        from: f64,
        /// End, s.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
        /// Names of the objects it blows on; empty: all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        objects: Vec<String>,
    },
    /// Air drag by the velocity relative to the wind.
    Drag {
        /// Wind velocity, m/s.
        velocity: [f64; 3],
        /// Density of air, kg/m³.
        #[serde(default = "air")]
        density: f64,
        /// Drag coefficient.
        #[serde(default = "one")]
        coefficient: f64,
        /// Start, s.
        #[serde(default)]
        from: f64,
        /// End, s.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
        /// Names of the objects it blows on; empty: all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        objects: Vec<String>,
    },
    /// A force on chosen vertices over a time interval.
    Push {
        /// Name of the object.
        object: String,
        /// Which of its vertices.
        select: SelectDesc,
        /// N on each vertex.
        force: [f64; 3],
        /// Start, s.
        from: f64,
        /// End, s.
        to: f64,
    },
}

fn air() -> f64 {
    1.2
}

/// Names used twice, if any.
pub(crate) fn first_repeated(objects: &[ObjectDesc]) -> Option<&str> {
    let mut seen = BTreeMap::new();
    objects.iter().find_map(|o| seen.insert(o.name.as_str(), ()).map(|()| o.name.as_str()))
}
