//! Hinges: interior edges of a triangle mesh with the two vertices opposite to them.
//!
//! ```text
//!        x2
//!       /  \        triangles (x0, x1, x2) and (x1, x0, x3), both counter-clockwise
//!     x0 ── x1
//!       \  /
//!        x3
//! ```

use crate::{ConstraintError, Weight, check};
use pd_core::{Real, Vec3};

/// Triangles with less area than this fraction of the square of the hinge's edge are rejected.
const DEGENERATE_AREA: Real = 1e-9;

/// The hinges of a triangle mesh, sorted by their edge: `[x0, x1, x2, x3]` with the edge first, see above. Edges of only one
/// triangle have no hinge; edges of more than two have one for each pair of consecutive triangles.
pub fn hinges(triangles: &[[u32; 3]]) -> Vec<[u32; 4]> {
    let mut sides: Vec<([u32; 2], u32, bool)> = triangles
        .iter()
        .flat_map(|t| [0, 1, 2].map(|k| (t[k], t[(k + 1) % 3], t[(k + 2) % 3])))
        .map(|(a, b, opposite)| ([a.min(b), a.max(b)], opposite, a < b))
        .collect();
    sides.sort_by_key(|side| side.0); // stable: triangles stay in order
    let pairs = sides.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    pairs
        .map(|pair| {
            let ([a, b], forward) = (pair[0].0, pair[0].2);
            if forward { [a, b, pair[0].1, pair[1].1] } else { [b, a, pair[0].1, pair[1].1] }
        })
        .collect()
}

/// The two vertices opposite to each interior edge: the ends of bending springs.
pub fn bending_pairs(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    hinges(triangles).iter().map(|hinge| [hinge[2], hinge[3]]).collect()
}

/// A hinge at rest.
pub(crate) struct RestHinge {
    /// q with Σ q_l x_l = 0 for every flat pair of triangles of the rest shape: q₀ = c₁ + c₃, q₁ = c₀ + c₂, q₂ = −(c₀ + c₁),
    /// q₃ = −(c₂ + c₃), with c₀, c₁ the cotangents at x0, x1 in the first triangle and c₂, c₃ in the second.
    pub(crate) coefficients: [Real; 4],
    /// A₀ + A₁, m².
    area: Real,
}

impl RestHinge {
    fn new(
        kind: &'static str,
        element: usize,
        positions: &[Vec3],
        hinge: &[u32; 4],
    ) -> Result<Self, ConstraintError> {
        let [x0, x1, x2, x3] = hinge.map(|v| positions[v as usize]);
        let edge = x1 - x0;
        let areas = [x2, x3].map(|p| 0.5 * edge.cross(&(p - x0)).norm());
        if let Some(side) = areas.iter().position(|area| *area <= DEGENERATE_AREA * edge.norm_squared()) {
            let (vertices, measure, value) = (hinge.to_vec(), "area", areas[side]);
            return Err(ConstraintError::Degenerate { kind, element, vertices, measure, value });
        }
        let cotangents =
            |p: &Vec3, area: Real| [edge.dot(&(p - x0)) / (2.0 * area), -edge.dot(&(p - x1)) / (2.0 * area)];
        let ([c0, c1], [c2, c3]) = (cotangents(&x2, areas[0]), cotangents(&x3, areas[1]));
        let coefficients = [c1 + c3, c0 + c2, -(c0 + c1), -(c2 + c3)];
        Ok(Self { coefficients, area: areas[0] + areas[1] })
    }
}

/// Checks what a batch of hinges is made of, and calls `push(hinge, at rest, ω)` for each, ω = B/(A₀ + A₁).
///
/// Bergou et al. and Grinspun et al. have 3/(A₀ + A₁). With it a cylinder of curvature κ on a regular mesh has three times the energy
/// B κ²/2 per area of a plate of rigidity B: the angles of the three families of hinges, L/(A₀ + A₁) = κ (4 cos² φ − 1)/3 with φ the angle to
/// the normal of the edge, add up to κ, and so do their squares to κ², while a smooth field would have κ/3 on each.
pub(crate) fn for_each_hinge(
    kind: &'static str,
    positions: &[Vec3],
    hinges: &[[u32; 4]],
    rigidity: Weight<'_>,
    mut push: impl FnMut(&[u32; 4], RestHinge, Real),
) -> Result<(), ConstraintError> {
    check::positions(positions)?;
    rigidity.check(kind, hinges.len())?;
    check::indices(kind, hinges, positions.len())?;
    for (element, hinge) in hinges.iter().enumerate() {
        let rest = RestHinge::new(kind, element, positions, hinge)?;
        let weight = rigidity.at(element) / rest.area;
        push(hinge, rest, weight);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_has_one_hinge_for_each_inner_edge() {
        let found = hinges(&[[0, 1, 2], [1, 3, 2], [3, 1, 4]]);
        assert_eq!(found, vec![[1, 2, 0, 3], [1, 3, 2, 4]]);
        assert_eq!(bending_pairs(&[[0, 1, 2], [1, 3, 2]]), vec![[0, 3]]);
        assert!(hinges(&[[0, 1, 2]]).is_empty());
    }

    #[test]
    fn coefficients_add_up_to_nothing_on_flat_pairs() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.3, 0.8, 0.0), Vec3::new(0.6, -1.3, 0.0)];
        let rest = RestHinge::new("test", 0, &x, &[0, 1, 2, 3]).unwrap();
        let sum = rest.coefficients.iter().zip(&x).fold(Vec3::zeros(), |sum, (q, x)| sum + x * *q);
        assert!(sum.norm() < 1e-15, "{sum}");
        assert!(rest.coefficients.iter().sum::<Real>().abs() < 1e-15);
    }
}
