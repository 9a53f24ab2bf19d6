//! A scalar of N points with its first and second derivatives, and the rules of calculus on it.

use pd_core::{Mat3, Real, Vec3};

/// Value, gradient and Hessian of a function of N points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derivatives<const N: usize> {
    /// f(x).
    pub value: Real,
    /// ∂f/∂x_j.
    pub gradient: [Vec3; N],
    /// ∂²f/∂x_j∂x_k in row j and column k; the whole is symmetric, so block (k, j) is the transpose of (j, k).
    pub hessian: [[Mat3; N]; N],
}

impl<const N: usize> Derivatives<N> {
    /// A function that does not depend on the points.
    pub fn constant(value: Real) -> Self {
        Derivatives { value, gradient: [Vec3::zeros(); N], hessian: [[Mat3::zeros(); N]; N] }
    }

    /// The chain rule: φ(f), given φ, φ′ and φ″ at f.
    pub fn chain(&self, [value, first, second]: [Real; 3]) -> Self {
        let mut out = Self::constant(value);
        for j in 0..N {
            out.gradient[j] = self.gradient[j] * first;
            for k in 0..N {
                out.hessian[j][k] =
                    self.hessian[j][k] * first + self.gradient[j] * self.gradient[k].transpose() * second;
            }
        }
        out
    }

    /// The product rule: f g.
    pub fn product(&self, other: &Self) -> Self {
        let mut out = Self::constant(self.value * other.value);
        for j in 0..N {
            out.gradient[j] = self.gradient[j] * other.value + other.gradient[j] * self.value;
            for k in 0..N {
                out.hessian[j][k] = self.hessian[j][k] * other.value
                    + other.hessian[j][k] * self.value
                    + self.gradient[j] * other.gradient[k].transpose()
                    + other.gradient[j] * self.gradient[k].transpose();
            }
        }
        out
    }
}
