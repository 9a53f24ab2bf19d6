//! Convex polyhedra: vertices, polygonal faces and edges, from a box or as the hull of points.
//!
//! The hull grows point by point (Barber, Dobkin & Huhdanpaa 1996 without its outside sets: hulls here are small);
//! triangles in one plane are then merged into polygons, so that a face rests on a face with one clipping.

use crate::RigidError;
use crate::error::positive;
use pd_core::{Real, Vec3};

/// A polygonal face.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: Vec3,
    /// The face lies in normal · x = offset, m.
    pub offset: Real,
    /// Vertices, counter-clockwise seen from outside.
    pub corners: Vec<u32>,
}

/// A convex polyhedron.
///
/// ```
/// use pd_core::Vec3;
/// use pd_rigid::Polyhedron;
/// let tetrahedron = Polyhedron::hull(&[Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::repeat(0.1)])?;
/// assert_eq!((tetrahedron.vertices().len(), tetrahedron.faces().len()), (4, 4)); // the inner point is left out
/// let cube = Polyhedron::cuboid(Vec3::repeat(0.5))?;
/// assert_eq!((cube.faces().len(), cube.edges().len()), (6, 12));
/// # Ok::<(), pd_rigid::RigidError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    vertices: Vec<Vec3>,
    faces: Vec<Face>,
    /// Ends of each edge and the faces on its two sides.
    edges: Vec<([u32; 2], [u32; 2])>,
}

impl Polyhedron {
    /// Most vertices of a hull.
    pub const MOST_VERTICES: usize = 64;

    /// A box with these half extents, m, about the origin.
    ///
    /// # Errors
    /// [`RigidError::Parameter`] if an extent is not positive and finite.
    pub fn cuboid(half: Vec3) -> Result<Self, RigidError> {
        for (axis, name) in ["half extent x", "half extent y", "half extent z"].into_iter().enumerate() {
            positive("box", name, half[axis])?;
        }
        // Bit a of a vertex's number is the side along axis a.
        let vertices: Vec<Vec3> = (0..8u32)
            .map(|k| Vec3::from_fn(|a, _| if k >> a & 1 == 1 { half[a] } else { -half[a] }))
            .collect();
        let mut faces = Vec::with_capacity(6);
        for axis in 0..3 {
            let (u, v) = (1u32 << ((axis + 1) % 3), 1u32 << ((axis + 2) % 3));
            let mut normal = Vec3::zeros();
            normal[axis] = -1.0;
            faces.push(Face { normal, offset: half[axis], corners: vec![0, v, u | v, u] });
            let up = 1u32 << axis;
            faces.push(Face {
                normal: -normal,
                offset: half[axis],
                corners: vec![up, up | u, up | u | v, up | v],
            });
        }
        Ok(Self { edges: edges(&faces), vertices, faces })
    }

    /// The convex hull of points, m.
    ///
    /// # Errors
    /// [`RigidError::FlatHull`] if the points have no volume between them, [`RigidError::LargeHull`] if the hull has more
    /// than [`Self::MOST_VERTICES`] vertices, [`RigidError::Parameter`] if a coordinate is not finite.
    pub fn hull(points: &[Vec3]) -> Result<Self, RigidError> {
        if let Some(&value) = points.iter().flat_map(|p| p.iter()).find(|c| !c.is_finite()) {
            return Err(RigidError::Parameter {
                what: "hull",
                name: "coordinate",
                value,
                expected: "it must be finite",
            });
        }
        let triangles = Growing::new(points)?.grow();
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let renumber = |v: u32| used.partition_point(|&u| u < v) as u32;
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(renumber)).collect();
        let vertices: Vec<Vec3> = used.iter().map(|&v| points[v as usize]).collect();
        let faces = merge(&vertices, &triangles);
        if vertices.len() > Self::MOST_VERTICES {
            return Err(RigidError::LargeHull { vertices: vertices.len(), most: Self::MOST_VERTICES });
        }
        Ok(Self { edges: edges(&faces), vertices, faces })
    }

    /// The hull of points, with at most [`Self::MOST_VERTICES`] vertices: of larger hulls those farthest along evenly spread
    /// directions. What is cut off is reported as the largest distance of a point from the hull, m.
    ///
    /// ```
    /// # use pd_core::Vec3;
    /// # use pd_rigid::Polyhedron;
    /// let turn = |k: u32| f64::from(k) * 2.4;
    /// let height = |k: u32| 1.0 - f64::from(2 * k + 1) / 500.0;
    /// let ring = |k: u32| (1.0 - height(k) * height(k)).sqrt();
    /// let ball: Vec<Vec3> = (0..500).map(|k| Vec3::new(ring(k) * turn(k).cos(), height(k), ring(k) * turn(k).sin())).collect();
    /// let (hull, cut) = Polyhedron::simplified_hull(&ball)?;
    /// assert!(hull.vertices().len() <= 64 && cut < 0.1);
    /// # Ok::<(), pd_rigid::RigidError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Self::hull`] except [`RigidError::LargeHull`].
    pub fn simplified_hull(points: &[Vec3]) -> Result<(Self, Real), RigidError> {
        let most = Self::MOST_VERTICES;
        let mut chosen: Vec<usize> = vec![];
        for k in 0..most {
            // Fibonacci's spiral.
            let y = 1.0 - (2 * k + 1) as Real / most as Real;
            let (r, a) = ((1.0 - y * y).sqrt(), k as Real * 2.399_963_229_728_653);
            let direction = Vec3::new(r * a.cos(), y, r * a.sin());
            let along = |i: &usize| points[*i].dot(&direction);
            chosen.extend((0..points.len()).max_by(|i, j| along(i).total_cmp(&along(j)).then(j.cmp(i))));
        }
        chosen.sort_unstable();
        chosen.dedup();
        let hull = match Self::hull(points) {
            Err(RigidError::LargeHull { .. }) => {
                Self::hull(&chosen.iter().map(|&i| points[i]).collect::<Vec<_>>())?
            }
            hull => hull?,
        };
        let above = |p: &Vec3| {
            hull.faces.iter().map(|f| f.normal.dot(p) - f.offset).fold(Real::NEG_INFINITY, Real::max)
        };
        let cut = points.iter().map(above).fold(0.0, Real::max);
        Ok((hull, cut))
    }

    /// A convex polyhedron whose faces are known.
    pub(crate) fn from_faces(vertices: Vec<Vec3>, faces: Vec<Face>) -> Self {
        Self { edges: edges(&faces), vertices, faces }
    }

    /// Vertices, m.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Ends of each edge and the two faces that meet there.
    pub fn edges(&self) -> &[([u32; 2], [u32; 2])] {
        &self.edges
    }

    /// Number of a vertex farthest along a direction, the first of several.
    pub fn support(&self, direction: &Vec3) -> usize {
        let mut best = (0, Real::NEG_INFINITY);
        for (k, vertex) in self.vertices.iter().enumerate() {
            let along = vertex.dot(direction);
            if along > best.1 {
                best = (k, along);
            }
        }
        best.0
    }

    /// The face whose normal is nearest to a direction, the first of several.
    pub fn face_along(&self, direction: &Vec3) -> usize {
        let mut best = (0, Real::NEG_INFINITY);
        for (k, face) in self.faces.iter().enumerate() {
            let along = face.normal.dot(direction);
            if along > best.1 {
                best = (k, along);
            }
        }
        best.0
    }

    /// Triangles of the faces, fans, counter-clockwise seen from outside.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let fan = |face: &Face| {
            let c = face.corners.clone();
            (1..c.len().saturating_sub(1)).map(move |k| [c[0], c[k], c[k + 1]])
        };
        self.faces.iter().flat_map(fan).collect()
    }
}

/// Edges of closed polygons, each once, in the order of their ends.
fn edges(faces: &[Face]) -> Vec<([u32; 2], [u32; 2])> {
    let mut halves: Vec<([u32; 2], u32)> = vec![];
    for (f, face) in faces.iter().enumerate() {
        for (k, &a) in face.corners.iter().enumerate() {
            let b = face.corners[(k + 1) % face.corners.len()];
            halves.push(([a.min(b), a.max(b)], f as u32));
        }
    }
    halves.sort_unstable();
    halves.chunk_by(|a, b| a.0 == b.0).filter(|h| h.len() == 2).map(|h| (h[0].0, [h[0].1, h[1].1])).collect()
}

/// A hull while points are added.
struct Growing<'a> {
    points: &'a [Vec3],
    /// Triangle, its unit normal and its offset.
    triangles: Vec<([u32; 3], Vec3, Real)>,
    /// Distance below which a point counts as on a plane, m.
    slack: Real,
}

impl<'a> Growing<'a> {
    /// The largest tetrahedron that a greedy choice of four points gives.
    fn new(points: &'a [Vec3]) -> Result<Self, RigidError> {
        let farthest = |measure: &dyn Fn(&Vec3) -> Real| {
            let mut best = (0, Real::NEG_INFINITY);
            for (k, p) in points.iter().enumerate() {
                if measure(p) > best.1 {
                    best = (k, measure(p));
                }
            }
            best
        };
        let (a, _) = farthest(&|p| -p.x);
        let Some(&pa) = points.get(a) else {
            return Err(RigidError::FlatHull { points: 0, thickness: 0.0, width: 0.0 });
        };
        let (b, width) = farthest(&|p| (p - pa).norm());
        let along = (points[b] - pa).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let (c, _) = farthest(&|p| along.cross(&(p - pa)).norm());
        let plane = along.cross(&(points[c] - pa)).try_normalize(1e-9 * width).unwrap_or_else(Vec3::zeros);
        let (d, thickness) = farthest(&|p| plane.dot(&(p - pa)).abs());
        if width.is_nan() || thickness.is_nan() || thickness <= 1e-6 * width {
            return Err(RigidError::FlatHull { points: points.len(), thickness, width });
        }
        let mut growing = Self { points, triangles: vec![], slack: 1e-10 * width };
        let [a, b, c, d] = [a, b, c, d].map(|k| k as u32);
        let above = plane.dot(&(points[d as usize] - pa)) > 0.0;
        let base = if above { [a, c, b] } else { [a, b, c] };
        growing.add(base);
        for k in 0..3 {
            growing.add([base[(k + 1) % 3], base[k], d]);
        }
        Ok(growing)
    }

    fn add(&mut self, t: [u32; 3]) {
        let [a, b, c] = t.map(|v| self.points[v as usize]);
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        self.triangles.push((t, normal, normal.dot(&a)));
    }

    fn grow(mut self) -> Vec<[u32; 3]> {
        for v in 0..self.points.len() as u32 {
            let p = self.points[v as usize];
            let sees = |t: &([u32; 3], Vec3, Real)| t.1.dot(&p) - t.2 > self.slack;
            let seen: Vec<[u32; 3]> = self.triangles.iter().filter(|t| sees(t)).map(|t| t.0).collect();
            if seen.is_empty() {
                continue;
            }
            self.triangles.retain(|t| t.1.dot(&p) - t.2 <= self.slack);
            let half = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
            let inner: Vec<[u32; 2]> = seen.iter().flat_map(half).collect();
            for &[a, b] in &inner {
                if !inner.contains(&[b, a]) {
                    self.add([a, b, v]);
                }
            }
        }
        self.triangles.into_iter().map(|t| t.0).collect()
    }
}

/// Merges neighbouring triangles in one plane into polygons.
fn merge(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Face> {
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        (b - a).cross(&(c - a))
    };
    // Largest first: its normal is the best known one of its plane.
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&i, &j| area(&triangles[j]).norm().total_cmp(&area(&triangles[i]).norm()).then(i.cmp(&j)));
    let mut taken = vec![false; triangles.len()];
    let mut faces = vec![];
    for &seed in &order {
        if taken[seed] {
            continue;
        }
        let Some(normal) = area(&triangles[seed]).try_normalize(0.0) else { continue };
        let offset = normal.dot(&vertices[triangles[seed][0] as usize]);
        let scale = vertices.iter().map(|p| p.amax()).fold(0.0, Real::max);
        let flat = |t: &[u32; 3]| {
            t.iter().all(|&v| (normal.dot(&vertices[v as usize]) - offset).abs() < 1e-7 * scale)
        };
        let mut halves: Vec<[u32; 2]> = vec![];
        for (k, t) in triangles.iter().enumerate() {
            if !taken[k] && (k == seed || (flat(t) && area(t).dot(&normal) >= 0.0)) {
                taken[k] = true;
                halves.extend([[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
            }
        }
        let border: Vec<[u32; 2]> =
            halves.iter().copied().filter(|&[a, b]| !halves.contains(&[b, a])).collect();
        let mut corners = vec![];
        let mut next = border.iter().copied().min();
        while let Some([a, b]) = next {
            if corners.contains(&a) {
                break;
            }
            corners.push(a);
            next = border.iter().copied().find(|h| h[0] == b);
        }
        faces.push(Face { normal, offset, corners });
    }
    faces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cube_with_points_on_its_faces_has_six_faces() {
        let mut points = Polyhedron::cuboid(Vec3::new(0.5, 1.0, 2.0)).unwrap().vertices().to_vec();
        points.extend([Vec3::new(0.5, 0.2, 0.3), Vec3::new(0.1, -1.0, 0.3), Vec3::zeros()]);
        let hull = Polyhedron::hull(&points).unwrap();
        assert_eq!(hull.faces().len(), 6);
        assert_eq!(hull.edges().len(), 12);
    }

    #[test]
    fn flat_and_large_hulls_are_refused() {
        let flat: Vec<Vec3> = (0..9).map(|k| Vec3::new((k % 3) as Real, (k / 3) as Real, 0.0)).collect();
        assert!(matches!(Polyhedron::hull(&flat), Err(RigidError::FlatHull { points: 9, .. })));
        assert!(matches!(Polyhedron::hull(&[]), Err(RigidError::FlatHull { points: 0, .. })));
        assert!(matches!(Polyhedron::hull(&[Vec3::x(); 8]), Err(RigidError::FlatHull { .. })));
        let ball: Vec<Vec3> = (0..200)
            .map(|k| {
                let (z, a) = (1.0 - (2 * k + 1) as Real / 200.0, k as Real * 2.4);
                Vec3::new((1.0 - z * z).sqrt() * a.cos(), (1.0 - z * z).sqrt() * a.sin(), z)
            })
            .collect();
        assert!(matches!(Polyhedron::hull(&ball), Err(RigidError::LargeHull { vertices: 200, .. })));
        assert!(matches!(Polyhedron::hull(&[Vec3::repeat(Real::NAN)]), Err(RigidError::Parameter { .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_point_is_inside_and_the_surface_is_closed(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 5..40)
        ) {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            let Ok(hull) = Polyhedron::hull(&points) else { return Ok(()) };
            for face in hull.faces() {
                for p in &points {
                    prop_assert!(face.normal.dot(p) <= face.offset + 1e-6);
                }
            }
            // Euler: V − E + F = 2.
            prop_assert_eq!(hull.vertices().len() + hull.faces().len(), hull.edges().len() + 2);
        }
    }
}
