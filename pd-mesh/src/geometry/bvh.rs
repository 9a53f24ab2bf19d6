//! A bounding volume hierarchy of axis-aligned boxes, split at the median of the longer side of the centres. Items are numbered as the
//! caller numbers them; the order inside depends only on the boxes.

use crate::Vec3;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) low: Vec3,
    pub(crate) high: Vec3,
}

impl Bounds {
    /// The box of nothing: every box contains it.
    pub(crate) fn nothing() -> Self {
        Self { low: Vec3::repeat(f64::INFINITY), high: Vec3::repeat(f64::NEG_INFINITY) }
    }

    pub(crate) fn of(points: &[Vec3]) -> Self {
        let mut bounds = Self::nothing();
        for x in points {
            bounds.add(x);
        }
        bounds
    }

    pub(crate) fn add(&mut self, x: &Vec3) {
        self.low = self.low.inf(x);
        self.high = self.high.sup(x);
    }

    fn join(&mut self, other: &Self) {
        self.low = self.low.inf(&other.low);
        self.high = self.high.sup(&other.high);
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }

    fn centre(&self, axis: usize) -> f64 {
        // Halves first: the sum of two large numbers may not be finite.
        0.5 * self.low[axis] + 0.5 * self.high[axis]
    }

    /// Squared distance from `q` to the box, 0 inside.
    pub(crate) fn squared_distance(&self, q: &Vec3) -> f64 {
        (0..3).map(|axis| (self.low[axis] - q[axis]).max(q[axis] - self.high[axis]).max(0.0).powi(2)).sum()
    }
}

/// One node; the left child follows it directly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) bounds: Bounds,
    /// Range of `items` below this node.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The right child, or 0 for a leaf.
    pub(crate) right: u32,
}

/// The tree. Node 0 is the root; an empty tree has no nodes.
#[derive(Clone, Debug)]
pub(crate) struct Bvh {
    pub(crate) nodes: Vec<Node>,
    pub(crate) items: Vec<u32>,
}

/// Items per leaf: small enough that a leaf is cheap, large enough that the tree is not mostly nodes.
const LEAF: usize = 4;

impl Bvh {
    pub(crate) fn new(boxes: &[Bounds]) -> Self {
        let items: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut tree = Self { nodes: Vec::with_capacity(boxes.len().div_ceil(2)), items };
        if !boxes.is_empty() {
            tree.split(boxes, 0, boxes.len());
        }
        tree
    }

    /// Makes the node of `items[start..end]` and everything below it; returns its number.
    fn split(&mut self, boxes: &[Bounds], start: usize, end: usize) -> u32 {
        let mut bounds = Bounds::nothing();
        let mut centres = Bounds::nothing();
        for &item in &self.items[start..end] {
            let item = &boxes[item as usize];
            bounds.join(item);
            centres.add(&Vec3::new(item.centre(0), item.centre(1), item.centre(2)));
        }
        let node = self.nodes.len();
        self.nodes.push(Node { bounds, start: start as u32, end: end as u32, right: 0 });
        if end - start > LEAF {
            let axis = (centres.high - centres.low).imax();
            let middle = (end - start) / 2;
            // The number of the item breaks ties, so that the order is one and the same on every machine.
            self.items[start..end].select_nth_unstable_by(middle, |&a, &b| {
                let centre = |item: u32| boxes[item as usize].centre(axis);
                centre(a).total_cmp(&centre(b)).then(a.cmp(&b))
            });
            self.split(boxes, start, start + middle);
            self.nodes[node].right = self.split(boxes, start + middle, end);
        }
        node as u32
    }

    /// Visits items in order of rising box distance. `visit` gets an item and the best squared distance so far, and
    /// returns the new best.
    pub(crate) fn nearest(&self, q: Vec3, mut best: f64, mut visit: impl FnMut(usize, f64) -> f64) {
        let mut stack = Vec::with_capacity(64);
        if let Some(root) = self.nodes.first() {
            stack.push((0u32, root.bounds.squared_distance(&q)));
        }
        while let Some((node, distance)) = stack.pop() {
            if distance >= best {
                continue;
            }
            let Node { start, end, right, .. } = self.nodes[node as usize];
            if right == 0 {
                for &item in &self.items[start as usize..end as usize] {
                    best = visit(item as usize, best);
                }
                continue;
            }
            let left = (node + 1, self.nodes[node as usize + 1].bounds.squared_distance(&q));
            let right = (right, self.nodes[right as usize].bounds.squared_distance(&q));
            let (near, far) = if left.1 <= right.1 { (left, right) } else { (right, left) };
            stack.push(far);
            stack.push(near);
        }
    }

    /// Visits every item whose leaf touches `region`, until `visit` returns false.
    pub(crate) fn overlapping(&self, region: &Bounds, mut visit: impl FnMut(usize) -> bool) {
        let mut stack = Vec::with_capacity(64);
        if !self.nodes.is_empty() {
            stack.push(0u32);
        }
        while let Some(node) = stack.pop() {
            let Node { bounds, start, end, right } = self.nodes[node as usize];
            if !bounds.overlaps(region) {
                continue;
            }
            if right == 0 {
                for &item in &self.items[start as usize..end as usize] {
                    if !visit(item as usize) {
                        return;
                    }
                }
            } else {
                stack.push(right);
                stack.push(node + 1);
            }
        }
    }
}
