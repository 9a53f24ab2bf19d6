//! Any obstacle as triangles, so that edges and faces of bodies meet its edges and faces: naive surface nets (Gibson 1998).
//!
//! On a grid of spacing s, every cell that the level φ = ε/2 passes through gets a vertex, the mean of its crossings with the edges of
//! the cell, moved onto the level by p ← p − (φ − ε/2) ∇φ. Every edge of the grid that the level crosses gets the quadrangle of the
//! four cells around it. s is halved until φ lies between 0 and ε wherever it is sampled on the triangles; a surface with
//! curvature κ takes s of about √(4 ε/κ).

use crate::CollideError;
use crate::error::{finite, positive};
use nalgebra::Isometry3;
use pd_core::{Collider, Motion, Real, Surface, SurfaceMesh, Vec3};
use std::sync::Arc;

/// Cells along the longest side at first.
const COARSE: Real = 16.0;
/// Nodes of a grid, at most.
const MOST_NODES: usize = 1 << 24;
/// Steps towards the level.
const STEPS: usize = 4;
/// Points sampled along a side of a triangle, ends included, less one.
const LATTICE: u32 = 4;

/// Triangles around an obstacle as it is at a time (s), between its surface and the distance `tolerance` (m) from it wherever sampled.
/// Obstacles whose [`mesh`](Collider::mesh) is within the tolerance have that.
///
/// ```
/// use pd_collide::{Torus, tessellate};
/// use pd_core::Vec3;
/// let ring = Torus::with_all(Vec3::zeros(), 0.5, 0.2, 0.0)?;
/// let mesh = tessellate(&ring, 0.0, 0.02)?;
/// assert!(mesh.positions.iter().all(|p| (p.y.hypot(p.xz().norm() - 0.5) - 0.21).abs() < 0.0101));
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
///
/// # Errors
/// [`CollideError::Parameter`] if the tolerance is not positive and finite, the obstacle is not bounded, or the tolerance takes more
/// than 2²⁴ nodes.
pub fn tessellate(obstacle: &dyn Collider, time: Real, tolerance: Real) -> Result<SurfaceMesh, CollideError> {
    positive("tessellation", "tolerance", tolerance)?;
    let pose = obstacle.pose(time);
    if let Some(mut mesh) = obstacle.mesh() {
        mesh.positions.iter_mut().for_each(|p| *p = pose.transform_point(&(*p).into()).coords);
        if holds(obstacle, time, &mesh, [-tolerance, tolerance]) {
            return Ok(mesh);
        }
    }
    let bounds = obstacle.bounds(time).grown(2.0 * tolerance);
    let size = bounds.max - bounds.min;
    finite("tessellation", "size of the obstacle", size.amax())?;
    let mut spacing = size.amax() / COARSE;
    loop {
        let counts = size.map(|side| (side / spacing).ceil().max(1.0));
        if counts.map(|n| n + 1.0).product() > MOST_NODES as Real {
            return Err(CollideError::Parameter {
                shape: "tessellation",
                name: "tolerance",
                value: tolerance,
                expected: "it takes more than 2^24 nodes; it must be larger",
            });
        }
        let net = Net { obstacle, time, level: 0.5 * tolerance, origin: bounds.min, spacing };
        let mesh = net.build(counts.iter().map(|&n| n as usize + 1).collect::<Vec<_>>().as_slice());
        if !mesh.triangles.is_empty() && holds(obstacle, time, &mesh, [0.0, tolerance]) {
            return Ok(mesh);
        }
        spacing *= 0.5;
    }
}

/// Whether the distance is within these bounds on a lattice of points of every triangle.
fn holds(obstacle: &dyn Collider, time: Real, mesh: &SurfaceMesh, [low, high]: [Real; 2]) -> bool {
    let mut points = vec![];
    let mut surfaces = vec![];
    mesh.triangles.iter().all(|t| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        points.clear();
        for i in 0..=LATTICE {
            for j in 0..=LATTICE - i {
                let part = |k: u32| Real::from(k) / Real::from(LATTICE);
                points.push(a + (b - a) * part(i) + (c - a) * part(j));
            }
        }
        surfaces.resize(points.len(), Surface::default());
        obstacle.sample(&points, time, &mut surfaces);
        surfaces.iter().all(|at| at.distance >= low && at.distance <= high)
    })
}

/// A grid over an obstacle.
struct Net<'a> {
    obstacle: &'a dyn Collider,
    time: Real,
    level: Real,
    origin: Vec3,
    spacing: Real,
}

impl Net<'_> {
    fn build(&self, nodes: &[usize]) -> SurfaceMesh {
        let &[nx, ny, nz] = nodes else { return SurfaceMesh::default() };
        let place =
            |[i, j, k]: [usize; 3]| self.origin + Vec3::new(i as Real, j as Real, k as Real) * self.spacing;
        let number = |[i, j, k]: [usize; 3]| (i * ny + j) * nz + k;
        let all = || (0..nx).flat_map(move |i| (0..ny).flat_map(move |j| (0..nz).map(move |k| [i, j, k])));
        let points: Vec<Vec3> = all().map(place).collect();
        let mut surfaces = vec![Surface::default(); points.len()];
        self.obstacle.sample(&points, self.time, &mut surfaces);
        let over: Vec<Real> = surfaces.iter().map(|at| at.distance - self.level).collect();
        let inside = |node: [usize; 3]| over[number(node)] < 0.0;
        // A vertex in each cell that the level passes through; cells have the number of their first corner.
        let mut mesh = SurfaceMesh::default();
        let mut vertex = vec![u32::MAX; points.len()];
        for cell in all().filter(|&[i, j, k]| i + 1 < nx && j + 1 < ny && k + 1 < nz) {
            let (mut sum, mut count) = (Vec3::zeros(), 0.0);
            for corner in 0..8usize {
                let from: [usize; 3] = std::array::from_fn(|a| cell[a] + (corner >> a & 1));
                for axis in (0..3).filter(|a| corner >> a & 1 == 0) {
                    let mut to = from;
                    to[axis] += 1;
                    if inside(from) != inside(to) {
                        let (f, t) = (over[number(from)], over[number(to)]);
                        sum += place(from) + (place(to) - place(from)) * (f / (f - t));
                        count += 1.0;
                    }
                }
            }
            if count > 0.0 {
                vertex[number(cell)] = mesh.positions.len() as u32;
                mesh.positions.push(self.onto_level(sum / count));
            }
        }
        for from in all() {
            for axis in 0..3 {
                let mut to = from;
                to[axis] += 1;
                // Of an edge on the border of the grid not all four cells exist; the level is farther inside.
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                if to[axis] >= nodes[axis] || from[u] == 0 || from[v] == 0 || inside(from) == inside(to) {
                    continue;
                }
                let cell = |back: [usize; 2]| {
                    let mut cell = from;
                    cell[u] -= back[0];
                    cell[v] -= back[1];
                    vertex[number(cell)]
                };
                let quad = [cell([1, 1]), cell([0, 1]), cell([0, 0]), cell([1, 0])];
                self.divide(&mut mesh, quad, inside(from));
            }
        }
        mesh
    }

    /// Two triangles of a quadrangle along its shorter diagonal; seen from the end of its edge of the grid it is counter-clockwise.
    fn divide(&self, mesh: &mut SurfaceMesh, [a, b, c, d]: [u32; 4], outwards: bool) {
        let x = |v: u32| mesh.positions[v as usize];
        let length = |p: u32, q: u32| (x(p) - x(q)).norm_squared();
        let [s, t] =
            if length(a, c) <= length(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        for [p, q, r] in [s, t] {
            mesh.triangles.push(if outwards { [p, q, r] } else { [p, r, q] });
        }
    }

    fn onto_level(&self, mut p: Vec3) -> Vec3 {
        for _ in 0..STEPS {
            let at = self.obstacle.surface_at(&p, self.time);
            // No farther than the cell, so that a vertex stays in its place on edges of the shape.
            let step = (at.distance - self.level).clamp(-0.5 * self.spacing, 0.5 * self.spacing);
            p -= at.normal * step;
        }
        p
    }
}

/// The motion of an obstacle that moves as a whole, for the vertices of its triangles at `time` 0: give both to
/// [`ModelBuilder::kinematic`](pd_core::ModelBuilder::kinematic) and leave the obstacle itself out.
#[derive(Clone)]
pub struct ObstacleMotion {
    obstacle: Arc<dyn Collider>,
    home: Isometry3<Real>,
}

impl ObstacleMotion {
    /// The motion of this obstacle.
    pub fn new(obstacle: Arc<dyn Collider>) -> Self {
        let home = obstacle.pose(0.0).inverse();
        Self { obstacle, home }
    }

    /// The obstacle.
    pub fn obstacle(&self) -> &Arc<dyn Collider> {
        &self.obstacle
    }
}

impl Motion for ObstacleMotion {
    fn positions(&self, time: Real, rest: &[Vec3], out: &mut [Vec3]) {
        let moved = self.obstacle.pose(time) * self.home;
        for (out, p) in out.iter_mut().zip(rest) {
            *out = moved.transform_point(&(*p).into()).coords;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::MeshQuery;
    use crate::{Block, Floor, HeightField, Moving, Path, SignedDistanceField, Torus};
    use pd_core::Aabb;

    #[test]
    fn round_and_edged_shapes_are_closed_and_outward() {
        let ring = Torus::with_all(Vec3::new(0.1, 0.2, 0.3), 0.5, 0.2, 0.0).unwrap();
        let block = Block::new(Vec3::zeros(), Vec3::new(0.3, 0.2, 0.1)).unwrap().with_margin(0.0).unwrap();
        // Two balls that overlap: a crease.
        let centres = [Vec3::x() * -0.15, Vec3::x() * 0.15];
        let bounds = Aabb { min: Vec3::new(-0.4, -0.25, -0.25), max: Vec3::new(0.4, 0.25, 0.25) };
        let balls = SignedDistanceField::from_fn(bounds, 0.02, |p| {
            centres.iter().map(|c| (p - c).norm() - 0.25).fold(Real::INFINITY, Real::min)
        })
        .unwrap();
        for (shape, volume) in [
            (&ring as &dyn Collider, 2.0 * std::f64::consts::PI.powi(2) * 0.5 * 0.04),
            (&block, 0.6 * 0.4 * 0.2),
            (&balls, 0.1229),
        ] {
            let mesh = MeshQuery::from_surface(tessellate(shape, 0.0, 0.02).unwrap()).unwrap();
            assert!(mesh.check_closed().is_ok(), "{}", shape.kind());
            let larger = mesh.volume() / volume;
            println!("{}: {} triangles, {larger:.3} of the volume", shape.kind(), mesh.triangles().len());
            assert!((1.0..1.35).contains(&larger), "{}: {larger}", shape.kind());
        }
    }

    #[test]
    fn meshes_are_taken_as_they_are_and_move_along() {
        let ground = HeightField::new(Vec3::zeros(), 1.0, [2, 2], &[0.0, 1.0, 2.0, 0.5]).unwrap();
        let path = Path::new(vec![(0.0, Vec3::y()), (1.0, Vec3::y() * 3.0)]).unwrap();
        let lift = Moving::new(ground, path);
        let mesh = tessellate(&lift, 0.0, 1e-3).unwrap();
        assert_eq!((mesh.positions[1], mesh.triangles.len()), (Vec3::new(0.0, 2.0, 1.0), 2));
        let mut out = mesh.positions.clone();
        ObstacleMotion::new(Arc::new(lift)).positions(0.5, &mesh.positions, &mut out);
        assert!((out[1] - Vec3::new(0.0, 3.0, 1.0)).norm() < 1e-15);
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let floor = tessellate(&Floor::new(0.0).unwrap(), 0.0, 0.01);
        assert!(matches!(floor, Err(CollideError::Parameter { name: "size of the obstacle", .. })));
        let ring = tessellate(&Torus::thesis(), 0.0, 1e-9);
        assert!(matches!(ring, Err(CollideError::Parameter { name: "tolerance", .. })));
    }
}
