//! Separating axes of boxes and polyhedra: the direction in which they overlap least (Gottschalk, Lin & Manocha 1996; for
//! polyhedra with the Gauss maps of Gregorius 2013).

use super::Placed;
use crate::Polyhedron;
use nalgebra::Isometry3;
use pd_core::{Mat3, Real, Vec3};

/// What separates best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Best {
    /// A face of the first.
    FaceA(usize),
    /// A face of the second.
    FaceB(usize),
    /// An edge of each.
    Edges(usize, usize),
}

/// The axis along which two shapes overlap least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) best: Best,
    /// Unit normal in the world, from the second to the first.
    pub(super) normal: Vec3,
}

/// An edge must separate better than a face by this share of the overlap, and by rounding, to be preferred: faces hold
/// with four points, and the choice must not change from step to step.
const PREFER: Real = 0.95;

fn better(new: Real, old: Real, scale: Real) -> bool {
    new > (if old < 0.0 { old * PREFER } else { old / PREFER }) + 1e-5 * scale
}

/// Two boxes; `None` if they are farther apart than `reach`.
pub(super) fn boxes(a: (&Vec3, &Isometry3<Real>), b: (&Vec3, &Isometry3<Real>), reach: Real) -> Option<Axis> {
    let (ra, rb) = (a.1.rotation.to_rotation_matrix(), b.1.rotation.to_rotation_matrix());
    let (ra, rb): (&Mat3, &Mat3) = (ra.matrix(), rb.matrix());
    // b in the frame of a.
    let c = ra.transpose() * rb;
    let t = ra.transpose() * (b.1.translation.vector - a.1.translation.vector);
    let abs = c.map(Real::abs);
    let scale = a.0.min() + b.0.min();
    let mut best = (Real::NEG_INFINITY, Best::FaceA(0), Vec3::zeros());
    for i in 0..3 {
        let gap = t[i].abs() - a.0[i] - abs.row(i).transpose().dot(b.0);
        if gap > reach {
            return None;
        }
        if best.0 == Real::NEG_INFINITY || better(gap, best.0, scale) {
            // Faces come as pairs, the negative side first; the one that looks towards the other box.
            let away = t[i] > 0.0;
            let column: Vec3 = ra.column(i).into();
            best = (gap, Best::FaceA(2 * i + usize::from(away)), if away { -column } else { column });
        }
    }
    for j in 0..3 {
        let along = t.dot(&c.column(j));
        let gap = along.abs() - b.0[j] - abs.column(j).dot(a.0);
        if gap > reach {
            return None;
        }
        if better(gap, best.0, scale) {
            let away = along < 0.0;
            let column: Vec3 = rb.column(j).into();
            best = (gap, Best::FaceB(2 * j + usize::from(away)), if away { column } else { -column });
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            // a_i × b_j in the frame of a; nearly parallel edges say nothing new.
            let (u, v) = ((i + 1) % 3, (i + 2) % 3);
            let mut axis = Vec3::zeros();
            (axis[u], axis[v]) = (-c[(v, j)], c[(u, j)]);
            let length = axis.norm();
            if length < 1e-4 {
                continue;
            }
            axis /= length;
            let along = t.dot(&axis);
            if along > 0.0 {
                axis = -axis; // towards a
            }
            let local = c.transpose() * axis;
            let gap = along.abs() - a.0.dot(&axis.map(Real::abs)) - b.0.dot(&local.map(Real::abs));
            if gap > reach {
                return None;
            }
            if better(gap, best.0, scale) {
                best = (gap, Best::Edges(box_edge(i, &-axis), box_edge(j, &local)), ra * axis);
            }
        }
    }
    Some(Axis { best: best.1, normal: best.2 })
}

/// The edge of a box along an axis that lies farthest in a direction, as `axis << 3 | first vertex`.
fn box_edge(axis: usize, direction: &Vec3) -> usize {
    let bit = |k: usize| usize::from(direction[k] > 0.0) << k;
    axis << 3 | bit((axis + 1) % 3) | bit((axis + 2) % 3)
}

/// Ends of the edge numbered by [`box_edge`].
pub(super) fn box_edge_ends(edge: usize) -> [usize; 2] {
    let (axis, first) = (edge >> 3, edge & 7);
    [first, first | 1 << axis]
}

/// Two polyhedra; `None` if they are farther apart than `reach`.
pub(super) fn polyhedra(a: Placed<'_>, b: Placed<'_>, reach: Real) -> Option<Axis> {
    let (sa, sb) = (a.0.solid()?, b.0.solid()?);
    // b's frame seen from a's.
    let into_a = a.1.inverse() * b.1;
    let into_b = into_a.inverse();
    let scale = 0.1 * (a.0.reach() + b.0.reach());
    let faces = |of: &Polyhedron, other: &Polyhedron, into_other: &Isometry3<Real>| {
        let mut best = (Real::NEG_INFINITY, 0);
        for (k, face) in of.faces().iter().enumerate() {
            let direction = into_other.rotation * -face.normal;
            let vertex = other.vertices()[other.support(&direction)];
            let back = into_other.inverse() * nalgebra::Point3::from(vertex);
            let gap = face.normal.dot(&back.coords) - face.offset;
            if gap > best.0 {
                best = (gap, k);
            }
        }
        best
    };
    let from_a = faces(sa, sb, &into_b);
    if from_a.0 > reach {
        return None;
    }
    let from_b = faces(sb, sa, &into_a);
    if from_b.0 > reach {
        return None;
    }
    let mut best = (from_a.0, Best::FaceA(from_a.1), -(a.1.rotation * sa.faces()[from_a.1].normal));
    if better(from_b.0, best.0, scale) {
        best = (from_b.0, Best::FaceB(from_b.1), b.1.rotation * sb.faces()[from_b.1].normal);
    }
    let centre = |s: &Polyhedron| s.vertices().iter().sum::<Vec3>() / s.vertices().len() as Real;
    let centre_a = centre(sa);
    for (i, ([a0, a1], fa)) in sa.edges().iter().enumerate() {
        let (pa, da) =
            (sa.vertices()[*a0 as usize], sa.vertices()[*a1 as usize] - sa.vertices()[*a0 as usize]);
        let [na, nb] = fa.map(|f| sa.faces()[f as usize].normal);
        for (j, ([b0, b1], fb)) in sb.edges().iter().enumerate() {
            let [nc, nd] = fb.map(|f| into_a.rotation * sb.faces()[f as usize].normal);
            if !arcs_cross(&na, &nb, &-nc, &-nd) {
                continue;
            }
            let pb = (into_a * nalgebra::Point3::from(sb.vertices()[*b0 as usize])).coords;
            let end = (into_a * nalgebra::Point3::from(sb.vertices()[*b1 as usize])).coords;
            let cross = da.cross(&(end - pb));
            if cross.norm() < 1e-4 * da.norm() * (end - pb).norm() {
                continue;
            }
            let mut n = cross.normalize();
            if n.dot(&(pa - centre_a)) < 0.0 {
                n = -n; // away from a
            }
            let gap = n.dot(&(pb - pa));
            if gap > reach {
                return None;
            }
            if better(gap, best.0, scale) {
                best = (gap, Best::Edges(i, j), a.1.rotation * -n);
            }
        }
    }
    Some(Axis { best: best.1, normal: best.2 })
}

/// Whether the arcs ab and cd of unit normals cross on the sphere, so that their edges make a face of the Minkowski
/// difference.
fn arcs_cross(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> bool {
    let (ba, dc) = (b.cross(a), d.cross(c));
    let (cba, dba, adc, bdc) = (c.dot(&ba), d.dot(&ba), a.dot(&dc), b.dot(&dc));
    cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0
}
