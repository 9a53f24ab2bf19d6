//! The bodies of a group in lanes: read as lines of eight numbers and transposed.

use super::body::Body;
use super::lanes::{Instructions, LANES, Lanes, cross, difference, dot, scaled, sum, symmetric};

/// The same line of eight bodies as eight numbers of each.
macro_rules! lines {
    ($i:expr, $bodies:expr, $line:expr) => {{
        let bodies = $bodies;
        <I::Lanes as Lanes>::transposed([
            $i.load(&bodies[0].lines()[$line]),
            $i.load(&bodies[1].lines()[$line]),
            $i.load(&bodies[2].lines()[$line]),
            $i.load(&bodies[3].lines()[$line]),
            $i.load(&bodies[4].lines()[$line]),
            $i.load(&bodies[5].lines()[$line]),
            $i.load(&bodies[6].lines()[$line]),
            $i.load(&bodies[7].lines()[$line]),
        ])
    }};
}

#[inline(always)]
fn eight<'a>(bodies: &'a [Body], of: &[u32; LANES]) -> [&'a Body; LANES] {
    let at = |lane: usize| &bodies[of[lane] as usize];
    [at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)]
}

/// The bodies of one side of a group.
#[derive(Clone, Copy)]
pub(super) struct Side<L> {
    pub(super) v: [L; 3],
    pub(super) w: [L; 3],
    pub(super) inv_mass: L,
    pub(super) again: L,
}

/// Reads how bodies move.
#[inline(always)]
pub(super) fn side<I: Instructions>(i: I, bodies: &[Body], of: &[u32; LANES]) -> Side<I::Lanes> {
    let [vx, vy, vz, inv_mass, wx, wy, wz, again] = lines!(i, eight(bodies, of), 0);
    Side { v: [vx, vy, vz], w: [wx, wy, wz], inv_mass, again }
}

impl<L: Lanes> Side<L> {
    /// Velocity at a lever.
    #[inline(always)]
    pub(super) fn at(&self, arm: [L; 3]) -> [L; 3] {
        sum(self.v, cross(self.w, arm))
    }

    /// Adds an impulse at a lever, for the inverse inertia.
    #[inline(always)]
    pub(super) fn push(&mut self, impulse: [L; 3], arm: [L; 3], inertia: &[L; 6]) {
        self.v = sum(self.v, scaled(impulse, self.inv_mass));
        self.w = sum(self.w, symmetric(inertia, cross(arm, impulse)));
    }

    /// Takes an impulse at a lever away.
    #[inline(always)]
    pub(super) fn pull(&mut self, impulse: [L; 3], arm: [L; 3], inertia: &[L; 6]) {
        self.v = difference(self.v, scaled(impulse, self.inv_mass));
        self.w = difference(self.w, symmetric(inertia, cross(arm, impulse)));
    }

    /// Writes the velocities back. Bodies that do not move keep theirs: their inverse masses are zero.
    #[inline(always)]
    pub(super) fn write(self, bodies: &mut [Body], of: &[u32; LANES], count: usize) {
        let [v, w] = [self.v, self.w];
        let lines = L::transposed([v[0], v[1], v[2], self.inv_mass, w[0], w[1], w[2], self.again]);
        for lane in 0..count {
            lines[lane].store(bodies[of[lane] as usize].motion_mut());
        }
    }
}

/// How far bodies have come in this step.
pub(super) struct Way<L> {
    pub(super) moved: [L; 3],
    pub(super) turned: [L; 3],
    pub(super) fast: L,
}

/// Reads how far bodies have come.
#[inline(always)]
pub(super) fn way<I: Instructions>(i: I, bodies: &[Body], of: &[u32; LANES]) -> Way<I::Lanes> {
    let [x, y, z, fast, tx, ty, tz, _] = lines!(i, eight(bodies, of), 1);
    Way { moved: [x, y, z], turned: [tx, ty, tz], fast }
}

impl<L: Lanes> Way<L> {
    /// As if bodies were where they started, in the lanes that are above zero.
    #[inline(always)]
    pub(super) fn forget(&mut self, lanes: L, zero: L) {
        for k in 0..3 {
            self.moved[k] = lanes.if_above(zero, zero, self.moved[k]);
            self.turned[k] = lanes.if_above(zero, zero, self.turned[k]);
        }
    }
}

/// Where bodies are, and their inverse inertia.
pub(super) struct Pose<L> {
    pub(super) p: [L; 3],
    turn: [[L; 3]; 3],
    pub(super) inertia: [L; 6],
}

/// Reads where bodies are.
#[inline(always)]
pub(super) fn pose<I: Instructions>(i: I, bodies: &[Body], of: &[u32; LANES]) -> Pose<I::Lanes> {
    let bodies = eight(bodies, of);
    let [px, py, pz, r11, r21, r31, r12, r22] = lines!(i, bodies, 2);
    let [r32, r13, r23, r33, i11, _, _, i12] = lines!(i, bodies, 3);
    let [i22, _, i13, i23, i33, ..] = lines!(i, bodies, 4);
    Pose {
        p: [px, py, pz],
        turn: [[r11, r12, r13], [r21, r22, r23], [r31, r32, r33]],
        inertia: [i11, i22, i33, i12, i13, i23],
    }
}

impl<L: Lanes> Pose<L> {
    /// A place of the principal frame in the world.
    #[inline(always)]
    pub(super) fn world(&self, local: [L; 3]) -> [L; 3] {
        let turned = [dot(self.turn[0], local), dot(self.turn[1], local), dot(self.turn[2], local)];
        sum(self.p, turned)
    }
}
