//! The body of a function: declarations, labels, statements, nested scopes.

use super::lexer::Tok;
use super::syntax::{FunctionSyntax, Operand, RegisterDecl, Statement, VarSpace};
use super::{Parser, Type};
use crate::error::PtxError;
use std::collections::BTreeMap;

/// Names declared in a scope, with the unique name each got.
type Scope = BTreeMap<String, String>;

/// Scopes open at a place in the text; inner names hide outer ones.
struct Scopes {
    open: Vec<Scope>,
    made: usize,
}

impl Scopes {
    fn declare(&mut self, name: &str) -> String {
        // Names of the outermost scope stay as they are; an inner name may appear again in the next scope.
        let unique = if self.open.len() == 1 {
            name.to_string()
        } else {
            self.made += 1;
            format!("{name}#{}", self.made)
        };
        if let Some(scope) = self.open.last_mut() {
            scope.insert(name.to_string(), unique.clone());
        }
        unique
    }

    fn resolve(&self, name: &str) -> String {
        self.open.iter().rev().find_map(|s| s.get(name)).cloned().unwrap_or_else(|| name.to_string())
    }
}

impl Parser<'_> {
    /// Everything up to the closing brace of the function; the opening one is already taken.
    pub(super) fn body(&mut self, f: &mut FunctionSyntax) -> Result<(), PtxError> {
        let mut scopes = Scopes { open: vec![Scope::new()], made: 0 };
        loop {
            match self.peek() {
                Tok::Mark('{') => {
                    self.next();
                    scopes.open.push(Scope::new());
                }
                Tok::Mark('}') => {
                    self.next();
                    scopes.open.pop();
                    if scopes.open.is_empty() {
                        return Ok(());
                    }
                }
                Tok::Mark('@') => self.statement(f, &scopes)?,
                Tok::Mark(';') => {
                    self.next();
                }
                Tok::Word(w) if self.peek_after(1) == Tok::Mark(':') => self.label(f, w)?,
                Tok::Word(w) if w.starts_with('.') => self.local_directive(f, &mut scopes, w)?,
                Tok::Word(_) => self.statement(f, &scopes)?,
                Tok::End => return Err(self.error(format!("`{}` has no end", f.name))),
                other => return Err(self.error(format!("unexpected {other:?}"))),
            }
        }
    }

    fn label(&mut self, f: &mut FunctionSyntax, name: &str) -> Result<(), PtxError> {
        self.next();
        self.next();
        match self.peek() {
            Tok::Word(".branchtargets") => {
                self.next();
                let mut targets = Vec::new();
                loop {
                    targets.push(self.word()?.to_string());
                    if !self.takes(',') {
                        break;
                    }
                }
                self.expect(';')?;
                f.tables.push((name.to_string(), targets));
            }
            Tok::Word(w @ (".callprototype" | ".calltargets")) => {
                return Err(self.error(format!("indirect calls (`{w}`) are not supported")));
            }
            _ => f.labels.push((name.to_string(), f.statements.len())),
        }
        Ok(())
    }

    fn local_directive(
        &mut self,
        f: &mut FunctionSyntax,
        scopes: &mut Scopes,
        word: &str,
    ) -> Result<(), PtxError> {
        self.next();
        let space = match word {
            ".reg" => return self.registers(f, scopes),
            ".local" => VarSpace::Local,
            ".shared" => VarSpace::Shared,
            ".param" => VarSpace::Param,
            ".loc" => {
                let line = self.line();
                while self.line() == line && self.peek() != Tok::End {
                    self.next();
                }
                return Ok(());
            }
            ".pragma" => {
                self.next();
                return self.expect(';');
            }
            other => return Err(self.error(format!("directive `{other}` is not supported in a function"))),
        };
        for mut v in self.variables(space)? {
            v.name = scopes.declare(&v.name);
            f.variables.push(v);
        }
        Ok(())
    }

    /// `.reg .b32 %r<10>;` or `.reg .pred p, q;`
    fn registers(&mut self, f: &mut FunctionSyntax, scopes: &mut Scopes) -> Result<(), PtxError> {
        let name = self.word()?;
        let ty = name
            .strip_prefix('.')
            .and_then(Type::parse)
            .ok_or_else(|| self.error(format!("`{name}` is no type of a register")))?;
        loop {
            let base = self.word()?;
            if self.takes('<') {
                let n = self.size()?;
                if n > 1 << 20 {
                    return Err(self.error(format!("{n} registers are too many")));
                }
                self.expect('>')?;
                for k in 0..n {
                    let name = scopes.declare(&format!("{base}{k}"));
                    f.registers.push(RegisterDecl { name, ty });
                }
            } else {
                let name = scopes.declare(base);
                f.registers.push(RegisterDecl { name, ty });
            }
            if !self.takes(',') {
                break;
            }
        }
        self.expect(';')
    }

    fn statement(&mut self, f: &mut FunctionSyntax, scopes: &Scopes) -> Result<(), PtxError> {
        let line = self.line();
        let guard = if self.takes('@') {
            let negated = self.takes('!');
            Some((scopes.resolve(self.word()?), negated))
        } else {
            None
        };
        let opcode = self.word()?.to_string();
        let mut operands = Vec::new();
        while !self.takes(';') {
            operands.push(self.operand(scopes)?);
            if !self.takes(',') {
                self.expect(';')?;
                break;
            }
        }
        f.statements.push(Statement { line, guard, opcode, operands });
        Ok(())
    }

    fn offset(&mut self) -> Result<i64, PtxError> {
        // The minus sign belongs to the number: `+-8` and `-8` both occur.
        if self.takes('+') || self.peek() == Tok::Mark('-') { Ok(self.integer()? as i64) } else { Ok(0) }
    }

    fn operand(&mut self, scopes: &Scopes) -> Result<Operand, PtxError> {
        match self.peek() {
            Tok::Word(w) => {
                self.next();
                let name = scopes.resolve(w);
                if self.takes('|') {
                    return Ok(Operand::Pair(name, scopes.resolve(self.word()?)));
                }
                Ok(Operand::Name(name, self.offset()?))
            }
            Tok::Mark('!') => {
                self.next();
                Ok(Operand::Not(scopes.resolve(self.word()?)))
            }
            Tok::Mark('[') => {
                self.next();
                let base = match self.peek() {
                    Tok::Word(w) => {
                        self.next();
                        Some(scopes.resolve(w))
                    }
                    _ => None,
                };
                let offset = match (&base, self.peek()) {
                    (None, Tok::Number(_)) => self.integer()? as i64,
                    _ => self.offset()?,
                };
                self.expect(']')?;
                Ok(Operand::Address(base, offset))
            }
            Tok::Mark('{') => Ok(Operand::Vector(self.sequence(scopes, '{', '}')?)),
            Tok::Mark('(') => Ok(Operand::List(self.sequence(scopes, '(', ')')?)),
            _ => Ok(Operand::Literal(self.literal()?)),
        }
    }

    fn sequence(&mut self, scopes: &Scopes, open: char, close: char) -> Result<Vec<Operand>, PtxError> {
        self.expect(open)?;
        let mut out = Vec::new();
        while !self.takes(close) {
            out.push(self.operand(scopes)?);
            if !self.takes(',') {
                self.expect(close)?;
                break;
            }
        }
        Ok(out)
    }
}
