//! Distance of two convex shapes from below (Gilbert, Johnson & Keerthi 1988), for shapes far enough apart that only their
//! distance matters.

use super::Placed;
use crate::Shape;
use pd_core::{Mat3, Real, Vec3};

/// Most refinements.
const STEPS: usize = 32;

/// A distance (m) that two shapes keep at least, within a thousandth of the true one, and the unit direction from the second to
/// the first in which they keep it; `None` if they overlap or are too near to tell.
pub(super) fn separation(a: Placed<'_>, b: Placed<'_>) -> Option<(Real, Vec3)> {
    let mut simplex = [Vec3::zeros(); 4];
    let mut len = 0;
    let mut v =
        (a.1.translation.vector - b.1.translation.vector).try_normalize(1e-12).unwrap_or_else(Vec3::y);
    let mut best = (0.0, Vec3::zeros());
    for _ in 0..STEPS {
        // The point of a − b that lies farthest against v.
        let w = farthest(a, &-v) - farthest(b, &v);
        let size = v.norm();
        let below = v.dot(&w) / size;
        if below > best.0 {
            best = (below, v / size);
        }
        if len > 0 && size - below < 1e-3 * size {
            break;
        }
        if len == 4 || simplex[..len].contains(&w) {
            break;
        }
        simplex[len] = w;
        len += 1;
        v = nearest(&mut simplex, &mut len);
        if v.norm_squared() < 1e-20 {
            return None;
        }
    }
    (best.0 > 0.0).then_some(best)
}

/// The point of a shape farthest along a direction, world frame.
fn farthest(a: Placed<'_>, direction: &Vec3) -> Vec3 {
    let local = a.1.rotation.inverse() * direction;
    let point = match a.0 {
        Shape::HalfSpace => Vec3::zeros(),
        shape => shape.support(&local),
    };
    a.1.translation.vector + a.1.rotation * point
}

/// The point of a simplex nearest to the origin; corners that it does not need are dropped. All subsets are tried: the
/// smallest that holds the foot of the origin in its inside is the answer.
fn nearest(simplex: &mut [Vec3; 4], len: &mut usize) -> Vec3 {
    let mut best = (Real::INFINITY, Vec3::zeros(), 0usize);
    for subset in 1..1usize << *len {
        let mut corners = [Vec3::zeros(); 4];
        let mut count = 0;
        for (k, p) in simplex[..*len].iter().enumerate() {
            if subset >> k & 1 == 1 {
                corners[count] = *p;
                count += 1;
            }
        }
        let Some(foot) = foot(&corners[..count]) else { continue };
        let square = foot.norm_squared();
        if square < best.0 {
            best = (square, foot, subset);
        }
    }
    let all = *simplex;
    let before = std::mem::take(len);
    for (k, p) in all[..before].iter().enumerate() {
        if best.2 >> k & 1 == 1 {
            simplex[*len] = *p;
            *len += 1;
        }
    }
    best.1
}

/// Foot of the origin on a point, line, plane or in a tetrahedron, if it lies between the corners.
fn foot(corners: &[Vec3]) -> Option<Vec3> {
    let inside = |t: Real| t >= 0.0;
    match *corners {
        [a] => Some(a),
        [a, b] => {
            let d = b - a;
            let t = -a.dot(&d) / d.norm_squared();
            (inside(t) && inside(1.0 - t)).then(|| a + d * t)
        }
        [a, b, c] => {
            let (d, e) = (b - a, c - a);
            let (dd, de, ee) = (d.norm_squared(), d.dot(&e), e.norm_squared());
            let determinant = dd * ee - de * de;
            if determinant <= 1e-14 * dd * ee {
                return None;
            }
            let s = (de * a.dot(&e) - ee * a.dot(&d)) / determinant;
            let t = (de * a.dot(&d) - dd * a.dot(&e)) / determinant;
            (inside(s) && inside(t) && inside(1.0 - s - t)).then(|| a + d * s + e * t)
        }
        [a, b, c, d] => {
            let weights = Mat3::from_columns(&[b - a, c - a, d - a]).try_inverse()? * -a;
            (weights.iter().all(|&w| inside(w)) && inside(1.0 - weights.sum())).then(Vec3::zeros)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Isometry3;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        /// Against spheres around the nearest points: the distance is a lower bound and nearly the true one.
        #[test]
        fn a_box_and_a_capsule_are_as_far_apart_as_their_nearest_points(
            at in prop::array::uniform3(-2.0..2.0f64), turn in prop::array::uniform3(-3.0..3.0f64),
            spin in prop::array::uniform3(-3.0..3.0f64),
        ) {
            let (block, capsule) = (Shape::cuboid(Vec3::new(0.5, 0.3, 0.2)).unwrap(), Shape::capsule(0.4, 0.1).unwrap());
            let pose = Isometry3::new(Vec3::from(at) * 2.0, Vec3::from(turn));
            let own = Isometry3::new(Vec3::zeros(), Vec3::from(spin));
            // By brute force: points of the core of the capsule against the box.
            let core = |t: Real| pose * nalgebra::Point3::new(0.0, t, 0.0);
            let distance = |p: nalgebra::Point3<Real>| {
                let local = own.inverse() * p;
                let clamped = local.coords.zip_map(&Vec3::new(0.5, 0.3, 0.2), |x, h| x.clamp(-h, h));
                (local.coords - clamped).norm()
            };
            let exact = (0..=4000).map(|k| distance(core(-0.4 + 0.8 * k as Real / 4000.0))).fold(Real::INFINITY, Real::min) - 0.1;
            match separation((&capsule, &pose), (&block, &own)) {
                Some((found, n)) => {
                    prop_assert!(found <= exact + 1e-3, "{found} {exact}");
                    prop_assert!(found >= 0.99 * exact - 1e-3, "{found} {exact}");
                    prop_assert!((n.norm() - 1.0).abs() < 1e-12);
                }
                None => prop_assert!(exact < 1e-3, "{exact}"),
            }
        }
    }
}
