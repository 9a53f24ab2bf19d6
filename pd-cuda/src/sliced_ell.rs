//! Sparse matrices in slices of 32 rows, as `kernels/prelude.cuh` reads them (sliced ELLPACK, Monakov et al. 2010).

use crate::queue::{Argument, Buffer, Queue, int};
use crate::{CudaError, DeviceReal};
use pd_core::Real;

/// Rows of a slice: a warp.
const SLICE: usize = 32;

/// A sparse matrix by rows on the host, of any width.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) offsets: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<Real>,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Self { offsets: vec![0], columns: vec![], values: vec![] }
    }

    pub(crate) fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, Real)> + '_ {
        let range = self.offsets[row]..self.offsets[row + 1];
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(&column, &v)| (column as usize, v))
    }

    pub(crate) fn push_row(&mut self, entries: impl Iterator<Item = (usize, Real)>) {
        for (column, value) in entries {
            self.columns.push(column as u32);
            self.values.push(value);
        }
        self.offsets.push(self.columns.len());
    }

    /// self · other, row by row (Gustavson 1978); `None` if it would have more than `most` entries.
    pub(crate) fn product(&self, other: &Self, most: usize) -> Option<Self> {
        let width = other.rows();
        let (mut seen, mut sums) = (vec![usize::MAX; width], vec![0.0; width]);
        let (mut found, mut product) = (vec![], Self::new());
        for i in 0..self.rows() {
            found.clear();
            for (j, left) in self.row(i) {
                for (k, right) in other.row(j) {
                    if seen[k] != i {
                        seen[k] = i;
                        sums[k] = 0.0;
                        found.push(k);
                    }
                    sums[k] += left * right;
                }
            }
            if product.columns.len() + found.len() > most {
                return None;
            }
            found.sort_unstable();
            product.push_row(found.iter().map(|&k| (k, sums[k])));
        }
        Some(product)
    }
}

/// A sparse matrix on the device.
pub(crate) struct SlicedEll<T> {
    rows: usize,
    slices: Buffer<i32>,
    places: Buffer<i32>,
    values: Buffer<T>,
}

impl<T: DeviceReal> SlicedEll<T> {
    pub(crate) fn new(queue: &Queue<T>, rows: &Rows) -> Result<Self, CudaError> {
        let sliced = Sliced::new(rows)?;
        Ok(Self {
            rows: rows.rows(),
            slices: queue.upload(&sliced.slices)?,
            places: queue.upload(&sliced.places)?,
            values: queue.upload_reals(&sliced.values)?,
        })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The three arguments of a kernel that takes a table.
    pub(crate) fn arguments(&self, queue: &Queue<T>) -> [Argument<T>; 3] {
        [
            queue.buffer(&self.slices, self.rows.div_ceil(SLICE) + 1),
            queue.buffer(&self.places, self.places.len()),
            queue.buffer(&self.values, self.places.len()),
        ]
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * (self.slices.len() + self.places.len()) + size_of::<T>() * self.values.len()
    }
}

/// The arrays before they go to the device.
struct Sliced {
    slices: Vec<i32>,
    places: Vec<i32>,
    values: Vec<Real>,
}

impl Sliced {
    fn new(rows: &Rows) -> Result<Self, CudaError> {
        let n = rows.rows();
        let mut sliced = Self { slices: vec![0], places: vec![], values: vec![] };
        for first in (0..n).step_by(SLICE) {
            let lanes = first..(first + SLICE).min(n);
            let width = lanes.clone().map(|i| rows.offsets[i + 1] - rows.offsets[i]).max().unwrap_or(0);
            let start = sliced.places.len();
            // A filled place multiplies the first column of its row by zero.
            sliced.places.resize(start + width * SLICE, 0);
            sliced.values.resize(start + width * SLICE, 0.0);
            for (lane, i) in lanes.enumerate() {
                let range = rows.offsets[i]..rows.offsets[i + 1];
                let (columns, values) = (&rows.columns[range.clone()], &rows.values[range]);
                for k in 0..width {
                    let at = start + k * SLICE + lane;
                    sliced.places[at] = columns.get(k).or(columns.first()).map_or(0, |&column| column as i32);
                    sliced.values[at] = values.get(k).copied().unwrap_or(0.0);
                }
            }
            sliced.slices.push(int("entries of a table", sliced.places.len() / SLICE)?);
        }
        int("entries of a table", sliced.places.len())?;
        Ok(sliced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_hold_every_entry_in_order() {
        let mut rows = Rows::new();
        for i in 0..70usize {
            rows.push_row((0..i % 5).map(|k| (k * 3, (i * 10 + k) as Real)));
        }
        let sliced = Sliced::new(&rows).unwrap();
        assert_eq!(sliced.slices.len(), 4);
        for i in 0..70 {
            let (from, to) = (sliced.slices[i / 32] as usize, sliced.slices[i / 32 + 1] as usize);
            let at = |k: usize| (from + k) * 32 + i % 32;
            let entries: Vec<(usize, Real)> =
                (0..to - from).map(|k| (sliced.places[at(k)] as usize, sliced.values[at(k)])).collect();
            let expected: Vec<(usize, Real)> = rows.row(i).collect();
            assert_eq!(entries[..expected.len()], expected[..]);
            assert!(entries[expected.len()..].iter().all(|entry| entry.1 == 0.0));
        }
    }

    #[test]
    fn products_are_those_of_dense_matrices_and_stop_at_the_limit() {
        let mut a = Rows::new();
        let dense =
            |i: usize, j: usize| if (i + 2 * j).is_multiple_of(3) { (i + j) as Real - 1.5 } else { 0.0 };
        for i in 0..6 {
            a.push_row((0..6).map(|j| (j, dense(i, j))).filter(|e| e.1 != 0.0));
        }
        let product = a.product(&a, 36).unwrap();
        for i in 0..6 {
            for j in 0..6 {
                let expected: Real = (0..6).map(|k| dense(i, k) * dense(k, j)).sum();
                let got = product.row(i).find(|e| e.0 == j).map_or(0.0, |e| e.1);
                assert_eq!(got, expected);
            }
        }
        assert!(a.product(&a, 3).is_none());
    }
}
