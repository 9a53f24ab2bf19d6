//! Obstacles: bodies that push vertices out and are not affected by contact.

use crate::exec::{self, VERTEX_CHUNK};
use crate::{ColliderData, ContactMaterial, Real, Vec3};
use nalgebra::Isometry3;

/// Points sampled at a time by the provided methods: their surfaces fit the stack and L1.
const BLOCK: usize = 64;

/// The surface of an obstacle as seen from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Signed distance to the surface, margin included, m; negative inside.
    pub distance: Real,
    /// Outward unit normal at the nearest surface point.
    pub normal: Vec3,
    /// Velocity of the surface there, m/s.
    pub velocity: Vec3,
}

impl Default for Surface {
    /// Infinitely far away and at rest.
    fn default() -> Self {
        Self { distance: Real::INFINITY, normal: Vec3::y(), velocity: Vec3::zeros() }
    }
}

/// An axis-aligned box; may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The whole space.
    #[inline]
    pub fn everything() -> Self {
        Self { min: Vec3::repeat(Real::NEG_INFINITY), max: Vec3::repeat(Real::INFINITY) }
    }

    /// The empty box: it contains nothing, and growing it by a point gives that point.
    #[inline]
    pub fn empty() -> Self {
        Self { min: Vec3::repeat(Real::INFINITY), max: Vec3::repeat(Real::NEG_INFINITY) }
    }

    /// The smallest box around points; NaN coordinates are ignored.
    #[inline]
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Self {
        // `Real::min` ignores NaN; `Vector::inf` does not.
        points.into_iter().fold(Self::empty(), |b, p| Self {
            min: b.min.zip_map(p, Real::min),
            max: b.max.zip_map(p, Real::max),
        })
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// The box with every face moved outwards by `reach`, m.
    #[inline]
    pub fn grown(&self, reach: Real) -> Self {
        Self { min: self.min.add_scalar(-reach), max: self.max.add_scalar(reach) }
    }

    /// Whether the point lies inside or on the box.
    #[inline]
    pub fn contains(&self, p: &Vec3) -> bool {
        (0..3).all(|a| self.min[a] <= p[a] && p[a] <= self.max[a])
    }

    /// Whether the boxes have a point in common.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|a| self.min[a] <= other.max[a] && other.min[a] <= self.max[a])
    }
}

/// Triangles of a surface for display, in the frame of the body they belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertex positions, m.
    pub positions: Vec<Vec3>,
    /// Vertices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// An obstacle by signed distance; thesis section 5.
///
/// Points come in batches, so there is one virtual call per batch. `time` is the simulated time in s; a moving obstacle
/// therefore has no state, and checkpoints do not contain obstacles.
///
/// ```
/// use pd_core::{Collider, Real, Surface, Vec3};
/// /// Everything below y = 0.
/// struct Ground;
/// impl Collider for Ground {
///     fn kind(&self) -> &'static str { "ground" }
///     fn sample(&self, points: &[Vec3], _time: Real, out: &mut [Surface]) {
///         for (p, out) in points.iter().zip(out) {
///             *out = Surface { distance: p.y, normal: Vec3::y(), velocity: Vec3::zeros() };
///         }
///     }
/// }
/// assert_eq!(Ground.resolve(&Vec3::new(1.0, -2.0, 0.0), 0.0), Some(Vec3::new(1.0, 0.0, 0.0)));
/// ```
pub trait Collider: Send + Sync {
    /// Name of the shape, for reports.
    fn kind(&self) -> &'static str;

    /// Distance, normal and velocity of the surface nearest to each point; `out` is as long as `points`.
    fn sample(&self, points: &[Vec3], time: Real, out: &mut [Surface]);

    /// A box outside of which no point is inside the obstacle.
    fn bounds(&self, _time: Real) -> Aabb {
        Aabb::everything()
    }

    /// Moves every point that is inside to the nearest point outside and marks it; marks are never cleared. Override
    /// where p − φ n is not accurate to the last place.
    fn push_out(&self, points: &mut [Vec3], time: Real, moved: &mut [bool]) {
        let mut surfaces = [Surface::default(); BLOCK];
        for (points, moved) in points.chunks_mut(BLOCK).zip(moved.chunks_mut(BLOCK)) {
            let surfaces = &mut surfaces[..points.len()];
            self.sample(points, time, surfaces);
            for ((p, surface), moved) in points.iter_mut().zip(surfaces).zip(moved) {
                if surface.distance < 0.0 {
                    *p -= surface.normal * surface.distance;
                    *moved = true;
                }
            }
        }
    }

    /// Position and rotation of the obstacle's own frame at `time`; [`mesh`](Self::mesh) is given in that frame.
    fn pose(&self, _time: Real) -> Isometry3<Real> {
        Isometry3::identity()
    }

    /// Friction and restitution of the surface.
    fn material(&self) -> ContactMaterial {
        ContactMaterial::default()
    }

    /// Whether the shape is convex, so that it lies on one side of the tangent plane at the nearest point. Return `false` if
    /// unknown.
    fn is_convex(&self) -> bool {
        false
    }

    /// Triangles to draw, in the obstacle's own frame; `None` if it has none (an infinite plane).
    fn mesh(&self) -> Option<SurfaceMesh> {
        None
    }

    /// The obstacle at `time` as plain numbers, for a device; `None` if its shape is only known on the host.
    fn export(&self, _time: Real) -> Option<ColliderData> {
        None
    }

    /// How vertices of deformable bodies meet the obstacle; everything else meets its own signed distance.
    fn vertex_sight(&self) -> VertexSight<'_> {
        VertexSight::Itself
    }

    /// [`sample`](Self::sample) of a single point.
    fn surface_at(&self, p: &Vec3, time: Real) -> Surface {
        let mut out = [Surface::default()];
        self.sample(std::slice::from_ref(p), time, &mut out);
        out[0]
    }

    /// The nearest point outside, if `p` is inside: [`push_out`](Self::push_out) of a single point.
    fn resolve(&self, p: &Vec3, time: Real) -> Option<Vec3> {
        let (mut point, mut moved) = ([*p], [false]);
        self.push_out(&mut point, time, &mut moved);
        moved[0].then_some(point[0])
    }
}

/// A boxed obstacle is an obstacle, so that one chosen at run time can be moved along a path.
impl Collider for Box<dyn Collider> {
    fn kind(&self) -> &'static str {
        self.as_ref().kind()
    }
    fn sample(&self, points: &[Vec3], time: Real, out: &mut [Surface]) {
        self.as_ref().sample(points, time, out);
    }
    fn bounds(&self, time: Real) -> Aabb {
        self.as_ref().bounds(time)
    }
    fn push_out(&self, points: &mut [Vec3], time: Real, moved: &mut [bool]) {
        self.as_ref().push_out(points, time, moved);
    }
    fn pose(&self, time: Real) -> Isometry3<Real> {
        self.as_ref().pose(time)
    }
    fn material(&self) -> ContactMaterial {
        self.as_ref().material()
    }
    fn is_convex(&self) -> bool {
        self.as_ref().is_convex()
    }
    fn mesh(&self) -> Option<SurfaceMesh> {
        self.as_ref().mesh()
    }
    fn export(&self, time: Real) -> Option<ColliderData> {
        self.as_ref().export(time)
    }
    fn vertex_sight(&self) -> VertexSight<'_> {
        self.as_ref().vertex_sight()
    }
}

/// What vertices of deformable bodies see of an obstacle.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum VertexSight<'a> {
    /// Its signed distance, as all others.
    Itself,
    /// Another signed distance in its place: one with a margin.
    Distance(&'a dyn Collider),
    /// Nothing: its triangles are in their model, or they ignore obstacles.
    Nothing,
}

impl dyn Collider {
    /// The signed distance that vertices of deformable bodies meet; `None` for [`VertexSight::Nothing`].
    pub fn for_vertices(&self) -> Option<&dyn Collider> {
        match self.vertex_sight() {
            VertexSight::Itself => Some(self),
            VertexSight::Distance(other) => Some(other),
            VertexSight::Nothing => None,
        }
    }
}

/// An obstacle that vertices of deformable bodies meet in another way than everything else does.
pub struct Obstacle {
    shape: Box<dyn Collider>,
    vertices: Option<Box<dyn Collider>>,
}

impl Obstacle {
    /// Of this shape; vertices of deformable bodies meet `vertices` instead, or nothing.
    pub fn new(shape: Box<dyn Collider>, vertices: Option<Box<dyn Collider>>) -> Self {
        Self { shape, vertices }
    }
}

impl Collider for Obstacle {
    fn kind(&self) -> &'static str {
        self.shape.kind()
    }
    fn sample(&self, points: &[Vec3], time: Real, out: &mut [Surface]) {
        self.shape.sample(points, time, out);
    }
    fn bounds(&self, time: Real) -> Aabb {
        self.shape.bounds(time)
    }
    fn push_out(&self, points: &mut [Vec3], time: Real, moved: &mut [bool]) {
        self.shape.push_out(points, time, moved);
    }
    fn pose(&self, time: Real) -> Isometry3<Real> {
        self.shape.pose(time)
    }
    fn material(&self) -> ContactMaterial {
        self.shape.material()
    }
    fn is_convex(&self) -> bool {
        self.shape.is_convex()
    }
    fn mesh(&self) -> Option<SurfaceMesh> {
        self.shape.mesh()
    }
    fn export(&self, time: Real) -> Option<ColliderData> {
        self.shape.export(time)
    }
    fn vertex_sight(&self) -> VertexSight<'_> {
        self.vertices.as_deref().map_or(VertexSight::Nothing, VertexSight::Distance)
    }
}

/// Moves every vertex of a deformable body that is inside a collider to its surface, colliders in order; returns how many were
/// moved. A chunk of vertices that a collider's bounds do not reach is not sampled.
pub fn resolve_collisions(colliders: &[Box<dyn Collider>], time: Real, points: &mut [Vec3]) -> usize {
    if colliders.is_empty() {
        return 0;
    }
    let total = std::sync::atomic::AtomicUsize::new(0); // an integer count: order does not matter
    exec::for_each_chunk(points, VERTEX_CHUNK, |_, points| {
        let mut moved = [false; VERTEX_CHUNK];
        let moved = &mut moved[..points.len()];
        for collider in colliders.iter().filter_map(|collider| collider.for_vertices()) {
            // The box is recomputed: the previous collider may have moved points.
            if collider.bounds(time).overlaps(&Aabb::of_points(&*points)) {
                collider.push_out(points, time, moved);
            }
        }
        let count = moved.iter().filter(|&&moved| moved).count();
        total.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
    });
    total.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The half-space below `height`, which counts the points it samples.
    struct Ground<'a> {
        height: Real,
        sampled: &'a AtomicUsize,
    }
    impl Collider for Ground<'_> {
        fn kind(&self) -> &'static str {
            "ground"
        }
        fn sample(&self, points: &[Vec3], _: Real, out: &mut [Surface]) {
            self.sampled.fetch_add(points.len(), Ordering::Relaxed);
            for (p, out) in points.iter().zip(out) {
                *out = Surface { distance: p.y - self.height, ..Surface::default() };
            }
        }
        fn bounds(&self, _: Real) -> Aabb {
            Aabb { max: Vec3::new(Real::INFINITY, self.height, Real::INFINITY), ..Aabb::everything() }
        }
    }

    #[test]
    fn chunks_beyond_the_bounds_are_not_sampled() {
        let sampled: &'static AtomicUsize = Box::leak(Box::default());
        let colliders: Vec<Box<dyn Collider>> = vec![Box::new(Ground { height: 1.0, sampled })];
        let mut points = vec![Vec3::new(0.0, 5.0, 0.0); 3 * VERTEX_CHUNK];
        points[VERTEX_CHUNK + 7].y = 0.25;
        points[VERTEX_CHUNK + 8].y = Real::NAN;
        assert_eq!(resolve_collisions(&colliders, 0.0, &mut points), 1);
        assert_eq!(sampled.load(Ordering::Relaxed), VERTEX_CHUNK);
        assert_eq!(points[VERTEX_CHUNK + 7].y, 1.0);
        assert!(points[VERTEX_CHUNK + 8].y.is_nan());
    }

    #[test]
    fn a_point_hit_twice_counts_once() {
        let sampled: &'static AtomicUsize = Box::leak(Box::default());
        let ground = |height| Box::new(Ground { height, sampled }) as Box<dyn Collider>;
        let mut points = vec![Vec3::zeros(), Vec3::new(0.0, 9.0, 0.0)];
        assert_eq!(resolve_collisions(&[ground(1.0), ground(2.0)], 0.0, &mut points), 1);
        assert_eq!(points, [Vec3::new(0.0, 2.0, 0.0), Vec3::new(0.0, 9.0, 0.0)]);
    }
}
