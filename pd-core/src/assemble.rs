//! Assembly of DᵀW and of the global matrix, without triplets.
//!
//! Row i of DᵀWD is Σ_r (DᵀW)_ir D_r: for each row r of D that touches vertex i, its coefficients, scaled. Walking
//! the transpose visits exactly the entries of matrix row i, so each row is summed in a dense accumulator of n
//! slots, in a fixed order, and no list of triplets is sorted.

use crate::{Csr, EnergyBatch, Pattern, Real};
use std::sync::Arc;

/// DᵀW by vertex: for each vertex the rows of D that contain it, ascending, with weight × coefficient.
pub(crate) struct Transpose {
    offsets: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<Real>,
}

impl Transpose {
    pub(crate) fn new(vertices: usize, batches: &[Box<dyn EnergyBatch>], first_row: &[usize]) -> Self {
        let mut offsets = vec![0usize; vertices + 1];
        for_each_entry(batches, first_row, |vertex, _, _| offsets[vertex + 1] += 1);
        for i in 0..vertices {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut rows = vec![0u32; offsets[vertices]];
        let mut values = vec![0.0; offsets[vertices]];
        for_each_entry(batches, first_row, |vertex, row, value| {
            rows[next[vertex]] = row as u32;
            values[next[vertex]] = value;
            next[vertex] += 1;
        });
        Self { offsets, rows, values }
    }

    /// Bytes of its arrays.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.offsets[..]) + size_of_val(&self.rows[..]) + size_of_val(&self.values[..])
    }

    /// The `(row of D, weight × coefficient)` pairs of a vertex, rows ascending.
    pub(crate) fn row(&self, vertex: usize) -> impl Iterator<Item = (usize, Real)> + '_ {
        let range = self.offsets[vertex]..self.offsets[vertex + 1];
        self.rows[range.clone()].iter().zip(&self.values[range]).map(|(&row, &value)| (row as usize, value))
    }
}

/// Calls `f(vertex, row of the stacked D, weight × coefficient)` for every entry, rows ascending.
fn for_each_entry(
    batches: &[Box<dyn EnergyBatch>],
    first_row: &[usize],
    mut f: impl FnMut(usize, usize, Real),
) {
    for (batch, &first) in batches.iter().zip(first_row) {
        let stencil = batch.stencil();
        for element in 0..stencil.elements() {
            let weight = stencil.weight(element);
            let d = stencil.rows_per_element();
            for row in element * d..(element + 1) * d {
                for (vertex, coefficient) in stencil.row(row) {
                    f(vertex, first + row, weight * coefficient);
                }
            }
        }
    }
}

/// Calls `f(column, coefficient × weighted coefficient)` for every contribution to matrix row `vertex`.
fn for_each_in_row(
    batches: &[Box<dyn EnergyBatch>],
    first_row: &[usize],
    transpose: &Transpose,
    vertex: usize,
    mut f: impl FnMut(u32, Real),
) {
    let mut batch = 0;
    for (row, weighted) in transpose.row(vertex) {
        while row >= first_row[batch + 1] {
            batch += 1; // rows ascend, so the batch only moves forward
        }
        let (vertices, coefficients) = batches[batch].stencil().row_slices(row - first_row[batch]);
        for (&column, &coefficient) in vertices.iter().zip(coefficients) {
            f(column, weighted * coefficient);
        }
    }
}

/// Pattern of M/h² + DᵀWD: the diagonal, and every pair of vertices that share a row of D.
pub(crate) fn pattern(
    vertices: usize,
    batches: &[Box<dyn EnergyBatch>],
    first_row: &[usize],
    transpose: &Transpose,
) -> Pattern {
    let mut seen = vec![u32::MAX; vertices];
    let (mut offsets, mut columns) = (Vec::with_capacity(vertices + 1), vec![]);
    offsets.push(0);
    for vertex in 0..vertices {
        let start = columns.len();
        seen[vertex] = vertex as u32;
        columns.push(vertex as u32);
        for_each_in_row(batches, first_row, transpose, vertex, |column, _| {
            if seen[column as usize] != vertex as u32 {
                seen[column as usize] = vertex as u32;
                columns.push(column);
            }
        });
        columns[start..].sort_unstable();
        offsets.push(columns.len());
    }
    Pattern::trusted(offsets, columns)
}

/// Values of M/h² + DᵀWD on that pattern. Rows and columns of `kinematic` vertices keep only their diagonal. With a
/// zero right-hand side they do not move, and the other equations see a known displacement of zero.
pub(crate) fn matrix(
    masses: &[Real],
    dt: Real,
    batches: &[Box<dyn EnergyBatch>],
    first_row: &[usize],
    transpose: &Transpose,
    pattern: &Arc<Pattern>,
    kinematic: impl Fn(usize) -> bool,
) -> Csr {
    let mut sums = vec![0.0; masses.len()];
    let mut values = vec![0.0; pattern.entries()];
    for (vertex, mass) in masses.iter().enumerate() {
        for &column in pattern.row(vertex) {
            sums[column as usize] = 0.0;
        }
        sums[vertex] = mass / (dt * dt);
        for_each_in_row(batches, first_row, transpose, vertex, |column, value| {
            sums[column as usize] += value;
        });
        let start = pattern.offsets()[vertex];
        for (value, &column) in values[start..].iter_mut().zip(pattern.row(vertex)) {
            let coupled = column as usize == vertex || !(kinematic(vertex) || kinematic(column as usize));
            *value = if coupled { sums[column as usize] } else { 0.0 };
        }
    }
    Csr::trusted(pattern.clone(), values)
}
