//! The generalised winding number (Jacobson et al. 2013; fast by Barill et al. 2018).
//!
//! w(p) = Σ Ω_t(p)/4π with the signed solid angle Ω_t of each triangle: 1 inside and 0 outside of a closed mesh that
//! faces outwards, and between the two near holes. From afar a group of triangles looks like a dipole, its area vector
//! at its area-weighted centre.

use super::MeshQuery;
use super::tree::{DEPTH, Node};
use pd_core::{Real, Vec3};
use std::f64::consts::PI;

/// A group of triangles seen from afar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dipole {
    /// Area-weighted centre, m.
    centre: Vec3,
    /// Sum of area vectors, m².
    area: Vec3,
    /// Square of the distance from which the dipole serves, m².
    near: Real,
}

/// A dipole serves from so many times the radius of its group on.
const ACCURACY: Real = 2.5;

/// The dipoles of all nodes.
pub(crate) fn dipoles(nodes: &[Node], order: &[u32], corners: impl Fn(u32) -> [Vec3; 3]) -> Vec<Dipole> {
    // Sums of area, area-weighted centres and area vectors, children before parents.
    let mut sums = vec![(0.0, Vec3::zeros(), Vec3::zeros()); nodes.len()];
    let mut dipoles = Vec::with_capacity(nodes.len());
    for k in (0..nodes.len()).rev() {
        let node = &nodes[k];
        sums[k] = if node.count > 0 {
            order[node.places()].iter().map(|&t| corners(t)).fold(sums[k], |sum, [a, b, c]| {
                let vector = (b - a).cross(&(c - a)) / 2.0;
                let area = vector.norm();
                (sum.0 + area, sum.1 + (a + b + c) * (area / 3.0), sum.2 + vector)
            })
        } else {
            let (l, r) = (sums[k + 1], sums[node.link as usize]);
            (l.0 + r.0, l.1 + r.1, l.2 + r.2)
        };
        let (area, weighted, vector) = sums[k];
        let centre = if area > 0.0 { weighted / area } else { (node.bounds.min + node.bounds.max) / 2.0 };
        // The farthest corner of the box bounds the group.
        let radius = (node.bounds.max - centre).sup(&(centre - node.bounds.min)).norm();
        dipoles.push(Dipole { centre, area: vector, near: (ACCURACY * radius).powi(2) });
    }
    dipoles.reverse();
    dipoles
}

impl MeshQuery {
    /// The generalised winding number at a point, to about a hundredth: 1 inside, 0 outside of a closed mesh.
    pub fn winding_number(&self, p: &Vec3) -> Real {
        let (mut waiting, mut count, mut angle) = ([0; DEPTH], 1, 0.0);
        while count > 0 {
            count -= 1;
            let k = waiting[count];
            let (node, dipole) = (&self.nodes[k], &self.dipoles[k]);
            let away = dipole.centre - p;
            let squared = away.norm_squared();
            if squared > dipole.near {
                angle += away.dot(&dipole.area) / (squared * squared.sqrt());
            } else if node.count > 0 {
                for &triangle in &self.order[node.places()] {
                    angle += solid_angle(&self.corners(triangle).map(|x| x - p));
                }
            } else {
                (waiting[count], waiting[count + 1]) = (node.link as usize, k + 1);
                count += 2;
            }
        }
        angle / (4.0 * PI)
    }

    /// The winding number by the sum over all triangles: exact but for rounding, and slow.
    pub fn winding_number_exact(&self, p: &Vec3) -> Real {
        let angles = (0..self.triangles.len() as u32).map(|t| solid_angle(&self.corners(t).map(|x| x - p)));
        angles.sum::<Real>() / (4.0 * PI)
    }
}

/// Signed solid angle of a triangle seen from the origin (van Oosterom & Strackee 1983); positive from behind.
fn solid_angle([a, b, c]: &[Vec3; 3]) -> Real {
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * a.dot(&b.cross(c)).atan2(below)
}
