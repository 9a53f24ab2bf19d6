//! The surface that takes part in contact: triangles over all vertices, with what is derived from them once.
//!
//! Every vertex and edge belongs to exactly one triangle that speaks for it, so that a traversal over pairs of triangles
//! meets each vertex–face and edge–edge pair once.

use crate::CollideError;
use pd_core::{Aabb, CollisionSurface, ContactMaterial, Model, PairContact, Real, SurfaceBody, Vec3};

/// No vertex: the place of a missing one in keys.
pub(crate) const NONE: u32 = (1 << 30) - 1;

/// Body of a vertex that has none.
pub(crate) const NO_BODY: u32 = u32::MAX;

/// Cosine of the dihedral angle at rest above which an inner edge counts as smooth (30°).
const SMOOTH: Real = 0.866;

/// Lists of `u32` by owner, one after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Lists from (owner, item) in any order; items keep their order within an owner.
    fn new(owners: usize, pairs: &[(u32, u32)]) -> Self {
        let mut offsets = vec![0u32; owners + 1];
        for &(owner, _) in pairs {
            offsets[owner as usize + 1] += 1;
        }
        for k in 0..owners {
            offsets[k + 1] += offsets[k];
        }
        let mut next = offsets.clone();
        let mut items = vec![0; pairs.len()];
        for &(owner, item) in pairs {
            items[next[owner as usize] as usize] = item;
            next[owner as usize] += 1;
        }
        Self { offsets, items }
    }

    pub(crate) fn of(&self, owner: usize) -> &[u32] {
        &self.items[self.offsets[owner] as usize..self.offsets[owner + 1] as usize]
    }
}

/// Triangles of all bodies and obstacles, and what follows from them. Vertices that no triangle names take no part.
#[derive(Clone, Debug, Default)]
pub struct ContactSurface {
    /// Positions at rest; empty if not known.
    pub(crate) rest: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) edges: Vec<[u32; 2]>,
    /// Edges of each triangle: of its corners 0–1, 1–2, 2–0.
    pub(crate) triangle_edges: Vec<[u32; 3]>,
    /// Bits 0–2: vertices the triangle speaks for; bits 3–5: edges.
    pub(crate) speaks: Vec<u8>,
    /// Corners opposite to each edge.
    pub(crate) opposite: Lists,
    /// Vertices joined to each vertex by an edge.
    pub(crate) neighbours: Lists,
    /// Of each vertex that is inside of its surface, with two triangles at each of its edges: the two other corners of each of
    /// its triangles. Empty for others.
    pub(crate) fans: Lists,
    pub(crate) smooth: Vec<bool>,
    /// Body of each vertex; that of one without triangles is [`NO_BODY`].
    pub(crate) body: Vec<u32>,
    pub(crate) bodies: Vec<SurfaceBody>,
    /// Vertices that are moved and not pushed.
    pub(crate) kinematic: Vec<bool>,
    /// Pairs of bodies that do not see each other, sorted, the lesser first.
    pub(crate) blind: Vec<[u32; 2]>,
    /// Pairs of bodies with contact of their own, sorted, the lesser first.
    pairs: Vec<([u32; 2], PairContact)>,
    least_thickness: Real,
}

impl ContactSurface {
    /// The surface of a model.
    pub fn new(model: &Model) -> Result<Self, CollideError> {
        let vertices = model.vertices();
        let mut surface = Self::from_parts(vertices, model.surface())?;
        for &vertex in model.kinematic() {
            surface.kinematic[vertex as usize] = true;
        }
        Ok(surface)
    }

    /// A surface over so many vertices, all of which are pushed.
    pub fn from_parts(vertices: usize, surface: &CollisionSurface) -> Result<Self, CollideError> {
        if vertices >= NONE as usize {
            return Err(surface_error("vertices", vertices as Real, "contact numbers fewer than 2^30 - 1"));
        }
        for triangle in &surface.triangles {
            if let Some(&v) = triangle.iter().find(|&&v| v as usize >= vertices) {
                return Err(surface_error("triangle corner", Real::from(v), "there is no such vertex"));
            }
            if triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[0] == triangle[2] {
                return Err(surface_error("triangle corner", Real::from(triangle[0]), "it is named twice"));
            }
        }
        let mut body = vec![NO_BODY; vertices];
        for (&vertex, &number) in surface.points.iter().zip(&surface.point_body) {
            body[vertex as usize] = number;
        }
        let known = surface.rest.len() == vertices;
        let mut this = Self {
            rest: if known { surface.rest.clone() } else { vec![] },
            triangles: surface.triangles.clone(),
            body,
            bodies: surface.bodies.clone(),
            kinematic: vec![false; vertices],
            blind: surface.ignored.clone(),
            pairs: surface.pairs.clone(),
            least_thickness: surface.bodies.iter().map(|b| b.thickness).fold(Real::INFINITY, Real::min),
            ..Self::default()
        };
        this.derive();
        Ok(this)
    }

    /// Number of vertices, those without triangles included.
    pub fn vertices(&self) -> usize {
        self.body.len()
    }

    /// Triangles of all bodies.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Edges of the triangles, each once, sorted.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Body of each vertex, in the order bodies were added.
    pub fn body(&self) -> &[u32] {
        &self.body
    }

    /// Bodies in the order they were added.
    pub fn bodies(&self) -> &[SurfaceBody] {
        &self.bodies
    }

    /// Thickness of a pair of bodies, m.
    pub fn thickness(&self, a: u32, b: u32) -> Real {
        if let Some(thickness) = self.pair(a, b).and_then(|pair| pair.thickness) {
            return thickness;
        }
        0.5 * (self.bodies[a as usize].thickness + self.bodies[b as usize].thickness)
    }

    /// Whether a body or a pair of bodies has restitution.
    pub fn bounces(&self) -> bool {
        let bodies = self.bodies.iter().map(|body| &body.material);
        bodies
            .chain(self.pairs.iter().map(|(_, pair)| &pair.material))
            .any(|material| material.restitution > 0.0)
    }

    /// Friction and restitution of a pair of bodies.
    pub fn material(&self, a: u32, b: u32) -> ContactMaterial {
        self.pair(a, b).map_or_else(
            || ContactMaterial::between(&self.bodies[a as usize].material, &self.bodies[b as usize].material),
            |pair| pair.material,
        )
    }

    fn pair(&self, a: u32, b: u32) -> Option<&PairContact> {
        if self.pairs.is_empty() {
            return None;
        }
        let found = self.pairs.binary_search_by(|entry| entry.0.cmp(&[a.min(b), a.max(b)])).ok()?;
        Some(&self.pairs[found].1)
    }

    /// Half of the largest thickness that the body of a vertex has with any other, m.
    pub(crate) fn half_thickness_of(&self, vertex: usize) -> Real {
        let own = self.thickness_of(vertex);
        let of = |(pair, contact): &([u32; 2], PairContact)| {
            contact.thickness.filter(|_| pair.contains(&self.body[vertex]))
        };
        0.5 * self.pairs.iter().filter_map(of).fold(own, Real::max)
    }

    /// Least thickness of any body, m; infinite if there is none.
    pub fn least_thickness(&self) -> Real {
        self.least_thickness
    }

    /// Whether two bodies see each other.
    pub(crate) fn sees(&self, a: u32, b: u32) -> bool {
        let same = a != b || self.bodies[a as usize].self_contact;
        same && (self.blind.is_empty() || self.blind.binary_search(&[a.min(b), a.max(b)]).is_err())
    }

    /// Whether a vertex belongs to a body that can touch.
    pub fn touches(&self, vertex: usize) -> bool {
        self.body[vertex] != NO_BODY
    }

    /// Whether a vertex is moved and not pushed.
    pub fn is_kinematic(&self, vertex: usize) -> bool {
        self.kinematic[vertex]
    }

    /// Thickness of the body of a vertex, m; of a vertex without a body the least there is.
    pub fn thickness_of(&self, vertex: usize) -> Real {
        self.bodies.get(self.body[vertex] as usize).map_or(self.least_thickness, |body| body.thickness)
    }

    /// Boxes of all triangles at rest, bodies side by side: what a tree is shaped by. Where nothing is known of rest, numbers
    /// of vertices stand in for places.
    pub(crate) fn rest_boxes(&self, boxes: &mut Vec<Aabb>) {
        let known = self.rest.len() == self.body.len();
        let at = |v: u32| if known { self.rest[v as usize] } else { Vec3::x() * Real::from(v) };
        let hull = Aabb::of_points(&self.rest);
        let shift = if known { 2.0 * (hull.max - hull.min).amax() } else { 0.0 };
        boxes.clear();
        boxes.extend(self.triangles.iter().map(|t| {
            let aside = Vec3::x() * (shift * Real::from(self.body[t[0] as usize]));
            let corners = t.map(|v| at(v) + aside);
            Aabb::of_points(&corners)
        }));
    }

    fn derive(&mut self) {
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(sides).map(sorted).collect();
        edges.sort_unstable();
        edges.dedup();
        let number = |edge: [u32; 2]| match edges.binary_search(&sorted(edge)) {
            Ok(k) => k as u32,
            Err(_) => unreachable!("every side is an edge"),
        };
        self.triangle_edges = self.triangles.iter().map(|t| sides(t).map(number)).collect();
        let (mut vertex_seen, mut edge_seen) = (vec![false; self.body.len()], vec![false; edges.len()]);
        self.speaks.clear();
        let mut opposite = Vec::with_capacity(3 * self.triangles.len());
        for (triangle, own) in self.triangles.iter().zip(&self.triangle_edges) {
            let mut bits = 0;
            for k in 0..3 {
                if !std::mem::replace(&mut vertex_seen[triangle[k] as usize], true) {
                    bits |= 1 << k;
                }
                if !std::mem::replace(&mut edge_seen[own[k] as usize], true) {
                    bits |= 8 << k;
                }
                opposite.push((own[k], triangle[(k + 2) % 3]));
            }
            self.speaks.push(bits);
        }
        self.opposite = Lists::new(edges.len(), &opposite);
        let joined: Vec<(u32, u32)> = edges.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
        self.neighbours = Lists::new(self.body.len(), &joined);
        self.smooth =
            (0..edges.len()).map(|e| is_smooth(&self.rest, edges[e], self.opposite.of(e))).collect();
        self.edges = edges;
        self.derive_fans();
    }

    fn derive_fans(&mut self) {
        let mut inside: Vec<bool> = self.body.iter().map(|&body| body != NO_BODY).collect();
        for (e, edge) in self.edges.iter().enumerate() {
            if self.opposite.of(e).len() != 2 {
                edge.iter().for_each(|&v| inside[v as usize] = false);
            }
        }
        let mut corners = Vec::with_capacity(6 * self.triangles.len());
        for t in &self.triangles {
            for k in (0..3).filter(|&k| inside[t[k] as usize]) {
                corners.extend([(t[k], t[(k + 1) % 3]), (t[k], t[(k + 2) % 3])]);
            }
        }
        self.fans = Lists::new(self.body.len(), &corners);
    }
}

fn sides(t: &[u32; 3]) -> [[u32; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

fn sorted(edge: [u32; 2]) -> [u32; 2] {
    [edge[0].min(edge[1]), edge[0].max(edge[1])]
}

/// Two triangles meet in the edge, and at rest they are nearly in one plane.
fn is_smooth(rest: &[Vec3], edge: [u32; 2], opposite: &[u32]) -> bool {
    let &[c, d] = opposite else { return false };
    if rest.is_empty() {
        return true;
    }
    let a = rest[edge[0] as usize];
    let along = rest[edge[1] as usize] - a;
    let (n, m) = (along.cross(&(rest[c as usize] - a)), (rest[d as usize] - a).cross(&along));
    n.dot(&m) > SMOOTH * n.norm() * m.norm()
}

fn surface_error(name: &'static str, value: Real, expected: &'static str) -> CollideError {
    CollideError::Parameter { shape: "contact surface", name, value, expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> CollisionSurface {
        let mut surface = CollisionSurface::default();
        surface.add_body(SurfaceBody::new(0.01), &[[0, 1, 2], [0, 2, 3]], 0);
        surface.rest = vec![Vec3::zeros(), Vec3::x(), Vec3::x() + Vec3::z(), Vec3::z()];
        surface
    }

    #[test]
    fn every_vertex_and_edge_has_one_triangle_that_speaks_for_it() {
        let surface = ContactSurface::from_parts(4, &square()).unwrap();
        let (mut vertices, mut edges) = (vec![0; 4], vec![0; surface.edges.len()]);
        for (k, bits) in surface.speaks.iter().enumerate() {
            for c in 0..3 {
                vertices[surface.triangles[k][c] as usize] += i32::from(bits >> c & 1);
                edges[surface.triangle_edges[k][c] as usize] += i32::from(bits >> (c + 3) & 1);
            }
        }
        assert_eq!((vertices, edges), (vec![1; 4], vec![1; 5]));
    }

    #[test]
    fn only_the_inner_edge_is_smooth() {
        let surface = ContactSurface::from_parts(4, &square()).unwrap();
        let smooth: Vec<_> = (0..5).filter(|&e| surface.smooth[e]).map(|e| surface.edges[e]).collect();
        assert_eq!(smooth, [[0, 2]]);
        assert_eq!(surface.neighbours.of(0), [1, 2, 3]);
    }

    #[test]
    fn bad_triangles_are_refused() {
        let mut surface = square();
        assert!(ContactSurface::from_parts(3, &surface).is_err());
        surface.triangles[0] = [0, 1, 1];
        assert!(ContactSurface::from_parts(4, &surface).is_err());
    }

    #[test]
    fn bodies_see_each_other_unless_told_not_to() {
        let mut parts = square();
        parts.add_body(SurfaceBody { self_contact: false, ..SurfaceBody::new(0.03) }, &[[0, 1, 2]], 4);
        let surface = ContactSurface::from_parts(8, &parts).unwrap();
        assert!((surface.thickness(0, 1) - 0.02).abs() < 1e-15);
        assert!(surface.sees(0, 0) && surface.sees(0, 1) && !surface.sees(1, 1));
        assert!(surface.touches(6) && !surface.touches(7));
        parts.ignore(1, 0);
        assert!(!ContactSurface::from_parts(8, &parts).unwrap().sees(0, 1));
    }
}
