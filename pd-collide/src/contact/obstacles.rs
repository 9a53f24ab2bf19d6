//! Obstacles by signed distance: rows and half-spaces of vertices, edges and faces.
//!
//! The signed distance φ of a convex shape is a convex function, so at any point q outside, with n = ∇φ(q),
//!
//! φ(y) ≥ φ(q) + n·(y − q):   the obstacle lies in n·(y − q) ≤ −φ(q).
//!
//! A triangle all of whose corners have n·(v − q) + φ(q) > 0 is therefore parted from it by that plane, edges and inside
//! included. q is sought as the point of the triangle that is nearest to the obstacle, by projections to both in turn; where
//! it is a corner the row of that vertex serves. On other shapes the same is done from several places, the lowest points of a
//! lattice on each edge and inside, for there are several places where they may be nearest; the surface is taken as flat within
//! reach, so this holds bodies up but guarantees nothing: for that give the triangles of the obstacle (`tessellate`).

use super::assemble::ObstaclePlane;
use super::list::{ContactList, ListInput};
use super::pair::ContactKind;
use super::row::{Row, key};
use super::surface::{ContactSurface, NONE};
use crate::distance::point_triangle;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Collider, Real, Surface, Vec3};

/// Projections to both in turn, at most.
const PROJECTIONS: usize = 12;
/// Parts of a side of the lattice on a triangle, and its points but for the corners.
const LATTICE: usize = 4;
const LATTICE_POINTS: usize = (LATTICE + 1) * (LATTICE + 2) / 2 - 3;
/// Change of the distance at which they end, in δ.
const SETTLED: Real = 1e-6;
/// Weight of a corner above which the closest point counts as that corner.
const CORNER: Real = 1.0 - 1e-6;

impl ContactList {
    /// Rows and half-spaces of all obstacles by signed distance.
    pub(super) fn meet_obstacles(&mut self, input: &ListInput<'_>) {
        self.obstacle_rows.clear();
        self.obstacle_planes.clear();
        for (number, obstacle) in input.obstacles.iter().enumerate() {
            let Some(obstacle) = obstacle.for_vertices() else { continue };
            let reference = std::mem::take(&mut self.guard.reference);
            self.sample(input, obstacle, &reference);
            self.guard.reference = reference;
            self.meet_vertices(input, number as u32);
            self.meet_triangles(input, number as u32, obstacle);
        }
    }

    /// Moves points that are nearer to an obstacle than they may rest out to that distance, along its normal.
    pub fn lift(
        &mut self,
        surface: &ContactSurface,
        obstacles: &[Box<dyn Collider>],
        time: Real,
        x: &mut [Vec3],
    ) {
        for obstacle in obstacles.iter().filter_map(|obstacle| obstacle.for_vertices()) {
            let shared = &*x;
            exec::for_each_chunk(&mut self.surfaces, VERTEX_CHUNK, |first, out| {
                obstacle.sample(&shared[first..first + out.len()], time, out);
            });
            for (i, at) in self.surfaces.iter().enumerate() {
                let missing = surface.thickness_of(i) - at.distance;
                // False for a distance that is not a number.
                if missing > 0.0 && surface.touches(i) && !surface.kinematic[i] {
                    x[i] += at.normal * missing;
                }
            }
        }
    }

    fn meet_vertices(&mut self, input: &ListInput<'_>, number: u32) {
        let ListInput { surface, options, .. } = *input;
        for (i, at) in self.surfaces.iter().enumerate() {
            let offset = surface.thickness_of(i);
            // False for a distance that is not a number.
            if at.distance <= self.reach[i] + offset && surface.touches(i) && !surface.kinematic[i] {
                let v = i as u32;
                self.obstacle_rows.push(Row {
                    key: key(ContactKind::Obstacle, [v, number, NONE, NONE]),
                    kind: ContactKind::Obstacle,
                    vertices: [v; 4],
                    weights: [1.0, 0.0, 0.0, 0.0],
                    normal: at.normal,
                    gap: at.distance - offset,
                    offset,
                    stiffness: options.stiffness / input.compliance[i],
                    drift: at.velocity,
                    bodies: [surface.body[i], number],
                });
                let w = at.normal.dot(&self.guard.reference[i]) - at.distance.max(0.0);
                let floor = options.floor * offset;
                self.obstacle_planes.push(ObstaclePlane { vertices: [v; 3], n: at.normal, w, floor });
            }
        }
    }

    /// Triangles that are nearest to the obstacle on an edge or inside.
    fn meet_triangles(&mut self, input: &ListInput<'_>, number: u32, obstacle: &dyn Collider) {
        let ListInput { surface, options, .. } = *input;
        let (convex, approach) = (obstacle.is_convex(), Approach { obstacle, time: input.time });
        let Self { guard, surfaces, reach: reaches, obstacle_rows, obstacle_planes, .. } = self;
        let mut part = |t: &[u32; 3], n: Vec3, through: &Vec3, distance: Real, floor: Real| {
            let w = n.dot(through) - distance;
            // Rounding aside, all corners lie above; if not, the planes of vertices are all that holds.
            if t.iter().all(|&v| n.dot(&guard.reference[v as usize]) > w) {
                obstacle_planes.push(ObstaclePlane { vertices: *t, n, w, floor });
            }
        };
        for t in &surface.triangles {
            if t.iter().any(|&v| surface.kinematic[v as usize] || v as usize >= surfaces.len()) {
                continue;
            }
            let offset = surface.thickness_of(t[0] as usize);
            let corners = t.map(|v| guard.reference[v as usize]);
            let distances = t.map(|v| surfaces[v as usize].distance);
            let reach = t.iter().map(|&v| reaches[v as usize]).fold(0.0, Real::max);
            let size = (corners[1] - corners[0]).norm().max((corners[2] - corners[0]).norm());
            let nearest = distances.iter().copied().fold(Real::INFINITY, Real::min);
            // φ changes by no more than the way; a corner inside has a row that pushes it out.
            if !(nearest > 0.0 && nearest - size <= reach + offset) {
                continue;
            }
            let lowest = usize::from(distances[1] < distances[0]);
            let lowest = if distances[2] < distances[lowest] { 2 } else { lowest };
            let normal = surfaces[t[lowest] as usize].normal;
            if convex && corners.iter().all(|c| normal.dot(&(c - corners[lowest])) >= -1e-9 * size) {
                // The nearest point is that corner; the plane of its distance parts the whole triangle.
                part(t, normal, &corners[lowest], nearest, options.floor * offset);
                continue;
            }
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            let starts =
                if convex { [Some(middle), None, None, None] } else { low_points(&approach, &corners) };
            for start in starts.into_iter().flatten() {
                let (weights, at) = approach.nearest(&corners, start, SETTLED * offset);
                if !(at.distance > 0.0 && at.distance <= reach + offset) {
                    continue;
                }
                let q = combine(&corners, &weights);
                part(t, at.normal, &q, at.distance, options.floor * offset);
                if weights.iter().any(|&w| w > CORNER) {
                    continue;
                }
                let compliance: Real =
                    (0..3).map(|k| weights[k] * weights[k] * input.compliance[t[k] as usize]).sum();
                let mut named = [0, 1, 2].map(|k| if weights[k] > 0.0 { t[k] } else { NONE });
                named.sort_unstable();
                obstacle_rows.push(Row {
                    key: key(ContactKind::Obstacle, [named[0], number, named[1], named[2]]),
                    kind: ContactKind::Obstacle,
                    vertices: [t[0], t[1], t[2], t[0]],
                    weights: [weights[0], weights[1], weights[2], 0.0],
                    normal: at.normal,
                    gap: at.distance - offset,
                    offset,
                    stiffness: options.edge_stiffness / compliance,
                    drift: at.velocity,
                    bodies: [surface.body[t[0] as usize], number],
                });
            }
        }
    }
}

/// An obstacle at the end of a step.
pub(super) struct Approach<'a> {
    pub(super) obstacle: &'a dyn Collider,
    pub(super) time: Real,
}

impl Approach<'_> {
    /// Weights of a point of a triangle that is nearest to the obstacle among those around it, from `q` on.
    fn nearest(&self, corners: &[Vec3; 3], mut q: Vec3, settled: Real) -> ([Real; 3], Surface) {
        let (mut weights, mut at) = ([1.0 / 3.0; 3], self.obstacle.surface_at(&q, self.time));
        for _ in 0..PROJECTIONS {
            let [a, b, c] = *corners;
            let closest = point_triangle(&[q - at.normal * at.distance, a, b, c]);
            weights = [1, 2, 3].map(|k| -closest.weights[k]);
            q = combine(corners, &weights);
            let next = self.obstacle.surface_at(&q, self.time);
            let end = (at.distance - next.distance).abs() < settled;
            at = next;
            if end {
                break;
            }
        }
        (weights, at)
    }
}

fn combine(corners: &[Vec3; 3], weights: &[Real; 3]) -> Vec3 {
    corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2]
}

/// The lowest points of a lattice inside of a triangle and within each of its edges.
pub(super) fn low_points(approach: &Approach<'_>, corners: &[Vec3; 3]) -> [Option<Vec3>; 4] {
    let (mut points, mut groups, mut count) = ([Vec3::zeros(); LATTICE_POINTS], [0; LATTICE_POINTS], 0);
    for i in 0..=LATTICE {
        for j in 0..=LATTICE - i {
            let k = LATTICE - i - j;
            let zeros = [i, j, k].map(|n| usize::from(n == 0));
            if zeros.iter().sum::<usize>() > 1 {
                continue; // corners have rows of their own
            }
            points[count] = combine(corners, &[i, j, k].map(|n| n as Real / LATTICE as Real));
            groups[count] = zeros[0] + 2 * zeros[1] + 3 * zeros[2];
            count += 1;
        }
    }
    let mut surfaces = [Surface::default(); LATTICE_POINTS];
    approach.obstacle.sample(&points, approach.time, &mut surfaces);
    let mut lowest = [(Real::INFINITY, None); 4];
    for k in 0..LATTICE_POINTS {
        let entry = &mut lowest[groups[k]];
        if surfaces[k].distance < entry.0 {
            *entry = (surfaces[k].distance, Some(points[k]));
        }
    }
    lowest.map(|(_, point)| point)
}
