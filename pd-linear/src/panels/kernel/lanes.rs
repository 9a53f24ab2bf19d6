//! The sweeps once more, over registers: generic in the instruction set, which provides loads, multiply-adds and
//! the moves between rows (x, y, z, 0) and registers of one component of many rows.
//!
//! Forward, a group's values of v_J are spread over registers once and meet block after block of W; backward, the
//! sums of a group's columns stay in registers over all blocks. Everything here is inlined into one function per
//! instruction set, where the compiler may use it.

use crate::panels::storage::Storage;
use crate::panels::stream::{Packed, Stream};

/// One instruction set for one storage format. All functions require that the processor has it.
pub(super) trait Lanes<S: Storage> {
    /// Values per register.
    const LANES: usize;
    /// Columns per group: as many as the registers hold three sums for.
    const GROUP: usize;
    /// A register.
    type Register: Copy;

    /// All lanes zero.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn zero() -> Self::Register;
    /// One value in all lanes.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn splat(value: S::Arithmetic) -> Self::Register;
    /// a b + c.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn multiply_add(a: Self::Register, b: Self::Register, c: Self::Register) -> Self::Register;
    /// Widens `LANES` stored values.
    ///
    /// # Safety
    /// `LANES` values can be read.
    unsafe fn load(from: *const S) -> Self::Register;
    /// Reads `LANES` numbers.
    ///
    /// # Safety
    /// They can be read.
    unsafe fn read(from: *const S::Arithmetic) -> Self::Register;
    /// Writes `LANES` numbers.
    ///
    /// # Safety
    /// They can be written.
    unsafe fn write(to: *mut S::Arithmetic, value: Self::Register);
    /// The components x, y, z of the `LANES` rows that `index` names.
    ///
    /// # Safety
    /// `LANES` indices can be read and their rows lie inside `vector`.
    unsafe fn gather(vector: *const [S::Arithmetic; 4], index: *const u32) -> [Self::Register; 3];
    /// Subtracts components from the first `count` ≤ `LANES` rows that `index` names, and zero from the others: a
    /// loop over `count` rows would cost more in wrong guesses of its end. Rows with a component to subtract differ.
    ///
    /// # Safety
    /// `LANES` indices can be read and their rows lie inside `vector`.
    unsafe fn scatter(
        vector: *mut [S::Arithmetic; 4],
        index: *const u32,
        count: usize,
        sums: [Self::Register; 3],
    );
    /// Writes minus the sums over lanes of `G` columns to `G` consecutive rows.
    ///
    /// # Safety
    /// `G` rows can be written.
    unsafe fn reduce<const G: usize>(sums: &[[Self::Register; 3]; G], rows: *mut [S::Arithmetic; 4]);
}

/// Pointers to what the sweeps work on.
struct Work<S: Storage> {
    values: *const S,
    index: *const u32,
    vector: *mut [S::Arithmetic; 4],
    scratch: *mut S::Arithmetic,
    first: usize,
    s: usize,
    m: usize,
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
        let (values, index) =
            unsafe { (stream.values().as_ptr().add(panel.values), stream.index().as_ptr().add(panel.index)) };
        let (first, s, m) = (panel.first as usize, panel.s as usize, panel.m as usize);
        Self { values, index, vector, scratch, first, s, m }
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
            if work.m > 0 {
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

/// Multiplies the own rows by the unit S⁻¹ was divided by.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
unsafe fn scale_own<S: Storage>(work: &Work<S>, unit: f32) {
    use crate::panels::storage::Arithmetic;
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
    let rows = work.m + work.s;
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
        let mut values = work.values.add(g * rows);
        let mut scratch = work.scratch;
        let mut r = 0;
        while r < work.m {
            let height = K::LANES.min(rows - r);
            let mut sums = [K::zero(); 3];
            if g > 0 {
                for c in 0..3 {
                    sums[c] = K::read(scratch.add(c * K::LANES));
                }
            }
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
            K::scatter(work.vector, work.index.add(r), K::LANES.min(work.m - r), sums);
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
    let mut r = 0;
    while r < work.m + work.s {
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
    let rows = work.m + work.s;
    // SAFETY: as in `forward_columns`.
    unsafe {
        let mut sums = [[K::zero(); 3]; G];
        let mut values = work.values.add(g * rows);
        let mut scratch = work.scratch;
        let mut r = 0;
        while r < rows {
            let height = K::LANES.min(rows - r);
            let mut x = [K::zero(); 3];
            for c in 0..3 {
                x[c] = K::read(scratch.add(c * K::LANES));
            }
            for k in 0..G {
                let w = K::load(values.add(k * height));
                for c in 0..3 {
                    sums[k][c] = K::multiply_add(w, x[c], sums[k][c]);
                }
            }
            values = values.add(G * height);
            scratch = scratch.add(3 * K::LANES);
            r += K::LANES;
        }
        K::reduce::<G>(&sums, work.vector.add(work.first + g));
    }
}
