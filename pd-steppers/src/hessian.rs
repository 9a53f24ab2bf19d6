//! Assembly of the Hessian M/h² + DᵀHD in 3×3 blocks.
//!
//! Elements compute their (3d)×(3d) Hessians in y = D x, side by side; then every vertex gathers its row of blocks, element
//! after element: block (i, j) = Σ_e Σ_ab D_ai D_bj H_ab. The pattern couples all vertices of an element, also those that share no
//! row of D (hinges).

use crate::block_csr::BlockCsr;
use crate::elements::{self, Elements, Incidence};
use pd_core::exec::{self, ELEMENT_CHUNK};
use pd_core::{LinearError, Mat3, Model, Pattern, Psd, Real, Vec3};
use std::ops::Range;
use std::sync::Arc;

/// Rows of blocks that one task gathers.
const ROWS: usize = 64;

/// What is added to the elastic Hessian.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Factor of the mass on the diagonal, 1/s².
    pub(crate) inertia: Real,
    /// Factor of ω on the diagonal of each element's Hessian.
    pub(crate) stiffness: Real,
}

/// Tables and scratch of the assembly for one model.
#[derive(Default)]
pub(crate) struct HessianPlan {
    elements: Vec<Elements>,
    incidence: Incidence,
    /// By incident element: where its slots begin.
    first_slot: Vec<u32>,
    /// By incident element and vertex of it: position in the row of blocks.
    slots: Vec<u32>,
    /// Hessians of all elements, batch after batch, and where each batch begins.
    hessians: Vec<Real>,
    first: Vec<usize>,
}

impl HessianPlan {
    /// Tables for a model, and the matrix they fill.
    pub(crate) fn new(model: &Model) -> Result<(Self, BlockCsr), LinearError> {
        let elements = elements::of_model(model);
        let vertices = model.vertices();
        let incidence = Incidence::new(vertices, &elements);
        let pattern = pattern(vertices, &elements, &incidence)?;
        let (mut first_slot, mut slots) = (Vec::with_capacity(incidence.len()), vec![]);
        for vertex in 0..vertices {
            let row = pattern.row(vertex);
            for incident in incidence.at(vertex) {
                first_slot.push(slots.len() as u32);
                for other in elements[incident.batch as usize].vertices(incident.element as usize) {
                    slots.push(row.partition_point(|column| column < other) as u32);
                }
            }
        }
        let mut first = vec![0];
        for elements in &elements {
            first.push(first[first.len() - 1] + elements.len() * square(elements));
        }
        let hessians = vec![0.0; first[first.len() - 1]];
        let plan = Self { elements, incidence, first_slot, slots, hessians, first };
        Ok((plan, BlockCsr::new(Arc::new(pattern))))
    }

    /// Fills the matrix at `x`.
    pub(crate) fn assemble(&mut self, model: &Model, x: &[Vec3], psd: Psd, terms: Terms, out: &mut BlockCsr) {
        for ((batch, elements), first) in
            model.batches().iter().zip(&self.elements).zip(self.first.windows(2))
        {
            let size = square(elements);
            if size == 0 {
                continue;
            }
            let hessians = &mut self.hessians[first[0]..first[1]];
            exec::for_each_chunk(hessians, ELEMENT_CHUNK / 4 * size, |at, hessians| {
                let start = at / size;
                batch.hessian(start..start + hessians.len() / size, x, psd, hessians);
                if terms.stiffness > 0.0 {
                    for (element, h) in (start..).zip(hessians.chunks_exact_mut(size)) {
                        let side = 3 * elements.rows();
                        let weight = terms.stiffness * batch.stencil().weight(element);
                        (0..side).for_each(|k| h[k * side + k] += weight);
                    }
                }
            });
        }
        let pattern = out.pattern().clone();
        self.gather(model, terms.inertia, &pattern, 0..model.vertices(), out.blocks_mut());
    }

    /// Gathers some rows, halves side by side.
    fn gather(
        &self,
        model: &Model,
        inertia: Real,
        pattern: &Pattern,
        rows: Range<usize>,
        blocks: &mut [Mat3],
    ) {
        if rows.len() > ROWS {
            let middle = rows.start + rows.len() / 2;
            let (left, right) =
                blocks.split_at_mut(pattern.offsets()[middle] - pattern.offsets()[rows.start]);
            rayon::join(
                || self.gather(model, inertia, pattern, rows.start..middle, left),
                || self.gather(model, inertia, pattern, middle..rows.end, right),
            );
            return;
        }
        let mut rest = blocks;
        for vertex in rows {
            let columns = pattern.row(vertex);
            let (row, next) = rest.split_at_mut(columns.len());
            self.row(model, inertia, vertex, columns, row);
            rest = next;
        }
    }

    /// One row of blocks. Kinematic vertices keep their diagonal alone: they do not move, and leave the others' equations as they
    /// are with a known displacement of zero.
    fn row(&self, model: &Model, inertia: Real, vertex: usize, columns: &[u32], row: &mut [Mat3]) {
        row.fill(Mat3::zeros());
        let first = self.incidence.offset(vertex);
        for (k, incident) in self.incidence.at(vertex).iter().enumerate() {
            let elements = &self.elements[incident.batch as usize];
            let (element, rows) = (incident.element as usize, elements.rows());
            let size = square(elements);
            let h = &self.hessians[self.first[incident.batch as usize] + element * size..][..size];
            let coefficients = elements.coefficients(element);
            let own = &coefficients[incident.local as usize * rows..][..rows];
            let slots =
                &self.slots[self.first_slot[first + k] as usize..][..elements.vertices(element).len()];
            for b in 0..rows {
                // Σ_a D_ai H_ab.
                let mut sum = Mat3::zeros();
                for (a, &c) in own.iter().enumerate() {
                    if c != 0.0 {
                        sum += block(h, rows, a, b) * c;
                    }
                }
                for (&slot, other) in slots.iter().zip(coefficients.chunks_exact(rows)) {
                    row[slot as usize] += sum * other[b];
                }
            }
        }
        let kinematic = model.is_kinematic(vertex);
        for (&column, block) in columns.iter().zip(row) {
            if column as usize == vertex {
                *block += Mat3::identity() * (model.masses()[vertex] * inertia);
            } else if kinematic || model.is_kinematic(column as usize) {
                *block = Mat3::zeros();
            }
        }
    }
}

/// Numbers of an element's Hessian.
fn square(elements: &Elements) -> usize {
    9 * elements.rows() * elements.rows()
}

/// Block (a, b) of an element's Hessian of so many rows.
pub(crate) fn block(h: &[Real], rows: usize, a: usize, b: usize) -> Mat3 {
    Mat3::from_fn(|i, j| h[(3 * a + i) * 3 * rows + 3 * b + j])
}

/// All pairs of vertices that share an element, and the diagonal.
pub(crate) fn pattern(
    vertices: usize,
    elements: &[Elements],
    incidence: &Incidence,
) -> Result<Pattern, LinearError> {
    let mut seen = vec![u32::MAX; vertices];
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for vertex in 0..vertices {
        let start = columns.len();
        seen[vertex] = vertex as u32;
        columns.push(vertex as u32);
        for incident in incidence.at(vertex) {
            for &other in elements[incident.batch as usize].vertices(incident.element as usize) {
                if seen[other as usize] != vertex as u32 {
                    seen[other as usize] = vertex as u32;
                    columns.push(other);
                }
            }
        }
        columns[start..].sort_unstable();
        offsets.push(columns.len());
    }
    Pattern::new(offsets, columns)
}
