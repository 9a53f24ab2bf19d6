//! Sparse matrices of 3×3 blocks, as Newton's method needs them: one block per pair of vertices that share an element.
//!
//! Every global solver takes a matrix of numbers; [`BlockCsr::expand`] writes the blocks into one of three times as many rows,
//! on a pattern made once.

use pd_core::{Csr, LinearError, Mat3, Pattern, Real, Vec3};
use std::sync::Arc;

/// A square sparse matrix with a 3×3 block at each entry of a pattern.
///
/// ```
/// use pd_core::{Mat3, Pattern, Vec3};
/// use pd_steppers::BlockCsr;
/// use std::sync::Arc;
/// let pattern = Arc::new(Pattern::new(vec![0, 1, 2], vec![0, 1])?);
/// let mut a = BlockCsr::new(pattern);
/// a.blocks_mut()[1] = Mat3::identity() * 2.0;
/// let mut y = [Vec3::zeros(); 2];
/// a.multiply(&[Vec3::x(), Vec3::y()], &mut y);
/// assert_eq!(y, [Vec3::zeros(), Vec3::y() * 2.0]);
/// let mut csr = a.expanded()?;
/// a.expand(&mut csr);
/// assert_eq!((csr.rows(), csr.get(4, 4)), (6, 2.0));
/// # Ok::<(), pd_core::LinearError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockCsr {
    pattern: Arc<Pattern>,
    blocks: Vec<Mat3>,
}

impl BlockCsr {
    /// A matrix of zeros.
    pub fn new(pattern: Arc<Pattern>) -> Self {
        let blocks = vec![Mat3::zeros(); pattern.entries()];
        Self { pattern, blocks }
    }

    /// Which blocks there are.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// The blocks, row after row.
    pub fn blocks(&self) -> &[Mat3] {
        &self.blocks
    }

    /// The blocks, to change.
    pub fn blocks_mut(&mut self) -> &mut [Mat3] {
        &mut self.blocks
    }

    /// y = A x.
    pub fn multiply(&self, x: &[Vec3], y: &mut [Vec3]) {
        let offsets = self.pattern.offsets();
        for (i, y) in y.iter_mut().enumerate() {
            let entries = offsets[i]..offsets[i + 1];
            let row = self.pattern.row(i).iter().zip(&self.blocks[entries]);
            *y = row.fold(Vec3::zeros(), |sum, (&j, block)| sum + block * x[j as usize]);
        }
    }

    /// A matrix of numbers of three times as many rows, all zero, for [`expand`](Self::expand).
    pub fn expanded(&self) -> Result<Csr, LinearError> {
        let rows = self.pattern.rows();
        let (mut offsets, mut columns) =
            (Vec::with_capacity(3 * rows + 1), Vec::with_capacity(9 * self.blocks.len()));
        offsets.push(0);
        for i in 0..3 * rows {
            columns.extend(self.pattern.row(i / 3).iter().flat_map(|&j| [3 * j, 3 * j + 1, 3 * j + 2]));
            offsets.push(columns.len());
        }
        let values = vec![0.0; columns.len()];
        Csr::new(Arc::new(Pattern::new(offsets, columns)?), values)
    }

    /// Writes the blocks into a matrix made by [`expanded`](Self::expanded).
    pub fn expand(&self, out: &mut Csr) {
        let offsets = self.pattern.offsets();
        let mut values = out.values_mut();
        for entries in offsets.windows(2) {
            let blocks = &self.blocks[entries[0]..entries[1]];
            let (rows, rest) = values.split_at_mut(9 * blocks.len());
            for (r, row) in rows.chunks_exact_mut((3 * blocks.len()).max(1)).enumerate() {
                for (block, out) in blocks.iter().zip(row.chunks_exact_mut(3)) {
                    out.copy_from_slice(&[0, 1, 2].map(|c| block[(r, c)]) as &[Real]);
                }
            }
            values = rest;
        }
    }
}
