//! The convex hull of points.
//!
//! Outside, the nearest point is that of the hull's triangles; inside, the nearest plane of a face is the nearest point:
//! φ(p) = max over faces of n·(p − a).
//!
//! The hull grows point by point (Clarkson & Shor 1989, without its conflict lists): the faces that see a point are
//! replaced by those between it and their horizon. Which face sees it is decided by exact predicates, so the surface
//! is closed whatever the points are.

use crate::CollideError;
use crate::batch::sample_each;
use crate::error::not_negative;
use crate::mesh::{MeshFault, MeshQuery};
use crate::predicates::{collinear, side_of_plane};
use crate::rounding::direction;
use pd_core::{Aabb, Collider, Real, Surface, SurfaceMesh, Vec3};
use std::cmp::Ordering;

/// The convex hull of points.
///
/// ```
/// use pd_collide::ConvexHull;
/// use pd_core::{Collider, Vec3};
/// let corners = [0.0, 1.0].map(|x| [0.0, 1.0].map(|y| [0.0, 1.0].map(|z| Vec3::new(x, y, z))));
/// let cube = ConvexHull::new(corners.as_flattened().as_flattened())?;
/// assert_eq!(cube.surface_at(&Vec3::new(0.5, 0.75, 0.5), 0.0).distance, -0.25);
/// assert_eq!(cube.surface_at(&Vec3::new(4.0, 5.0, 0.5), 0.0).distance, 5.0);
/// # Ok::<(), pd_collide::CollideError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConvexHull {
    mesh: MeshQuery,
    /// Unit normal and a point of each face that has an area.
    planes: Vec<(Vec3, Vec3)>,
    margin: Real,
}

impl ConvexHull {
    /// The hull of points, m, without margin.
    ///
    /// # Errors
    /// [`CollideError::Mesh`] if a point is not finite or all are in one plane.
    pub fn new(points: &[Vec3]) -> Result<Self, CollideError> {
        if let Some(vertex) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(MeshFault::NotFinite { vertex, position: points[vertex] }.into());
        }
        let faces = hull(points).ok_or(MeshFault::Inward { volume: 0.0 })?;
        // Only the points that are used.
        let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let place = |v: u32| used.partition_point(|&u| u < v) as u32;
        let positions = used.iter().map(|&v| points[v as usize]).collect();
        let mesh = MeshQuery::new(positions, faces.iter().map(|face| face.map(place)).collect())?;
        let plane = |t: u32| {
            let [a, b, c] = mesh.corners(t);
            direction(&(b - a).cross(&(c - a))).map(|(normal, _)| (normal, a))
        };
        let planes = (0..faces.len() as u32).filter_map(plane).collect();
        Ok(Self { mesh, planes, margin: 0.0 })
    }

    /// The same hull with another margin, m: edges and corners of the grown shape are round.
    ///
    /// # Errors
    /// [`CollideError::Parameter`] if the margin is negative or not finite.
    pub fn with_margin(self, margin: Real) -> Result<Self, CollideError> {
        Ok(Self { margin: not_negative("convex hull", "margin", margin)?, ..self })
    }

    /// Distance kept to the hull, m.
    pub fn margin(&self) -> Real {
        self.margin
    }

    /// The triangles of the hull; faces of more corners are cut into several.
    pub fn triangles(&self) -> &MeshQuery {
        &self.mesh
    }

    fn surface(&self, p: &Vec3) -> Surface {
        let (mut distance, mut normal) = (Real::NEG_INFINITY, Vec3::y());
        for (n, a) in &self.planes {
            let above = n.dot(&(p - a));
            if above > distance || above.is_nan() {
                (distance, normal) = (above, *n);
            }
        }
        if distance > 0.0 {
            let nearest = self.mesh.closest(p);
            if let Some((away, length)) = direction(&(p - nearest.point)) {
                (distance, normal) = (length, away);
            }
        }
        Surface { distance: distance - self.margin, normal, velocity: Vec3::zeros() }
    }
}

impl Collider for ConvexHull {
    fn kind(&self) -> &'static str {
        "convex hull"
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
        sample_each(points, out, |p| self.surface(p));
    }

    fn bounds(&self, _time: Real) -> Aabb {
        let bounds = self.mesh.bounds();
        bounds.grown(self.margin + crate::rounding::slack(bounds.min.amax().max(bounds.max.amax())))
    }

    fn mesh(&self) -> Option<SurfaceMesh> {
        Some(SurfaceMesh {
            positions: self.mesh.positions().to_vec(),
            triangles: self.mesh.triangles().to_vec(),
        })
    }
}

/// Faces of the hull, counter-clockwise seen from outside; `None` if all points are in one plane.
fn hull(points: &[Vec3]) -> Option<Vec<[u32; 3]>> {
    let sees = |[a, b, c]: &[u32; 3], p: u32| {
        let at = |v: u32| &points[v as usize];
        side_of_plane(at(*a), at(*b), at(*c), at(p)) == Ordering::Less
    };
    let mut first = start(points)?;
    if sees(&[first[0], first[1], first[2]], first[3]) {
        first.swap(0, 1);
    }
    let [a, b, c, d] = first;
    let mut faces: Vec<[u32; 3]> = vec![[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for p in (0..points.len() as u32).filter(|p| !first.contains(p)) {
        edges.clear();
        faces.retain(|face| {
            let seen = sees(face, p);
            if seen {
                let [a, b, c] = *face;
                edges.extend([[a, b], [b, c], [c, a]]);
            }
            !seen
        });
        // The horizon: edges of a face that was seen whose other face was not.
        edges.sort_unstable();
        let horizon = edges.iter().filter(|[a, b]| edges.binary_search(&[*b, *a]).is_err());
        faces.extend(horizon.map(|&[a, b]| [a, b, p]));
    }
    Some(faces)
}

/// Four points that are not in one plane.
fn start(points: &[Vec3]) -> Option<[u32; 4]> {
    let at = |v: usize| &points[v];
    let b = (1..points.len()).find(|&b| at(b) != at(0))?;
    let c = (1..points.len()).find(|&c| !collinear(at(0), at(b), at(c)))?;
    let d = (1..points.len()).find(|&d| side_of_plane(at(0), at(b), at(c), at(d)) != Ordering::Equal)?;
    Some([0, b as u32, c as u32, d as u32])
}
