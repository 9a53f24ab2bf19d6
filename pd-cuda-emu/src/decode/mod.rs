//! From syntax to instructions: names become register indices and addresses, opcodes become typed operations.
//! Anything unknown is an error with its line.

mod arith;
mod bits;
mod control;
mod data;
mod initialised;
pub(crate) mod layout;
mod memory;
mod modifiers;
mod names;

pub(crate) use names::literal_bits;

use crate::error::PtxError;
use crate::instr::{Function, Instr, NONE, Op};
use crate::parse::syntax::{FunctionSyntax, Statement};
use layout::Layout;
use modifiers::Modifiers;
use names::Names;

/// Decodes one function of a laid-out module.
pub(crate) fn function(layout: &Layout<'_>, index: usize) -> Result<Function, PtxError> {
    let syntax = &layout.unit.functions[index];
    let place = &layout.functions[index];
    let mut decoder = Decoder { layout, syntax, names: Names::new(layout, index)? };
    let mut code = Vec::with_capacity(syntax.statements.len() + 1);
    for statement in &syntax.statements {
        code.push(decoder.statement(statement)?);
    }
    let line = syntax.statements.last().map_or(syntax.line, |s| s.line);
    code.push(Instr { op: Op::Ret, guard: NONE, negated: false, line });
    let calls = code.iter().any(|i| matches!(i.op, Op::Call { .. }));
    let names = decoder.names;
    let mut f = Function {
        name: syntax.name.clone(),
        code,
        n32: names.n32 as usize,
        n64: names.n64 as usize,
        npred: names.npred as usize,
        declared32: names.declared32 as usize,
        declared64: names.declared64 as usize,
        consts32: names.consts32.iter().map(|(&v, &r)| (r, v)).collect(),
        consts64: names.consts64.iter().map(|(&v, &r)| (r, v)).collect(),
        specials: names.specials.iter().map(|(&s, &r)| (r, s)).collect(),
        params: place.params.clone(),
        param_bytes: place.param_bytes,
        frame_bytes: place.frame_bytes,
        // A function that is called may name shared variables that the kernel does not.
        shared_bytes: if calls { place.shared_bytes } else { names.shared_used.get() },
        clear: true,
        max_threads: syntax.max_threads,
        required_threads: syntax.required_threads,
    };
    f.clear = initialised::reads_before_write(&f);
    Ok(f)
}

/// State while one function is decoded.
struct Decoder<'a> {
    layout: &'a Layout<'a>,
    syntax: &'a FunctionSyntax,
    names: Names<'a>,
}

impl Decoder<'_> {
    fn statement(&mut self, s: &Statement) -> Result<Instr, PtxError> {
        let (guard, negated) = match &s.guard {
            Some((name, negated)) => (self.names.pred_named(name, s.line)?, *negated),
            None => (NONE, false),
        };
        let mut m = Modifiers::new(&s.opcode, s.line);
        let op = self.operation(s, &mut m)?;
        m.finish()?;
        Ok(Instr { op, guard, negated, line: s.line })
    }

    fn operation(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        match m.base {
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "min" | "max" | "abs" | "neg" | "rcp"
            | "sqrt" | "addc" | "subc" | "madc" | "rsqrt" | "copysign" | "ex2" | "lg2" | "sin" | "cos"
            | "tanh" | "sad" => self.arithmetic(s, m),
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "prmt" | "bfe" | "bfi"
            | "popc" | "clz" | "brev" | "bfind" | "lop3" => self.bitwise(s, m),
            "setp" | "selp" | "slct" | "testp" | "cvt" | "mov" | "cvta" | "isspacep" => self.data(s, m),
            "ld" | "ldu" | "st" | "atom" | "red" => self.memory(s, m),
            _ => self.control(s, m),
        }
    }
}
