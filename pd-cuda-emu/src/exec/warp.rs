//! One warp: its frames, and the loop that fetches and executes.

use super::access::Reach;
use super::block::Shared;
use super::regs::{LANES, Regs, lanes};
use super::sched::{Group, Reason, Sched};
use super::{Launch, Trouble, alu, special, warpops};
use crate::error::FaultKind;
use crate::instr::{Function, NONE, Op, Passed};
use crate::shadow::Who;

/// Deepest nesting of calls.
const CALL_DEPTH: usize = 64;

/// A running function: its registers, its private memory, its groups.
pub(super) struct Frame {
    pub(super) function: usize,
    pub(super) regs: Regs,
    /// `frame_bytes` for each lane, one lane after the other.
    pub(super) local: Vec<u8>,
    pub(super) frame_bytes: usize,
    /// Local address of the first byte.
    pub(super) local_base: u64,
    pub(super) sched: Sched,
    /// The group that called, while a callee runs.
    calling: Option<Group>,
}

impl Frame {
    pub(super) fn new(index: usize, f: &Function, local_base: u64) -> Self {
        Self {
            function: index,
            regs: Regs::new(f),
            local: vec![0xff; f.frame_bytes * LANES],
            frame_bytes: f.frame_bytes,
            local_base,
            sched: Sched::default(),
            calling: None,
        }
    }

    /// Copies parameters or results of the lanes between two frames.
    fn pass(from: &Frame, to: &mut Frame, list: &[Passed], mask: u32, back: bool) {
        for &(caller, callee, bytes) in list {
            let (source, target) = if back { (callee, caller) } else { (caller, callee) };
            let (source, target, n) = (source as usize, target as usize, bytes as usize);
            for lane in lanes(mask) {
                let s = lane * from.frame_bytes + source;
                let t = lane * to.frame_bytes + target;
                to.local[t..t + n].copy_from_slice(&from.local[s..s + n]);
            }
        }
    }
}

/// 32 threads.
pub(super) struct Warp {
    /// Number of lane zero in the block.
    pub(super) first: u32,
    /// Lanes that exist, and those that have not ended.
    pub(super) exist: u32,
    pub(super) live: u32,
    pub(super) frames: Vec<Frame>,
    /// Warp barriers passed since the last block barrier.
    pub(super) warp_interval: u32,
    pub(super) executed: u64,
    pub(super) lane_instructions: u64,
}

/// Where a fault happened.
pub(super) struct Stop {
    pub(super) line: u32,
    pub(super) trouble: Box<Trouble>,
}

/// What the warp needs from its block while it runs.
pub(super) struct Surroundings<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) shared: &'a mut Shared,
    pub(super) in_grid: Who,
    pub(super) in_block: Who,
    pub(super) block_index: [u32; 3],
    pub(super) vector_unit: bool,
}

/// How the inner loop ended.
enum Left {
    /// No group of the frame can run.
    Idle,
    /// A call was made: the frame below it is the caller's.
    Called { function: u32, group: Group },
}

impl Warp {
    /// Runs until every lane waits or has ended.
    pub(super) fn run(&mut self, s: &mut Surroundings<'_>) -> Result<(), Stop> {
        loop {
            match self.run_frame(s)? {
                Left::Called { function, group } => self.enter(s, function, group)?,
                Left::Idle => {
                    let idle = self.frames.last().is_none_or(|f| !f.sched.waiting.is_empty());
                    if idle || self.frames.len() == 1 {
                        return Ok(());
                    }
                    self.leave(s.launch);
                }
            }
        }
    }

    fn enter(&mut self, s: &Surroundings<'_>, function: u32, group: Group) -> Result<(), Stop> {
        let launch = s.launch;
        let Some(caller) = self.frames.last_mut() else { return Ok(()) };
        let call = &launch.functions[caller.function].code[group.pc as usize];
        let f = &launch.functions[function as usize];
        let mut callee = Frame::new(function as usize, f, caller.local_base + caller.frame_bytes as u64);
        if let Op::Call { args, .. } = &call.op {
            Frame::pass(caller, &mut callee, args, group.mask, false);
        }
        // Special values are the same in every frame of the thread.
        for &(r, special) in &f.specials {
            special::fill(launch, self.first, &mut callee.regs, r, special);
        }
        callee.sched.start(group.mask);
        caller.calling = Some(group);
        let line = call.line;
        if self.frames.len() >= CALL_DEPTH {
            let lane = group.mask.trailing_zeros() as usize;
            return Err(Stop {
                line,
                trouble: Trouble::new(lane, FaultKind::CallDepth { limit: CALL_DEPTH }),
            });
        }
        special::set_block_index(f, &mut callee.regs, s.block_index);
        self.frames.push(callee);
        Ok(())
    }

    fn leave(&mut self, launch: &Launch<'_>) {
        let Some(callee) = self.frames.pop() else { return };
        let Some(caller) = self.frames.last_mut() else { return };
        let Some(group) = caller.calling.take() else { return };
        let mask = group.mask & self.live;
        if let Op::Call { results, .. } = &launch.functions[caller.function].code[group.pc as usize].op {
            Frame::pass(&callee, caller, results, mask, true);
        }
        caller.sched.add(Group { pc: group.pc + 1, mask });
    }

    fn run_frame(&mut self, s: &mut Surroundings<'_>) -> Result<Left, Stop> {
        let depth = self.frames.len();
        let Some((frame, callers)) = self.frames.split_last_mut() else { return Ok(Left::Idle) };
        let code = &s.launch.functions[frame.function].code;
        let (mut executed, mut lane_instructions) = (0u64, 0u64);
        let budget = s.launch.instruction_limit.saturating_sub(self.executed);
        let result = 'run: {
            let Some(mut g) = frame.sched.take() else { break 'run Ok(Left::Idle) };
            let mut limit = frame.sched.limit();
            loop {
                if g.pc >= limit {
                    frame.sched.add(g);
                    let Some(next) = frame.sched.take() else { break 'run Ok(Left::Idle) };
                    g = next;
                    limit = frame.sched.limit();
                }
                let instr = &code[g.pc as usize];
                executed += 1;
                lane_instructions += u64::from(g.mask.count_ones());
                let stop = |trouble| Stop { line: instr.line, trouble };
                if executed > budget {
                    let limit = s.launch.instruction_limit;
                    let lane = g.mask.trailing_zeros() as usize;
                    break 'run Err(stop(Trouble::new(lane, FaultKind::InstructionLimit { limit })));
                }
                let mask = if instr.guard == NONE {
                    g.mask
                } else {
                    let p = frame.regs.pred[instr.guard as usize];
                    g.mask & if instr.negated { !p } else { p }
                };
                if mask == 0 {
                    g.pc += 1;
                    continue;
                }
                match &instr.op {
                    Op::Ld(access) => {
                        let mut reach = Reach {
                            launch: s.launch,
                            shared: s.shared,
                            frame,
                            callers,
                            in_grid: s.in_grid,
                            in_block: s.in_block,
                        };
                        if let Err(t) = reach.load(access, mask) {
                            break 'run Err(stop(t));
                        }
                        g.pc += 1;
                    }
                    Op::St(_) | Op::Atom(_) => {
                        let mut reach = Reach {
                            launch: s.launch,
                            shared: s.shared,
                            frame,
                            callers,
                            in_grid: s.in_grid,
                            in_block: s.in_block,
                        };
                        let done = match &instr.op {
                            Op::St(access) => reach.store(access, mask),
                            Op::Atom(atom) => reach.atomic(atom, mask),
                            _ => Ok(()),
                        };
                        if let Err(t) = done {
                            break 'run Err(stop(t));
                        }
                        g.pc += 1;
                    }
                    Op::Bra { target } => {
                        let stay = g.mask & !mask;
                        if stay == 0 {
                            g.pc = *target;
                        } else {
                            frame.sched.add(Group { pc: g.pc + 1, mask: stay });
                            g = Group { pc: *target, mask };
                            limit = frame.sched.limit();
                        }
                    }
                    Op::Brx { index, targets } => {
                        let row = frame.regs.row32(*index);
                        if let Some(lane) = lanes(mask).find(|&l| row[l] as usize >= targets.len()) {
                            let kind = FaultKind::BranchIndex { index: row[lane], len: targets.len() };
                            break 'run Err(stop(Trouble::new(lane, kind)));
                        }
                        for l in lanes(mask) {
                            frame.sched.add(Group { pc: targets[row[l] as usize], mask: 1 << l });
                        }
                        frame.sched.add(Group { pc: g.pc + 1, mask: g.mask & !mask });
                        let Some(next) = frame.sched.take() else { break 'run Ok(Left::Idle) };
                        g = next;
                        limit = frame.sched.limit();
                    }
                    Op::Ret | Op::Exit => {
                        if depth == 1 || instr.op == Op::Exit {
                            self.live &= !mask;
                        }
                        g.mask &= !mask;
                        g.pc += 1;
                        if g.mask == 0 {
                            let Some(next) = frame.sched.take() else { break 'run Ok(Left::Idle) };
                            g = next;
                            limit = frame.sched.limit();
                        }
                    }
                    Op::Call { function, .. } => {
                        frame.sched.add(Group { pc: g.pc + 1, mask: g.mask & !mask });
                        break 'run Ok(Left::Called { function: *function, group: Group { pc: g.pc, mask } });
                    }
                    Op::Shfl { members, .. } | Op::Vote { members, .. } | Op::WarpSync { members } => {
                        let wanted = frame.regs.row32(*members)[mask.trailing_zeros() as usize];
                        if wanted & self.live & !mask != 0 {
                            frame.sched.add(Group { pc: g.pc + 1, mask: g.mask & !mask });
                            frame.sched.wait(Group { pc: g.pc, mask }, Reason::Lanes(wanted));
                            let Some(next) = frame.sched.take() else { break 'run Ok(Left::Idle) };
                            g = next;
                            limit = frame.sched.limit();
                            continue;
                        }
                        match &instr.op {
                            Op::Shfl { .. } => {
                                if let Err(t) = warpops::shuffle(&mut frame.regs, &instr.op, mask) {
                                    break 'run Err(stop(t));
                                }
                            }
                            Op::Vote { .. } => warpops::vote(&mut frame.regs, &instr.op, mask),
                            _ => {
                                self.warp_interval += 1;
                                s.in_grid.warp_interval = self.warp_interval;
                                s.in_block.warp_interval = self.warp_interval;
                            }
                        }
                        g.pc += 1;
                    }
                    Op::Bar { id, threads, .. } => {
                        // Lanes that name another barrier wait on their own.
                        let ids = *frame.regs.row32(*id);
                        let counts = (*threads != NONE).then(|| *frame.regs.row32(*threads));
                        let mut rest = mask;
                        while rest != 0 {
                            let first = rest.trailing_zeros() as usize;
                            let same =
                                |l: usize| ids[l] == ids[first] && counts.is_none_or(|c| c[l] == c[first]);
                            let mask = lanes(rest).filter(|&l| same(l)).fold(0, |m, l| m | 1 << l);
                            let threads = counts.map(|c| c[first]);
                            frame
                                .sched
                                .wait(Group { pc: g.pc, mask }, Reason::Barrier { id: ids[first], threads });
                            rest &= !mask;
                        }
                        frame.sched.add(Group { pc: g.pc + 1, mask: g.mask & !mask });
                        let Some(next) = frame.sched.take() else { break 'run Ok(Left::Idle) };
                        g = next;
                        limit = frame.sched.limit();
                    }
                    Op::ActiveMask { d } => {
                        frame.regs.put32(*d, mask, &[mask; LANES]);
                        g.pc += 1;
                    }
                    Op::Nop => g.pc += 1,
                    Op::Trap => {
                        let lane = mask.trailing_zeros() as usize;
                        break 'run Err(stop(Trouble::new(lane, FaultKind::Trap)));
                    }
                    Op::Refuse { name } => {
                        let lane = mask.trailing_zeros() as usize;
                        break 'run Err(stop(Trouble::new(lane, FaultKind::Refused { name: name.clone() })));
                    }
                    op => {
                        alu::run(&mut frame.regs, op, mask, frame.local_base as u32, s.vector_unit);
                        g.pc += 1;
                    }
                }
            }
        };
        self.executed += executed;
        self.lane_instructions += lane_instructions;
        result
    }
}
