//! Vertex–triangle and edge–edge pairs of a surface whose swept boxes meet.

use crate::room::Room;
use pd_collide::broad::{BroadPhase, LinearBvh};
use pd_collide::response::MovingPairs;
use pd_core::{Aabb, CollisionSurface, ContactMaterial, Model, Real, StepError, Vec3};

/// Entries, by triangle of the surface, that a search usually has room for: pairs of triangles whose boxes meet, and pairs of
/// primitives of one kind in them, each as often as it is found.
const TRIANGLE_PAIRS: usize = 24;
const PRIMITIVE_PAIRS: usize = 160;
/// Entries beyond these.
const BEYOND: usize = 1024;

/// A search with its scratch.
#[derive(Default)]
pub(crate) struct NearPairs {
    stepper: &'static str,
    tree: LinearBvh,
    boxes: Vec<Aabb>,
    /// Pairs of triangles that each task of the search found.
    tasks: Vec<Vec<[u32; 2]>>,
    share: Room,
    pairs: Room,
}

impl NearPairs {
    /// Makes room for searches in the surface of a model, on behalf of a stepper. Returns for how many pairs of each kind a list
    /// must have room that [`find`](Self::find) fills.
    pub(crate) fn prepare(&mut self, stepper: &'static str, model: &Model) -> usize {
        self.stepper = stepper;
        let triangles = model.surface().triangles.len();
        // A search in which nothing meets makes the tree and the tasks.
        self.boxes.clear();
        self.boxes.resize(triangles, Aabb::empty());
        self.tree.build(&self.boxes);
        self.tree.visit_pairs(&mut self.tasks, |_, _, _| {});
        let total = TRIANGLE_PAIRS * triangles + BEYOND;
        // Tasks find different numbers of pairs: room for several times the mean.
        let share = self.share.reserve(total.min(4 * total / self.tasks.len().max(1) + BEYOND));
        for found in &mut self.tasks {
            found.clear();
            found.reserve(share);
        }
        self.pairs.reserve(PRIMITIVE_PAIRS * triangles + BEYOND)
    }

    /// Replaces `out` by the pairs that can come within `reach`, m, while vertices go straight from one place to the other.
    /// Pairs with a common vertex, of bodies that do not touch and of prescribed motion alone are left out.
    ///
    /// Where there was not enough room the pairs are complete, but it is an error all the same.
    pub(crate) fn find(
        &mut self,
        model: &Model,
        (from, to): (&[Vec3], &[Vec3]),
        reach: Real,
        out: &mut MovingPairs,
    ) -> Result<(), StepError> {
        let surface = model.surface();
        self.boxes.clear();
        self.boxes.extend(surface.triangles.iter().map(|t| {
            let corners = t.map(|v| v as usize);
            let all = [from, to].map(|x| Aabb::of_points(&corners.map(|v| x[v])));
            all[0].union(&all[1]).grown(0.5 * reach)
        }));
        self.tree.build(&self.boxes);
        self.tasks.iter_mut().for_each(Vec::clear);
        self.tree.visit_pairs(&mut self.tasks, |found, f, g| {
            let [a, b] = [f, g].map(|t| surface.triangle_body[t as usize]);
            if surface.may_touch(a, b) {
                found.push([f, g]);
            }
        });
        let (points, edges) = (&mut out.vertex_triangles, &mut out.edge_edges);
        points.clear();
        edges.clear();
        let still = |v: &[u32; 4]| v.iter().all(|&v| model.is_kinematic(v as usize));
        for &[f, g] in self.tasks.iter().flatten() {
            let (a, b) = (surface.triangles[f as usize], surface.triangles[g as usize]);
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
        let pairs = points.len().max(edges.len());
        for list in [points, edges] {
            list.sort_unstable();
            list.dedup();
        }
        let share = self.tasks.iter().map(Vec::len).max().unwrap_or(0);
        // Both, so that one more `prepare` is enough.
        let share = self.share.check(self.stepper, "pairs of triangles found by one task", share);
        share.and(self.pairs.check(self.stepper, "pairs that can meet", pairs))
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

/// Smallest thickness of a body, m; infinite without bodies.
pub(crate) fn least_thickness(surface: &CollisionSurface) -> Real {
    surface.bodies.iter().map(|body| body.thickness).fold(Real::INFINITY, Real::min)
}
