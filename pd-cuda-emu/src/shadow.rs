//! Who touched a word last: the marks by which data races are found.
//!
//! Two accesses of one launch to the same four bytes by different threads, at least one of them a write, are
//! unordered unless a block barrier (same block) or a warp barrier (same warp) lies between them. A mark holds who
//! was there and in which interval between barriers:
//!
//! `epoch 20 | crowd 2 | thread 26 | interval 10 | warp interval 6` bits.
//!
//! Epoch zero is nobody's. `crowd` says whether one thread, several of a warp, several of a block or several blocks were there. Counters
//! stop at their largest value, which is taken as ordered: in very long kernels a race may be missed, none is
//! invented. Accesses of less than four bytes are not checked, since neighbours share the word.

use crate::error::Conflict;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Launches (or blocks) between two clearings.
pub(crate) const EPOCHS: u32 = 1 << 20;
/// Threads of a launch that can be told apart.
pub(crate) const THREADS: u64 = 1 << 26;
const INTERVALS: u32 = (1 << 10) - 1;
const WARP_INTERVALS: u32 = (1 << 6) - 1;

const ONE: u64 = 0;
const WARP: u64 = 1;
const BLOCK: u64 = 2;
const GRID: u64 = 3;

/// The thread that touches a word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Who {
    /// Number of the launch for device memory, of the block for shared memory; never zero.
    pub(crate) epoch: u32,
    /// First thread of the block, and how many the block has.
    pub(crate) block_first: u32,
    pub(crate) block_threads: u32,
    /// The thread itself.
    pub(crate) thread: u32,
    /// Barriers the block passed.
    pub(crate) interval: u32,
    /// Warp barriers passed since.
    pub(crate) warp_interval: u32,
}

impl Who {
    #[inline(always)]
    fn mark(&self, crowd: u64) -> u64 {
        (u64::from(self.epoch) << 44)
            | (crowd << 42)
            | (u64::from(self.thread) << 16)
            | (u64::from(self.interval.min(INTERVALS)) << 6)
            | u64::from(self.warp_interval.min(WARP_INTERVALS))
    }

    fn same_block(&self, thread: u32) -> bool {
        thread.wrapping_sub(self.block_first) < self.block_threads
    }

    fn same_warp(&self, thread: u32) -> bool {
        self.same_block(thread) && (thread - self.block_first) / 32 == (self.thread - self.block_first) / 32
    }
}

fn thread(mark: u64) -> u32 {
    (mark >> 16) as u32 & ((1 << 26) - 1)
}

fn crowd(mark: u64) -> u64 {
    (mark >> 42) & 3
}

#[inline(always)]
fn current(mark: u64, who: &Who) -> bool {
    mark >> 44 == u64::from(who.epoch)
}

/// Whether the marked accesses may happen at the same time as one by `who`.
#[inline(always)]
fn unordered(mark: u64, who: &Who) -> bool {
    if !current(mark, who) || (crowd(mark) == ONE && thread(mark) == who.thread) {
        return false;
    }
    unordered_other(mark, who)
}

fn unordered_other(mark: u64, who: &Who) -> bool {
    if crowd(mark) == GRID || !who.same_block(thread(mark)) {
        return true;
    }
    let interval = (mark >> 6) as u32 & INTERVALS;
    if interval != who.interval.min(INTERVALS) || interval == INTERVALS {
        return false;
    }
    if crowd(mark) == BLOCK || !who.same_warp(thread(mark)) {
        return true;
    }
    let warp_interval = mark as u32 & WARP_INTERVALS;
    warp_interval == who.warp_interval.min(WARP_INTERVALS) && warp_interval != WARP_INTERVALS
}

/// The mark after `who` joined those already there.
#[inline(always)]
fn joined(mark: u64, who: &Who) -> u64 {
    if !current(mark, who) || (crowd(mark) == ONE && thread(mark) == who.thread) {
        return who.mark(ONE);
    }
    joined_other(mark, who)
}

fn joined_other(mark: u64, who: &Who) -> u64 {
    if crowd(mark) == GRID || !who.same_block(thread(mark)) {
        return who.mark(GRID);
    }
    if (mark >> 6) as u32 & INTERVALS != who.interval.min(INTERVALS) {
        return who.mark(ONE); // those before the barrier are ordered before all that follows
    }
    if crowd(mark) == BLOCK || !who.same_warp(thread(mark)) {
        return who.mark(BLOCK);
    }
    if mark as u32 & WARP_INTERVALS != who.warp_interval.min(WARP_INTERVALS) {
        return who.mark(ONE); // ordered within the warp, and another warp meets this one all the same
    }
    who.mark(WARP)
}

/// A race and a description of who was there before.
pub(crate) type Race = (Conflict, String);

fn race(conflict: Conflict, mark: u64, who: &Who) -> Race {
    let thread = thread(mark);
    let other = if crowd(mark) == GRID {
        "several blocks".to_string()
    } else if who.same_block(thread) {
        let several = if crowd(mark) == ONE { "" } else { ", among others" };
        format!("thread {} of the same block{several}", thread - who.block_first)
    } else {
        format!("block {}, thread {}", thread / who.block_threads, thread % who.block_threads)
    };
    (conflict, other)
}

/// Marks per word of four bytes: the last plain writers, the last plain readers, and the last atomics where there are any.
#[derive(Debug)]
pub(crate) struct Shadow {
    marks: Box<[[AtomicU64; 2]]>,
    atomics: OnceLock<Box<[AtomicU64]>>,
}

impl Shadow {
    pub(crate) fn new(words: usize) -> Self {
        let marks = (0..words).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect();
        Self { marks, atomics: OnceLock::new() }
    }

    pub(crate) fn clear(&self) {
        self.marks.iter().flatten().for_each(|m| m.store(0, Relaxed));
        self.atomics.get().into_iter().flatten().for_each(|m| m.store(0, Relaxed));
    }

    /// Mark of the atomics on a word; zero, which is in no epoch, if there never were any.
    #[inline(always)]
    fn atomics(&self, word: usize) -> u64 {
        self.atomics.get().map_or(0, |a| a[word].load(Relaxed))
    }

    /// Whether somebody wrote the word in this epoch.
    #[inline(always)]
    pub(crate) fn written(&self, word: usize, who: &Who) -> bool {
        current(self.marks[word][0].load(Relaxed), who) || current(self.atomics(word), who)
    }

    /// Marks a word as written without asking whether that is a race.
    pub(crate) fn note_write(&self, word: usize, who: &Who) {
        self.marks[word][0].store(who.mark(ONE), Relaxed);
    }

    #[inline(always)]
    pub(crate) fn read(&self, word: usize, who: &Who) -> Result<(), Race> {
        let [w, r] = &self.marks[word];
        let (written, changed) = (w.load(Relaxed), self.atomics(word));
        if unordered(written, who) {
            return Err(race(Conflict::ReadAfterWrite, written, who));
        }
        if unordered(changed, who) {
            return Err(race(Conflict::AtomicAndPlain, changed, who));
        }
        r.store(joined(r.load(Relaxed), who), Relaxed);
        Ok(())
    }

    /// A plain write; `changes` says whether it changes the value.
    #[inline(always)]
    pub(crate) fn write(&self, word: usize, who: &Who, changes: bool) -> Result<(), Race> {
        let [w, r] = &self.marks[word];
        let (written, read, changed) = (w.load(Relaxed), r.load(Relaxed), self.atomics(word));
        if changes && unordered(written, who) {
            return Err(race(Conflict::WriteWrite, written, who));
        }
        if unordered(changed, who) {
            return Err(race(Conflict::AtomicAndPlain, changed, who));
        }
        if unordered(read, who) {
            return Err(race(Conflict::WriteAfterRead, read, who));
        }
        // Several writers of one value stay known as several: a reader must still be told.
        w.store(joined(written, who), Relaxed);
        Ok(())
    }

    pub(crate) fn atomic(&self, word: usize, who: &Who) -> Result<(), Race> {
        for mark in &self.marks[word] {
            let mark = mark.load(Relaxed);
            if unordered(mark, who) {
                return Err(race(Conflict::AtomicAndPlain, mark, who));
            }
        }
        let atomics = self.atomics.get_or_init(|| (0..self.marks.len()).map(|_| AtomicU64::new(0)).collect());
        let changed = &atomics[word];
        changed.store(joined(changed.load(Relaxed), who), Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One access to the only word: by whom, between which barriers, and what kind.
    #[derive(Debug, Clone, Copy)]
    struct Access {
        block: u32,
        thread: u32,
        interval: u32,
        warp_interval: u32,
        /// 0 read, 1 write of the same value, 2 write of another value, 3 atomic.
        kind: u8,
    }

    const THREADS_OF_BLOCK: u32 = 64;

    /// The definition, pair by pair.
    fn unordered_pair(a: &Access, b: &Access) -> bool {
        if (a.block, a.thread) == (b.block, b.thread) {
            return false;
        }
        let same_warp = a.thread / 32 == b.thread / 32;
        a.block != b.block || (a.interval == b.interval && !(same_warp && a.warp_interval != b.warp_interval))
    }

    fn is_race(before: &[Access], b: &Access) -> bool {
        before.iter().any(|a| {
            let plain_writes = |k: u8| k == 1 || k == 2;
            let conflict = match (a.kind, b.kind) {
                (0, 0) | (3, 3) => false,
                (w, 1) if plain_writes(w) => false, // the same value again
                _ => true,
            };
            conflict && unordered_pair(a, b)
        })
    }

    /// Accesses in an order in which they can happen: blocks in turn, barriers in turn, then warps with their barriers.
    fn history() -> impl Strategy<Value = Vec<Access>> {
        let threads = prop::sample::select(vec![0u32, 0, 1, 1, 2, 32]);
        let one = (
            prop::sample::select(vec![0u32, 0, 0, 1]),
            threads,
            0u32..2,
            0u32..2,
            prop::sample::select(vec![0u8, 0, 0, 1, 2, 3]),
        );
        prop::collection::vec(one, 1..9).prop_map(|list| {
            let mut out: Vec<Access> = list
                .into_iter()
                .map(|(block, thread, interval, warp_interval, kind)| Access {
                    block,
                    thread,
                    interval,
                    warp_interval,
                    kind,
                })
                .collect();
            out.sort_by_key(|a| (a.block, a.interval, a.thread / 32, a.warp_interval));
            out
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn marks_find_exactly_the_races_of_the_definition(history in history(), epoch in 1u32..EPOCHS) {
            let shadow = Shadow::new(1);
            for (k, a) in history.iter().enumerate() {
                let who = Who {
                    epoch,
                    block_first: a.block * THREADS_OF_BLOCK,
                    block_threads: THREADS_OF_BLOCK,
                    thread: a.block * THREADS_OF_BLOCK + a.thread,
                    interval: a.interval,
                    warp_interval: a.warp_interval,
                };
                let found = match a.kind {
                    0 => shadow.read(0, &who),
                    3 => shadow.atomic(0, &who),
                    kind => shadow.write(0, &who, kind == 2),
                };
                let expected = is_race(&history[..k], a);
                prop_assert_eq!(found.is_err(), expected, "access {} of {:?}", k, history);
                if expected {
                    break;
                }
            }
        }
    }

    #[test]
    fn marks_of_another_launch_do_not_count() {
        let shadow = Shadow::new(1);
        let who = |epoch, thread| Who {
            epoch,
            block_first: 0,
            block_threads: 64,
            thread,
            interval: 0,
            warp_interval: 0,
        };
        shadow.write(0, &who(1, 0), true).unwrap();
        assert!(shadow.read(0, &who(1, 40)).is_err());
        shadow.read(0, &who(2, 40)).unwrap();
        shadow.clear();
        shadow.write(0, &who(2, 3), true).unwrap();
    }
}
