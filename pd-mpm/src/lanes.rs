//! Four numbers side by side: the velocity and mass of a node, or a column of a matrix.
//!
//! Transfers are written once for any [`Instructions`]; which are used is found at run time. The compiler alone reaches
//! three quarters of the speed of the 256-bit registers here, because it splits a quadruple in the inner loops. Results
//! may differ in the last bits between the two, because plain Rust rounds twice where FMA rounds once.

use pd_core::Real;

/// Four numbers.
pub(crate) trait Quad: Copy {
    fn store(self, to: &mut [Real; 4]);
    fn add(self, b: Self) -> Self;
    fn scale(self, s: Real) -> Self;
    /// self·s + c.
    fn mul_add(self, s: Real, c: Self) -> Self;
}

/// Proof that a set of instructions is there.
pub(crate) trait Instructions: Copy {
    type Quad: Quad;
    fn load(self, from: &[Real; 4]) -> Self::Quad;
}

/// Work that is written for any instructions. Implementations must be `#[inline(always)]` all the way down.
pub(crate) trait Work {
    fn run<I: Instructions>(self, instructions: I);
}

/// Runs the work with the best instructions there are.
#[inline]
pub(crate) fn run(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = x86::Avx2::find() {
        return avx2.run(work);
    }
    work.run(Plain);
}

/// Every processor.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl Instructions for Plain {
    type Quad = [Real; 4];
    #[inline(always)]
    fn load(self, from: &[Real; 4]) -> [Real; 4] {
        *from
    }
}

impl Quad for [Real; 4] {
    #[inline(always)]
    fn store(self, to: &mut [Real; 4]) {
        *to = self;
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        [self[0] + b[0], self[1] + b[1], self[2] + b[2], self[3] + b[3]]
    }
    #[inline(always)]
    fn scale(self, s: Real) -> Self {
        [self[0] * s, self[1] * s, self[2] * s, self[3] * s]
    }
    #[inline(always)]
    fn mul_add(self, s: Real, c: Self) -> Self {
        [self[0] * s + c[0], self[1] * s + c[1], self[2] * s + c[2], self[3] * s + c[3]]
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Instructions, Quad, Work};
    use pd_core::Real;
    use std::arch::x86_64::*;

    /// AVX2 with FMA. A value exists only where the processor has them, so its operations are sound.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(());

    /// A register; made by [`Avx2::load`] or from other registers.
    #[derive(Clone, Copy)]
    pub(crate) struct Register(__m256d);

    impl Avx2 {
        #[inline]
        pub(crate) fn find() -> Option<Self> {
            (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
        }

        pub(crate) fn run(self, work: impl Work) {
            #[target_feature(enable = "avx2,fma")]
            fn inner(avx2: Avx2, work: impl Work) {
                work.run(avx2);
            }
            // SAFETY: a value of this type exists only where the processor has the instructions.
            unsafe { inner(self, work) }
        }
    }

    impl Instructions for Avx2 {
        type Quad = Register;
        #[inline(always)]
        fn load(self, from: &[Real; 4]) -> Register {
            // SAFETY: four numbers to read; the instruction is there, see the type.
            Register(unsafe { _mm256_loadu_pd(from.as_ptr()) })
        }
    }

    impl Quad for Register {
        #[inline(always)]
        fn store(self, to: &mut [Real; 4]) {
            // SAFETY: room for four numbers; the instruction is there, see the type, and likewise below.
            unsafe { _mm256_storeu_pd(to.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn add(self, b: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_add_pd(self.0, b.0) })
        }
        #[inline(always)]
        fn scale(self, s: Real) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_mul_pd(self.0, _mm256_set1_pd(s)) })
        }
        #[inline(always)]
        fn mul_add(self, s: Real, c: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_fmadd_pd(self.0, _mm256_set1_pd(s), c.0) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Polynomial<'a>(&'a [[Real; 4]], &'a mut [Real; 4]);

    impl Work for Polynomial<'_> {
        #[inline(always)]
        fn run<I: Instructions>(self, i: I) {
            let mut sum = i.load(&[0.0; 4]);
            for (k, values) in self.0.iter().enumerate() {
                let value = i.load(values);
                sum = value.scale(0.5).add(value).mul_add(1.0 / (k + 1) as Real, sum);
            }
            sum.store(self.1);
        }
    }

    #[test]
    fn instructions_agree_with_plain_rust() {
        let values: Vec<[Real; 4]> =
            (0..40).map(|k| [0.3, 1.7, -2.1, 0.9].map(|a| (a * k as Real).sin())).collect();
        let (mut plain, mut best) = ([0.0; 4], [0.0; 4]);
        Polynomial(&values, &mut plain).run(Plain);
        run(Polynomial(&values, &mut best));
        for (a, b) in plain.iter().zip(best) {
            assert!((a - b).abs() < 1e-14 * (1.0 + a.abs()), "{a} {b}");
        }
    }
}
