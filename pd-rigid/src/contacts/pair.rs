//! Contact of two parts that are near each other or meet within the step.

use super::{Motion, Reach};
use crate::narrow::{Moving, meeting, touches};
use crate::solve::contact::{ContactPoint, Manifold, POINTS, tangents};
use crate::{Part, RigidModel, Shape};
use nalgebra::Isometry3;
use pd_core::{Aabb, Real, Vec3};

/// Turn of a body in a step beyond which its points of contact do not stand for it, rad.
pub(super) const FAST_TURN: Real = 0.3;

/// The box of a part, grown by what its body may move in a step and half of the margin.
pub(super) fn swept(model: &RigidModel, part: &Part, motion: &Motion, reach: &Reach) -> Aabb {
    let (pose, v, w) = &motion[part.body as usize];
    let mut bounds = part.shape.bounds(&(pose * part.pose));
    let fall = if model.is_dynamic(part.body as usize) { reach.gravity * reach.dt } else { Vec3::zeros() };
    let far = part.shape.reach() + part.pose.translation.vector.norm();
    let turn = if far.is_finite() { w.norm() * far } else { 0.0 };
    for axis in 0..3 {
        let grow = (v[axis].abs() + fall[axis].abs() + turn) * reach.dt + 0.5 * reach.margin;
        bounds.min[axis] -= grow;
        bounds.max[axis] += grow;
    }
    bounds
}

/// Manifold of a pair of parts. Where they are not near yet but may meet within the step, it is the one at the moment they
/// do: what is nearest now need not be what touches then.
pub(super) fn touch(model: &RigidModel, motion: &Motion, reach: &Reach, pair: [u32; 2], m: &mut Manifold) {
    let parts = pair.map(|k| &model.parts()[k as usize]);
    let bodies = parts.map(|part| &motion[part.body as usize]);
    let far = reach.margin.max(reach.of(parts[0], bodies[0]) + reach.of(parts[1], bodies[1]));
    let mut poses = bodies.map(|body| body.0);
    let at = |poses: &[Isometry3<Real>; 2], far: Real| {
        let [a, b] = [0, 1].map(|k: usize| poses[k] * parts[k].pose);
        touches((&parts[0].shape, &a), (&parts[1].shape, &b), far)
    };
    let mut found = at(&poses, far);
    let unbounded = parts.iter().any(|part| part.shape == Shape::HalfSpace);
    let near = found.points().iter().any(|p| p.gap < reach.margin);
    let ahead = far > 2.0 * reach.margin && !near && !unbounded;
    if ahead {
        let moving = [0, 1].map(|k: usize| {
            let dynamic = model.is_dynamic(parts[k].body as usize);
            let fall = if dynamic { reach.gravity * (0.5 * reach.dt) } else { Vec3::zeros() };
            let (body, part) = (&bodies[k].0, &parts[k].pose);
            Moving { shape: &parts[k].shape, body, part, v: bodies[k].1 + fall, w: bodies[k].2 }
        });
        let Some((time, distance)) = meeting(&moving[0], &moving[1], reach.dt, 0.25 * reach.margin) else {
            return;
        };
        poses = moving.map(|m| m.body_at(time));
        found = at(&poses, reach.margin + 2.0 * distance);
    }
    if found.len == 0 {
        return;
    }
    // What is near already and comes on fast meets at speed as well.
    let closing = found.normal.dot(&(bodies[1].1 - bodies[0].1)) * reach.dt;
    let meets = ahead || (closing > 2.0 * reach.margin && !unbounded);
    let [first, second] = pair.map(|part| u64::from(model.rank[part as usize]));
    *m = Manifold {
        key: u64::from(pair[0]) << 32 | u64::from(pair[1]),
        order: first << 32 | second,
        bodies: parts.map(|part| part.body),
        normal: found.normal,
        tangents: tangents(&found.normal),
        friction: (parts[0].friction * parts[1].friction).sqrt(),
        restitution: parts[0].restitution.max(parts[1].restitution),
        meets,
        len: found.len,
        ..Manifold::default()
    };
    let round = parts.map(|part| part.shape.radius());
    let turns = poses.map(|pose| pose.rotation.to_rotation_matrix().into_inner());
    for (point, touch) in m.points.iter_mut().zip(found.points()) {
        // Half of the gap from the place to each surface, and on to the core.
        let on = [0.5 * touch.gap + round[0], -0.5 * touch.gap - round[1]];
        *point = ContactPoint { place: touch.place, gap: touch.gap, feature: touch.feature, round, ..*point };
        point.local = [0, 1].map(|k: usize| {
            let from_centre = touch.place + m.normal * on[k] - poses[k].translation.vector;
            turns[k].tr_mul(&from_centre)
        });
    }
    let mut last = POINTS;
    for k in 0..2 {
        // A part that meets another at speed may turn fast afterwards.
        let turns = meets || bodies[k].2.norm() * reach.dt > FAST_TURN;
        if turns && model.is_dynamic(parts[k].body as usize) && add_core(m, k, parts[k], &poses, last) {
            last -= 1;
        }
    }
}

/// A point of the world in the frame of a body.
fn local(pose: &Isometry3<Real>, p: &Vec3) -> Vec3 {
    pose.rotation.inverse() * (p - pose.translation.vector)
}

/// Adds the ball inside a part that turns far within the step: the points that touch now are elsewhere soon, and this one
/// stays. It takes the place of one of the first `most` points if there is none free. Returns whether there is such a ball.
pub(super) fn add_core(
    m: &mut Manifold,
    k: usize,
    part: &Part,
    poses: &[Isometry3<Real>; 2],
    most: usize,
) -> bool {
    let Some((centre, radius)) = part.shape.inner_ball() else { return false };
    let points = &m.points[..m.len.min(most)];
    let Some(deepest) = points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).copied() else { return false };
    let core = (poses[k] * part.pose * nalgebra::Point3::from(centre)).coords;
    let sign = if k == 0 { 1.0 } else { -1.0 };
    // On the plane between the two.
    let height = m.normal.dot(&(core - deepest.place)) * sign;
    let foot = core - m.normal * (height * sign);
    let at = if m.len < POINTS { m.len } else { most - 1 };
    let (gap, other) = (height - radius, 1 - k);
    let mut point = ContactPoint { place: foot, gap, feature: 1 << 41 | k as u64, ..ContactPoint::default() };
    point.round[k] = radius;
    point.local[k] = local(&poses[k], &core);
    point.local[other] = local(&poses[other], &foot);
    m.points[at] = point;
    m.len = m.len.max(at + 1);
    true
}
