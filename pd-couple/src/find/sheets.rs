//! Points that meet triangles.
//!
//! A point that crosses a triangle during the step, by continuous collision detection, is put back to the side it came from: the
//! normal is that of the triangle, the place that of the hit. For all others the normal is the direction from the nearest point
//! of the triangle, which also serves edges and corners.

use super::{Ball, Facet, Finder, MARGIN, Motion, path_box};
use crate::memory::{Kind, Memory, key};
use crate::{Endpoint, Row};
use pd_collide::broad::BroadPhase;
use pd_collide::ccd::{Ccd, Conservative, PointTriangle};
use pd_collide::distance::point_triangle;
use pd_core::exec::{self, ELEMENT_CHUNK};
use pd_core::{Aabb, Real, Vec3};

/// What the narrow phase found of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    pub(super) touches: bool,
    weights: [Real; 3],
    normal: Vec3,
    gap: Real,
    before: Real,
    foot: Vec3,
}

/// Whether a point crosses a triangle, and then the time before the hit.
pub(crate) fn crossing(start: &[Vec3; 4], end: &[Vec3; 4]) -> Option<Real> {
    let moved: [Vec3; 4] = std::array::from_fn(|k| end[k] - start[k]);
    let farthest = (1..4).map(|k| (moved[0] - moved[k]).norm_squared()).fold(0.0, Real::max);
    let near = point_triangle(start).separation(start).norm_squared();
    // The separation changes by at most the largest relative motion of a corner.
    if near > 1.0001 * farthest {
        return None;
    }
    Conservative.vertex_triangle(&PointTriangle { start: *start, end: *end, separation: 0.0 })
}

/// Unit normal of a triangle given behind a point, turned to the side of the point at the start of its path.
pub(crate) fn side_normal(start: &[Vec3; 4], at: &[Vec3; 4]) -> Option<Vec3> {
    let normal = |x: &[Vec3; 4]| (x[2] - x[1]).cross(&(x[3] - x[1])).try_normalize(0.0);
    let (before, now) = (normal(start)?, normal(at)?);
    let side = (start[0] - start[1]).dot(&before);
    (side != 0.0).then(|| now * side.signum())
}

impl Finder {
    /// Fills `pairs` with [place in `asked`, facet] of points whose path may come near a triangle.
    pub(crate) fn near_sheets(&mut self, motion: &Motion<'_>, grow: bool) {
        self.boxes.clear();
        self.queries.clear();
        self.asked.clear();
        self.pairs.clear();
        if self.facets.is_empty() || !self.balls.iter().any(|ball| ball.meets_sheets) {
            return;
        }
        let radius =
            self.balls.iter().filter(|ball| ball.meets_sheets).map(|ball| ball.radius).fold(0.0, Real::max);
        let mut all = Aabb::empty();
        for facet in &self.facets {
            let (a, b) = (facet.corners(motion.start), facet.corners(motion.end));
            let reach = if grow { (1.0 + MARGIN) * (facet.half_thickness + radius) } else { 0.0 };
            let around = Aabb::of_points(a.iter().chain(&b)).grown(reach);
            all = all.union(&around);
            self.boxes.push(around);
        }
        for (k, ball) in self.balls.iter().enumerate().filter(|(_, ball)| ball.meets_sheets) {
            let around = path_box(motion, ball.point);
            if around.overlaps(&all) && !self.is_idle(motion, ball.point) {
                self.asked.push(k as u32);
                self.queries.push(around);
            }
        }
        if !self.asked.is_empty() {
            self.tree.build(&self.boxes);
            self.tree.pairs_with(&self.queries, &mut self.pairs);
        }
    }

    /// Pairs of the last search, as places of balls and facets.
    pub(crate) fn sheet_pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.pairs.iter().map(|&[k, facet]| (self.asked[k as usize] as usize, facet as usize))
    }

    pub(super) fn points_with_sheets(
        &mut self,
        motion: Motion<'_>,
        memory: &Memory,
        h: Real,
        rows: &mut Vec<Row>,
    ) {
        self.near_sheets(&motion, true);
        self.add_remembered(memory);
        let Self { found, pairs, asked, balls, facets, .. } = self;
        found.clear();
        found.resize(pairs.len(), Found::default());
        exec::for_each_chunk(found, ELEMENT_CHUNK, |first, found| {
            for (found, &[k, facet]) in found.iter_mut().zip(&pairs[first..]) {
                let ball = asked[k as usize] as usize;
                let known = memory.get(key(Kind::PointFacet, ball, facet as usize)).is_some();
                *found = narrow(&balls[ball], &facets[facet as usize], &motion, known);
            }
        });
        let (mut of, mut foot_count) = (u32::MAX, 0);
        let mut feet: [Vec3; 16] = [Vec3::zeros(); 16];
        for (found, &[k, facet]) in found.iter().zip(&*pairs).filter(|(found, _)| found.touches) {
            let key = key(Kind::PointFacet, asked[k as usize] as usize, facet as usize);
            let given = memory.get(key);
            let (ball, facet) = (&balls[asked[k as usize] as usize], &facets[facet as usize]);
            if of != ball.point {
                (of, foot_count) = (ball.point, 0);
            }
            // Triangles that share the nearest corner or edge make one row.
            let close = 1e-9 * (ball.radius + facet.half_thickness);
            let known = feet[..foot_count].iter().any(|foot| (foot - found.foot).norm() < close);
            if known && given.is_none() {
                continue;
            }
            if foot_count < feet.len() {
                feet[foot_count] = found.foot;
                foot_count += 1;
            }
            let b = Endpoint::Triangle { vertices: facet.vertices, weights: found.weights };
            let friction = (ball.friction * facet.friction).sqrt();
            let a = Endpoint::Point(ball.point);
            let row = Row::new(a, b, found.normal, found.gap, found.before, friction);
            rows.push(row.begun(key, given.unwrap_or_else(Vec3::zeros) * h));
        }
    }

    /// Adds pairs that had a force, wherever they are now, so that it can be taken back.
    fn add_remembered(&mut self, memory: &Memory) {
        let known = memory.of(Kind::PointFacet);
        if known.is_empty() {
            return;
        }
        // Names of balls in place of numbers of queries: both ascend.
        for pair in &mut self.pairs {
            pair[0] = self.asked[pair[0] as usize];
        }
        self.pairs.extend(known.iter().map(|&(key, _)| {
            let (_, ball, facet) = crate::memory::parts(key);
            [ball as u32, facet as u32]
        }));
        let (balls, facets) = (self.balls.len(), self.facets.len());
        self.pairs.retain(|&[ball, facet]| (ball as usize) < balls && (facet as usize) < facets);
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.asked.clear();
        self.asked.extend(0..balls as u32);
    }
}

fn narrow(ball: &Ball, facet: &Facet, motion: &Motion<'_>, known: bool) -> Found {
    let (start, end) =
        (facet.with(ball.point as usize, motion.start), facet.with(ball.point as usize, motion.end));
    let reach = ball.radius + facet.half_thickness;
    let before = point_triangle(&start).separation(&start).norm() - reach;
    let none = Found::default();
    if let Some(time) = crossing(&start, &end) {
        let at: [Vec3; 4] = std::array::from_fn(|k| start[k] + (end[k] - start[k]) * time);
        let weights = point_triangle(&at).weights;
        let Some(normal) = side_normal(&start, &end) else { return none };
        let weights = [-weights[1], -weights[2], -weights[3]];
        let foot = end[1] * weights[0] + end[2] * weights[1] + end[3] * weights[2];
        let gap = normal.dot(&(end[0] - foot)) - reach;
        return Found { touches: true, weights, normal, gap, before, foot };
    }
    let closest = point_triangle(&end);
    let separation = closest.separation(&end);
    let distance = separation.norm();
    let gap = distance - reach;
    if (gap > MARGIN * reach && !known) || distance.is_nan() || distance <= 0.0 {
        return none;
    }
    let weights = [-closest.weights[1], -closest.weights[2], -closest.weights[3]];
    let (normal, foot) = (separation / distance, end[0] - separation);
    Found { touches: true, weights, normal, gap, before, foot }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_over_an_edge_is_no_crossing_and_one_through_is() {
        let triangle = [Vec3::zeros(), Vec3::z(), Vec3::x()];
        let with = |p: Vec3| [p, triangle[0], triangle[1], triangle[2]];
        let through = crossing(&with(Vec3::new(0.2, 1.0, 0.2)), &with(Vec3::new(0.2, -1.0, 0.2)));
        assert!((through.unwrap() - 0.5).abs() < 1e-9);
        // From behind the plane, beside the triangle, to the front over it.
        assert_eq!(crossing(&with(Vec3::new(-0.5, -0.1, 0.2)), &with(Vec3::new(-0.1, 0.4, 0.2))), None);
        let below = with(Vec3::new(0.2, -1.0, 0.2));
        assert_eq!(side_normal(&with(Vec3::new(0.2, 1.0, 0.2)), &below), Some(Vec3::y()));
        assert_eq!(side_normal(&below, &below), Some(-Vec3::y()));
    }
}
