//! The sweeps once more, over registers: generic in the instruction set.
//!
//! Forward, a group's values of v_J are spread over registers once and meet block after block of W; backward, the
//! sums of a group's columns stay in registers over all blocks. Narrow panels have a way of their own (`narrow`).
//! Everything here is inlined into one function per instruction set, where the compiler may use it.

use super::lanes::Lanes;
use super::narrow;
use crate::panels::storage::{Arithmetic, Storage};
use crate::panels::stream::{Packed, Stream};
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// How far ahead of their use values are asked for, bytes: longer than the memory's delay, and than most panels, at
/// whose ends the processor's own guess fails. Measured from 0 to 16 kB; half as much or twice is as good.
pub(super) const AHEAD: isize = 8192;

/// Asks for the `G` registers' worth of values that lie `distance` bytes from the next ones. An address outside the
/// array is ignored by the processor.
#[inline(always)]
fn prefetch<S: Storage, K: Lanes<S>, const G: usize>(values: *const S, distance: isize) {
    for k in 0..G {
        let at = values.wrapping_add(k * K::LANES).wrapping_byte_offset(distance);
        // SAFETY: a prefetch reads nothing and every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
}

/// Pointers to what the sweeps work on.
pub(super) struct Work<S: Storage> {
    pub(super) values: *const S,
    pub(super) inverse: *const S,
    pub(super) index: *const u32,
    pub(super) vector: *mut [S::Arithmetic; 4],
    scratch: *mut S::Arithmetic,
    pub(super) first: usize,
    pub(super) s: usize,
    pub(super) m: usize,
    /// What W was divided by.
    pub(super) scale: S::Arithmetic,
}

impl<S: Storage> Work<S> {
    /// # Safety
    /// The panel is one of the stream's.
    #[inline(always)]
    unsafe fn new(
        stream: &Stream<S>,
        panel: &Packed,
        vector: *mut [S::Arithmetic; 4],
        scratch: *mut S::Arithmetic,
    ) -> Self {
        // SAFETY: `Stream::push` made the offsets.
        unsafe {
            Self {
                values: stream.values().as_ptr().add(panel.values),
                inverse: stream.inverses().as_ptr().add(panel.inverse),
                index: stream.index().as_ptr().add(panel.index),
                vector,
                scratch,
                first: panel.first as usize,
                s: panel.s as usize,
                m: panel.m as usize,
                scale: S::Arithmetic::from_f64(f64::from(panel.scale)),
            }
        }
    }
}

/// v_R ← v_R − W v_J, panels ascending.
///
/// # Safety
/// The processor has the instruction set `K`; `vector` and `scratch` have the lengths the stream asks for.
#[inline(always)]
pub(super) unsafe fn forward<S: Storage, K: Lanes<S>>(
    stream: &Stream<S>,
    vector: &mut [[S::Arithmetic; 4]],
    scratch: &mut [S::Arithmetic],
) {
    let (vector, scratch) = (vector.as_mut_ptr(), scratch.as_mut_ptr());
    for panel in stream.panels() {
        // SAFETY: groups cover the panel's columns exactly, in the order `Stream::push` packed them.
        unsafe {
            let work = Work::new(stream, panel, vector, scratch);
            if panel.narrow {
                narrow::forward::<S, K>(&work);
            } else if work.m > 0 {
                let mut g = 0;
                while work.s - g > K::GROUP {
                    forward_group::<S, K>(&work, g, K::GROUP);
                    g += K::GROUP;
                }
                forward_group::<S, K>(&work, g, work.s - g);
                scatter_sums::<S, K>(&work);
            }
            if panel.unit != 1.0 {
                scale_own(&work, panel.unit);
            }
        }
    }
}

/// Multiplies the own rows by the unit of S⁻¹ in that of W.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn scale_own<S: Storage>(work: &Work<S>, unit: f32) {
    let unit = S::Arithmetic::from_f64(f64::from(unit));
    for k in 0..work.s {
        // SAFETY: the own rows lie inside the vector.
        unsafe {
            let row = work.vector.add(work.first + k);
            *row = (*row).map(|value| value * unit);
        }
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

/// Subtracts the sums in the scratch from the rows below.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn scatter_sums<S: Storage, K: Lanes<S>>(work: &Work<S>) {
    let mut r = 0;
    while r < work.m {
        // SAFETY: the rows of the index were checked by `Stream::finish`.
        unsafe {
            let from = work.scratch.add(3 * r);
            let sums = [K::read(from), K::read(from.add(K::LANES)), K::read(from.add(2 * K::LANES))];
            K::scatter(work.vector, work.index.add(r), K::LANES.min(work.m - r), sums, work.scale);
        }
        r += K::LANES;
    }
}

/// v_J ← −[W; S⁻¹]ᵀ v, panels descending.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
pub(super) unsafe fn backward<S: Storage, K: Lanes<S>>(
    stream: &Stream<S>,
    vector: &mut [[S::Arithmetic; 4]],
    scratch: &mut [S::Arithmetic],
) {
    let (vector, scratch) = (vector.as_mut_ptr(), scratch.as_mut_ptr());
    for panel in stream.panels().iter().rev() {
        // SAFETY: as in `forward`. All rows are gathered before the own ones are overwritten.
        unsafe {
            let work = Work::new(stream, panel, vector, scratch);
            if panel.narrow {
                narrow::backward::<S, K>(&work);
                continue;
            }
            gather_rows::<S, K>(&work);
            let mut g = 0;
            while work.s - g > K::GROUP {
                backward_group::<S, K>(&work, g, K::GROUP);
                g += K::GROUP;
            }
            backward_group::<S, K>(&work, g, work.s - g);
        }
    }
}

/// Copies the rows below and the own rows, component by component, into the scratch.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn gather_rows<S: Storage, K: Lanes<S>>(work: &Work<S>) {
    let end = work.m.next_multiple_of(K::LANES) + work.s;
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
unsafe fn backward_group<S: Storage, K: Lanes<S>>(work: &Work<S>, g: usize, width: usize) {
    // SAFETY: passed on.
    unsafe {
        match width {
            1 => backward_columns::<S, K, 1>(work, g),
            2 => backward_columns::<S, K, 2>(work, g),
            3 => backward_columns::<S, K, 3>(work, g),
            4 => backward_columns::<S, K, 4>(work, g),
            5 => backward_columns::<S, K, 5>(work, g),
            6 => backward_columns::<S, K, 6>(work, g),
            7 => backward_columns::<S, K, 7>(work, g),
            _ => backward_columns::<S, K, 8>(work, g),
        }
    }
}

/// The sums of `G` columns over all blocks.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn backward_columns<S: Storage, K: Lanes<S>, const G: usize>(work: &Work<S>, g: usize) {
    // SAFETY: as in `forward_columns`; the gathered own rows follow those below.
    unsafe {
        let own = work.scratch.add(3 * work.m.next_multiple_of(K::LANES));
        let mut sums = [[K::zero(); 3]; G];
        accumulate::<S, K, G>(&mut sums, work.values.add(g * work.m), work.m, work.scratch, AHEAD);
        // The inverses are fewer: the same time ahead is less far.
        accumulate::<S, K, G>(&mut sums, work.inverse.add(g * work.s), work.s, own, AHEAD / 2);
        K::reduce::<G>(&sums, work.vector.add(work.first + g), work.scale);
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
