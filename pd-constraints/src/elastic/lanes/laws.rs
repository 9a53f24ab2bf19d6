//! The four laws; formulas in `mod.rs` and in the files of the laws.

use super::{Answer, LameBlock, LaneLaw};
use crate::elastic::{Corotated, NeoHookean, StVenantKirchhoff, StableNeoHookean};
use crate::lanes::ln::ln;
use crate::lanes::{
    Arithmetic, BLOCK, Instructions, LARGEST_SQUARE, Lanes, SMALLEST_SQUARE, combine, cross, dot,
};
use crate::matrix_lanes::{Columns, Matrices, load, store};
use crate::rotation_lanes;

/// Least J/|F|³ of a Neo-Hookean element: the rounding error of J, and so of P, grows with the inverse.
const MIN_DETERMINANT: f64 = 1e-4;

/// λ/ω and μ/ω.
#[inline(always)]
fn relative<I: Instructions>(instructions: I, lame: &LameBlock, at: usize) -> (I::Lanes, I::Lanes) {
    let (lambda, mu) = (instructions.load(&lame.0[0][at..]), instructions.load(&lame.0[1][at..]));
    let stiffness = lambda.max(lambda.fill(0.0)).mul_add(lambda.fill(3.0), mu + mu);
    let inverse = stiffness.recip();
    (lambda * inverse, mu * inverse)
}

/// |F|² − 3 from differences, so that small strains keep their digits.
#[inline(always)]
fn square_minus_3<T: Lanes>(f: &Columns<T>) -> T {
    let one = f[0][0].fill(1.0);
    (dot(&f[0], &f[0]) - one) + (dot(&f[1], &f[1]) - one) + (dot(&f[2], &f[2]) - one)
}

#[inline(always)]
fn cofactors<T: Lanes>(f: &Columns<T>) -> Columns<T> {
    [cross(&f[1], &f[2]), cross(&f[2], &f[0]), cross(&f[0], &f[1])]
}

/// a F + b G.
#[inline(always)]
fn sum_of<T: Lanes>(a: T, f: &Columns<T>, b: T, g: &Columns<T>) -> Columns<T> {
    let mut sum = *f;
    for j in 0..3 {
        for i in 0..3 {
            sum[j][i] = a.mul_add(f[j][i], b * g[j][i]);
        }
    }
    sum
}

/// 1 where the square of the size is neither so large nor so small that products of entries lose their digits, else 0. Each
/// comparison fails for NaN.
#[inline(always)]
fn sound<T: Lanes>(square: T) -> T {
    let (zero, one) = (square.fill(0.0), square.fill(1.0));
    let flags = square.if_less(one.fill(LARGEST_SQUARE), one, zero);
    one.fill(SMALLEST_SQUARE).if_less(square, flags, zero)
}

/// Writes what a law found for some lanes.
#[inline(always)]
fn write<T: Lanes>(pull: &Columns<T>, density: T, valid: T, to: &mut Answer, at: usize) {
    store(pull, &mut to.pull, at);
    density.store(&mut to.density[at..]);
    valid.store(&mut to.valid[at..]);
}

impl LaneLaw for StVenantKirchhoff {
    #[inline(always)]
    fn answer<I: Instructions>(self, instructions: I, f: &Matrices, lame: &LameBlock, to: &mut Answer) {
        for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
            let (lambda, mu) = relative(instructions, lame, at);
            let f = load(instructions, f, at);
            let (half, one) = (mu.fill(0.5), mu.fill(1.0));
            let mut strain = f;
            for i in 0..3 {
                for j in i..3 {
                    let product = dot(&f[i], &f[j]);
                    strain[i][j] = if i == j { (product - one) * half } else { product * half };
                    strain[j][i] = strain[i][j];
                }
            }
            let trace = strain[0][0] + strain[1][1] + strain[2][2];
            let pressure = lambda * trace;
            let square =
                dot(&strain[0], &strain[0]) + dot(&strain[1], &strain[1]) + dot(&strain[2], &strain[2]);
            let density = mu.mul_add(square, half * pressure * trace);
            let twice = mu + mu;
            let mut pull = f;
            for j in 0..3 {
                let mut stress = strain[j];
                for i in 0..3 {
                    stress[i] = if i == j { twice.mul_add(stress[i], pressure) } else { twice * stress[i] };
                }
                pull[j] = combine(&f, stress[0], stress[1], stress[2]);
            }
            // Flat elements are no exception, only sizes whose squares overflow.
            let size = trace + trace + one.fill(3.0);
            let valid = size.if_less(one.fill(LARGEST_SQUARE), one, one.fill(0.0));
            write(&pull, density, valid, to, at);
        }
    }
}

impl LaneLaw for NeoHookean {
    #[inline(always)]
    fn answer<I: Instructions>(self, instructions: I, f: &Matrices, lame: &LameBlock, to: &mut Answer) {
        for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
            let (lambda, mu) = relative(instructions, lame, at);
            let f = load(instructions, f, at);
            let cofactors = cofactors(&f);
            let (zero, half) = (mu.fill(0.0), mu.fill(0.5));
            let excess = square_minus_3(&f);
            let square = excess + mu.fill(3.0);
            let volume = dot(&f[0], &cofactors[0]);
            let limit = square * square.sqrt() * mu.fill(MIN_DETERMINANT);
            let valid = limit.if_less(volume, sound(square), zero);
            // A harmless logarithm where the law is not defined.
            let log = ln(zero.if_less(valid, volume, mu.fill(1.0)));
            let pressure = lambda.mul_add(log, -mu);
            let pull = sum_of(mu, &f, pressure.over(volume), &cofactors);
            let of_volume = (half * lambda).mul_add(log, -mu) * log;
            write(&pull, (half * mu).mul_add(excess, of_volume), valid, to, at);
        }
    }
}

impl LaneLaw for StableNeoHookean {
    #[inline(always)]
    fn answer<I: Instructions>(self, instructions: I, f: &Matrices, lame: &LameBlock, to: &mut Answer) {
        for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
            let (lambda, mu) = relative(instructions, lame, at);
            let f = load(instructions, f, at);
            let cofactors = cofactors(&f);
            let (half, one) = (mu.fill(0.5), mu.fill(1.0));
            let excess = square_minus_3(&f);
            let growth = dot(&f[0], &cofactors[0]) - one;
            // The constants of the law, and λ̂ (α − 1).
            let lambda = mu.mul_add(mu.fill(5.0 / 6.0), lambda);
            let mu_hat = mu * mu.fill(4.0 / 3.0);
            let offset = mu;
            let quarter = excess * mu.fill(0.25);
            let quarter_and_one = quarter + one;
            // |F|² + 1 = 4 (1 + (|F|² − 3)/4).
            let inverse = quarter_and_one.recip();
            let shear = (inverse * mu.fill(-0.25)).mul_add(mu_hat, mu_hat);
            let pressure = lambda.mul_add(growth, -offset);
            let pull = sum_of(shear, &f, pressure, &cofactors);
            // ln(1 + q) with what 1 + q loses of q.
            let lost = quarter - (quarter_and_one - one);
            let log = ln(quarter_and_one) + lost * inverse;
            let of_volume = (half * lambda).mul_add(growth, -offset) * growth;
            let density = (half * mu_hat).mul_add(excess - log, of_volume);
            let valid = (excess + mu.fill(3.0)).if_less(one.fill(LARGEST_SQUARE), one, one.fill(0.0));
            write(&pull, density, valid, to, at);
        }
    }
}

impl LaneLaw for Corotated {
    #[inline(always)]
    fn answer<I: Instructions>(self, instructions: I, f: &Matrices, lame: &LameBlock, to: &mut Answer) {
        rotation_lanes::residual(instructions, f, &mut to.pull, &mut to.valid, &mut to.scratch);
        for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
            let (lambda, mu) = relative(instructions, lame, at);
            let (f, strain) = (load(instructions, f, at), load(instructions, &to.pull, at));
            let mut rotation = f;
            for j in 0..3 {
                for i in 0..3 {
                    rotation[j][i] = f[j][i] - strain[j][i];
                }
            }
            // tr S − 3 = R : (F − R), since R : R = 3.
            let trace =
                dot(&rotation[0], &strain[0]) + dot(&rotation[1], &strain[1]) + dot(&rotation[2], &strain[2]);
            let square =
                dot(&strain[0], &strain[0]) + dot(&strain[1], &strain[1]) + dot(&strain[2], &strain[2]);
            let pressure = lambda * trace;
            let pull = sum_of(mu + mu, &strain, pressure, &rotation);
            let density = mu.mul_add(square, pressure * trace * mu.fill(0.5));
            store(&pull, &mut to.pull, at);
            density.store(&mut to.density[at..]);
        }
    }
}
