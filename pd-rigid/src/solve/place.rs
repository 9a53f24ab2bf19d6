//! Levers, separations and masses of contacts at the poses of their bodies.
//!
//! They are made for the poses at the start of a step, and again after every motion where a body comes far in a step. Where bodies
//! hardly move, levers and masses stay and gaps follow to first order:
//!
//!   s = s₀ + n·(Δp_a − Δp_b) + (r_a × n)·θ_a − (r_b × n)·θ_b.

use super::body::Body;
use super::group::{Group, Point};
use super::lanes::{Eight, Instructions, Lanes, cross, difference, dot, scaled, sum, symmetric};
use super::side::{pose, side};
use pd_core::Real;

/// Turn of a body in a substep beyond which masses across the normal do not last for the step, rad.
pub(super) const FAST_TURN: Real = 0.005;

/// Replaces what is stored, in all lanes or in those that are above zero.
#[inline(always)]
fn put<I: Instructions, const ALL: bool>(i: I, lanes: I::Lanes, value: I::Lanes, to: &mut Eight) {
    if ALL {
        value.store(to);
    } else {
        lanes.if_above(i.fill(0.0), value, i.load(to)).store(to);
    }
}

/// Brings all lanes, or those in which `stale` is above zero, to the present poses; masses across the normal where `spins` is as well.
#[inline(always)]
pub(super) fn place<I: Instructions, const ALL: bool>(
    i: I,
    group: &mut Group,
    bodies: &[Body],
    stale: I::Lanes,
    spins: I::Lanes,
) {
    let [a, b] = [pose(i, bodies, &group.bodies[0]), pose(i, bodies, &group.bodies[1])];
    let inv_mass = side(i, bodies, &group.bodies[0]).inv_mass + side(i, bodies, &group.bodies[1]).inv_mass;
    for k in 0..6 {
        put::<I, ALL>(i, stale, a.inertia[k], &mut group.inertia[0][k]);
        put::<I, ALL>(i, stale, b.inertia[k], &mut group.inertia[1][k]);
    }
    let n = i.load3(&group.normal);
    let across = [i.load3(&group.tangents[0]), i.load3(&group.tangents[1])];
    let [share_a, share_b] = [i.load(&group.share[0]), i.load(&group.share[1])];
    let some_spin = ALL || spins.some_above(i.fill(0.0));
    for point in &mut group.point[..group.points] {
        let on_a = difference(a.world(i.load3(&point.local[0])), scaled(n, i.load(&point.round[0])));
        let on_b = sum(b.world(i.load3(&point.local[1])), scaled(n, i.load(&point.round[1])));
        let gap = dot(difference(on_a, on_b), n);
        put::<I, ALL>(i, stale, gap, &mut point.gap_there);
        put::<I, ALL>(i, stale, gap, &mut point.gap);
        let at = sum(scaled(on_a, share_a), scaled(on_b, share_b));
        let arm = [difference(at, a.p), difference(at, b.p)];
        let along = [cross(arm[0], n), cross(arm[1], n)];
        let turned = [symmetric(&a.inertia, along[0]), symmetric(&b.inertia, along[1])];
        for side in 0..2 {
            for k in 0..3 {
                put::<I, ALL>(i, stale, arm[side][k], &mut point.arm[side][k]);
                put::<I, ALL>(i, stale, along[side][k], &mut point.along[side][k]);
                put::<I, ALL>(i, stale, turned[side][k], &mut point.turned[side][k]);
            }
        }
        let k = inv_mass + dot(along[0], turned[0]) + dot(along[1], turned[1]);
        put::<I, ALL>(i, stale, i.load(&point.present).over(k), &mut point.mass);
        if some_spin {
            set_tangent_mass::<I, ALL>(i, point, arm, across, spins, [&a.inertia, &b.inertia], inv_mass);
        }
    }
}

/// The mass of a point across the normal, in the lanes where bodies spin.
#[inline(always)]
fn set_tangent_mass<I: Instructions, const ALL: bool>(
    i: I,
    point: &mut Point,
    arm: [[I::Lanes; 3]; 2],
    [t, u]: [[I::Lanes; 3]; 2],
    spins: I::Lanes,
    [ia, ib]: [&[I::Lanes; 6]; 2],
    inv_mass: I::Lanes,
) {
    let (ta, tb, ua, ub) = (cross(arm[0], t), cross(arm[1], t), cross(arm[0], u), cross(arm[1], u));
    let (turned_a, turned_b) = (symmetric(ia, ta), symmetric(ib, tb));
    let k11 = inv_mass + dot(ta, turned_a) + dot(tb, turned_b);
    let k12 = dot(ua, turned_a) + dot(ub, turned_b);
    let k22 = inv_mass + dot(ua, symmetric(ia, ua)) + dot(ub, symmetric(ib, ub));
    // The larger eigenvalue of K across the normal.
    let (half, off) = (i.fill(0.5) * (k11 + k22), i.fill(0.5) * (k11 - k22));
    let mass = i.load(&point.present).over(half + (off * off + k12 * k12).sqrt());
    put::<I, ALL>(i, spins, mass, &mut point.tangent_mass);
}
