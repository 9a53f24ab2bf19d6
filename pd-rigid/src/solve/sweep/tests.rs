//! Groups against the same sweeps one contact after the other, in plain vectors.

use super::*;
use crate::solve::body::tests::dynamic;
use crate::solve::contact::{ContactPoint, Manifold, tangents};
use crate::solve::lanes::Level;
use nalgebra::UnitQuaternion;
use pd_core::Vec3;
use proptest::prelude::*;

const H: Real = 1.0 / 240.0;
const SUBSTEPS: usize = 3;

/// Numbers in −1..1, the same for a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    fn vector(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next()) * size
    }

    fn below(&mut self, n: usize) -> usize {
        ((0.5 * self.next() + 0.5) * n as Real) as usize % n
    }
}

/// Bodies and contacts with speeds of about `speed`, m/s; of bodies of a size that may follow to first order.
fn scene(seed: u64, speed: Real, size: Real) -> (Vec<Body>, Vec<Manifold>) {
    let mut r = Numbers(seed);
    let mut bodies: Vec<Body> =
        (0..9).map(|_| dynamic(1.0 + 0.9 * r.next(), Vec3::new(1.0, 1.2, 1.5) + r.vector(0.2))).collect();
    bodies.push(Body::fixed(Vec3::zeros(), UnitQuaternion::identity()));
    for body in &mut bodies {
        (body.p, body.q) = (r.vector(1.0), UnitQuaternion::from_scaled_axis(r.vector(2.0)));
        body.turn_inertia();
        if body.is_dynamic() {
            (body.v, body.w) = (r.vector(speed), r.vector(8.0 * speed));
            body.size = size;
            body.acceleration = Vec3::new(0.0, -9.8, 0.0);
        }
    }
    let mut contacts = vec![];
    for _ in 0..4 + r.below(20) {
        let a = r.below(9);
        let b = (a + 1 + r.below(9)) % 10;
        let normal = (r.vector(1.0) + Vec3::y() * 0.1).normalize();
        let mut m = Manifold {
            bodies: [a as u32, b as u32],
            normal,
            tangents: tangents(&normal),
            drag: if b == 9 { r.vector(0.1 * speed) } else { Vec3::zeros() },
            friction: 0.5 + 0.5 * r.next(),
            restitution: if r.next() > 0.0 { 0.4 } else { 0.0 },
            meets: r.next() > 0.7,
            fresh: r.next() > 0.7,
            len: 1 + r.below(4) as u32,
            ..Manifold::default()
        };
        for k in 0..m.len as usize {
            let at = (bodies[a].p + bodies[b].p) * 0.5 + r.vector(0.3);
            // What hardly moves overlaps: where a gap just closes, rounding says which spring acts.
            let gap = if size > 0.0 { speed * (r.next() - 2.0) } else { 0.01 * speed * r.next() };
            let on = [at + normal * (0.5 * gap), at - normal * (0.5 * gap)];
            let local = [0, 1].map(|s: usize| {
                let body = &bodies[m.bodies[s] as usize];
                body.q.inverse() * (on[s] - body.p)
            });
            let force = [r.next() * 20.0 + 20.0, r.next() * 5.0, r.next() * 5.0].map(|f| f * speed);
            m.points[k] = ContactPoint { local, force, ..ContactPoint::default() };
        }
        contacts.push(m);
    }
    (bodies, contacts)
}

/// Impulses, impact and largest impulse of a point.
#[derive(Clone, Copy, Default)]
struct Plain {
    lambda: [Real; 3],
    tangent_mass: Real,
    fast: bool,
    impact: Real,
    most: Real,
}

/// Places of a point on both bodies and the levers to where its impulses act.
fn levers(m: &Manifold, k: usize, bodies: &[Body]) -> (Real, [Vec3; 2]) {
    let [a, b] = m.bodies.map(|b| &bodies[b as usize]);
    let [on_a, on_b] = m.places(&m.points[k], a, b);
    let at = if b.is_dynamic() { (on_a + on_b) * 0.5 } else { on_a };
    ((on_a - on_b).dot(&m.normal), [at - a.p, at - b.p])
}

fn push(m: &Manifold, bodies: &mut [Body], impulse: Vec3, arm: &[Vec3; 2]) {
    bodies[m.bodies[0] as usize].push(&impulse, &arm[0]);
    bodies[m.bodies[1] as usize].push(&-impulse, &arm[1]);
}

fn velocity(m: &Manifold, bodies: &[Body], arm: &[Vec3; 2]) -> Vec3 {
    let [a, b] = m.bodies.map(|b| &bodies[b as usize]);
    a.velocity_at(&arm[0]) - b.velocity_at(&arm[1]) - m.drag
}

/// K d of a point: the velocity that an impulse d gives it.
fn response(m: &Manifold, bodies: &[Body], arm: &[Vec3; 2], d: &Vec3) -> Vec3 {
    let [a, b] = m.bodies.map(|b| &bodies[b as usize]);
    let spin = |body: &Body, arm: &Vec3| (body.inv_inertia * arm.cross(d)).cross(arm);
    d * (a.inv_mass + b.inv_mass) + spin(a, &arm[0]) + spin(b, &arm[1])
}

fn set_tangent_masses(m: &Manifold, points: &mut [Plain; 4], bodies: &[Body]) {
    for k in 0..m.len as usize {
        let (_, arm) = levers(m, k, bodies);
        let [t, u] = m.tangents;
        let (rt, ru) = (response(m, bodies, &arm, &t), response(m, bodies, &arm, &u));
        let (k11, k12, k22) = (t.dot(&rt), u.dot(&rt), u.dot(&ru));
        points[k].tangent_mass = 1.0 / (0.5 * (k11 + k22) + (0.5 * (k11 - k22)).hypot(k12));
    }
}

fn plain_warm_start(m: &Manifold, points: &[Plain; 4], bodies: &mut [Body]) {
    for k in 0..m.len as usize {
        let (_, arm) = levers(m, k, bodies);
        let (n, [t, u], lambda) = (m.normal, m.tangents, points[k].lambda);
        push(m, bodies, n * lambda[0] + t * lambda[1] + u * lambda[2], &arm);
    }
}

fn plain_sweep(
    m: &Manifold,
    points: &mut [Plain; 4],
    bodies: &mut [Body],
    params: &RigidParams,
    push_out: bool,
) {
    let spin = m.bodies.map(|b| bodies[b as usize].w.norm());
    if !push_out && (points[0].fast || spin[0].max(spin[1]) > FAST_TURN / H) {
        points[0].fast = true;
        set_tangent_masses(m, points, bodies);
    }
    let both = m.bodies.iter().all(|&b| bodies[b as usize].is_dynamic());
    let omega = std::f64::consts::TAU * params.contact_frequency.min(0.25 / H) * if both { 1.0 } else { 2.0 };
    let a1 = 2.0 * params.contact_damping + H * omega;
    let a2 = H * omega * a1;
    let [a, b] = m.bodies.map(|b| bodies[b as usize].acceleration);
    for round in 0..if m.fresh && !push_out { FRESH_ROUNDS } else { 1 } {
        for k in (0..if m.meets && round == 0 { MEETING_ROUNDS } else { 1 }).flat_map(|_| 0..m.len as usize) {
            let (gap, arm) = levers(m, k, bodies);
            if !push_out && m.restitution > 0.0 && gap > 0.0 && points[k].lambda[0] <= 0.0 {
                continue;
            }
            let speed = m.normal.dot(&velocity(m, bodies, &arm));
            let mass = 1.0 / m.normal.dot(&response(m, bodies, &arm, &m.normal));
            let point = &mut points[k];
            let (bias, scale, leak) = match (gap > 0.0, push_out) {
                (true, _) => (gap / H, 1.0, 0.0),
                (false, true) => {
                    ((omega / a1 * gap).max(-params.push_out_speed), a2 / (1.0 + a2), 1.0 / (1.0 + a2))
                }
                (false, false) => (0.0, 1.0, 0.0),
            };
            let old = point.lambda[0];
            let new = (old - mass * scale * (speed + bias) - leak * old).max(0.0);
            if new > 0.0 && point.most == 0.0 {
                let until = if speed < 0.0 { (gap / -speed).clamp(0.0, H) } else { H };
                point.impact = speed + m.normal.dot(&(a - b)) * if push_out { until - H } else { until };
            }
            point.lambda[0] = new;
            point.most = point.most.max(new);
            push(m, bodies, m.normal * (new - old), &arm);
        }
        for k in 0..if push_out { 0 } else { m.len as usize } {
            let (_, arm) = levers(m, k, bodies);
            let (v, point) = (velocity(m, bodies, &arm), &mut points[k]);
            let old = point.lambda;
            let mut new = [0, 1].map(|s: usize| old[s + 1] - point.tangent_mass * m.tangents[s].dot(&v));
            let (size, most) = (new[0].hypot(new[1]), m.friction * old[0]);
            if size > most {
                new = new.map(|x| x * (most / size));
            }
            (point.lambda[1], point.lambda[2]) = (new[0], new[1]);
            let impulse = m.tangents[0] * (new[0] - old[1]) + m.tangents[1] * (new[1] - old[2]);
            push(m, bodies, impulse, &arm);
        }
    }
}

fn plain(bodies: &mut [Body], contacts: &mut [Manifold], params: &RigidParams) {
    let mut points: Vec<[Plain; 4]> = contacts
        .iter()
        .map(|m| m.points.map(|p| Plain { lambda: p.force.map(|f| f * H), ..Plain::default() }))
        .collect();
    contacts.iter().zip(&mut points).for_each(|(m, p)| set_tangent_masses(m, p, bodies));
    for _ in 0..SUBSTEPS {
        contacts.iter().flat_map(|m| m.bodies).for_each(|b| bodies[b as usize].held = true);
        contacts.iter().zip(&points).for_each(|(m, p)| plain_warm_start(m, p, bodies));
        contacts.iter().zip(&mut points).for_each(|(m, p)| plain_sweep(m, p, bodies, params, true));
        bodies.iter_mut().for_each(|body| body.drift(H));
        contacts.iter().zip(&mut points).rev().for_each(|(m, p)| plain_sweep(m, p, bodies, params, false));
    }
    for (m, points) in contacts.iter_mut().zip(&points) {
        for k in 0..m.len as usize {
            m.points[k].force = points[k].lambda.map(|x| x / H);
            let (point, (_, arm)) = (&points[k], levers(m, k, bodies));
            if m.restitution > 0.0 && point.most > 0.0 && point.impact <= -params.bounce_speed {
                let speed = m.normal.dot(&velocity(m, bodies, &arm));
                let mass = 1.0 / m.normal.dot(&response(m, bodies, &arm, &m.normal));
                let change = mass * (-m.restitution * point.impact - speed);
                push(m, bodies, m.normal * change.max(-point.lambda[0]), &arm);
            }
        }
    }
}

fn grouped(bodies: &mut [Body], contacts: &mut [Manifold], params: &RigidParams, level: Level) {
    let mut groups = Groups::default();
    groups.level = level;
    bodies.iter_mut().for_each(|body| body.open(0.0));
    groups.open(contacts, bodies, params, H);
    for _ in 0..SUBSTEPS {
        for body in bodies.iter_mut() {
            body.held = body.touches > 0.0;
            body.repeat_impulses([body.v, body.w]);
        }
        groups.warm_start(bodies);
        bodies.iter_mut().for_each(|body| body.again = 0.0);
        groups.push_out(bodies, params, H);
        bodies.iter_mut().for_each(|body| body.drift(H));
        groups.relax(bodies, params, H);
    }
    groups.restitution(bodies, params);
    groups.close(contacts, H);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn groups_do_what_one_contact_after_the_other_does(seed in any::<u64>()) {
        let params = RigidParams::default();
        let (mut a, mut contacts_a) = scene(seed, 1.0, 0.0);
        let (mut b, mut contacts_b) = (a.clone(), contacts_a.clone());
        let (mut c, mut contacts_c) = (a.clone(), contacts_a.clone());
        plain(&mut c, &mut contacts_c, &params);
        grouped(&mut b, &mut contacts_b, &params, Level::Portable);
        for level in Level::all() {
            let (mut again, mut contacts) = (a.clone(), contacts_a.clone());
            grouped(&mut again, &mut contacts, &params, level);
            for (a, b) in again.iter().zip(&b) {
                prop_assert_eq!((a.v, a.w), (b.v, b.w), "{:?}", level);
            }
        }
        grouped(&mut a, &mut contacts_a, &params, Level::best());
        for k in 0..a.len() {
            let off = (a[k].v - c[k].v).norm() + (a[k].w - c[k].w).norm();
            prop_assert!(off < 1e-9 * (1.0 + c[k].v.norm() + c[k].w.norm()), "body {k}: {off:e}");
        }
        for (a, (b, c)) in contacts_a.iter().zip(contacts_b.iter().zip(&contacts_c)) {
            for k in 0..a.len as usize {
                prop_assert_eq!(a.points[k].force, b.points[k].force);
                for s in 0..3 {
                    let (x, y) = (a.points[k].force[s], c.points[k].force[s]);
                    prop_assert!((x - y).abs() < 1e-7 * (1.0 + y.abs()), "{x} {y}");
                }
            }
        }
    }

    /// Bodies that hardly move keep their levers: the error is that of a lever, a thousandth of a body, at most.
    #[test]
    fn slow_bodies_follow_to_first_order(seed in any::<u64>()) {
        let params = RigidParams::default();
        let (mut a, mut contacts_a) = scene(seed, 1e-5, 1.0);
        let (mut c, mut contacts_c) = (a.clone(), contacts_a.clone());
        plain(&mut c, &mut contacts_c, &params);
        grouped(&mut a, &mut contacts_a, &params, Level::best());
        prop_assert!(a.iter().all(|body| body.fast == 0.0));
        let fastest = c.iter().map(|c| c.v.norm() + c.w.norm()).fold(0.0, Real::max);
        for (k, (a, c)) in a.iter().zip(&c).enumerate() {
            let off = (a.v - c.v).norm() + (a.w - c.w).norm();
            prop_assert!(off < 1e-3 * fastest, "body {k}: {off:e} of {fastest:e} m/s");
        }
    }
}
