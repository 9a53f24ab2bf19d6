//! The nearest point of a mesh: branch and bound, the nearer child first.

use super::MeshQuery;
use super::tree::{DEPTH, Node, squared_distance};
use crate::distance::point_triangle;
use pd_core::{Real, Vec3};

/// The nearest point of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Distance, m.
    pub distance: Real,
    /// The point, m.
    pub point: Vec3,
    /// A triangle it lies on; where several share it, one of them.
    pub triangle: u32,
    /// Barycentric weights in the triangle.
    pub weights: [Real; 3],
}

impl MeshQuery {
    /// The point of the mesh nearest to `p`. Coordinates that are not numbers make the distance not a number.
    pub fn closest(&self, p: &Vec3) -> Nearest {
        self.closest_within(p, Real::INFINITY).unwrap_or(Nearest {
            distance: Real::NAN,
            point: Vec3::repeat(Real::NAN),
            triangle: 0,
            weights: [Real::NAN; 3],
        })
    }

    /// The point of the mesh nearest to `p`, if it is nearer than `reach`, m.
    pub fn closest_within(&self, p: &Vec3, reach: Real) -> Option<Nearest> {
        search(&self.nodes, &self.order, p, reach, |t| self.corners(t))
    }
}

/// The search itself, for a tree over triangles with any corners within its boxes.
pub(crate) fn search(
    nodes: &[Node],
    order: &[u32],
    p: &Vec3,
    reach: Real,
    corners: impl Fn(u32) -> [Vec3; 3],
) -> Option<Nearest> {
    let (mut best, mut nearest) = (reach * reach, None);
    let (mut waiting, mut count) = ([(0.0, 0); DEPTH], 1);
    waiting[0] = (squared_distance(&nodes[0].bounds, p), 0);
    while count > 0 {
        count -= 1;
        let (least, k) = waiting[count];
        if least > best {
            continue;
        }
        let node = &nodes[k];
        for &triangle in if node.count > 0 { &order[node.places()] } else { &[] } {
            let [a, b, c] = corners(triangle);
            let closest = point_triangle(&[*p, a, b, c]);
            let r = closest.separation(&[*p, a, b, c]);
            if r.norm_squared() < best {
                let [_, u, v, w] = closest.weights;
                best = r.norm_squared();
                nearest = Some(Nearest { distance: r.norm(), point: p - r, triangle, weights: [-u, -v, -w] });
            }
        }
        if node.count == 0 {
            let children = [k + 1, node.link as usize].map(|k| (squared_distance(&nodes[k].bounds, p), k));
            let nearer_last = if children[0].0 < children[1].0 { [1, 0] } else { [0, 1] };
            for child in nearer_last {
                waiting[count] = children[child];
                count += 1;
            }
        }
    }
    nearest
}
