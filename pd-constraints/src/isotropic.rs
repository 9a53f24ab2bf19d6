//! Second derivatives of isotropic laws of a deformation gradient, from derivatives by singular values.
//!
//! ψ(F) = ψ(σ₁, σ₂, σ₃) with F = U diag(σ) Vᵀ, σ₃ signed. In the orthonormal basis u_i v_jᵀ of all matrices the Hessian is block
//! diagonal (Stomakhin et al. 2012; Smith, de Goes, Kim 2019, "Analytic eigensystems for isotropic distortion energies"):
//! - on u_i v_iᵀ it is the 3×3 matrix ∂²ψ/∂σ_i∂σ_j (scaling);
//! - on (u_i v_jᵀ − u_j v_iᵀ)/√2 it is (ψ_i + ψ_j)/(σ_i + σ_j) (twist);
//! - on (u_i v_jᵀ + u_j v_iᵀ)/√2 it is (ψ_i − ψ_j)/(σ_i − σ_j) (flip).
//!
//! For a 3×2 gradient there are one twist and one flip, and ψ_j/σ_j on u₃ v_jᵀ, which leaves the plane. So the nearest positive
//! semidefinite Hessian needs the eigenvalues of a 3×3 (2×2) matrix only.

use crate::psd;
use crate::svd3::{Svd3, Svd32};
use pd_core::{Psd, Real, Vec3};

/// The pairs of axes (i, j) with the third axis k.
pub(crate) const PAIRS: [[usize; 3]; 3] = [[0, 1, 2], [0, 2, 1], [1, 2, 0]];

/// Second derivatives of a law of three singular values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    /// ∂²ψ/∂σ_i∂σ_j.
    pub scaling: [[Real; 3]; 3],
    /// (ψ_i + ψ_j)/(σ_i + σ_j) of the pairs (1, 2), (1, 3), (2, 3).
    pub twist: [Real; 3],
    /// (ψ_i − ψ_j)/(σ_i − σ_j) of the same pairs.
    pub flip: [Real; 3],
}

impl Curvature {
    /// The nearest positive semidefinite one.
    fn projected(mut self) -> Self {
        psd::project(&mut self.scaling);
        self.twist = self.twist.map(|value| value.max(0.0));
        self.flip = self.flip.map(|value| value.max(0.0));
        self
    }
}

/// Writes factor · ∂²ψ/∂F² as a 9×9 matrix, row by row; entry 3 j + i of a row or column belongs to F_ij.
pub(crate) fn hessian(svd: &Svd3, curvature: Curvature, psd: Psd, factor: Real, out: &mut [Real]) {
    let curvature = if psd == Psd::Project { curvature.projected() } else { curvature };
    let mode = |i: usize, j: usize| {
        outer(&svd.u.column(i).into_owned(), &[svd.v[(0, j)], svd.v[(1, j)], svd.v[(2, j)]])
    };
    out.fill(0.0);
    let scaling = [mode(0, 0), mode(1, 1), mode(2, 2)];
    for i in 0..3 {
        for j in 0..3 {
            add(out, &scaling[i], &scaling[j], factor * curvature.scaling[i][j]);
        }
    }
    for ([i, j, _], (twist, flip)) in PAIRS.iter().zip(curvature.twist.iter().zip(&curvature.flip)) {
        add_pair(out, &mode(*i, *j), &mode(*j, *i), factor * twist, factor * flip);
    }
}

/// Second derivatives of a law of two singular values of a 3×2 gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Curvature2 {
    pub(crate) scaling: [[Real; 2]; 2],
    pub(crate) twist: Real,
    pub(crate) flip: Real,
    /// ψ_j/σ_j.
    pub(crate) normal: [Real; 2],
}

/// As [`hessian`], 6×6, for a 3×2 gradient.
pub(crate) fn hessian32(svd: &Svd32, mut curvature: Curvature2, psd: Psd, factor: Real, out: &mut [Real]) {
    if psd == Psd::Project {
        psd::project(&mut curvature.scaling);
        curvature.twist = curvature.twist.max(0.0);
        curvature.flip = curvature.flip.max(0.0);
        curvature.normal = curvature.normal.map(|value| value.max(0.0));
    }
    let ([c, s], third) = (svd.v, svd.u[0].cross(&svd.u[1]));
    let v = [[c, s], [-s, c]];
    let mode = |u: &Vec3, j: usize| outer(u, &v[j]);
    let [u0, u1] = &svd.u;
    out.fill(0.0);
    let scaling = [mode(u0, 0), mode(u1, 1)];
    for i in 0..2 {
        for j in 0..2 {
            add(out, &scaling[i], &scaling[j], factor * curvature.scaling[i][j]);
        }
        let leaving = mode(&third, i);
        add(out, &leaving, &leaving, factor * curvature.normal[i]);
    }
    add_pair(out, &mode(u0, 1), &mode(u1, 0), factor * curvature.twist, factor * curvature.flip);
}

/// u vᵀ column by column; entries past the columns of v are zero.
fn outer<const N: usize>(u: &Vec3, v: &[Real; N]) -> [Real; 9] {
    std::array::from_fn(|k| if k < 3 * N { u[k % 3] * v[k / 3] } else { 0.0 })
}

/// Adds twist · t tᵀ + flip · f fᵀ with t, f = (a ∓ b)/√2.
fn add_pair(out: &mut [Real], a: &[Real; 9], b: &[Real; 9], twist: Real, flip: Real) {
    let (same, other) = (0.5 * (flip + twist), 0.5 * (flip - twist));
    add(out, a, a, same);
    add(out, b, b, same);
    add(out, a, b, other);
    add(out, b, a, other);
}

/// out += factor · a bᵀ for a square matrix, row by row.
fn add(out: &mut [Real], a: &[Real; 9], b: &[Real; 9], factor: Real) {
    let n = if out.len() == 81 { 9 } else { 6 };
    for (row, a) in out.chunks_exact_mut(n).zip(a) {
        for (out, b) in row.iter_mut().zip(b) {
            *out += factor * a * b;
        }
    }
}
