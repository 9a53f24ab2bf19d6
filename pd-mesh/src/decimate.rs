//! Mesh simplification: repeatedly collapse the edge with the least cost (M. Garland, P. S. Heckbert,
//! Surface simplification using quadric error metrics, 1997).
//!
//! The cost of a vertex at x is Σ A (n·x + d)² over the planes of the triangles it represents, weighted by their areas A.
//! The border is preserved by planes through its edges, perpendicular to the surface. A collapse that would flip a triangle or
//! connect separate parts of the surface is rejected.

use crate::{MeshError, TriMesh, Vec3, topology};
use nalgebra::{Matrix3, SymmetricEigen};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Quadric xᵀ A x + 2 b·x + c.
#[derive(Clone, Copy)]
struct Quadric {
    a: Matrix3<f64>,
    b: Vec3,
    c: f64,
}

impl Quadric {
    fn zero() -> Self {
        Self { a: Matrix3::zeros(), b: Vec3::zeros(), c: 0.0 }
    }

    /// The squared distance to a plane through `x` with unit normal `n`, times `weight`.
    fn plane(n: Vec3, x: Vec3, weight: f64) -> Self {
        let d = -n.dot(&x);
        Self { a: n * n.transpose() * weight, b: n * (d * weight), c: d * d * weight }
    }

    fn add(&mut self, other: &Self) {
        self.a += other.a;
        self.b += other.b;
        self.c += other.c;
    }

    fn at(&self, x: Vec3) -> f64 {
        (x.dot(&(self.a * x)) + 2.0 * self.b.dot(&x) + self.c).max(0.0)
    }

    /// The optimal position, near `guess` in directions that the quadric does not determine.
    fn best(&self, guess: Vec3) -> Vec3 {
        let eigen = SymmetricEigen::new(self.a);
        let largest = eigen.eigenvalues.amax();
        let gradient = -(self.b + self.a * guess);
        let mut step = Vec3::zeros();
        for (value, direction) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if *value > 1e-3 * largest {
                step += direction * (direction.dot(&gradient) / value);
            }
        }
        guess + step
    }
}

/// A possible collapse; the heap gives the cheapest first, of equals the one with the lowest ends.
struct Candidate {
    cost: f64,
    ends: [u32; 2],
    place: Vec3,
    /// Versions of the ends when this was computed.
    versions: [u32; 2],
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.ends.cmp(&self.ends))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// A surface of about `triangles` triangles, never fewer than the shape allows. Vertices are renumbered; unreferenced ones
/// go.
///
/// # Errors
/// A mesh that is not valid.
///
/// ```
/// let ball = pd_mesh::generate::sphere(64, 32, 1.0)?;
/// let coarse = pd_mesh::decimate::decimate(&ball, 500)?;
/// assert!(coarse.triangles.len() <= 500);
/// assert!((coarse.enclosed_volume() / ball.enclosed_volume() - 1.0).abs() < 0.02);
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
pub fn decimate(mesh: &TriMesh, triangles: usize) -> Result<TriMesh, MeshError> {
    decimate_observed(mesh, triangles, &mut |_| {})
}

/// As [`decimate`], reporting progress to `observe`, from 0 to 1, never decreasing.
///
/// # Errors
/// As [`decimate`].
pub fn decimate_observed(
    mesh: &TriMesh,
    triangles: usize,
    observe: &mut dyn FnMut(f64),
) -> Result<TriMesh, MeshError> {
    mesh.validate()?;
    observe(0.0);
    let mut work = Work::new(mesh);
    let (before, to_go) = (work.alive, work.alive.saturating_sub(triangles).max(1));
    let mut told = 0;
    let mut heap: BinaryHeap<Candidate> = mesh.edges().into_iter().map(|ends| work.candidate(ends)).collect();
    while work.alive > triangles {
        let Some(candidate) = heap.pop() else { break };
        let [a, b] = candidate.ends.map(|v| v as usize);
        let current = [work.versions[a], work.versions[b]];
        if candidate.versions != current || !work.may_collapse(&candidate) {
            continue;
        }
        work.collapse(&candidate);
        let gone = before - work.alive;
        if gone >= told + 256 {
            told = gone;
            observe((gone as f64 / to_go as f64).min(1.0));
        }
        for other in work.ring(a) {
            heap.push(work.candidate([(a as u32).min(other), (a as u32).max(other)]));
        }
    }
    let made = work.finish()?;
    observe(1.0);
    Ok(made)
}

struct Work {
    positions: Vec<Vec3>,
    quadrics: Vec<Quadric>,
    /// Incremented when a vertex changes; `u32::MAX` for a removed vertex.
    versions: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    dead: Vec<bool>,
    alive: usize,
    /// Triangles around every vertex, including removed ones until they are visited.
    around: Vec<Vec<u32>>,
    border: Vec<bool>,
}

impl Work {
    fn new(mesh: &TriMesh) -> Self {
        let n = mesh.positions.len();
        let mut quadrics = vec![Quadric::zero(); n];
        let mut around = vec![Vec::new(); n];
        let normals = mesh.face_normals();
        let areas = mesh.face_areas();
        for (face, corners) in mesh.triangles.iter().enumerate() {
            let quadric = Quadric::plane(normals[face], mesh.positions[corners[0] as usize], areas[face]);
            for &v in corners {
                quadrics[v as usize].add(&quadric);
                around[v as usize].push(face as u32);
            }
        }
        let mut border = vec![false; n];
        for group in topology::directed_sides(&mesh.triangles).chunk_by(|a, b| a.0 == b.0) {
            if let [([a, b], _, face)] = *group {
                let (x, y) = (mesh.positions[a as usize], mesh.positions[b as usize]);
                let upright = (y - x).cross(&normals[face as usize]);
                if let Some(n) = upright.try_normalize(f64::MIN_POSITIVE) {
                    let quadric = Quadric::plane(n, x, (y - x).norm_squared());
                    quadrics[a as usize].add(&quadric);
                    quadrics[b as usize].add(&quadric);
                }
                border[a as usize] = true;
                border[b as usize] = true;
            }
        }
        Self {
            positions: mesh.positions.clone(),
            quadrics,
            versions: vec![0; n],
            triangles: mesh.triangles.clone(),
            dead: vec![false; mesh.triangles.len()],
            alive: mesh.triangles.len(),
            around,
            border,
        }
    }

    fn candidate(&self, ends: [u32; 2]) -> Candidate {
        let [a, b] = ends.map(|v| v as usize);
        let mut quadric = self.quadrics[a];
        quadric.add(&self.quadrics[b]);
        let (x, y) = (self.positions[a], self.positions[b]);
        let middle = (x + y) * 0.5;
        let best = quadric.best(middle);
        // A place far outside the edge comes from nearly parallel planes.
        let best = if (best - middle).norm() <= (y - x).norm() { best } else { middle };
        let places = [best, middle, x, y].map(|place| (quadric.at(place), place));
        let (mut cost, mut place) = places[0];
        for (other, at) in &places[1..] {
            if *other < cost {
                (cost, place) = (*other, *at);
            }
        }
        Candidate { cost, ends, place, versions: [self.versions[a], self.versions[b]] }
    }

    /// Remaining triangles around a vertex.
    fn faces(&self, v: usize) -> impl Iterator<Item = u32> + '_ {
        self.around[v].iter().copied().filter(|&face| !self.dead[face as usize])
    }

    /// Neighbours of a vertex, ascending.
    fn ring(&self, v: usize) -> Vec<u32> {
        let corners = self.faces(v).flat_map(|face| self.triangles[face as usize]);
        let mut ring: Vec<u32> = corners.filter(|&other| other as usize != v).collect();
        ring.sort_unstable();
        ring.dedup();
        ring
    }

    fn may_collapse(&self, candidate: &Candidate) -> bool {
        let [a, b] = candidate.ends;
        let (ring_a, ring_b) = (self.ring(a as usize), self.ring(b as usize));
        let common = ring_a.iter().filter(|v| ring_b.binary_search(v).is_ok()).count();
        let shared: Vec<u32> =
            self.faces(a as usize).filter(|&face| self.triangles[face as usize].contains(&b)).collect();
        // Link condition: the ends have no common neighbours but those of their common triangles.
        if common != shared.len() || shared.is_empty() || shared.len() > 2 {
            return false;
        }
        // Two border vertices joined through the inside would pinch the surface.
        if self.border[a as usize] && self.border[b as usize] && shared.len() == 2 {
            return false;
        }
        // A tetrahedron is the least closed piece and a triangle the least open one. Each ring holds the other end.
        if ring_a.len() + ring_b.len() - common <= shared.len() + 2 {
            return false;
        }
        [a, b].iter().all(|&end| {
            self.faces(end as usize).filter(|face| !shared.contains(face)).all(|face| {
                let corners = self.triangles[face as usize];
                let old = corners.map(|v| self.positions[v as usize]);
                let new =
                    corners.map(|v| if v == end { candidate.place } else { self.positions[v as usize] });
                let normal = |x: [Vec3; 3]| (x[1] - x[0]).cross(&(x[2] - x[0]));
                let (before, after) = (normal(old), normal(new));
                // Not over 78°, and not flat.
                before.dot(&after) > 0.2 * before.norm() * after.norm() && after.norm() > 0.0
            })
        })
    }

    /// Moves the first end to the place and makes the second one of it.
    fn collapse(&mut self, candidate: &Candidate) {
        let [a, b] = candidate.ends;
        let moved = std::mem::take(&mut self.around[b as usize]);
        for face in moved {
            if self.dead[face as usize] {
                continue;
            }
            let corners = &mut self.triangles[face as usize];
            if corners.contains(&a) {
                self.dead[face as usize] = true;
                self.alive -= 1;
            } else {
                *corners = corners.map(|v| if v == b { a } else { v });
                self.around[a as usize].push(face);
            }
        }
        let other = self.quadrics[b as usize];
        self.quadrics[a as usize].add(&other);
        self.positions[a as usize] = candidate.place;
        self.border[a as usize] |= self.border[b as usize];
        self.versions[b as usize] = u32::MAX;
        self.versions[a as usize] += 1;
        let dead = &self.dead;
        self.around[a as usize].retain(|&face| !dead[face as usize]);
    }

    fn finish(self) -> Result<TriMesh, MeshError> {
        let mut number = vec![u32::MAX; self.positions.len()];
        let mut mesh = TriMesh::default();
        for (corners, dead) in self.triangles.iter().zip(&self.dead) {
            if *dead {
                continue;
            }
            let triangle = corners.map(|v| {
                let place = &mut number[v as usize];
                if *place == u32::MAX {
                    *place = mesh.positions.len() as u32;
                    mesh.positions.push(self.positions[v as usize]);
                }
                *place
            });
            mesh.triangles.push(triangle);
        }
        mesh.validate()?;
        Ok(mesh)
    }
}
