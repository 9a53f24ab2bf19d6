//! Execution: blocks one after the other, the warps of a block in turn, the 32 lanes of a warp in lock-step.

mod access;
mod alu;
mod atomic;
mod block;
mod fast;
mod int;
mod rare;
mod real;
mod regs;
mod sched;
mod special;
mod warp;
mod warpops;

use crate::error::{Fault, FaultKind};
use crate::instr::Function;
use crate::memory::Table;

/// What a launch runs with.
pub(crate) struct Launch<'a> {
    /// All functions of the module, and which of them is the kernel.
    pub(crate) functions: &'a [Function],
    pub(crate) kernel: usize,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Bytes of shared memory, static and dynamic, and how many of them are dynamic.
    pub(crate) shared_bytes: usize,
    pub(crate) dynamic_shared: u32,
    /// The arguments as the kernel sees them.
    pub(crate) params: &'a [u8],
    pub(crate) memory: &'a Table,
    /// Number of the launch among those whose race marks may still stand.
    pub(crate) epoch: u32,
    pub(crate) check_global_races: bool,
    pub(crate) check_shared: bool,
    pub(crate) instruction_limit: u64,
}

/// How much was executed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions times the threads that executed them.
    pub thread_instructions: u64,
    /// Instructions executed by warps.
    pub warp_instructions: u64,
}

/// A fault seen from inside a warp: the lane and what happened to it.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) lane: usize,
    pub(crate) kind: FaultKind,
}

impl Trouble {
    pub(crate) fn new(lane: usize, kind: FaultKind) -> Box<Self> {
        Box::new(Self { lane, kind })
    }
}

/// Runs every block of a launch.
pub(crate) fn run(launch: &Launch<'_>) -> Result<Stats, Box<Fault>> {
    let mut block = block::Block::new(launch);
    for z in 0..launch.grid[2] {
        for y in 0..launch.grid[1] {
            for x in 0..launch.grid[0] {
                block.run([x, y, z])?;
            }
        }
    }
    Ok(block.stats())
}
