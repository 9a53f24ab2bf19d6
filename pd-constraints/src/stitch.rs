//! Stitches: springs of a given length between two vertices, of one body or of two.
//!
//! W = ω/2 (|x_i − x_j| − ℓ)². The row of D is e_i − e_j; the projection keeps the direction and sets the length to ℓ, which may
//! be zero: the two vertices are then pulled together.

use crate::{ConstraintError, Weight, check, radial};
use pd_core::{EnergyBatch, Psd, Real, Stencil, Vec3};
use std::ops::Range;

const KIND: &str = "stitch";

/// A batch of stitches.
///
/// ```
/// use pd_constraints::Stitches;
/// use pd_core::{EnergyBatch, Vec3};
/// let x = [Vec3::zeros(), Vec3::x() * 0.3];
/// let stitches = Stitches::new(&x, &[[0, 1]], 50.0, Some(0.1))?;
/// assert!((stitches.energy(0..1, &x) - 0.5 * 50.0 * 0.04).abs() < 1e-12);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stitches {
    stencil: Stencil,
    lengths: Vec<Real>,
    /// Directions where the two vertices coincide: those at rest.
    directions: Vec<Vec3>,
}

impl Stitches {
    /// Joins pairs of vertices. `weight` is ω, N/m; `length` is ℓ, m, or the distance in `positions` if absent.
    pub fn new<'a>(
        positions: &[Vec3],
        pairs: &[[u32; 2]],
        weight: impl Into<Weight<'a>>,
        length: Option<Real>,
    ) -> Result<Self, ConstraintError> {
        let weight = weight.into();
        check::positions(positions)?;
        weight.check(KIND, pairs.len())?;
        check::indices(KIND, pairs, positions.len())?;
        if let Some(value) = length.filter(|value| !(*value >= 0.0 && value.is_finite())) {
            let name = "length of a stitch";
            return Err(ConstraintError::Parameter { name, value, expected: "zero or positive and finite" });
        }
        let mut stencil = Stencil::with_capacity(1, pairs.len(), 2);
        let (mut lengths, mut directions) = (vec![], vec![]);
        for (element, &[i, j]) in pairs.iter().enumerate() {
            stencil.push(weight.at(element), &[&[(i, 1.0), (j, -1.0)]]);
            let rest = positions[i as usize] - positions[j as usize];
            lengths.push(length.unwrap_or(rest.norm()));
            directions.push(rest.try_normalize(0.0).unwrap_or_else(Vec3::y));
        }
        Ok(Self { stencil, lengths, directions })
    }
}

impl EnergyBatch for Stitches {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z) {
            let norm = z.norm();
            let direction = if norm > 0.0 { *z / norm } else { self.directions[element] };
            *z = direction * self.lengths[element];
        }
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, hessian: &mut [Real]) {
        let mut y = [Vec3::zeros()];
        for (element, h) in elements.zip(hessian.chunks_exact_mut(9)) {
            self.gather(element..element + 1, x, &mut y);
            radial::spring(&y[0], self.lengths[element], self.stencil.weight(element), psd, h);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_the_slope_of_the_energy() {
        let x = [Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.5, -0.1, 0.4), Vec3::new(0.5, -0.1, 0.4)];
        for length in [None, Some(0.0), Some(0.7)] {
            let stitches =
                Stitches::new(&[Vec3::zeros(), Vec3::x(), Vec3::y()], &[[0, 1]], 3.0, length).unwrap();
            let mut r = [Vec3::zeros()];
            stitches.residual(0..1, &x, &mut r);
            for axis in 0..3 {
                let at = |step: Real| {
                    let mut moved = x;
                    moved[0][axis] += step;
                    stitches.energy(0..1, &moved)
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!((slope - 3.0 * r[0][axis]).abs() < 1e-8, "{length:?}");
            }
        }
    }

    #[test]
    fn coincident_vertices_part_as_they_were_at_rest_and_bad_numbers_are_refused() {
        let rest = [Vec3::zeros(), Vec3::z() * 0.2];
        let stitches = Stitches::new(&rest, &[[0, 1]], 1.0, None).unwrap();
        let mut z = [Vec3::zeros()];
        stitches.project(0..1, &mut z);
        assert_eq!(z[0], Vec3::z() * -0.2);
        assert!(Stitches::new(&rest, &[[0, 2]], 1.0, None).is_err());
        assert!(Stitches::new(&rest, &[[0, 1]], 1.0, Some(-1.0)).is_err());
        assert!(Stitches::new(&rest, &[[0, 1]], -1.0, None).is_err());
    }
}
