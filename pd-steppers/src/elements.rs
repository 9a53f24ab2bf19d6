//! Elements seen from their vertices: which vertices, with which coefficients, and which elements meet at a vertex.
//!
//! A stencil lists rows of D one after another, so a vertex appears once for each row. Methods that move vertices element by
//! element, or assemble 3×3 blocks, want each vertex of an element once, with its coefficients in all rows.

use pd_core::{EnergyBatch, Model, Real, Stencil};

/// Distinct vertices of the elements of one batch, and D as a dense block.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    rows: usize,
    offsets: Vec<u32>,
    vertices: Vec<u32>,
    /// By element and vertex: one coefficient per row.
    coefficients: Vec<Real>,
    widest: usize,
}

impl Elements {
    /// The elements of a stencil.
    pub fn new(stencil: &Stencil) -> Self {
        let rows = stencil.rows_per_element();
        let mut elements = Self { rows, offsets: vec![0], ..Self::default() };
        for element in 0..stencil.elements() {
            let first = elements.vertices.len();
            for row in 0..rows {
                for (vertex, coefficient) in stencil.row(element * rows + row) {
                    let known = elements.vertices[first..].iter().position(|&v| v as usize == vertex);
                    let at = first + known.unwrap_or(elements.vertices.len() - first);
                    if known.is_none() {
                        elements.vertices.push(vertex as u32);
                        elements.coefficients.resize((at + 1) * rows, 0.0);
                    }
                    elements.coefficients[at * rows + row] += coefficient;
                }
            }
            elements.widest = elements.widest.max(elements.vertices.len() - first);
            elements.offsets.push(elements.vertices.len() as u32);
        }
        elements
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows of D per element.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Most vertices of an element.
    pub fn widest(&self) -> usize {
        self.widest
    }

    /// The vertices of an element, each once.
    pub fn vertices(&self, element: usize) -> &[u32] {
        &self.vertices[self.offsets[element] as usize..self.offsets[element + 1] as usize]
    }

    /// Coefficients of an element: those of its first vertex in all rows, then those of the second.
    pub fn coefficients(&self, element: usize) -> &[Real] {
        let range =
            self.offsets[element] as usize * self.rows..self.offsets[element + 1] as usize * self.rows;
        &self.coefficients[range]
    }
}

/// The elements of all batches of a model.
pub fn of_model(model: &Model) -> Vec<Elements> {
    model.batches().iter().map(|batch| Elements::new(batch.stencil())).collect()
}

/// An element that a vertex belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Number of the batch.
    pub batch: u32,
    /// Number of the element in it.
    pub element: u32,
    /// Which of the element's vertices this is.
    pub local: u32,
}

/// The elements at each vertex, by batch and element ascending.
#[derive(Clone, Debug, Default)]
pub struct Incidence {
    offsets: Vec<usize>,
    list: Vec<Incident>,
}

impl Incidence {
    /// Of the elements of all batches over so many vertices.
    pub fn new(vertices: usize, batches: &[Elements]) -> Self {
        let mut offsets = vec![0; vertices + 1];
        for elements in batches {
            elements.vertices.iter().for_each(|&v| offsets[v as usize + 1] += 1);
        }
        for i in 0..vertices {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut list = vec![Incident { batch: 0, element: 0, local: 0 }; offsets[vertices]];
        for (batch, elements) in (0..).zip(batches) {
            for element in 0..elements.len() {
                for (local, &vertex) in (0..).zip(elements.vertices(element)) {
                    list[next[vertex as usize]] = Incident { batch, element: element as u32, local };
                    next[vertex as usize] += 1;
                }
            }
        }
        Self { offsets, list }
    }

    /// The elements at a vertex.
    pub fn at(&self, vertex: usize) -> &[Incident] {
        &self.list[self.offsets[vertex]..self.offsets[vertex + 1]]
    }

    /// Where the list of a vertex begins among the lists of all.
    pub fn offset(&self, vertex: usize) -> usize {
        self.offsets[vertex]
    }

    /// Length of all lists.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether no vertex belongs to an element.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// The first batch with elements of more rows than `most`.
pub(crate) fn wider_than(model: &Model, most: usize) -> Option<&dyn EnergyBatch> {
    let mut batches = model.batches().iter().map(|batch| batch.as_ref());
    batches.find(|batch| batch.stencil().rows_per_element() > most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_listed_once_with_all_their_coefficients() {
        let mut stencil = Stencil::new(2);
        stencil.push(1.0, &[&[(3, 1.0), (1, -1.0)], &[(1, 2.0), (0, 5.0)]]);
        stencil.push(1.0, &[&[(1, 4.0)], &[(1, 0.5), (1, 0.25)]]);
        let elements = Elements::new(&stencil);
        assert_eq!((elements.len(), elements.rows(), elements.widest()), (2, 2, 3));
        assert_eq!(elements.vertices(0), &[3, 1, 0]);
        assert_eq!(elements.coefficients(0), &[1.0, 0.0, -1.0, 2.0, 0.0, 5.0]);
        assert_eq!((elements.vertices(1), elements.coefficients(1)), (&[1][..], &[4.0, 0.75][..]));
        let incidence = Incidence::new(4, &[elements]);
        let at = |v: usize| incidence.at(v).iter().map(|i| (i.element, i.local)).collect::<Vec<_>>();
        assert_eq!((at(0), at(1), at(2), at(3)), (vec![(0, 2)], vec![(0, 1), (1, 0)], vec![], vec![(0, 0)]));
    }
}
