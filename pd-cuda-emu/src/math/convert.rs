//! `cvt`: integers to and from floating-point numbers, widths, saturation.

use super::float::{canonical, flush, saturate};
use super::rounding;
use crate::instr::{Cvt, CvtRound, Round};
use crate::parse::Type;

/// The integer that the lower bits hold.
fn integer(ty: Type, bits: u64) -> i128 {
    match ty {
        Type::S8 => i128::from(bits as i8),
        Type::S16 => i128::from(bits as i16),
        Type::S32 => i128::from(bits as i32),
        Type::S64 => i128::from(bits as i64),
        _ => match ty.bytes() {
            1 => i128::from(bits as u8),
            2 => i128::from(bits as u16),
            4 => i128::from(bits as u32),
            _ => i128::from(bits),
        },
    }
}

/// Smallest and largest value of an integer type.
fn range(ty: Type) -> (i128, i128) {
    let bits = 8 * ty.bytes() as u32;
    if ty.signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// Cuts a value to its type, extends it to the register by the sign of the type, and cuts it to the register.
fn fit(v: i128, ty: Type, register_bits: u32) -> u64 {
    let v = integer(ty, v as u64) as u64;
    if register_bits >= 64 { v } else { v & ((1 << register_bits) - 1) }
}

/// A floating-point number as an integer: rounded, then clamped to the range of the type.
fn to_integer(x: f64, single: bool, to: Type, round: Round) -> i128 {
    let (low, high) = range(to);
    if x.is_nan() {
        // Zero between narrow types; the top bit alone where 64 bits are involved.
        return if single && to.bytes() < 8 { 0 } else { 1 << (8 * to.bytes() - 1) };
    }
    let r = rounding::integral(x, round);
    // i128 holds every value below 2¹²⁷, and the cast itself clamps what is larger.
    (r as i128).clamp(low, high)
}

/// One lane of a conversion.
pub(crate) fn convert(c: &Cvt, bits: u64) -> u64 {
    let float_round = match c.round {
        CvtRound::Float(r) => r,
        _ => Round::Near,
    };
    match (c.to, c.from) {
        (Type::F32, Type::F32) => {
            let x = if c.ftz { flush(bits as u32) } else { bits as u32 };
            let r = match c.round {
                CvtRound::Integer(r) => canonical(rounding::integral(f64::from(f32::from_bits(x)), r) as f32),
                _ => x,
            };
            u64::from(if c.sat { saturate(r) } else { r })
        }
        (Type::F64, Type::F64) => {
            let x = f64::from_bits(bits);
            let r = match c.round {
                CvtRound::Integer(r) => rounding::integral(x, r),
                _ => x,
            };
            (if c.sat { if r > 0.0 { r.min(1.0) } else { 0.0 } } else { r }).to_bits()
        }
        (Type::F32, Type::F64) => {
            let r = canonical(rounding::narrow_f64(f64::from_bits(bits), float_round));
            let r = if c.ftz { flush(r) } else { r };
            u64::from(if c.sat { saturate(r) } else { r })
        }
        (Type::F64, Type::F32) => {
            let x = if c.ftz { flush(bits as u32) } else { bits as u32 };
            let r = f64::from(f32::from_bits(x));
            (if c.sat { if r > 0.0 { r.min(1.0) } else { 0.0 } } else { r }).to_bits()
        }
        (Type::F32, from) => {
            let r = rounding::int_to_f32(integer(from, bits), float_round).to_bits();
            u64::from(if c.sat { saturate(r) } else { r })
        }
        (Type::F64, from) => rounding::int_to_f64(integer(from, bits), float_round).to_bits(),
        (to, Type::F32 | Type::F64) => {
            let single = c.from == Type::F32;
            let x = if single {
                let b = if c.ftz { flush(bits as u32) } else { bits as u32 };
                f64::from(f32::from_bits(b))
            } else {
                f64::from_bits(bits)
            };
            let round = match c.round {
                CvtRound::Integer(r) | CvtRound::Float(r) => r,
                CvtRound::None => Round::Zero,
            };
            fit(to_integer(x, single, to, round), to, c.register_bits)
        }
        (to, from) => {
            let v = integer(from, bits);
            let (low, high) = range(to);
            fit(if c.sat { v.clamp(low, high) } else { v }, to, c.register_bits)
        }
    }
}
