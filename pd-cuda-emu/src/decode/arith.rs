//! Decoding of integer and floating-point arithmetic.

use super::Decoder;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::instr::{CarryOp, Float, FloatOp, IntOp, NONE, Op, Round, Width};
use crate::parse::Type;
use crate::parse::syntax::Statement;

/// Width of an integer type of 16, 32 or 64 bits.
pub(super) fn width(ty: Type, m: &Modifiers<'_>) -> Result<Width, PtxError> {
    match ty.bytes() {
        2 => Ok(Width::W16),
        4 => Ok(Width::W32),
        8 => Ok(Width::W64),
        _ => Err(m.error("no arithmetic of this width")),
    }
}

impl Decoder<'_> {
    /// Checks the number of operands.
    pub(super) fn count(&self, s: &Statement, n: usize) -> Result<(), PtxError> {
        if s.operands.len() == n {
            Ok(())
        } else {
            let what = format!("`{}` has {} operands, {n} expected", s.opcode, s.operands.len());
            Err(PtxError::new(s.line, what))
        }
    }

    pub(super) fn arithmetic(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        let wide = m.flag("wide");
        let carry_out = m.flag("cc");
        let ty = m.ty()?;
        if carry_out || matches!(m.base, "addc" | "subc" | "madc") {
            return self.carry(s, m, ty, carry_out);
        }
        if wide {
            return self.multiply_wide(s, m, ty);
        }
        if ty.float() { self.float_arithmetic(s, m, ty) } else { self.int_arithmetic(s, m, ty) }
    }

    fn multiply_wide(&mut self, s: &Statement, m: &Modifiers<'_>, ty: Type) -> Result<Op, PtxError> {
        let mad = m.base == "mad";
        if !(mad || m.base == "mul") || !matches!(ty, Type::S16 | Type::U16 | Type::S32 | Type::U32) {
            return Err(m.error("no wide product of this kind"));
        }
        self.count(s, if mad { 4 } else { 3 })?;
        let from16 = ty.bytes() == 2;
        let result = if from16 { Type::B32 } else { Type::B64 };
        let d = self.names.register(&s.operands[0], 8 * result.bytes() as u32, s.line)?;
        let a = self.names.source(&s.operands[1], ty, s.line)?;
        let b = self.names.source(&s.operands[2], ty, s.line)?;
        let c = if mad { self.names.source(&s.operands[3], result, s.line)? } else { NONE };
        Ok(Op::MulWide { signed: ty.signed(), from16, d, a, b, c })
    }

    fn carry(
        &mut self,
        s: &Statement,
        m: &mut Modifiers<'_>,
        ty: Type,
        writes: bool,
    ) -> Result<Op, PtxError> {
        if ty.float() || ty.bytes() < 4 {
            return Err(m.error("carries exist for 32 and 64 bits"));
        }
        let base = m.base;
        let (op, n) = match base {
            "add" | "addc" => (CarryOp::Add, 3),
            "sub" | "subc" => (CarryOp::Sub, 3),
            "mad" | "madc" if m.flag("hi") => {
                (if ty.signed() { CarryOp::MadHiS } else { CarryOp::MadHiU }, 4)
            }
            "mad" | "madc" if m.flag("lo") => (CarryOp::MadLo, 4),
            _ => return Err(m.error("no such operation with a carry")),
        };
        self.count(s, n)?;
        let d = self.names.register(&s.operands[0], 8 * ty.bytes() as u32, s.line)?;
        let mut rest = [d; 3];
        for k in 1..n {
            rest[k - 1] = self.names.source(&s.operands[k], ty, s.line)?;
        }
        let [a, b, c] = rest;
        Ok(Op::Carry { op, wide: ty.bytes() == 8, reads: base.ends_with('c'), writes, d, a, b, c })
    }

    fn int_arithmetic(&mut self, s: &Statement, m: &mut Modifiers<'_>, ty: Type) -> Result<Op, PtxError> {
        let signed = ty.signed();
        let pick = |s_op, u_op| if signed { s_op } else { u_op };
        let base = m.base;
        let (op, n) = match base {
            "add" | "sub" if m.flag("sat") => {
                if ty != Type::S32 {
                    return Err(m.error("saturation exists for s32 only"));
                }
                (if base == "add" { IntOp::AddSat } else { IntOp::SubSat }, 3)
            }
            "add" => (IntOp::Add, 3),
            "sub" => (IntOp::Sub, 3),
            "mul" if m.flag("hi") => (pick(IntOp::MulHiS, IntOp::MulHiU), 3),
            "mul" if m.flag("lo") => (IntOp::MulLo, 3),
            "mad" if m.flag("hi") => (pick(IntOp::MadHiS, IntOp::MadHiU), 4),
            "mad" if m.flag("lo") => (IntOp::MadLo, 4),
            "div" => (pick(IntOp::DivS, IntOp::DivU), 3),
            "rem" => (pick(IntOp::RemS, IntOp::RemU), 3),
            "min" => (pick(IntOp::MinS, IntOp::MinU), 3),
            "max" => (pick(IntOp::MaxS, IntOp::MaxU), 3),
            "abs" => (IntOp::AbsS, 2),
            "neg" => (IntOp::Neg, 2),
            "sad" => (pick(IntOp::SadS, IntOp::SadU), 4),
            _ => return Err(m.error("no such integer operation")),
        };
        self.int_op(s, m, op, ty, n)
    }

    /// An integer operation with `n` operands, the result first.
    pub(super) fn int_op(
        &mut self,
        s: &Statement,
        m: &Modifiers<'_>,
        op: IntOp,
        ty: Type,
        n: usize,
    ) -> Result<Op, PtxError> {
        self.count(s, n)?;
        let width = width(ty, m)?;
        let d = self.names.register(&s.operands[0], 8 * ty.bytes() as u32, s.line)?;
        let mut rest = [NONE; 3];
        let shift = op.shifts();
        for k in 1..n {
            let ty = if shift && k == 2 { Type::B32 } else { ty };
            rest[k - 1] = self.names.source(&s.operands[k], ty, s.line)?;
        }
        // Absent operands name an existing register so that the lanes can be read without a check.
        let [a, b, c] = rest.map(|r| if r == NONE { d } else { r });
        Ok(Op::Int { op, width, d, a, b, c })
    }

    fn float_arithmetic(&mut self, s: &Statement, m: &mut Modifiers<'_>, ty: Type) -> Result<Op, PtxError> {
        let (ftz, sat) = (m.flag("ftz"), m.flag("sat"));
        let (approx, full) = (m.flag("approx"), m.flag("full"));
        if ty == Type::F64 && (sat || full) {
            return Err(m.error("no such f64 operation"));
        }
        let nan = m.flag("NaN");
        let (op, n) = match m.base {
            "add" => (FloatOp::Add, 3),
            "sub" => (FloatOp::Sub, 3),
            "mul" => (FloatOp::Mul, 3),
            "fma" | "mad" => (FloatOp::Fma, 4),
            "div" if approx => (FloatOp::DivApprox, 3),
            "div" => (FloatOp::Div, 3),
            "rcp" => (FloatOp::Rcp, 2),
            "sqrt" => (FloatOp::Sqrt, 2),
            "rsqrt" => (FloatOp::Rsqrt, 2),
            "min" if nan => (FloatOp::MinNan, 3),
            "max" if nan => (FloatOp::MaxNan, 3),
            "min" => (FloatOp::Min, 3),
            "max" => (FloatOp::Max, 3),
            "abs" => (FloatOp::Abs, 2),
            "neg" => (FloatOp::Neg, 2),
            "copysign" => (FloatOp::Copysign, 3),
            "ex2" => (FloatOp::Ex2, 2),
            "lg2" => (FloatOp::Lg2, 2),
            "sin" => (FloatOp::Sin, 2),
            "cos" => (FloatOp::Cos, 2),
            "tanh" => (FloatOp::Tanh, 2),
            _ => return Err(m.error("no such floating-point operation")),
        };
        let rounded = matches!(
            op,
            FloatOp::Add
                | FloatOp::Sub
                | FloatOp::Mul
                | FloatOp::Fma
                | FloatOp::Div
                | FloatOp::Rcp
                | FloatOp::Sqrt
        );
        let round = if rounded && !approx && !full { m.round() } else { Round::Near };
        if round != Round::Near && op == FloatOp::Fma && ty == Type::F64 {
            return Err(m.error("fma.f64 rounds to nearest only"));
        }
        let only32 = matches!(op, FloatOp::Ex2 | FloatOp::Lg2 | FloatOp::Sin | FloatOp::Cos | FloatOp::Tanh);
        if only32 && ty == Type::F64 {
            return Err(m.error("no such f64 operation"));
        }
        self.count(s, n)?;
        let d = self.names.register(&s.operands[0], 8 * ty.bytes() as u32, s.line)?;
        let mut rest = [d; 3];
        for k in 1..n {
            rest[k - 1] = self.names.source(&s.operands[k], ty, s.line)?;
        }
        let [a, b, c] = rest;
        let f = Float { op, round, ftz: ftz && ty == Type::F32, sat };
        Ok(if ty == Type::F32 { Op::F32 { f, d, a, b, c } } else { Op::F64 { f, d, a, b, c } })
    }
}
