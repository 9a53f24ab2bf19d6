//! Decoded instructions. Every operand is a register index: immediates and special registers are registers that
//! are filled before the warp starts, so that executing needs no case distinction per operand.

use crate::parse::Type;

/// Index of a register in its file (32-bit, 64-bit or predicate file, as the instruction says).
pub(crate) type Reg = u32;

/// No register.
pub(crate) const NONE: Reg = Reg::MAX;

/// Width of an integer operation. Registers of 8 and 16 bits live in the 32-bit file, zero-extended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    W16,
    W32,
    W64,
}

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

/// One copied parameter of a call: caller's frame offset, callee's frame offset, bytes.
pub(crate) type Passed = (u32, u32, u32);

/// An operation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    Int {
        op: IntOp,
        width: Width,
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// Reads the carry flag (`addc`), writes it (`.cc`), or both.
    Carry {
        op: CarryOp,
        wide: bool,
        reads: bool,
        writes: bool,
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Count {
        op: CountOp,
        wide: bool,
        d: Reg,
        a: Reg,
    },
    MulWide {
        signed: bool,
        from16: bool,
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Bfe {
        signed: bool,
        wide: bool,
        d: Reg,
        a: Reg,
        pos: Reg,
        len: Reg,
    },
    Bfi {
        wide: bool,
        d: Reg,
        a: Reg,
        b: Reg,
        pos: Reg,
        len: Reg,
    },
    Shf {
        left: bool,
        wrap: bool,
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Prmt {
        mode: Permute,
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Lop3 {
        table: u8,
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    F32 {
        f: Float,
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    F64 {
        f: Float,
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Testp {
        property: Property,
        wide: bool,
        p: Reg,
        a: Reg,
    },
    Setp {
        cmp: Cmp,
        ty: Type,
        ftz: bool,
        p: Reg,
        q: Reg,
        a: Reg,
        b: Reg,
        with: Option<(Bool, Reg, bool)>,
    },
    Selp {
        wide: bool,
        d: Reg,
        a: Reg,
        b: Reg,
        p: Reg,
    },
    Slct {
        wide: bool,
        float: bool,
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Cvt {
        cvt: Cvt,
        d: Reg,
        a: Reg,
    },
    Mov32 {
        d: Reg,
        a: Reg,
    },
    Mov64 {
        d: Reg,
        a: Reg,
    },
    PredMov {
        d: Reg,
        a: Reg,
        not: bool,
    },
    PredConst {
        d: Reg,
        value: bool,
    },
    PredLogic {
        op: Bool,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// Two or four parts into one register, lowest first.
    Pack {
        parts: [Reg; 4],
        n: u8,
        part_bits: u8,
        d: Reg,
        wide: bool,
    },
    /// One register into two or four parts, lowest first.
    Unpack {
        parts: [Reg; 4],
        n: u8,
        part_bits: u8,
        a: Reg,
        wide: bool,
    },
    /// `d = a + add`: conversions between windows of the generic address space.
    Offset64 {
        d: Reg,
        a: Reg,
        add: u64,
    },
    /// Address of a variable in the running function's frame.
    FrameAddress {
        wide: bool,
        d: Reg,
        offset: u32,
    },
    IsSpace {
        place: Place,
        p: Reg,
        a: Reg,
    },
    Ld(Access),
    St(Access),
    Atom(Atom),
    Shfl {
        mode: ShflMode,
        d: Reg,
        p: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
        members: Reg,
    },
    Vote {
        vote: Vote,
        d: Reg,
        p: Reg,
        not: bool,
        members: Reg,
    },
    ActiveMask {
        d: Reg,
    },
    WarpSync {
        members: Reg,
    },
    /// Block barrier; `threads` is [`NONE`] for all. `d` is a predicate for `and`/`or`, a register for `popc`.
    Bar {
        id: Reg,
        threads: Reg,
        red: BarRed,
        d: Reg,
        p: Reg,
        not: bool,
    },
    Nop,
    Bra {
        target: u32,
    },
    Brx {
        index: Reg,
        targets: Vec<u32>,
    },
    Call {
        function: u32,
        args: Vec<Passed>,
        results: Vec<Passed>,
    },
    Refuse {
        name: String,
    },
    Ret,
    Exit,
    Trap,
}

/// An operation, the predicate that guards it, and the line it came from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Instr {
    pub(crate) op: Op,
    /// Predicate register or [`NONE`].
    pub(crate) guard: Reg,
    pub(crate) negated: bool,
    pub(crate) line: u32,
}

/// Values a thread is given rather than computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    WarpCount,
    LaneMaskEq,
    LaneMaskLt,
    LaneMaskLe,
    LaneMaskGt,
    LaneMaskGe,
    DynamicShared,
    TotalShared,
    Zero,
}

/// A function ready to run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) code: Vec<Instr>,
    /// Sizes of the three register files.
    pub(crate) n32: usize,
    pub(crate) n64: usize,
    pub(crate) npred: usize,
    /// How many of them the text declares; the rest hold immediates and special values.
    pub(crate) declared32: usize,
    pub(crate) declared64: usize,
    /// Registers that hold immediates.
    pub(crate) consts32: Vec<(Reg, u32)>,
    pub(crate) consts64: Vec<(Reg, u64)>,
    /// Registers of the 32-bit file that hold special values.
    pub(crate) specials: Vec<(Reg, Special)>,
    /// Offset and size of each parameter.
    pub(crate) params: Vec<(usize, usize)>,
    /// Bytes of all parameters.
    pub(crate) param_bytes: usize,
    /// Bytes of the frame in local memory.
    pub(crate) frame_bytes: usize,
    /// Static shared memory.
    pub(crate) shared_bytes: usize,
    /// Whether some register may be read before it is written; such registers start at zero.
    pub(crate) clear: bool,
    pub(crate) max_threads: Option<[u32; 3]>,
    pub(crate) required_threads: Option<[u32; 3]>,
}
