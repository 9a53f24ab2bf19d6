//! What lies in an obstacle given by a signed distance: vertices, and triangles none of whose corners do.

use super::obstacles::{Approach, low_points};
use super::surface::ContactSurface;
use crate::distance::point_triangle;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Collider, Real, Surface, Vec3};

/// Depth that is rounding, in thicknesses.
const ROUNDING: Real = 1e-6;
/// Steps to the deepest point of a triangle, and the next over the last.
const STEPS: usize = 32;
const SHORTER: Real = 0.75;

/// The deepest place of a body in an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Immersion {
    /// Number of the obstacle.
    pub obstacle: usize,
    /// The vertex, or of a triangle with all corners outside the one that is nearest.
    pub vertex: usize,
    /// Where, m.
    pub place: Vec3,
    /// How deep, m.
    pub depth: Real,
}

/// Calls `each` for what of positions x lies in an obstacle at a time: vertices that are pushed, those inside of solids as well, then
/// triangles of the surface.
pub fn immersions(
    surface: &ContactSurface,
    obstacles: &[Box<dyn Collider>],
    time: Real,
    x: &[Vec3],
    mut each: impl FnMut(Immersion),
) {
    let mut surfaces = vec![Surface::default(); x.len()];
    for (number, obstacle) in obstacles.iter().enumerate() {
        exec::for_each_chunk(&mut surfaces, VERTEX_CHUNK, |first, out| {
            obstacle.sample(&x[first..first + out.len()], time, out);
        });
        let least = |i: usize| ROUNDING * surface.thickness_of(i);
        for (i, at) in surfaces.iter().enumerate() {
            // False for a distance that is not a number.
            if at.distance < -least(i) && !surface.is_kinematic(i) {
                each(Immersion { obstacle: number, vertex: i, place: x[i], depth: -at.distance });
            }
        }
        let approach = Approach { obstacle: &**obstacle, time };
        for t in &surface.triangles {
            let corners = t.map(|v| x[v as usize]);
            let distances = t.map(|v| surfaces[v as usize].distance);
            let nearest = (0..3).min_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap_or(0);
            let size = (corners[1] - corners[0]).norm().max((corners[2] - corners[0]).norm());
            let (vertex, depth) = (t[nearest] as usize, distances[nearest]);
            if t.iter().any(|&v| surface.is_kinematic(v as usize)) || !(depth >= 0.0 && depth < size) {
                continue;
            }
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            let starts = if obstacle.is_convex() {
                [Some(middle), None, None, None]
            } else {
                low_points(&approach, &corners)
            };
            let deepest = starts
                .into_iter()
                .flatten()
                .map(|start| deepest(&approach, &corners, start, size))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((distance, place)) = deepest
                && distance < -least(vertex)
            {
                each(Immersion { obstacle: number, vertex, place, depth: -distance });
            }
        }
    }
}

/// Least distance on a triangle and where, by steps against the gradient that grow shorter.
fn deepest(approach: &Approach<'_>, corners: &[Vec3; 3], mut q: Vec3, size: Real) -> (Real, Vec3) {
    let (mut best, mut step) = ((Real::INFINITY, q), 0.5 * size);
    for _ in 0..STEPS {
        let at = approach.obstacle.surface_at(&q, approach.time);
        if at.distance < best.0 {
            best = (at.distance, q);
        }
        let [a, b, c] = *corners;
        let weights = point_triangle(&[q - at.normal * step, a, b, c]).weights;
        q = a * -weights[1] + b * -weights[2] + c * -weights[3];
        step *= SHORTER;
    }
    best
}
