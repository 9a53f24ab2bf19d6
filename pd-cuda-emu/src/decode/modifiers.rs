//! The dotted parts of an opcode, taken one by one; what is left over is an error.

use crate::error::PtxError;
use crate::instr::Round;
use crate::parse::Type;

/// Opcode `add.rn.f32` as its base `add` and the parts still unread.
pub(super) struct Modifiers<'a> {
    pub(super) base: &'a str,
    opcode: &'a str,
    line: u32,
    rest: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    pub(super) fn new(opcode: &'a str, line: u32) -> Self {
        let mut parts = opcode.split('.');
        let base = parts.next().unwrap_or(opcode);
        Self { base, opcode, line, rest: parts.filter(|p| !p.is_empty()).collect() }
    }

    pub(super) fn error(&self, what: &str) -> PtxError {
        PtxError::new(self.line, format!("`{}`: {what}", self.opcode))
    }

    /// Takes the part if it is there.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        let found = self.rest.iter().position(|p| *p == name);
        if let Some(k) = found {
            self.rest.remove(k);
        }
        found.is_some()
    }

    /// Takes the first part for which `read` finds a meaning.
    pub(super) fn choose<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (k, value) = self.rest.iter().enumerate().find_map(|(k, p)| read(p).map(|v| (k, v)))?;
        self.rest.remove(k);
        Some(value)
    }

    /// The first type.
    pub(super) fn ty(&mut self) -> Result<Type, PtxError> {
        self.choose(Type::parse).ok_or_else(|| self.error("no known type"))
    }

    /// Rounding of a floating-point result, to nearest if not given.
    pub(super) fn round(&mut self) -> Round {
        self.choose(round).unwrap_or(Round::Near)
    }

    /// Cache hints that do not change the result.
    pub(super) fn drop_hints(&mut self) {
        self.rest.retain(|p| {
            !matches!(*p, "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" | "nc" | "aligned" | "uni")
                && !p.starts_with("L1::")
                && !p.starts_with("L2::")
        });
    }

    pub(super) fn finish(&self) -> Result<(), PtxError> {
        match self.rest.first() {
            None => Ok(()),
            Some(part) => Err(self.error(&format!("`.{part}` is not supported"))),
        }
    }
}

pub(super) fn round(part: &str) -> Option<Round> {
    Some(match part {
        "rn" => Round::Near,
        "rz" => Round::Zero,
        "rm" => Round::Down,
        "rp" => Round::Up,
        _ => return None,
    })
}
