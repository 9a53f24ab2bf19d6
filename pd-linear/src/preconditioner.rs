//! Preconditioners M ≈ A for conjugate gradients: the trait, and the diagonal.

use crate::vector::for_each_row;
use pd_core::{Csr, LinearError, Real};

/// A symmetric positive definite approximation M of A whose inverse is cheap to apply.
///
/// `apply` must be linear, the same in every call, give bitwise identical results for any number of threads, and not allocate for
/// a number of columns announced by `reserve`.
pub trait Preconditioner: Send + Sync {
    /// Work that depends on the values; the matrix was checked to be symmetric with a positive diagonal.
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError>;

    /// Announces the number of right-hand sides of the following calls.
    fn reserve(&mut self, _columns: usize) {}

    /// z = M⁻¹ r, row-major with `columns` right-hand sides.
    fn apply(&mut self, r: &[Real], z: &mut [Real], columns: usize);

    /// Bytes held after `factor`.
    fn bytes(&self) -> usize {
        0
    }
}

/// M = D, the diagonal of A.
#[derive(Clone, Debug, Default)]
pub struct Diagonal {
    inverse: Vec<Real>,
}

impl Preconditioner for Diagonal {
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.inverse = a.diagonal().iter().map(|d| 1.0 / d).collect();
        Ok(())
    }

    fn apply(&mut self, r: &[Real], z: &mut [Real], columns: usize) {
        for_each_row(z, columns, |i, z| {
            for (z, r) in z.iter_mut().zip(&r[i * columns..]) {
                *z = self.inverse[i] * r;
            }
        });
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.inverse)
    }
}
