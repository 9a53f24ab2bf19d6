//! The shape of a PTX module before any name is resolved.

use super::Type;

/// Where a declared variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VarSpace {
    Global,
    Const,
    Shared,
    Local,
    Param,
}

/// A literal number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Literal {
    Int(u64),
    F32(u32),
    F64(u64),
}

/// One entry of an initialiser list.
#[derive(Debug, Clone)]
pub(crate) enum Init {
    Value(Literal),
    /// Address of a symbol plus bytes.
    Address(String, i64),
}

/// A variable of the module or of a function.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) line: u32,
    pub(crate) name: String,
    pub(crate) space: VarSpace,
    pub(crate) ty: Type,
    pub(crate) align: usize,
    /// Bytes; zero for the open array of dynamic shared memory.
    pub(crate) bytes: usize,
    pub(crate) init: Vec<Init>,
    pub(crate) external: bool,
}

/// An operand as written.
#[derive(Debug, Clone)]
pub(crate) enum Operand {
    /// Register or symbol, plus bytes.
    Name(String, i64),
    /// `!p`.
    Not(String),
    /// `p|q`.
    Pair(String, String),
    Literal(Literal),
    /// `[name+bytes]`, or `[bytes]` when there is no name.
    Address(Option<String>, i64),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `(a, b)` of a call.
    List(Vec<Operand>),
}

/// An instruction as written.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) line: u32,
    /// Predicate and whether it is negated.
    pub(crate) guard: Option<(String, bool)>,
    pub(crate) opcode: String,
    pub(crate) operands: Vec<Operand>,
}

/// A declared register.
#[derive(Debug, Clone)]
pub(crate) struct RegisterDecl {
    pub(crate) name: String,
    pub(crate) ty: Type,
}

/// A kernel or device function.
#[derive(Debug, Clone, Default)]
pub(crate) struct FunctionSyntax {
    pub(crate) line: u32,
    pub(crate) name: String,
    pub(crate) entry: bool,
    /// Whether a body was given; a declaration alone has none.
    pub(crate) defined: bool,
    pub(crate) results: Vec<Variable>,
    pub(crate) params: Vec<Variable>,
    pub(crate) max_threads: Option<[u32; 3]>,
    pub(crate) required_threads: Option<[u32; 3]>,
    pub(crate) registers: Vec<RegisterDecl>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) statements: Vec<Statement>,
    /// Label and the index of the statement it stands before.
    pub(crate) labels: Vec<(String, usize)>,
    /// Branch tables: label and targets.
    pub(crate) tables: Vec<(String, Vec<String>)>,
}

/// A whole module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unit {
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<FunctionSyntax>,
}
