//! Hausdorff distance of two surfaces, max over both of the distance to the other, by samples on a grid of every triangle.
//!
//! A sample at spacing s misses the true maximum by at most s/√3, since the distance to a set is 1-Lipschitz.

use super::SurfaceTree;
use crate::{TriMesh, Vec3};

/// Largest distances found, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hausdorff {
    /// From the first surface to the second.
    pub forward: f64,
    /// From the second surface to the first.
    pub backward: f64,
}

impl Hausdorff {
    /// The larger of the two.
    #[must_use]
    pub fn symmetric(&self) -> f64 {
        self.forward.max(self.backward)
    }
}

/// Distances between two surfaces from samples at most `spacing` metres apart.
///
/// ```
/// use pd_mesh::{generate, geometry::hausdorff};
/// let (small, large) = (generate::sphere(64, 32, 1.0)?, generate::sphere(64, 32, 1.1)?);
/// let distance = hausdorff::distance(&small, &large, 0.05).symmetric();
/// assert!((distance - 0.1).abs() < 0.01);
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
#[must_use]
pub fn distance(first: &TriMesh, second: &TriMesh, spacing: f64) -> Hausdorff {
    Hausdorff { forward: one_sided(first, second, spacing), backward: one_sided(second, first, spacing) }
}

/// Largest distance from `from` to `to`.
fn one_sided(from: &TriMesh, to: &TriMesh, spacing: f64) -> f64 {
    let tree = SurfaceTree::new(to);
    let mut worst: f64 = 0.0;
    for_samples(from, spacing, |_, x| worst = worst.max(tree.distance(x)));
    worst
}

/// Calls `visit` with a triangle and a point of it: every vertex that a triangle uses once, then further points such that
/// neighbours are at most `spacing` apart.
pub fn for_samples(surface: &TriMesh, spacing: f64, mut visit: impl FnMut(usize, Vec3)) {
    let mut used = vec![false; surface.positions.len()];
    for (face, corners) in surface.triangles.iter().enumerate() {
        for &v in corners {
            if !std::mem::replace(&mut used[v as usize], true) {
                visit(face, surface.positions[v as usize]);
            }
        }
    }
    for (face, corners) in surface.triangles.iter().enumerate() {
        let [a, b, c] = corners.map(|v| surface.positions[v as usize]);
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        // The bound keeps a single huge triangle from taking forever.
        let n = (longest / spacing).ceil().clamp(1.0, 2000.0) as usize;
        for i in 0..=n {
            for j in 0..=n - i {
                let is_corner = i == n || j == n || i + j == 0;
                if !is_corner {
                    visit(face, a + (b - a) * (i as f64 / n as f64) + (c - a) * (j as f64 / n as f64));
                }
            }
        }
    }
}
