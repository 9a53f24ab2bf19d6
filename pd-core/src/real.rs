//! The number and vector types of the workspace.
//!
//! One precision, `f64`: collision detection, stiff factors and finite-difference tests need it, and a cargo feature
//! that changes a type is not additive. Where bandwidth matters, a solver stores single precision internally
//! and the increment form of the step keeps the result accurate.

/// Scalar of every public interface.
pub type Real = f64;

/// A position, velocity, force or reduced coordinate: three adjacent scalars.
pub type Vec3 = nalgebra::Vector3<Real>;

/// A 3×3 matrix, column-major.
pub type Mat3 = nalgebra::Matrix3<Real>;

/// Views vectors as the row-major n×3 array that solvers take, without a copy.
///
/// ```
/// use pd_core::{Vec3, as_flat};
/// assert_eq!(as_flat(&[Vec3::new(1.0, 2.0, 3.0)]), &[1.0, 2.0, 3.0]);
/// ```
pub fn as_flat(vectors: &[Vec3]) -> &[Real] {
    bytemuck::cast_slice(vectors)
}

/// Mutable version of [`as_flat`].
pub fn as_flat_mut(vectors: &mut [Vec3]) -> &mut [Real] {
    bytemuck::cast_slice_mut(vectors)
}
