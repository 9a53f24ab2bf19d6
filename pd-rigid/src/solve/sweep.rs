//! Sweeps over groups of contacts; formulas in [`contact`](super::contact).

use super::body::Body;
use super::group::{Group, Groups, Point};
use super::lanes::{
    Four, Instructions, Kernel, LANES, Lanes, cross, difference, dot, scaled, sum, symmetric,
};
use crate::RigidParams;
use pd_core::{Real, Vec3};

/// Rounds over the points of parts that meet at speed.
const MEETING_ROUNDS: usize = 8;

/// Turn of a body in a substep beyond which masses across the normal do not last for the frame, rad.
const FAST_TURN: Real = 0.005;

impl Groups {
    /// Levers, separations and masses along the normals at the present poses.
    pub(crate) fn place(&mut self, bodies: &[Body]) {
        self.level.run(Place { groups: &mut self.groups, bodies });
    }

    /// Masses across the normals, and the impulses of the substep before.
    pub(crate) fn warm_start(&mut self, bodies: &mut [Body], h: Real) {
        let fast = (FAST_TURN / h).powi(2);
        self.level.run(WarmStart { groups: &mut self.groups, bodies, fast });
    }

    /// The first sweep of a substep, forwards: overlap is pushed out.
    pub(crate) fn push_out(&mut self, bodies: &mut [Body], params: &RigidParams, h: Real) {
        self.level.run(Sweep::<true> { groups: &mut self.groups, bodies, fastest: params.push_out_speed, h });
    }

    /// The second sweep, after the motion, backwards (the two ends of a stack are treated alike, and it does not creep to one
    /// side): without push-out, with friction.
    pub(crate) fn relax(&mut self, bodies: &mut [Body], params: &RigidParams, h: Real) {
        self.level.run(Sweep::<false> {
            groups: &mut self.groups,
            bodies,
            fastest: params.push_out_speed,
            h,
        });
    }

    /// Gives points that met faster than the threshold their speed of departure, at the end of a step. The impulse of a bounce
    /// is no guess at the next step's and is not kept.
    pub(crate) fn restitution(&self, bodies: &mut [Body], params: &RigidParams) {
        for group in self.groups.iter().filter(|group| group.some_bounce) {
            for lane in (0..group.count).filter(|&lane| group.restitution.0[lane] > 0.0) {
                let three = |v: &[Four; 3]| Vec3::new(v[0].0[lane], v[1].0[lane], v[2].0[lane]);
                let (n, drag) = (three(&group.normal), three(&group.drag));
                let ends = [group.bodies[0][lane] as usize, group.bodies[1][lane] as usize];
                for point in &group.point[..group.points] {
                    let (most, impact) = (point.most.0[lane], point.impact.0[lane]);
                    if most == 0.0 || impact > -params.bounce_speed {
                        continue;
                    }
                    let arm = [three(&point.arm[0]), three(&point.arm[1])];
                    let [va, vb] = [0, 1].map(|k: usize| bodies[ends[k]].velocity_at(&arm[k]));
                    let wanted = -group.restitution.0[lane] * impact;
                    let change = point.mass.0[lane] * (wanted - n.dot(&(va - vb - drag)));
                    let impulse = n * change.max(-point.lambda[0].0[lane]);
                    bodies[ends[0]].push(&impulse, &arm[0]);
                    bodies[ends[1]].push(&-impulse, &arm[1]);
                }
            }
        }
    }
}

/// The bodies of one side of a group.
#[derive(Clone, Copy)]
struct Side<L> {
    v: [L; 3],
    w: [L; 3],
    inv_mass: L,
}

/// One number of each of four bodies.
macro_rules! gather {
    ($instructions:expr, $bodies:expr, $($field:tt)+) => {
        $instructions.gather([
            $bodies[0].$($field)+, $bodies[1].$($field)+, $bodies[2].$($field)+, $bodies[3].$($field)+,
        ])
    };
}

#[inline(always)]
fn four<'a>(bodies: &'a [Body], of: &[u32; LANES]) -> [&'a Body; LANES] {
    [&bodies[of[0] as usize], &bodies[of[1] as usize], &bodies[of[2] as usize], &bodies[of[3] as usize]]
}

#[inline(always)]
fn inverse_inertia<I: Instructions>(i: I, bodies: &[Body], of: &[u32; LANES]) -> [I::Lanes; 6] {
    let b = four(bodies, of);
    [
        gather!(i, b, inv_inertia.m11),
        gather!(i, b, inv_inertia.m22),
        gather!(i, b, inv_inertia.m33),
        gather!(i, b, inv_inertia.m12),
        gather!(i, b, inv_inertia.m13),
        gather!(i, b, inv_inertia.m23),
    ]
}

#[inline(always)]
fn side<I: Instructions>(i: I, bodies: &[Body], of: &[u32; LANES]) -> Side<I::Lanes> {
    let b = four(bodies, of);
    Side {
        v: [gather!(i, b, v.x), gather!(i, b, v.y), gather!(i, b, v.z)],
        w: [gather!(i, b, w.x), gather!(i, b, w.y), gather!(i, b, w.z)],
        inv_mass: gather!(i, b, inv_mass),
    }
}

impl<L: Lanes> Side<L> {
    /// Velocity at a lever.
    #[inline(always)]
    fn at(&self, arm: [L; 3]) -> [L; 3] {
        sum(self.v, cross(self.w, arm))
    }

    /// Adds an impulse at a lever, for the inverse inertia.
    #[inline(always)]
    fn push(&mut self, impulse: [L; 3], arm: [L; 3], inertia: &[L; 6]) {
        self.v = sum(self.v, scaled(impulse, self.inv_mass));
        self.w = sum(self.w, symmetric(inertia, cross(arm, impulse)));
    }

    /// Takes an impulse at a lever away.
    #[inline(always)]
    fn pull(&mut self, impulse: [L; 3], arm: [L; 3], inertia: &[L; 6]) {
        self.v = difference(self.v, scaled(impulse, self.inv_mass));
        self.w = difference(self.w, symmetric(inertia, cross(arm, impulse)));
    }

    /// Writes the velocities back. Bodies that do not move keep theirs: their inverse masses are zero.
    #[inline(always)]
    fn write(self, bodies: &mut [Body], of: &[u32; LANES], count: usize) {
        let [vx, vy, vz] = [self.v[0].numbers(), self.v[1].numbers(), self.v[2].numbers()];
        let [wx, wy, wz] = [self.w[0].numbers(), self.w[1].numbers(), self.w[2].numbers()];
        for lane in 0..count {
            let body = &mut bodies[of[lane] as usize];
            body.v = Vec3::new(vx[lane], vy[lane], vz[lane]);
            body.w = Vec3::new(wx[lane], wy[lane], wz[lane]);
        }
    }
}

struct Place<'a> {
    groups: &'a mut [Group],
    bodies: &'a [Body],
}

impl Kernel for Place<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        for group in self.groups {
            place(i, group, self.bodies);
        }
    }
}

/// Where four bodies are.
struct Pose<L> {
    p: [L; 3],
    turn: [[L; 3]; 3],
    inv_mass: L,
}

#[inline(always)]
fn pose<I: Instructions>(i: I, bodies: &[Body], of: &[u32; LANES]) -> Pose<I::Lanes> {
    let b = four(bodies, of);
    Pose {
        p: [gather!(i, b, p.x), gather!(i, b, p.y), gather!(i, b, p.z)],
        turn: [
            [gather!(i, b, turn.m11), gather!(i, b, turn.m12), gather!(i, b, turn.m13)],
            [gather!(i, b, turn.m21), gather!(i, b, turn.m22), gather!(i, b, turn.m23)],
            [gather!(i, b, turn.m31), gather!(i, b, turn.m32), gather!(i, b, turn.m33)],
        ],
        inv_mass: gather!(i, b, inv_mass),
    }
}

impl<L: Lanes> Pose<L> {
    #[inline(always)]
    fn world(&self, local: [L; 3]) -> [L; 3] {
        let turned = [dot(self.turn[0], local), dot(self.turn[1], local), dot(self.turn[2], local)];
        sum(self.p, turned)
    }
}

#[inline(always)]
fn place<I: Instructions>(i: I, group: &mut Group, bodies: &[Body]) {
    let [a, b] = [pose(i, bodies, &group.bodies[0]), pose(i, bodies, &group.bodies[1])];
    let n = i.load3(&group.normal);
    let [share_a, share_b] = [i.load(&group.share[0]), i.load(&group.share[1])];
    let ia = inverse_inertia(i, bodies, &group.bodies[0]);
    let ib = inverse_inertia(i, bodies, &group.bodies[1]);
    for point in &mut group.point[..group.points] {
        let on_a = difference(a.world(i.load3(&point.local[0])), scaled(n, i.load(&point.round[0])));
        let on_b = sum(b.world(i.load3(&point.local[1])), scaled(n, i.load(&point.round[1])));
        dot(difference(on_a, on_b), n).store(&mut point.gap);
        let at = sum(scaled(on_a, share_a), scaled(on_b, share_b));
        let arm = [difference(at, a.p), difference(at, b.p)];
        let along = [cross(arm[0], n), cross(arm[1], n)];
        let turned = [symmetric(&ia, along[0]), symmetric(&ib, along[1])];
        for side in 0..2 {
            for k in 0..3 {
                arm[side][k].store(&mut point.arm[side][k]);
                along[side][k].store(&mut point.along[side][k]);
                turned[side][k].store(&mut point.turned[side][k]);
            }
        }
        let k = a.inv_mass + b.inv_mass + dot(along[0], turned[0]) + dot(along[1], turned[1]);
        i.load(&point.present).over(k).store(&mut point.mass);
    }
}

/// The mass of a point across the normal, in the lanes where it is stale.
#[inline(always)]
fn set_tangent_mass<I: Instructions>(
    i: I,
    point: &mut Point,
    [t, u]: [[I::Lanes; 3]; 2],
    stale: I::Lanes,
    [ia, ib]: [&[I::Lanes; 6]; 2],
    inv_mass: I::Lanes,
) {
    let arm = [i.load3(&point.arm[0]), i.load3(&point.arm[1])];
    let (ta, tb, ua, ub) = (cross(arm[0], t), cross(arm[1], t), cross(arm[0], u), cross(arm[1], u));
    let (turned_a, turned_b) = (symmetric(ia, ta), symmetric(ib, tb));
    let k11 = inv_mass + dot(ta, turned_a) + dot(tb, turned_b);
    let k12 = dot(ua, turned_a) + dot(ub, turned_b);
    let k22 = inv_mass + dot(ua, symmetric(ia, ua)) + dot(ub, symmetric(ib, ub));
    // The larger eigenvalue of K across the normal.
    let (half, off) = (i.fill(0.5) * (k11 + k22), i.fill(0.5) * (k11 - k22));
    let mass = i.load(&point.present).over(half + (off * off + k12 * k12).sqrt());
    stale.if_above(i.fill(0.0), mass, i.load(&point.tangent_mass)).store(&mut point.tangent_mass);
}

struct WarmStart<'a> {
    groups: &'a mut [Group],
    bodies: &'a mut [Body],
    /// Square of the angular velocity from which a body turns fast, 1/s².
    fast: Real,
}

impl Kernel for WarmStart<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        for group in self.groups {
            let mut a = side(i, self.bodies, &group.bodies[0]);
            let mut b = side(i, self.bodies, &group.bodies[1]);
            let ia = inverse_inertia(i, self.bodies, &group.bodies[0]);
            let ib = inverse_inertia(i, self.bodies, &group.bodies[1]);
            let (n, t, u) =
                (i.load3(&group.normal), i.load3(&group.tangents[0]), i.load3(&group.tangents[1]));
            // Which masses across the normal are to be set: at first all of them, later those of bodies that turn fast.
            let spin = dot(a.w, a.w).max(dot(b.w, b.w));
            let fast = spin.if_above(i.fill(self.fast), i.fill(1.0), i.load(&group.fast));
            let stale = fast.max(i.load(&group.fresh));
            fast.store(&mut group.fast);
            group.fresh = Four::default();
            let some_stale = stale.numbers() != [0.0; LANES];
            for point in &mut group.point[..group.points] {
                if some_stale {
                    set_tangent_mass(i, point, [t, u], stale, [&ia, &ib], a.inv_mass + b.inv_mass);
                }
                let lambda = i.load3(&point.lambda);
                let across = sum(scaled(t, lambda[1]), scaled(u, lambda[2]));
                let impulse = sum(scaled(n, lambda[0]), across);
                a.push(impulse, i.load3(&point.arm[0]), &ia);
                b.pull(impulse, i.load3(&point.arm[1]), &ib);
            }
            a.write(self.bodies, &group.bodies[0], group.count);
            b.write(self.bodies, &group.bodies[1], group.count);
            for lane in 0..group.count {
                self.bodies[group.bodies[0][lane] as usize].held = true;
                self.bodies[group.bodies[1][lane] as usize].held = true;
            }
        }
    }
}

struct Sweep<'a, const PUSH_OUT: bool> {
    groups: &'a mut [Group],
    bodies: &'a mut [Body],
    fastest: Real,
    h: Real,
}

impl<const PUSH_OUT: bool> Kernel for Sweep<'_, PUSH_OUT> {
    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        if PUSH_OUT {
            for group in self.groups {
                solve::<I, true>(i, group, self.bodies, self.fastest, self.h);
            }
        } else {
            for group in self.groups.iter_mut().rev() {
                solve::<I, false>(i, group, self.bodies, self.fastest, self.h);
            }
        }
    }
}

/// One group of a sweep.
#[inline(always)]
fn solve<I: Instructions, const PUSH_OUT: bool>(
    i: I,
    group: &mut Group,
    bodies: &mut [Body],
    fastest: Real,
    h: Real,
) {
    let mut a = side(i, bodies, &group.bodies[0]);
    let mut b = side(i, bodies, &group.bodies[1]);
    let (n, drag) = (i.load3(&group.normal), i.load3(&group.drag));
    let drag_along = dot(n, drag);
    let [rate, firm, loose] = [i.load(&group.spring[0]), i.load(&group.spring[1]), i.load(&group.spring[2])];
    let (zero, one, per_h) = (i.fill(0.0), i.fill(1.0), i.fill(1.0 / h));
    let rounds = if group.some_meets { MEETING_ROUNDS } else { 1 };
    for round in 0..rounds {
        // Only what meets at speed has more than one round.
        let active = if round == 0 { one } else { i.load(&group.meets) };
        for point in &mut group.point[..group.points] {
            let along = [i.load3(&point.along[0]), i.load3(&point.along[1])];
            let spin = dot(along[0], a.w) - dot(along[1], b.w) - drag_along;
            let speed = dot(n, difference(a.v, b.v)) + spin;
            let (gap, old) = (i.load(&point.gap), i.load(&point.lambda[0]));
            let mut mass = i.load(&point.mass) * active;
            if !PUSH_OUT && group.some_bounce {
                // What is still in the air after the motion is left to the next substep: at the end of a frame it would bounce
                // where it is, above the ground.
                let presses = gap.if_above(zero, old.if_above(zero, one, zero), one);
                mass = mass * i.load(&group.restitution).if_above(zero, presses, one);
            }
            let new = if PUSH_OUT {
                let bias = gap.if_above(zero, gap * per_h, (rate * gap).max(i.fill(-fastest)));
                let scale = gap.if_above(zero, one, firm);
                let leak = gap.if_above(zero, zero, loose) * active;
                old - mass * scale * (speed + bias) - leak * old
            } else {
                old - mass * (speed + gap.max(zero) * per_h)
            };
            let new = new.max(zero);
            if group.some_bounce {
                note_impact(i, point, [gap, speed, new], i.load(&group.fall), h, PUSH_OUT);
            }
            new.store(&mut point.lambda[0]);
            let change = new - old;
            a.v = sum(a.v, scaled(n, change * a.inv_mass));
            b.v = difference(b.v, scaled(n, change * b.inv_mass));
            a.w = sum(a.w, scaled(i.load3(&point.turned[0]), change));
            b.w = difference(b.w, scaled(i.load3(&point.turned[1]), change));
        }
    }
    // After the normals: its bound is the force that really presses.
    if !PUSH_OUT {
        let (t, u) = (i.load3(&group.tangents[0]), i.load3(&group.tangents[1]));
        let friction = i.load(&group.friction);
        let ia = inverse_inertia(i, bodies, &group.bodies[0]);
        let ib = inverse_inertia(i, bodies, &group.bodies[1]);
        for point in &mut group.point[..group.points] {
            let arm = [i.load3(&point.arm[0]), i.load3(&point.arm[1])];
            let v = difference(difference(a.at(arm[0]), b.at(arm[1])), drag);
            let (mass, old) = (i.load(&point.tangent_mass), i.load3(&point.lambda));
            let (x, y) = (old[1] - mass * dot(t, v), old[2] - mass * dot(u, v));
            let (size, most) = ((x * x + y * y).sqrt(), friction * old[0]);
            let part = size.if_above(most, most.over(size), one);
            let (x, y) = (x * part, y * part);
            x.store(&mut point.lambda[1]);
            y.store(&mut point.lambda[2]);
            let impulse = sum(scaled(t, x - old[1]), scaled(u, y - old[2]));
            a.push(impulse, arm[0], &ia);
            b.pull(impulse, arm[1], &ib);
        }
    }
    a.write(bodies, &group.bodies[0], group.count);
    b.write(bodies, &group.bodies[1], group.count);
}

/// Notes the speed at the moment of impact where a point begins to press. Before the motion velocities are those of the end of
/// the substep, after it those of the start of the next: go to when the gap closes.
#[inline(always)]
fn note_impact<I: Instructions>(
    i: I,
    point: &mut Point,
    [gap, speed, new]: [I::Lanes; 3],
    fall: I::Lanes,
    h: Real,
    push_out: bool,
) {
    let (zero, long) = (i.fill(0.0), i.fill(h));
    let most = i.load(&point.most);
    let until = zero.if_above(speed, gap.over(-speed).max(zero).min(long), long);
    let impact = speed + fall * if push_out { until - long } else { until };
    let first = new.if_above(zero, most.if_above(zero, i.load(&point.impact), impact), i.load(&point.impact));
    first.store(&mut point.impact);
    new.max(most).store(&mut point.most);
}

#[cfg(test)]
mod tests;
