//! Singular values of 3×3 and 3×2 matrices by one-sided Jacobi rotations.
//!
//! Rotations V from the right make the columns of F V orthogonal (Hestenes 1958). Unlike the eigenvalues of FᵀF this
//! keeps small singular values accurate relative to themselves (Demmel, Veselić 1992). The columns are sorted by
//! length; then u₁ = b₁/|b₁|, u₂ is b₂ made orthogonal, u₃ = u₁ × u₂ and σ₃ = u₃·b₃. So U and V are rotations
//! for every input, and the sign of det F is the sign of σ₃: an inverted element has σ₃ < 0. Well-conditioned matrices
//! start from the eigenvectors of FᵀF (`jacobi_start.rs`), which is faster and as accurate.

use crate::jacobi_start;
use pd_core::{Mat3, Real, Vec3};

/// Sweeps until all columns are orthogonal; five are usual, the bound only guards against NaN.
const MAX_SWEEPS: usize = 24;

/// Columns are treated as orthogonal below this cosine, squared: rounding level of a dot product of three.
const ORTHOGONAL_SQUARED: Real = 1e-31;

/// Below this length, with the largest entry near 1, a column has no direction.
const NO_DIRECTION: Real = 1e-120;

/// F = U diag(σ) Vᵀ with rotations U and V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd3 {
    /// Left singular vectors, det U = +1.
    pub u: Mat3,
    /// Singular values, σ₁ ≥ σ₂ ≥ |σ₃|; σ₃ has the sign of det F.
    pub sigma: Vec3,
    /// Right singular vectors, det V = +1.
    pub v: Mat3,
}

impl Svd3 {
    /// U diag(σ) Vᵀ with other values for σ.
    pub fn with(&self, sigma: &Vec3) -> Mat3 {
        let [u0, u1, u2] = columns(&self.u);
        let (a, b, c) = (u0 * sigma.x, u1 * sigma.y, u2 * sigma.z);
        let column = |j: usize| a * self.v[(j, 0)] + b * self.v[(j, 1)] + c * self.v[(j, 2)];
        Mat3::from_columns(&[column(0), column(1), column(2)])
    }
}

/// Singular value decomposition of any finite matrix: rank 0 to 3, equal values, denormal or huge entries.
///
/// NaN or infinite entries give a result with NaN in it. Values beyond the largest number overflow to infinity.
///
/// ```
/// use pd_constraints::svd3;
/// use pd_core::{Mat3, Vec3};
/// let mirrored = Mat3::from_diagonal(&Vec3::new(2.0, -3.0, 1.0));
/// let svd = svd3(&mirrored);
/// assert_eq!(svd.sigma, Vec3::new(3.0, 2.0, -1.0));
/// assert!((svd.with(&svd.sigma) - mirrored).norm() < 1e-15);
/// ```
pub fn svd3(f: &Mat3) -> Svd3 {
    from_start(f, jacobi_start::right_vectors(f))
}

/// One-sided Jacobi from an initial guess of V, or from V = I.
#[inline(always)]
fn from_start(f: &Mat3, start: Option<[Vec3; 3]>) -> Svd3 {
    let (mut v, mut b, scale) = match start {
        Some(v) => {
            let [f0, f1, f2] = columns(f);
            (v, v.map(|v| f0 * v.x + f1 * v.y + f2 * v.z), 1.0)
        }
        None => {
            let (f, scale) = scaled(f);
            (columns(&Mat3::identity()), columns(&f), scale)
        }
    };
    for _ in 0..MAX_SWEEPS {
        let first = make_orthogonal(&mut b, &mut v, 0, 1);
        let second = make_orthogonal(&mut b, &mut v, 0, 2);
        let third = make_orthogonal(&mut b, &mut v, 1, 2);
        if !(first || second || third) {
            break;
        }
    }
    sort(&mut b, &mut v, 0, 1);
    sort(&mut b, &mut v, 0, 2);
    sort(&mut b, &mut v, 1, 2);
    let (u0, u1) = frame(&b[0], &b[1]);
    let u2 = u0.cross(&u1);
    let third = u2.dot(&b[2]);
    let second = u1.dot(&b[1]).max(third.abs());
    let sigma = Vec3::new(u0.dot(&b[0]).max(second), second, third) * scale;
    Svd3 { u: Mat3::from_columns(&[u0, u1, u2]), sigma, v: Mat3::from_columns(&v) }
}

/// F = [u₁ u₂] diag(σ) Vᵀ of a 3×2 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd32 {
    /// Orthonormal left singular vectors.
    pub u: [Vec3; 2],
    /// Singular values, σ₁ ≥ σ₂ ≥ 0.
    pub sigma: [Real; 2],
    /// Cosine and sine of the rotation V = [[c, −s], [s, c]].
    pub v: [Real; 2],
}

impl Svd32 {
    /// The two columns of U diag(σ) Vᵀ with other values for σ.
    pub fn with(&self, sigma: [Real; 2]) -> [Vec3; 2] {
        let ([a, b], [c, s]) = ([self.u[0] * sigma[0], self.u[1] * sigma[1]], self.v);
        [a * c - b * s, a * s + b * c]
    }
}

/// Singular value decomposition of the 3×2 matrix with the columns `f`, for any finite input.
///
/// ```
/// use pd_constraints::svd3::svd32;
/// use pd_core::Vec3;
/// let svd = svd32(&[Vec3::x(), Vec3::x()]);
/// assert!((svd.sigma[0] - 2.0f64.sqrt()).abs() < 1e-15 && svd.sigma[1] < 1e-15);
/// ```
pub fn svd32(f: &[Vec3; 2]) -> Svd32 {
    let (f, scale) = scaled(&Mat3::from_columns(&[f[0], f[1], Vec3::zeros()]));
    let [mut b, mut v] = [columns(&f), columns(&Mat3::identity())];
    // One rotation is enough in exact arithmetic; the next ones remove its rounding.
    for _ in 0..MAX_SWEEPS {
        if !make_orthogonal(&mut b, &mut v, 0, 1) {
            break;
        }
    }
    sort(&mut b, &mut v, 0, 1);
    let (u0, u1) = frame(&b[0], &b[1]);
    let second = u1.dot(&b[1]).max(0.0);
    let sigma = [u0.dot(&b[0]).max(second) * scale, second * scale];
    Svd32 { u: [u0, u1], sigma, v: [v[0].x, v[0].y] }
}

fn columns(m: &Mat3) -> [Vec3; 3] {
    [m.column(0).into_owned(), m.column(1).into_owned(), m.column(2).into_owned()]
}

/// The matrix and the factor taken out of it, so that fourth powers of entries neither overflow nor vanish.
#[inline(always)]
fn scaled(f: &Mat3) -> (Mat3, Real) {
    // Not `amax`, which is slow here; NaN entries pass through and show in the result.
    let largest = f.iter().fold(0.0, |m: Real, c| m.max(c.abs()));
    if (1e-30..1e30).contains(&largest) || largest == 0.0 { (*f, 1.0) } else { (f / largest, largest) }
}

/// Makes the columns p and q of B orthogonal by the smaller of the possible rotations; returns whether it had to.
///
/// Inlined, so that the indices are constants and the columns stay in registers.
#[inline(always)]
fn make_orthogonal(b: &mut [Vec3; 3], v: &mut [Vec3; 3], p: usize, q: usize) -> bool {
    let (pp, qq, pq) = (b[p].norm_squared(), b[q].norm_squared(), b[p].dot(&b[q]));
    if pq * pq <= ORTHOGONAL_SQUARED * pp * qq {
        return false;
    }
    // tan 2φ = 2pq/(qq − pp) = y/x, and of the two solutions for t = tan φ the one with |t| ≤ 1.
    let (x, y) = (qq - pp, 2.0 * pq);
    let t = y.copysign(x * y) / (x.abs() + (x * x + y * y).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    rotate(b, p, q, c, c * t);
    rotate(v, p, q, c, c * t);
    true
}

/// Puts the longer of two columns first. A quarter turn exchanges them and keeps V a rotation.
#[inline(always)]
fn sort(b: &mut [Vec3; 3], v: &mut [Vec3; 3], p: usize, q: usize) {
    if b[p].norm_squared() < b[q].norm_squared() {
        (b[p], b[q]) = (b[q], -b[p]);
        (v[p], v[q]) = (v[q], -v[p]);
    }
}

/// (p, q) ← (c p − s q, s p + c q).
#[inline(always)]
fn rotate(columns: &mut [Vec3; 3], p: usize, q: usize, c: Real, s: Real) {
    let (a, b) = (columns[p], columns[q]);
    columns[p] = a * c - b * s;
    columns[q] = a * s + b * c;
}

/// Orthonormal vectors along `a` and, as far as it has a direction, `b`, with |a| ≥ |b|.
fn frame(a: &Vec3, b: &Vec3) -> (Vec3, Vec3) {
    let Some(u) = a.try_normalize(NO_DIRECTION) else { return (Vec3::x(), Vec3::y()) };
    let w = b.try_normalize(NO_DIRECTION).and_then(|b| (b - u * u.dot(&b)).try_normalize(0.5));
    let w = w.unwrap_or_else(|| {
        // Any direction will do: the axis farthest from u, made orthogonal.
        let axis = Vec3::ith(u.iamin(), 1.0);
        (axis - u * u[u.iamin()]).normalize()
    });
    (u, w)
}
