//! Floating-point instructions on whole rows. The common case (rounding to nearest, no flushing, no saturation) is
//! a loop the compiler turns into vector instructions; everything else goes lane by lane through `math`.

use super::regs::{Row32, Row64, map1, map2, map3};
use crate::instr::{Float, FloatOp, Round};
use crate::math::float::{canonical, max_f32, min_f32, scalar_f32, scalar_f64};

#[inline(always)]
fn of32(f: impl Fn(f32, f32) -> f32) -> impl Fn(u32, u32) -> u32 {
    move |x, y| canonical(f(f32::from_bits(x), f32::from_bits(y)))
}

#[inline(always)]
fn of64(f: impl Fn(f64, f64) -> f64) -> impl Fn(u64, u64) -> u64 {
    move |x, y| f(f64::from_bits(x), f64::from_bits(y)).to_bits()
}

/// Single precision.
#[inline(always)]
pub(super) fn run32(f: &Float, a: &Row32, b: &Row32, c: &Row32) -> Row32 {
    if f.round != Round::Near || f.ftz || f.sat {
        return map3(a, b, c, |x, y, z| scalar_f32(f, x, y, z));
    }
    match f.op {
        FloatOp::Add => map2(a, b, of32(|x, y| x + y)),
        FloatOp::Sub => map2(a, b, of32(|x, y| x - y)),
        FloatOp::Mul => map2(a, b, of32(|x, y| x * y)),
        FloatOp::Fma => map3(a, b, c, |x, y, z| {
            canonical(f32::from_bits(x).mul_add(f32::from_bits(y), f32::from_bits(z)))
        }),
        FloatOp::Div => map2(a, b, of32(|x, y| x / y)),
        FloatOp::Rcp => map1(a, |x| canonical(1.0 / f32::from_bits(x))),
        FloatOp::Sqrt => map1(a, |x| canonical(f32::from_bits(x).sqrt())),
        FloatOp::Min => map2(a, b, |x, y| min_f32(f32::from_bits(x), f32::from_bits(y))),
        FloatOp::Max => map2(a, b, |x, y| max_f32(f32::from_bits(x), f32::from_bits(y))),
        FloatOp::Abs => map1(a, |x| x & 0x7fff_ffff),
        FloatOp::Neg => map1(a, |x| x ^ 0x8000_0000),
        _ => map3(a, b, c, |x, y, z| scalar_f32(f, x, y, z)),
    }
}

/// Double precision.
#[inline(always)]
pub(super) fn run64(f: &Float, a: &Row64, b: &Row64, c: &Row64) -> Row64 {
    if f.round != Round::Near {
        return map3(a, b, c, |x, y, z| scalar_f64(f, x, y, z));
    }
    match f.op {
        FloatOp::Add => map2(a, b, of64(|x, y| x + y)),
        FloatOp::Sub => map2(a, b, of64(|x, y| x - y)),
        FloatOp::Mul => map2(a, b, of64(|x, y| x * y)),
        FloatOp::Fma => {
            map3(a, b, c, |x, y, z| f64::from_bits(x).mul_add(f64::from_bits(y), f64::from_bits(z)).to_bits())
        }
        FloatOp::Div => map2(a, b, of64(|x, y| x / y)),
        FloatOp::Rcp => map1(a, |x| (1.0 / f64::from_bits(x)).to_bits()),
        FloatOp::Sqrt => map1(a, |x| f64::from_bits(x).sqrt().to_bits()),
        FloatOp::Abs => map1(a, |x| x & (u64::MAX >> 1)),
        FloatOp::Neg => map1(a, |x| x ^ (1 << 63)),
        _ => map3(a, b, c, |x, y, z| scalar_f64(f, x, y, z)),
    }
}
