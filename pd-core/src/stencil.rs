//! The linear part of a batch: which vertices, which coefficients, which weight.
//!
//! Every elastic term here is a function of a few fixed linear combinations of vertex positions. For a constraint
//! c of the thesis' 4-tuple (ω_c, V_c, A_c, A'_c) this is A_c (the rows), V_c (the vertices of the rows) and ω_c.
//! Stacked over all elements the rows form the reduction matrix D and the weights the diagonal W, so that the
//! global matrix is M/h² + DᵀWD and is never written per element.

use crate::{ModelError, Real, Vec3};
use std::ops::Range;

/// Rows of D and the weights of one batch, in flat arrays.
///
/// ```
/// use pd_core::{Stencil, Vec3};
/// // One spring between the vertices 0 and 1, with weight 100 N/m: the row x₀ − x₁.
/// let mut stencil = Stencil::new(1);
/// stencil.push(100.0, &[&[(0, 1.0), (1, -1.0)]]);
/// let mut dx = [Vec3::zeros()];
/// stencil.gather(0..1, &[Vec3::x(), Vec3::zeros()], &mut dx);
/// assert_eq!(dx[0], Vec3::x());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stencil {
    rows_per_element: usize,
    offsets: Vec<u32>,
    vertices: Vec<u32>,
    coefficients: Vec<Real>,
    weights: Vec<Real>,
    /// First element pushed with the wrong number of rows; reported when the model is built.
    ragged: Option<(usize, usize)>,
}

impl Stencil {
    /// An empty stencil whose elements have `rows_per_element` rows each.
    pub fn new(rows_per_element: usize) -> Self {
        Self { rows_per_element, offsets: vec![0], ..Self::default() }
    }

    /// As [`new`](Self::new), with capacity for `elements` elements of `entries` coefficients each.
    pub fn with_capacity(rows_per_element: usize, elements: usize, entries: usize) -> Self {
        let mut stencil = Self::new(rows_per_element);
        stencil.offsets.reserve(elements * rows_per_element);
        stencil.vertices.reserve(elements * entries);
        stencil.coefficients.reserve(elements * entries);
        stencil.weights.reserve(elements);
        stencil
    }

    /// Appends one element: `rows[r]` lists the `(vertex, coefficient)` pairs of its r-th row; `weight` is ω.
    ///
    /// A wrong number of rows, a vertex out of range or a bad weight is reported by
    /// [`ModelBuilder::build`](crate::ModelBuilder::build), where the batch has a name.
    pub fn push(&mut self, weight: Real, rows: &[&[(u32, Real)]]) {
        if rows.len() != self.rows_per_element {
            self.ragged.get_or_insert((self.weights.len(), rows.len()));
            return;
        }
        for row in rows {
            self.vertices.extend(row.iter().map(|entry| entry.0));
            self.coefficients.extend(row.iter().map(|entry| entry.1));
            self.offsets.push(self.vertices.len() as u32);
        }
        self.weights.push(weight);
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.weights.len()
    }

    /// Rows of D per element.
    pub fn rows_per_element(&self) -> usize {
        self.rows_per_element
    }

    /// Rows of D in all.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Non-zero coefficients in all rows.
    pub fn entries(&self) -> usize {
        self.vertices.len()
    }

    /// Weight ω of an element.
    pub fn weight(&self, element: usize) -> Real {
        self.weights[element]
    }

    /// Weights of all elements.
    pub fn weights(&self) -> &[Real] {
        &self.weights
    }

    /// The `(vertex, coefficient)` pairs of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, Real)> + '_ {
        let (vertices, coefficients) = self.row_slices(row);
        vertices.iter().zip(coefficients).map(|(&vertex, &coefficient)| (vertex as usize, coefficient))
    }

    /// The vertices and coefficients of a row as slices.
    pub fn row_slices(&self, row: usize) -> (&[u32], &[Real]) {
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        (&self.vertices[range.clone()], &self.coefficients[range])
    }

    /// The vertices and coefficients of all rows of some elements as slices.
    pub fn entries_of(&self, elements: Range<usize>) -> (&[u32], &[Real]) {
        let d = self.rows_per_element;
        let range = self.offsets[elements.start * d] as usize..self.offsets[elements.end * d] as usize;
        (&self.vertices[range.clone()], &self.coefficients[range])
    }

    /// dx = D x for a range of elements.
    pub fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        let d = self.rows_per_element;
        for (out, row) in dx.iter_mut().zip(elements.start * d..elements.end * d) {
            *out = self.row(row).fold(Vec3::zeros(), |sum, (vertex, c)| sum + x[vertex] * c);
        }
    }

    /// The elements of this list in its order; one that is listed twice is there twice.
    pub fn select(&self, order: &[u32]) -> Self {
        let d = self.rows_per_element;
        let mut selected = Self::with_capacity(d, order.len(), 0);
        for &element in order {
            for row in element as usize * d..(element as usize + 1) * d {
                let (vertices, coefficients) = self.row_slices(row);
                selected.vertices.extend_from_slice(vertices);
                selected.coefficients.extend_from_slice(coefficients);
                selected.offsets.push(selected.vertices.len() as u32);
            }
            selected.weights.push(self.weights[element as usize]);
        }
        selected
    }

    /// Bytes of its arrays.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.offsets[..])
            + size_of_val(&self.vertices[..])
            + size_of_val(&self.coefficients[..])
            + size_of_val(&self.weights[..])
    }

    /// Validates once everything that later loops rely on.
    pub(crate) fn check(&self, kind: &str, vertices: usize) -> Result<(), ModelError> {
        let kind = || kind.to_owned();
        if let Some((element, got)) = self.ragged {
            return Err(ModelError::Rows { kind: kind(), element, expected: self.rows_per_element, got });
        }
        if self.vertices.len() > u32::MAX as usize {
            return Err(ModelError::TooMany { what: "stencil entries", count: self.vertices.len() });
        }
        if let Some(&vertex) = self.vertices.iter().find(|&&v| v as usize >= vertices) {
            return Err(ModelError::Vertex { kind: kind(), vertex: vertex as usize, vertices });
        }
        if let Some(element) = self.weights.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            return Err(ModelError::Weight { kind: kind(), element, weight: self.weights[element] });
        }
        if let Some(entry) = self.coefficients.iter().position(|c| !c.is_finite()) {
            let row = self.offsets.partition_point(|&o| o as usize <= entry) - 1;
            return Err(ModelError::Coefficient { kind: kind(), row, value: self.coefficients[entry] });
        }
        Ok(())
    }
}
