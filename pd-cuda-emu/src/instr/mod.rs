//! Decoded instructions. Every operand is a register index: immediates and special registers are registers that
//! are filled before the warp starts, so that executing needs no case distinction per operand.

mod ops;

use crate::parse::Type;
pub(crate) use ops::*;

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
