//! The rotation nearest to a matrix, for several matrices side by side.
//!
//! With singular values σ₁ ≥ σ₂ ≥ |σ₃|, σ₃ signed as det F, the largest root of the quartic
//! p(λ) = (λ² − |F|²)² − 8 λ det F − 4 |cof F|² is λ = σ₁ + σ₂ + σ₃, and the nearest rotation is a polynomial of F
//! (Markley 1993, "Attitude determination using vector observations: a fast optimal matrix algorithm"):
//! R = ((κ + |F|²) F + λ cof F − F FᵀF)/ζ with κ = (λ² − |F|²)/2 and ζ = κ λ − det F.
//! Newton's iteration for λ falls monotonically from the bound √3 |F|; p is convex there. p'(λ) = 8 ζ, and
//! ζ = (σ₁+σ₂)(σ₂+σ₃)(σ₃+σ₁) is also what the conditioning of R hangs on: where it is small the lane is given up.
//! No branch, no square root but one, and inverted matrices are served alike.

use crate::lanes::{LARGEST_SQUARE, Lanes, SMALLEST_SQUARE, combine, cross, dot};

/// Least ζ, relative to (√3 |F|)³, which is 27/8 ζ for a rotation: rounding errors grow with the inverse.
const LEAST_ZETA: f64 = 1e-3;

/// Newton steps: enough for strains of a third. Lanes that need more have them in rounds of as many.
const STEPS: usize = 4;

/// Rounds of Newton steps after the first.
const ROUNDS: usize = 2;

/// The last step must be this small, relative to λ; the error squares.
const LAST_STEP: f64 = 1e-9;

/// F − R for the columns of F, and 1 in the lanes where it is accurate, else 0.
#[inline(always)]
pub(crate) fn residual<T: Lanes>(f: &[[T; 3]; 3]) -> ([[T; 3]; 3], T) {
    let one = f[0][0].fill(1.0);
    let cofactors = [cross(&f[1], &f[2]), cross(&f[2], &f[0]), cross(&f[0], &f[1])];
    let det = dot(&f[0], &cofactors[0]);
    let [g00, g11, g22] = [dot(&f[0], &f[0]), dot(&f[1], &f[1]), dot(&f[2], &f[2])];
    let [g12, g02, g01] = [dot(&f[1], &f[2]), dot(&f[0], &f[2]), dot(&f[0], &f[1])];
    let square = g00 + g11 + g22;
    let [c0, c1, c2] = &cofactors;
    let constant = (dot(c0, c0) + dot(c1, c1) + dot(c2, c2)) * one.fill(4.0);
    let linear = det * one.fill(8.0);

    let triple = square * one.fill(3.0);
    let bound = triple * triple.rsqrt();
    let quartic = [square, linear, constant];
    let (mut lambda, mut step) = newton(bound, &quartic);
    // Lanes that need no more keep their bits, whatever the others do.
    for _ in 0..ROUNDS {
        let limit = lambda * one.fill(LAST_STEP);
        if !(limit - step.abs()).any_not_above(0.0) {
            break;
        }
        let (better, smaller) = newton(lambda, &quartic);
        lambda = step.abs().if_less(limit, lambda, better);
        step = step.abs().if_less(limit, step, smaller);
    }

    let kappa = lambda.mul_add(lambda, -square) * one.fill(0.5);
    let zeta = kappa.mul_add(lambda, -det);
    let inverse = zeta.recip();
    // F − R = F − ((κ + |F|²) F + λ cof F − F FᵀF)/ζ.
    let of_f = (kappa + square).neg_mul_add(inverse, one);
    let of_cofactors = lambda * inverse;
    let gram = [[g00, g01, g02], [g01, g11, g12], [g02, g12, g22]];
    let mut residual = *f;
    for j in 0..3 {
        let cubic = combine(f, gram[j][0], gram[j][1], gram[j][2]);
        for i in 0..3 {
            let others = of_cofactors.neg_mul_add(cofactors[j][i], cubic[i] * inverse);
            residual[j][i] = f[j][i].mul_add(of_f, others);
        }
    }

    let zero = one.fill(0.0);
    let mut sound = (bound * bound * bound * one.fill(LEAST_ZETA)).if_less(zeta, one, zero);
    sound = step.abs().if_less(lambda * one.fill(LAST_STEP), sound, zero);
    sound = square.if_less(one.fill(LARGEST_SQUARE), sound, zero);
    sound = one.fill(SMALLEST_SQUARE).if_less(square, sound, zero);
    (residual, sound)
}

/// λ after some Newton steps for (λ² − a)² − b λ − c = 0, and the last of them.
#[inline(always)]
fn newton<T: Lanes>(mut lambda: T, [a, b, c]: &[T; 3]) -> (T, T) {
    let mut step = lambda;
    for _ in 0..STEPS {
        let e = lambda.mul_add(lambda, -*a);
        let value = e.mul_add(e, -lambda.mul_add(*b, *c));
        let slope = (lambda * e).mul_add(lambda.fill(4.0), -*b);
        step = value * slope.recip();
        lambda = lambda - step;
    }
    (lambda, step)
}
