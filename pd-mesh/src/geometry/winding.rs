//! Generalised winding number w(q) = Σ Ω_f(q)/4π over the triangles, Ω the signed solid angle (A. Jacobson, L. Kavan,
//! O. Sorkine-Hornung, Robust inside-outside segmentation using generalized winding numbers, 2013). Triangles far from q
//! are summed up as a dipole N·(p−q)/(4π|p−q|³) with their area vector N at their centre of area p (G. Barill et al.,
//! Fast winding numbers for soups and clouds, 2018).

use super::bvh::{Bvh, Node};
use crate::Vec3;
use std::f64::consts::PI;

/// A node's triangles as seen from afar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dipole {
    /// Sum of the area vectors, in m².
    area_vector: Vec3,
    /// Centre of area.
    centre: Vec3,
    /// Distance from the centre to the farthest point of the node's box, in metres.
    radius: f64,
}

/// A node is treated as far when its centre is more than this many radii away.
const FAR: f64 = 2.5;

/// Dipoles of all nodes of the tree.
pub(super) fn dipoles(bvh: &Bvh, corners: &[[Vec3; 3]]) -> Vec<Dipole> {
    // Every node sums its own range: O(F log F), and the order of summation is plain.
    bvh.nodes.iter().map(|node| dipole(node, bvh, corners)).collect()
}

fn dipole(node: &Node, bvh: &Bvh, corners: &[[Vec3; 3]]) -> Dipole {
    let (mut area_vector, mut weighted, mut area) = (Vec3::zeros(), Vec3::zeros(), 0.0);
    for &item in &bvh.items[node.start as usize..node.end as usize] {
        let [a, b, c] = corners[item as usize];
        let vector = (b - a).cross(&(c - a)) * 0.5;
        let size = vector.norm();
        area_vector += vector;
        area += size;
        weighted += (a + b + c) * (size / 3.0);
    }
    let middle = (node.bounds.low + node.bounds.high) * 0.5;
    let centre = if area > 0.0 { weighted / area } else { middle };
    let reach = (centre - node.bounds.low).sup(&(node.bounds.high - centre));
    Dipole { area_vector, centre, radius: reach.norm() }
}

/// Sum over the tree, near triangles exactly, far nodes as dipoles.
pub(super) fn winding_number(bvh: &Bvh, dipoles: &[Dipole], corners: &[[Vec3; 3]], q: Vec3) -> f64 {
    let mut sum = 0.0;
    let mut stack = Vec::with_capacity(64);
    if !bvh.nodes.is_empty() {
        stack.push(0usize);
    }
    while let Some(node) = stack.pop() {
        let Dipole { area_vector, centre, radius } = dipoles[node];
        let d = centre - q;
        let squared = d.norm_squared();
        if squared > (FAR * radius).powi(2) {
            sum += area_vector.dot(&d) / (squared * squared.sqrt());
            continue;
        }
        let Node { start, end, right, .. } = bvh.nodes[node];
        if right == 0 {
            for &item in &bvh.items[start as usize..end as usize] {
                sum += solid_angle(q, corners[item as usize]);
            }
        } else {
            stack.push(right as usize);
            stack.push(node + 1);
        }
    }
    sum / (4.0 * PI)
}

/// Signed solid angle of a triangle seen from q: tan(Ω/2) = det[a b c]/(|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|)
/// (A. van Oosterom, J. Strackee, The solid angle of a plane triangle, 1983). Zero if q lies in its plane.
fn solid_angle(q: Vec3, corners: [Vec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|x| x - q);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let det = a.dot(&b.cross(&c));
    if det == 0.0 {
        return 0.0;
    }
    2.0 * det.atan2(la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb)
}
