//! The tree over the triangles of a mesh: binary, in preorder, a few triangles a leaf.

use pd_core::{Aabb, Real, Vec3};

/// Triangles of a leaf, at most.
const LEAF: usize = 4;

/// Depth of a tree that halves up to 2³² triangles, with room.
pub(crate) const DEPTH: usize = 64;

/// A node; its left child follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) bounds: Aabb,
    /// First place of a leaf, or the right child.
    pub(crate) link: u32,
    /// Number of triangles; zero for inner nodes.
    pub(crate) count: u32,
}

impl Node {
    /// Places of a leaf's triangles.
    pub(crate) fn places(&self) -> std::ops::Range<usize> {
        self.link as usize..(self.link + self.count) as usize
    }
}

/// Builds the tree: triangles by place, and nodes.
pub(crate) fn build(count: usize, bounds: impl Fn(u32) -> Aabb) -> (Vec<u32>, Vec<Node>) {
    let boxes: Vec<Aabb> = (0..count as u32).map(&bounds).collect();
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut nodes = Vec::new();
    grow(&boxes, &mut order, 0, &mut nodes);
    fit(&mut nodes, &order, |t| boxes[t as usize]);
    (order, nodes)
}

/// Fits the boxes of all nodes anew.
pub(crate) fn fit(nodes: &mut [Node], order: &[u32], bounds: impl Fn(u32) -> Aabb) {
    for k in (0..nodes.len()).rev() {
        nodes[k].bounds = if nodes[k].count > 0 {
            order[nodes[k].places()].iter().fold(Aabb::empty(), |b, &t| b.union(&bounds(t)))
        } else {
            nodes[k + 1].bounds.union(&nodes[nodes[k].link as usize].bounds)
        };
    }
}

/// Appends the subtree over some triangles, which begin at place `first`.
fn grow(boxes: &[Aabb], ids: &mut [u32], first: u32, nodes: &mut Vec<Node>) {
    let node = nodes.len();
    nodes.push(Node { bounds: Aabb::empty(), link: first, count: ids.len() as u32 });
    if ids.len() <= LEAF {
        return;
    }
    let middle = |id: u32| boxes[id as usize].min * 0.5 + boxes[id as usize].max * 0.5;
    let hull = Aabb::of_points(&ids.iter().map(|&id| middle(id)).collect::<Vec<_>>());
    let axis = (hull.max - hull.min).imax();
    let half = ids.len() / 2;
    ids.select_nth_unstable_by(half, |&i, &j| middle(i)[axis].total_cmp(&middle(j)[axis]).then(i.cmp(&j)));
    let (left, right) = ids.split_at_mut(half);
    grow(boxes, left, first, nodes);
    nodes[node] = Node { link: nodes.len() as u32, count: 0, ..nodes[node] };
    grow(boxes, right, first + half as u32, nodes);
}

/// Squared distance of a point to a box, m².
pub(crate) fn squared_distance(b: &Aabb, p: &Vec3) -> Real {
    let gap = |a: usize| (b.min[a] - p[a]).max(p[a] - b.max[a]).max(0.0);
    (0..3).map(|a| gap(a) * gap(a)).sum()
}
