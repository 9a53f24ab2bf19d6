//! Floating-point lanes: NaN, signed zero, subnormals and saturation as PTX defines them.
//!
//! Single-precision NaN results are the canonical 0x7fffffff. The approximate functions (`.approx`, `.full`) are
//! computed in double precision and rounded: a device may differ from them by the error PTX allows it.

use super::rounding;
use crate::instr::{Cmp, Float, FloatOp, Property, Round};

/// The NaN that single-precision operations return.
pub(crate) const NAN32: u32 = 0x7fff_ffff;

/// Bits with every NaN made canonical.
#[inline(always)]
pub(crate) fn canonical(x: f32) -> u32 {
    if x.is_nan() { NAN32 } else { x.to_bits() }
}

/// Subnormal numbers become zero of the same sign.
#[inline(always)]
pub(crate) fn flush(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// [0, 1], with NaN at zero.
#[inline(always)]
pub(crate) fn saturate(bits: u32) -> u32 {
    let x = f32::from_bits(bits);
    if x > 0.0 { x.min(1.0).to_bits() } else { 0 }
}

#[inline(always)]
pub(crate) fn min_f32(a: f32, b: f32) -> u32 {
    if a.is_nan() {
        canonical(b)
    } else if b.is_nan() {
        canonical(a)
    } else if a == b {
        a.to_bits() | b.to_bits()
    } else if a < b {
        a.to_bits()
    } else {
        b.to_bits()
    }
}

#[inline(always)]
pub(crate) fn max_f32(a: f32, b: f32) -> u32 {
    if a.is_nan() {
        canonical(b)
    } else if b.is_nan() {
        canonical(a)
    } else if a == b {
        a.to_bits() & b.to_bits()
    } else if a > b {
        a.to_bits()
    } else {
        b.to_bits()
    }
}

#[inline(always)]
pub(crate) fn min_f64(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else if a == b {
        f64::from_bits(a.to_bits() | b.to_bits())
    } else if a < b {
        a
    } else {
        b
    }
}

#[inline(always)]
pub(crate) fn max_f64(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else if a == b {
        f64::from_bits(a.to_bits() & b.to_bits())
    } else if a > b {
        a
    } else {
        b
    }
}

/// `div.approx`: for divisors above 2¹²⁶ a device returns zero (NaN for an infinite dividend).
pub(crate) fn div_approx(a: f32, b: f32) -> f32 {
    let large = b.abs() > f32::from_bits(0x7e80_0000) && b.is_finite();
    match (large, a.is_infinite()) {
        (true, true) => f32::NAN,
        (true, false) if !a.is_nan() => 0.0f32.copysign(a * b.signum()),
        _ => a / b,
    }
}

/// Any single-precision operation, slowly: the reference for the fast lanes and the way of the rare modes.
pub(crate) fn scalar_f32(f: &Float, a: u32, b: u32, c: u32) -> u32 {
    let [a, b, c] = if f.ftz { [a, b, c].map(flush) } else { [a, b, c] };
    let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
    let wide = f64::from(x);
    let r = match (f.op, f.round) {
        (FloatOp::Add, Round::Near) => canonical(x + y),
        (FloatOp::Sub, Round::Near) => canonical(x - y),
        (FloatOp::Mul, Round::Near) => canonical(x * y),
        (FloatOp::Fma, Round::Near) => canonical(x.mul_add(y, z)),
        (FloatOp::Div, Round::Near) => canonical(x / y),
        (FloatOp::Rcp, Round::Near) => canonical(1.0 / x),
        (FloatOp::Sqrt, Round::Near) => canonical(x.sqrt()),
        (FloatOp::Add, r) => canonical(rounding::add_f32(x, y, r)),
        (FloatOp::Sub, r) => canonical(rounding::add_f32(x, -y, r)),
        (FloatOp::Mul, r) => canonical(rounding::mul_f32(x, y, r)),
        (FloatOp::Fma, r) => canonical(rounding::fma_f32(x, y, z, r)),
        (FloatOp::Div, r) => canonical(rounding::div_f32(x, y, r)),
        (FloatOp::Rcp, r) => canonical(rounding::div_f32(1.0, x, r)),
        (FloatOp::Sqrt, r) => canonical(rounding::sqrt_f32(x, r)),
        (FloatOp::DivApprox, _) => canonical(div_approx(x, y)),
        (FloatOp::Rsqrt, _) => canonical((1.0 / wide.sqrt()) as f32),
        (FloatOp::Min, _) => min_f32(x, y),
        (FloatOp::Max, _) => max_f32(x, y),
        (FloatOp::MinNan | FloatOp::MaxNan, _) if x.is_nan() || y.is_nan() => NAN32,
        (FloatOp::MinNan, _) => min_f32(x, y),
        (FloatOp::MaxNan, _) => max_f32(x, y),
        (FloatOp::Abs, _) => a & 0x7fff_ffff,
        (FloatOp::Neg, _) => a ^ 0x8000_0000,
        // The sign comes from the first operand, the magnitude from the second.
        (FloatOp::Copysign, _) => (a & 0x8000_0000) | (b & 0x7fff_ffff),
        (FloatOp::Ex2, _) => canonical(wide.exp2() as f32),
        (FloatOp::Lg2, _) => canonical(wide.log2() as f32),
        (FloatOp::Sin, _) => canonical(wide.sin() as f32),
        (FloatOp::Cos, _) => canonical(wide.cos() as f32),
        (FloatOp::Tanh, _) => canonical(wide.tanh() as f32),
    };
    let r = if f.ftz { flush(r) } else { r };
    if f.sat { saturate(r) } else { r }
}

/// Any double-precision operation.
#[inline(always)]
pub(crate) fn scalar_f64(f: &Float, a: u64, b: u64, c: u64) -> u64 {
    let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    let r = match (f.op, f.round) {
        (FloatOp::Add, Round::Near) => x + y,
        (FloatOp::Sub, Round::Near) => x - y,
        (FloatOp::Mul, Round::Near) => x * y,
        (FloatOp::Fma, _) => x.mul_add(y, z),
        (FloatOp::Div | FloatOp::DivApprox, Round::Near) => x / y,
        (FloatOp::Rcp, Round::Near) => 1.0 / x,
        (FloatOp::Sqrt, Round::Near) => x.sqrt(),
        (FloatOp::Rsqrt, _) => 1.0 / x.sqrt(),
        (FloatOp::Add, r) => rounding::add_f64(x, y, r),
        (FloatOp::Sub, r) => rounding::add_f64(x, -y, r),
        (FloatOp::Mul, r) => rounding::mul_f64(x, y, r),
        (FloatOp::Div | FloatOp::DivApprox, r) => rounding::div_f64(x, y, r),
        (FloatOp::Rcp, r) => rounding::div_f64(1.0, x, r),
        (FloatOp::Sqrt, r) => rounding::sqrt_f64(x, r),
        (FloatOp::Min, _) => min_f64(x, y),
        (FloatOp::Max, _) => max_f64(x, y),
        (FloatOp::MinNan | FloatOp::MaxNan, _) if x.is_nan() || y.is_nan() => f64::NAN,
        (FloatOp::MinNan, _) => min_f64(x, y),
        (FloatOp::MaxNan, _) => max_f64(x, y),
        (FloatOp::Abs, _) => return a & (u64::MAX >> 1),
        (FloatOp::Neg, _) => return a ^ (1 << 63),
        (FloatOp::Copysign, _) => return (a & (1 << 63)) | (b & (u64::MAX >> 1)),
        // Refused when decoding.
        (FloatOp::Ex2 | FloatOp::Lg2 | FloatOp::Sin | FloatOp::Cos | FloatOp::Tanh, _) => f64::NAN,
    };
    r.to_bits()
}

/// Comparison of two floating-point numbers.
#[inline(always)]
pub(crate) fn compare(cmp: Cmp, a: f64, b: f64) -> bool {
    let nan = a.is_nan() || b.is_nan();
    match cmp {
        Cmp::Eq => a == b,
        Cmp::Ne => !nan && a != b,
        Cmp::Lt => a < b,
        Cmp::Le => a <= b,
        Cmp::Gt => a > b,
        Cmp::Ge => a >= b,
        Cmp::Equ => nan || a == b,
        Cmp::Neu => nan || a != b,
        Cmp::Ltu => nan || a < b,
        Cmp::Leu => nan || a <= b,
        Cmp::Gtu => nan || a > b,
        Cmp::Geu => nan || a >= b,
        Cmp::Num => !nan,
        Cmp::Nan => nan,
    }
}

/// `testp` on a single or double.
pub(crate) fn test(property: Property, bits: u64, wide: bool) -> bool {
    use std::num::FpCategory;
    let class = if wide { f64::from_bits(bits).classify() } else { f32::from_bits(bits as u32).classify() };
    match property {
        Property::Finite => !matches!(class, FpCategory::Nan | FpCategory::Infinite),
        Property::Infinite => class == FpCategory::Infinite,
        Property::Number => class != FpCategory::Nan,
        Property::NotANumber => class == FpCategory::Nan,
        // PTX counts zero among the normal numbers.
        Property::Normal => matches!(class, FpCategory::Normal | FpCategory::Zero),
        Property::Subnormal => class == FpCategory::Subnormal,
    }
}
