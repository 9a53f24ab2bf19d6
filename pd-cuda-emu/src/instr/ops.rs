//! The operations and modifiers an instruction can have, each a small type of its own.

use super::Reg;
use crate::parse::Type;

/// Integer operations with all operands of the same width (the amount of a shift is always 32 bits wide).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntOp {
    Add,
    Sub,
    AddSat,
    SubSat,
    MulLo,
    MulHiS,
    MulHiU,
    MadLo,
    MadHiS,
    MadHiU,
    DivS,
    DivU,
    RemS,
    RemU,
    MinS,
    MinU,
    MaxS,
    MaxU,
    AbsS,
    Neg,
    And,
    Or,
    Xor,
    Not,
    Cnot,
    Shl,
    ShrS,
    ShrU,
    Brev,
    SadS,
    SadU,
}

impl IntOp {
    /// Whether the second operand is an amount of 32 bits.
    pub(crate) fn shifts(self) -> bool {
        matches!(self, IntOp::Shl | IntOp::ShrS | IntOp::ShrU)
    }

    /// Number of operands.
    pub(crate) fn sources(self) -> usize {
        match self {
            IntOp::AbsS | IntOp::Neg | IntOp::Not | IntOp::Cnot | IntOp::Brev => 1,
            IntOp::MadLo | IntOp::MadHiS | IntOp::MadHiU | IntOp::SadS | IntOp::SadU => 3,
            _ => 2,
        }
    }
}

/// Operations that count bits; the result is 32 bits wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountOp {
    Popc,
    Clz,
    BfindU,
    BfindS,
    BfindShiftU,
    BfindShiftS,
}

/// Operations with the carry flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CarryOp {
    Add,
    Sub,
    MadLo,
    MadHiS,
    MadHiU,
}

impl CarryOp {
    /// Whether it has two operands rather than three.
    pub(crate) fn adds(self) -> bool {
        matches!(self, CarryOp::Add | CarryOp::Sub)
    }
}

/// Rounding of a floating-point result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// To nearest, ties to even.
    Near,
    /// Toward zero.
    Zero,
    /// Toward minus infinity.
    Down,
    /// Toward plus infinity.
    Up,
}

/// Floating-point operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatOp {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    /// `div.approx`: zero for huge divisors.
    DivApprox,
    Rcp,
    Sqrt,
    Rsqrt,
    Min,
    Max,
    MinNan,
    MaxNan,
    Abs,
    Neg,
    Copysign,
    Ex2,
    Lg2,
    Sin,
    Cos,
    Tanh,
}

impl FloatOp {
    /// Number of operands.
    pub(crate) fn sources(self) -> usize {
        match self {
            FloatOp::Fma => 3,
            FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div | FloatOp::DivApprox => 2,
            FloatOp::Min | FloatOp::Max | FloatOp::MinNan | FloatOp::MaxNan | FloatOp::Copysign => 2,
            _ => 1,
        }
    }
}

/// A floating-point operation with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Float {
    pub(crate) op: FloatOp,
    pub(crate) round: Round,
    /// Subnormal inputs and results become zero of the same sign.
    pub(crate) ftz: bool,
    /// The result is clamped to [0, 1], NaN becomes 0.
    pub(crate) sat: bool,
}

/// Comparisons; the ones ending in `u` hold when an operand is NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
}

/// Operations on predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bool {
    And,
    Or,
    Xor,
}

/// `testp` properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Property {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

/// How `prmt` chooses bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permute {
    Index,
    Forward4,
    Backward4,
    Replicate8,
    EdgeClampLeft,
    EdgeClampRight,
    Replicate16,
}

/// Rounding of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CvtRound {
    None,
    /// To a floating-point number.
    Float(Round),
    /// To an integral value.
    Integer(Round),
}

/// A conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cvt {
    pub(crate) to: Type,
    pub(crate) from: Type,
    pub(crate) round: CvtRound,
    pub(crate) ftz: bool,
    pub(crate) sat: bool,
    /// Whether the source register has 64 bits, whatever its type.
    pub(crate) source_wide: bool,
    /// Bits of the destination register, which may be wider than its type.
    pub(crate) register_bits: u32,
}

/// Memory an instruction names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Generic,
    Global,
    Shared,
    Local,
    Param,
}

/// Base of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// The offset alone.
    Absolute,
    /// The offset counts from the frame of the running function in local memory.
    Frame,
    R32(Reg),
    R64(Reg),
}

/// An address: base plus bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) base: Base,
    pub(crate) offset: i64,
}

/// A load or store of one, two or four elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) place: Place,
    pub(crate) ty: Type,
    pub(crate) lanes: u8,
    /// Bits of the registers.
    pub(crate) register_bits: u8,
    /// Volatile, relaxed, acquire and release accesses are meant to meet others.
    pub(crate) strong: bool,
    pub(crate) address: Address,
    pub(crate) regs: [Reg; 4],
}

/// What an atomic does to the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Inc,
    Dec,
}

/// An atomic; `d` is [`NONE`] for a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Atom {
    pub(crate) op: AtomOp,
    pub(crate) place: Place,
    pub(crate) ty: Type,
    pub(crate) address: Address,
    pub(crate) d: Reg,
    pub(crate) b: Reg,
    pub(crate) c: Reg,
}

/// How a shuffle finds its source lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShflMode {
    Up,
    Down,
    Bfly,
    Idx,
}

/// What a vote computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uni,
    Ballot,
}

/// Reduction done by a block barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarRed {
    None,
    Popc,
    And,
    Or,
}
