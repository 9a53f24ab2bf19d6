//! The bodies of a group in lanes: read as lines of eight numbers and transposed.

use super::body::{Body, Line};
use super::lanes::{Instructions, LANES, Lanes, cross, difference, dot, scaled, sum, symmetric};

/// The same line of eight bodies as eight numbers of each.
macro_rules! lines {
    ($i:expr, $bodies:expr, $line:expr) => {{
        let bodies = $bodies;
        <I::Lanes as $crate::solve::lanes::Lanes>::transposed([
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
pub(super) use lines;

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
    let [vx, vy, vz, inv_mass, wx, wy, wz, again] = lines!(i, eight(bodies, of), Line::MOTION);
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
            lines[lane].store(&mut bodies[of[lane] as usize].lines_mut()[Line::MOTION]);
        }
    }
}

/// Reads velocities without the impulses of contacts, with what stands between them.
#[inline(always)]
pub(super) fn bare<I: Instructions>(i: I, bodies: &[Body], of: &[u32; LANES]) -> [I::Lanes; LANES] {
    lines!(i, eight(bodies, of), Line::BARE)
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
    let [x, y, z, fast, tx, ty, tz, _] = lines!(i, eight(bodies, of), Line::WAY);
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
    let [px, py, pz, _, x, y, z, w] = lines!(i, bodies, Line::POSE);
    let [i11, _, _, i12, i22, _, i13, i23] = lines!(i, bodies, Line::INERTIA);
    let [i33, ..] = lines!(i, bodies, Line::INERTIA + 1);
    let (one, two) = (i.fill(1.0), i.fill(2.0));
    let diagonal = |a: I::Lanes, b: I::Lanes| one - two * (a * a + b * b);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    Pose {
        p: [px, py, pz],
        turn: [
            [diagonal(y, z), two * (xy - wz), two * (xz + wy)],
            [two * (xy + wz), diagonal(x, z), two * (yz - wx)],
            [two * (xz - wy), two * (yz + wx), diagonal(x, y)],
        ],
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
