//! Operations between the lanes of a warp: shuffles and votes.

use super::Trouble;
use super::regs::{LANES, Regs, lanes};
use crate::error::FaultKind;
use crate::instr::{Op, ShflMode, Vote};

/// `shfl.sync`; all lanes of `mask` take part.
pub(super) fn shuffle(regs: &mut Regs, op: &Op, mask: u32) -> Result<(), Box<Trouble>> {
    let Op::Shfl { mode, d, p, a, b, c, .. } = *op else { return Ok(()) };
    let (source, from, control) = (*regs.row32(a), *regs.row32(b), *regs.row32(c));
    let (mut result, mut valid) = ([0; LANES], 0u32);
    for lane in lanes(mask) {
        let (l, bval) = (lane as u32, from[lane] & 0x1f);
        let (cval, segment) = (control[lane] & 0x1f, (control[lane] >> 8) & 0x1f);
        let max_lane = (l & segment) | (cval & !segment);
        let min_lane = l & segment;
        let (j, inside) = match mode {
            ShflMode::Up => (l.wrapping_sub(bval) as i32, l as i32 - bval as i32 >= max_lane as i32),
            ShflMode::Down => ((l + bval) as i32, l + bval <= max_lane),
            ShflMode::Bfly => ((l ^ bval) as i32, l ^ bval <= max_lane),
            ShflMode::Idx => {
                let j = min_lane | (bval & !segment);
                (j as i32, j <= max_lane)
            }
        };
        let j = if inside { j as u32 & 0x1f } else { l };
        if mask >> j & 1 == 0 {
            return Err(Trouble::new(lane, FaultKind::ShuffleFromInactive { source_lane: j }));
        }
        result[lane] = source[j as usize];
        valid |= u32::from(inside) << lane;
    }
    regs.put32(d, mask, &result);
    regs.put_pred(p, mask, valid);
    Ok(())
}

/// `vote.sync`; all lanes of `mask` take part.
pub(super) fn vote(regs: &mut Regs, op: &Op, mask: u32) {
    let Op::Vote { vote, d, p, not, .. } = *op else { return };
    let bits = (regs.pred[p as usize] ^ if not { u32::MAX } else { 0 }) & mask;
    let all = |yes: bool| if yes { u32::MAX } else { 0 };
    match vote {
        Vote::All => regs.put_pred(d, mask, all(bits == mask)),
        Vote::Any => regs.put_pred(d, mask, all(bits != 0)),
        Vote::Uni => regs.put_pred(d, mask, all(bits == 0 || bits == mask)),
        Vote::Ballot => regs.put32(d, mask, &[bits; LANES]),
    }
}
