//! Decoding of bitwise logic, shifts and bit fields.

use super::Decoder;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::instr::{Bool, CountOp, IntOp, Op, Permute};
use crate::parse::Type;
use crate::parse::syntax::{Literal, Operand, Statement};

impl Decoder<'_> {
    pub(super) fn bitwise(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        if m.base == "shf" {
            return self.funnel(s, m);
        }
        let shift_amount = m.flag("shiftamt");
        let mode = m.choose(permute).unwrap_or(Permute::Index);
        let ty = m.ty()?;
        if ty == Type::Pred {
            return self.predicate_logic(s, m);
        }
        match m.base {
            "and" => self.int_op(s, m, IntOp::And, ty, 3),
            "or" => self.int_op(s, m, IntOp::Or, ty, 3),
            "xor" => self.int_op(s, m, IntOp::Xor, ty, 3),
            "not" => self.int_op(s, m, IntOp::Not, ty, 2),
            "cnot" => self.int_op(s, m, IntOp::Cnot, ty, 2),
            "shl" => self.int_op(s, m, IntOp::Shl, ty, 3),
            "shr" if ty.signed() => self.int_op(s, m, IntOp::ShrS, ty, 3),
            "shr" => self.int_op(s, m, IntOp::ShrU, ty, 3),
            "brev" => self.int_op(s, m, IntOp::Brev, ty, 2),
            _ if ty.bytes() < 4 => Err(m.error("32 or 64 bits expected")),
            "popc" | "clz" | "bfind" => self.count_bits(s, m, ty, shift_amount),
            "bfe" => {
                self.count(s, 4)?;
                let (d, a) = self.result_and_source(s, ty)?;
                let pos = self.names.source(&s.operands[2], Type::U32, s.line)?;
                let len = self.names.source(&s.operands[3], Type::U32, s.line)?;
                Ok(Op::Bfe { signed: ty.signed(), wide: ty.bytes() == 8, d, a, pos, len })
            }
            "bfi" => {
                self.count(s, 5)?;
                let (d, a) = self.result_and_source(s, ty)?;
                let b = self.names.source(&s.operands[2], ty, s.line)?;
                let pos = self.names.source(&s.operands[3], Type::U32, s.line)?;
                let len = self.names.source(&s.operands[4], Type::U32, s.line)?;
                Ok(Op::Bfi { wide: ty.bytes() == 8, d, a, b, pos, len })
            }
            "prmt" if ty == Type::B32 => {
                self.count(s, 4)?;
                let (d, a) = self.result_and_source(s, ty)?;
                let b = self.names.source(&s.operands[2], ty, s.line)?;
                let c = self.names.source(&s.operands[3], ty, s.line)?;
                Ok(Op::Prmt { mode, d, a, b, c })
            }
            "lop3" if ty == Type::B32 => {
                self.count(s, 5)?;
                let (d, a) = self.result_and_source(s, ty)?;
                let b = self.names.source(&s.operands[2], ty, s.line)?;
                let c = self.names.source(&s.operands[3], ty, s.line)?;
                match &s.operands[4] {
                    Operand::Literal(Literal::Int(v)) if *v < 256 => {
                        Ok(Op::Lop3 { table: *v as u8, d, a, b, c })
                    }
                    other => Err(PtxError::new(s.line, format!("expected a truth table, found {other:?}"))),
                }
            }
            _ => Err(m.error("no such operation on this type")),
        }
    }

    pub(super) fn result_and_source(&mut self, s: &Statement, ty: Type) -> Result<(u32, u32), PtxError> {
        let d = self.names.register(&s.operands[0], 8 * ty.bytes() as u32, s.line)?;
        Ok((d, self.names.source(&s.operands[1], ty, s.line)?))
    }

    fn count_bits(
        &mut self,
        s: &Statement,
        m: &Modifiers<'_>,
        ty: Type,
        amount: bool,
    ) -> Result<Op, PtxError> {
        self.count(s, 2)?;
        let op = match (m.base, ty.signed(), amount) {
            ("popc", ..) => CountOp::Popc,
            ("clz", ..) => CountOp::Clz,
            (_, true, false) => CountOp::BfindS,
            (_, false, false) => CountOp::BfindU,
            (_, true, true) => CountOp::BfindShiftS,
            (_, false, true) => CountOp::BfindShiftU,
        };
        let d = self.names.register(&s.operands[0], 32, s.line)?;
        let a = self.names.source(&s.operands[1], ty, s.line)?;
        Ok(Op::Count { op, wide: ty.bytes() == 8, d, a })
    }

    fn funnel(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        let left = m.flag("l");
        if !left && !m.flag("r") {
            return Err(m.error("direction missing"));
        }
        let wrap = m.flag("wrap");
        if !wrap && !m.flag("clamp") {
            return Err(m.error("`.wrap` or `.clamp` missing"));
        }
        if m.ty()? != Type::B32 {
            return Err(m.error("b32 expected"));
        }
        self.count(s, 4)?;
        let (d, a) = self.result_and_source(s, Type::B32)?;
        let b = self.names.source(&s.operands[2], Type::B32, s.line)?;
        let c = self.names.source(&s.operands[3], Type::B32, s.line)?;
        Ok(Op::Shf { left, wrap, d, a, b, c })
    }

    fn predicate_logic(&mut self, s: &Statement, m: &Modifiers<'_>) -> Result<Op, PtxError> {
        let op = match m.base {
            "and" => Bool::And,
            "or" => Bool::Or,
            "xor" => Bool::Xor,
            "not" => {
                self.count(s, 2)?;
                let d = self.names.pred(&s.operands[0], s.line)?;
                let a = self.names.pred(&s.operands[1], s.line)?;
                return Ok(Op::PredMov { d, a, not: true });
            }
            _ => return Err(m.error("no such operation on predicates")),
        };
        self.count(s, 3)?;
        let d = self.names.pred(&s.operands[0], s.line)?;
        let a = self.names.pred(&s.operands[1], s.line)?;
        let b = self.names.pred(&s.operands[2], s.line)?;
        Ok(Op::PredLogic { op, d, a, b })
    }
}

fn permute(part: &str) -> Option<Permute> {
    Some(match part {
        "f4e" => Permute::Forward4,
        "b4e" => Permute::Backward4,
        "rc8" => Permute::Replicate8,
        "ecl" => Permute::EdgeClampLeft,
        "ecr" => Permute::EdgeClampRight,
        "rc16" => Permute::Replicate16,
        _ => return None,
    })
}
