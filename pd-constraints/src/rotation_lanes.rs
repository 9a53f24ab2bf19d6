//! The rotation nearest to a matrix, for several matrices side by side.
//!
//! With singular values σ₁ ≥ σ₂ ≥ |σ₃|, σ₃ signed as det F, the largest root of the quartic
//! p(λ) = (λ² − |F|²)² − 8 λ det F − 4 |cof F|² is λ = σ₁ + σ₂ + σ₃, and the nearest rotation is a polynomial of F
//! (Markley 1993, "Attitude determination using vector observations: a fast optimal matrix algorithm"):
//! R = ((κ + |F|²) F + λ cof F − F FᵀF)/ζ with κ = (λ² − |F|²)/2 and ζ = κ λ − det F.
//! Chebyshev's iteration λ ← λ − (1 + p p''/(2 p'²)) p/p', of third order, finds λ from the bound √3 |F|; p is convex and
//! grows from λ on. p'(λ) = 8 ζ, and
//! ζ = (σ₁+σ₂)(σ₂+σ₃)(σ₃+σ₁) also determines the conditioning of R: where it is small, the lane is rejected.
//! There is only one square root, and inverted matrices need no special case.

//!
//! Three loops over a block: coefficients of the quartic, its root, the residual. Each step of the iteration waits for a division; in
//! a separate loop those of several groups of elements overlap.

use crate::lanes::{
    Arithmetic, BLOCK, Instructions, LARGEST_SQUARE, Lanes, SMALLEST_SQUARE, combine, cross, dot,
};
use crate::matrix_lanes::{Matrices, Scratch, load, store};
use pd_core::Real;

/// Least ζ, relative to (√3 |F|)³, which is 27/8 ζ for a rotation: rounding errors grow with the inverse.
const MIN_ZETA: f64 = 1e-3;

/// Initial steps: enough for strains of a sixth.
const STEPS: usize = 2;

/// Maximum number of further steps, one by one, if lanes need more.
const MORE: usize = 7;

/// Largest ρ = p p''/(2 p'²) of the last step. What is left of λ's error is 2ρ² of that step; with p''/(2 p') ≈
/// 1/(2 (σ₂ + σ₃)) and R as sensitive to λ as 1/(σ₂ + σ₃), the error of R is about 4ρ³, even for flat matrices.
const LAST_RATIO: f64 = 1e-5;

// What is kept between the loops: FᵀF without its lower half, and the rest of the list.
const GRAM: usize = 0;
const SQUARE: usize = 6;
const DETERMINANT: usize = 7;
const CONSTANT: usize = 8;
const BOUND: usize = 9;
const LAMBDA: usize = 10;
const RATIO: usize = 11;

/// F − R of a block of matrices F, and 1 in the lanes where it is accurate, else 0.
#[inline(always)]
pub(crate) fn residual<I: Instructions>(
    instructions: I,
    f: &Matrices,
    r: &mut Matrices,
    valid: &mut [Real; BLOCK],
    scratch: &mut Scratch,
) {
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        invariants(instructions, f, r, scratch, at);
    }
    let mut more = false;
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        let (lambda, ratio) =
            iterate::<I, STEPS>(instructions, scratch, instructions.load(&scratch[BOUND][at..]), at);
        more |= left(ratio).any_not_above(0.0);
        lambda.store(&mut scratch[LAMBDA][at..]);
        ratio.store(&mut scratch[RATIO][at..]);
    }
    for _ in 0..MORE {
        if !more {
            break;
        }
        more = false;
        for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
            let lambda = instructions.load(&scratch[LAMBDA][at..]);
            let ratio = instructions.load(&scratch[RATIO][at..]);
            let (better, smaller) = iterate::<I, 1>(instructions, scratch, lambda, at);
            // Converged lanes keep their values while others iterate.
            let (left_over, zero) = (left(ratio), lambda.fill(0.0));
            let lambda = zero.if_less(left_over, lambda, better);
            let ratio = zero.if_less(left_over, ratio, smaller);
            more |= left(ratio).any_not_above(0.0);
            lambda.store(&mut scratch[LAMBDA][at..]);
            ratio.store(&mut scratch[RATIO][at..]);
        }
    }
    for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
        rest(instructions, f, r, valid, scratch, at);
    }
}

/// cof F, the coefficients of the quartic and the bound on its root. |cof F|² from cof F and not from FᵀF: where it is
/// small, differences of the entries of FᵀF would have lost its digits.
#[inline(always)]
fn invariants<I: Instructions>(
    instructions: I,
    f: &Matrices,
    cofactors: &mut Matrices,
    scratch: &mut Scratch,
    at: usize,
) {
    let f = load(instructions, f, at);
    let cof = [cross(&f[1], &f[2]), cross(&f[2], &f[0]), cross(&f[0], &f[1])];
    store(&cof, cofactors, at);
    let det = dot(&f[0], &cof[0]);
    let cof_square = dot(&cof[0], &cof[0]) + dot(&cof[1], &cof[1]) + dot(&cof[2], &cof[2]);
    let [g00, g11, g22] = [dot(&f[0], &f[0]), dot(&f[1], &f[1]), dot(&f[2], &f[2])];
    let [g12, g02, g01] = [dot(&f[1], &f[2]), dot(&f[0], &f[2]), dot(&f[0], &f[1])];
    let square = g00 + g11 + g22;
    let bound = (square * square.fill(3.0)).sqrt();
    for (k, entry) in [g00, g01, g02, g11, g12, g22].into_iter().enumerate() {
        entry.store(&mut scratch[GRAM + k][at..]);
    }
    square.store(&mut scratch[SQUARE][at..]);
    det.store(&mut scratch[DETERMINANT][at..]);
    (cof_square * square.fill(4.0)).store(&mut scratch[CONSTANT][at..]);
    bound.store(&mut scratch[BOUND][at..]);
}

/// λ after some steps for p(λ) = (λ² − a)² − b λ − c = 0, and ρ of the last of them.
#[inline(always)]
fn iterate<I: Instructions, const N: usize>(
    instructions: I,
    scratch: &Scratch,
    mut lambda: I::Lanes,
    at: usize,
) -> (I::Lanes, I::Lanes) {
    let a = instructions.load(&scratch[SQUARE][at..]);
    let b = instructions.load(&scratch[DETERMINANT][at..]) * lambda.fill(8.0);
    let c = instructions.load(&scratch[CONSTANT][at..]);
    let mut ratio = lambda;
    for _ in 0..N {
        let e = lambda.mul_add(lambda, -a);
        let value = e.mul_add(e, -lambda.mul_add(b, c));
        let inverse_slope = (lambda * e).mul_add(lambda.fill(4.0), -b).recip();
        let half_curvature = e.mul_add(lambda.fill(6.0), a * lambda.fill(4.0));
        let newton = value * inverse_slope;
        ratio = newton * inverse_slope * half_curvature;
        lambda = lambda - ratio.mul_add(newton, newton);
    }
    (lambda, ratio)
}

/// Positive where the last step was small enough.
#[inline(always)]
fn left<T: Lanes>(ratio: T) -> T {
    ratio.fill(LAST_RATIO) - ratio.abs()
}

/// F − R = F (1 − (κ + |F|² − FᵀF)/ζ) − (λ/ζ) cof F, in the place of cof F.
#[inline(always)]
fn rest<I: Instructions>(
    instructions: I,
    f: &Matrices,
    r: &mut Matrices,
    valid: &mut [Real; BLOCK],
    scratch: &Scratch,
    at: usize,
) {
    let lambda = instructions.load(&scratch[LAMBDA][at..]);
    let square = instructions.load(&scratch[SQUARE][at..]);
    let (zero, one) = (lambda.fill(0.0), lambda.fill(1.0));
    let kappa = lambda.mul_add(lambda, -square) * one.fill(0.5);
    let zeta = kappa.mul_add(lambda, -instructions.load(&scratch[DETERMINANT][at..]));
    let inverse = zeta.recip();
    let of_f = (kappa + square).neg_mul_add(inverse, one);
    let of_cofactors = lambda * inverse;
    let s00 = instructions.load(&scratch[GRAM][at..]).mul_add(inverse, of_f);
    let s01 = instructions.load(&scratch[GRAM + 1][at..]) * inverse;
    let s02 = instructions.load(&scratch[GRAM + 2][at..]) * inverse;
    let s11 = instructions.load(&scratch[GRAM + 3][at..]).mul_add(inverse, of_f);
    let s12 = instructions.load(&scratch[GRAM + 4][at..]) * inverse;
    let s22 = instructions.load(&scratch[GRAM + 5][at..]).mul_add(inverse, of_f);
    let (f, cofactors) = (load(instructions, f, at), load(instructions, r, at));
    let mut residual = f;
    for (j, [a, b, c]) in [[s00, s01, s02], [s01, s11, s12], [s02, s12, s22]].into_iter().enumerate() {
        let polynomial = combine(&f, a, b, c);
        for i in 0..3 {
            residual[j][i] = of_cofactors.neg_mul_add(cofactors[j][i], polynomial[i]);
        }
    }
    store(&residual, r, at);

    let bound = instructions.load(&scratch[BOUND][at..]);
    let ratio = instructions.load(&scratch[RATIO][at..]);
    let mut flags = (bound * bound * bound * one.fill(MIN_ZETA)).if_less(zeta, one, zero);
    flags = zero.if_less(left(ratio), flags, zero);
    flags = square.if_less(one.fill(LARGEST_SQUARE), flags, zero);
    flags = one.fill(SMALLEST_SQUARE).if_less(square, flags, zero);
    flags.store(&mut valid[at..]);
}
