//! `[[fluid]]` and `[grid]`: water, sand and elastic matter as material points on a grid.

use super::DisplayDesc;
use serde::{Deserialize, Serialize};

/// Matter that fills a box at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FluidDesc {
    /// Name, unique among these.
    pub name: String,
    /// What it is.
    pub law: LawDesc,
    /// Smallest corner of the box it fills, m.
    pub min: [f64; 3],
    /// Largest corner, m.
    pub max: [f64; 3],
    /// Velocity at the start, m/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub velocity: [f64; 3],
    /// How it is drawn.
    #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
    pub display: DisplayDesc,
}

impl FluidDesc {
    /// Whether it is a liquid, drawn by its surface.
    pub fn is_water(&self) -> bool {
        matches!(self.law, LawDesc::Water { .. })
    }
}

/// Constitutive law of a material on the grid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum LawDesc {
    /// Weakly compressible water.
    Water {
        /// Density, kg/m³.
        #[serde(default = "water")]
        density: f64,
        /// Speed of sound, m/s; ten times the fastest flow keeps the density within a percent.
        sound_speed: f64,
        /// Dynamic viscosity, Pa·s.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        viscosity: Option<f64>,
    },
    /// Dry sand (Mohr–Coulomb).
    Sand {
        /// Density, kg/m³.
        #[serde(default = "sand")]
        density: f64,
        /// Young's modulus, Pa.
        young: f64,
        /// Angle of internal friction, degrees.
        friction_angle: f64,
    },
    /// Rubber (fixed corotated).
    Elastic {
        /// Density, kg/m³.
        #[serde(default = "water")]
        density: f64,
        /// Young's modulus, Pa.
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
}

/// The grid and the walls of its domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GridDesc {
    /// Side of a cell, m.
    pub dx: f64,
    /// Smallest corner of the domain, m.
    #[serde(default)]
    pub min: [f64; 3],
    /// Cells along x, y and z.
    pub cells: [u32; 3],
    /// What the walls do, in the order −x, +x, −y, +y, −z, +z. Default: free slip and separation on all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub walls: Option<[WallDesc; 6]>,
    /// Friction of obstacles. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Transfer of velocities between points and grid. Default `mls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<TransferDesc>,
    /// The solver. Default `mpm`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<GridSolverDesc>,
}

/// Transfer of velocities between points and grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransferDesc {
    /// Particle in cell: diffusive.
    Pic,
    /// FLIP with one percent of PIC: little dissipation.
    Flip,
    /// Affine particle in cell.
    Apic,
    /// Affine, forces by moving least squares.
    Mls,
}

/// Solver of matter on a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GridSolverDesc {
    /// Explicit material point method for all laws; water is weakly compressible.
    Mpm,
    /// Pressure projection: incompressible, water only.
    Pressure,
}

/// What a wall of the domain does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WallDesc {
    /// Matter sticks to it.
    Stick,
    /// Matter slides along it and cannot leave.
    Slip,
    /// Matter slides along it without friction and may leave.
    Separate,
    /// No wall: matter that crosses it is removed.
    Open,
}

fn water() -> f64 {
    1000.0
}

fn sand() -> f64 {
    1600.0
}

fn is_zero(vector: &[f64; 3]) -> bool {
    *vector == [0.0; 3]
}
