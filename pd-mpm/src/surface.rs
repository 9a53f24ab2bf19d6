//! The surface of matter as triangles, from its particles.
//!
//! Level set of Zhu and Bridson (2005): φ(x) = |x − x̄| − r, with x̄ = Σ k x_p/Σ k the mean of the particles near x, weighted
//! by k = (1 − |x − x_p|²/R²)³. It is evaluated at the nodes of a grid near particles only, and its zero is cut out of every
//! cell by marching tetrahedra: six to a cube around one diagonal, the same on both sides of every face, so the surface is
//! closed without tables or special cases.

use crate::MpmError;
use crate::law::positive;
use pd_core::{Real, SurfaceMesh, Vec3, exec};

/// Bits of a node's coordinate in its number.
const BITS: u32 = 21;

/// Permutations of the axes: paths along the edges of a cube from its first corner to its last, and whether the
/// tetrahedron of the path's four corners is positively oriented.
const PATHS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], true),
    ([1, 2, 0], true),
    ([2, 0, 1], true),
    ([0, 2, 1], false),
    ([2, 1, 0], false),
    ([1, 0, 2], false),
];

/// How a surface is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceParams {
    /// Edge of the grid's cells, m. About half of that of the simulation shows all there is to see.
    pub spacing: Real,
    /// Distance r of the surface from the outermost particles, m; about half of the particles' distance and more.
    pub radius: Real,
}

/// Closed triangles around points; empty if there are no points.
///
/// ```
/// use pd_core::Vec3;
/// use pd_mpm::surface::{SurfaceParams, reconstruct};
/// let drop = reconstruct(&[Vec3::zeros()], &SurfaceParams { spacing: 0.1, radius: 0.5 })?;
/// assert!(drop.positions.iter().all(|p| (p.norm() - 0.5).abs() < 0.01));
/// # Ok::<(), pd_mpm::MpmError>(())
/// ```
pub fn reconstruct(points: &[Vec3], params: &SurfaceParams) -> Result<SurfaceMesh, MpmError> {
    let SurfaceParams { spacing, radius } = *params;
    positive("spacing of the surface's grid", spacing)?;
    positive("radius of the surface", radius)?;
    let Some(low) = points.iter().copied().reduce(|a, b| a.inf(&b)) else {
        return Ok(SurfaceMesh::default());
    };
    let high = points.iter().fold(low, |a, b| a.sup(b));
    // Every node next to one that is inside must know the particles that make it so.
    let reach = radius + 2.0 * spacing;
    let origin = low.add_scalar(-reach - 2.0 * spacing);
    let cells = ((high - low).amax() + 2.0 * reach) / spacing + 6.0;
    if !cells.is_finite() || cells >= Real::from((1u32 << BITS) - 1) {
        let expected = "the points are too far apart, or not finite, for a grid of this spacing";
        return Err(MpmError::Parameter { name: "spacing of the surface's grid", value: spacing, expected });
    }
    let bins = Bins::new(points, origin, reach);
    let nodes = nodes_near(points, origin, spacing, reach);
    let mut phi = vec![0.0; nodes.len()];
    exec::for_each_chunk(&mut phi, exec::ELEMENT_CHUNK, |first, phi| {
        for (phi, &node) in phi.iter_mut().zip(&nodes[first..]) {
            *phi = bins.level(&place(node, origin, spacing), radius);
        }
    });
    Ok(cut(&nodes, &phi, origin, spacing))
}

fn number(at: [u64; 3]) -> u64 {
    at[0] << (2 * BITS) | at[1] << BITS | at[2]
}

fn place(node: u64, origin: Vec3, spacing: Real) -> Vec3 {
    let mask = (1 << BITS) - 1;
    origin + Vec3::from([node >> (2 * BITS), node >> BITS, node].map(|n| (n & mask) as Real)) * spacing
}

/// Numbers of all nodes within `reach` of a point along every axis, ascending.
fn nodes_near(points: &[Vec3], origin: Vec3, spacing: Real, reach: Real) -> Vec<u64> {
    let span = |x: Real| (((x - reach) / spacing).ceil() as u64, ((x + reach) / spacing).floor() as u64);
    // Points in one cell give nearly the same nodes: first the cells.
    let mut cells: Vec<u64> =
        points.iter().map(|p| number((p - origin).map(|x| (x / spacing) as u64).into())).collect();
    cells.sort_unstable();
    cells.dedup();
    let mut nodes = vec![];
    for cell in cells {
        let middle = place(cell, Vec3::zeros(), spacing);
        let [x, y, z] = [0, 1, 2].map(|a| (span(middle[a]).0, span(middle[a] + spacing).1));
        for i in x.0..=x.1 {
            for j in y.0..=y.1 {
                nodes.extend((z.0..=z.1).map(|k| number([i, j, k])));
            }
        }
        // Keep the list near its final size.
        if nodes.len() > 1 << 22 {
            nodes.sort_unstable();
            nodes.dedup();
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Points sorted into cubes as wide as the kernel reaches.
struct Bins<'a> {
    points: &'a [Vec3],
    origin: Vec3,
    reach: Real,
    /// (cube, point), ascending.
    order: Vec<(u64, u32)>,
}

impl<'a> Bins<'a> {
    fn new(points: &'a [Vec3], origin: Vec3, reach: Real) -> Self {
        let cube = |p: &Vec3| number((p - origin).map(|x| (x / reach) as u64 + 1).into());
        let mut order: Vec<(u64, u32)> = points.iter().zip(0..).map(|(p, k)| (cube(p), k)).collect();
        order.sort_unstable();
        Self { points, origin, reach, order }
    }

    /// φ at a place; `reach` where no point is near.
    fn level(&self, x: &Vec3, radius: Real) -> Real {
        let at: [u64; 3] = (x - self.origin).map(|x| (x / self.reach) as u64 + 1).into();
        let (mut weight, mut mean) = (0.0, Vec3::zeros());
        for i in at[0] - 1..=at[0] + 1 {
            for j in at[1] - 1..=at[1] + 1 {
                let (from, to) = (number([i, j, at[2] - 1]), number([i, j, at[2] + 1]));
                let first = self.order.partition_point(|entry| entry.0 < from);
                for &(_, k) in self.order[first..].iter().take_while(|entry| entry.0 <= to) {
                    let near = 1.0 - (self.points[k as usize] - x).norm_squared() / (self.reach * self.reach);
                    if near > 0.0 {
                        weight += near * near * near;
                        mean += (self.points[k as usize] - x) * (near * near * near);
                    }
                }
            }
        }
        if weight > 0.0 { (mean / weight).norm() - radius } else { self.reach }
    }
}

/// Cuts the zero of φ out of all cells.
fn cut(nodes: &[u64], phi: &[Real], origin: Vec3, spacing: Real) -> SurfaceMesh {
    let level = |node: u64| nodes.binary_search(&node).map_or(Real::INFINITY, |k| phi[k]);
    // Corners of triangles as the edges (inside, outside) they lie on.
    let mut corners: Vec<(u64, u64)> = vec![];
    for &node in nodes {
        let steps: [u64; 8] =
            std::array::from_fn(|k| number([k as u64 & 1, k as u64 >> 1 & 1, k as u64 >> 2]));
        let values = steps.map(|step| level(node + step));
        let inside = values.iter().filter(|v| **v < 0.0).count();
        if inside == 0 || inside == 8 {
            continue;
        }
        for (axes, positive) in PATHS {
            let first = 1 << axes[0];
            let mut tet = [0, first, first | 1 << axes[1], 7];
            if !positive {
                tet.swap(2, 3);
            }
            march(tet.map(|k| node + steps[k]), tet.map(|k| values[k] < 0.0), &mut corners);
        }
    }
    let mut edges = corners.clone();
    edges.sort_unstable();
    edges.dedup();
    let point = |&(a, b): &(u64, u64)| {
        let (pa, pb, fa, fb) = (place(a, origin, spacing), place(b, origin, spacing), level(a), level(b));
        // Not quite at the nodes: no two corners of a triangle coincide.
        let share = if fb.is_finite() { (fa / (fa - fb)).clamp(1e-4, 1.0 - 1e-4) } else { 0.5 };
        pa + (pb - pa) * share
    };
    let positions = edges.iter().map(point).collect();
    let index = |edge: &(u64, u64)| edges.partition_point(|e| e < edge) as u32;
    let triangles = corners.chunks_exact(3).map(|c| [index(&c[0]), index(&c[1]), index(&c[2])]).collect();
    SurfaceMesh { positions, triangles }
}

/// Triangles of one positively oriented tetrahedron, counter-clockwise from outside.
fn march(tet: [u64; 4], inside: [bool; 4], out: &mut Vec<(u64, u64)>) {
    let count = inside.iter().filter(|i| **i).count();
    // The corners, those of the smaller side first, in an even order.
    let few = count <= 2;
    let mut order: Vec4 = [0, 1, 2, 3];
    order.sort_by_key(|&k| inside[k] != few);
    if !even(&order) {
        order.swap(2, 3);
    }
    let edge = |a: usize, b: usize| {
        let (a, b) = (order[a], order[b]);
        if inside[a] { (tet[a], tet[b]) } else { (tet[b], tet[a]) }
    };
    match count {
        1 => out.extend([edge(0, 1), edge(0, 2), edge(0, 3)]),
        3 => out.extend([edge(0, 1), edge(0, 3), edge(0, 2)]),
        2 => {
            let quad = [edge(0, 2), edge(0, 3), edge(1, 3), edge(1, 2)];
            out.extend([quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]]);
        }
        _ => (),
    }
}

type Vec4 = [usize; 4];

fn even(order: &Vec4) -> bool {
    let swaps =
        (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b))).filter(|&(a, b)| order[a] > order[b]).count();
    swaps % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Volume by the divergence theorem; every edge must belong to two triangles in opposite directions.
    fn closed_volume(mesh: &SurfaceMesh) -> Real {
        let mut edges: Vec<(u32, u32)> =
            mesh.triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]).collect();
        edges.sort_unstable();
        let before = edges.len();
        edges.dedup();
        assert_eq!(edges.len(), before, "an edge twice in one direction");
        for (a, b) in &edges {
            assert!(edges.binary_search(&(*b, *a)).is_ok(), "an open edge");
        }
        let p = |k: u32| mesh.positions[k as usize];
        mesh.triangles.iter().map(|t| p(t[0]).cross(&p(t[1])).dot(&p(t[2])) / 6.0).sum()
    }

    #[test]
    fn a_ball_of_particles_has_the_volume_of_a_ball() {
        let mut points = vec![];
        for k in 0..13 * 13 * 13 {
            let p =
                Vec3::new((k % 13) as Real, (k / 13 % 13) as Real, (k / 169) as Real).add_scalar(-6.0) * 0.1;
            if p.norm() < 0.55 {
                points.push(p + Vec3::new(3.0, -2.0, 1.0));
            }
        }
        let mesh = reconstruct(&points, &SurfaceParams { spacing: 0.05, radius: 0.06 }).unwrap();
        let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.58f64.powi(3);
        let volume = closed_volume(&mesh);
        assert!((volume / ball - 1.0).abs() < 0.08, "{volume} {ball}");
        let (v, t) = (mesh.positions.len() as i64, mesh.triangles.len() as i64);
        assert_eq!(v - 3 * t / 2 + t, 2, "one closed surface without handles");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn surfaces_are_closed_whatever_the_points(points in proptest::collection::vec(proptest::array::uniform3(-0.5..0.5f64), 1..30)) {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            let mesh = reconstruct(&points, &SurfaceParams { spacing: 0.08, radius: 0.1 }).unwrap();
            prop_assert!(closed_volume(&mesh) > 0.0);
        }
    }

    #[test]
    fn nothing_has_no_surface_and_bad_grids_are_refused() {
        let params = SurfaceParams { spacing: 0.1, radius: 0.1 };
        assert!(reconstruct(&[], &params).unwrap().triangles.is_empty());
        let far = [Vec3::zeros(), Vec3::x() * 1e9];
        assert!(reconstruct(&far, &params).is_err());
        assert!(reconstruct(&far, &SurfaceParams { spacing: 0.0, radius: 0.1 }).is_err());
        assert!(reconstruct(&[Vec3::repeat(Real::NAN); 2], &params).is_err());
    }
}
