//! Islands solved in parallel: halves of the list on disjoint slices of the arrays.

use super::RigidStepper;
use crate::island::Start;
use crate::solve::body::Body;
use crate::solve::contact::Manifold;
use crate::solve::factor::Factor;
use crate::solve::group::Groups;
use crate::solve::system::System;
use crate::solve::work::JointWork;
use crate::{Island, RigidModel, RigidParams, RigidSolver};
use pd_core::{Real, StepParams};

impl RigidStepper {
    /// Solves all islands.
    pub(super) fn solve(&mut self, params: &StepParams) {
        let islands = self.islands.starts.len() - 1;
        if self.factors.len() < islands {
            self.factors.resize_with(islands, Factor::default);
            self.groups.resize_with(islands, Groups::default);
        }
        self.fallbacks.clear();
        self.fallbacks.resize(islands, 0);
        let task = Task {
            starts: &self.islands.starts,
            systems: &self.islands.systems,
            all_systems: &self.systems,
            model: &self.model,
            params: &self.params,
            solver: &*self.solver,
            dt: params.dt,
        };
        let parts = Parts {
            bodies: &mut self.islands.bodies,
            joints: &mut self.islands.joints,
            contacts: &mut self.manifolds,
            factors: &mut self.factors[..islands],
            groups: &mut self.groups[..islands],
            fallbacks: &mut self.fallbacks,
        };
        task.run(0, islands, parts);
        self.report.fallbacks = self.fallbacks.iter().sum();
    }
}

/// What all islands share.
#[derive(Clone, Copy)]
struct Task<'a> {
    starts: &'a [Start],
    systems: &'a [(u32, u32)],
    all_systems: &'a [System],
    model: &'a RigidModel,
    params: &'a RigidParams,
    solver: &'a dyn RigidSolver,
    dt: Real,
}

/// What belongs to a run of islands.
struct Parts<'a> {
    bodies: &'a mut [Body],
    joints: &'a mut [JointWork],
    contacts: &'a mut [Manifold],
    factors: &'a mut [Factor],
    groups: &'a mut [Groups],
    fallbacks: &'a mut [usize],
}

/// Islands with fewer bodies and contacts than this together are not worth a second thread. Without joints they are solved as
/// one, so that contacts of several share the lanes of a group.
const SMALL: usize = 512;

impl Task<'_> {
    /// Solves islands `first..last`, halves in parallel, small ones without joints as one.
    fn run(self, first: usize, last: usize, parts: Parts<'_>) {
        let (a, z) = (self.starts[first], self.starts[last]);
        if last <= first {
            return;
        }
        let small = z.body - a.body + z.contact - a.contact < SMALL;
        if last == first + 1 || (small && a.joint == z.joint) {
            // Bodies of contacts count from the first of their island; now from the first of all.
            for (start, end) in self.starts[first..last].iter().zip(&self.starts[first + 1..=last]) {
                let shift = (start.body - a.body) as u32;
                for m in &mut parts.contacts[start.contact - a.contact..end.contact - a.contact] {
                    m.bodies = m.bodies.map(|b| b + shift);
                }
            }
            let mut island = Island {
                bodies: parts.bodies,
                joints: parts.joints,
                systems: &self.systems[a.system..z.system],
                all_systems: self.all_systems,
                model: self.model,
                contacts: parts.contacts,
                factor: &mut parts.factors[0],
                groups: &mut parts.groups[0],
                params: self.params,
                dt: self.dt,
                fallbacks: 0,
            };
            self.solver.solve(&mut island);
            parts.fallbacks[0] = island.fallbacks;
            return;
        }
        let middle = first + (last - first) / 2;
        let m = self.starts[middle];
        let (bodies, more_bodies) = parts.bodies.split_at_mut(m.body - a.body);
        let (joints, more_joints) = parts.joints.split_at_mut(m.joint - a.joint);
        let (contacts, more_contacts) = parts.contacts.split_at_mut(m.contact - a.contact);
        let (factors, more_factors) = parts.factors.split_at_mut(middle - first);
        let (groups, more_groups) = parts.groups.split_at_mut(middle - first);
        let (fallbacks, more_fallbacks) = parts.fallbacks.split_at_mut(middle - first);
        let left = Parts { bodies, joints, contacts, factors, groups, fallbacks };
        let right = Parts {
            bodies: more_bodies,
            joints: more_joints,
            contacts: more_contacts,
            factors: more_factors,
            groups: more_groups,
            fallbacks: more_fallbacks,
        };
        if small {
            self.run(first, middle, left);
            self.run(middle, last, right);
        } else {
            rayon::join(|| self.run(first, middle, left), || self.run(middle, last, right));
        }
    }
}
