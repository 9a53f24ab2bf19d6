//! What can go wrong: text that is no PTX we know, a launch that does not fit its kernel, a fault of a thread.

use thiserror::Error;

/// A place in PTX text that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("PTX line {line}: {what}")]
pub struct PtxError {
    /// Line, counted from one.
    pub line: u32,
    /// What was found there.
    pub what: String,
}

impl PtxError {
    pub(crate) fn new(line: u32, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

/// Why an address may not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AccessError {
    /// The address lies outside every allocation, or partly outside the one it points into.
    #[error("{bytes} bytes at byte {offset} of an allocation of {len} bytes ({address:#x})")]
    OutOfBounds {
        /// The address asked for.
        address: u64,
        /// Its distance from the start of the allocation it was derived from.
        offset: i64,
        /// Length of that allocation in bytes.
        len: u64,
        /// Bytes asked for.
        bytes: u64,
    },
    /// The address belongs to no allocation that ever existed.
    #[error("{bytes} bytes at {address:#x}, which is in no allocation")]
    Unmapped {
        /// The address asked for.
        address: u64,
        /// Bytes asked for.
        bytes: u64,
    },
    /// The allocation was freed before.
    #[error("{bytes} bytes at byte {offset} of an allocation of {len} bytes that was freed ({address:#x})")]
    UseAfterFree {
        /// The address asked for.
        address: u64,
        /// Its distance from the start of the freed allocation.
        offset: i64,
        /// Length the allocation had in bytes.
        len: u64,
        /// Bytes asked for.
        bytes: u64,
    },
    /// The address is no multiple of the size of the access.
    #[error("{bytes} bytes at {address:#x}, which is not a multiple of {bytes}")]
    Misaligned {
        /// The address asked for.
        address: u64,
        /// Bytes asked for.
        bytes: u64,
    },
    /// A store to constant memory.
    #[error("store to constant memory at {address:#x}")]
    Constant {
        /// The address asked for.
        address: u64,
    },
}

/// The memory a thread touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Device memory, shared by all threads of a launch.
    Global,
    /// Shared memory of a block.
    Shared,
    /// Private memory of a thread.
    Local,
    /// Kernel arguments.
    Param,
}

impl std::fmt::Display for Space {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "param",
        })
    }
}

/// How two unordered accesses met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// Two plain writes of different values.
    WriteWrite,
    /// A read of what another thread wrote.
    ReadAfterWrite,
    /// A write of what another thread read.
    WriteAfterRead,
    /// A plain access beside an atomic one.
    AtomicAndPlain,
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Conflict::WriteWrite => "two threads write different values",
            Conflict::ReadAfterWrite => "read of what another thread writes",
            Conflict::WriteAfterRead => "write of what another thread reads",
            Conflict::AtomicAndPlain => "plain access beside an atomic one",
        })
    }
}

/// What a thread did wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FaultKind {
    /// A load, store or atomic at a bad address.
    #[error("bad access to {space} memory: {error}")]
    Access {
        /// Which memory.
        space: Space,
        /// Why the address is bad.
        error: AccessError,
    },
    /// Shared memory was read before any thread of the block wrote it.
    #[error("read of uninitialised shared memory at byte {offset}")]
    Uninitialised {
        /// Byte in the block's shared memory.
        offset: u64,
    },
    /// Two threads met on the same word with no barrier between them.
    #[error("data race on {space} memory at {address:#x}: {conflict} (other thread: {other})")]
    Race {
        /// Which memory.
        space: Space,
        /// Address of the word.
        address: u64,
        /// How they met.
        conflict: Conflict,
        /// Who was there before, as far as it is known.
        other: String,
    },
    /// A barrier that not every thread of the block reaches.
    #[error(
        "divergent barrier {barrier}: {waiting} threads wait, {exited} exited, others wait at lines {lines:?}"
    )]
    DivergentBarrier {
        /// Barrier number.
        barrier: u32,
        /// Threads that wait at it.
        waiting: u32,
        /// Threads of the block that ended.
        exited: u32,
        /// The lines where threads wait.
        lines: Vec<u32>,
    },
    /// A shuffle, vote or warp barrier whose named lanes do not all come.
    #[error("warp operation wants lanes {members:#010x}, only {present:#010x} come")]
    DivergentWarp {
        /// Lanes named by the instruction that have not ended.
        members: u32,
        /// Lanes that came.
        present: u32,
    },
    /// A shuffle reads a lane that is not there.
    #[error("shuffle reads lane {source_lane}, which takes no part")]
    ShuffleFromInactive {
        /// The lane read.
        source_lane: u32,
    },
    /// The warp ran longer than the limit.
    #[error("no end after {limit} instructions of one warp")]
    InstructionLimit {
        /// The limit.
        limit: u64,
    },
    /// `trap` was executed.
    #[error("trap")]
    Trap,
    /// A call of something the interpreter refuses.
    #[error("call of `{name}`, which is not supported on this device")]
    Refused {
        /// Name of the function.
        name: String,
    },
    /// `brx` with an index outside its table.
    #[error("branch index {index} outside a table of {len}")]
    BranchIndex {
        /// The index.
        index: u32,
        /// Length of the table.
        len: usize,
    },
    /// Calls nested too deep.
    #[error("call stack deeper than {limit}")]
    CallDepth {
        /// The limit.
        limit: usize,
    },
}

/// A fault of one thread: where it happened and what it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "kernel `{kernel}`, block ({},{},{}), thread ({},{},{}), PTX line {line}: {kind}",
    block[0], block[1], block[2], thread[0], thread[1], thread[2]
)]
pub struct Fault {
    /// Kernel name.
    pub kernel: String,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index in the block.
    pub thread: [u32; 3],
    /// Line of the PTX text, counted from one.
    pub line: u32,
    /// What happened.
    pub kind: FaultKind,
}

/// Why a launch did not complete.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LaunchError {
    /// The module has no such kernel.
    #[error("no kernel `{name}` in the module; it has {known:?}")]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// The kernels there are.
        known: Vec<String>,
    },
    /// Too few or too many arguments.
    #[error("kernel `{kernel}` takes {expected} arguments, {found} given")]
    ArgumentCount {
        /// Kernel name.
        kernel: String,
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        found: usize,
    },
    /// An argument of the wrong size.
    #[error("kernel `{kernel}`: argument {index} has {found} bytes, its parameter {expected}")]
    ArgumentSize {
        /// Kernel name.
        kernel: String,
        /// Which argument, from zero.
        index: usize,
        /// Bytes of the parameter.
        expected: usize,
        /// Bytes of the argument.
        found: usize,
    },
    /// A grid or block outside the device's limits or the kernel's launch bounds.
    #[error("kernel `{kernel}`: grid {grid:?} of blocks {block:?} is not allowed: {reason}")]
    Shape {
        /// Kernel name.
        kernel: String,
        /// Blocks.
        grid: [u32; 3],
        /// Threads of a block.
        block: [u32; 3],
        /// Which limit.
        reason: String,
    },
    /// More shared memory than a block may have.
    #[error("kernel `{kernel}`: {bytes} bytes of shared memory, the limit is {limit}")]
    SharedMemory {
        /// Kernel name.
        kernel: String,
        /// Bytes asked for.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A thread went wrong.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
}
