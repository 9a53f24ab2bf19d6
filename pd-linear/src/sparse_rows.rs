//! Flat rows of a sparse, possibly rectangular matrix: the product kernel of all iterations, and the products
//! and transposes needed for set-up.

use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Csr, Real};

/// A borrowed matrix by rows.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) offsets: &'a [usize],
    pub(crate) columns: &'a [u32],
    pub(crate) values: &'a [Real],
}

impl<'a> From<&'a Csr> for Rows<'a> {
    fn from(a: &'a Csr) -> Self {
        Self { offsets: a.pattern().offsets(), columns: a.pattern().columns(), values: a.values() }
    }
}

impl<'a> Rows<'a> {
    pub(crate) fn rows(self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub(crate) fn row(self, row: usize) -> impl Iterator<Item = (usize, Real)> + 'a {
        let range = self.offsets[row]..self.offsets[row + 1];
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(&j, &v)| (j as usize, v))
    }

    /// Calls `f(k, (A x)[k..k + len], out[k..k + len])` for groups of right-hand sides of every row, in parallel over
    /// rows; each row sums in column order. Three right-hand sides, the common case, have a separate kernel.
    pub(crate) fn product(
        self,
        x: &[Real],
        out: &mut [Real],
        columns: usize,
        f: impl Fn(usize, &[Real], &mut [Real]) + Sync,
    ) {
        exec::for_each_chunk(out, VERTEX_CHUNK * columns, |first, out| match columns {
            3 => self.product_chunk::<3>(x, first, out, columns, 0, &f),
            _ => (0..columns).for_each(|c| self.product_chunk::<1>(x, first, out, columns, c, &f)),
        });
    }

    fn product_chunk<const WIDTH: usize>(
        self,
        x: &[Real],
        first: usize,
        out: &mut [Real],
        columns: usize,
        column: usize,
        f: &impl Fn(usize, &[Real], &mut [Real]),
    ) {
        for (k, out) in out.chunks_exact_mut(columns).enumerate() {
            let row = first / columns + k;
            let mut sums = [0.0; WIDTH];
            for (j, value) in self.row(row) {
                let x = &x[j * columns + column..][..WIDTH];
                for c in 0..WIDTH {
                    sums[c] += value * x[c];
                }
            }
            f(row * columns + column, &sums, &mut out[column..column + WIDTH]);
        }
    }

    /// y = A x.
    pub(crate) fn multiply(self, x: &[Real], y: &mut [Real], columns: usize) {
        self.product(x, y, columns, |_, sums, out| out.copy_from_slice(sums));
    }

    /// r = b − A x; returns ‖r‖.
    pub(crate) fn residual(self, b: &[Real], x: &[Real], r: &mut [Real], columns: usize) -> Real {
        self.product(x, r, columns, |at, sums, out| {
            for c in 0..sums.len() {
                out[c] = b[at + c] - sums[c];
            }
        });
        crate::vector::norm(r)
    }
}

/// An owned matrix by rows, of any width.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnedRows {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<Real>,
    width: usize,
}

impl OwnedRows {
    /// From an iterator over the entries of each row, columns ascending.
    pub(crate) fn from_rows<I>(rows: usize, width: usize, mut row: impl FnMut(usize) -> I) -> Self
    where
        I: IntoIterator<Item = (usize, Real)>,
    {
        let mut table = Self { offsets: vec![0], width, ..Self::default() };
        for i in 0..rows {
            for (j, value) in row(i) {
                table.columns.push(j as u32);
                table.values.push(value);
            }
            table.offsets.push(table.columns.len());
        }
        table
    }

    pub(crate) fn view(&self) -> Rows<'_> {
        Rows { offsets: &self.offsets, columns: &self.columns, values: &self.values }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.offsets) + size_of_val(&*self.columns) + size_of_val(&*self.values)
    }

    /// Entries that `a · b` would have, without forming it.
    pub(crate) fn product_entries(a: Rows<'_>, b: Rows<'_>, width: usize) -> u64 {
        let mut seen = vec![usize::MAX; width];
        let mut count = 0;
        for i in 0..a.rows() {
            for (j, _) in a.row(i) {
                for (k, _) in b.row(j) {
                    if seen[k] != i {
                        seen[k] = i;
                        count += 1;
                    }
                }
            }
        }
        count
    }

    /// a · b, row by row (Gustavson 1978); `width` is the number of columns of b.
    pub(crate) fn product(a: Rows<'_>, b: Rows<'_>, width: usize) -> Self {
        let (mut seen, mut sums) = (vec![usize::MAX; width], vec![0.0; width]);
        let mut found: Vec<usize> = vec![];
        Self::from_rows(a.rows(), width, |i| {
            found.clear();
            for (j, left) in a.row(i) {
                for (k, right) in b.row(j) {
                    if seen[k] != i {
                        seen[k] = i;
                        sums[k] = 0.0;
                        found.push(k);
                    }
                    sums[k] += left * right;
                }
            }
            found.sort_unstable();
            found.iter().map(|&k| (k, sums[k])).collect::<Vec<_>>()
        })
    }

    pub(crate) fn transpose(&self) -> Self {
        let mut offsets = vec![0; self.width + 1];
        for &j in &self.columns {
            offsets[j as usize + 1] += 1;
        }
        for j in 0..self.width {
            offsets[j + 1] += offsets[j];
        }
        let mut next = offsets.clone();
        let (mut columns, mut values) = (vec![0; self.columns.len()], vec![0.0; self.values.len()]);
        let rows = self.view().rows();
        for i in 0..rows {
            for (j, value) in self.view().row(i) {
                columns[next[j]] = i as u32;
                values[next[j]] = value;
                next[j] += 1;
            }
        }
        Self { offsets, columns, values, width: rows }
    }
}
