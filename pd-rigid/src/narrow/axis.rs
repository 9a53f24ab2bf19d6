//! Separating axes of polyhedra: the direction in which they overlap least, with the Gauss maps of Gregorius 2013.

use super::Placed;
use crate::Polyhedron;
use nalgebra::Isometry3;
use pd_core::{Real, Vec3};

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
pub(super) const PREFER: Real = 0.95;

/// What a gap must exceed to be preferred to an older one.
pub(super) fn better_than(old: Real, scale: Real) -> Real {
    (if old < 0.0 { old * PREFER } else { old / PREFER }) + 1e-5 * scale
}

fn better(new: Real, old: Real, scale: Real) -> bool {
    new > better_than(old, scale)
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
