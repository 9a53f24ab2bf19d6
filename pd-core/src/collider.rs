//! Obstacles: bodies that push vertices out and are not pushed themselves.

use crate::{ColliderData, Real, Vec3, exec};

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
    pub fn everything() -> Self {
        Self { min: Vec3::repeat(Real::NEG_INFINITY), max: Vec3::repeat(Real::INFINITY) }
    }

    /// Whether the point lies inside or on the box.
    pub fn contains(&self, p: &Vec3) -> bool {
        (0..3).all(|a| self.min[a] <= p[a] && p[a] <= self.max[a])
    }
}

/// An obstacle by signed distance; thesis section 5.
///
/// `time` is the simulated time in s, so that an obstacle on a path needs no state and a checkpoint needs no
/// obstacle.
///
/// ```
/// use pd_core::{Aabb, Collider, Real, Surface, Vec3};
/// /// Everything below y = 0.
/// struct Ground;
/// impl Collider for Ground {
///     fn kind(&self) -> &'static str { "ground" }
///     fn sample(&self, p: &Vec3, _time: Real) -> Surface {
///         Surface { distance: p.y, normal: Vec3::y(), velocity: Vec3::zeros() }
///     }
/// }
/// assert_eq!(Ground.resolve(&Vec3::new(1.0, -2.0, 0.0), 0.0), Some(Vec3::new(1.0, 0.0, 0.0)));
/// ```
pub trait Collider: Send + Sync {
    /// Name of the shape, for reports.
    fn kind(&self) -> &'static str;

    /// Distance, normal and velocity of the surface nearest to `p`.
    fn sample(&self, p: &Vec3, time: Real) -> Surface;

    /// A box outside of which no point is inside the obstacle.
    fn bounds(&self, _time: Real) -> Aabb {
        Aabb::everything()
    }

    /// The nearest point outside, if `p` is inside.
    fn resolve(&self, p: &Vec3, time: Real) -> Option<Vec3> {
        let surface = self.sample(p, time);
        (surface.distance < 0.0).then(|| p - surface.normal * surface.distance)
    }

    /// The obstacle at `time` as plain numbers, for a device; `None` if the host alone knows its shape.
    fn export(&self, _time: Real) -> Option<ColliderData> {
        None
    }
}

/// A boxed obstacle is an obstacle, so that one chosen at run time can be put on a path.
impl Collider for Box<dyn Collider> {
    fn kind(&self) -> &'static str {
        self.as_ref().kind()
    }
    fn sample(&self, p: &Vec3, time: Real) -> Surface {
        self.as_ref().sample(p, time)
    }
    fn bounds(&self, time: Real) -> Aabb {
        self.as_ref().bounds(time)
    }
    fn resolve(&self, p: &Vec3, time: Real) -> Option<Vec3> {
        self.as_ref().resolve(p, time)
    }
    fn export(&self, time: Real) -> Option<ColliderData> {
        self.as_ref().export(time)
    }
}

/// Moves every point that is inside a collider to its surface, colliders in order; returns how many were moved.
pub fn resolve_collisions(colliders: &[Box<dyn Collider>], time: Real, points: &mut [Vec3]) -> usize {
    if colliders.is_empty() {
        return 0;
    }
    let moved = std::sync::atomic::AtomicUsize::new(0); // an integer count: order does not matter
    exec::for_each_chunk(points, exec::VERTEX_CHUNK, |_, points| {
        let mut count = 0;
        for point in points {
            let mut hit = false;
            for collider in colliders {
                if let Some(outside) = collider.resolve(point, time) {
                    *point = outside;
                    hit = true;
                }
            }
            count += usize::from(hit);
        }
        moved.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
    });
    moved.into_inner()
}
