//! The sweeps over wide panels, whose columns come in groups.
//!
//! Forward, a group's values of v_J are spread over registers once and meet block after block of W; backward, the sums of
//! a group's columns stay in registers over all blocks.

use super::lanes::Lanes;
use super::sweeps::{AHEAD, Work};
use crate::panels::storage::Storage;
use crate::panels::stream::Shape;
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// Prefetches the `G` registers at `distance` bytes from the next ones. An address outside the
/// array is ignored by the processor.
#[inline(always)]
fn prefetch<S: Storage, K: Lanes<S>, const G: usize>(values: *const S, distance: isize) {
    for k in 0..G {
        let at = values.wrapping_add(k * K::LANES).wrapping_byte_offset(distance);
        // SAFETY: a prefetch reads nothing and every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}

/// v_R ← v_R − W v_J of a wide panel.
///
/// # Safety
/// As [`super::sweeps::forward`]; the panel is wide.
#[inline(always)]
pub(super) unsafe fn forward<S: Storage, K: Lanes<S>>(work: &Work<S>) {
    if work.m == 0 {
        return; // a root
    }
    // SAFETY: groups cover the panel's columns exactly, in the order `Stream::push` packed them.
    unsafe {
        let mut g = 0;
        while g < work.s {
            let width = K::GROUP.min(work.s - g);
            forward_group::<S, K>(work, g, width);
            g += width;
        }
        scatter_sums::<S, K>(work, work.index, work.scratch, work.m);
    }
}

/// Picks the function for the number of columns in the group.
///
/// # Safety
/// As [`forward`]; `1 <= width <= GROUP`.
#[inline(always)]
unsafe fn forward_group<S: Storage, K: Lanes<S>>(work: &Work<S>, g: usize, width: usize) {
    // SAFETY: passed on.
    unsafe {
        match width {
            1 => forward_columns::<S, K, 1>(work, g),
            2 => forward_columns::<S, K, 2>(work, g),
            3 => forward_columns::<S, K, 3>(work, g),
            4 => forward_columns::<S, K, 4>(work, g),
            5 => forward_columns::<S, K, 5>(work, g),
            6 => forward_columns::<S, K, 6>(work, g),
            7 => forward_columns::<S, K, 7>(work, g),
            _ => forward_columns::<S, K, 8>(work, g),
        }
    }
}

/// One group of `G` columns against all blocks of W; the sums gather in the scratch.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn forward_columns<S: Storage, K: Lanes<S>, const G: usize>(work: &Work<S>, g: usize) {
    // SAFETY: reads of values stay in the panel or the register of room behind the stream; scratch holds three
    // registers per block.
    unsafe {
        let own = work.vector.add(work.first + g);
        let mut x = [[K::zero(); 3]; G];
        for k in 0..G {
            for c in 0..3 {
                x[k][c] = K::splat((*own.add(k))[c]);
            }
        }
        let mut values = work.values.add(g * work.m);
        let mut scratch = work.scratch;
        let mut r = 0;
        while r < work.m {
            let height = K::LANES.min(work.m - r);
            let mut sums = [K::zero(); 3];
            if g > 0 {
                for c in 0..3 {
                    sums[c] = K::read(scratch.add(c * K::LANES));
                }
            }
            prefetch::<S, K, G>(values, AHEAD);
            for k in 0..G {
                let w = K::load(values.add(k * height));
                for c in 0..3 {
                    sums[c] = K::multiply_add(w, x[k][c], sums[c]);
                }
            }
            for c in 0..3 {
                K::write(scratch.add(c * K::LANES), sums[c]);
            }
            values = values.add(G * height);
            scratch = scratch.add(3 * K::LANES);
            r += K::LANES;
        }
    }
}

/// Subtracts sums, three registers per block, from the rows that an index names.
///
/// # Safety
/// As [`forward`]; the index and the sums belong to so many rows and are padded to full blocks.
#[inline(always)]
unsafe fn scatter_sums<S: Storage, K: Lanes<S>>(
    work: &Work<S>,
    index: *const u32,
    sums: *const S::Arithmetic,
    rows: usize,
) {
    let mut r = 0;
    while r < rows {
        // SAFETY: the rows of the index were checked by `Stream::finish`.
        unsafe {
            let from = sums.add(3 * r);
            let sums = [K::read(from), K::read(from.add(K::LANES)), K::read(from.add(2 * K::LANES))];
            K::scatter(work.vector, index.add(r), K::LANES.min(rows - r), sums, work.scale);
        }
        r += K::LANES;
    }
}

/// v_J ← −[W; S⁻¹]ᵀ v of a wide panel.
///
/// # Safety
/// As [`super::sweeps::forward`]; the panel is wide.
#[inline(always)]
pub(super) unsafe fn backward<S: Storage, K: Lanes<S>>(work: &Work<S>) {
    // SAFETY: as in `forward`. A group's own rows are overwritten when it has been used.
    unsafe {
        gather_rows::<S, K>(work);
        let (mut g, mut inverse) = (0, work.inverse);
        while g < work.s {
            let width = K::GROUP.min(work.s - g);
            backward_group::<S, K>(work, inverse, g, width);
            inverse = inverse.add(width * (work.s - first_row::<S, K>(g)));
            g += width;
        }
        if S::ONE_HALF && work.s > K::LANES {
            let own = work.index.add(blocks::<S, K>(work.m) + K::LANES);
            let sums = transposed::<S, K>(work).add(3 * K::LANES);
            scatter_sums::<S, K>(work, own, sums, work.s - K::LANES);
        }
    }
}

/// Copies the rows below and the own rows, component by component, into the scratch.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn gather_rows<S: Storage, K: Lanes<S>>(work: &Work<S>) {
    let end = blocks::<S, K>(work.m) + work.s;
    let mut r = 0;
    while r < end {
        // SAFETY: the index is padded to full blocks with the dummy row.
        unsafe {
            let [x, y, z] = K::gather(work.vector, work.index.add(r));
            let to = work.scratch.add(3 * r);
            K::write(to, x);
            K::write(to.add(K::LANES), y);
            K::write(to.add(2 * K::LANES), z);
        }
        r += K::LANES;
    }
}

/// Picks the function for the number of columns in the group.
///
/// # Safety
/// As [`forward`]; `1 <= width <= GROUP`.
#[inline(always)]
unsafe fn backward_group<S: Storage, K: Lanes<S>>(work: &Work<S>, inverse: *const S, g: usize, width: usize) {
    // SAFETY: passed on.
    unsafe {
        match width {
            1 => backward_columns::<S, K, 1>(work, inverse, g),
            2 => backward_columns::<S, K, 2>(work, inverse, g),
            3 => backward_columns::<S, K, 3>(work, inverse, g),
            4 => backward_columns::<S, K, 4>(work, inverse, g),
            5 => backward_columns::<S, K, 5>(work, inverse, g),
            6 => backward_columns::<S, K, 6>(work, inverse, g),
            7 => backward_columns::<S, K, 7>(work, inverse, g),
            _ => backward_columns::<S, K, 8>(work, inverse, g),
        }
    }
}

/// Rows of full blocks.
#[inline(always)]
fn blocks<S: Storage, K: Lanes<S>>(rows: usize) -> usize {
    rows.next_multiple_of(K::LANES)
}

/// First row of S⁻¹ that is stored of a group of columns.
#[inline(always)]
fn first_row<S: Storage, K: Lanes<S>>(g: usize) -> usize {
    Shape { lanes: K::LANES, group: K::GROUP }.first_row::<S>(g)
}

/// Where the sums of S⁻¹ above its diagonal blocks gather: behind the gathered rows.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn transposed<S: Storage, K: Lanes<S>>(work: &Work<S>) -> *mut S::Arithmetic {
    // SAFETY: the scratch has room for the rows below and twice the own ones.
    unsafe { work.scratch.add(3 * (blocks::<S, K>(work.m) + blocks::<S, K>(work.s))) }
}

/// The sums of `G` columns over all blocks. Where only one half of S⁻¹ is stored, the block that holds the diagonal and
/// those below, the latter count for their columns here and, transposed, for their rows.
///
/// # Safety
/// As [`forward`]; `inverse` is the group's part of S⁻¹.
#[inline(always)]
unsafe fn backward_columns<S: Storage, K: Lanes<S>, const G: usize>(
    work: &Work<S>,
    inverse: *const S,
    g: usize,
) {
    // SAFETY: as in `forward_columns`; the gathered own rows follow those below.
    unsafe {
        let block = first_row::<S, K>(g);
        let own = work.scratch.add(3 * (blocks::<S, K>(work.m) + block));
        let mut sums = [[K::zero(); 3]; G];
        accumulate::<S, K, G>(&mut sums, work.values.add(g * work.m), work.m, work.scratch, AHEAD);
        let below = if S::ONE_HALF { work.s.min(block + K::LANES) } else { work.s };
        // There are fewer inverses, so the same lead time is a shorter distance.
        accumulate::<S, K, G>(&mut sums, inverse, below - block, own, AHEAD / 2);
        if below < work.s {
            let columns = work.vector.add(work.first + g);
            let (values, rows) = (inverse.add(G * K::LANES), work.s - below);
            let to = transposed::<S, K>(work).add(3 * below);
            accumulate_both::<S, K, G>(&mut sums, values, rows, own.add(3 * K::LANES), columns, to, g == 0);
        }
        K::reduce::<G>(&sums, work.vector.add(work.first + g), work.scale);
    }
}

/// Adds the products of `G` columns of so many rows with gathered rows to `sums`, and those of the rows with the (x, y, z)
/// of the columns to the sums at `to`, which the first group makes.
///
/// # Safety
/// As [`accumulate`]; the sums at `to` have three registers per block.
#[inline(always)]
unsafe fn accumulate_both<S: Storage, K: Lanes<S>, const G: usize>(
    sums: &mut [[K::Register; 3]; G],
    mut values: *const S,
    rows: usize,
    mut gathered: *const S::Arithmetic,
    columns: *const [S::Arithmetic; 4],
    mut to: *mut S::Arithmetic,
    first: bool,
) {
    let mut r = 0;
    while r < rows {
        // SAFETY: the callers' promises.
        unsafe {
            let height = K::LANES.min(rows - r);
            let (mut x, mut across) = ([K::zero(); 3], [K::zero(); 3]);
            for c in 0..3 {
                x[c] = K::read(gathered.add(c * K::LANES));
                if !first {
                    across[c] = K::read(to.add(c * K::LANES));
                }
            }
            prefetch::<S, K, G>(values, -AHEAD / 2);
            for k in 0..G {
                let w = K::load(values.add(k * height));
                for c in 0..3 {
                    sums[k][c] = K::multiply_add(w, x[c], sums[k][c]);
                    across[c] = K::multiply_add(w, K::splat((*columns.add(k))[c]), across[c]);
                }
            }
            for c in 0..3 {
                K::write(to.add(c * K::LANES), across[c]);
            }
            values = values.add(G * height);
            gathered = gathered.add(3 * K::LANES);
            to = to.add(3 * K::LANES);
        }
        r += K::LANES;
    }
}

/// Adds the products of `G` columns of so many rows with gathered rows.
///
/// # Safety
/// As [`forward`]; the values are a group of W or of S⁻¹, and the rows are its own.
#[inline(always)]
unsafe fn accumulate<S: Storage, K: Lanes<S>, const G: usize>(
    sums: &mut [[K::Register; 3]; G],
    mut values: *const S,
    rows: usize,
    mut gathered: *const S::Arithmetic,
    ahead: isize,
) {
    let mut r = 0;
    while r < rows {
        // SAFETY: the caller's promise; the last block reads on into finite values that meet rows of zeros.
        unsafe {
            let height = K::LANES.min(rows - r);
            let mut x = [K::zero(); 3];
            for c in 0..3 {
                x[c] = K::read(gathered.add(c * K::LANES));
            }
            prefetch::<S, K, G>(values, -ahead);
            for k in 0..G {
                let w = K::load(values.add(k * height));
                for c in 0..3 {
                    sums[k][c] = K::multiply_add(w, x[c], sums[k][c]);
                }
            }
            values = values.add(G * height);
            gathered = gathered.add(3 * K::LANES);
        }
        r += K::LANES;
    }
}
