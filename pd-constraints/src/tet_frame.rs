//! Deformation gradients of tetrahedra, shared by strain and volume.
//!
//! With the rest edges D_m = [X₁−X₄, X₂−X₄, X₃−X₄] and the present ones D_s alike, F = D_s D_m⁻¹. Row j of D x is
//! column j of F: Σ_i (D_m⁻¹)_ij (x_i − x_4). So in the n×3 layout of positions the three rows are Fᵀ. Weights are
//! multiplied by the rest volume |det D_m|/6.

use crate::{ConstraintError, Weight, check};
use pd_core::{Mat3, Real, Stencil, Vec3};
use std::ops::Range;

/// Rest tetrahedra with less volume than this part of the cube of their longest edge are refused.
const DEGENERATE_VOLUME: Real = 1e-12;

/// The stencil of deformation gradients.
pub(crate) fn stencil(
    kind: &'static str,
    positions: &[Vec3],
    tets: &[[u32; 4]],
    weight: Weight<'_>,
) -> Result<Stencil, ConstraintError> {
    check::positions(positions)?;
    weight.check(kind, tets.len())?;
    check::indices(kind, tets, positions.len())?;
    let mut stencil = Stencil::with_capacity(3, tets.len(), 12);
    for (element, tet) in tets.iter().enumerate() {
        let volume = signed_volume(positions, tet);
        let longest = longest_edge(positions, tet);
        if volume.abs() <= DEGENERATE_VOLUME * longest.powi(3) {
            let vertices = tet.to_vec();
            return Err(ConstraintError::Degenerate {
                kind,
                element,
                vertices,
                measure: "volume",
                value: volume,
            });
        }
        let inverse = inverse_rows(&edges(positions, tet), 6.0 * volume);
        let rows: [[(u32, Real); 4]; 3] = std::array::from_fn(|j| {
            let c: [Real; 3] = std::array::from_fn(|i| inverse[i][j]);
            [(tet[0], c[0]), (tet[1], c[1]), (tet[2], c[2]), (tet[3], -(c[0] + c[1] + c[2]))]
        });
        stencil.push(weight.at(element) * volume.abs(), &[&rows[0], &rows[1], &rows[2]]);
    }
    Ok(stencil)
}

/// `dx` = columns of F, from differences of positions, which is exact far from the origin.
pub(crate) fn gather(stencil: &Stencil, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
    for (element, dx) in elements.zip(dx.chunks_exact_mut(3)) {
        let (v, _) = stencil.row_slices(3 * element);
        let [x0, x1, x2, x3] = [0, 1, 2, 3].map(|i| x[v[i] as usize]);
        let edges = [x0 - x3, x1 - x3, x2 - x3];
        for (j, dx) in dx.iter_mut().enumerate() {
            let (_, c) = stencil.row_slices(3 * element + j);
            *dx = edges[0] * c[0] + edges[1] * c[1] + edges[2] * c[2];
        }
    }
}

/// F of one element.
pub(crate) fn gradient(stencil: &Stencil, element: usize, x: &[Vec3]) -> Mat3 {
    let mut columns = [Vec3::zeros(); 3];
    gather(stencil, element..element + 1, x, &mut columns);
    Mat3::from_columns(&columns)
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
