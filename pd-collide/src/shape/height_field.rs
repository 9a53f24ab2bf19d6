//! Ground given by heights on a grid.
//!
//! The surface is two triangles for each cell of the grid. A point over the grid and below the surface is inside; beside
//! the grid there is no ground, and below its border it ends at a vertical wall that is not part of the surface.
//! Distances are to the triangles, exactly.

use crate::CollideError;
use crate::batch::sample_each;
use crate::error::{finite, finite_point, not_negative, positive};
use crate::mesh::MeshQuery;
use crate::rounding::direction;
use pd_core::{Aabb, Collider, Real, Surface, SurfaceMesh, Vec3};

/// Ground by heights above the xz plane.
///
/// ```
/// use pd_collide::HeightField;
/// use pd_core::{Collider, Vec3};
/// // A slope of 45° along x, two cells by one.
/// let slope = HeightField::new(Vec3::zeros(), 1.0, [3, 2], &[0.0, 0.0, 1.0, 1.0, 2.0, 2.0])?;
/// assert_eq!(slope.height(1.5, 0.25), Some(1.5));
/// let surface = slope.surface_at(&Vec3::new(1.0, 0.0, 0.5), 0.0);
/// assert!((surface.distance + 0.5f64.sqrt()).abs() < 1e-15 && surface.normal.y > 0.7);
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HeightField {
    corner: Vec3,
    spacing: Real,
    counts: [usize; 2],
    mesh: MeshQuery,
    margin: Real,
}

impl HeightField {
    /// Ground through heights, m, above `corner` and onwards along +x and +z; `counts` of heights along x and z, those
    /// along z adjacent.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if a number is not finite, the spacing is not positive, there are fewer than 2 × 2
    /// heights, or not as many as the counts say.
    pub fn new(
        corner: Vec3,
        spacing: Real,
        counts: [usize; 2],
        heights: &[Real],
    ) -> Result<Self, CollideError> {
        finite_point("height field", ["corner x", "corner y", "corner z"], corner)?;
        positive("height field", "spacing", spacing)?;
        let wrong = |name, value: usize, expected| {
            Err(CollideError::Parameter { shape: "height field", name, value: value as Real, expected })
        };
        let [nx, nz] = counts;
        if nx.min(nz) < 2 {
            return wrong("count", nx.min(nz), "at least two heights are needed along each axis");
        }
        if nx.checked_mul(nz) != Some(heights.len()) {
            return wrong("number of heights", heights.len(), "it must be the product of the counts");
        }
        for &height in heights {
            finite("height field", "height", height)?;
        }
        let positions = (0..nx * nz)
            .map(|k| corner + Vec3::new((k / nz) as Real * spacing, heights[k], (k % nz) as Real * spacing))
            .collect();
        let cell = |k: usize| {
            let first = (k / (nz - 1) * nz + k % (nz - 1)) as u32;
            let (z, x) = (first + 1, first + nz as u32);
            [[first, z, x], [x, z, x + 1]]
        };
        let mesh = MeshQuery::new(positions, (0..(nx - 1) * (nz - 1)).flat_map(cell).collect())?;
        Ok(Self { corner, spacing, counts, mesh, margin: 0.0 })
    }

    /// The same ground with another margin, m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative or not finite.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        Ok(Self { margin: not_negative("height field", "margin", margin)?, ..self })
    }

    /// Height (y) of the ground at x and z, without margin, m; `None` beside the grid.
    pub fn height(&self, x: Real, z: Real) -> Option<Real> {
        let [nx, nz] = self.counts;
        let (u, v) = ((x - self.corner.x) / self.spacing, (z - self.corner.z) / self.spacing);
        if !(0.0 <= u && u <= (nx - 1) as Real && 0.0 <= v && v <= (nz - 1) as Real) {
            return None;
        }
        let (i, j) = ((u as usize).min(nx - 2), (v as usize).min(nz - 2));
        let (u, v) = (u - i as Real, v - j as Real);
        let at = |i: usize, j: usize| self.mesh.positions()[i * nz + j].y;
        // The diagonal from (0, 1) to (1, 0) divides the cell.
        Some(if u + v <= 1.0 {
            at(i, j) + (at(i + 1, j) - at(i, j)) * u + (at(i, j + 1) - at(i, j)) * v
        } else {
            let far = at(i + 1, j + 1);
            far + (at(i, j + 1) - far) * (1.0 - u) + (at(i + 1, j) - far) * (1.0 - v)
        })
    }

    fn surface(&self, p: &Vec3) -> Surface {
        let nearest = self.mesh.closest(p);
        let below = self.height(p.x, p.z).is_some_and(|height| p.y < height);
        let sign = if below { -1.0 } else { 1.0 };
        let normal = direction(&((p - nearest.point) * sign)).map_or_else(
            || {
                let [a, b, c] = self.mesh.corners(nearest.triangle);
                direction(&(b - a).cross(&(c - a))).map_or(Vec3::y(), |(normal, _)| normal)
            },
            |(normal, _)| normal,
        );
        Surface { distance: sign * nearest.distance - self.margin, normal, velocity: Vec3::zeros() }
    }
}

impl Collider for HeightField {
    fn kind(&self) -> &'static str {
        "height field"
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| self.surface(p));
    }

    fn bounds(&self, _time: Real) -> Aabb {
        let mut bounds = self.mesh.bounds().grown(self.margin);
        bounds.min.y = Real::NEG_INFINITY;
        bounds
    }

    fn mesh(&self) -> Option<SurfaceMesh> {
        Some(SurfaceMesh {
            positions: self.mesh.positions().to_vec(),
            triangles: self.mesh.triangles().to_vec(),
        })
    }
}
