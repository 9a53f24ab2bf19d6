//! The collision surface of a model: triangles, edges and points, and the bodies they belong to.

use crate::{ModelError, Real, Vec3};

/// Friction and restitution of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMaterial {
    /// Coulomb coefficient while sticking.
    pub static_friction: Real,
    /// Coulomb coefficient while sliding; not above the static one.
    pub kinetic_friction: Real,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: Real,
}

impl ContactMaterial {
    /// One coefficient for sticking and sliding, no restitution.
    pub fn with_friction(friction: Real) -> Self {
        Self { static_friction: friction, kinetic_friction: friction, restitution: 0.0 }
    }

    /// Without friction or restitution.
    pub fn frictionless() -> Self {
        Self::with_friction(0.0)
    }

    /// The combination of two surfaces: the geometric mean of the coefficients, so that one frictionless surface is
    /// enough, and the larger restitution.
    pub fn between(a: &Self, b: &Self) -> Self {
        Self {
            static_friction: (a.static_friction * b.static_friction).sqrt(),
            kinetic_friction: (a.kinetic_friction * b.kinetic_friction).sqrt(),
            restitution: a.restitution.max(b.restitution),
        }
    }

    /// Returns the first value out of range.
    pub fn check(&self) -> Result<(), ModelError> {
        let wrong = |what, value, expected| Err(ModelError::Material { what, value, expected });
        for (what, value) in
            [("static friction", self.static_friction), ("kinetic friction", self.kinetic_friction)]
        {
            if !(value >= 0.0 && value.is_finite()) {
                return wrong(what, value, "it must be zero or positive and finite");
            }
        }
        if self.kinetic_friction > self.static_friction {
            return wrong(
                "kinetic friction",
                self.kinetic_friction,
                "it must not exceed the static friction",
            );
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return wrong("restitution", self.restitution, "it must be from 0 to 1");
        }
        Ok(())
    }
}

impl Default for ContactMaterial {
    /// Friction 0.3, no restitution.
    fn default() -> Self {
        Self::with_friction(0.3)
    }
}

/// One body of a [`CollisionSurface`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceBody {
    /// Distance at which the surface is in contact, m; two bodies keep a distance of the mean of their thicknesses.
    pub thickness: Real,
    /// Friction and restitution.
    pub material: ContactMaterial,
    /// Whether the body may touch itself.
    pub self_contact: bool,
}

impl SurfaceBody {
    /// A body of this thickness, m, with default material and self-contact.
    pub fn new(thickness: Real) -> Self {
        Self { thickness, material: ContactMaterial::default(), self_contact: true }
    }
}

/// Contact parameters of a pair of bodies; they override those derived from the two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairContact {
    /// Distance at which they touch, m; the mean of their thicknesses when absent.
    pub thickness: Option<Real>,
    /// Friction and restitution.
    pub material: ContactMaterial,
}

/// The surfaces of a model that can touch each other, themselves and obstacles.
///
/// ```
/// use pd_core::{CollisionSurface, SurfaceBody};
/// let mut surface = CollisionSurface::default();
/// let cloth = surface.add_body(SurfaceBody::new(1e-3), &[[0, 1, 2], [2, 1, 3]], 0);
/// assert_eq!((cloth, surface.edges.len(), surface.points.len()), (0, 5, 4));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollisionSurface {
    /// Vertices of every triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Vertices of every edge, the smaller number first, sorted within each body.
    pub edges: Vec<[u32; 2]>,
    /// Every vertex that can touch, ascending within each body.
    pub points: Vec<u32>,
    /// Body of each entry of `triangles`.
    pub triangle_body: Vec<u32>,
    /// Body of each entry of `edges`.
    pub edge_body: Vec<u32>,
    /// Body of each entry of `points`.
    pub point_body: Vec<u32>,
    /// The bodies.
    pub bodies: Vec<SurfaceBody>,
    /// Pairs of bodies that pass through each other, the smaller number first, sorted.
    pub ignored: Vec<[u32; 2]>,
    /// Pairs of bodies with their own contact parameters, the smaller number first, sorted.
    pub pairs: Vec<([u32; 2], PairContact)>,
    /// Positions of all vertices of the model at rest, m: parts of a body that are close to each other at rest may stay close.
    /// Empty if unknown.
    pub rest: Vec<Vec3>,
}

impl CollisionSurface {
    /// Adds a body of these triangles, whose vertex numbers are shifted by `offset`; returns its number.
    pub fn add_body(&mut self, body: SurfaceBody, triangles: &[[u32; 3]], offset: u32) -> u32 {
        let number = self.bodies.len() as u32;
        let triangles = triangles.iter().map(|t| t.map(|vertex| vertex + offset));
        let first = self.triangles.len();
        self.triangles.extend(triangles);
        let own = &self.triangles[first..];
        let mut edges: Vec<[u32; 2]> = own
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut points: Vec<u32> = own.iter().flatten().copied().collect();
        points.sort_unstable();
        points.dedup();
        self.triangle_body.resize(self.triangles.len(), number);
        self.edge_body.resize(self.edges.len() + edges.len(), number);
        self.point_body.resize(self.points.len() + points.len(), number);
        self.edges.extend(edges);
        self.points.extend(points);
        self.bodies.push(body);
        number
    }

    /// Lets two bodies pass through each other.
    pub fn ignore(&mut self, a: u32, b: u32) {
        self.ignored.push([a.min(b), a.max(b)]);
        self.ignored.sort_unstable();
        self.ignored.dedup();
    }

    /// Sets the contact parameters of a pair of bodies.
    pub fn set_pair(&mut self, a: u32, b: u32, contact: PairContact) {
        let pair = [a.min(b), a.max(b)];
        match self.pairs.binary_search_by(|entry| entry.0.cmp(&pair)) {
            Ok(k) => self.pairs[k].1 = contact,
            Err(k) => self.pairs.insert(k, (pair, contact)),
        }
    }

    /// Contact parameters of a pair of bodies, if they were [set](Self::set_pair).
    pub fn pair(&self, a: u32, b: u32) -> Option<&PairContact> {
        let pair = [a.min(b), a.max(b)];
        let found = self.pairs.binary_search_by(|entry| entry.0.cmp(&pair)).ok()?;
        Some(&self.pairs[found].1)
    }

    /// Whether bodies `a` and `b` (which may be the same) may touch.
    pub fn may_touch(&self, a: u32, b: u32) -> bool {
        if a == b {
            return self.bodies[a as usize].self_contact;
        }
        self.ignored.binary_search(&[a.min(b), a.max(b)]).is_err()
    }

    /// Whether the surface is empty.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Checks indices, thicknesses and materials.
    pub(crate) fn check(&self, vertices: usize) -> Result<(), ModelError> {
        let kind = || "collision surface".to_owned();
        let mut used = self
            .triangles
            .iter()
            .flatten()
            .chain(self.edges.iter().flatten())
            .chain(&self.points)
            .map(|&vertex| vertex as usize);
        if let Some(vertex) = used.find(|&vertex| vertex >= vertices) {
            return Err(ModelError::Vertex { kind: kind(), vertex, vertices });
        }
        let tables = [
            ("triangles", self.triangles.len(), &self.triangle_body),
            ("edges", self.edges.len(), &self.edge_body),
            ("points", self.points.len(), &self.point_body),
        ];
        for (what, expected, bodies) in tables {
            if bodies.len() != expected {
                return Err(ModelError::SurfaceTable { what, expected, got: bodies.len() });
            }
            if let Some(&body) = bodies.iter().find(|&&body| body as usize >= self.bodies.len()) {
                return Err(ModelError::SurfaceBody { body: body as usize, bodies: self.bodies.len() });
            }
        }
        let paired = self.pairs.iter().flat_map(|entry| entry.0);
        if let Some(body) = paired.into_iter().find(|&body| body as usize >= self.bodies.len()) {
            return Err(ModelError::SurfaceBody { body: body as usize, bodies: self.bodies.len() });
        }
        for (_, pair) in &self.pairs {
            pair.material.check()?;
            if let Some(value) = pair.thickness.filter(|&value| !(value > 0.0 && value.is_finite())) {
                let expected = "it must be positive and finite, in m";
                return Err(ModelError::Material { what: "thickness of a pair", value, expected });
            }
        }
        if let Some(&body) = self.ignored.iter().flatten().find(|&&body| body as usize >= self.bodies.len()) {
            return Err(ModelError::SurfaceBody { body: body as usize, bodies: self.bodies.len() });
        }
        for body in &self.bodies {
            body.material.check()?;
            if !(body.thickness > 0.0 && body.thickness.is_finite()) {
                return Err(ModelError::Material {
                    what: "thickness",
                    value: body.thickness,
                    expected: "it must be positive and finite, in m",
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_keep_their_edges_points_and_filters_apart() {
        let mut surface = CollisionSurface::default();
        let a = surface.add_body(SurfaceBody::new(1e-3), &[[0, 1, 2]], 0);
        let b = surface.add_body(
            SurfaceBody { self_contact: false, ..SurfaceBody::new(2e-3) },
            &[[0, 1, 2], [2, 1, 3]],
            3,
        );
        assert_eq!(surface.edges, [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5], [4, 6], [5, 6]]);
        assert_eq!(surface.points, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(surface.point_body, [0, 0, 0, 1, 1, 1, 1]);
        assert!(surface.may_touch(a, a) && surface.may_touch(a, b) && !surface.may_touch(b, b));
        surface.ignore(b, a);
        assert!(!surface.may_touch(a, b) && !surface.may_touch(b, a));
        assert_eq!(surface.check(7), Ok(()));
        assert!(matches!(surface.check(6), Err(ModelError::Vertex { vertex: 6, .. })));
        surface.bodies[1].material.restitution = 1.5;
        assert!(matches!(surface.check(7), Err(ModelError::Material { what: "restitution", .. })));
    }

    #[test]
    fn a_pair_has_its_own_contact_in_either_order() {
        let mut surface = CollisionSurface::default();
        for _ in 0..3 {
            surface.add_body(SurfaceBody::new(1e-3), &[[0, 1, 2]], 0);
        }
        let rough = PairContact { thickness: Some(2e-3), material: ContactMaterial::with_friction(0.9) };
        surface.set_pair(2, 1, rough);
        surface.set_pair(0, 2, PairContact { thickness: None, ..rough });
        assert_eq!(surface.pair(1, 2), Some(&rough));
        assert_eq!((surface.pair(2, 0).unwrap().thickness, surface.pair(0, 1)), (None, None));
        assert_eq!(surface.check(3), Ok(()));
        surface.set_pair(1, 2, PairContact { thickness: Some(0.0), ..rough });
        assert!(matches!(surface.check(3), Err(ModelError::Material { .. })));
    }

    #[test]
    fn one_frictionless_surface_is_enough() {
        let rough = ContactMaterial::with_friction(0.8);
        let pair = ContactMaterial::between(&rough, &ContactMaterial::frictionless());
        assert_eq!((pair.static_friction, pair.kinetic_friction), (0.0, 0.0));
        let slippery = ContactMaterial { kinetic_friction: 0.9, ..rough };
        assert!(slippery.check().is_err());
    }
}
