//! The two sweeps over a stream of panels, and the choice of the instructions they use.
//!
//! With v a vector of rows (x, y, z, 0), b on entry:
//!   forward,  panels ascending:  v_R ← v_R − W v_J
//!   backward, panels descending: v_J ← −[W; S⁻¹]ᵀ v_{R∪J}, which turns v_J from b into −x, because
//!                                x_J = S⁻¹ b_J − Wᵀ x_R and v_R is −x_R by then.
//! No triangular solve is left, every value is read in order, and S⁻¹ is read once.

#[cfg(target_arch = "x86_64")]
mod lanes;
mod load_store;
#[cfg(target_arch = "x86_64")]
mod load_store_avx2;
#[cfg(target_arch = "x86_64")]
mod narrow;
mod portable;
#[cfg(target_arch = "x86_64")]
mod sweeps;
#[cfg(target_arch = "x86_64")]
mod wide;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_lanes;

use super::storage::{Half, Storage, ThreeBytes};
use super::stream::{Shape, Stream};
#[cfg(not(target_arch = "x86_64"))]
use Storage as Widen;
pub(super) use load_store::ScaledRow;
use pd_core::Real;
#[cfg(target_arch = "x86_64")]
use x86_lanes::Widen;

/// A row of the vector: x, y, z and a zero that fills the register.
pub(super) type Row<S> = [<S as Storage>::Arithmetic; 4];
type Sweep<S> = fn(&Stream<S>, &mut [Row<S>], &mut [<S as Storage>::Arithmetic]);
type Load<S> = fn(&[ScaledRow<S>], &[Real], Real, &mut [Row<S>]) -> Real;
type Unload<S> = fn(&[ScaledRow<S>], &[Row<S>], Real, &mut [Real]) -> bool;

/// The sweeps, load and store, for one storage format and one instruction set.
pub(super) struct Kernel<S: Storage> {
    /// Instruction set.
    pub(super) name: &'static str,
    /// Blocks it reads.
    pub(super) shape: Shape,
    forward: Sweep<S>,
    backward: Sweep<S>,
    load: Load<S>,
    unload: Unload<S>,
}

impl<S: Storage> Clone for Kernel<S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Storage> Copy for Kernel<S> {}

impl<S: Storage> Kernel<S> {
    /// v_R ← v_R − W v_J for all panels, ascending. `vector` and `scratch` have at least the lengths that the stream requires.
    pub(super) fn forward(&self, stream: &Stream<S>, vector: &mut [Row<S>], scratch: &mut [S::Arithmetic]) {
        assert!(vector.len() >= stream.rows() && scratch.len() >= stream.scratch());
        (self.forward)(stream, vector, scratch);
    }

    /// v_J ← −[W; S⁻¹]ᵀ v for all panels, descending.
    pub(super) fn backward(&self, stream: &Stream<S>, vector: &mut [Row<S>], scratch: &mut [S::Arithmetic]) {
        assert!(vector.len() >= stream.rows() && scratch.len() >= stream.scratch());
        (self.backward)(stream, vector, scratch);
    }

    /// Fills `own` from the rows of `b`, three columns, that `rows` names, times their scale and `gain`. Returns the largest
    /// magnitude among them; NaN has none.
    pub(super) fn load(&self, rows: &[ScaledRow<S>], b: &[Real], gain: Real, own: &mut [Row<S>]) -> Real {
        (self.load)(rows, b, gain, own)
    }

    /// Fills `x`, three columns, from the rows of `vector` that `places` names, times their scale and `back`; `false` if a
    /// number is not finite.
    pub(super) fn unload(
        &self,
        places: &[ScaledRow<S>],
        vector: &[Row<S>],
        back: Real,
        x: &mut [Real],
    ) -> bool {
        (self.unload)(places, vector, back, x)
    }

    /// Plain Rust for blocks of `L` rows: the fallback, and the reference for tests of the others.
    pub(super) fn portable<const L: usize>(group: usize) -> Self {
        Self {
            name: "portable",
            shape: Shape { lanes: L, group },
            forward: match group {
                8 => portable::forward::<S, L, 8>,
                _ => portable::forward::<S, L, 4>,
            },
            backward: match group {
                8 => portable::backward::<S, L, 8>,
                _ => portable::backward::<S, L, 4>,
            },
            load: load_store::load::<S>,
            unload: load_store::unload::<S>,
        }
    }
}

/// Formats that have kernels.
pub(super) trait Kernels: Storage {
    /// All kernels this processor can run, fastest first; the portable one is always there.
    fn kernels() -> Vec<Kernel<Self>>;
}

/// Kernels of the formats that widen to f32.
fn single<S: Widen>() -> Vec<Kernel<S>> {
    let mut all = vec![];
    #[cfg(target_arch = "x86_64")]
    all.extend([x86::single_avx512vl(), x86::single_avx2()].into_iter().flatten());
    all.push(Kernel::portable::<8>(4));
    all
}

impl Kernels for f32 {
    fn kernels() -> Vec<Kernel<Self>> {
        single()
    }
}

impl Kernels for ThreeBytes {
    fn kernels() -> Vec<Kernel<Self>> {
        single()
    }
}

impl Kernels for Half {
    fn kernels() -> Vec<Kernel<Self>> {
        single()
    }
}

impl Kernels for f64 {
    fn kernels() -> Vec<Kernel<Self>> {
        let mut all = vec![];
        #[cfg(target_arch = "x86_64")]
        all.extend(x86::double());
        all.push(Kernel::portable::<4>(4));
        all
    }
}
