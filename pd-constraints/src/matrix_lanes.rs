//! 3×3 matrices of a block of elements, lanes side by side.

use crate::lanes::{BLOCK, Instructions, Lanes};
use pd_core::Real;

/// Columns of matrices side by side.
pub(crate) type Columns<T> = [[T; 3]; 3];

/// Nine numbers of each element of a block: entry (i, j) of the k-th is `[3 j + i][k]`.
pub(crate) type Matrices = [[Real; BLOCK]; 9];

/// Numbers of each element of a block that a computation keeps between its loops.
pub(crate) type Scratch = [[Real; BLOCK]; 12];

/// Reads the lanes from `first` on of nine numbers, three by three.
#[inline(always)]
pub(crate) fn load<I: Instructions>(instructions: I, from: &Matrices, first: usize) -> Columns<I::Lanes> {
    let mut columns = [[instructions.load(&from[0][first..]); 3]; 3];
    for (entry, from) in from.iter().enumerate() {
        columns[entry / 3][entry % 3] = instructions.load(&from[first..]);
    }
    columns
}

/// The same for more lanes.
#[inline(always)]
pub(crate) fn load_wide<I: Instructions>(instructions: I, from: &Matrices, first: usize) -> Columns<I::Wide> {
    let mut columns = [[instructions.load_wide(&from[0][first..]); 3]; 3];
    for (entry, from) in from.iter().enumerate() {
        columns[entry / 3][entry % 3] = instructions.load_wide(&from[first..]);
    }
    columns
}

/// Writes the lanes from `first` on of nine numbers.
#[inline(always)]
pub(crate) fn store<T: Lanes>(columns: &Columns<T>, to: &mut Matrices, first: usize) {
    for (entry, to) in to.iter_mut().enumerate() {
        columns[entry / 3][entry % 3].store(&mut to[first..]);
    }
}
