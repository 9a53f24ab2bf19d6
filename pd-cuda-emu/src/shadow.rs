//! Who touched a word last: the marks by which data races are found.
//!
//! Two accesses of one launch to the same four bytes by different threads, at least one of them a write, are
//! unordered unless a block barrier (same block) or a warp barrier (same warp) lies between them. A mark holds who
//! was there and in which interval between barriers:
//!
//! `epoch 19 | atomic 1 | crowd 2 | thread 26 | interval 10 | warp interval 6` bits.
//!
//! `crowd` says whether one thread, several of a warp, several of a block or several blocks were there. Counters
//! stop at their largest value, which is taken as ordered: in very long kernels a race may be missed, none is
//! invented. Accesses of less than four bytes are not checked, since neighbours share the word.

use crate::error::Conflict;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Launches (or blocks) between two clearings.
pub(crate) const EPOCHS: u32 = 1 << 19;
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
    fn mark(&self, crowd: u64, atomic: bool) -> u64 {
        (u64::from(self.epoch) << 45)
            | (u64::from(atomic) << 44)
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

fn atomic(mark: u64) -> bool {
    (mark >> 44) & 1 == 1
}

#[inline(always)]
fn current(mark: u64, who: &Who) -> bool {
    mark >> 45 == u64::from(who.epoch)
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
fn joined(mark: u64, who: &Who, is_atomic: bool) -> u64 {
    if !current(mark, who) || (crowd(mark) == ONE && thread(mark) == who.thread) {
        return who.mark(ONE, is_atomic);
    }
    joined_other(mark, who, is_atomic)
}

fn joined_other(mark: u64, who: &Who, is_atomic: bool) -> u64 {
    if crowd(mark) == GRID || !who.same_block(thread(mark)) {
        return who.mark(GRID, is_atomic);
    }
    if (mark >> 6) as u32 & INTERVALS != who.interval.min(INTERVALS) {
        return who.mark(ONE, is_atomic); // those before the barrier are ordered before all that follows
    }
    if crowd(mark) == BLOCK || !who.same_warp(thread(mark)) {
        return who.mark(BLOCK, is_atomic);
    }
    if mark as u32 & WARP_INTERVALS != who.warp_interval.min(WARP_INTERVALS) {
        return who.mark(ONE, is_atomic); // ordered within the warp, and another warp meets this one all the same
    }
    who.mark(WARP, is_atomic)
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

/// Two marks per word of four bytes: the last writers and the last readers.
#[derive(Debug)]
pub(crate) struct Shadow {
    marks: Box<[[AtomicU64; 2]]>,
}

impl Shadow {
    pub(crate) fn new(words: usize) -> Self {
        Self { marks: (0..words).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect() }
    }

    pub(crate) fn clear(&self) {
        for m in &self.marks {
            m[0].store(0, Relaxed);
            m[1].store(0, Relaxed);
        }
    }

    /// Whether somebody wrote the word in this epoch.
    #[inline(always)]
    pub(crate) fn written(&self, word: usize, who: &Who) -> bool {
        current(self.marks[word][0].load(Relaxed), who)
    }

    /// Marks a word as written without asking whether that is a race.
    pub(crate) fn note_write(&self, word: usize, who: &Who) {
        self.marks[word][0].store(who.mark(ONE, false), Relaxed);
    }

    #[inline(always)]
    pub(crate) fn read(&self, word: usize, who: &Who) -> Result<(), Race> {
        let [w, r] = &self.marks[word];
        let written = w.load(Relaxed);
        if unordered(written, who) {
            let conflict = if atomic(written) { Conflict::AtomicAndPlain } else { Conflict::ReadAfterWrite };
            return Err(race(conflict, written, who));
        }
        r.store(joined(r.load(Relaxed), who, false), Relaxed);
        Ok(())
    }

    /// A plain write; `changes` says whether it changes the value.
    #[inline(always)]
    pub(crate) fn write(&self, word: usize, who: &Who, changes: bool) -> Result<(), Race> {
        let [w, r] = &self.marks[word];
        let (written, read) = (w.load(Relaxed), r.load(Relaxed));
        if unordered(written, who) {
            if atomic(written) {
                return Err(race(Conflict::AtomicAndPlain, written, who));
            }
            if changes {
                return Err(race(Conflict::WriteWrite, written, who));
            }
        }
        if unordered(read, who) {
            return Err(race(Conflict::WriteAfterRead, read, who));
        }
        // Several writers of one value stay known as several: a reader must still be told.
        w.store(joined(written, who, false), Relaxed);
        Ok(())
    }

    pub(crate) fn atomic(&self, word: usize, who: &Who) -> Result<(), Race> {
        let [w, r] = &self.marks[word];
        let (written, read) = (w.load(Relaxed), r.load(Relaxed));
        if unordered(written, who) && !atomic(written) {
            return Err(race(Conflict::AtomicAndPlain, written, who));
        }
        if unordered(read, who) {
            return Err(race(Conflict::AtomicAndPlain, read, who));
        }
        w.store(joined(written, who, true), Relaxed);
        Ok(())
    }
}
