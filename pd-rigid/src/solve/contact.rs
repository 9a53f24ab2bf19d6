//! Contacts by soft sweeps over small steps (Catto 2024, "solver2d": TGS soft).
//!
//! Each substep sweeps twice over all contacts: once with a spring of fixed frequency ω and damping ratio ζ that pushes
//! overlap out, no faster than a given speed, and, after the motion, once without it ("relax"), so that push-out leaves no
//! velocity behind. Friction acts in the second sweep alone: friction that answers to push-out pumps the lean of tall stacks.
//! The spring of a row of effective mass m, with a₁ = 2ζ + hω, a₂ = hω a₁:
//!
//!   λ += −m a₂/(1 + a₂) (v_n + ω/a₁ s) − λ/(1 + a₂),   λ ≥ 0,
//!
//! where s is the separation; s > 0 (speculative) lets the gap close within the substep: λ += −m (v_n + s/h).
//! Friction per point is a disc: |λ_t| ≤ μ λ_n. Restitution comes once at the end, from the speed at the moment of impact.

use super::body::Body;
use crate::RigidParams;
use pd_core::{Real, Vec3};

/// Most points of a manifold.
pub(crate) const POINTS: usize = 4;

/// One point of contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactPoint {
    /// Place on each body, principal frame, m.
    pub(crate) local: [Vec3; 2],
    /// Place in the world when it was found, m.
    pub(crate) place: Vec3,
    /// Levers in the world at the start of the substep.
    pub(crate) arm: [Vec3; 2],
    /// Separation at the start of the frame, m; negative is overlap.
    pub(crate) gap: Real,
    /// Feature that made the point, to find its impulses again.
    pub(crate) feature: u64,
    /// Impulses along the normal and two tangents, over the time of one substep, as force, N.
    pub(crate) force: [Real; 3],
    /// Impulses of the substep, N·s.
    pub(crate) lambda: [Real; 3],
    /// 1/(n·K n).
    pub(crate) mass: Real,
    /// One mass for all tangents, so that sliding friction is against the motion and nothing else.
    pub(crate) tangent_mass: Real,
    /// Speed along the normal at the moment of impact, m/s; negative is approach.
    pub(crate) impact: Real,
    /// Largest normal impulse of the frame, N·s.
    pub(crate) most: Real,
}

/// Points of contact of two parts, with one normal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manifold {
    /// Parts as `a << 32 | b`, or a part and an obstacle.
    pub(crate) key: u64,
    /// Bodies: of the model while contacts are found, of the island while they are solved.
    pub(crate) bodies: [u32; 2],
    /// Unit normal, from the second body to the first.
    pub(crate) normal: Vec3,
    /// Unit tangents.
    pub(crate) tangents: [Vec3; 2],
    /// Velocity of the surface of an obstacle, m/s; zero between bodies, which have their own.
    pub(crate) drag: Vec3,
    /// Coefficient of friction.
    pub(crate) friction: Real,
    /// Coefficient of restitution.
    pub(crate) restitution: Real,
    /// Number of points.
    pub(crate) len: usize,
    /// Points.
    pub(crate) points: [ContactPoint; POINTS],
}

impl Manifold {
    /// The points in use.
    pub(crate) fn points(&self) -> &[ContactPoint] {
        &self.points[..self.len]
    }
}

/// Two unit vectors across a unit normal; a function of the normal alone.
pub(crate) fn tangents(n: &Vec3) -> [Vec3; 2] {
    let t = Vec3::ith(n.iamin(), 1.0).cross(n).normalize();
    [t, n.cross(&t)]
}

/// Two bodies of a slice, the first to change and the second too.
fn pair(bodies: &mut [Body], k: [u32; 2]) -> (&mut Body, &mut Body) {
    let (i, j) = (k[0] as usize, k[1] as usize);
    if i < j {
        let (left, right) = bodies.split_at_mut(j);
        (&mut left[i], &mut right[0])
    } else {
        let (left, right) = bodies.split_at_mut(i);
        (&mut right[0], &mut left[j])
    }
}

/// Levers from both bodies to the point where the impulses of a contact act: half-way between its places on the two, or on
/// the one that moves. Both act in one point, so they make no turning moment.
fn levers(point: &ContactPoint, a: &Body, b: &Body) -> [Vec3; 2] {
    let [on_a, on_b] = [a.p + a.q * point.local[0], b.p + b.q * point.local[1]];
    let place = match (a.is_dynamic(), b.is_dynamic()) {
        (true, true) => (on_a + on_b) * 0.5,
        (true, false) => on_a,
        _ => on_b,
    };
    [place - a.p, place - b.p]
}

/// Levers and effective masses at the present poses, and the impulses of the substep before.
pub(crate) fn warm_start(contacts: &mut [Manifold], bodies: &mut [Body], h: Real) {
    for manifold in contacts {
        let (a, b) = pair(bodies, manifold.bodies);
        (a.held, b.held) = (true, true);
        let (n, [t, u]) = (manifold.normal, manifold.tangents);
        for point in &mut manifold.points[..manifold.len] {
            let arm = levers(point, a, b);
            point.arm = arm;
            let response = |d: &Vec3| {
                let spin_a = (a.inv_inertia * arm[0].cross(d)).cross(&arm[0]);
                let spin_b = (b.inv_inertia * arm[1].cross(d)).cross(&arm[1]);
                d * (a.inv_mass + b.inv_mass) + spin_a + spin_b
            };
            point.mass = 1.0 / n.dot(&response(&n));
            let (rt, ru) = (response(&t), response(&u));
            let (k11, k12, k22) = (t.dot(&rt), u.dot(&rt), u.dot(&ru));
            // The larger eigenvalue of K across the normal.
            point.tangent_mass = 1.0 / (0.5 * (k11 + k22) + (0.5 * (k11 - k22)).hypot(k12));
            point.lambda = point.force.map(|f| f * h);
            let impulse = n * point.lambda[0] + t * point.lambda[1] + u * point.lambda[2];
            a.push(&impulse, &point.arm[0]);
            b.push(&-impulse, &point.arm[1]);
        }
    }
}

/// One sweep over all contacts; with `push_out` the first of a substep, forwards, else the second, backwards: the two ends of a
/// stack are treated alike, and it does not creep to one side.
pub(crate) fn sweep(
    contacts: &mut [Manifold],
    bodies: &mut [Body],
    params: &RigidParams,
    h: Real,
    push_out: bool,
) {
    if push_out {
        contacts.iter_mut().for_each(|m| solve(m, bodies, params, h, true));
    } else {
        contacts.iter_mut().rev().for_each(|m| solve(m, bodies, params, h, false));
    }
}

/// One manifold of a sweep.
fn solve(manifold: &mut Manifold, bodies: &mut [Body], params: &RigidParams, h: Real, push_out: bool) {
    let (a, b) = pair(bodies, manifold.bodies);
    let (n, [t, u]) = (manifold.normal, manifold.tangents);
    let fixed = !(a.is_dynamic() && b.is_dynamic());
    // As stiff as the substep can follow; twice as stiff against what does not yield.
    let frequency = params.contact_frequency.min(0.25 / h) * if fixed { 2.0 } else { 1.0 };
    let omega = std::f64::consts::TAU * frequency;
    let a1 = 2.0 * params.contact_damping + h * omega;
    let a2 = h * omega * a1;
    let [rate, firm, loose] = [omega / a1, a2 / (1.0 + a2), 1.0 / (1.0 + a2)];
    for point in &mut manifold.points[..manifold.len] {
        let offset = a.p + a.q * point.local[0] - b.p - b.q * point.local[1];
        let gap = point.gap + offset.dot(&n);
        if !push_out {
            point.arm = levers(point, a, b); // the bodies have moved
        }
        let speed = n.dot(&(a.velocity_at(&point.arm[0]) - b.velocity_at(&point.arm[1]) - manifold.drag));
        let (bias, scale, leak) = if gap > 0.0 {
            (gap / h, 1.0, 0.0)
        } else if push_out {
            ((rate * gap).max(-params.push_out_speed), firm, loose)
        } else {
            (0.0, 1.0, 0.0)
        };
        let change = -point.mass * scale * (speed + bias) - leak * point.lambda[0];
        let new = (point.lambda[0] + change).max(0.0);
        if push_out && new > 0.0 && point.most == 0.0 {
            // Velocities here are those of the end of the substep; go back to when the gap closed.
            let fall = n.dot(&(a.acceleration - b.acceleration));
            let left = if speed < 0.0 { h - (gap / -speed).clamp(0.0, h) } else { 0.0 };
            point.impact = speed - fall * left;
        }
        let impulse = n * (new - point.lambda[0]);
        point.lambda[0] = new;
        point.most = point.most.max(new);
        a.push(&impulse, &point.arm[0]);
        b.push(&-impulse, &point.arm[1]);
    }
    // After the normals: its bound is the force that really presses.
    if !push_out {
        for point in &mut manifold.points[..manifold.len] {
            let v = a.velocity_at(&point.arm[0]) - b.velocity_at(&point.arm[1]) - manifold.drag;
            let m = point.tangent_mass;
            let mut new = [point.lambda[1] - m * t.dot(&v), point.lambda[2] - m * u.dot(&v)];
            let (size, most) = (new[0].hypot(new[1]), manifold.friction * point.lambda[0]);
            if size > most {
                new = new.map(|x| x * (most / size));
            }
            let impulse = t * (new[0] - point.lambda[1]) + u * (new[1] - point.lambda[2]);
            (point.lambda[1], point.lambda[2]) = (new[0], new[1]);
            a.push(&impulse, &point.arm[0]);
            b.push(&-impulse, &point.arm[1]);
            point.force = point.lambda.map(|x| x / h);
        }
    }
}

/// Gives points that met faster than the threshold their speed of departure.
pub(crate) fn restitution(contacts: &mut [Manifold], bodies: &mut [Body], params: &RigidParams) {
    for manifold in contacts.iter_mut().filter(|m| m.restitution > 0.0) {
        let (a, b) = pair(bodies, manifold.bodies);
        let n = manifold.normal;
        for point in &mut manifold.points[..manifold.len] {
            if point.most == 0.0 || point.impact > -params.bounce_speed {
                continue;
            }
            let arm = levers(point, a, b);
            let speed = n.dot(&(a.velocity_at(&arm[0]) - b.velocity_at(&arm[1]) - manifold.drag));
            let wanted = -manifold.restitution * point.impact;
            let new = (point.lambda[0] + point.mass * (wanted - speed)).max(0.0);
            let impulse = n * (new - point.lambda[0]);
            // The impulse of a bounce is no guess at the next substep's.
            point.lambda[0] = new;
            a.push(&impulse, &arm[0]);
            b.push(&-impulse, &arm[1]);
        }
    }
}
