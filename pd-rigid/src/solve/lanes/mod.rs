//! Four numbers side by side: contacts that share no body are solved four at a time.
//!
//! A kernel is written once, for any type of lanes; at run time it is AVX2 or, on every other processor, plain Rust. No operation
//! mixes lanes and no product is fused with a sum, so the bits depend neither on the neighbours of a contact nor on the
//! instructions.
//!
//! Kernels hold no closures over lanes: only what is `#[inline(always)]` is sure to be compiled for the instructions.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_avx2;

use pd_core::Real;
use std::ops::{Add, Mul, Neg, Sub};

/// Number of lanes.
pub(crate) const LANES: usize = 4;

/// Numbers of four contacts, as they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Four(pub(crate) [Real; LANES]);

/// Four numbers in use. A value of a type that needs special instructions exists only where they do: values are made by
/// [`Instructions`] or from other values.
pub(crate) trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Writes them.
    fn store(self, to: &mut Four);

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

    /// The numbers one by one.
    #[inline(always)]
    fn numbers(self) -> [Real; LANES] {
        let mut to = Four::default();
        self.store(&mut to);
        to.0
    }
}

/// Proof that an instruction set is available.
pub(crate) trait Instructions: Copy {
    /// The lanes it works on.
    type Lanes: Lanes;

    /// Reads what is stored.
    fn load(self, from: &Four) -> Self::Lanes;

    /// Puts four numbers side by side.
    fn gather(self, from: [Real; LANES]) -> Self::Lanes;

    /// The same number in every lane.
    #[inline(always)]
    fn fill(self, value: Real) -> Self::Lanes {
        self.gather([value; LANES])
    }

    /// Reads a vector.
    #[inline(always)]
    fn load3(self, from: &[Four; 3]) -> [Self::Lanes; 3] {
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
}

impl Level {
    /// The best this processor has.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = x86_avx2::Avx2::detect() {
            return Self::Avx2(proof);
        }
        Self::Portable
    }

    /// Runs a kernel.
    pub(crate) fn run(self, kernel: impl Kernel) {
        match self {
            Self::Portable => kernel.run(portable::Portable),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(proof) => proof.run(kernel),
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

    struct All<'a>(&'a [[Real; LANES]], &'a mut Vec<[Real; LANES]>);

    impl Kernel for All<'_> {
        #[inline(always)]
        fn run<I: Instructions>(self, i: I) {
            let numbers: Vec<_> = self.0.iter().map(|&x| i.gather(x)).collect();
            for (&a, &b) in numbers.iter().zip(&numbers[1..]) {
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
                ];
                self.1.extend(all.map(Lanes::numbers));
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
        let mut numbers: Vec<_> = (0..200).map(|_| [0; LANES].map(|_| next())).collect();
        numbers.extend([[0.0, -0.0, 1.0, -1.0], [0.0, 0.0, 1.0, Real::INFINITY], [-0.0, 0.0, 2.0, 0.5]]);
        let [mut best, mut plain] = [vec![], vec![]];
        Level::best().run(All(&numbers, &mut best));
        Level::Portable.run(All(&numbers, &mut plain));
        assert!(!plain.is_empty());
        for (a, b) in best.iter().flatten().zip(plain.iter().flatten()) {
            assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()), "{a:e} {b:e}");
        }
    }
}
