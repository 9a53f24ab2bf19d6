//! A closed triangle mesh as an obstacle, at rest or deforming over time.
//!
//! The distance is that to the nearest point of the triangles. Its sign is the side of the angle-weighted pseudonormal
//! there (Bærentzen & Aanæs 2005), which is exact for closed meshes that do not cross themselves, costs nothing beside
//! the search, and is known at any time without building anything.
//!
//! Positions between two frames are interpolated linearly. The boxes of the tree hold for the whole time between the
//! frames, so that a sample needs neither state nor a refit.

use crate::CollideError;
use crate::batch::sample_each;
use crate::error::not_negative;
use crate::mesh::check;
use crate::mesh::closest;
use crate::mesh::tree::{self, Node};
use crate::rounding::direction;
use pd_core::{Aabb, Collider, Real, Surface, SurfaceMesh, Vec3};

/// A closed triangle mesh.
///
/// ```
/// use pd_collide::TriangleMesh;
/// use pd_core::{Collider, Vec3};
/// // A tetrahedron that grows to twice its size within a second.
/// let small = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
/// let large = small.iter().map(|p| p * 2.0).collect();
/// let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// let mesh = TriangleMesh::deforming(vec![(0.0, small), (1.0, large)], faces)?;
/// let (p, start, end) = (Vec3::repeat(2.0 / 3.0), 0.0, 1.0);
/// assert!(mesh.surface_at(&p, start).distance > 0.5);
/// assert!(mesh.surface_at(&p, end).distance.abs() < 1e-15);
/// assert!((mesh.surface_at(&p, 0.5).velocity - Vec3::repeat(1.0 / 3.0)).norm() < 1e-15);
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    /// Times in s, ascending, and positions in m.
    frames: Vec<(Real, Vec<Vec3>)>,
    triangles: Vec<[u32; 3]>,
    order: Vec<u32>,
    /// Of each part: before the first frame, between two, after the last.
    parts: Vec<Vec<Node>>,
    /// Triangles around each vertex: where they begin, and they.
    around: (Vec<u32>, Vec<u32>),
    margin: Real,
}

/// A time between two frames.
struct Moment<'a> {
    part: usize,
    from: &'a [Vec3],
    to: &'a [Vec3],
    /// Weight of `to`.
    fraction: Real,
    /// Inverse of the time between, 1/s; zero at rest.
    rate: Real,
}

impl Moment<'_> {
    fn position(&self, v: u32) -> Vec3 {
        let (from, to) = (self.from[v as usize], self.to[v as usize]);
        if self.rate == 0.0 { from } else { from + (to - from) * self.fraction }
    }
}

impl TriangleMesh {
    /// A mesh at rest; vertices in m, triangles counter-clockwise seen from outside.
    ///
    /// # Errors
    /// [`CollideError::Mesh`] if the mesh is not closed, faces inwards, or its vertices are not finite.
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, CollideError> {
        Self::deforming(vec![(0.0, positions)], triangles)
    }

    /// A mesh that moves through frames: time in s, positions in m. Before the first and after the last it rests.
    ///
    /// # Errors
    /// [`CollideError::EmptyPath`] without frames, [`CollideError::KeyOrder`] if times do not ascend, and
    /// [`CollideError::Mesh`] if a frame is not closed, faces inwards, is not finite or has too few vertices.
    pub fn deforming(frames: Vec<(Real, Vec<Vec3>)>, triangles: Vec<[u32; 3]>) -> Result<Self, CollideError> {
        if frames.is_empty() {
            return Err(CollideError::EmptyPath);
        }
        for (index, (time, positions)) in frames.iter().enumerate() {
            check::sound(positions, &triangles)?;
            check::closed(positions, &triangles)?;
            if !time.is_finite() {
                return Err(CollideError::KeyNotFinite { index, time: *time, offset: Vec3::zeros() });
            }
            if index > 0 && *time <= frames[index - 1].0 {
                return Err(CollideError::KeyOrder { index, time: *time, previous: frames[index - 1].0 });
            }
        }
        let of = |frame: usize, t: u32| {
            let corners = triangles[t as usize].map(|v| frames[frame].1[v as usize]);
            Aabb::of_points(&corners)
        };
        let (order, nodes) = tree::build(triangles.len(), |t| of(0, t));
        let last = frames.len() - 1;
        let fitted = |part: usize| {
            let mut nodes = nodes.clone();
            tree::fit(&mut nodes, &order, |t| of(part.saturating_sub(1), t).union(&of(part.min(last), t)));
            nodes
        };
        let parts = (0..=frames.len()).map(fitted).collect();
        let around = around(frames[0].1.len(), &triangles);
        Ok(Self { frames, triangles, order, parts, around, margin: 0.0 })
    }

    /// The same mesh with another margin, m.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative or not finite.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        Ok(Self { margin: not_negative("triangle mesh", "margin", margin)?, ..self })
    }

    /// Distance kept to the mesh, m.
    pub fn margin(&self) -> Real {
        self.margin
    }

    /// Vertices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Positions at a time in s, m.
    pub fn positions(&self, time: Real) -> Vec<Vec3> {
        let moment = self.moment(time);
        (0..moment.from.len() as u32).map(|v| moment.position(v)).collect()
    }

    fn moment(&self, time: Real) -> Moment<'_> {
        let part = self.frames.partition_point(|frame| frame.0 <= time);
        let from = &self.frames[part.saturating_sub(1)];
        let to = &self.frames[part.min(self.frames.len() - 1)];
        let rate = if to.0 > from.0 { 1.0 / (to.0 - from.0) } else { 0.0 };
        Moment { part, from: &from.1, to: &to.1, fraction: (time - from.0) * rate, rate }
    }

    fn surface(&self, p: &Vec3, moment: &Moment<'_>) -> Surface {
        let corners = |t: u32| self.triangles[t as usize].map(|v| moment.position(v));
        let nodes = &self.parts[moment.part];
        let Some(nearest) = closest::search(nodes, &self.order, p, Real::INFINITY, corners) else {
            return Surface { distance: Real::NAN, ..Surface::default() };
        };
        let triangle = self.triangles[nearest.triangle as usize];
        let outward = self.pseudonormal(nearest.triangle, &nearest.weights, &corners);
        let away = p - nearest.point;
        let sign = if away.dot(&outward) < 0.0 { -1.0 } else { 1.0 };
        let normal =
            direction(&(away * sign)).or(direction(&outward)).map_or(Vec3::y(), |(normal, _)| normal);
        let velocity = (0..3)
            .map(|k| {
                let v = triangle[k] as usize;
                (moment.to[v] - moment.from[v]) * (moment.rate * nearest.weights[k])
            })
            .sum();
        Surface { distance: sign * nearest.distance - self.margin, normal, velocity }
    }

    /// The pseudonormal of the face, edge or vertex of a triangle with these weights: unit normals of the triangles
    /// around it, weighted by their angle at a vertex. Not of unit length.
    fn pseudonormal(&self, t: u32, weights: &[Real; 3], corners: &impl Fn(u32) -> [Vec3; 3]) -> Vec3 {
        let unit = |t: u32| {
            let [a, b, c] = corners(t);
            direction(&(b - a).cross(&(c - a))).map_or(Vec3::zeros(), |(normal, _)| normal)
        };
        let triangle = self.triangles[t as usize];
        let support = (0..3).filter(|&k| weights[k] != 0.0);
        let vertex = match support.clone().count() {
            3 => return unit(t),
            _ => triangle[support.clone().next().unwrap_or(0)],
        };
        let other = support.clone().nth(1).map(|k| triangle[k]);
        let (starts, triangles) = &self.around;
        let around = &triangles[starts[vertex as usize] as usize..starts[vertex as usize + 1] as usize];
        let mut sum = Vec3::zeros();
        for &t in around {
            let names = self.triangles[t as usize];
            match other {
                Some(other) if names.contains(&other) => sum += unit(t),
                Some(_) => {}
                None => {
                    let k = names.iter().position(|&v| v == vertex).unwrap_or(0);
                    let x = corners(t);
                    sum += unit(t) * (x[(k + 1) % 3] - x[k]).angle(&(x[(k + 2) % 3] - x[k]));
                }
            }
        }
        sum
    }
}

/// Triangles around each vertex.
fn around(vertices: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut uses: Vec<(u32, u32)> =
        triangles.iter().zip(0..).flat_map(|(names, t)| names.map(|v| (v, t))).collect();
    uses.sort_unstable();
    uses.dedup();
    let starts = (0..=vertices).map(|v| uses.partition_point(|u| (u.0 as usize) < v) as u32).collect();
    (starts, uses.iter().map(|u| u.1).collect())
}

impl Collider for TriangleMesh {
    fn kind(&self) -> &'static str {
        "triangle mesh"
    }

    fn sample(&self, points: &[Vec3], time: Real, out: &mut [Surface]) {
        let moment = self.moment(time);
        sample_each(points, out, |p| self.surface(p, &moment));
    }

    fn bounds(&self, time: Real) -> Aabb {
        self.parts[self.moment(time).part][0].bounds.grown(self.margin)
    }

    /// Of the first frame.
    fn mesh(&self) -> Option<SurfaceMesh> {
        Some(SurfaceMesh { positions: self.frames[0].1.clone(), triangles: self.triangles.clone() })
    }
}
