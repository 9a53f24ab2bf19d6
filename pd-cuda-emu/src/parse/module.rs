//! Module level: directives, variables with initialisers, signatures of functions.

use super::lexer::Tok;
use super::syntax::{FunctionSyntax, Init, Unit, VarSpace, Variable};
use super::{Parser, Type};
use crate::error::PtxError;

impl Parser<'_> {
    /// The whole text.
    pub(super) fn unit(mut self) -> Result<Unit, PtxError> {
        let mut unit = Unit::default();
        let mut external = false;
        while self.peek() != Tok::End {
            let word = self.word()?;
            match word {
                ".version" => {
                    let Tok::Number(v) = self.next() else { return Err(self.error("bad .version")) };
                    if !v.split('.').next().is_some_and(|m| matches!(m, "6" | "7" | "8" | "9")) {
                        return Err(self.error(format!("PTX version {v} is not known")));
                    }
                }
                ".target" => {
                    self.word()?;
                    while self.takes(',') {
                        self.word()?;
                    }
                }
                ".address_size" => {
                    let bits = self.integer()?;
                    if bits != 64 {
                        return Err(self.error(format!("address size {bits}, only 64 is supported")));
                    }
                }
                ".visible" | ".weak" | ".common" => {}
                ".extern" => external = true,
                ".entry" | ".func" => {
                    let function = self.function(word == ".entry")?;
                    // A declaration may come before the definition.
                    unit.functions.retain(|f| f.defined || f.name != function.name);
                    if unit.functions.iter().all(|f| f.name != function.name) {
                        unit.functions.push(function);
                    } else if function.defined {
                        return Err(PtxError::new(
                            function.line,
                            format!("`{}` is defined twice", function.name),
                        ));
                    }
                    external = false;
                }
                ".global" | ".const" | ".shared" => {
                    let space = match word {
                        ".global" => VarSpace::Global,
                        ".const" => VarSpace::Const,
                        _ => VarSpace::Shared,
                    };
                    let mut variables = self.variables(space)?;
                    for v in &mut variables {
                        v.external = external;
                    }
                    unit.variables.append(&mut variables);
                    external = false;
                }
                ".file" => {
                    self.integer()?;
                    self.next();
                    while self.takes(',') {
                        self.integer()?;
                    }
                }
                ".section" => {
                    self.word()?;
                    self.skip_braces()?;
                }
                ".pragma" => {
                    self.next();
                    self.expect(';')?;
                }
                other => return Err(self.error(format!("directive `{other}` is not supported"))),
            }
        }
        Ok(unit)
    }

    fn skip_braces(&mut self) -> Result<(), PtxError> {
        self.expect('{')?;
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Tok::Mark('{') => depth += 1,
                Tok::Mark('}') => depth -= 1,
                Tok::End => return Err(self.error("`}` is missing")),
                _ => {}
            }
        }
        Ok(())
    }

    /// `.align 4 .f32 a[8] = {...}, b;` after its state space.
    pub(super) fn variables(&mut self, space: VarSpace) -> Result<Vec<Variable>, PtxError> {
        let (align, ty) = self.variable_type()?;
        let mut out = Vec::new();
        loop {
            let mut v = self.declarator(space, align, ty)?;
            if self.takes('=') {
                self.initialiser(&mut v.init)?;
                if v.bytes == 0 {
                    v.bytes = v.init.len() * ty.bytes();
                }
                if v.init.len() * ty.bytes() > v.bytes {
                    return Err(self.error(format!("`{}` has more values than elements", v.name)));
                }
            }
            out.push(v);
            if !self.takes(',') {
                break;
            }
        }
        self.expect(';')?;
        Ok(out)
    }

    fn variable_type(&mut self) -> Result<(Option<usize>, Type), PtxError> {
        let (mut align, mut ty, mut lanes) = (None, None, 1usize);
        while ty.is_none() {
            match self.word()? {
                ".align" => align = Some(self.size()?),
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                ".attribute" => return Err(self.error("`.attribute` is not supported")),
                other => {
                    let found = other.strip_prefix('.').and_then(Type::parse).filter(|t| t.bytes() > 0);
                    ty =
                        Some(found.ok_or_else(|| self.error(format!("`{other}` is no type of a variable")))?);
                }
            }
        }
        if lanes != 1 {
            return Err(self.error("variables of vector type are not supported"));
        }
        let ty = ty.unwrap_or(Type::B8);
        if align.is_some_and(|a| !a.is_power_of_two()) {
            return Err(self.error("alignment is no power of two"));
        }
        Ok((align, ty))
    }

    fn declarator(&mut self, space: VarSpace, align: Option<usize>, ty: Type) -> Result<Variable, PtxError> {
        let line = self.line();
        let name = self.word()?.to_string();
        let mut bytes = ty.bytes();
        while self.takes('[') {
            if self.takes(']') {
                bytes = 0;
                continue;
            }
            let n = self.size()?;
            bytes = bytes
                .checked_mul(n)
                .filter(|&b| b <= 1 << 40)
                .ok_or_else(|| self.error(format!("`{name}` is too large")))?;
            self.expect(']')?;
        }
        Ok(Variable {
            line,
            name,
            space,
            ty,
            align: align.unwrap_or(ty.bytes()),
            bytes,
            init: Vec::new(),
            external: false,
        })
    }

    fn initialiser(&mut self, out: &mut Vec<Init>) -> Result<(), PtxError> {
        if self.takes('{') {
            while !self.takes('}') {
                self.initialiser(out)?;
                self.takes(',');
            }
        } else if let Tok::Word(name) = self.peek() {
            self.next();
            let name = if name == "generic" && self.takes('(') {
                let inner = self.word()?;
                self.expect(')')?;
                inner
            } else {
                name
            };
            let offset = if self.takes('+') { self.integer()? as i64 } else { 0 };
            out.push(Init::Address(name.to_string(), offset));
        } else {
            out.push(Init::Value(self.literal()?));
        }
        Ok(())
    }

    fn function(&mut self, entry: bool) -> Result<FunctionSyntax, PtxError> {
        let line = self.line();
        let mut f = FunctionSyntax { line, entry, ..Default::default() };
        if !entry && self.peek() == Tok::Mark('(') {
            f.results = self.formals()?;
        }
        f.name = self.word()?.to_string();
        if self.peek() == Tok::Mark('(') {
            f.params = self.formals()?;
        }
        loop {
            match self.peek() {
                Tok::Mark('{') => {
                    self.next();
                    f.defined = true;
                    self.body(&mut f)?;
                    return Ok(f);
                }
                Tok::Mark(';') => {
                    self.next();
                    return Ok(f);
                }
                _ => match self.word()? {
                    ".maxntid" => f.max_threads = Some(self.triple()?),
                    ".reqntid" => f.required_threads = Some(self.triple()?),
                    ".minnctapersm" | ".maxnctapersm" | ".maxnreg" => {
                        self.integer()?;
                    }
                    ".noreturn" => {}
                    ".pragma" => {
                        self.next();
                        self.expect(';')?;
                    }
                    other => return Err(self.error(format!("function directive `{other}` is not supported"))),
                },
            }
        }
    }

    fn triple(&mut self) -> Result<[u32; 3], PtxError> {
        let mut out = [1; 3];
        for (k, slot) in out.iter_mut().enumerate() {
            if k > 0 && !self.takes(',') {
                break;
            }
            let v = self.integer()?;
            *slot = u32::try_from(v).map_err(|_| self.error(format!("dimension {v} is too large")))?;
        }
        Ok(out)
    }

    fn formals(&mut self) -> Result<Vec<Variable>, PtxError> {
        self.expect('(')?;
        let mut out = Vec::new();
        while !self.takes(')') {
            let space = self.word()?;
            if space != ".param" {
                return Err(self.error(format!("parameters in `{space}` are not supported")));
            }
            let (align, ty) = self.formal_type()?;
            out.push(self.declarator(VarSpace::Param, align, ty)?);
            self.takes(',');
        }
        Ok(out)
    }

    /// Like a variable's type, with the pointer attributes `.ptr .global .align 4` in between.
    fn formal_type(&mut self) -> Result<(Option<usize>, Type), PtxError> {
        let (align, ty) = self.variable_type()?;
        if self.peek() == Tok::Word(".ptr") {
            self.next();
            while let Tok::Word(w) = self.peek() {
                match w {
                    ".global" | ".shared" | ".const" | ".local" => {
                        self.next();
                    }
                    ".align" => {
                        self.next();
                        self.size()?;
                    }
                    _ => break,
                }
            }
        }
        Ok((align, ty))
    }
}
