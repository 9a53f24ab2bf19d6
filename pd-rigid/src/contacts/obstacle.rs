//! A part of a body against an obstacle given by its signed distance.
//!
//! A part that is not near the obstacle but may reach it within the step is looked at where it does: found by advances as long as
//! the distance allows (sphere tracing, Hart 1996), first of a ball around it, then of its points, so that no obstacle is too thin
//! for a fast body. The obstacle moves in the meantime: each point of its surface goes from where the obstacle is at the start of
//! the step to where it is at the end, at constant velocity.

use super::pair::{FAST_TURN, add_core};
use super::{Manifolds, Motion, Reach};
use crate::narrow::{Touch, lowest, nearest, reduce};
use crate::solve::contact::{ContactPoint, Manifold, POINTS, tangents};
use crate::{Part, Shape};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};
use pd_core::{Collider, Real, Surface, Vec3};

/// Keys of obstacles are counted down from the end of the parts' range.
const OBSTACLE: u64 = 0xffff_ffff;

/// Most points looked at.
const MOST: usize = 72;

/// Most steps towards an obstacle, and along a segment through it.
const STEPS: usize = 64;

/// Projections from one surface to the other for their nearest points.
const PROJECTIONS: usize = 4;

/// An obstacle of the scene during a step.
pub(super) struct Obstacle<'a> {
    pub(super) number: usize,
    pub(super) shape: &'a dyn Collider,
    /// Time at the start of the step, s.
    pub(super) start: Real,
}

impl Obstacle<'_> {
    fn sample(&self, p: Vec3, time: Real) -> Surface {
        let mut surface = [Surface::default()];
        self.shape.sample(&[p], self.start + time, &mut surface);
        surface[0]
    }

    /// Where a point of the surface is at the start of the step, and its mean velocity over it; it is at `foot` after `time`.
    fn carried(&self, foot: Vec3, velocity: Vec3, time: Real, dt: Real) -> (Vec3, Vec3) {
        let [first, now, last] = [0.0, time, dt].map(|t| self.shape.pose(self.start + t));
        if first == last {
            return (foot - velocity * time, velocity);
        }
        let own = now.inverse() * Point3::from(foot);
        let start = (first * own).coords;
        (start, ((last * own).coords - start) / dt)
    }
}

/// Points of a part and the surface of the obstacle next to each.
struct Points {
    len: usize,
    feature: [u64; MOST],
    place: [Vec3; MOST],
    surface: [Surface; MOST],
}

impl Points {
    /// Points that may touch first: vertices, ends and rims, and the point nearest to the obstacle.
    fn of(shape: &Shape, world: &Isometry3<Real>, obstacle: &Obstacle<'_>, time: Real) -> Self {
        let mut points = Self {
            len: 0,
            feature: [0; MOST],
            place: [Vec3::zeros(); MOST],
            surface: [Surface::default(); MOST],
        };
        let mut at = (world * Point3::from(shape.centre())).coords;
        // Round shapes have no vertices: their lowest point depends on where the obstacle is.
        let up = obstacle.sample(at, time).normal;
        lowest((shape, world), &up, |feature, place| points.push(feature, place));
        if !matches!(shape, Shape::Sphere { .. }) {
            for _ in 0..PROJECTIONS {
                let surface = obstacle.sample(at, time);
                let target = world.inverse() * Point3::from(at - surface.normal * surface.distance);
                at = (world * Point3::from(nearest(shape, &target.coords))).coords;
            }
            // Next to a vertex or an end it says nothing new.
            let known = 1e-3 * shape.reach();
            if points.place[..points.len].iter().all(|p| (p - at).norm() > known) {
                points.push(1 << 20, at);
            }
        }
        let len = points.len;
        obstacle.shape.sample(&points.place[..len], obstacle.start + time, &mut points.surface[..len]);
        points
    }

    fn push(&mut self, feature: u64, place: Vec3) {
        if self.len < MOST {
            (self.feature[self.len], self.place[self.len]) = (feature, place);
            self.len += 1;
        }
    }

    /// Distance of the nearest point, m.
    fn least(&self) -> Real {
        self.surface[..self.len].iter().map(|s| s.distance).fold(Real::INFINITY, Real::min)
    }

    /// A point that is past the middle of a thin obstacle, or beyond it, is held by the side on which the way to it from the
    /// centre of the part enters.
    fn hold(&mut self, centre: Vec3, obstacle: &Obstacle<'_>, time: Real, reach: Real) {
        let first = obstacle.sample(centre, time);
        if first.distance <= 0.0 {
            return;
        }
        for (place, surface) in self.place[..self.len].iter().zip(&mut self.surface) {
            let way = place - centre;
            if surface.distance < reach
                && surface.normal.dot(&way) > 0.0
                && let Some(entered) = enters(centre, way, first, |p| obstacle.sample(p, time))
                && entered.normal.dot(&surface.normal) < 0.0
            {
                *surface =
                    Surface { distance: entered.normal.dot(&(place - entered.foot)), ..entered.surface };
            }
        }
    }
}

/// Where a segment enters an obstacle.
struct Entry {
    surface: Surface,
    normal: Vec3,
    foot: Vec3,
}

/// Steps along a segment as long as the distance; `None` if it does not come to the surface.
fn enters(from: Vec3, way: Vec3, first: Surface, sample: impl Fn(Vec3) -> Surface) -> Option<Entry> {
    let length = way.norm();
    let (mut gone, mut surface) = (0.0, first);
    for _ in 0..STEPS {
        let at = from + way * (gone / length);
        if surface.distance <= 1e-4 * length {
            let foot = at - surface.normal * surface.distance;
            return Some(Entry { surface, normal: surface.normal, foot });
        }
        gone += surface.distance;
        if gone >= length {
            return None;
        }
        surface = sample(from + way * (gone / length));
    }
    None
}

/// Time (s) and pose of a body when a part comes near an obstacle, and its points then; `None` if it does not within the step.
fn arrival(
    part: &Part,
    body: &(Isometry3<Real>, Vec3, Vec3),
    reach: &Reach,
    obstacle: &Obstacle<'_>,
) -> Option<(Real, Isometry3<Real>, Points)> {
    let radius = part.shape.reach() + part.pose.translation.vector.norm();
    let (start, v) = (body.0.translation.vector, body.1 + reach.gravity * (0.5 * reach.dt));
    let near = 0.25 * reach.margin;
    let (mut time, mut last) = (0.0, None);
    for _ in 0..STEPS {
        let centre = start + v * time;
        let surface = obstacle.sample(centre, time);
        // The ball around the part does not turn. As soon as it is near, the points of the part count.
        let (mut left, mut speed) = (surface.distance - radius, v.norm() + surface.velocity.norm());
        if left <= reach.margin {
            let turn = UnitQuaternion::from_scaled_axis(body.2 * time) * body.0.rotation;
            let pose = Isometry3::from_parts(Translation3::from(centre), turn);
            let points = Points::of(&part.shape, &(pose * part.pose), obstacle, time);
            left = points.least();
            speed += body.2.norm() * radius;
            last = Some((time, pose, points));
            if left <= near {
                break;
            }
        }
        time += (left - 0.5 * near) / speed;
        if time.is_nan() || time >= reach.dt {
            return None;
        }
    }
    last
}

/// Adds the contacts of a part (its number and rank) with an obstacle. Points with one normal share a manifold; the deepest others
/// have their own.
pub(super) fn touch(
    (part, p, rank): (&Part, usize, u32),
    motion: &Motion,
    reach: &Reach,
    obstacle: &Obstacle<'_>,
    manifolds: &mut Manifolds,
) {
    let body = &motion[part.body as usize];
    let mut far = reach.margin.max(reach.of(part, body) + reach.dt * obstacle_speed(obstacle, body, part));
    let (mut pose, mut time) = (body.0, 0.0);
    let mut points = Points::of(&part.shape, &(pose * part.pose), obstacle, 0.0);
    if points.least() >= reach.margin && far > 2.0 * reach.margin {
        let Some(later) = arrival(part, body, reach, obstacle) else { return };
        (time, pose, points) = later;
        far = 2.0 * reach.margin + points.least().max(0.0);
    }
    let ahead = time > 0.0;
    let centre = (pose * part.pose * Point3::from(part.shape.centre())).coords;
    points.hold(centre, obstacle, time, far);
    let fast = ahead || body.2.norm() * reach.dt > FAST_TURN;
    let mut found = [(ContactPoint::default(), Vec3::zeros(), Vec3::zeros()); MOST];
    let mut near = 0;
    for k in 0..points.len {
        let (point, surface) = (points.place[k], points.surface[k]);
        if surface.distance < far && surface.normal.norm_squared() > 0.5 {
            let (place, gap) = (point - surface.normal * (0.5 * surface.distance), surface.distance);
            let roll = part.shape.rolls(&(pose * part.pose), &surface.normal, &point);
            let core = point + surface.normal * roll;
            let local = pose.rotation.inverse() * (core - pose.translation.vector);
            let foot = point - surface.normal * surface.distance;
            let round = [roll, 0.0];
            let feature = points.feature[k];
            let contact =
                ContactPoint { place, gap, feature, local: [local, foot], round, ..Default::default() };
            found[near] = (contact, surface.normal, surface.velocity);
            near += 1;
        }
    }
    let found = &mut found[..near];
    let material = obstacle.shape.material();
    found.sort_by(|a, b| a.0.gap.total_cmp(&b.0.gap).then(a.0.feature.cmp(&b.0.feature)));
    let number = OBSTACLE - obstacle.number as u64;
    let manifold = |normal: Vec3, velocity: Vec3| Manifold {
        key: (p as u64) << 32 | number,
        order: u64::from(rank) << 32 | number,
        bodies: [part.body, u32::MAX],
        normal,
        tangents: tangents(&normal),
        friction: (part.friction * material.static_friction).sqrt(),
        restitution: part.restitution.max(material.restitution),
        drag: velocity,
        meets: ahead || normal.dot(&(velocity - body.1)) * reach.dt > 2.0 * reach.margin,
        ..Manifold::default()
    };
    // What was found at `time` goes back to the start of the step with the obstacle.
    let carry = |m: &mut Manifold| {
        let velocity = m.drag;
        for point in &mut m.points[..m.len as usize] {
            (point.local[1], m.drag) = obstacle.carried(point.local[1], velocity, time, reach.dt);
        }
    };
    let Some(&(_, normal, velocity)) = found.first() else { return };
    let mut flat = [Touch::default(); MOST];
    let mut count = 0;
    let alike = |n: &Vec3| n.dot(&normal) > 1.0 - 1e-9;
    for (point, ..) in found.iter().filter(|f| alike(&f.1)) {
        flat[count] = Touch { place: point.place, gap: point.gap, feature: point.feature };
        count += 1;
    }
    let kept = reduce(normal, &flat[..count]);
    let mut first = manifold(normal, velocity);
    for (point, ..) in
        found.iter().filter(|f| kept.points().iter().any(|t| alike(&f.1) && t.feature == f.0.feature))
    {
        first.points[first.len as usize] = *point;
        first.len += 1;
    }
    if first.meets || fast {
        add_core(&mut first, 0, part, &[pose, Isometry3::identity()], POINTS);
    }
    carry(&mut first);
    manifolds.push(first);
    for &(point, normal, velocity) in found.iter().filter(|f| !alike(&f.1)).take(POINTS) {
        let mut single = manifold(normal, velocity);
        (single.points[0], single.len) = (point, 1);
        carry(&mut single);
        manifolds.push(single);
    }
}

/// Speed of the surface of the obstacle next to a part, m/s.
fn obstacle_speed(obstacle: &Obstacle<'_>, body: &(Isometry3<Real>, Vec3, Vec3), part: &Part) -> Real {
    let centre = (body.0 * part.pose).translation.vector;
    obstacle.sample(centre, 0.0).velocity.norm()
}
