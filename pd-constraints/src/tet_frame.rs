//! Deformation gradients of tetrahedra, shared by strain and volume.
//!
//! With the rest edges D_m = [X₁−X₄, X₂−X₄, X₃−X₄] and the present ones D_s alike, F = D_s D_m⁻¹. Row j of D x is
//! column j of F: Σ_i (D_m⁻¹)_ij (x_i − x_4). So in the n×3 layout of positions the three rows are Fᵀ. Weights are
//! multiplied by the rest volume |det D_m|/6.

use crate::lanes::{Aligned, BLOCK};
use crate::{ConstraintError, Weight, check};
use pd_core::{Mat3, Real, Stencil, Vec3};
use std::ops::Range;

/// Rest tetrahedra with less volume than this fraction of the cube of their longest edge are rejected.
const DEGENERATE_VOLUME: Real = 1e-12;

/// D_m⁻¹ of elements side by side: entry (i, j) of the k-th is `[3 i + j][k]`.
pub(crate) type InverseBlock = [[Real; BLOCK]; 9];

/// The stencil of deformation gradients, and the same numbers in the order in which the local step reads them: 88
/// bytes per element one after another, instead of the lists of three rows.
#[derive(Clone, Debug)]
pub(crate) struct TetFrames {
    pub(crate) stencil: Stencil,
    /// Vertices; the last element is repeated to fill its block.
    pub(crate) tets: Vec<[u32; 4]>,
    /// D_m⁻¹ of each element and the copies that fill the last block.
    pub(crate) inverse: Vec<Aligned<InverseBlock>>,
}

impl TetFrames {
    pub(crate) fn new(
        kind: &'static str,
        positions: &[Vec3],
        tets: &[[u32; 4]],
        weight: Weight<'_>,
    ) -> Result<Self, ConstraintError> {
        check::positions(positions)?;
        weight.check(kind, tets.len())?;
        check::indices(kind, tets, positions.len())?;
        let mut stencil = Stencil::with_capacity(3, tets.len(), 12);
        let mut inverses = vec![Aligned([[0.0; BLOCK]; 9]); tets.len().div_ceil(BLOCK)];
        for (element, tet) in tets.iter().enumerate() {
            let volume = signed_volume(positions, tet);
            let longest = longest_edge(positions, tet);
            if volume.abs() <= DEGENERATE_VOLUME * longest.powi(3) {
                let (vertices, measure) = (tet.to_vec(), "volume");
                return Err(ConstraintError::Degenerate { kind, element, vertices, measure, value: volume });
            }
            let inverse = inverse_rows(&edges(positions, tet), 6.0 * volume);
            let rows: [[(u32, Real); 4]; 3] = std::array::from_fn(|j| {
                let c: [Real; 3] = std::array::from_fn(|i| inverse[i][j]);
                [(tet[0], c[0]), (tet[1], c[1]), (tet[2], c[2]), (tet[3], -(c[0] + c[1] + c[2]))]
            });
            stencil.push(weight.at(element) * volume.abs(), &[&rows[0], &rows[1], &rows[2]]);
            // The rest of the block is filled with copies, which the next elements overwrite.
            for lane in element % BLOCK..BLOCK {
                for entry in 0..9 {
                    inverses[element / BLOCK].0[entry][lane] = inverse[entry / 3][entry % 3];
                }
            }
        }
        let mut padded = tets.to_vec();
        if let Some(&last) = tets.last() {
            padded.resize(inverses.len() * BLOCK, last);
        }
        Ok(Self { stencil, tets: padded, inverse: inverses })
    }

    /// The elements of this list in its order.
    pub(crate) fn select(&self, order: &[u32]) -> Self {
        let mut inverse = vec![Aligned([[0.0; BLOCK]; 9]); order.len().div_ceil(BLOCK)];
        for (element, &from) in order.iter().enumerate() {
            let (block, at) = (&self.inverse[from as usize / BLOCK].0, from as usize % BLOCK);
            for lane in element % BLOCK..BLOCK {
                for entry in 0..9 {
                    inverse[element / BLOCK].0[entry][lane] = block[entry][at];
                }
            }
        }
        let mut tets: Vec<[u32; 4]> = order.iter().map(|&element| self.tets[element as usize]).collect();
        if let Some(&last) = tets.last() {
            tets.resize(inverse.len() * BLOCK, last);
        }
        Self { stencil: self.stencil.select(order), tets, inverse }
    }

    /// `dx` = columns of F, from differences of positions, which is exact far from the origin.
    pub(crate) fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        for (element, dx) in elements.zip(dx.chunks_exact_mut(3)) {
            let [e0, e1, e2] = edges(x, &self.tets[element]);
            let (block, lane) = (&self.inverse[element / BLOCK].0, element % BLOCK);
            for (j, dx) in dx.iter_mut().enumerate() {
                *dx = e0 * block[j][lane] + e1 * block[3 + j][lane] + e2 * block[6 + j][lane];
            }
        }
    }

    /// Corners of one element and det D_m⁻¹.
    pub(crate) fn corners(&self, element: usize) -> ([u32; 4], Real) {
        let (block, lane) = (&self.inverse[element / BLOCK].0, element % BLOCK);
        let rows = [0, 3, 6].map(|i| Vec3::new(block[i][lane], block[i + 1][lane], block[i + 2][lane]));
        (self.tets[element], rows[0].dot(&rows[1].cross(&rows[2])))
    }

    /// F of one element.
    pub(crate) fn gradient(&self, element: usize, x: &[Vec3]) -> Mat3 {
        let mut columns = [Vec3::zeros(); 3];
        self.gather(element..element + 1, x, &mut columns);
        Mat3::from_columns(&columns)
    }
}

/// The forces of an element on its four corners, and its energy, J, from the columns of F − project(F).
pub(crate) fn force(frames: &TetFrames, element: usize, r: &[Vec3; 3], forces: &mut [Vec3]) -> Real {
    let weight = frames.stencil.weight(element);
    let (block, lane) = (&frames.inverse[element / BLOCK].0, element % BLOCK);
    forces[3] = Vec3::zeros();
    for i in 0..3 {
        let row = [0, 1, 2].map(|j: usize| block[3 * i + j][lane]);
        let force = (r[0] * row[0] + r[1] * row[1] + r[2] * row[2]) * -weight;
        forces[i] = force;
        forces[3] -= force;
    }
    0.5 * weight * r.iter().map(|r| r.norm_squared()).sum::<Real>()
}

/// The columns of a matrix into three vectors.
pub(crate) fn write_columns(matrix: &Mat3, z: &mut [Vec3]) {
    for (z, column) in z.iter_mut().zip(matrix.column_iter()) {
        z.copy_from(&column);
    }
}

/// Signed volume of a tetrahedron, m³.
pub(crate) fn signed_volume(positions: &[Vec3], tet: &[u32; 4]) -> Real {
    let [a, b, c] = edges(positions, tet);
    a.dot(&b.cross(&c)) / 6.0
}

fn edges(positions: &[Vec3], tet: &[u32; 4]) -> [Vec3; 3] {
    let pivot = positions[tet[3] as usize];
    [0, 1, 2].map(|i| positions[tet[i] as usize] - pivot)
}

fn longest_edge(positions: &[Vec3], tet: &[u32; 4]) -> Real {
    let [a, b, c] = edges(positions, tet);
    [a, b, c, a - b, b - c, c - a].iter().fold(0.0, |longest: Real, e| longest.max(e.norm()))
}

/// Rows of the inverse of the matrix with columns a, b, c.
fn inverse_rows([a, b, c]: &[Vec3; 3], determinant: Real) -> [Vec3; 3] {
    [b.cross(c) / determinant, c.cross(a) / determinant, a.cross(b) / determinant]
}
