//! Natural logarithms, lanes side by side.
//!
//! As in FreeBSD's `e_log.c` (Sun Microsystems 1993): x = 2ᵏ (1 + f) with 1 + f in [√½, √2), s = f/(2 + f) and
//! ln(1 + f) = f − (f²/2 − s (f²/2 + R(s²))), R a polynomial of Remez. The error is below one unit in the last place.

use super::Lanes;

/// Coefficients of R, the lowest power first.
const R: [f64; 7] = [
    6.666_666_666_666_735e-1,
    3.999_999_999_940_942e-1,
    2.857_142_874_366_239e-1,
    2.222_219_843_214_978_4e-1,
    1.818_357_216_161_805e-1,
    1.531_383_769_920_937_3e-1,
    1.479_819_860_511_658_6e-1,
];

/// ln 2 in two parts; products of the first with an exponent are exact.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];

/// ln x of positive normal numbers.
#[inline(always)]
pub(crate) fn ln<T: Lanes>(x: T) -> T {
    let (exponent, mantissa) = x.exponent_and_mantissa();
    let f = mantissa - x.fill(1.0);
    let s = f.over(f + x.fill(2.0));
    let z = s * s;
    let mut r = x.fill(R[6]);
    for k in (0..6).rev() {
        r = r.mul_add(z, x.fill(R[k]));
    }
    let half = f * f * x.fill(0.5);
    let small = exponent.mul_add(x.fill(LN_2[1]), s * r.mul_add(z, half));
    exponent.mul_add(x.fill(LN_2[0]), f - (half - small))
}

#[cfg(test)]
mod tests {
    use crate::lanes::{BLOCK, Instructions, Kernel, Lanes, Level};

    struct Block<'a>(&'a mut [f64; BLOCK]);

    impl Kernel for Block<'_> {
        #[inline(always)]
        fn run<I: Instructions>(self, instructions: I) {
            for at in (0..BLOCK).step_by(I::Lanes::COUNT) {
                super::ln(instructions.load(&self.0[at..])).store(&mut self.0[at..]);
            }
        }
    }

    #[test]
    fn logarithms_agree_with_the_standard_library() {
        let edges = [1.0, 2.0, 0.5, 0.5f64.sqrt(), 2.0f64.sqrt(), f64::MIN_POSITIVE, f64::MAX, 1.0 - 1e-16];
        let near = (-500..500).map(|k| 1.0 + f64::from(k) * 1e-3);
        let far = (-300..300).map(|k| 10f64.powi(k) * 1.234_567);
        let tiny = (-16..0).flat_map(|k| [1.0 + 10f64.powi(k), 1.0 - 0.3 * 10f64.powi(k)]);
        let all: Vec<f64> = edges
            .into_iter()
            .chain(near)
            .chain(far)
            .chain(tiny)
            .filter(|x| x.is_normal() && *x > 0.0)
            .collect();
        for level in Level::all() {
            for x in &all {
                let mut block = [*x; BLOCK];
                level.run(Block(&mut block));
                let (found, wanted) = (block[BLOCK - 1], x.ln());
                assert!(
                    (found - wanted).abs() <= 4.0 * f64::EPSILON * wanted.abs(),
                    "{level:?} {x}: {found} {wanted}"
                );
            }
        }
    }
}
