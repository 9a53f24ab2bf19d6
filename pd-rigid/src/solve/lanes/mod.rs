//! Eight numbers side by side: contacts that share no body are solved eight at a time.
//!
//! A kernel is written once, for any type of lanes; at run time it is AVX-512, AVX2 (two registers) or, on every other processor,
//! plain Rust. No operation mixes lanes and no product is fused with a sum, so the bits depend neither on the neighbours of a
//! contact nor on the instructions.
//!
//! Kernels hold no closures over lanes: only what is `#[inline(always)]` is sure to be compiled for the instructions.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_avx2;
#[cfg(target_arch = "x86_64")]
mod x86_avx512;

use pd_core::Real;
use std::ops::{Add, Mul, Neg, Sub};

/// Number of lanes.
pub(crate) const LANES: usize = 8;

/// Numbers of eight contacts, or of one body, as they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Eight(pub(crate) [Real; LANES]);

/// Eight numbers in use. A value of a type that needs special instructions exists only where they do: values are made by
/// [`Instructions`] or from other values.
pub(crate) trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Writes them.
    fn store(self, to: &mut Eight);

    /// The smaller of two; `b` where they are not ordered.
    fn min(self, b: Self) -> Self;

    /// The larger of two; `b` where they are not ordered.
    fn max(self, b: Self) -> Self;

    /// self/b.
    fn over(self, b: Self) -> Self;

    /// √self.
    fn sqrt(self) -> Self;

    /// `yes` where self > limit, else `no`.
    fn if_above(self, limit: Self, yes: Self, no: Self) -> Self;

    /// Whether self > limit in some lane.
    fn some_above(self, limit: Self) -> bool;

    /// Number k of lane l becomes number l of lane k: eight records of eight numbers become eight numbers of eight records each,
    /// and back.
    fn transposed(rows: [Self; LANES]) -> [Self; LANES];
}

/// Proof that an instruction set is available.
pub(crate) trait Instructions: Copy {
    /// The lanes it works on.
    type Lanes: Lanes;

    /// Reads what is stored.
    fn load(self, from: &Eight) -> Self::Lanes;

    /// The same number in every lane.
    fn fill(self, value: Real) -> Self::Lanes;

    /// Reads a vector.
    #[inline(always)]
    fn load3(self, from: &[Eight; 3]) -> [Self::Lanes; 3] {
        [self.load(&from[0]), self.load(&from[1]), self.load(&from[2])]
    }
}

/// Work that is written for any instructions.
pub(crate) trait Kernel {
    /// Does the work; `#[inline(always)]`, so that it is compiled for the instructions it runs on.
    fn run<I: Instructions>(self, instructions: I);
}

/// Sets of instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// Plain Rust.
    Portable,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86_avx2::Avx2),
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(x86_avx512::Avx512),
}

impl Default for Level {
    fn default() -> Self {
        Self::best()
    }
}

impl Level {
    /// All that this processor has, the best first.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let special =
            [x86_avx512::Avx512::detect().map(Self::Avx512), x86_avx2::Avx2::detect().map(Self::Avx2)];
        #[cfg(not(target_arch = "x86_64"))]
        let special = [None::<Self>];
        special.into_iter().flatten().chain([Self::Portable])
    }

    /// The best this processor has.
    pub(crate) fn best() -> Self {
        Self::all().next().unwrap_or(Self::Portable)
    }

    /// Runs a kernel.
    pub(crate) fn run(self, kernel: impl Kernel) {
        match self {
            Self::Portable => kernel.run(portable::Portable),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(proof) => proof.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(proof) => proof.run(kernel),
        }
    }
}

/// a·b.
#[inline(always)]
pub(crate) fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
#[inline(always)]
pub(crate) fn cross<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a + b.
#[inline(always)]
pub(crate) fn sum<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
#[inline(always)]
pub(crate) fn difference<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// s a.
#[inline(always)]
pub(crate) fn scaled<L: Lanes>(a: [L; 3], s: L) -> [L; 3] {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// M a for a symmetric M = (xx, yy, zz, xy, xz, yz).
#[inline(always)]
pub(crate) fn symmetric<L: Lanes>(m: &[L; 6], a: [L; 3]) -> [L; 3] {
    [
        m[0] * a[0] + m[3] * a[1] + m[4] * a[2],
        m[3] * a[0] + m[1] * a[1] + m[5] * a[2],
        m[4] * a[0] + m[5] * a[1] + m[2] * a[2],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    struct All<'a>(&'a [Eight], &'a mut Vec<Eight>);

    impl Kernel for All<'_> {
        #[inline(always)]
        fn run<I: Instructions>(self, i: I) {
            let mut keep = |x: I::Lanes| {
                let mut to = Eight::default();
                x.store(&mut to);
                self.1.push(to);
            };
            for pair in self.0.windows(2) {
                let (a, b) = (i.load(&pair[0]), i.load(&pair[1]));
                let all = [
                    a + b,
                    a - b,
                    a * b,
                    -a,
                    a.min(b),
                    a.max(b),
                    a.over(b),
                    a.max(-a).sqrt(),
                    a.if_above(b, i.fill(1.0), b),
                    symmetric(&[a, b, a, b, a, b], cross([a, b, a], [b, b, a]))[1],
                    i.fill(if a.some_above(b) { 1.0 } else { 0.0 }),
                ];
                all.into_iter().for_each(&mut keep);
            }
            for rows in self.0.chunks_exact(LANES) {
                let mut all = [i.fill(0.0); LANES];
                for (to, from) in all.iter_mut().zip(rows) {
                    *to = i.load(from);
                }
                I::Lanes::transposed(all).into_iter().for_each(&mut keep);
            }
        }
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as Real / (1u64 << 52) as Real - 1.0
        };
        let mut numbers: Vec<_> = (0..200).map(|_| Eight([0; LANES].map(|_| next()))).collect();
        let inf = Real::INFINITY;
        numbers.push(Eight([0.0, -0.0, 1.0, -1.0, 0.0, 0.0, 1.0, inf]));
        numbers.push(Eight([-0.0, 0.0, 2.0, 0.5, 0.0, 1.0, -inf, inf]));
        let mut plain = vec![];
        Level::Portable.run(All(&numbers, &mut plain));
        assert!(!plain.is_empty());
        for (k, row) in plain[plain.len() - LANES..].iter().enumerate() {
            let from = numbers.len() / LANES * LANES - LANES;
            assert_eq!(row.0, [0, 1, 2, 3, 4, 5, 6, 7].map(|l: usize| numbers[from + l].0[k]));
        }
        for level in Level::all() {
            let mut special = vec![];
            level.run(All(&numbers, &mut special));
            assert_eq!(special.len(), plain.len());
            let pairs = special.iter().zip(&plain).flat_map(|(a, b)| a.0.into_iter().zip(b.0));
            for (a, b) in pairs {
                assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()), "{level:?}: {a:e} {b:e}");
            }
        }
    }
}
