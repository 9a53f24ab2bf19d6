//! The instruction sets of x86-64, with registers of 256 bits: AVX2 with FMA and F16C has 16 of them, so groups of 4
//! columns keep 12 sums; AVX-512VL has 32, and groups of 8 keep 24.
//!
//! Registers of 512 bits were measured a fifth slower, presumably because most panels have a dozen columns, which do not
//! fill them, and because unpadded blocks begin anywhere, so that nearly every load touches two cache lines.

use super::lanes::Lanes;
use super::x86_lanes::{Double, Single, Widen};
use super::{Kernel, Row, load_store, load_store_avx2, sweeps};
use crate::panels::storage::Storage;
use crate::panels::stream::{Shape, Stream};

fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
}

fn has_avx512vl() -> bool {
    has_avx2() && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl")
}

/// Panels of the formats that widen to f32, with 32 registers.
pub(super) fn single_avx512vl<S: Widen>() -> Option<Kernel<S>> {
    has_avx512vl().then_some(Kernel {
        name: "avx512vl",
        shape: Shape { lanes: 8, group: 8 },
        forward: forward_avx512vl::<S, Single<8>>,
        backward: backward_avx512vl::<S, Single<8>>,
        load: load_store_avx2::load,
        unload: load_store_avx2::unload,
    })
}

/// Panels of the formats that widen to f32, with 16 registers.
pub(super) fn single_avx2<S: Widen>() -> Option<Kernel<S>> {
    has_avx2().then_some(Kernel {
        name: "avx2",
        shape: Shape { lanes: 8, group: 4 },
        forward: forward_avx2::<S, Single<4>>,
        backward: backward_avx2::<S, Single<4>>,
        load: load_store_avx2::load,
        unload: load_store_avx2::unload,
    })
}

/// f64 panels.
pub(super) fn double() -> Option<Kernel<f64>> {
    has_avx2().then_some(Kernel {
        name: "avx2",
        shape: Shape { lanes: 4, group: 4 },
        forward: forward_avx2::<f64, Double>,
        backward: backward_avx2::<f64, Double>,
        load: load_store::load::<f64>,
        unload: load_store::unload::<f64>,
    })
}

fn forward_avx512vl<S: Storage, K: Lanes<S>>(
    stream: &Stream<S>,
    vector: &mut [Row<S>],
    scratch: &mut [S::Arithmetic],
) {
    #[target_feature(enable = "avx512f,avx512vl,avx2,fma,f16c")]
    unsafe fn inner<S: Storage, K: Lanes<S>>(s: &Stream<S>, v: &mut [Row<S>], scratch: &mut [S::Arithmetic]) {
        // SAFETY: passed on.
        unsafe { sweeps::forward::<S, K>(s, v, scratch) }
    }
    // SAFETY: a kernel with this function exists only where the processor has the instructions, and `Kernel` checked the
    // lengths; likewise below.
    unsafe { inner::<S, K>(stream, vector, scratch) }
}

fn backward_avx512vl<S: Storage, K: Lanes<S>>(
    stream: &Stream<S>,
    vector: &mut [Row<S>],
    scratch: &mut [S::Arithmetic],
) {
    #[target_feature(enable = "avx512f,avx512vl,avx2,fma,f16c")]
    unsafe fn inner<S: Storage, K: Lanes<S>>(s: &Stream<S>, v: &mut [Row<S>], scratch: &mut [S::Arithmetic]) {
        // SAFETY: passed on.
        unsafe { sweeps::backward::<S, K>(s, v, scratch) }
    }
    // SAFETY: as above.
    unsafe { inner::<S, K>(stream, vector, scratch) }
}

fn forward_avx2<S: Storage, K: Lanes<S>>(
    stream: &Stream<S>,
    vector: &mut [Row<S>],
    scratch: &mut [S::Arithmetic],
) {
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn inner<S: Storage, K: Lanes<S>>(s: &Stream<S>, v: &mut [Row<S>], scratch: &mut [S::Arithmetic]) {
        // SAFETY: passed on.
        unsafe { sweeps::forward::<S, K>(s, v, scratch) }
    }
    // SAFETY: as above.
    unsafe { inner::<S, K>(stream, vector, scratch) }
}

fn backward_avx2<S: Storage, K: Lanes<S>>(
    stream: &Stream<S>,
    vector: &mut [Row<S>],
    scratch: &mut [S::Arithmetic],
) {
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn inner<S: Storage, K: Lanes<S>>(s: &Stream<S>, v: &mut [Row<S>], scratch: &mut [S::Arithmetic]) {
        // SAFETY: passed on.
        unsafe { sweeps::backward::<S, K>(s, v, scratch) }
    }
    // SAFETY: as above.
    unsafe { inner::<S, K>(stream, vector, scratch) }
}
