//! Decoding of branches, calls, barriers and warp operations.

use super::Decoder;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::instr::{BarRed, NONE, Op, Passed, ShflMode, Vote};
use crate::parse::Type;
use crate::parse::syntax::{Operand, Statement};

impl Decoder<'_> {
    pub(super) fn control(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        match m.base {
            "bra" => {
                m.flag("uni");
                self.count(s, 1)?;
                Ok(Op::Bra { target: self.label(&s.operands[0], s.line)? })
            }
            "brx" => {
                m.flag("uni");
                m.flag("idx");
                self.branch_table(s)
            }
            "call" => {
                m.flag("uni");
                self.call(s)
            }
            "ret" => {
                m.flag("uni");
                Ok(Op::Ret)
            }
            "exit" => Ok(Op::Exit),
            "trap" | "brkpt" => Ok(Op::Trap),
            "bar" | "barrier" => self.barrier(s, m),
            "membar" | "fence" => {
                for p in ["cta", "gl", "sys", "gpu", "sc", "acq_rel", "cluster"] {
                    m.flag(p);
                }
                Ok(Op::Nop)
            }
            "prefetch" | "prefetchu" | "nanosleep" | "discard" => {
                m.drop_hints();
                for p in ["global", "local", "u32", "L1", "L2"] {
                    m.flag(p);
                }
                Ok(Op::Nop)
            }
            "shfl" => self.shuffle(s, m),
            "vote" => self.vote(s, m),
            "activemask" => {
                m.ty()?;
                self.count(s, 1)?;
                Ok(Op::ActiveMask { d: self.names.register(&s.operands[0], 32, s.line)? })
            }
            _ => Err(m.error("instruction is not supported")),
        }
    }

    fn label(&self, o: &Operand, line: u32) -> Result<u32, PtxError> {
        let Operand::Name(name, 0) = o else {
            return Err(PtxError::new(line, format!("expected a label, found {o:?}")));
        };
        self.label_named(name, line)
    }

    fn label_named(&self, name: &str, line: u32) -> Result<u32, PtxError> {
        self.names
            .labels
            .get(name)
            .copied()
            .ok_or_else(|| PtxError::new(line, format!("unknown label `{name}`")))
    }

    fn branch_table(&mut self, s: &Statement) -> Result<Op, PtxError> {
        self.count(s, 2)?;
        let index = self.names.source(&s.operands[0], Type::U32, s.line)?;
        let Operand::Name(name, 0) = &s.operands[1] else {
            return Err(PtxError::new(s.line, "expected a branch table"));
        };
        let (_, labels) = self
            .syntax
            .tables
            .iter()
            .find(|(table, _)| table == name)
            .ok_or_else(|| PtxError::new(s.line, format!("unknown branch table `{name}`")))?;
        let targets: Result<_, _> = labels.iter().map(|l| self.label_named(l, s.line)).collect();
        Ok(Op::Brx { index, targets: targets? })
    }

    fn call(&mut self, s: &Statement) -> Result<Op, PtxError> {
        let mut rest = s.operands.as_slice();
        let mut results: &[Operand] = &[];
        if let Some((Operand::List(list), tail)) = rest.split_first() {
            (results, rest) = (list, tail);
        }
        let Some((Operand::Name(name, 0), rest)) = rest.split_first() else {
            return Err(PtxError::new(s.line, "expected the name of a function"));
        };
        let args: &[Operand] = match rest.first() {
            Some(Operand::List(list)) => list,
            _ => &[],
        };
        if rest.len() > 1 || name.starts_with('%') {
            return Err(PtxError::new(s.line, "indirect calls are not supported"));
        }
        let index = *self
            .layout
            .function_index
            .get(name.as_str())
            .ok_or_else(|| PtxError::new(s.line, format!("unknown function `{name}`")))?;
        if !self.layout.unit.functions[index].defined {
            // printf, assert and the like: a kernel that never gets there may still run.
            return Ok(Op::Refuse { name: name.clone() });
        }
        let callee = &self.layout.functions[index];
        let args = self.passed(args, &callee.params, name, s.line)?;
        let results = self.passed(results, &callee.results, name, s.line)?;
        Ok(Op::Call { function: index as u32, args, results })
    }

    /// Pairs the caller's variables with the callee's formals.
    fn passed(
        &self,
        operands: &[Operand],
        formals: &[(usize, usize)],
        name: &str,
        line: u32,
    ) -> Result<Vec<Passed>, PtxError> {
        if operands.len() != formals.len() {
            let what = format!("`{name}` has {} formals, {} given", formals.len(), operands.len());
            return Err(PtxError::new(line, what));
        }
        let mut out = Vec::with_capacity(formals.len());
        for (o, &(at, bytes)) in operands.iter().zip(formals) {
            let Operand::Name(variable, 0) = o else {
                return Err(PtxError::new(line, format!("expected a parameter variable, found {o:?}")));
            };
            let symbol = self.names.symbol(variable);
            let symbol =
                symbol.ok_or_else(|| PtxError::new(line, format!("unknown variable `{variable}`")))?;
            if symbol.bytes != bytes {
                let what = format!("`{variable}` has {} bytes, `{name}` takes {bytes}", symbol.bytes);
                return Err(PtxError::new(line, what));
            }
            out.push((symbol.address as u32, at as u32, bytes as u32));
        }
        Ok(out)
    }

    fn barrier(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        m.drop_hints();
        m.flag("cta");
        if m.flag("warp") {
            m.flag("sync");
            self.count(s, 1)?;
            return Ok(Op::WarpSync { members: self.names.source(&s.operands[0], Type::B32, s.line)? });
        }
        if m.flag("red") {
            let (red, bits) = m
                .choose(|p| {
                    Some(match p {
                        "popc" => (BarRed::Popc, 32),
                        "and" => (BarRed::And, 1),
                        "or" => (BarRed::Or, 1),
                        _ => return None,
                    })
                })
                .ok_or_else(|| m.error("unknown reduction"))?;
            m.ty()?;
            let n = s.operands.len();
            if !(3..=4).contains(&n) {
                return Err(m.error("three or four operands expected"));
            }
            let d = self.names.register(&s.operands[0], bits, s.line)?;
            let id = self.names.source(&s.operands[1], Type::U32, s.line)?;
            let threads = if n == 4 { self.names.source(&s.operands[2], Type::U32, s.line)? } else { NONE };
            let (p, not) = self.names.maybe_not(&s.operands[n - 1], s.line)?;
            return Ok(Op::Bar { id, threads, red, d, p, not });
        }
        if !m.flag("sync") {
            return Err(m.error("only `.sync` and `.red` barriers are supported"));
        }
        if s.operands.is_empty() || s.operands.len() > 2 {
            return Err(m.error("one or two operands expected"));
        }
        let id = self.names.source(&s.operands[0], Type::U32, s.line)?;
        let threads = match s.operands.get(1) {
            Some(o) => self.names.source(o, Type::U32, s.line)?,
            None => NONE,
        };
        Ok(Op::Bar { id, threads, red: BarRed::None, d: NONE, p: NONE, not: false })
    }

    fn shuffle(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        if !m.flag("sync") {
            return Err(m.error("only `shfl.sync` exists since sm_70"));
        }
        let mode = m
            .choose(|p| {
                Some(match p {
                    "up" => ShflMode::Up,
                    "down" => ShflMode::Down,
                    "bfly" => ShflMode::Bfly,
                    "idx" => ShflMode::Idx,
                    _ => return None,
                })
            })
            .ok_or_else(|| m.error("unknown mode"))?;
        m.ty()?;
        self.count(s, 5)?;
        let (d, p) = match &s.operands[0] {
            Operand::Pair(d, p) => {
                let p = if p == "_" { NONE } else { self.names.pred_named(p, s.line)? };
                (self.names.register(&Operand::Name(d.clone(), 0), 32, s.line)?, p)
            }
            other => (self.names.register(other, 32, s.line)?, NONE),
        };
        let a = self.names.source(&s.operands[1], Type::B32, s.line)?;
        let b = self.names.source(&s.operands[2], Type::B32, s.line)?;
        let c = self.names.source(&s.operands[3], Type::B32, s.line)?;
        let members = self.names.source(&s.operands[4], Type::B32, s.line)?;
        Ok(Op::Shfl { mode, d, p, a, b, c, members })
    }

    fn vote(&mut self, s: &Statement, m: &mut Modifiers<'_>) -> Result<Op, PtxError> {
        if !m.flag("sync") {
            return Err(m.error("only `vote.sync` exists since sm_70"));
        }
        let vote = m
            .choose(|p| {
                Some(match p {
                    "all" => Vote::All,
                    "any" => Vote::Any,
                    "uni" => Vote::Uni,
                    "ballot" => Vote::Ballot,
                    _ => return None,
                })
            })
            .ok_or_else(|| m.error("unknown vote"))?;
        m.ty()?;
        self.count(s, 3)?;
        let d = match vote {
            Vote::Ballot => self.names.register(&s.operands[0], 32, s.line)?,
            _ => self.names.pred(&s.operands[0], s.line)?,
        };
        let (p, not) = self.names.maybe_not(&s.operands[1], s.line)?;
        let members = self.names.source(&s.operands[2], Type::B32, s.line)?;
        Ok(Op::Vote { vote, d, p, not, members })
    }
}
