//! SIMD arithmetic and the choice of the instruction set.
//!
//! A kernel is written once, for any type of lanes. The choice happens at run time: AVX-512, AVX2 with FMA, or plain
//! Rust for every other processor. No operation mixes lanes, so what a lane computes depends on its own numbers only:
//! results do not change with the neighbours of an element. They may differ in the last bits between instruction sets,
//! because plain Rust rounds twice where FMA rounds once.
//!
//! Kernels hold no closures over lanes: only what is `#[inline(always)]` is sure to be compiled for the instructions.

pub(crate) mod gather;
pub(crate) mod ln;
mod pair;
mod portable;
pub(crate) mod springs;
pub(crate) mod transpose;
#[cfg(target_arch = "x86_64")]
mod x86_avx2;
#[cfg(target_arch = "x86_64")]
mod x86_avx512;

use pd_core::Real;
use std::ops::{Add, Mul, Neg, Sub};

/// Matrices of more than a hundred times the rest size are left to the plain way: there F − (F − T) is a poor T.
pub(crate) const LARGEST_SQUARE: Real = 1e4;

/// Matrices smaller than this have powers that vanish.
pub(crate) const SMALLEST_SQUARE: Real = 1e-60;

/// Elements are handled in blocks of this many: two groups of the most lanes. Long computations go over a block in several
/// loops, so that the processor overlaps the chains of operations of neighbours.
pub(crate) const BLOCK: usize = 32;

/// At the start of a cache line, so that no register is read from two of them.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// Asks for the cache lines of what will be read soon. Nothing where the processor offers no way.
#[inline(always)]
pub(crate) fn prefetch<T>(soon: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>()).step_by(64) {
        // SAFETY: an address inside of a value; the instruction only asks, and every processor of this kind has it.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
                std::ptr::from_ref(soon).cast::<i8>().add(line),
            );
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}

/// Numbers side by side. A value of a type that needs special instructions exists only where they do, so every
/// operation on it is valid: values are made by [`Instructions::load`] or from other values.
pub(crate) trait Arithmetic:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// The same number in every lane.
    fn fill(self, value: Real) -> Self;

    /// self·b + c.
    fn mul_add(self, b: Self, c: Self) -> Self;

    /// c − self·b.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;

    /// Absolute values.
    fn abs(self) -> Self;

    /// Changes the sign where `sign` is negative.
    fn flip(self, sign: Self) -> Self;

    /// 1/√self to a few units in the last place, for positive normal numbers. No square root and no division, which
    /// are many times slower than a product on all processors.
    fn rsqrt(self) -> Self;
}

/// Numbers of double precision.
pub(crate) trait Lanes: Arithmetic {
    /// Number of lanes.
    const COUNT: usize;

    /// Writes the lanes to the first [`COUNT`](Self::COUNT) places.
    fn store(self, to: &mut [Real]);

    /// The smaller of two.
    fn min(self, b: Self) -> Self;

    /// The larger of two.
    fn max(self, b: Self) -> Self;

    /// `yes` where self < limit, else `no`; `no` for NaN.
    fn if_less(self, limit: Self, yes: Self, no: Self) -> Self;

    /// Whether some lane is not above the limit; NaN is not.
    fn any_not_above(self, limit: Real) -> bool;

    /// 1/self.
    fn recip(self) -> Self;

    /// self/b.
    fn over(self, b: Self) -> Self;

    /// √self to a few units in the last place, for positive normal numbers. Where it is an instruction, it runs beside
    /// products and sums and delays none of them.
    fn sqrt(self) -> Self;

    /// 1/√self to 2e-5 or better, for positive normal numbers.
    fn rough_rsqrt(self) -> Self;

    /// k and m with self = 2ᵏ m and m in [√½, √2), for positive normal numbers.
    fn exponent_and_mantissa(self) -> (Self, Self);

    /// A better y ≈ 1/√self: with e = 1 − self·y², the series of 1/√(1 − e) to the third power of e, which leaves an
    /// error of (35/128) e⁴.
    #[inline(always)]
    fn rsqrt_step(self, y: Self) -> Self {
        let e = (self * y).neg_mul_add(y, self.fill(1.0));
        let series = e.mul_add(self.fill(5.0 / 16.0), self.fill(3.0 / 8.0)).mul_add(e, self.fill(0.5));
        (y * e).mul_add(series, y)
    }
}

/// `RSQRT_GUESS − (bits >> 1)` approximates the bits of 1/√v within 4 %: the exponent is halved and negated.
const RSQRT_GUESS: u64 = 0x5FE6_EB50_C7B5_37A9;

/// The bits of √½. Numbers that differ from it by whole powers of two differ in the exponent bits alone.
const ROOT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;

/// Added to the bits of a number, carries into the exponent bits where the mantissa is √2 or more.
const TO_ROOT_HALF: u64 = 0x3FF0_0000_0000_0000 - ROOT_HALF;

/// The bits of a mantissa.
const MANTISSA: u64 = (1 << 52) - 1;

/// The bits of 2⁵²; with a small whole number in the lowest bits, those of their sum.
const TWO_TO_52: u64 = 0x4330_0000_0000_0000;

/// 2⁵² and the bias of exponents.
const TWO_TO_52_AND_BIAS: Real = 4_503_599_627_370_496.0 + 1023.0;

/// Proof that an instruction set is available.
pub(crate) trait Instructions: Copy {
    /// The lanes it works on.
    type Lanes: Lanes;

    /// As many as hide the time that a chain of dependent operations takes, or more than there are registers for.
    type Wide: Lanes;

    /// Reads the first [`Lanes::COUNT`] numbers.
    fn load(self, from: &[Real]) -> Self::Lanes;

    /// Reads the first [`Lanes::COUNT`] numbers.
    fn load_wide(self, from: &[Real]) -> Self::Wide;
}

/// Work that is written for any instructions.
pub(crate) trait Kernel {
    /// Does the work; `#[inline(always)]`, so that it is compiled for the instructions it runs on.
    fn run<I: Instructions>(self, instructions: I);
}

/// Sets of instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// Plain Rust, on every processor.
    Portable,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86_avx2::Avx2),
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(x86_avx512::Avx512),
}

impl Level {
    /// The widest this processor has.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(proof) = x86_avx512::Avx512::detect() {
                return Self::Avx512(proof);
            }
            if let Some(proof) = x86_avx2::Avx2::detect() {
                return Self::Avx2(proof);
            }
        }
        Self::Portable
    }

    /// All that this processor has.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(x86_avx2::Avx2::detect().map(Self::Avx2));
            all.extend(x86_avx512::Avx512::detect().map(Self::Avx512));
        }
        all
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

/// a·b of three components.
#[inline(always)]
pub(crate) fn dot<T: Arithmetic>(a: &[T; 3], b: &[T; 3]) -> T {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// a × b.
#[inline(always)]
pub(crate) fn cross<T: Arithmetic>(a: &[T; 3], b: &[T; 3]) -> [T; 3] {
    [
        a[2].neg_mul_add(b[1], a[1] * b[2]),
        a[0].neg_mul_add(b[2], a[2] * b[0]),
        a[1].neg_mul_add(b[0], a[0] * b[1]),
    ]
}

/// a x + b y + c z of three vectors.
#[inline(always)]
pub(crate) fn combine<T: Arithmetic>(vectors: &[[T; 3]; 3], x: T, y: T, z: T) -> [T; 3] {
    let [a, b, c] = vectors;
    let mut sum = *a;
    for i in 0..3 {
        sum[i] = c[i].mul_add(z, b[i].mul_add(y, a[i] * x));
    }
    sum
}
