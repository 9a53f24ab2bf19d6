//! Singular values and vectors of several 3×3 matrices side by side, without branches.
//!
//! Jacobi rotations on FᵀF give V nearly; rotations of the columns of F V among themselves (Hestenes 1958) then make them
//! orthogonal to the last digits, which FᵀF has lost. As in `svd3.rs`, columns are sorted by length, u₃ = u₁ × u₂ and
//! σ₃ = u₃·b₃, so U and V are rotations and σ₃ has the sign of det F. The number of sweeps is fixed; lanes whose columns are
//! not orthogonal after them are reported, so that only verified results are used.
//!
//! A rotation by φ with tan 2φ = y/x, |φ| ≤ π/4, from inverse roots alone: with ρ = 1/√(x² + y²), cos² φ = ½ + ½|x|ρ and
//! sin φ = ½ sign(x) y ρ/cos φ.

use crate::lanes::{LARGEST_SQUARE, Lanes, SMALLEST_SQUARE, combine, cross, dot};

/// Sweeps on FᵀF.
const FIRST_SWEEPS: usize = 3;

/// Sweeps on the columns of F V.
const LAST_SWEEPS: usize = 2;

/// Columns are treated as orthogonal when their product is below this fraction of the square of the longer: a change of F by
/// as small a part of that column would make it zero.
const ORTHOGONAL: f64 = 4e-15;

/// Least σ₂²/σ₁²: below it the direction of the second column is lost.
const MIN_SECOND: f64 = 1e-12;

/// Keeps 0/0 away where two columns are orthogonal and of one length. Its square is a normal number.
const TINY: f64 = 1e-150;

/// F = U diag(σ) Vᵀ; columns of U and V.
pub(crate) struct Svd<T> {
    u: [[T; 3]; 3],
    /// σ₁ ≥ σ₂ ≥ |σ₃|; σ₃ has the sign of det F.
    pub(crate) sigma: [T; 3],
    v: [[T; 3]; 3],
    /// 1 in the lanes where it is accurate, else 0.
    pub(crate) valid: T,
}

impl<T: Lanes> Svd<T> {
    /// Decomposes.
    #[inline(always)]
    pub(crate) fn new(f: &[[T; 3]; 3]) -> Self {
        let one = f[0][0].fill(1.0);
        let mut v = vectors_of_gram(f);
        let mut b = v;
        for j in 0..3 {
            b[j] = combine(f, v[j][0], v[j][1], v[j][2]);
        }
        for _ in 0..LAST_SWEEPS {
            orthogonalise(&mut b, &mut v, 0, 1);
            orthogonalise(&mut b, &mut v, 0, 2);
            orthogonalise(&mut b, &mut v, 1, 2);
        }
        let mut squares = [dot(&b[0], &b[0]), dot(&b[1], &b[1]), dot(&b[2], &b[2])];
        sort(&mut squares, &mut b, &mut v, 0, 1);
        sort(&mut squares, &mut b, &mut v, 0, 2);
        sort(&mut squares, &mut b, &mut v, 1, 2);

        // Each comparison fails for NaN. F itself first: where its squares overflow V is no rotation.
        let zero = one.fill(0.0);
        let size = dot(&f[0], &f[0]) + dot(&f[1], &f[1]) + dot(&f[2], &f[2]);
        let mut valid = size.if_less(one.fill(3.0 * LARGEST_SQUARE), one, zero);
        valid = squares[0].if_less(one.fill(LARGEST_SQUARE), valid, zero);
        valid = one.fill(SMALLEST_SQUARE).if_less(squares[0], valid, zero);
        valid = (squares[0] * one.fill(MIN_SECOND)).if_less(squares[1], valid, zero);
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let limit = squares[p] * one.fill(ORTHOGONAL);
            valid = dot(&b[p], &b[q]).abs().if_less(limit, valid, zero);
        }

        let mut u = b;
        let inverse = squares[0].rsqrt();
        for i in 0..3 {
            u[0][i] = b[0][i] * inverse;
        }
        let along = dot(&u[0], &b[1]);
        for i in 0..3 {
            u[1][i] = along.neg_mul_add(u[0][i], b[1][i]);
        }
        let inverse = dot(&u[1], &u[1]).rsqrt();
        for i in 0..3 {
            u[1][i] = u[1][i] * inverse;
        }
        u[2] = cross(&u[0], &u[1]);
        let sigma = [dot(&u[0], &b[0]), dot(&u[1], &b[1]), dot(&u[2], &b[2])];
        Self { u, sigma, v, valid }
    }

    /// F − U diag(s) Vᵀ.
    #[inline(always)]
    pub(crate) fn residual(&self, f: &[[T; 3]; 3], s: &[T; 3]) -> [[T; 3]; 3] {
        let Self { u, v, .. } = self;
        let mut residual = *f;
        for j in 0..3 {
            let nearest = combine(u, v[0][j] * s[0], v[1][j] * s[1], v[2][j] * s[2]);
            for i in 0..3 {
                residual[j][i] = f[j][i] - nearest[i];
            }
        }
        residual
    }
}

/// Eigenvectors of FᵀF by cyclic Jacobi rotations.
#[inline(always)]
fn vectors_of_gram<T: Lanes>(f: &[[T; 3]; 3]) -> [[T; 3]; 3] {
    let (zero, one) = (f[0][0].fill(0.0), f[0][0].fill(1.0));
    let mut diagonal = [dot(&f[0], &f[0]), dot(&f[1], &f[1]), dot(&f[2], &f[2])];
    // Opposite to index r: the entry (p, q) of the other two.
    let mut off = [dot(&f[1], &f[2]), dot(&f[0], &f[2]), dot(&f[0], &f[1])];
    let mut v = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    for _ in 0..FIRST_SWEEPS {
        for [p, q, r] in [[0, 1, 2], [0, 2, 1], [1, 2, 0]] {
            let (c, s, inverse_c) = rough_half_angle(diagonal[q] - diagonal[p], off[r] + off[r]);
            // With t = s/c the diagonal changes by t·off.
            let change = s * inverse_c * off[r];
            diagonal[p] = diagonal[p] - change;
            diagonal[q] = diagonal[q] + change;
            off[r] = zero;
            (off[q], off[p]) = turned(off[q], off[p], c, s);
            for k in 0..3 {
                (v[p][k], v[q][k]) = turned(v[p][k], v[q][k], c, s);
            }
        }
    }
    // Turns of rough length leave V nearly a rotation; this makes it one.
    let inverse = dot(&v[0], &v[0]).rsqrt();
    for k in 0..3 {
        v[0][k] = v[0][k] * inverse;
    }
    let along = dot(&v[0], &v[1]);
    for k in 0..3 {
        v[1][k] = along.neg_mul_add(v[0][k], v[1][k]);
    }
    let inverse = dot(&v[1], &v[1]).rsqrt();
    for k in 0..3 {
        v[1][k] = v[1][k] * inverse;
    }
    v[2] = cross(&v[0], &v[1]);
    v
}

/// Makes the columns p and q of B orthogonal; V turns along.
#[inline(always)]
fn orthogonalise<T: Lanes>(b: &mut [[T; 3]; 3], v: &mut [[T; 3]; 3], p: usize, q: usize) {
    let product = dot(&b[p], &b[q]);
    let (c, s) = half_angle(dot(&b[q], &b[q]) - dot(&b[p], &b[p]), product + product);
    for k in 0..3 {
        (b[p][k], b[q][k]) = turned(b[p][k], b[q][k], c, s);
        (v[p][k], v[q][k]) = turned(v[p][k], v[q][k], c, s);
    }
}

/// Cosine and sine of φ with tan 2φ = y/x and |φ| ≤ π/4; no turn for 0/0.
#[inline(always)]
fn half_angle<T: Lanes>(x: T, y: T) -> (T, T) {
    let half = x.fill(0.5);
    let size = x.abs() + x.fill(TINY);
    let inverse = size.mul_add(size, y * y).rsqrt();
    let square = (size * inverse).mul_add(half, half);
    let inverse_cosine = square.rsqrt();
    (square * inverse_cosine, (y * inverse).flip(x) * (half * inverse_cosine))
}

/// The same to 1e-5, and 1/cos φ: this accuracy is sufficient for the rotations that follow.
#[inline(always)]
fn rough_half_angle<T: Lanes>(x: T, y: T) -> (T, T, T) {
    let half = x.fill(0.5);
    let size = x.abs() + x.fill(TINY);
    let inverse = size.mul_add(size, y * y).rough_rsqrt();
    let square = (size * inverse).mul_add(half, half);
    let inverse_cosine = square.rough_rsqrt();
    (square * inverse_cosine, (y * inverse).flip(x) * (half * inverse_cosine), inverse_cosine)
}

/// (c a − s b, s a + c b).
#[inline(always)]
fn turned<T: Lanes>(a: T, b: T, c: T, s: T) -> (T, T) {
    (s.neg_mul_add(b, c * a), s.mul_add(a, c * b))
}

/// Puts the longer of two columns first; a quarter turn exchanges them and keeps V a rotation.
#[inline(always)]
fn sort<T: Lanes>(squares: &mut [T; 3], b: &mut [[T; 3]; 3], v: &mut [[T; 3]; 3], p: usize, q: usize) {
    let (first, second) = (squares[p], squares[q]);
    for columns in [b, v] {
        for k in 0..3 {
            let (a, c) = (columns[p][k], columns[q][k]);
            columns[p][k] = first.if_less(second, c, a);
            columns[q][k] = first.if_less(second, -a, c);
        }
    }
    (squares[p], squares[q]) = (first.max(second), first.min(second));
}
