//! Decoding of loads, stores and atomics, and of the addresses they take.

use super::Decoder;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::instr::{Access, Address, Atom, AtomOp, Base, NONE, Op, Place};
use crate::parse::Type;
use crate::parse::syntax::{Operand, Statement, VarSpace};

impl Decoder<'_> {
    pub(super) fn memory(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        m.drop_hints();
        let mut strong = m.flag("volatile");
        let order = ["relaxed", "acquire", "release", "acq_rel"].iter().any(|p| m.flag(p));
        m.flag("weak");
        for scope in ["cta", "gpu", "sys", "cluster"] {
            m.flag(scope);
        }
        if m.base == "atom" || m.base == "red" {
            return self.atomic(s, m);
        }
        strong |= order;
        let place = place(m)?;
        let lanes = if m.flag("v2") {
            2
        } else if m.flag("v4") {
            4
        } else {
            1
        };
        let ty = m.ty()?;
        if ty == Type::Pred {
            return Err(m.error("predicates are not in memory"));
        }
        self.count(s, 2)?;
        let load = m.base != "st";
        let (value, address) = if load { (0, 1) } else { (1, 0) };
        let (place, address) = self.address(&s.operands[address], place, s.line)?;
        let elements = match &s.operands[value] {
            Operand::Vector(v) => v.as_slice(),
            one => std::slice::from_ref(one),
        };
        if elements.len() != lanes {
            return Err(m.error(&format!("{} registers for {lanes} elements", elements.len())));
        }
        let (mut regs, mut register_bits) = ([NONE; 4], 8 * ty.bytes() as u32);
        for (k, e) in elements.iter().enumerate() {
            regs[k] = match e {
                Operand::Name(name, 0) if name == "_" && load => NONE,
                Operand::Name(name, 0) if self.names.declared(name, s.line).is_ok() => {
                    let d = self.names.wide_register(e, 8 * ty.bytes() as u32, s.line)?;
                    if k > 0 && d.bits != register_bits {
                        return Err(m.error("registers of different widths"));
                    }
                    register_bits = d.bits;
                    d.reg
                }
                other if !load && register_bits == 8 * ty.bytes() as u32 => {
                    self.names.source(other, ty, s.line)?
                }
                other => return Err(PtxError::new(s.line, format!("expected a register, found {other:?}"))),
            };
        }
        let access = Access {
            place,
            ty,
            lanes: lanes as u8,
            register_bits: register_bits as u8,
            strong,
            address,
            regs,
        };
        Ok(if load { Op::Ld(access) } else { Op::St(access) })
    }

    fn atomic(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        let place = place(m)?;
        let op = m.choose(atomic).ok_or_else(|| m.error("unknown atomic"))?;
        let ty = m.ty()?;
        let bitwise = matches!(op, AtomOp::And | AtomOp::Or | AtomOp::Xor | AtomOp::Exch | AtomOp::Cas);
        if ty.bytes() < 4 || (ty.float() && op != AtomOp::Add && !bitwise) {
            return Err(m.error("no atomic of this type"));
        }
        let result = m.base == "atom";
        let first = usize::from(result);
        self.count(s, first + if op == AtomOp::Cas { 3 } else { 2 })?;
        let d = match &s.operands[0] {
            _ if !result => NONE,
            Operand::Name(name, 0) if name == "_" => NONE,
            other => self.names.register(other, 8 * ty.bytes() as u32, s.line)?,
        };
        let (place, address) = self.address(&s.operands[first], place, s.line)?;
        let b = self.names.source(&s.operands[first + 1], ty, s.line)?;
        let c = if op == AtomOp::Cas { self.names.source(&s.operands[first + 2], ty, s.line)? } else { b };
        Ok(Op::Atom(Atom { op, place, ty, address, d, b, c }))
    }

    fn address(&mut self, o: &Operand, place: Place, line: u32) -> Result<(Place, Address), PtxError> {
        let Operand::Address(name, offset) = o else {
            return Err(PtxError::new(line, format!("expected an address, found {o:?}")));
        };
        let Some(name) = name else { return Ok((place, Address { base: Base::Absolute, offset: *offset })) };
        if let Ok(d) = self.names.declared(name, line) {
            let base = match d.bits {
                32 => Base::R32(d.reg),
                64 => Base::R64(d.reg),
                bits => return Err(PtxError::new(line, format!("`{name}` of {bits} bits is no address"))),
            };
            return Ok((place, Address { base, offset: *offset }));
        }
        if let Some(symbol) = self.names.symbol(name) {
            let offset = (symbol.address as i64).wrapping_add(*offset);
            let (natural, base) = match symbol.space {
                VarSpace::Global | VarSpace::Const => (Place::Global, Base::Absolute),
                VarSpace::Shared => (Place::Shared, Base::Absolute),
                VarSpace::Local | VarSpace::Param => (Place::Local, Base::Frame),
            };
            return Ok((natural, Address { base, offset }));
        }
        match self.names.formal(name) {
            Some(at) if self.syntax.entry => {
                Ok((Place::Param, Address { base: Base::Absolute, offset: at as i64 + offset }))
            }
            Some(at) => Ok((Place::Local, Address { base: Base::Frame, offset: at as i64 + offset })),
            None => Err(PtxError::new(line, format!("unknown symbol `{name}`"))),
        }
    }
}

/// The state space of an access; generic if none is named. Constant memory is device memory that is not written.
pub(super) fn place(m: &mut Modifiers<'_>) -> Result<Place, PtxError> {
    Ok(m.choose(|p| {
        Some(match p {
            "global" | "const" => Place::Global,
            "shared" | "shared::cta" => Place::Shared,
            "local" => Place::Local,
            "param" => Place::Param,
            _ => return None,
        })
    })
    .unwrap_or(Place::Generic))
}

fn atomic(part: &str) -> Option<AtomOp> {
    Some(match part {
        "add" => AtomOp::Add,
        "min" => AtomOp::Min,
        "max" => AtomOp::Max,
        "and" => AtomOp::And,
        "or" => AtomOp::Or,
        "xor" => AtomOp::Xor,
        "exch" => AtomOp::Exch,
        "cas" => AtomOp::Cas,
        "inc" => AtomOp::Inc,
        "dec" => AtomOp::Dec,
        _ => return None,
    })
}
