//! Contacts for users: plain arrays, one entry a contact that presses.

use super::pair::ContactKind;
use super::row::Row;
use super::rows::{Arm, Dual, Rows};
use super::vector::Vec4;
use pd_core::{Real, Vec3};

/// Contacts of a step. Forces act on the first body; on the second they are opposite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// What meets.
    pub kinds: Vec<ContactKind>,
    /// Bodies that meet; of an obstacle by signed distance the second is its number.
    pub bodies: Vec<[u32; 2]>,
    /// Vertices; those of no weight repeat the first.
    pub vertices: Vec<[u32; 4]>,
    /// Signed weights of the closest points: positive on the first body.
    pub weights: Vec<[Real; 4]>,
    /// Closest point of the first body, m.
    pub points: Vec<Vec3>,
    /// From the second body to the first.
    pub normals: Vec<Vec3>,
    /// Distance, m.
    pub gaps: Vec<Real>,
    /// Force along the normal, N.
    pub normal_forces: Vec<Real>,
    /// Friction, N.
    pub friction: Vec<Vec3>,
    /// Slip over the step, m.
    pub slips: Vec<Vec3>,
    /// Whether the surfaces slide.
    pub sliding: Vec<bool>,
}

impl Contacts {
    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Forgets all contacts and keeps the room.
    pub fn clear(&mut self) {
        self.kinds.clear();
        self.bodies.clear();
        self.vertices.clear();
        self.weights.clear();
        self.points.clear();
        self.normals.clear();
        self.gaps.clear();
        self.normal_forces.clear();
        self.friction.clear();
        self.slips.clear();
        self.sliding.clear();
    }

    /// Force on each of so many bodies from all others and from obstacles, N.
    pub fn resultants(&self, bodies: usize) -> Vec<Vec3> {
        let mut sums = vec![Vec3::zeros(); bodies];
        for k in 0..self.len() {
            let force = self.normals[k] * self.normal_forces[k] + self.friction[k];
            let [a, b] = self.bodies[k].map(|body| body as usize);
            sums[a] += force;
            if self.kinds[k] != ContactKind::Obstacle {
                sums[b] -= force;
            }
        }
        sums
    }
}

impl Rows {
    /// Numbers, in the list, of rows that press, after [`update_multipliers`](Self::update_multipliers).
    pub fn pressed(&self) -> impl Iterator<Item = usize> + '_ {
        let pairs = self.arms.iter().zip(&self.duals);
        pairs.filter(|(_, dual)| dual.origin.0[3] > 0.0).map(|(arm, _)| arm.row as usize)
    }

    /// Numbers, in the list, of rows that press or nearly touch at displacements d.
    pub fn touching<'a>(&'a self, d: &'a [Vec4]) -> impl Iterator<Item = usize> + 'a {
        let touches =
            |arm: &Arm, dual: &Dual| dual.origin.0[3] > 0.0 || arm.gap(arm.relative(d)) <= dual.near;
        let pairs = self.arms.iter().zip(&self.duals);
        pairs.filter(move |(arm, dual)| touches(arm, dual)).map(|(arm, _)| arm.row as usize)
    }

    /// Contacts that press, after [`update_multipliers`](Self::update_multipliers), at positions x and displacements d.
    pub fn contacts(&self, list: &[Row], x: &[Vec3], d: &[Vec4], out: &mut Contacts) {
        out.clear();
        for (arm, dual) in self.arms.iter().zip(&self.duals).filter(|(_, dual)| dual.origin.0[3] > 0.0) {
            let row = &list[arm.row as usize];
            let own = if row.kind == ContactKind::Obstacle { 4 } else { row.kind.first() };
            let first = (0..own).map(|k| x[row.vertices[k] as usize] * row.weights[k]).sum();
            out.kinds.push(row.kind);
            out.bodies.push(row.bodies);
            out.vertices.push(row.vertices);
            out.weights.push(row.weights);
            out.points.push(first);
            out.normals.push(row.normal);
            out.gaps.push(row.gap + Real::from(arm.normal.dot3(arm.relative(d))) + row.offset);
            out.normal_forces.push(Real::from(dual.origin.0[3]));
            out.friction.push(-dual.tangent.to_f64());
            out.slips.push(slip(arm, arm.relative(d) - dual.origin));
            out.sliding.push(dual.sliding);
        }
    }
}

fn slip(arm: &Arm, relative: Vec4) -> Vec3 {
    let (n, u) = (arm.normal.to_f64(), relative.to_f64());
    u - n * n.dot(&u)
}
