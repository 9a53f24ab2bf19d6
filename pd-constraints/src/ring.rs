//! Ordered rings of neighbours and the discrete Laplacians on them.
//!
//! For an interior vertex i with the counter-clockwise ring j_1 … j_k the Laplacian of the positions is
//! δ_i = s Σ_j c_j (x_i − x_j), with coefficients from the rest shape:
//! - mean-value (Floater 2003): c_j = (tan(θ¹/2) + tan(θ²/2))/|x_i − x_j|, θ¹ and θ² the angles at i on both
//!   sides of edge ij, s = 1. δ is a pure number.
//! - cotangent (Meyer et al. 2003): c_j = ½ (cot α + cot β), α and β the angles opposite to edge ij, and
//!   s = 1/A_i with A_i the mixed Voronoi area. δ is twice the mean curvature vector, 1/m.

use crate::{ConstraintError, check};
use pd_core::{Real, Vec3};

/// Triangles whose angle has a sine below this have no usable half-angle tangent or cotangent. The test is on the
/// sine and not on the cross product, so that it does not depend on the size of the mesh.
const COLLINEAR_SINE: Real = 1e-6;

/// Which discrete Laplacian bending uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BendingWeights {
    /// Mean-value weights without an area: the stiffness depends on the resolution of the mesh. ω in J.
    #[default]
    MeanValue,
    /// Cotangent weights with Voronoi area, which enters the element's weight: the energy is
    /// ω/2 ∫ (2H − 2H_rest)² dA for any resolution. ω is a bending rigidity, J = N·m.
    CotanVoronoi,
}

/// Rings of interior vertices in flat arrays: the neighbours of `vertices[k]`, counter-clockwise, are
/// `neighbours[offsets[k]..offsets[k + 1]]`. Border vertices are not listed.
#[derive(Clone, Copy, Debug)]
pub struct RingsRef<'a> {
    /// The interior vertices.
    pub vertices: &'a [u32],
    /// Where the ring of each begins, and the total at the end: one more entry than `vertices`.
    pub offsets: &'a [u32],
    /// All rings, one after another.
    pub neighbours: &'a [u32],
}

impl<'a> RingsRef<'a> {
    /// The ring of the k-th listed vertex; call after [`check`](Self::check).
    pub(crate) fn ring(&self, k: usize) -> &'a [u32] {
        &self.neighbours[self.offsets[k] as usize..self.offsets[k + 1] as usize]
    }

    /// Checks offsets and indices.
    pub(crate) fn check(&self, kind: &'static str, vertices: usize) -> Result<(), ConstraintError> {
        let rings = self.vertices.len();
        let wrong = |ring, what| Err(ConstraintError::Ring { ring, what });
        if self.offsets.len() != rings + 1 {
            return wrong(rings, "there must be one offset more than vertices");
        }
        if self.offsets[0] != 0 || self.offsets[rings] as usize != self.neighbours.len() {
            return wrong(rings, "offsets must start at 0 and end at the number of neighbours");
        }
        if let Some(ring) = self.offsets.windows(2).position(|o| o[0] > o[1]) {
            return wrong(ring, "offsets must not decrease");
        }
        for (k, &vertex) in self.vertices.iter().enumerate() {
            let ring = self.ring(k);
            if ring.len() < 3 {
                return wrong(k, "an interior vertex has at least three neighbours");
            }
            for &vertex in ring.iter().chain([&vertex]) {
                check::index(kind, k, vertex, vertices)?;
            }
        }
        Ok(())
    }
}

/// A triangle of a ring that is too flat to be used in the Laplacian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collinear {
    /// The centre of the ring.
    pub vertex: u32,
    /// One of the two neighbours that make the triangle.
    pub neighbour_a: u32,
    /// The other.
    pub neighbour_b: u32,
}

/// Laplacian coefficients of one ring.
pub(crate) struct Laplacian {
    /// s·c_j for each neighbour, in ring order.
    pub(crate) coefficients: Vec<Real>,
    /// Factor on the element's weight: 1, or the Voronoi area in m².
    pub(crate) area: Real,
}

/// Computes the coefficients at rest. Triangles without a usable angle are left out and added to `collinear`;
/// `None` if no triangle is left.
pub(crate) fn laplacian(
    weights: BendingWeights,
    positions: &[Vec3],
    vertex: u32,
    ring: &[u32],
    collinear: &mut Vec<Collinear>,
) -> Option<Laplacian> {
    let centre = positions[vertex as usize];
    let edge = |k: usize| positions[ring[k] as usize] - centre;
    let mut coefficients = vec![0.0; ring.len()];
    let mut area = 0.0;
    for a in 0..ring.len() {
        let b = (a + 1) % ring.len();
        let (ea, eb) = (edge(a), edge(b));
        let usable = match weights {
            BendingWeights::MeanValue => half_angle_tangent(&ea, &eb).map(|tangent| {
                coefficients[a] += tangent / ea.norm();
                coefficients[b] += tangent / eb.norm();
            }),
            BendingWeights::CotanVoronoi => cotangents(&ea, &eb).map(|[centre, at_a, at_b]| {
                coefficients[a] += 0.5 * at_b;
                coefficients[b] += 0.5 * at_a;
                area += mixed_area(&ea, &eb, centre, at_a, at_b);
            }),
        };
        if usable.is_none() {
            collinear.push(Collinear { vertex, neighbour_a: ring[a], neighbour_b: ring[b] });
        }
    }
    let scale = match weights {
        BendingWeights::MeanValue => 1.0,
        BendingWeights::CotanVoronoi => area.recip(),
    };
    coefficients.iter_mut().for_each(|c| *c *= scale);
    let usable = coefficients.iter().any(|c| *c != 0.0) && coefficients.iter().all(|c| c.is_finite());
    let area = if weights == BendingWeights::MeanValue { 1.0 } else { area };
    usable.then_some(Laplacian { coefficients, area })
}

/// Σ of the unit normals of the ring's triangles, normalised; `None` if they cancel or all triangles are flat.
pub(crate) fn ring_normal(positions: &[Vec3], vertex: u32, ring: &[u32]) -> Option<Vec3> {
    let centre = positions[vertex as usize];
    let mut sum = Vec3::zeros();
    let mut last = positions[ring[ring.len() - 1] as usize] - centre;
    for &neighbour in ring {
        let next = positions[neighbour as usize] - centre;
        sum += last.cross(&next).try_normalize(0.0).unwrap_or_default();
        last = next;
    }
    // Unit normals that cancel leave only rounding noise.
    sum.try_normalize(1e-9)
}

/// tan(θ/2) of the angle between two vectors, without the cancellation of (1 − cos θ)/sin θ at small angles.
fn half_angle_tangent(a: &Vec3, b: &Vec3) -> Option<Real> {
    let (lengths, sine, cosine) = (a.norm() * b.norm(), a.cross(b).norm(), a.dot(b));
    if sine <= COLLINEAR_SINE * lengths {
        return None;
    }
    Some(if cosine > 0.0 { sine / (lengths + cosine) } else { (lengths - cosine) / sine })
}

/// Cotangents of the triangle (0, a, b) at its three corners.
fn cotangents(a: &Vec3, b: &Vec3) -> Option<[Real; 3]> {
    let double_area = a.cross(b).norm();
    let side = b - a;
    let corners = [(a, b), (a, &side), (b, &side)];
    if corners.iter().any(|(p, q)| double_area <= COLLINEAR_SINE * p.norm() * q.norm()) {
        return None;
    }
    Some([a.dot(b) / double_area, -a.dot(&side) / double_area, b.dot(&side) / double_area])
}

/// Part of the triangle (0, a, b) that belongs to its corner 0: the Voronoi region, or half or a quarter of an
/// obtuse triangle, whose circumcentre lies outside.
fn mixed_area(a: &Vec3, b: &Vec3, at_centre: Real, at_a: Real, at_b: Real) -> Real {
    let area = 0.5 * a.cross(b).norm();
    if at_centre < 0.0 {
        area / 2.0
    } else if at_a < 0.0 || at_b < 0.0 {
        area / 4.0
    } else {
        (a.norm_squared() * at_b + b.norm_squared() * at_a) / 8.0
    }
}
