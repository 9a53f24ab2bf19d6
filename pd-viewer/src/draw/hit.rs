//! A ray and a triangle, after Möller and Trumbore (1997), in double precision.

use super::Ray;
use pd_core::Vec3;

/// What a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Triangle of the topology.
    pub triangle: u32,
    /// Corner of it nearest to the point.
    pub vertex: u32,
    /// The point, m.
    pub point: Vec3,
    /// Its distance from the ray's origin, m.
    pub distance: f64,
}

/// As [`PickTree::pick`](super::PickTree::pick), by trying every triangle: the oracle, and good enough for small meshes.
pub fn pick_brute_force(ray: &Ray, triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> Option<Hit> {
    let mut best: Option<(f64, u32)> = None;
    for (k, t) in triangles.iter().enumerate() {
        if let Some(distance) = meet(ray, t.map(|v| positions[v as usize]))
            && best.is_none_or(|(d, _)| distance < d)
        {
            best = Some((distance, k as u32));
        }
    }
    best.map(|(distance, item)| hit(ray, distance, item, triangles, positions))
}

/// Distance at which a ray meets a triangle.
pub(super) fn meet(ray: &Ray, corners: [[f32; 3]; 3]) -> Option<f64> {
    let [a, b, c] = corners.map(|p| Vec3::from(p.map(f64::from)));
    let (e1, e2) = (b - a, c - a);
    let p = ray.direction.cross(&e2);
    let det = e1.dot(&p);
    if det == 0.0 {
        return None;
    }
    let s = ray.origin - a;
    let u = s.dot(&p) / det;
    if !(0.0..=1.0).contains(&u) {
        return None;
    }
    let q = s.cross(&e1);
    let v = ray.direction.dot(&q) / det;
    if v < 0.0 || u + v > 1.0 {
        return None;
    }
    let t = e2.dot(&q) / det;
    (t > 0.0).then_some(t)
}

/// What is reported of a triangle met at this distance.
pub(super) fn hit(
    ray: &Ray,
    distance: f64,
    triangle: u32,
    triangles: &[[u32; 3]],
    positions: &[[f32; 3]],
) -> Hit {
    let point = ray.at(distance);
    let corners = triangles[triangle as usize];
    let away = |v: u32| (Vec3::from(positions[v as usize].map(f64::from)) - point).norm_squared();
    let nearer = |a: u32, b: u32| if away(b) < away(a) { b } else { a };
    let vertex = nearer(nearer(corners[0], corners[1]), corners[2]);
    Hit { triangle, vertex, point, distance }
}
