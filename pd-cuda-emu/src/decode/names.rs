//! Names to registers: declared ones, immediates and special registers.

use super::layout::{Layout, Symbol};
use crate::error::PtxError;
use crate::instr::{Reg, Special};
use crate::parse::Type;
use crate::parse::syntax::{Literal, Operand, VarSpace};
use std::cell::Cell;
use std::collections::BTreeMap;

/// A declared register: its type's size in bits (one for a predicate) and its index in its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    pub(super) bits: u32,
    pub(super) reg: Reg,
}

/// The registers of one function.
pub(super) struct Names<'a> {
    layout: &'a Layout<'a>,
    index: usize,
    declared: BTreeMap<&'a str, Declared>,
    pub(super) consts32: BTreeMap<u32, Reg>,
    pub(super) consts64: BTreeMap<u64, Reg>,
    pub(super) specials: BTreeMap<Special, Reg>,
    pub(super) n32: u32,
    pub(super) n64: u32,
    pub(super) npred: u32,
    pub(super) declared32: u32,
    pub(super) declared64: u32,
    pub(super) labels: BTreeMap<&'a str, u32>,
    /// End of the module's shared variables that the function names.
    pub(super) shared_used: Cell<usize>,
}

impl<'a> Names<'a> {
    pub(super) fn new(layout: &'a Layout<'a>, index: usize) -> Result<Self, PtxError> {
        let f = &layout.unit.functions[index];
        let mut names = Self {
            layout,
            index,
            declared: BTreeMap::new(),
            consts32: BTreeMap::new(),
            consts64: BTreeMap::new(),
            specials: BTreeMap::new(),
            n32: 0,
            n64: 0,
            npred: 0,
            declared32: 0,
            declared64: 0,
            shared_used: Cell::new(0),
            labels: f.labels.iter().map(|(name, at)| (name.as_str(), *at as u32)).collect(),
        };
        for r in &f.registers {
            let (file, bits) = match r.ty {
                Type::Pred => (&mut names.npred, 1),
                t if t.bytes() == 8 => (&mut names.n64, 64),
                t => (&mut names.n32, 8 * t.bytes() as u32),
            };
            let reg = *file;
            *file += 1;
            if names.declared.insert(&r.name, Declared { bits, reg }).is_some() {
                return Err(PtxError::new(f.line, format!("register `{}` is declared twice", r.name)));
            }
        }
        (names.declared32, names.declared64) = (names.n32, names.n64);
        Ok(names)
    }

    pub(super) fn declared(&self, name: &str, line: u32) -> Result<Declared, PtxError> {
        self.declared
            .get(name)
            .copied()
            .ok_or_else(|| PtxError::new(line, format!("unknown register `{name}`")))
    }

    /// A register of exactly this many bits.
    pub(super) fn register(&self, o: &Operand, bits: u32, line: u32) -> Result<Reg, PtxError> {
        let Operand::Name(name, 0) = o else {
            return Err(PtxError::new(line, format!("expected a register, found {o:?}")));
        };
        let d = self.declared(name, line)?;
        if d.bits != bits {
            let what = format!("register `{name}` has {} bits, {bits} expected", d.bits);
            return Err(PtxError::new(line, what));
        }
        Ok(d.reg)
    }

    /// A register of at least this many bits, and how many it has.
    pub(super) fn wide_register(&self, o: &Operand, bits: u32, line: u32) -> Result<Declared, PtxError> {
        let Operand::Name(name, 0) = o else {
            return Err(PtxError::new(line, format!("expected a register, found {o:?}")));
        };
        let d = self.declared(name, line)?;
        if d.bits < bits || d.bits == 1 {
            let what = format!("register `{name}` has {} bits, at least {bits} expected", d.bits);
            return Err(PtxError::new(line, what));
        }
        Ok(d)
    }

    pub(super) fn pred_named(&self, name: &str, line: u32) -> Result<Reg, PtxError> {
        let d = self.declared(name, line)?;
        if d.bits == 1 { Ok(d.reg) } else { Err(PtxError::new(line, format!("`{name}` is no predicate"))) }
    }

    pub(super) fn pred(&self, o: &Operand, line: u32) -> Result<Reg, PtxError> {
        match o {
            Operand::Name(name, 0) => self.pred_named(name, line),
            other => Err(PtxError::new(line, format!("expected a predicate, found {other:?}"))),
        }
    }

    /// A predicate that may be negated.
    pub(super) fn maybe_not(&self, o: &Operand, line: u32) -> Result<(Reg, bool), PtxError> {
        match o {
            Operand::Not(name) => Ok((self.pred_named(name, line)?, true)),
            other => Ok((self.pred(other, line)?, false)),
        }
    }

    pub(super) fn const32(&mut self, value: u32) -> Reg {
        let n32 = &mut self.n32;
        *self.consts32.entry(value).or_insert_with(|| {
            *n32 += 1;
            *n32 - 1
        })
    }

    pub(super) fn const64(&mut self, value: u64) -> Reg {
        let n64 = &mut self.n64;
        *self.consts64.entry(value).or_insert_with(|| {
            *n64 += 1;
            *n64 - 1
        })
    }

    fn special(&mut self, s: Special) -> Reg {
        let n32 = &mut self.n32;
        *self.specials.entry(s).or_insert_with(|| {
            *n32 += 1;
            *n32 - 1
        })
    }

    /// A source operand of a type: register, immediate or special register.
    pub(super) fn source(&mut self, o: &Operand, ty: Type, line: u32) -> Result<Reg, PtxError> {
        let bits = 8 * ty.bytes() as u32;
        match o {
            Operand::Literal(literal) => Ok(self.immediate(*literal, ty)),
            Operand::Name(name, 0) if name == "WARP_SZ" => Ok(self.immediate(Literal::Int(32), ty)),
            Operand::Name(name, 0) if !self.declared.contains_key(name.as_str()) && name.starts_with('%') => {
                let special = special(name).ok_or_else(|| {
                    PtxError::new(line, format!("no register `{name}`, declared or special"))
                })?;
                if bits != 32 {
                    return Err(PtxError::new(line, format!("`{name}` has 32 bits, {bits} expected")));
                }
                Ok(self.special(special))
            }
            other => self.register(other, bits, line),
        }
    }

    /// A register that holds a literal, read as a value of this type.
    pub(super) fn immediate(&mut self, literal: Literal, ty: Type) -> Reg {
        let bits = literal_bits(literal, ty);
        if ty.bytes() == 8 { self.const64(bits) } else { self.const32(bits as u32) }
    }

    /// A variable visible in the function.
    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        let symbol = self.layout.functions[self.index]
            .variables
            .get(name)
            .or_else(|| self.layout.symbols.get(name))?;
        if symbol.space == VarSpace::Shared && symbol.bytes > 0 {
            self.shared_used.set(self.shared_used.get().max(symbol.address as usize + symbol.bytes));
        }
        Some(*symbol)
    }

    /// Offset of a formal parameter or result.
    pub(super) fn formal(&self, name: &str) -> Option<usize> {
        let (f, l) = (&self.layout.unit.functions[self.index], &self.layout.functions[self.index]);
        let all = f.params.iter().zip(&l.params).chain(f.results.iter().zip(&l.results));
        all.into_iter().find(|(v, _)| v.name == name).map(|(_, place)| place.0)
    }
}

/// Bits of a literal read as a type, zero-extended.
pub(crate) fn literal_bits(literal: Literal, ty: Type) -> u64 {
    match (literal, ty) {
        (Literal::Int(v), _) => match ty.bytes() {
            1 => v & 0xff,
            2 => v & 0xffff,
            4 => v & 0xffff_ffff,
            _ => v,
        },
        (Literal::F32(v), Type::F64) => f64::from(f32::from_bits(v)).to_bits(),
        (Literal::F32(v), _) => u64::from(v),
        (Literal::F64(v), Type::F32) => u64::from((f64::from_bits(v) as f32).to_bits()),
        (Literal::F64(v), _) => v,
    }
}

fn special(name: &str) -> Option<Special> {
    let axis = |rest: &str| match rest {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    if let Some((head, rest)) = name.split_once('.') {
        let k = axis(rest)?;
        return Some(match head {
            "%tid" => Special::Tid(k),
            "%ntid" => Special::Ntid(k),
            "%ctaid" => Special::Ctaid(k),
            "%nctaid" => Special::Nctaid(k),
            _ => return None,
        });
    }
    Some(match name {
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::WarpCount,
        "%lanemask_eq" => Special::LaneMaskEq,
        "%lanemask_lt" => Special::LaneMaskLt,
        "%lanemask_le" => Special::LaneMaskLe,
        "%lanemask_gt" => Special::LaneMaskGt,
        "%lanemask_ge" => Special::LaneMaskGe,
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        "%smid" => Special::Zero,
        _ => return None,
    })
}
