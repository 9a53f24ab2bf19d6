//! The SIMD sweeps, generic in the instruction set. Wide and narrow panels have separate kernels.
//! Everything here and there is inlined into one function per instruction set, where the compiler may use it.

use super::lanes::Lanes;
use super::{narrow, wide};
use crate::panels::storage::{Arithmetic, Storage};
use crate::panels::stream::{Packed, Stream};

/// Prefetch distance, bytes: longer than the memory latency, and than most panels, at
/// whose ends the hardware prefetcher fails. Measured from 0 to 16 kB; half or twice as much is equally good.
pub(super) const AHEAD: isize = 8192;

/// Pointers to what the sweeps work on.
pub(super) struct Work<S: Storage> {
    pub(super) values: *const S,
    pub(super) inverse: *const S,
    pub(super) index: *const u32,
    pub(super) vector: *mut [S::Arithmetic; 4],
    pub(super) scratch: *mut S::Arithmetic,
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
/// The processor has the instruction set `K`; `vector` and `scratch` have the lengths that the stream requires.
#[inline(always)]
pub(super) unsafe fn forward<S: Storage, K: Lanes<S>>(
    stream: &Stream<S>,
    vector: &mut [[S::Arithmetic; 4]],
    scratch: &mut [S::Arithmetic],
) {
    let (vector, scratch) = (vector.as_mut_ptr(), scratch.as_mut_ptr());
    for panel in stream.panels() {
        // SAFETY: the panel is the stream's.
        unsafe {
            let work = Work::new(stream, panel, vector, scratch);
            if panel.narrow {
                narrow::forward::<S, K>(&work);
            } else {
                wide::forward::<S, K>(&work);
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
        // SAFETY: as in `forward`.
        unsafe {
            let work = Work::new(stream, panel, vector, scratch);
            if panel.narrow {
                narrow::backward::<S, K>(&work);
            } else {
                wide::backward::<S, K>(&work);
            }
        }
    }
}
