//! Interpolation in a signed distance field, and the field as an obstacle.

use super::{FAR, NODES, SIDE, SignedDistanceField};
use crate::batch::sample_each;
use crate::rounding::direction;
use pd_core::{Aabb, Collider, Real, Surface, SurfaceMesh, Vec3};

impl SignedDistanceField {
    /// Signed distance, margin included, m, and its direction of ascent, a unit vector.
    ///
    /// Outside of the grid the distance is a lower bound: what both the box of the surface and the nearest point of the
    /// grid allow.
    pub fn distance(&self, p: &Vec3) -> (Real, Vec3) {
        let end = self.origin + Vec3::from(self.blocks.map(|n| (n * SIDE) as Real)) * self.spacing;
        let on_grid = p.zip_zip_map(&self.origin, &end, |x, low, high| x.clamp(low, high));
        let (value, gradient) = self.interpolate(&on_grid);
        let normal = direction(&gradient).map_or(Vec3::y(), |(normal, _)| normal);
        if on_grid == *p {
            return (value - self.margin, normal);
        }
        let nearest = p.zip_zip_map(&self.bounds.min, &self.bounds.max, |x, low, high| x.clamp(low, high));
        let (to_grid, to_box) = (p - on_grid, p - nearest);
        match direction(&to_box) {
            Some((away, length)) if length >= value - to_grid.norm() => (length - self.margin, away),
            // Not a number ends here.
            _ => (value - to_grid.norm() - self.margin, normal),
        }
    }

    /// Value and gradient of the trilinear interpolant at a point of the grid.
    fn interpolate(&self, p: &Vec3) -> (Real, Vec3) {
        let relative = (p - self.origin) / self.spacing;
        if !relative.iter().all(|x| x.is_finite()) {
            return (Real::NAN, Vec3::zeros());
        }
        // Cell and block of the point; the last end of the grid belongs to the last cell.
        let cell: [usize; 3] =
            std::array::from_fn(|a| (relative[a].max(0.0) as usize).min(self.blocks[a] * SIDE - 1));
        let block = cell.map(|c| c / SIDE);
        let (_, y, z) = (self.blocks[0], self.blocks[1], self.blocks[2]);
        let own = self.own[(block[0] * y + block[1]) * z + block[2]];
        if own == FAR {
            let at = Vec3::from_fn(|a, _| relative[a] / SIDE as Real - block[a] as Real);
            let first = (block[0] * (y + 1) + block[1]) * (z + 1) + block[2];
            let strides = [(y + 1) * (z + 1), z + 1, 1];
            let (value, gradient) = trilinear(&self.corners[first..], strides, &at);
            return (value, gradient / (self.spacing * SIDE as Real));
        }
        let at = Vec3::from_fn(|a, _| relative[a] - cell[a] as Real);
        let strides = [(SIDE + 1) * (SIDE + 1), SIDE + 1, 1];
        let first: usize = (0..3).map(|a| (cell[a] - block[a] * SIDE) * strides[a]).sum();
        let (value, gradient) = trilinear(&self.nodes[own as usize * NODES + first..], strides, &at);
        (value, gradient / self.spacing)
    }
}

/// Value and gradient per cell at a place in [0, 1]³ of the cell whose first node is the first of `nodes`.
fn trilinear(nodes: &[f32], strides: [usize; 3], at: &Vec3) -> (Real, Vec3) {
    let mix = |a: Real, b: Real, t: Real| a + (b - a) * t;
    let node =
        |x: usize, y: usize, z: usize| Real::from(nodes[x * strides[0] + y * strides[1] + z * strides[2]]);
    // Along z, then y, then x.
    let z = |x, y| mix(node(x, y, 0), node(x, y, 1), at.z);
    let (z00, z01, z10, z11) = (z(0, 0), z(0, 1), z(1, 0), z(1, 1));
    let (y0, y1) = (mix(z00, z01, at.y), mix(z10, z11, at.y));
    let slope = |x, y| node(x, y, 1) - node(x, y, 0);
    let slope_z = mix(mix(slope(0, 0), slope(0, 1), at.y), mix(slope(1, 0), slope(1, 1), at.y), at.x);
    (mix(y0, y1, at.x), Vec3::new(y1 - y0, mix(z01 - z00, z11 - z10, at.x), slope_z))
}

impl Collider for SignedDistanceField {
    fn kind(&self) -> &'static str {
        "distance field"
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| {
            let (distance, normal) = self.distance(p);
            Surface { distance, normal, velocity: Vec3::zeros() }
        });
    }

    fn bounds(&self, _time: Real) -> Aabb {
        // The interpolated surface may be beyond the true one by its error, and single precision adds to it.
        self.bounds.grown(self.margin + 1.001 * self.error_bound())
    }

    fn mesh(&self) -> Option<SurfaceMesh> {
        self.shown.clone()
    }
}
