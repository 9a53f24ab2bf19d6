//! One block: its warps, its shared memory, its barriers.

use super::alu;
use super::regs::{LANES, lanes};
use super::sched::{Group, Reason};
use super::special;
use super::warp::{Frame, Stop, Surroundings, Warp};
use super::{Launch, Stats, Trouble};
use crate::error::{Fault, FaultKind};
use crate::instr::{BarRed, Op};
use crate::shadow::{EPOCHS, Shadow, Who};

/// Shared memory of the running block and who touched it.
pub(super) struct Shared {
    pub(super) bytes: Vec<u8>,
    pub(super) shadow: Shadow,
    epoch: u32,
}

/// The block that runs; its memory serves the next block again.
pub(super) struct Block<'a> {
    launch: &'a Launch<'a>,
    threads: u32,
    warps: Vec<Warp>,
    shared: Shared,
    interval: u32,
    index: [u32; 3],
    vector_unit: bool,
    stats: Stats,
}

impl<'a> Block<'a> {
    pub(super) fn new(launch: &'a Launch<'a>) -> Self {
        let threads = launch.block.iter().product::<u32>();
        let kernel = &launch.functions[launch.kernel];
        let warps = (0..threads.div_ceil(LANES as u32))
            .map(|w| {
                let first = w * LANES as u32;
                let exist = match threads - first {
                    n if n >= 32 => u32::MAX,
                    n => (1 << n) - 1,
                };
                let mut frame = Frame::new(launch.kernel, kernel, 0);
                for &(r, special) in &kernel.specials {
                    special::fill(launch, first, &mut frame.regs, r, special);
                }
                Warp {
                    first,
                    exist,
                    live: 0,
                    frames: vec![frame],
                    warp_interval: 0,
                    executed: 0,
                    lane_instructions: 0,
                }
            })
            .collect();
        let shared = Shared {
            bytes: vec![0xff; launch.shared_bytes],
            shadow: Shadow::new(launch.shared_bytes.div_ceil(4)),
            epoch: 0,
        };
        Self {
            launch,
            threads,
            warps,
            shared,
            interval: 0,
            index: [0; 3],
            vector_unit: alu::has_vector_unit(),
            stats: Stats::default(),
        }
    }

    pub(super) fn stats(&self) -> Stats {
        self.stats
    }

    /// Runs the block with this index from start to end.
    pub(super) fn run(&mut self, index: [u32; 3]) -> Result<(), Box<Fault>> {
        let kernel = &self.launch.functions[self.launch.kernel];
        self.index = index;
        self.interval = 0;
        self.shared.bytes.fill(0xff);
        self.shared.epoch += 1;
        if self.shared.epoch >= EPOCHS {
            self.shared.shadow.clear();
            self.shared.epoch = 1;
        }
        for warp in &mut self.warps {
            warp.live = warp.exist;
            warp.warp_interval = 0;
            warp.executed = 0;
            warp.frames.truncate(1);
            let frame = &mut warp.frames[0];
            if kernel.clear {
                frame.regs.clear(kernel);
            }
            frame.local.fill(0xff);
            special::set_block_index(kernel, &mut frame.regs, index);
            frame.sched.start(warp.exist);
        }
        loop {
            for w in 0..self.warps.len() {
                self.run_warp(w)?;
            }
            if self.warps.iter().all(|w| w.live == 0) {
                break;
            }
            if !self.release_lanes() && !self.release_barrier()? {
                return Err(self.stuck());
            }
        }
        for warp in &mut self.warps {
            self.stats.warp_instructions += warp.executed;
            self.stats.thread_instructions += std::mem::take(&mut warp.lane_instructions);
        }
        Ok(())
    }

    fn run_warp(&mut self, w: usize) -> Result<(), Box<Fault>> {
        let launch = self.launch;
        let warp = &mut self.warps[w];
        let [gx, gy, _] = launch.grid.map(u64::from);
        let [x, y, z] = self.index.map(u64::from);
        let block_first = (((z * gy + y) * gx + x) * u64::from(self.threads)) as u32;
        let who = Who {
            epoch: launch.epoch,
            block_first,
            block_threads: self.threads,
            thread: block_first + warp.first,
            interval: self.interval,
            warp_interval: warp.warp_interval,
        };
        let in_block = Who { epoch: self.shared.epoch, block_first: 0, thread: warp.first, ..who };
        let mut around = Surroundings {
            launch,
            shared: &mut self.shared,
            in_grid: who,
            in_block,
            block_index: self.index,
            vector_unit: self.vector_unit,
        };
        let stopped = warp.run(&mut around);
        let first = warp.first;
        stopped.map_err(|Stop { line, trouble }| {
            let Trouble { lane, kind } = *trouble;
            self.fault(first + lane as u32, line, kind)
        })
    }

    fn fault(&self, thread: u32, line: u32, kind: FaultKind) -> Box<Fault> {
        let [nx, ny, _] = self.launch.block;
        Box::new(Fault {
            kernel: self.launch.functions[self.launch.kernel].name.clone(),
            block: self.index,
            thread: [thread % nx, thread / nx % ny, thread / nx / ny],
            line,
            kind,
        })
    }

    fn line(&self, frame: &Frame, pc: u32) -> u32 {
        self.launch.functions[frame.function].code[pc as usize].line
    }

    /// Lets warp operations go on whose lanes have all come or ended.
    fn release_lanes(&mut self) -> bool {
        let mut progress = false;
        for warp in &mut self.warps {
            let Some(frame) = warp.frames.last_mut() else { continue };
            let mut k = 0;
            while k < frame.sched.waiting.len() {
                let w = frame.sched.waiting[k];
                match w.reason {
                    Reason::Lanes(wanted) if wanted & warp.live & !w.group.mask == 0 => {
                        frame.sched.waiting.swap_remove(k);
                        frame.sched.add(w.group);
                        progress = true;
                    }
                    _ => k += 1,
                }
            }
        }
        progress
    }

    /// Threads that wait at a barrier, with the places where they do.
    fn arrivals(&self, barrier: u32) -> (u32, Option<u32>, Vec<(usize, u32)>) {
        let (mut n, mut threads, mut places) = (0, None, Vec::new());
        for warp in &self.warps {
            let Some(frame) = warp.frames.last() else { continue };
            for w in &frame.sched.waiting {
                if let Reason::Barrier { id, threads: t } = w.reason
                    && id == barrier
                {
                    n += w.group.mask.count_ones();
                    threads = t;
                    let place = (frame.function, w.group.pc);
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
            }
        }
        (n, threads, places)
    }

    /// Opens a barrier at which all expected threads have come, all at the same instruction.
    fn release_barrier(&mut self) -> Result<bool, Box<Fault>> {
        let mut ids: Vec<u32> = Vec::new();
        for frame in self.warps.iter().filter_map(|w| w.frames.last()) {
            for w in &frame.sched.waiting {
                if let Reason::Barrier { id, .. } = w.reason
                    && !ids.contains(&id)
                {
                    ids.push(id);
                }
            }
        }
        for id in ids {
            let (n, threads, places) = self.arrivals(id);
            if n == threads.unwrap_or(self.threads) {
                if places.len() > 1 {
                    return Err(self.stuck());
                }
                self.open(id, n);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn open(&mut self, barrier: u32, n: u32) {
        self.interval += 1;
        // The votes of a reducing barrier, counted before anybody goes on.
        let mut yes = 0;
        for warp in &self.warps {
            let Some(frame) = warp.frames.last() else { continue };
            for w in frame.sched.waiting.iter().filter(|w| is_barrier(w.reason, barrier)) {
                let op = &self.launch.functions[frame.function].code[w.group.pc as usize].op;
                if let Op::Bar { red, p, not, .. } = *op
                    && red != BarRed::None
                {
                    let bits = frame.regs.pred[p as usize] ^ if not { u32::MAX } else { 0 };
                    yes += (bits & w.group.mask).count_ones();
                }
            }
        }
        for warp in &mut self.warps {
            warp.warp_interval = 0;
            let Some(frame) = warp.frames.last_mut() else { continue };
            let mut k = 0;
            while k < frame.sched.waiting.len() {
                let w = frame.sched.waiting[k];
                if !is_barrier(w.reason, barrier) {
                    k += 1;
                    continue;
                }
                frame.sched.waiting.swap_remove(k);
                let Group { pc, mask } = w.group;
                if let Op::Bar { red, d, .. } = self.launch.functions[frame.function].code[pc as usize].op {
                    let all = |b: bool| if b { u32::MAX } else { 0 };
                    match red {
                        BarRed::None => {}
                        BarRed::Popc => frame.regs.put32(d, mask, &[yes; LANES]),
                        BarRed::And => frame.regs.put_pred(d, mask, all(yes == n)),
                        BarRed::Or => frame.regs.put_pred(d, mask, all(yes > 0)),
                    }
                }
                frame.sched.add(Group { pc: pc + 1, mask });
            }
        }
    }

    /// Nothing can go on: says who waits for whom.
    fn stuck(&self) -> Box<Fault> {
        let exited = self.threads - self.warps.iter().map(|w| w.live.count_ones()).sum::<u32>();
        let mut lines: Vec<u32> = Vec::new();
        let mut first = None;
        for warp in &self.warps {
            let Some(frame) = warp.frames.last() else { continue };
            for w in &frame.sched.waiting {
                lines.push(self.line(frame, w.group.pc));
                if first.is_none() {
                    let lane = lanes(w.group.mask).next().unwrap_or(0) as u32;
                    first = Some((warp.first + lane, self.line(frame, w.group.pc), *w));
                }
            }
        }
        lines.sort_unstable();
        lines.dedup();
        let Some((thread, line, wait)) = first else {
            return self.fault(0, 0, FaultKind::Trap);
        };
        let kind = match wait.reason {
            Reason::Lanes(members) => {
                let live =
                    self.warps.iter().find(|w| thread.wrapping_sub(w.first) < 32).map_or(0, |w| w.live);
                FaultKind::DivergentWarp { members: members & live, present: wait.group.mask }
            }
            Reason::Barrier { id, .. } => {
                FaultKind::DivergentBarrier { barrier: id, waiting: self.arrivals(id).0, exited, lines }
            }
        };
        self.fault(thread, line, kind)
    }
}

fn is_barrier(reason: Reason, barrier: u32) -> bool {
    matches!(reason, Reason::Barrier { id, .. } if id == barrier)
}
