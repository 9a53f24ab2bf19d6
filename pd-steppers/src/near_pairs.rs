//! Vertex–triangle and edge–edge pairs of a surface whose swept boxes meet.

use pd_collide::broad::{BroadPhase, LinearBvh};
use pd_collide::response::MovingPairs;
use pd_core::{Aabb, CollisionSurface, ContactMaterial, Model, Real, Vec3};

/// A search with its scratch.
#[derive(Default)]
pub(crate) struct NearPairs {
    tree: LinearBvh,
    boxes: Vec<Aabb>,
    triangles: Vec<[u32; 2]>,
}

impl NearPairs {
    /// Replaces `out` by the pairs that can come within `reach`, m, while vertices go straight from one place to the other.
    /// Pairs with a common vertex, of bodies that do not touch and of prescribed motion alone are left out.
    pub(crate) fn find(
        &mut self,
        model: &Model,
        (from, to): (&[Vec3], &[Vec3]),
        reach: Real,
        out: &mut MovingPairs,
    ) {
        let surface = model.surface();
        self.boxes.clear();
        self.boxes.extend(surface.triangles.iter().map(|t| {
            let corners = t.map(|v| v as usize);
            let all = [from, to].map(|x| Aabb::of_points(&corners.map(|v| x[v])));
            all[0].union(&all[1]).grown(0.5 * reach)
        }));
        self.tree.build(&self.boxes);
        self.tree.self_pairs(&mut self.triangles);
        let (points, edges) = (&mut out.vertex_triangles, &mut out.edge_edges);
        points.clear();
        edges.clear();
        let still = |v: &[u32; 4]| v.iter().all(|&v| model.is_kinematic(v as usize));
        for &[f, g] in &self.triangles {
            let [f, g] = [f as usize, g as usize];
            if !surface.may_touch(surface.triangle_body[f], surface.triangle_body[g]) {
                continue;
            }
            let (a, b) = (surface.triangles[f], surface.triangles[g]);
            for (one, other) in [(a, b), (b, a)] {
                let pairs = one.into_iter().map(|v| [v, other[0], other[1], other[2]]);
                points.extend(pairs.filter(|v| !other.contains(&v[0]) && !still(v)));
            }
            for [p, q] in sides(a) {
                for [r, s] in sides(b) {
                    let (first, second) = if [p, q] < [r, s] { ([p, q], [r, s]) } else { ([r, s], [p, q]) };
                    let pair = [first[0], first[1], second[0], second[1]];
                    if p != r && p != s && q != r && q != s && !still(&pair) {
                        edges.push(pair);
                    }
                }
            }
        }
        for list in [points, edges] {
            list.sort_unstable();
            list.dedup();
        }
    }
}

fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[i, j]| [i.min(j), i.max(j)])
}

/// Body of every vertex, and what holds between two of them.
#[derive(Default)]
pub(crate) struct Bodies {
    of: Vec<u32>,
}

impl Bodies {
    pub(crate) fn new(model: &Model) -> Self {
        let surface = model.surface();
        let mut of = vec![0; model.vertices()];
        for (&vertex, &body) in surface.points.iter().zip(&surface.point_body) {
            of[vertex as usize] = body;
        }
        Self { of }
    }

    /// Body of a vertex of the surface.
    pub(crate) fn of(&self, vertex: u32) -> u32 {
        self.of[vertex as usize]
    }

    /// Thickness of the bodies of two vertices, m.
    pub(crate) fn thickness(&self, surface: &CollisionSurface, a: u32, b: u32) -> Real {
        let [a, b] = [a, b].map(|v| self.of[v as usize]);
        let own = |body: u32| surface.bodies[body as usize].thickness;
        surface.pair(a, b).and_then(|pair| pair.thickness).unwrap_or(0.5 * (own(a) + own(b)))
    }

    /// Friction between the bodies of two vertices.
    pub(crate) fn material(&self, surface: &CollisionSurface, a: u32, b: u32) -> ContactMaterial {
        let [a, b] = [a, b].map(|v| self.of[v as usize]);
        let own = |body: u32| &surface.bodies[body as usize].material;
        surface.pair(a, b).map_or_else(|| ContactMaterial::between(own(a), own(b)), |pair| pair.material)
    }
}

/// Largest thickness of any pair, m.
pub(crate) fn most_thickness(surface: &CollisionSurface) -> Real {
    let own = surface.bodies.iter().map(|body| body.thickness);
    let pairs = surface.pairs.iter().filter_map(|(_, pair)| pair.thickness);
    own.chain(pairs).fold(0.0, Real::max)
}
