//! Deformation gradients of triangles, shared by strain and area.
//!
//! In an orthonormal frame of the rest plane the rest edges X₁−X₃, X₂−X₃ make the 2×2 matrix D_m; with the present
//! edges D_s (3×2), F = D_s D_m⁻¹ (3×2). Row j of D x is column j of F. Weights are multiplied by the rest area.

use crate::svd3::{Svd32, svd32};
use crate::{ConstraintError, Weight, check, selected};
use pd_core::{Real, Stencil, Vec3};
use std::ops::Range;

/// Rest triangles with less area than this fraction of the square of their longest edge are rejected.
const DEGENERATE_AREA: Real = 1e-12;

/// The stencil of deformation gradients, and the same numbers in the order in which the local step reads them.
#[derive(Clone, Debug)]
pub(crate) struct TriFrames {
    pub(crate) stencil: Stencil,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// D_m⁻¹ of each element: the entries (0,0), (0,1), (1,1); (1,0) is zero.
    pub(crate) inverse: Vec<[Real; 3]>,
}

impl TriFrames {
    pub(crate) fn new(
        kind: &'static str,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        weight: Weight<'_>,
    ) -> Result<Self, ConstraintError> {
        check::positions(positions)?;
        weight.check(kind, triangles.len())?;
        check::indices(kind, triangles, positions.len())?;
        let mut stencil = Stencil::with_capacity(2, triangles.len(), 6);
        let mut inverses = Vec::with_capacity(triangles.len());
        for (element, triangle) in triangles.iter().enumerate() {
            let [a, b] = edges(positions, triangle);
            let area = area(positions, triangle);
            let longest = a.norm().max(b.norm()).max((a - b).norm());
            if area <= DEGENERATE_AREA * longest.powi(2) {
                let (vertices, measure) = (triangle.to_vec(), "area");
                return Err(ConstraintError::Degenerate { kind, element, vertices, measure, value: area });
            }
            // First axis along a; D_m = [[|a|, b₁], [0, b₂]] with |a| b₂ twice the area.
            let length = a.norm();
            let (b1, b2) = (b.dot(&a) / length, 2.0 * area / length);
            let inverse = [[1.0 / length, -b1 / (length * b2)], [0.0, 1.0 / b2]];
            let rows: [[(u32, Real); 3]; 2] = std::array::from_fn(|j| {
                let (c0, c1) = (inverse[0][j], inverse[1][j]);
                [(triangle[0], c0), (triangle[1], c1), (triangle[2], -(c0 + c1))]
            });
            stencil.push(weight.at(element) * area, &[&rows[0], &rows[1]]);
            inverses.push([inverse[0][0], inverse[0][1], inverse[1][1]]);
        }
        Ok(Self { stencil, triangles: triangles.to_vec(), inverse: inverses })
    }

    /// The elements of this list in its order.
    pub(crate) fn select(&self, order: &[u32]) -> Self {
        let triangles = selected(&self.triangles, order);
        Self { stencil: self.stencil.select(order), triangles, inverse: selected(&self.inverse, order) }
    }

    /// `dx` = columns of F, from differences of positions, which is exact far from the origin.
    pub(crate) fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        for (element, dx) in elements.zip(dx.chunks_exact_mut(2)) {
            let [a, b] = edges(x, &self.triangles[element]);
            let [i00, i01, i11] = self.inverse[element];
            dx[0] = a * i00;
            dx[1] = a * i01 + b * i11;
        }
    }

    /// Singular value decomposition of F of one element.
    pub(crate) fn svd(&self, element: usize, x: &[Vec3]) -> Svd32 {
        let mut columns = [Vec3::zeros(); 2];
        self.gather(element..element + 1, x, &mut columns);
        svd32(&columns)
    }
}

/// Replaces each pair of columns in `z` by the matrix with the singular values that `law` makes of the present ones.
pub(crate) fn project(z: &mut [Vec3], law: impl Fn([Real; 2]) -> [Real; 2]) {
    for z in z.chunks_exact_mut(2) {
        let svd = svd32(&[z[0], z[1]]);
        z.copy_from_slice(&svd.with(law(svd.sigma)));
    }
}

/// Area of a triangle, m².
pub(crate) fn area(positions: &[Vec3], triangle: &[u32; 3]) -> Real {
    let [a, b] = edges(positions, triangle);
    0.5 * a.cross(&b).norm()
}

/// The edges from the last vertex.
fn edges(positions: &[Vec3], triangle: &[u32; 3]) -> [Vec3; 2] {
    let pivot = positions[triangle[2] as usize];
    [0, 1].map(|i| positions[triangle[i] as usize] - pivot)
}
