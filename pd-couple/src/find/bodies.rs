//! Points and triangles that meet rigid bodies, by the signed distance of their shapes.
//!
//! The nearest point of a triangle to a body is not always a corner: a box may stand on a triangle with its edge, a ball lie in the
//! middle of one. The distance to a convex shape is convex over a triangle, so its least value is found by steps against the
//! normal, each followed by the projection onto the triangle.

use super::{Ball, Finder, MARGIN, Motion, path_box};
use crate::memory::{Kind, Memory, key, parts};
use crate::{Endpoint, Layout, RigidShape, Row};
use nalgebra::UnitQuaternion;
use pd_collide::broad::BroadPhase;
use pd_collide::distance::point_triangle;
use pd_core::{Aabb, Bodies, Real, Surface, Vec3};

/// Steps of the search over a triangle, and lengths tried for each.
const STEPS: usize = 5;
const TRIES: usize = 8;

/// Scratch of the narrow phase.
#[derive(Default)]
pub(super) struct Samples {
    boxes: Vec<Aabb>,
    pairs: Vec<[u32; 2]>,
    points: Vec<Vec3>,
    before: Vec<Surface>,
    after: Vec<Surface>,
}

impl Finder {
    /// Boxes around the paths of all bodies.
    fn body_boxes(&mut self, layout: &Layout, motion: &Motion<'_>) {
        let (a, b) = (motion.bodies_start, motion.bodies_end);
        let reach = self.balls.iter().map(|ball| ball.radius).fold(0.0, Real::max) * (1.0 + MARGIN);
        self.samples.boxes.clear();
        self.samples.boxes.extend(layout.shapes().iter().enumerate().map(|(body, shape)| {
            let start = shape.bounds_at(&a.p[body], &a.q[body]);
            start.union(&shape.bounds_at(&b.p[body], &b.q[body])).grown(reach)
        }));
    }

    pub(super) fn points_with_bodies(
        &mut self,
        layout: &Layout,
        motion: Motion<'_>,
        memory: &Memory,
        h: Real,
        rows: &mut Vec<Row>,
    ) {
        if layout.bodies() == 0 || self.balls.is_empty() {
            return;
        }
        self.body_boxes(layout, &motion);
        self.meet(layout, motion, memory, h, rows, Kind::BodyPoint);
    }

    /// Vertices of sheets or loose points with bodies.
    fn meet(
        &mut self,
        layout: &Layout,
        motion: Motion<'_>,
        memory: &Memory,
        h: Real,
        rows: &mut Vec<Row>,
        kind: Kind,
    ) {
        let loose = kind == Kind::BodyPoint;
        self.queries.clear();
        self.asked.clear();
        for (k, ball) in self.balls.iter().enumerate().filter(|(_, ball)| ball.meets_sheets == loose) {
            if !self.is_idle(&motion, ball.point) {
                self.asked.push(k as u32);
                self.queries.push(path_box(&motion, ball.point));
            }
        }
        if self.asked.is_empty() {
            return;
        }
        let Self { body_tree, queries, asked, balls, samples, dynamic, glued, .. } = self;
        body_tree.build(&samples.boxes);
        body_tree.pairs_with(queries, &mut samples.pairs);
        let skipped = |ball: usize, body: u32| {
            let Ball { point, skips_dynamic, .. } = balls[ball];
            skips_dynamic && dynamic[body as usize] || glued.get(point as usize) == Some(&body)
        };
        for pair in &mut samples.pairs {
            *pair = [pair[1], asked[pair[0] as usize]];
        }
        with_remembered(&mut samples.pairs, memory, kind, [dynamic.len(), balls.len()]);
        samples.pairs.retain(|&[body, ball]| !skipped(ball as usize, body));
        let Samples { pairs, points, before, after, .. } = samples;
        for group in pairs.chunk_by(|a, b| a[0] == b[0]) {
            let body = group[0][0] as usize;
            let shape = &layout.shapes()[body];
            let ball = |pair: &[u32; 2]| &balls[pair[1] as usize];
            let mut sample = |x: &[Vec3], bodies: &Bodies, out: &mut Vec<Surface>| {
                points.clear();
                points.extend(group.iter().map(|pair| x[ball(pair).point as usize]));
                out.clear();
                out.resize(group.len(), Surface::default());
                shape.sample_at(&bodies.p[body], &bodies.q[body], points, out);
            };
            sample(motion.start, motion.bodies_start, before);
            sample(motion.end, motion.bodies_end, after);
            for ((pair, before), after) in group.iter().zip(&*before).zip(&*after) {
                let ball = ball(pair);
                let i = ball.point as usize;
                let contact = Contact {
                    body,
                    from: motion.start[i],
                    to: motion.end[i],
                    before: *before,
                    after: *after,
                    reach: ball.radius,
                };
                let friction = (ball.friction * shape.friction()).sqrt();
                let key = key(kind, body, pair[1] as usize);
                rows.extend(contact.begun(&motion, Endpoint::Point(ball.point), friction, (key, memory, h)));
            }
        }
    }

    pub(super) fn sheets_with_bodies(
        &mut self,
        layout: &Layout,
        motion: Motion<'_>,
        memory: &Memory,
        h: Real,
        rows: &mut Vec<Row>,
    ) {
        if layout.bodies() == 0 || self.facets.is_empty() {
            return;
        }
        self.body_boxes(layout, &motion);
        self.meet(layout, motion, memory, h, rows, Kind::BodyVertex);
        self.boxes.clear();
        self.boxes.extend(self.facets.iter().map(|facet| {
            let (a, b) = (facet.corners(motion.start), facet.corners(motion.end));
            Aabb::of_points(a.iter().chain(&b))
        }));
        let Self { tree, boxes, samples, facets, glued, .. } = self;
        tree.build(boxes);
        tree.pairs_with(&samples.boxes, &mut samples.pairs);
        with_remembered(&mut samples.pairs, memory, Kind::BodyFacet, [layout.bodies(), facets.len()]);
        for &[body, facet] in &samples.pairs {
            let key = key(Kind::BodyFacet, body as usize, facet as usize);
            let known = memory.get(key).is_some();
            let (body, facet) = (body as usize, &facets[facet as usize]);
            if facet.vertices.iter().any(|&v| glued[v as usize] as usize == body) {
                continue;
            }
            let shape = &layout.shapes()[body];
            let (p, q) = (&motion.bodies_end.p[body], &motion.bodies_end.q[body]);
            let corners = facet.corners(motion.end);
            let reach = facet.half_thickness;
            let within = if known { Real::INFINITY } else { (1.0 + MARGIN) * reach };
            let Some((weights, after)) = deepest(shape, p, q, &corners, within) else {
                continue;
            };
            let at = |x: [Vec3; 3]| x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2];
            let (from, to) = (at(facet.corners(motion.start)), at(corners));
            let mut before = [Surface::default()];
            let start = motion.bodies_start;
            shape.sample_at(&start.p[body], &start.q[body], &[from], &mut before);
            let contact = Contact { body, from, to, before: before[0], after, reach };
            let end = Endpoint::Triangle { vertices: facet.vertices, weights };
            let friction = (facet.friction * shape.friction()).sqrt();
            rows.extend(contact.begun(&motion, end, friction, (key, memory, h)));
        }
    }
}

/// Adds the pairs [body, other] that had a force, wherever they are now, so that it can be taken back; `counts` are those of
/// bodies and others.
fn with_remembered(pairs: &mut Vec<[u32; 2]>, memory: &Memory, kind: Kind, counts: [usize; 2]) {
    pairs.extend(memory.of(kind).iter().map(|&(key, _)| {
        let (_, body, other) = parts(key);
        [body as u32, other as u32]
    }));
    pairs.retain(|&[body, other]| (body as usize) < counts[0] && (other as usize) < counts[1]);
    pairs.sort_unstable();
    pairs.dedup();
}

/// A point and a body over a step.
struct Contact {
    body: usize,
    from: Vec3,
    to: Vec3,
    before: Surface,
    after: Surface,
    reach: Real,
}

impl Contact {
    /// The row, with the force that the memory has under a key over a time h.
    fn begun(
        &self,
        motion: &Motion<'_>,
        end: Endpoint,
        friction: Real,
        (key, memory, h): (u64, &Memory, Real),
    ) -> Option<Row> {
        let given = memory.get(key);
        let row = self.row(motion, end, friction, given.is_some())?;
        Some(row.begun(key, given.unwrap_or_else(Vec3::zeros) * h))
    }

    fn row(&self, motion: &Motion<'_>, end: Endpoint, friction: Real, known: bool) -> Option<Row> {
        let Self { body, from, to, before, after, reach } = self;
        let mut gap = after.distance - reach;
        if !(gap <= MARGIN * reach || (known && gap.is_finite())) {
            return None;
        }
        let (start, now) = (motion.bodies_start, motion.bodies_end);
        let mut normal = after.normal;
        let turn = now.q[*body] * start.q[*body].inverse();
        let carried = turn * before.normal;
        if gap < 0.0 && before.distance > 0.0 && normal.dot(&carried) < 0.5 {
            // It went so deep that the nearest way out is another side: back the way it came.
            let stayed = now.p[*body] + turn * (from - start.p[*body]);
            normal = carried;
            gap = before.distance + normal.dot(&(to - stayed)) - reach;
        }
        let place = to - normal * (gap + reach);
        let other = Endpoint::Body { body: *body as u32, arm: place - now.p[*body] };
        Some(Row::new(end, other, normal, gap, before.distance - reach, friction))
    }
}

/// The point of a triangle that is nearest to a shape or deepest in it, if it is within `reach` of it and no corner.
pub(crate) fn deepest(
    shape: &RigidShape,
    p: &Vec3,
    q: &UnitQuaternion<Real>,
    corners: &[Vec3; 3],
    reach: Real,
) -> Option<([Real; 3], Surface)> {
    const FIRST: [[Real; 3]; 4] =
        [[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]];
    let at = |w: &[Real; 3]| corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
    let nearest = |to: Vec3| {
        let w = point_triangle(&[to, corners[0], corners[1], corners[2]]).weights;
        [-w[1], -w[2], -w[3]]
    };
    let size = (corners[1] - corners[0]).norm().max((corners[2] - corners[0]).norm());
    let mut surfaces = [Surface::default(); TRIES];
    let first: [[Real; 3]; 5] = std::array::from_fn(|k| FIRST.get(k).copied().unwrap_or_else(|| nearest(*p)));
    shape.sample_at(p, q, &first.map(|w| at(&w)), &mut surfaces[..5]);
    // No point of the triangle is farther than its size from the centroid.
    if surfaces[0].distance > reach + size {
        return None;
    }
    let (mut best, mut least) = (first[0], surfaces[0]);
    for (w, s) in first.iter().zip(&surfaces).skip(1) {
        if s.distance < least.distance {
            (best, least) = (*w, *s);
        }
    }
    for _ in 0..STEPS {
        // Long and short steps against the normal, each followed by the way back to the triangle.
        let from = at(&best) - least.normal * least.distance;
        let tries: [[Real; 3]; TRIES] =
            std::array::from_fn(|k| nearest(from - least.normal * (size * (0.5 as Real).powi(k as i32))));
        shape.sample_at(p, q, &tries.map(|w| at(&w)), &mut surfaces);
        let before = least.distance;
        for (w, s) in tries.iter().zip(&surfaces) {
            if s.distance < least.distance {
                (best, least) = (*w, *s);
            }
        }
        if before - least.distance < 1e-4 * reach {
            break;
        }
    }
    let corner = best.iter().any(|&w| w > 0.97);
    (least.distance <= reach && !corner).then_some((best, least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_rigid::{BodyDesc, RigidModel, Shape};

    #[test]
    fn the_deepest_point_of_a_triangle_is_found_inside_of_it() {
        let mut builder = RigidModel::builder();
        builder.body(BodyDesc::new(Shape::sphere(0.1).unwrap(), 1000.0)).unwrap();
        let (model, _) = builder.build();
        let shape = RigidShape::of(&model, 0).unwrap();
        let corners = [Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, -1.0), Vec3::new(0.0, 0.0, 1.5)];
        let p = Vec3::new(0.1, 0.09, 0.05);
        let (w, s) = deepest(&shape, &p, &UnitQuaternion::identity(), &corners, 0.02).unwrap();
        let at = corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
        assert!((w[0] + w[1] + w[2] - 1.0).abs() < 1e-12 && w.iter().all(|w| *w >= 0.0));
        assert!(
            (s.distance + 0.01).abs() < 2e-3 && (at - Vec3::new(0.1, 0.0, 0.05)).norm() < 0.03,
            "{s:?} {at:?}"
        );
        let far = Vec3::new(0.0, 0.5, 0.0);
        assert!(deepest(&shape, &far, &UnitQuaternion::identity(), &corners, 0.02).is_none());
    }
}
