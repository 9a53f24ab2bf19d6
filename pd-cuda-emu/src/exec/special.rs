//! Special registers: who a thread is and how large the launch is.

use super::Launch;
use super::regs::{LANES, Regs};
use crate::instr::{Function, Reg, Special};

/// Value of a special register that does not change from block to block.
pub(super) fn fill(launch: &Launch<'_>, first: u32, regs: &mut Regs, r: Reg, special: Special) {
    let [nx, ny, nz] = launch.block;
    let row = &mut regs.r32[r as usize];
    for (l, slot) in row.iter_mut().enumerate() {
        let (lane, t) = (l as u32, first + l as u32);
        let below = (1u32 << lane) - 1;
        *slot = match special {
            Special::Tid(0) => t % nx,
            Special::Tid(1) => t / nx % ny,
            Special::Tid(_) => t / nx / ny,
            Special::Ntid(k) => [nx, ny, nz][k as usize],
            Special::Nctaid(k) => launch.grid[k as usize],
            Special::LaneId => lane,
            Special::WarpId => first / LANES as u32,
            Special::WarpCount => (nx * ny * nz).div_ceil(LANES as u32),
            Special::LaneMaskEq => 1 << lane,
            Special::LaneMaskLt => below,
            Special::LaneMaskLe => below | 1 << lane,
            Special::LaneMaskGt => !(below | 1 << lane),
            Special::LaneMaskGe => !below,
            Special::DynamicShared => launch.dynamic_shared,
            Special::TotalShared => launch.shared_bytes as u32,
            Special::Ctaid(_) | Special::Zero => 0,
        };
    }
}

/// Writes the block index where the function reads it.
pub(super) fn set_block_index(f: &Function, regs: &mut Regs, block: [u32; 3]) {
    for &(r, special) in &f.specials {
        if let Special::Ctaid(k) = special {
            regs.r32[r as usize] = [block[k as usize]; LANES];
        }
    }
}
