//! Which triangle lies under a pixel.
//!
//! A tree of boxes over the triangles is split once at the median of the longer side and afterwards only refitted, which
//! costs as much as reading the triangles; a ray then visits a few dozen of them. Triangles are met from both sides.

use super::hit::{Hit, hit, meet};
use super::{Ray, Topology};

/// Triangles per leaf.
const LEAF: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Node {
    low: [f32; 3],
    high: [f32; 3],
    start: u32,
    end: u32,
    /// The right child; the left one follows its parent. 0 for a leaf.
    right: u32,
}

/// A tree of boxes over the triangles of a topology.
#[derive(Clone, Debug, Default)]
pub struct PickTree {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

impl PickTree {
    /// Refits the tree to moved vertices; rebuilds it if the number of triangles has changed.
    pub fn fit(&mut self, topology: &Topology, positions: &[[f32; 3]]) {
        if self.items.len() != topology.triangles.len() {
            self.build(&topology.triangles, positions);
        }
        self.refit(&topology.triangles, positions);
    }

    fn build(&mut self, triangles: &[[u32; 3]], positions: &[[f32; 3]]) {
        self.nodes.clear();
        self.items = (0..triangles.len() as u32).collect();
        if triangles.is_empty() {
            return;
        }
        let centres: Vec<[f32; 3]> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| positions[v as usize]);
                std::array::from_fn(|k| a[k] + b[k] + c[k])
            })
            .collect();
        self.split(&centres, 0, triangles.len());
    }

    fn split(&mut self, centres: &[[f32; 3]], start: usize, end: usize) -> u32 {
        let node = self.nodes.len();
        self.nodes.push(Node {
            low: [0.0; 3],
            high: [0.0; 3],
            start: start as u32,
            end: end as u32,
            right: 0,
        });
        if end - start > LEAF {
            let items = &mut self.items[start..end];
            let mut low = [f32::INFINITY; 3];
            let mut high = [f32::NEG_INFINITY; 3];
            for &item in items.iter() {
                for k in 0..3 {
                    low[k] = low[k].min(centres[item as usize][k]);
                    high[k] = high[k].max(centres[item as usize][k]);
                }
            }
            let size: [f32; 3] = std::array::from_fn(|k| high[k] - low[k]);
            let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
            let middle = (end - start) / 2;
            items.select_nth_unstable_by(middle, |&a, &b| {
                centres[a as usize][axis].total_cmp(&centres[b as usize][axis]).then(a.cmp(&b))
            });
            self.split(centres, start, start + middle);
            self.nodes[node].right = self.split(centres, start + middle, end);
        }
        node as u32
    }

    fn refit(&mut self, triangles: &[[u32; 3]], positions: &[[f32; 3]]) {
        for k in (0..self.nodes.len()).rev() {
            let node = self.nodes[k];
            let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
            if node.right == 0 {
                for &item in &self.items[node.start as usize..node.end as usize] {
                    for v in triangles[item as usize] {
                        let p = positions[v as usize];
                        for c in 0..3 {
                            low[c] = low[c].min(p[c]);
                            high[c] = high[c].max(p[c]);
                        }
                    }
                }
            } else {
                let (a, b) = (&self.nodes[k + 1], &self.nodes[node.right as usize]);
                low = std::array::from_fn(|c| a.low[c].min(b.low[c]));
                high = std::array::from_fn(|c| a.high[c].max(b.high[c]));
            }
            self.nodes[k] = Node { low, high, ..node };
        }
    }

    /// The nearest triangle hit, among those accepted by `shown`. Equal distances: the smaller number.
    pub fn pick(
        &self,
        ray: &Ray,
        triangles: &[[u32; 3]],
        positions: &[[f32; 3]],
        shown: impl Fn(usize) -> bool,
    ) -> Option<Hit> {
        let inverse = ray.direction.map(|d| 1.0 / d);
        let enter = |node: &Node| {
            let (mut near, mut far) = (0.0f64, f64::INFINITY);
            for k in 0..3 {
                if ray.direction[k] == 0.0 {
                    if ray.origin[k] < f64::from(node.low[k]) || ray.origin[k] > f64::from(node.high[k]) {
                        return None;
                    }
                    continue;
                }
                let a = (f64::from(node.low[k]) - ray.origin[k]) * inverse[k];
                let b = (f64::from(node.high[k]) - ray.origin[k]) * inverse[k];
                near = near.max(a.min(b));
                far = far.min(a.max(b));
            }
            // Wide by a rounding error, so that a ray along a face is not lost.
            (near <= far * (1.0 + 1e-9) + 1e-12).then_some(near)
        };
        let mut best: Option<(f64, u32)> = None;
        // Medians halve, so the tree is at most 32 deep, and each level leaves one node behind.
        let mut stack = [(0u32, 0.0f64); 64];
        let mut top = 0;
        if let Some(near) = self.nodes.first().and_then(enter) {
            stack[0] = (0, near);
            top = 1;
        }
        while top > 0 {
            top -= 1;
            let (index, near) = stack[top];
            if best.is_some_and(|(distance, _)| near > distance) {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.right == 0 {
                for &item in &self.items[node.start as usize..node.end as usize] {
                    if let Some(distance) = meet(ray, triangles[item as usize].map(|v| positions[v as usize]))
                    {
                        let better = best.is_none_or(|(d, k)| distance < d || (distance == d && item < k));
                        if better && shown(item as usize) {
                            best = Some((distance, item));
                        }
                    }
                }
                continue;
            }
            let children =
                [index + 1, node.right].map(|k| enter(&self.nodes[k as usize]).map(|near| (k, near)));
            let (first, second) = match children {
                [Some(a), Some(b)] if a.1 < b.1 => (Some(b), Some(a)),
                [a, b] => (a, b),
            };
            for child in [first, second].into_iter().flatten() {
                stack[top] = child;
                top += 1;
            }
        }
        best.map(|(distance, item)| hit(ray, distance, item, triangles, positions))
    }
}

#[cfg(test)]
mod tests {
    use super::super::hit::pick_brute_force;
    use super::*;
    use crate::draw::{Bounds, Camera, Drawing};
    use pd_core::Vec3;
    use pd_sim::scene::{Scene, SceneRun};
    use pd_sim::{ModelPaths, Registry};

    /// Rays over a picture of a body, some of them past it.
    fn agrees(drawing: &mut Drawing, camera: &Camera, step: usize) -> (usize, usize) {
        let (size, mut hits, mut misses) = ([160, 120], 0, 0);
        for y in (0..size[1]).step_by(step) {
            for x in (0..size[0]).step_by(step) {
                let ray = camera.ray([f64::from(x) + 0.31, f64::from(y) + 0.57], size);
                let slow = pick_brute_force(&ray, &drawing.topology.triangles, drawing.positions());
                assert_eq!(drawing.pick(&ray), slow, "pixel {x} {y}");
                if slow.is_some() { hits += 1 } else { misses += 1 }
            }
        }
        (hits, misses)
    }

    #[test]
    fn the_tree_finds_what_brute_force_finds_before_and_after_motion() {
        for name in ["cloth-pair", "bar", "hemispheres"] {
            let scene = Scene::load(name, &ModelPaths::default()).unwrap();
            let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
            let mut drawing = Drawing::of_scene(&run.scene);
            let camera = Camera::framing(&drawing.body_bounds(), 50.0, 25.0, 4.0 / 3.0);
            let (hits, misses) = agrees(&mut drawing, &camera, 7);
            assert!(hits > 20 && misses > 20, "{name}: {hits} {misses}");
            for _ in 0..40 {
                run.advance().unwrap();
            }
            drawing.set_positions(&run.sim.state.x);
            let camera = Camera::framing(&drawing.body_bounds(), 130.0, -15.0, 4.0 / 3.0);
            let (hits, _) = agrees(&mut drawing, &camera, 7);
            assert!(hits > 20, "{name}: {hits} after motion");
        }
    }

    #[test]
    fn rays_along_the_faces_of_boxes_are_not_lost() {
        // A flat mesh has boxes without thickness, and rays along an axis lie in their faces.
        let scene = Scene::load("cloth-pair", &ModelPaths::default()).unwrap();
        let mut drawing = Drawing::of_scene(&scene);
        let bounds = Bounds::of(scene.rest());
        for k in 0..=10 {
            for origin in [
                Vec3::new(bounds.low.x + 0.1 * f64::from(k), 2.0, bounds.low.z + 0.05 * f64::from(k)),
                Vec3::new(
                    f64::from(drawing.positions()[k as usize][0]),
                    2.0,
                    f64::from(drawing.positions()[k as usize][2]),
                ),
            ] {
                let ray = Ray { origin, direction: -Vec3::y() };
                let slow = pick_brute_force(&ray, &drawing.topology.triangles, drawing.positions());
                assert_eq!(drawing.pick(&ray), slow, "{origin}");
            }
        }
    }

    #[test]
    fn hidden_bodies_are_not_picked_and_the_nearest_corner_is_reported() {
        let scene = Scene::load("cloth-pair", &ModelPaths::default()).unwrap();
        let mut drawing = Drawing::of_scene(&scene);
        let p = drawing.position(441 + 200).unwrap();
        let ray = Ray { origin: p + Vec3::new(0.004, 3.0, 0.003), direction: -Vec3::y() };
        let hit = drawing.pick(&ray).unwrap();
        assert_eq!(hit.vertex, 641);
        assert!((hit.distance - 3.0).abs() < 1e-6);
        drawing.visible[1] = false;
        assert_eq!(drawing.pick(&ray), None);
    }

    #[test]
    fn obstacles_are_picked_by_their_surface() {
        let scene = Scene::load("ball", &ModelPaths::default()).unwrap();
        let drawing = Drawing::of_scene(&scene);
        let down = |x: f64| Ray { origin: Vec3::new(x, 3.0, 0.013), direction: -Vec3::y() };
        let (index, distance) = drawing.pick_obstacle(&down(0.5)).unwrap();
        assert_eq!(index, 0);
        assert!((distance - 2.9).abs() < 1e-2, "{distance}");
        assert_eq!(drawing.pick_obstacle(&down(0.0)), None, "through the hole");
    }
}
