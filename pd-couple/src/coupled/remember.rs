//! What is remembered of contact forces for the start of the next step.
//!
//! A vertex between two bodies that press on it has two large forces that cancel. Where one of the bodies slides off it, the other force
//! would shoot it away before the rows can take it back. So of the *pinch* of a vertex, (Σ|f| − |Σf|)/2 over its contacts with bodies, no
//! more is remembered than moves the vertex by the contact distance in a step, m d/h²: what is heavier comes to rest on what is behind
//! the cloth.

use super::Coupled;
use super::foresee::vertices;
use crate::memory::Memory;
use crate::{Endpoint, Row};
use pd_core::{Real, Vec3};

/// Scratch: sums over the contacts of each vertex, N.
#[derive(Default)]
pub(super) struct Pinch {
    force: Vec<Vec3>,
    size: Vec<Real>,
    /// Part of the forces that is remembered.
    part: Vec<Real>,
}

impl Pinch {
    pub(super) fn prepare(&mut self, vertices: usize) {
        self.force.clear();
        self.force.resize(vertices, Vec3::zeros());
        self.size.clear();
        self.size.resize(vertices, 0.0);
        self.part.clear();
        self.part.resize(vertices, 1.0);
    }
}

impl Coupled {
    /// Remembers the contact forces with which the next step begins.
    pub(super) fn remember(&mut self, h: Real) {
        let Self { rows, foresight, pinch, inverse, finder, work, .. } = self;
        let n = pinch.part.len();
        let all = || {
            let forces = rows.iter().zip(&foresight.added).filter(|(row, _)| row.lambda > 0.0);
            forces.filter_map(|(row, added)| {
                let lambda = row.lambda + added;
                (lambda > 0.0).then(|| (row, (row.normal * lambda + row.tangential) / h))
            })
        };
        pinch.force.fill(Vec3::zeros());
        pinch.size.fill(0.0);
        let of_body = |row: &Row| matches!(row.b, Endpoint::Body { .. });
        for (row, force) in all().filter(|(row, _)| of_body(row)) {
            for (i, weight) in vertices(row, n) {
                pinch.force[i] += force * weight;
                pinch.size[i] += force.norm() * weight.abs();
            }
        }
        for i in 0..n {
            let most = finder.distances()[i] / (h * h * inverse[i]);
            let pinched = 0.5 * (pinch.size[i] - pinch.force[i].norm());
            pinch.part[i] = if pinched > most { most / pinched } else { 1.0 };
        }
        let kept = all().map(|(row, force)| {
            let parts = vertices(row, n).filter(|_| of_body(row)).map(|(i, _)| pinch.part[i]);
            (row.key, force * parts.fold(1.0, Real::min))
        });
        Memory::store(kept, &mut work.columns);
    }
}
