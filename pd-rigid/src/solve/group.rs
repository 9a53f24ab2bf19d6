//! Contacts laid out for [`lanes`](super::lanes): groups of up to eight manifolds that share no body that moves.
//!
//! Groups keep the order of the sweep: every manifold is in a later group than the manifolds before it that share a body with
//! it. So a sweep over the groups gives the bits of a sweep over the manifolds one by one, forwards as well as backwards,
//! and converges as that one does, from the ground up.

use super::body::Body;
use super::contact::{Manifold, POINTS};
use super::lanes::{Eight, LANES, Level};
use crate::RigidParams;
use pd_core::{Real, Vec3};

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
    /// Whether some manifold meets at speed, and whether some bounces.
    pub(super) some_meets: bool,
    pub(super) some_bounce: bool,
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
    /// 1 where a body turned fast in this step.
    pub(super) spins: Eight,
    /// Relative acceleration along the normal, m/s².
    pub(super) fall: Eight,
    /// The points.
    pub(super) point: [Point; POINTS],
}

/// The groups of an island; scratch.
#[derive(Clone, Debug)]
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
    counts: Vec<u8>,
    room: Vec<u32>,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            level: Level::best(),
            groups: vec![],
            used: 0,
            places: vec![],
            ready: vec![],
            counts: vec![],
            room: vec![],
        }
    }
}

impl Groups {
    /// Takes over the manifolds of an island in their order, with the forces to start from, for substeps of h.
    pub(crate) fn open(&mut self, contacts: &[Manifold], bodies: &mut [Body], params: &RigidParams, h: Real) {
        self.schedule(contacts, bodies);
        contacts.iter().flat_map(|m| m.bodies).for_each(|b| bodies[b as usize].touches = true);
        if self.groups.len() < self.counts.len() {
            self.groups.resize_with(self.counts.len(), Group::default);
        }
        self.used = self.counts.len();
        self.groups[..self.used].iter_mut().for_each(Group::clear);
        for (m, &(group, lane)) in contacts.iter().zip(&self.places) {
            self.groups[group as usize].set(lane as usize, m, bodies, params, h);
        }
        self.groups[..self.used].iter_mut().for_each(Group::fill_up);
    }

    /// Gives the manifolds the forces of the last substep.
    pub(crate) fn close(&self, contacts: &mut [Manifold], h: Real) {
        for (m, &(group, lane)) in contacts.iter_mut().zip(&self.places) {
            let (group, lane) = (&self.groups[group as usize], lane as usize);
            for (to, from) in m.points[..m.len].iter_mut().zip(&group.point) {
                to.force = [0, 1, 2].map(|k: usize| from.lambda[k].0[lane] / h);
            }
        }
    }

    /// Puts every manifold into the first group after those of its bodies that has room.
    fn schedule(&mut self, contacts: &[Manifold], bodies: &[Body]) {
        self.places.clear();
        self.counts.clear();
        self.room.clear();
        self.ready.clear();
        self.ready.resize(bodies.len(), 0);
        for m in contacts {
            let [a, b] = m.bodies.map(|b| b as usize);
            let group = self.first_with_room(self.ready[a].max(self.ready[b]));
            let count = &mut self.counts[group as usize];
            self.places.push((group, *count));
            *count += 1;
            if usize::from(*count) == LANES {
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
            self.counts.push(0);
        }
        at as u32
    }
}

fn put(to: &mut Eight3, lane: usize, v: &Vec3) {
    (to[0].0[lane], to[1].0[lane], to[2].0[lane]) = (v.x, v.y, v.z);
}

impl Point {
    /// No point in a lane.
    fn clear(&mut self, lane: usize) {
        for side in 0..2 {
            put(&mut self.local[side], lane, &Vec3::zeros());
            self.round[side].0[lane] = 0.0;
        }
        put(&mut self.lambda, lane, &Vec3::zeros());
        (self.present.0[lane], self.impact.0[lane], self.most.0[lane]) = (0.0, 0.0, 0.0);
    }
}

impl Group {
    fn set(&mut self, lane: usize, m: &Manifold, bodies: &[Body], params: &RigidParams, h: Real) {
        let [a, b] = m.bodies.map(|b| &bodies[b as usize]);
        (self.bodies[0][lane], self.bodies[1][lane]) = (m.bodies[0], m.bodies[1]);
        self.count = self.count.max(lane + 1);
        self.points = self.points.max(m.len);
        self.some_meets |= m.meets;
        self.some_bounce |= m.restitution > 0.0;
        put(&mut self.normal, lane, &m.normal);
        put(&mut self.tangents[0], lane, &m.tangents[0]);
        put(&mut self.tangents[1], lane, &m.tangents[1]);
        put(&mut self.drag, lane, &m.drag);
        self.friction.0[lane] = m.friction;
        self.restitution.0[lane] = m.restitution;
        let both = a.is_dynamic() && b.is_dynamic();
        for (to, value) in self.spring.iter_mut().zip(spring(params, h, !both)) {
            to.0[lane] = value;
        }
        // Impulses act half-way between the places on the two, or on the one that moves; in one point, so that they make
        // no turning moment.
        let share = match (a.is_dynamic(), b.is_dynamic()) {
            (true, true) => [0.5, 0.5],
            (true, false) => [1.0, 0.0],
            _ => [0.0, 1.0],
        };
        (self.share[0].0[lane], self.share[1].0[lane]) = (share[0], share[1]);
        self.meets.0[lane] = f64::from(u8::from(m.meets));
        self.fall.0[lane] = m.normal.dot(&(a.acceleration - b.acceleration));
        self.point[m.len..].iter_mut().for_each(|point| point.clear(lane));
        for (to, from) in self.point.iter_mut().zip(m.points()) {
            for side in 0..2 {
                put(&mut to.local[side], lane, &from.local[side]);
                to.round[side].0[lane] = from.round[side];
            }
            for k in 0..3 {
                to.lambda[k].0[lane] = from.force[k] * h;
            }
            (to.present.0[lane], to.impact.0[lane], to.most.0[lane]) = (1.0, 0.0, 0.0);
        }
    }

    /// Without manifolds.
    fn clear(&mut self) {
        (self.count, self.points, self.some_meets, self.some_bounce) = (0, 0, false, false);
        self.spins = Eight::default();
    }

    /// Makes lanes that are not used harmless: finite, without a point.
    fn fill_up(&mut self) {
        for lane in self.count..LANES {
            for side in 0..2 {
                self.bodies[side][lane] = self.bodies[side][0];
            }
            put(&mut self.normal, lane, &Vec3::y());
            put(&mut self.tangents[0], lane, &Vec3::z());
            put(&mut self.tangents[1], lane, &Vec3::x());
            put(&mut self.drag, lane, &Vec3::zeros());
            for number in [&mut self.friction, &mut self.restitution, &mut self.meets, &mut self.fall] {
                number.0[lane] = 0.0;
            }
            self.spring.iter_mut().chain(&mut self.share).for_each(|number| number.0[lane] = 0.0);
            self.point.iter_mut().for_each(|point| point.clear(lane));
        }
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
