//! Quadratic (isometric) bending: ω/2 |Σ q_l x_l|² on every hinge, ω = B/(A₀ + A₁).
//!
//! Bergou et al. 2006, "A quadratic bending model for inextensible surfaces": for surfaces that keep their lengths the
//! integral of the squared mean curvature is quadratic in positions, with the coefficients q of the rest shape (see `hinge.rs`;
//! two of the four are negative, and their sum is zero). B is the bending rigidity, J = N·m. The rest shape is treated as flat:
//! a curved one is flattened, use [`DihedralBending`](crate::DihedralBending) for it. The Hessian is constant.

use crate::hinge::for_each_hinge;
use crate::{ConstraintError, Weight, selected};
use pd_core::{EnergyBatch, Real, Stencil, Vec3};
use std::ops::Range;

const KIND: &str = "isometric-bending";

/// A batch of hinges with quadratic bending.
///
/// ```
/// use pd_constraints::{IsometricBending, hinges};
/// use pd_core::{EnergyBatch, Vec3};
/// let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.5, 1.0, 0.0), Vec3::new(0.5, -1.0, 0.0)];
/// let batch = IsometricBending::new(&x, &hinges(&[[0, 1, 2], [1, 0, 3]]), 1e-3 /* J */)?;
/// assert_eq!(batch.energy(0..1, &x), 0.0);
/// // Raise both wings by a small angle θ/2 each: the energy is B/2 · l²/(A₀ + A₁) · θ².
/// let bent = [x[0], x[1], Vec3::new(0.5, 1.0, 5e-4), Vec3::new(0.5, -1.0, 5e-4)];
/// assert!((batch.energy(0..1, &bent) / (0.5e-3 * 1e-6) - 1.0).abs() < 1e-6);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Debug)]
pub struct IsometricBending {
    stencil: Stencil,
    hinges: Vec<[u32; 4]>,
}

impl IsometricBending {
    /// Hinges (see [`hinges`](crate::hinges)) of the rest shape `positions`; `rigidity` is B, J.
    pub fn new<'a>(
        positions: &[Vec3],
        hinges: &[[u32; 4]],
        rigidity: impl Into<Weight<'a>>,
    ) -> Result<Self, ConstraintError> {
        let mut stencil = Stencil::with_capacity(1, hinges.len(), 4);
        for_each_hinge(KIND, positions, hinges, rigidity.into(), |hinge, rest, weight| {
            let row: [(u32, Real); 4] = std::array::from_fn(|l| (hinge[l], rest.coefficients[l]));
            stencil.push(weight, &[&row]);
        })?;
        Ok(Self { stencil, hinges: hinges.to_vec() })
    }
}

impl EnergyBatch for IsometricBending {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self { stencil: self.stencil.select(order), hinges: selected(&self.hinges, order) }))
    }

    fn project(&self, _elements: Range<usize>, z: &mut [Vec3]) {
        z.fill(Vec3::zeros());
    }

    /// Differences first: exact far from the origin.
    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        for (element, dx) in elements.zip(dx) {
            let (hinge, q) = (self.hinges[element], self.stencil.row_slices(element).1);
            let origin = x[hinge[0] as usize];
            *dx = (1..4).fold(Vec3::zeros(), |sum, l| sum + (x[hinge[l] as usize] - origin) * q[l]);
        }
    }
}
