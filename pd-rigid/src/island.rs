//! Islands: bodies that depend on each other through joints and contacts.
//!
//! Every island is laid out as one run of bodies, joints and contacts, so that threads solve islands on parts of the arrays
//! that do not overlap. Static and kinematic bodies belong to no island: each island has its own copies of those it touches.

use crate::RigidModel;
use crate::contacts::Manifolds;
use crate::solve::body::Body;
use crate::solve::contact::Manifold;
use crate::solve::system::System;
use crate::solve::work::JointWork;
use nalgebra::UnitQuaternion;
use pd_core::Vec3;

/// Where an island begins in the arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) body: usize,
    pub(crate) joint: usize,
    pub(crate) system: usize,
    pub(crate) contact: usize,
}

/// Islands of one step; scratch.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    parent: Vec<u32>,
    /// Island of each dynamic body; `u32::MAX` for the others and for sleeping ones.
    pub(crate) of: Vec<u32>,
    /// Starts of the islands, and the ends of the last one.
    pub(crate) starts: Vec<Start>,
    /// Bodies of the model in the order of islands; `u32::MAX` is the world.
    pub(crate) members: Vec<u32>,
    /// Place of each body in its island.
    local: Vec<u32>,
    /// Island for which a static body was last copied; the world comes last.
    copied: Vec<u32>,
    /// Working copies.
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<JointWork>,
    pub(crate) systems: Vec<(u32, u32)>,
    order: Vec<u32>,
    keys: Vec<(u32, u32)>,
    /// Island, place in a sweep and number of each manifold.
    places: Vec<(u32, u64, u32)>,
}

impl Islands {
    /// Every body alone.
    pub(crate) fn reset(&mut self, bodies: usize) {
        self.parent.clear();
        self.parent.extend(0..bodies as u32);
    }

    /// The smallest body known to depend on this one.
    pub(crate) fn root(&mut self, body: u32) -> u32 {
        let mut at = body;
        while self.parent[at as usize] != at {
            self.parent[at as usize] = self.parent[self.parent[at as usize] as usize];
            at = self.parent[at as usize];
        }
        at
    }

    /// Two bodies depend on each other.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Joins the bodies of every joint that holds.
    pub(crate) fn join_joints(&mut self, model: &RigidModel, broken: impl Fn(usize) -> bool) {
        for (j, joint) in model.joints().iter().enumerate() {
            if let (Some(a), Some(b)) = (joint.desc.a, joint.desc.b)
                && model.is_dynamic(a)
                && model.is_dynamic(b)
                && !broken(j)
            {
                self.join(a as u32, b as u32);
            }
        }
    }

    /// Numbers the islands by their smallest bodies and lays them out. `awake` says of a root whether its island moves;
    /// Manifolds that were found are copied to those of the islands; `working` makes the working copy of a body (`u32::MAX` is the world).
    pub(crate) fn lay_out(
        &mut self,
        model: &RigidModel,
        systems: &[System],
        (found, contacts): (&mut Manifolds, &mut Vec<Manifold>),
        awake: &[bool],
        working: impl Fn(u32) -> Body,
        work: impl Fn(u32, [u32; 2]) -> JointWork,
    ) {
        let count = model.bodies();
        let world = count as u32;
        self.of.clear();
        self.of.resize(count, u32::MAX);
        let mut islands = 0;
        for body in 0..count as u32 {
            if !model.is_dynamic(body as usize) {
                continue;
            }
            let root = self.root(body);
            if !awake[root as usize] {
                continue;
            }
            if root == body {
                self.of[body as usize] = islands;
                islands += 1;
            } else {
                self.of[body as usize] = self.of[root as usize];
            }
        }
        // Bodies by island, ascending in each: a stable sort of what is ascending.
        self.order.clear();
        self.order.extend((0..count as u32).filter(|&b| self.of[b as usize] != u32::MAX));
        let of = &self.of;
        self.order.sort_unstable_by_key(|&b| (of[b as usize], b));
        // All bodies of a system are in one island.
        self.keys.clear();
        for (s, system) in systems.iter().enumerate() {
            let island = of[system.bodies[0] as usize];
            if island != u32::MAX {
                self.keys.push((island, s as u32));
            }
        }
        self.keys.sort_unstable();
        let island_of = |m: &Manifold| {
            let [a, b] = m.bodies.map(|b| if b == u32::MAX { u32::MAX } else { of[b as usize] });
            a.min(b)
        };
        // Manifolds are large: their numbers are sorted, and each is copied once, or none where they are in order.
        self.places.clear();
        for (k, m) in found.all().iter().enumerate().filter(|(_, m)| m.len > 0) {
            let island = island_of(m);
            if island != u32::MAX {
                self.places.push((island, m.order, k as u32));
            }
        }
        self.places.sort_unstable();
        if self.places.len() == found.all().len()
            && self.places.iter().zip(0..).all(|(place, k)| place.2 == k)
        {
            found.swap(contacts);
        } else {
            contacts.clear();
            contacts.extend(self.places.iter().map(|&(.., k)| found.all()[k as usize]));
        }
        self.copied.clear();
        self.copied.resize(count + 1, u32::MAX);
        self.local.resize(count + 1, 0);
        self.starts.clear();
        self.members.clear();
        self.bodies.clear();
        self.joints.clear();
        self.systems.clear();
        let (mut next_body, mut next_system, mut next_contact) = (0, 0, 0);
        for island in 0..islands {
            let start = Start {
                body: self.members.len(),
                joint: self.joints.len(),
                system: self.systems.len(),
                contact: next_contact,
            };
            self.starts.push(start);
            while next_body < self.order.len() && self.of[self.order[next_body] as usize] == island {
                let body = self.order[next_body];
                self.local[body as usize] = (self.members.len() - start.body) as u32;
                self.copied[body as usize] = island;
                self.members.push(body);
                self.bodies.push(working(body));
                next_body += 1;
            }
            while next_system < self.keys.len() && self.keys[next_system].0 == island {
                let number = self.keys[next_system].1;
                self.systems.push((number, (self.joints.len() - start.joint) as u32));
                for &j in &systems[number as usize].joints {
                    let desc = &model.joints()[j as usize].desc;
                    let ends = [desc.a, desc.b].map(|b| b.map_or(world, |b| b as u32));
                    let ends = ends.map(|b| self.place(b, island, start.body, world, &working));
                    self.joints.push(work(j, ends));
                }
                next_system += 1;
            }
            while next_contact < contacts.len() {
                let ends = contacts[next_contact].bodies;
                let place = |b: u32| if b == u32::MAX { u32::MAX } else { self.of[b as usize] };
                if place(ends[0]).min(place(ends[1])) != island {
                    break;
                }
                let ends = ends.map(|b| if b == u32::MAX { world } else { b });
                contacts[next_contact].bodies =
                    ends.map(|b| self.place(b, island, start.body, world, &working));
                next_contact += 1;
            }
        }
        self.starts.push(Start {
            body: self.members.len(),
            joint: self.joints.len(),
            system: self.systems.len(),
            contact: next_contact,
        });
    }

    /// Place of a body in an island, copied there first if it is static and not there yet.
    fn place(
        &mut self,
        body: u32,
        island: u32,
        start: usize,
        world: u32,
        working: &impl Fn(u32) -> Body,
    ) -> u32 {
        let k = body as usize;
        if self.copied[k] != island {
            self.copied[k] = island;
            self.local[k] = (self.members.len() - start) as u32;
            self.members.push(if body == world { u32::MAX } else { body });
            self.bodies.push(if body == world {
                Body::fixed(Vec3::zeros(), UnitQuaternion::identity())
            } else {
                working(body)
            });
        }
        self.local[k]
    }
}
