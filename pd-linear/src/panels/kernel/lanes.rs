//! What the sweeps need of an instruction set: loads, multiply-adds and the moves between rows (x, y, z, 0) and registers
//! of one component of many rows.
//!
//! x86 has registers of 256 bits, 16 or 32 of them. Other processors use the scalar version, which the compiler vectorises for
//! them; a new instruction set needs one implementation of this trait, a prefetch in `wide` and `narrow`, and a line in
//! `Kernels`.

use crate::panels::storage::Storage;

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
    /// Subtracts components times `scale` from the first `count` ≤ `LANES` rows that `index` names, and zero from the
    /// others: a loop over `count` rows would cost more in branch mispredictions. Rows with a component to subtract
    /// differ.
    ///
    /// # Safety
    /// `LANES` indices can be read and their rows lie inside `vector`.
    unsafe fn scatter(
        vector: *mut [S::Arithmetic; 4],
        index: *const u32,
        count: usize,
        sums: [Self::Register; 3],
        scale: S::Arithmetic,
    );
    /// a + b.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn add(a: Self::Register, b: Self::Register) -> Self::Register;
    /// Writes minus the components times `scale` of the first `count` ≤ `LANES` lanes to as many consecutive rows.
    ///
    /// # Safety
    /// `count` rows can be written.
    unsafe fn store(
        rows: *mut [S::Arithmetic; 4],
        count: usize,
        sums: [Self::Register; 3],
        scale: S::Arithmetic,
    );
    /// Writes minus the sums over lanes of `G` columns, times `scale`, to `G` consecutive rows.
    ///
    /// # Safety
    /// `G` rows can be written.
    unsafe fn reduce<const G: usize>(
        sums: &[[Self::Register; 3]; G],
        rows: *mut [S::Arithmetic; 4],
        scale: S::Arithmetic,
    );
}
