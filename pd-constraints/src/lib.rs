//! Elastic energies and external forces for projective dynamics.
//!
//! Every energy is a batch of constraints of one type, in one file with its formula on top, and implements
//! [`pd_core::EnergyBatch`]. The energy of an element is `ω/2 · |D x − p|²`, with `p` the nearest admissible
//! point of the element:
//!
//! | batch | rows `D x` of an element | admissible points | unit of ω |
//! |---|---|---|---|
//! | [`Pins`] | position of a vertex | the target | N/m |
//! | [`EdgeSprings`] | edge vector | length = rest length | N/m |
//! | [`Bending`] | Laplacian at an interior vertex | length = rest length of the Laplacian | J |
//! | [`TriStrain`] | 3×2 deformation gradient | singular values in a range | N/m, times rest area |
//! | [`Area`] | 3×2 deformation gradient | area ratio in a range | N/m, times rest area |
//! | [`TetStrain`] | 3×3 deformation gradient | singular values in a range | Pa, times rest volume |
//! | [`Volume`] | 3×3 deformation gradient | volume ratio in a range | Pa, times rest volume |
//!
//! Laws that are not squared distances have `project(y) = y − ∇U/ω` and their own energies and Hessians:
//!
//! | batch | energy of an element |
//! |---|---|
//! | [`TetElastic`] | V₀ ψ(F) with [`StVenantKirchhoff`], [`NeoHookean`], [`StableNeoHookean`] or [`Corotated`] |
//! | [`MassSpring`] | a spring, softer under compression or slack around its rest length; [`bending_pairs`] |
//! | [`DihedralBending`] | B/2 · l²/A · (θ − θ̄)², discrete shells |
//! | [`IsometricBending`] | B/2 · 1/A · \|Σ q x\|², quadratic bending of flat sheets (a distance, to zero) |
//! | [`Woven`] | stretch along warp and weft, shear between them |
//!
//! [`Fabric`] has measured constants of cloth. [`material`] converts Young's modulus and Poisson's ratio to weights and reports the
//! effective material of given weights; [`force`] contains wind and point forces. Constructors take plain slices (positions, edges,
//! triangles, tetrahedra), validate everything once and report errors with numbers as a [`ConstraintError`].
//!
//! ```
//! use pd_constraints::{EdgeSprings, Pins};
//! use pd_core::{Model, Vec3};
//!
//! let x = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0];
//! let model = Model::builder(&x, 0.3 /* kg */)
//!     .energy(Pins::new(&x, &[0], 1e4)?)
//!     .energy(EdgeSprings::new(&x, &[[0, 1], [1, 2]], 100.0 /* N/m */)?)
//!     .build()?;
//! assert_eq!(model.constraints(), 3);
//! assert_eq!(model.elastic_energy(&x), 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// The core crate, whose types appear in this interface: a program needs no dependency of its own on it.
pub use pd_core;

mod area;
mod bending;
mod check;
mod determinant_clamp;
mod determinant_clamp_lanes;
mod determinant_curvature;
mod dihedral;
mod edge;
pub mod elastic;
mod error;
mod fabric;
pub mod force;
mod hinge;
mod isometric_bending;
pub mod isotropic;
mod jacobi_start;
mod lanes;
mod length_lanes;
mod mass_spring;
pub mod material;
mod matrix_lanes;
mod pin;
mod polar;
mod prox_newton;
pub mod psd;
mod radial;
mod ring;
mod rotation_lanes;
mod stitch;
mod strain_range;
mod stretch_lanes;
pub mod svd3;
mod svd_lanes;
mod tet_frame;
mod tet_lanes;
mod tet_strain;
mod tri_frame;
mod tri_lanes;
mod tri_strain;
mod volume;
mod volume_lanes;
mod weight;
mod woven;

pub use area::Area;
pub use bending::Bending;
pub use dihedral::DihedralBending;
pub use edge::EdgeSprings;
pub use elastic::{
    Corotated, IsotropicLaw, Lame, Materials, NeoHookean, StVenantKirchhoff, StableNeoHookean, TetElastic,
};
pub use error::ConstraintError;
pub use fabric::Fabric;
pub use force::{PointForce, Wind, WindModel};
pub use hinge::{bending_pairs, hinges};
pub use isometric_bending::IsometricBending;
pub use mass_spring::{MassSpring, SpringLaw};
pub use material::{
    Effective, Material, MembraneWeights, TetWeights, lumped_masses_tets, lumped_masses_triangles,
    membrane_weights, tet_weights,
};
pub use pin::{Motion, Pins, TargetMotion};
pub use ring::{BendingWeights, Collinear, RingsRef};
pub use stitch::Stitches;
pub use strain_range::StrainRange;
pub use svd3::{Svd3, svd3};
pub use tet_strain::TetStrain;
pub use tri_strain::TriStrain;
pub use volume::Volume;
pub use weight::Weight;
pub use woven::{Woven, WovenStiffness};

/// Edges shorter than this at rest, m, have no constraint: their direction is rounding noise, and some meshes
/// contain them on purpose (the pole rings of a latitude-longitude sphere).
pub const SHORTEST_EDGE: pd_core::Real = 1e-5;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The entries of this list in its order.
fn selected<T: Copy>(all: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&k| all[k as usize]).collect()
}
