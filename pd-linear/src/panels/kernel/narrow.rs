//! The sweeps over narrow panels: no gather into lanes, no sum over lanes, no scratch.
//!
//! Both are Σₖ wₖ (x, y, z)ₖ with the wₖ in up to four registers. Forward, the lanes are rows below and k runs over the
//! panel's columns; backward, the lanes are the columns and k runs over the rows below and the own ones.

use super::lanes::Lanes;
use super::sweeps::{AHEAD, Work};
use crate::panels::storage::Storage;
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// v_R ← v_R − W v_J of a narrow panel: blocks of rows in up to four registers, each column times its one (x, y, z).
///
/// # Safety
/// As [`super::sweeps::forward`]; the panel is narrow.
#[inline(always)]
pub(super) unsafe fn forward<S: Storage, K: Lanes<S>>(work: &Work<S>) {
    let (mut values, mut index, mut left) = (work.values, work.index, work.m);
    while left > 0 {
        let height = left.min(4 * K::LANES);
        // SAFETY: blocks follow each other as `Stream::push` packed them, and so do their indices.
        unsafe {
            match height.div_ceil(K::LANES) {
                1 => forward_block::<S, K, 1, 4>(work, values, index, height),
                2 => forward_block::<S, K, 2, 2>(work, values, index, height),
                3 => forward_block::<S, K, 3, 1>(work, values, index, height),
                _ => forward_block::<S, K, 4, 1>(work, values, index, height),
            }
            values = values.add(work.s * height);
            index = index.add(height);
        }
        left -= height;
    }
}

/// One block of rows of a narrow panel.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn forward_block<S: Storage, K: Lanes<S>, const B: usize, const T: usize>(
    work: &Work<S>,
    values: *const S,
    index: *const u32,
    height: usize,
) {
    // SAFETY: the caller's promise; rows behind the block's end get zero.
    unsafe {
        let own = work.vector.add(work.first).cast_const();
        let sums = sum_rows::<S, K, B, T>(values, height, work.s, AHEAD, |k| own.add(k));
        for b in 0..B {
            let at = b * K::LANES;
            K::scatter(work.vector, index.add(at), K::LANES.min(height - at), sums[b], work.scale);
        }
    }
}

/// v_J ← −[W; S⁻¹]ᵀ v of a narrow panel: all its columns in up to four registers, each row times its one (x, y, z).
///
/// # Safety
/// As [`super::sweeps::forward`]; the panel is narrow.
#[inline(always)]
pub(super) unsafe fn backward<S: Storage, K: Lanes<S>>(work: &Work<S>) {
    // SAFETY: passed on.
    unsafe {
        match work.s.div_ceil(K::LANES) {
            1 => backward_rows::<S, K, 1, 4>(work),
            2 => backward_rows::<S, K, 2, 2>(work),
            3 => backward_rows::<S, K, 3, 1>(work),
            _ => backward_rows::<S, K, 4, 1>(work),
        }
    }
}

/// The columns of a narrow panel in `B` registers.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn backward_rows<S: Storage, K: Lanes<S>, const B: usize, const T: usize>(work: &Work<S>) {
    // SAFETY: the index names the rows below and the own ones, which are written when all have been read.
    unsafe {
        let row = |r| work.vector.add(*work.index.add(r) as usize).cast_const();
        let sums = sum_rows::<S, K, B, T>(work.inverse, work.s, work.m + work.s, -AHEAD, row);
        for b in 0..B {
            let at = b * K::LANES;
            K::store(work.vector.add(work.first + at), K::LANES.min(work.s - at), sums[b], work.scale);
        }
    }
}

/// Σₖ wₖ (x, y, z)ₖ with wₖ the `width` values, in `B` registers, that follow those of k − 1: `T` terms a turn, each with
/// sums of its own, because a sum must wait for the one before.
///
/// # Safety
/// `count · width` values and a register behind them can be read, and so can the rows.
#[inline(always)]
unsafe fn sum_rows<S: Storage, K: Lanes<S>, const B: usize, const T: usize>(
    mut values: *const S,
    width: usize,
    count: usize,
    ahead: isize,
    row: impl Fn(usize) -> *const [S::Arithmetic; 4],
) -> [[K::Register; 3]; B] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [[[K::zero(); 3]; B]; T];
        let mut k = 0;
        while k + T <= count {
            prefetch_bytes::<S, K>(values.cast(), ahead, B * T);
            for t in 0..T {
                add_row::<S, K, B>(&mut sums[t], values.add(t * width), row(k + t));
            }
            values = values.add(T * width);
            k += T;
        }
        while k < count {
            add_row::<S, K, B>(&mut sums[0], values, row(k));
            values = values.add(width);
            k += 1;
        }
        let mut total = sums[0];
        for t in 1..T {
            for b in 0..B {
                for c in 0..3 {
                    total[b][c] = K::add(total[b][c], sums[t][b][c]);
                }
            }
        }
        total
    }
}

/// Adds values times one (x, y, z).
///
/// # Safety
/// As [`sum_rows`].
#[inline(always)]
unsafe fn add_row<S: Storage, K: Lanes<S>, const B: usize>(
    sums: &mut [[K::Register; 3]; B],
    values: *const S,
    row: *const [S::Arithmetic; 4],
) {
    // SAFETY: the caller's promise.
    unsafe {
        let x = [K::splat((*row)[0]), K::splat((*row)[1]), K::splat((*row)[2])];
        for b in 0..B {
            let w = K::load(values.add(b * K::LANES));
            for c in 0..3 {
                sums[b][c] = K::multiply_add(w, x[c], sums[b][c]);
            }
        }
    }
}

/// Prefetches a number of registers at `distance` bytes from an address, a cache line at a time. A number
/// known to the compiler: a loop to the last value alone would cost more in branch mispredictions.
#[inline(always)]
fn prefetch_bytes<S: Storage, K: Lanes<S>>(at: *const u8, distance: isize, registers: usize) {
    let mut line = 0;
    while line < registers * K::LANES * size_of::<S>() {
        // SAFETY: a prefetch reads nothing, and an address outside the array is ignored.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_offset(distance).wrapping_add(line).cast()) }
        line += 64;
    }
}
