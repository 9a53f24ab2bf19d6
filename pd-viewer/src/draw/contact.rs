//! Where vertices touch obstacles, for display.

use pd_core::{Collider, Model, Vec3};

/// Distance (m) from an obstacle below which a vertex is shown as touching.
pub const TOUCH: f64 = 1e-3;

/// How near (m) a vertex of this model must be to an obstacle to count as touching: surfaces with a thickness rest at that
/// distance.
pub fn touch_distance(model: &Model) -> f64 {
    TOUCH + model.surface().bodies.iter().map(|body| body.thickness).fold(0.0, f64::max)
}

/// A vertex on an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The vertex.
    pub vertex: u32,
    /// Number of the obstacle.
    pub collider: usize,
    /// Where, m.
    pub point: Vec3,
    /// Outward unit normal of the obstacle.
    pub normal: Vec3,
}

/// Fills `contacts` with the vertices within `reach` (m) of an obstacle's surface or inside it, by obstacle and vertex.
pub fn find_contacts(
    positions: &[Vec3],
    colliders: &[Box<dyn Collider>],
    time: f64,
    reach: f64,
    contacts: &mut Vec<Contact>,
) {
    contacts.clear();
    for (collider, obstacle) in colliders.iter().enumerate() {
        let bounds = obstacle.bounds(time);
        let (low, high) = (bounds.min - Vec3::repeat(reach), bounds.max + Vec3::repeat(reach));
        for (vertex, &point) in positions.iter().enumerate() {
            if (0..3).all(|a| low[a] <= point[a] && point[a] <= high[a]) {
                let surface = obstacle.surface_at(&point, time);
                if surface.distance <= reach {
                    contacts.push(Contact { vertex: vertex as u32, collider, point, normal: surface.normal });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_collide::{Floor, Sphere};

    #[test]
    fn touching_and_buried_vertices_are_contacts_and_others_not() {
        let sphere = Sphere::new(Vec3::zeros(), 0.5).unwrap().with_margin(0.0).unwrap();
        let floor = Floor::new(-1.0).unwrap().with_margin(0.0).unwrap();
        let colliders: Vec<Box<dyn Collider>> = vec![Box::new(sphere), Box::new(floor)];
        let x = [
            Vec3::new(0.0, 0.5, 0.0),
            Vec3::new(0.0, 0.52, 0.0),
            Vec3::new(3.0, -1.2, 0.0),
            Vec3::new(0.1, 0.0, 0.0),
        ];
        let mut contacts = vec![];
        find_contacts(&x, &colliders, 0.0, 1e-3, &mut contacts);
        let found: Vec<_> = contacts.iter().map(|c| (c.collider, c.vertex)).collect();
        assert_eq!(found, [(0, 0), (0, 3), (1, 2)]);
        assert_eq!(contacts[2].normal, Vec3::y());
    }
}
