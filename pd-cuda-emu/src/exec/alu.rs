//! Instructions that only compute: registers in, registers out, nothing that can fail.

use super::regs::{LANES, Regs, Row32, Row64, lanes, map1, map2};
use super::{int, rare, real};
use crate::instr::{Bool, Cmp, Cvt, CvtRound, NONE, Op, Reg, Round};
use crate::math::{convert, float};
use crate::parse::Type;

/// Runs the instruction with the vector unit the machine has; the bits are the same either way.
#[inline(always)]
pub(super) fn run(regs: &mut Regs, op: &Op, mask: u32, frame_base: u32, vector_unit: bool) {
    #[cfg(target_arch = "x86_64")]
    if vector_unit {
        // SAFETY: `vector_unit` is true only if the processor has AVX2 and FMA.
        return unsafe { run_avx2(regs, op, mask, frame_base) };
    }
    let _ = vector_unit;
    run_plain(regs, op, mask, frame_base);
}

/// Whether the processor has the vector unit [`run`] may use.
pub(super) fn has_vector_unit() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2(regs: &mut Regs, op: &Op, mask: u32, frame_base: u32) {
    compute(regs, op, mask, frame_base);
}

fn run_plain(regs: &mut Regs, op: &Op, mask: u32, frame_base: u32) {
    compute(regs, op, mask, frame_base);
}

#[inline(always)]
fn compute(regs: &mut Regs, op: &Op, mask: u32, frame_base: u32) {
    match *op {
        Op::Int { op, width, d, a, b, c } => int::run(regs, mask, op, width, [d, a, b, c]),
        Op::F32 { ref f, d, a, b, c } => {
            let r = real::run32(f, regs.row32(a), regs.row32(b), regs.row32(c));
            regs.put32(d, mask, &r);
        }
        Op::F64 { ref f, d, a, b, c } => {
            let r = real::run64(f, regs.row64(a), regs.row64(b), regs.row64(c));
            regs.put64(d, mask, &r);
        }
        Op::MulWide { signed, from16, d, a, b, c } => multiply_wide(regs, mask, signed, from16, [d, a, b, c]),
        Op::Setp { cmp, ty, ftz, p, q, a, b, with } => {
            let r = comparison(regs, cmp, ty, ftz, a, b);
            let (mut yes, mut no) = (r, !r);
            if let Some((op, c, not)) = with {
                let c = regs.pred[c as usize] ^ if not { u32::MAX } else { 0 };
                (yes, no) = (boolean(op, yes, c), boolean(op, no, c));
            }
            regs.put_pred(p, mask, yes);
            regs.put_pred(q, mask, no);
        }
        Op::Selp { wide, d, a, b, p } => {
            let p = regs.pred[p as usize];
            if wide {
                let (x, y, mut r) = (regs.row64(a), regs.row64(b), [0; LANES]);
                for l in 0..LANES {
                    let keep = u64::from((p >> l) & 1).wrapping_sub(1);
                    r[l] = (x[l] & !keep) | (y[l] & keep);
                }
                regs.put64(d, mask, &r);
            } else {
                let (x, y, mut r) = (regs.row32(a), regs.row32(b), [0; LANES]);
                for l in 0..LANES {
                    let keep = ((p >> l) & 1).wrapping_sub(1);
                    r[l] = (x[l] & !keep) | (y[l] & keep);
                }
                regs.put32(d, mask, &r);
            }
        }
        Op::Cvt { ref cvt, d, a } => conversion(regs, mask, cvt, d, a),
        Op::Mov32 { d, a } => {
            let r = *regs.row32(a);
            regs.put32(d, mask, &r);
        }
        Op::Mov64 { d, a } => {
            let r = *regs.row64(a);
            regs.put64(d, mask, &r);
        }
        Op::Offset64 { d, a, add } => {
            let r = map1(regs.row64(a), |x| x.wrapping_add(add));
            regs.put64(d, mask, &r);
        }
        Op::FrameAddress { wide, d, offset } => {
            let at = frame_base + offset;
            if wide {
                regs.put64(d, mask, &[u64::from(at); LANES])
            } else {
                regs.put32(d, mask, &[at; LANES])
            }
        }
        Op::PredMov { d, a, not } => {
            let v = regs.pred[a as usize] ^ if not { u32::MAX } else { 0 };
            regs.put_pred(d, mask, v);
        }
        Op::PredConst { d, value } => regs.put_pred(d, mask, if value { u32::MAX } else { 0 }),
        Op::PredLogic { op, d, a, b } => {
            let v = boolean(op, regs.pred[a as usize], regs.pred[b as usize]);
            regs.put_pred(d, mask, v);
        }
        _ => rare::run(regs, op, mask),
    }
}

#[inline(always)]
fn boolean(op: Bool, a: u32, b: u32) -> u32 {
    match op {
        Bool::And => a & b,
        Bool::Or => a | b,
        Bool::Xor => a ^ b,
    }
}

#[inline(always)]
fn multiply_wide(regs: &mut Regs, mask: u32, signed: bool, from16: bool, [d, a, b, c]: [Reg; 4]) {
    if from16 {
        let product = |x: u32, y: u32| {
            if signed {
                (i32::from(x as i16) * i32::from(y as i16)) as u32
            } else {
                u32::from(x as u16) * u32::from(y as u16)
            }
        };
        let mut r = map2(regs.row32(a), regs.row32(b), product);
        if c != NONE {
            r = map2(&r, regs.row32(c), u32::wrapping_add);
        }
        regs.put32(d, mask, &r);
    } else {
        let (x, y) = (regs.row32(a), regs.row32(b));
        let mut r = if signed {
            map2(x, y, |x, y| (i64::from(x as i32) * i64::from(y as i32)) as u64)
        } else {
            map2(x, y, |x, y| u64::from(x) * u64::from(y))
        };
        if c != NONE {
            r = map2(&r, regs.row64(c), u64::wrapping_add);
        }
        regs.put64(d, mask, &r);
    }
}

/// One bit per lane.
#[inline(always)]
fn bits_of<T: Copy>(a: &[T; LANES], b: &[T; LANES], f: impl Fn(T, T) -> bool) -> u32 {
    let mut r = 0;
    for l in 0..LANES {
        r |= u32::from(f(a[l], b[l])) << l;
    }
    r
}

#[inline(always)]
fn ordered<T: Copy + Ord>(cmp: Cmp, a: &[T; LANES], b: &[T; LANES]) -> u32 {
    match cmp {
        Cmp::Eq => bits_of(a, b, |x, y| x == y),
        Cmp::Ne => bits_of(a, b, |x, y| x != y),
        Cmp::Lt => bits_of(a, b, |x, y| x < y),
        Cmp::Le => bits_of(a, b, |x, y| x <= y),
        Cmp::Gt => bits_of(a, b, |x, y| x > y),
        // The floating-point comparisons were refused for integers when decoding.
        _ => bits_of(a, b, |x, y| x >= y),
    }
}

#[inline(always)]
fn comparison(regs: &Regs, cmp: Cmp, ty: Type, ftz: bool, a: Reg, b: Reg) -> u32 {
    match ty {
        Type::F64 => bits_of(regs.row64(a), regs.row64(b), |x, y| {
            float::compare(cmp, f64::from_bits(x), f64::from_bits(y))
        }),
        Type::F32 => bits_of(regs.row32(a), regs.row32(b), |x, y| {
            let (x, y) = if ftz { (float::flush(x), float::flush(y)) } else { (x, y) };
            float::compare(cmp, f64::from(f32::from_bits(x)), f64::from(f32::from_bits(y)))
        }),
        Type::S64 => ordered(cmp, &map1(regs.row64(a), |x| x as i64), &map1(regs.row64(b), |x| x as i64)),
        Type::U64 | Type::B64 => ordered(cmp, regs.row64(a), regs.row64(b)),
        Type::S32 => ordered(cmp, &map1(regs.row32(a), |x| x as i32), &map1(regs.row32(b), |x| x as i32)),
        Type::S16 => ordered(cmp, &map1(regs.row32(a), |x| x as i16), &map1(regs.row32(b), |x| x as i16)),
        Type::U16 | Type::B16 => {
            ordered(cmp, &map1(regs.row32(a), |x| x as u16), &map1(regs.row32(b), |x| x as u16))
        }
        _ => ordered(cmp, regs.row32(a), regs.row32(b)),
    }
}

#[inline(always)]
fn conversion(regs: &mut Regs, mask: u32, c: &Cvt, d: Reg, a: Reg) {
    let near = matches!(c.round, CvtRound::None | CvtRound::Float(Round::Near)) && !c.ftz && !c.sat;
    match (c.to, c.from) {
        (Type::U64 | Type::S64, Type::U32) if !c.source_wide => {
            let r: Row64 = map1(regs.row32(a), u64::from);
            regs.put64(d, mask, &r);
        }
        (Type::U64 | Type::S64, Type::S32) if !c.sat && !c.source_wide => {
            let r: Row64 = map1(regs.row32(a), |x| x as i32 as i64 as u64);
            regs.put64(d, mask, &r);
        }
        (Type::F32, Type::S32) if near && !c.source_wide => {
            let r: Row32 = map1(regs.row32(a), |x| (x as i32 as f32).to_bits());
            regs.put32(d, mask, &r);
        }
        (Type::F64, Type::S32) if near && !c.source_wide => {
            let r: Row64 = map1(regs.row32(a), |x| f64::from(x as i32).to_bits());
            regs.put64(d, mask, &r);
        }
        (Type::F64, Type::F32) if near => {
            let r: Row64 = map1(regs.row32(a), |x| f64::from(f32::from_bits(x)).to_bits());
            regs.put64(d, mask, &r);
        }
        (Type::F32, Type::F64) if near => {
            let r: Row32 = map1(regs.row64(a), |x| float::canonical(f64::from_bits(x) as f32));
            regs.put32(d, mask, &r);
        }
        _ => {
            let source = |regs: &Regs, l: usize| {
                if c.source_wide { regs.row64(a)[l] } else { u64::from(regs.row32(a)[l]) }
            };
            for l in lanes(mask) {
                let v = convert::convert(c, source(regs, l));
                if c.register_bits == 64 {
                    regs.r64[d as usize][l] = v
                } else {
                    regs.r32[d as usize][l] = v as u32
                }
            }
        }
    }
}
