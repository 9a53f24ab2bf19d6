//! Contacts laid out for [`lanes`](super::lanes): groups of up to eight manifolds that share no body that moves.
//!
//! Groups keep the order of the sweep: every manifold is in a later group than the manifolds before it that share a body with
//! it. So a sweep over the groups gives the bits of a sweep over the manifolds one by one, forwards as well as backwards,
//! and converges as that one does, from the ground up.

use super::body::Body;
use super::contact::{Manifold, POINTS};
use super::lanes::{Eight, LANES, Level};
use super::open::Open;
use crate::RigidParams;
use pd_core::Real;

/// No manifold.
pub(super) const NONE: u32 = u32::MAX;

/// A vector in each lane.
pub(super) type Eight3 = [Eight; 3];

/// One point of each manifold of a group. What a sweep reads comes first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// r × n and I⁻¹ (r × n) of each body, for the lever r.
    pub(super) along: [Eight3; 2],
    pub(super) turned: [Eight3; 2],
    /// Separation, m; negative is overlap. First what it was at the poses of the levers, then what it is now.
    pub(super) gap_there: Eight,
    pub(super) gap: Eight,
    /// 1/(n·K n), kg; zero where a manifold has no such point.
    pub(super) mass: Eight,
    /// Impulses along the normal and two tangents, N·s.
    pub(super) lambda: Eight3,
    /// Levers in the world from the centre of each body to where the impulses act, m.
    pub(super) arm: [Eight3; 2],
    /// One mass for all tangents, so that sliding friction is against the motion and nothing else; kg.
    pub(super) tangent_mass: Eight,
    /// Place on each body, principal frame, m.
    pub(super) local: [Eight3; 2],
    /// Radius of each part if it is round, else 0, m.
    pub(super) round: [Eight; 2],
    /// Speed along the normal at the moment of impact, m/s; negative is approach.
    pub(super) impact: Eight,
    /// Largest normal impulse of the frame, N·s.
    pub(super) most: Eight,
    /// 1 where a manifold has this point.
    pub(super) present: Eight,
}

/// Up to eight manifolds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// Bodies of each manifold; those of the first again in lanes that are not used.
    pub(super) bodies: [[u32; LANES]; 2],
    /// Lanes in use.
    pub(super) count: usize,
    /// Most points of a manifold.
    pub(super) points: usize,
    /// Whether some manifold meets at speed, whether some did not touch in the step before, whether some bounces, and whether some is with an obstacle that moves.
    pub(super) some_meets: bool,
    pub(super) some_fresh: bool,
    pub(super) some_bounce: bool,
    pub(super) some_drag: bool,
    /// Unit normal from the second body to the first, and two unit tangents.
    pub(super) normal: Eight3,
    pub(super) tangents: [Eight3; 2],
    /// Velocity of the surface of an obstacle, m/s.
    pub(super) drag: Eight3,
    /// Coefficients of friction and restitution.
    pub(super) friction: Eight,
    pub(super) restitution: Eight,
    /// Spring that pushes overlap out: ω/a₁, a₂/(1 + a₂), 1/(1 + a₂).
    pub(super) spring: [Eight; 3],
    /// Parts of the places on the two bodies that make up the point where the impulses act.
    pub(super) share: [Eight; 2],
    /// Inverse inertia of both bodies at the poses of the levers: xx, yy, zz, xy, xz, yz.
    pub(super) inertia: [[Eight; 6]; 2],
    /// 1 where the parts meet within the step, at speed.
    pub(super) meets: Eight,
    /// 1 where the parts did not touch in the step before.
    pub(super) fresh: Eight,
    /// 1 where a body turned fast in this step.
    pub(super) spins: Eight,
    /// Relative acceleration along the normal, m/s².
    pub(super) fall: Eight,
    /// The points.
    pub(super) point: [Point; POINTS],
}

/// The groups of an island; scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    pub(super) level: Level,
    /// Groups, of which the first `used` are those of this step: they are large, and to make them anew takes long.
    pub(super) groups: Vec<Group>,
    pub(super) used: usize,
    /// Group and lane of each manifold.
    places: Vec<(u32, u8)>,
    /// First group that a body may enter.
    ready: Vec<u32>,
    /// Manifolds of each group, and the first group from there on that has room.
    members: Vec<[u32; LANES]>,
    room: Vec<u32>,
}

impl Groups {
    /// Takes over the manifolds of an island in their order, with the forces to start from, for substeps of h.
    pub(crate) fn open(&mut self, contacts: &[Manifold], bodies: &mut [Body], params: &RigidParams, h: Real) {
        self.schedule(contacts, bodies);
        contacts.iter().flat_map(|m| m.bodies).for_each(|b| bodies[b as usize].touches = 1.0);
        self.used = self.members.len();
        if self.groups.len() < self.used {
            self.groups.resize_with(self.used, Group::default);
        }
        let springs = [spring(params, h, false), spring(params, h, true)];
        let (groups, members) = (&mut self.groups[..self.used], &self.members[..]);
        self.level.run(Open { groups, members, contacts, bodies, springs, h });
    }

    /// Gives the manifolds the forces of the last substep.
    pub(crate) fn close(&self, contacts: &mut [Manifold], h: Real) {
        for (m, &(group, lane)) in contacts.iter_mut().zip(&self.places) {
            let (group, lane) = (&self.groups[group as usize], lane as usize);
            for (to, from) in m.points[..m.len as usize].iter_mut().zip(&group.point) {
                to.force = [0, 1, 2].map(|k: usize| from.lambda[k].0[lane] / h);
            }
        }
    }

    /// Moves places on obstacles with them over h.
    pub(crate) fn carry(&mut self, h: Real) {
        for group in self.groups[..self.used].iter_mut().filter(|group| group.some_drag) {
            for point in &mut group.point[..group.points] {
                for lane in 0..LANES {
                    for k in 0..3 {
                        let way = group.drag[k].0[lane] * h;
                        point.local[1][k].0[lane] += way;
                        point.gap_there.0[lane] -= group.normal[k].0[lane] * way;
                    }
                }
            }
        }
    }

    /// Puts every manifold into the first group after those of its bodies that has room.
    fn schedule(&mut self, contacts: &[Manifold], bodies: &[Body]) {
        self.places.clear();
        self.members.clear();
        self.room.clear();
        self.ready.clear();
        self.ready.resize(bodies.len(), 0);
        for (number, m) in contacts.iter().enumerate() {
            let [a, b] = m.bodies.map(|b| b as usize);
            let group = self.first_with_room(self.ready[a].max(self.ready[b]));
            let members = &mut self.members[group as usize];
            let lane = members.iter().position(|&m| m == NONE).unwrap_or(LANES - 1);
            members[lane] = number as u32;
            self.places.push((group, lane as u8));
            if lane + 1 == LANES {
                self.room[group as usize] = group + 1;
            }
            for body in [a, b].into_iter().filter(|&b| bodies[b].is_dynamic()) {
                self.ready[body] = group + 1;
            }
        }
    }

    /// The first group from `group` on that has room; a new one after the last.
    fn first_with_room(&mut self, group: u32) -> u32 {
        let mut at = group as usize;
        while at < self.room.len() && self.room[at] as usize != at {
            // Shorten the way for those who come later.
            let next = self.room[at] as usize;
            if next < self.room.len() {
                self.room[at] = self.room[next];
            }
            at = next;
        }
        if at == self.room.len() {
            self.room.push(at as u32);
            self.members.push([NONE; LANES]);
        }
        at as u32
    }
}

/// Coefficients of the spring that pushes overlap out: as stiff as the substep can follow; twice as stiff against what does not
/// yield.
fn spring(params: &RigidParams, h: Real, fixed: bool) -> [Real; 3] {
    let frequency = params.contact_frequency.min(0.25 / h) * if fixed { 2.0 } else { 1.0 };
    let omega = std::f64::consts::TAU * frequency;
    let a1 = 2.0 * params.contact_damping + h * omega;
    let a2 = h * omega * a1;
    [omega / a1, a2 / (1.0 + a2), 1.0 / (1.0 + a2)]
}
