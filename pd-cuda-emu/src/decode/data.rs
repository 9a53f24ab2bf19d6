//! Decoding of comparisons, selections, conversions and moves.

use super::Decoder;
use super::memory::place;
use super::modifiers::{Modifiers, round};
use crate::error::PtxError;
use crate::instr::{Bool, Cmp, Cvt, CvtRound, NONE, Op, Place, Property, Round};
use crate::memory::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::parse::Type;
use crate::parse::syntax::{Operand, Statement, VarSpace};

impl Decoder<'_> {
    pub(super) fn data(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        match m.base {
            "setp" => self.compare(s, m),
            "selp" => {
                let ty = m.ty()?;
                self.count(s, 4)?;
                let (d, a) = self.result_and_source(s, ty)?;
                let b = self.names.source(&s.operands[2], ty, s.line)?;
                let p = self.names.pred(&s.operands[3], s.line)?;
                Ok(Op::Selp { wide: ty.bytes() == 8, d, a, b, p })
            }
            "slct" => {
                m.flag("ftz");
                let (ty, sign) = (m.ty()?, m.ty()?);
                if !matches!(sign, Type::S32 | Type::F32) {
                    return Err(m.error("selects by s32 or f32"));
                }
                self.count(s, 4)?;
                let (d, a) = self.result_and_source(s, ty)?;
                let b = self.names.source(&s.operands[2], ty, s.line)?;
                let c = self.names.source(&s.operands[3], sign, s.line)?;
                Ok(Op::Slct { wide: ty.bytes() == 8, float: sign == Type::F32, d, a, b, c })
            }
            "testp" => {
                let property = m.choose(property).ok_or_else(|| m.error("unknown property"))?;
                let ty = m.ty()?;
                self.count(s, 2)?;
                let p = self.names.pred(&s.operands[0], s.line)?;
                let a = self.names.source(&s.operands[1], ty, s.line)?;
                Ok(Op::Testp { property, wide: ty == Type::F64, p, a })
            }
            "cvt" => self.convert(s, m),
            "mov" => self.moves(s, m),
            "cvta" => self.generic_address(s, m),
            _ => {
                let place = place(m)?;
                self.count(s, 2)?;
                let p = self.names.pred(&s.operands[0], s.line)?;
                let a = self.names.register(&s.operands[1], 64, s.line)?;
                Ok(Op::IsSpace { place, p, a })
            }
        }
    }

    fn compare(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        let ftz = m.flag("ftz");
        let (cmp, force_unsigned) = m.choose(comparison).ok_or_else(|| m.error("unknown comparison"))?;
        let with = m.choose(boolean);
        let mut ty = m.ty()?;
        if force_unsigned {
            ty = match ty {
                Type::U16 | Type::U32 | Type::U64 => ty,
                _ => return Err(m.error("this comparison is for unsigned integers")),
            };
        }
        if !ty.float() && matches!(cmp, Cmp::Equ | Cmp::Neu | Cmp::Ltu | Cmp::Leu | Cmp::Gtu | Cmp::Geu) {
            return Err(m.error("this comparison is for floating-point numbers"));
        }
        self.count(s, if with.is_some() { 4 } else { 3 })?;
        let (p, q) = match &s.operands[0] {
            Operand::Pair(p, q) => (
                if p == "_" { NONE } else { self.names.pred_named(p, s.line)? },
                if q == "_" { NONE } else { self.names.pred_named(q, s.line)? },
            ),
            other => (self.names.pred(other, s.line)?, NONE),
        };
        let a = self.names.source(&s.operands[1], ty, s.line)?;
        let b = self.names.source(&s.operands[2], ty, s.line)?;
        let with = match with {
            Some(op) => {
                let (c, not) = self.names.maybe_not(&s.operands[3], s.line)?;
                Some((op, c, not))
            }
            None => None,
        };
        Ok(Op::Setp { cmp, ty, ftz, p, q, a, b, with })
    }

    fn convert(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        let (ftz, sat) = (m.flag("ftz"), m.flag("sat"));
        let round = m
            .choose(|p| round(p).map(CvtRound::Float).or_else(|| integral(p).map(CvtRound::Integer)))
            .unwrap_or(CvtRound::None);
        let (to, from) = (m.ty()?, m.ty()?);
        if to == Type::Pred || from == Type::Pred {
            return Err(m.error("predicates are not converted"));
        }
        self.count(s, 2)?;
        let d = self.names.wide_register(&s.operands[0], 8 * to.bytes() as u32, s.line)?;
        // A source register may be wider than its type.
        let (a, source_wide) = match &s.operands[1] {
            Operand::Name(name, 0) if self.names.declared(name, s.line).is_ok() => {
                let a = self.names.wide_register(&s.operands[1], 8 * from.bytes() as u32, s.line)?;
                if from.float() && a.bits != 8 * from.bytes() as u32 {
                    return Err(m.error("source register is wider than its floating-point type"));
                }
                (a.reg, a.bits == 64)
            }
            other => (self.names.source(other, from, s.line)?, from.bytes() == 8),
        };
        if to.float() && d.bits != 8 * to.bytes() as u32 {
            return Err(m.error("destination register is wider than its floating-point type"));
        }
        let cvt = Cvt { to, from, round, ftz, sat, source_wide, register_bits: d.bits };
        Ok(Op::Cvt { cvt, d: d.reg, a })
    }

    fn moves(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        let ty = m.ty()?;
        self.count(s, 2)?;
        let wide = ty.bytes() == 8;
        match (&s.operands[0], &s.operands[1]) {
            (d, Operand::Vector(parts)) => {
                let (parts, n, part_bits) = self.parts(parts, ty, s.line)?;
                if parts[..n as usize].contains(&NONE) {
                    return Err(m.error("every part needs a value"));
                }
                let d = self.names.register(d, 8 * ty.bytes() as u32, s.line)?;
                Ok(Op::Pack { parts, n, part_bits, d, wide })
            }
            (Operand::Vector(parts), a) => {
                let (parts, n, part_bits) = self.parts(parts, ty, s.line)?;
                let a = self.names.source(a, ty, s.line)?;
                Ok(Op::Unpack { parts, n, part_bits, a, wide })
            }
            (d, Operand::Literal(crate::parse::syntax::Literal::Int(v))) if ty == Type::Pred => {
                Ok(Op::PredConst { d: self.names.pred(d, s.line)?, value: *v != 0 })
            }
            (d, a) if ty == Type::Pred => {
                let (a, not) = self.names.maybe_not(a, s.line)?;
                Ok(Op::PredMov { d: self.names.pred(d, s.line)?, a, not })
            }
            (d, Operand::Name(name, offset)) if !name.starts_with('%') && name != "WARP_SZ" => {
                if self.names.declared(name, s.line).is_ok() {
                    return self.move_register(s, ty);
                }
                self.move_address(d, name, *offset, ty, s.line)
            }
            _ => self.move_register(s, ty),
        }
    }

    fn move_register(&mut self, s: &Statement, ty: Type) -> Result<Op, PtxError> {
        let (d, a) = self.result_and_source(s, ty)?;
        Ok(if ty.bytes() == 8 { Op::Mov64 { d, a } } else { Op::Mov32 { d, a } })
    }

    fn move_address(
        &mut self,
        d: &Operand,
        name: &str,
        offset: i64,
        ty: Type,
        line: u32,
    ) -> Result<Op, PtxError> {
        let wide = ty.bytes() == 8;
        let d = self.names.register(d, if wide { 64 } else { 32 }, line)?;
        let (frame, at) = match (self.names.symbol(name), self.names.formal(name)) {
            (Some(symbol), _) => (matches!(symbol.space, VarSpace::Local | VarSpace::Param), symbol.address),
            (None, Some(at)) => (!self.syntax.entry, at as u64),
            _ => return Err(PtxError::new(line, format!("unknown symbol `{name}`"))),
        };
        let at = at.wrapping_add_signed(offset);
        Ok(match (frame, wide) {
            (true, _) => Op::FrameAddress { wide, d, offset: at as u32 },
            (false, true) => Op::Mov64 { d, a: self.names.const64(at) },
            (false, false) => Op::Mov32 { d, a: self.names.const32(at as u32) },
        })
    }

    fn parts(&mut self, parts: &[Operand], ty: Type, line: u32) -> Result<([u32; 4], u8, u8), PtxError> {
        let n = parts.len();
        let part = match (ty.bytes(), n) {
            (8, 2) => Type::B32,
            (8, 4) | (4, 2) => Type::B16,
            (4, 4) | (2, 2) => Type::B8,
            _ => return Err(PtxError::new(line, format!("{n} parts of a value of {} bytes", ty.bytes()))),
        };
        let mut regs = [NONE; 4];
        for (k, p) in parts.iter().enumerate() {
            regs[k] = match p {
                Operand::Name(name, 0) if name == "_" => NONE,
                other => self.names.source(other, part, line)?,
            };
        }
        Ok((regs, n as u8, 8 * part.bytes() as u8))
    }

    fn generic_address(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        let to = m.flag("to");
        let window = match place(m)? {
            Place::Shared => SHARED_WINDOW,
            Place::Local => LOCAL_WINDOW,
            Place::Param => return Err(m.error("generic addresses of parameters are not supported")),
            _ => 0,
        };
        if m.ty()?.bytes() != 8 {
            return Err(m.error("64-bit addresses expected"));
        }
        self.count(s, 2)?;
        let d = self.names.register(&s.operands[0], 64, s.line)?;
        let add = if to { window.wrapping_neg() } else { window };
        let a = match &s.operands[1] {
            Operand::Name(name, offset) if self.names.declared(name, s.line).is_err() => {
                let symbol = self.names.symbol(name);
                let symbol =
                    symbol.ok_or_else(|| PtxError::new(s.line, format!("unknown symbol `{name}`")))?;
                if matches!(symbol.space, VarSpace::Local | VarSpace::Param) {
                    return Err(m.error("address of a private variable, move it to a register first"));
                }
                self.names.const64(symbol.address.wrapping_add_signed(*offset))
            }
            other => self.names.register(other, 64, s.line)?,
        };
        Ok(Op::Offset64 { d, a, add })
    }
}

fn comparison(part: &str) -> Option<(Cmp, bool)> {
    Some(match part {
        "eq" => (Cmp::Eq, false),
        "ne" => (Cmp::Ne, false),
        "lt" => (Cmp::Lt, false),
        "le" => (Cmp::Le, false),
        "gt" => (Cmp::Gt, false),
        "ge" => (Cmp::Ge, false),
        "lo" => (Cmp::Lt, true),
        "ls" => (Cmp::Le, true),
        "hi" => (Cmp::Gt, true),
        "hs" => (Cmp::Ge, true),
        "equ" => (Cmp::Equ, false),
        "neu" => (Cmp::Neu, false),
        "ltu" => (Cmp::Ltu, false),
        "leu" => (Cmp::Leu, false),
        "gtu" => (Cmp::Gtu, false),
        "geu" => (Cmp::Geu, false),
        "num" => (Cmp::Num, false),
        "nan" => (Cmp::Nan, false),
        _ => return None,
    })
}

fn boolean(part: &str) -> Option<Bool> {
    Some(match part {
        "and" => Bool::And,
        "or" => Bool::Or,
        "xor" => Bool::Xor,
        _ => return None,
    })
}

fn property(part: &str) -> Option<Property> {
    Some(match part {
        "finite" => Property::Finite,
        "infinite" => Property::Infinite,
        "number" => Property::Number,
        "notanumber" => Property::NotANumber,
        "normal" => Property::Normal,
        "subnormal" => Property::Subnormal,
        _ => return None,
    })
}

fn integral(part: &str) -> Option<Round> {
    Some(match part {
        "rni" => Round::Near,
        "rzi" => Round::Zero,
        "rmi" => Round::Down,
        "rpi" => Round::Up,
        _ => return None,
    })
}
