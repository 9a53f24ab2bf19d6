//! Manifolds laid out in lanes, with what they need at the start of a step, while they are at hand.

use super::body::Body;
use super::contact::Manifold;
use super::group::{Group, NONE};
use super::lanes::{Eight, Instructions, Kernel, LANES, Lanes};
use super::place::place;
use super::side::{lines, side};
use super::warm::note_impulses;
use pd_core::{Real, Vec3};

/// Fills groups with their manifolds.
pub(super) struct Open<'a> {
    pub(super) groups: &'a mut [Group],
    /// Manifolds of each group, [`NONE`] in lanes that are not used.
    pub(super) members: &'a [[u32; LANES]],
    pub(super) contacts: &'a [Manifold],
    pub(super) bodies: &'a mut [Body],
    /// Coefficients of the spring between bodies that move, and against one that does not.
    pub(super) springs: [[Real; 3]; 2],
    /// Substep, s.
    pub(super) h: Real,
}

impl Kernel for Open<'_> {
    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        let none = Manifold::none();
        for (group, members) in self.groups.iter_mut().zip(self.members) {
            let all = members.map(|m| if m == NONE { &none } else { &self.contacts[m as usize] });
            let lens = count(group, &all, members, self.bodies);
            fill(i, group, &all, &lens, self.bodies, &self.springs, self.h);
            place::<I, true>(i, group, self.bodies, i.fill(1.0), i.fill(1.0));
            note_impulses(i, group, self.bodies);
        }
    }
}

/// What is no number of a manifold. Returns how many points each has.
fn count(group: &mut Group, all: &[&Manifold; LANES], members: &[u32; LANES], bodies: &[Body]) -> Eight {
    group.count = members.iter().position(|&m| m == NONE).unwrap_or(LANES);
    (group.points, group.some_meets, group.some_bounce, group.some_drag) = (0, false, false, false);
    group.some_fresh = false;
    let mut lens = Eight::default();
    for (lane, m) in all.iter().enumerate() {
        group.points = group.points.max(m.len as usize);
        group.some_meets |= m.meets;
        group.some_fresh |= m.fresh;
        group.some_bounce |= m.restitution > 0.0;
        group.some_drag |= m.drag != Vec3::zeros();
        group.meets.0[lane] = if m.meets { 1.0 } else { 0.0 };
        group.fresh.0[lane] = if m.fresh { 1.0 } else { 0.0 };
        lens.0[lane] = Real::from(m.len);
    }
    group.spins = Eight::default();
    for lane in 0..LANES {
        // Lanes that are not used take the bodies of the first.
        let [a, b] = if lane < group.count { all[lane].bodies } else { all[0].bodies };
        (group.bodies[0][lane], group.bodies[1][lane]) = (a, b);
        group.fall.0[lane] = if group.some_bounce {
            all[lane].normal.dot(&(bodies[a as usize].acceleration - bodies[b as usize].acceleration))
        } else {
            0.0
        };
    }
    lens
}

/// All numbers, read as lines.
#[inline(always)]
fn fill<I: Instructions>(
    i: I,
    group: &mut Group,
    all: &[&Manifold; LANES],
    lens: &Eight,
    bodies: &[Body],
    springs: &[[Real; 3]; 2],
    h: Real,
) {
    let (zero, one) = (i.fill(0.0), i.fill(1.0));
    let [nx, ny, nz, friction, dx, dy, dz, restitution] = lines!(i, all, 0);
    let [tx, ty, tz, ux, uy, uz, ..] = lines!(i, all, 1);
    for (to, from) in [(&mut group.normal, [nx, ny, nz]), (&mut group.drag, [dx, dy, dz])] {
        store3(from, to);
    }
    store3([tx, ty, tz], &mut group.tangents[0]);
    store3([ux, uy, uz], &mut group.tangents[1]);
    friction.store(&mut group.friction);
    restitution.store(&mut group.restitution);
    // Impulses act half-way between the places on the two, or on the one that moves; in one point, so that they make
    // no turning moment.
    let (a, b) = (side(i, bodies, &group.bodies[0]).inv_mass, side(i, bodies, &group.bodies[1]).inv_mass);
    let share = a.if_above(zero, b.if_above(zero, i.fill(0.5), one), zero);
    share.store(&mut group.share[0]);
    (one - share).store(&mut group.share[1]);
    let both = a.min(b);
    for k in 0..3 {
        both.if_above(zero, i.fill(springs[0][k]), i.fill(springs[1][k])).store(&mut group.spring[k]);
    }
    for (k, point) in group.point[..group.points].iter_mut().enumerate() {
        let of = |lane: usize| &all[lane].points[k];
        let from = [of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)];
        let present = i.load(lens).if_above(i.fill(k as Real), one, zero);
        present.store(&mut point.present);
        let [ax, ay, az, bx, by, bz, ra, rb] = present_only(present, zero, lines!(i, from, 0));
        let [x, y, z, ..] = present_only(present, zero, lines!(i, from, 1));
        store3([ax, ay, az], &mut point.local[0]);
        store3([bx, by, bz], &mut point.local[1]);
        ra.store(&mut point.round[0]);
        rb.store(&mut point.round[1]);
        let h = i.fill(h);
        store3([x * h, y * h, z * h], &mut point.lambda);
        (point.impact, point.most) = (Eight::default(), Eight::default());
    }
}

#[inline(always)]
fn store3<L: Lanes>(from: [L; 3], to: &mut [Eight; 3]) {
    from[0].store(&mut to[0]);
    from[1].store(&mut to[1]);
    from[2].store(&mut to[2]);
}

/// Zero where there is no point.
#[inline(always)]
fn present_only<L: Lanes>(present: L, zero: L, mut numbers: [L; LANES]) -> [L; LANES] {
    for k in 0..LANES {
        numbers[k] = present.if_above(zero, numbers[k], zero);
    }
    numbers
}
