//! Where a mesh comes from, and how it is placed.

use serde::{Deserialize, Serialize};

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
    /// A generated thick-walled creature over an a × b × c lattice surface: a substitute for scanned models.
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

pub(super) fn one() -> f64 {
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
    /// Approximate number of tetrahedra.
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
