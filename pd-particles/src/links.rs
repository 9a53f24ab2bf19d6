//! Links: what holds ropes, cloth and inflatables of particles together.
//!
//! One form serves stretch and bending: C(x) = |Σ w_k x_k| − L over two to four particles with Σ w_k = 0.
//! - Distance: w = (1, −1), L the rest length.
//! - Bending of a rope at its middle particle: w = (1, −2, 1); with rigidity B (N m²) and spacing ℓ the energy
//!   ½ B κ² ℓ is ½ (B/ℓ³) |Σ w x|².
//! - Bending of cloth across an edge: w the cotangent weights of Bergou, Wardetzky, Harmon, Zorin, Grinspun 2006, and energy
//!   ½ D/(A₀ + A₁) |Σ w x|² with rigidity D (N m): a third of theirs, so that a cylinder has the energy ½ D κ² per area of a
//!   plate.
//!
//! The push of a link acts along q = Σ w_k x_k at the start of a substep; its particles get w_k times it, so the sum of pushes
//! is Σ w_k p = 0 and that of their torques q × p = 0: linear and angular momentum are kept to rounding. Compliance α (m/N)
//! enters as in XPBD (Macklin, Müller, Chentanez 2016): Δλ = (−C − α̃ λ)/(Σ w_k²/m_k + α̃), α̃ = α/h².
//!
//! An inflatable has one more row, C(x) = V(x) − V₀, with the gradient of the enclosed volume.

use pd_core::{Real, Vec3};

/// |Σ w x| = L over N particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link<const N: usize> {
    /// Particles of the model.
    pub points: [u32; N],
    /// Weights, of sum zero.
    pub weights: [Real; N],
    /// L, in metres times the unit of the weights.
    pub length: Real,
    /// α, m/N; 0 is inextensible.
    pub compliance: Real,
}

/// A closed surface of particles that keeps its volume.
#[derive(Clone, Debug, PartialEq)]
pub struct Bag {
    /// Outward triangles of particles of the model.
    pub triangles: Vec<[u32; 3]>,
    /// Volume to hold, m³.
    pub volume: Real,
    /// The particles of the triangles, ascending.
    pub points: std::ops::Range<u32>,
}

/// All links of a model, by the number of their particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    /// Distances.
    pub two: Vec<Link<2>>,
    /// Bending of ropes.
    pub three: Vec<Link<3>>,
    /// Bending of cloth.
    pub four: Vec<Link<4>>,
    /// Inflatables.
    pub bags: Vec<Bag>,
}

/// How ropes and cloth resist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Stiffness of every distance, N/m; infinite is inextensible.
    pub stretch: Real,
    /// Bending rigidity: N m² of a rope, N m of cloth; 0 is limp.
    pub bending: Real,
}

impl Default for Elasticity {
    fn default() -> Self {
        Self { stretch: Real::INFINITY, bending: 0.0 }
    }
}

impl Links {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.two.len() + self.three.len() + self.four.len() + self.bags.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Links of a rope through these points, the first of which is particle `first`.
    pub(crate) fn rope(&mut self, first: u32, at: &[Vec3], elasticity: &Elasticity) {
        for k in 1..at.len() {
            let points = [first + k as u32 - 1, first + k as u32];
            self.two.push(distance(points, [at[k - 1], at[k]], elasticity.stretch));
        }
        if elasticity.bending > 0.0 {
            for k in 2..at.len() {
                let spacing = 0.5 * (at[k] - at[k - 2]).norm();
                let points = [2, 1, 0].map(|back| first + (k - back) as u32);
                let weights = [1.0, -2.0, 1.0];
                let length = (at[k - 2] - at[k - 1] * 2.0 + at[k]).norm();
                let compliance = spacing.powi(3) / elasticity.bending;
                self.three.push(Link { points, weights, length, compliance });
            }
        }
    }

    /// Links of a cloth with these triangles; points and triangles count from particle `first`.
    pub(crate) fn cloth(&mut self, first: u32, at: &[Vec3], triangles: &[[u32; 3]], elasticity: &Elasticity) {
        for edge in Edges::of(triangles) {
            let [a, b] = edge.ends;
            let ends = [a, b].map(|v| at[v as usize]);
            self.two.push(distance([first + a, first + b], ends, elasticity.stretch));
            if let (Some([c, d]), true) = (edge.opposite, elasticity.bending > 0.0) {
                self.four.extend(hinge(first, at, [a, b, c, d], elasticity.bending));
            }
        }
    }
}

fn distance(points: [u32; 2], [a, b]: [Vec3; 2], stiffness: Real) -> Link<2> {
    Link { points, weights: [1.0, -1.0], length: (a - b).norm(), compliance: 1.0 / stiffness }
}

/// Bending across the edge a b with c and d opposite; none where a triangle has no area.
fn hinge(first: u32, at: &[Vec3], corners: [u32; 4], rigidity: Real) -> Option<Link<4>> {
    let [a, b, c, d] = corners.map(|v| at[v as usize]);
    let cot = |at: Vec3, p: Vec3, q: Vec3| (p - at).dot(&(q - at)) / (p - at).cross(&(q - at)).norm();
    let area = 0.5 * ((b - a).cross(&(c - a)).norm() + (b - a).cross(&(d - a)).norm());
    let (ac, bc, ad, bd) = (cot(a, b, c), cot(b, a, c), cot(a, b, d), cot(b, a, d));
    let weights = [bc + bd, ac + ad, -(ac + bc), -(ad + bd)];
    let length = (a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3]).norm();
    let points = corners.map(|v| first + v);
    let flat = Link { points, weights, length, compliance: area / rigidity };
    (weights.iter().all(|w| w.is_finite()) && length.is_finite()).then_some(flat)
}

struct Edge {
    ends: [u32; 2],
    /// Third corners of its two triangles, if it has two.
    opposite: Option<[u32; 2]>,
}

struct Edges;

impl Edges {
    /// Every edge once, in the order of its ends.
    fn of(triangles: &[[u32; 3]]) -> Vec<Edge> {
        let mut sides: Vec<([u32; 2], u32)> = triangles
            .iter()
            .flat_map(|&[a, b, c]| [([a, b], c), ([b, c], a), ([c, a], b)])
            .map(|([a, b], c)| ([a.min(b), a.max(b)], c))
            .collect();
        sides.sort_unstable();
        let same = |a: &([u32; 2], u32), b: &([u32; 2], u32)| a.0 == b.0;
        let edge = |sides: &[([u32; 2], u32)]| Edge {
            ends: sides[0].0,
            opposite: (sides.len() == 2).then(|| [sides[0].1, sides[1].1]),
        };
        sides.chunk_by(same).map(edge).collect()
    }
}

impl Bag {
    /// A closed surface; points and triangles count from particle `first`. `pressure` scales the volume at rest.
    pub(crate) fn new(first: u32, at: &[Vec3], triangles: &[[u32; 3]], pressure: Real) -> Self {
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v + first)).collect();
        let bag = Self { triangles, volume: 0.0, points: first..first + at.len() as u32 };
        let volume = bag.enclosed(|v| at[(v - first) as usize]);
        Self { volume: pressure * volume, ..bag }
    }

    /// Enclosed volume, m³, with the vertices where `place` says.
    pub fn enclosed(&self, place: impl Fn(u32) -> Vec3) -> Real {
        // About one vertex, so that a bag far from the origin loses no digits.
        let origin = place(self.points.start);
        let cone = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| place(v) - origin);
            a.dot(&b.cross(&c))
        };
        self.triangles.iter().map(cone).sum::<Real>() / 6.0
    }

    /// Enclosed volume, and its gradient by vertex, counted from the first of the bag.
    pub(crate) fn gradient(&self, place: impl Fn(u32) -> Vec3, gradient: &mut [Vec3]) -> Real {
        let (origin, first) = (place(self.points.start), self.points.start);
        gradient.fill(Vec3::zeros());
        let mut volume = 0.0;
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| place(v) - origin);
            let [i, j, k] = t.map(|v| (v - first) as usize);
            let (at_a, at_b, at_c) = (b.cross(&c), c.cross(&a), a.cross(&b));
            volume += a.dot(&at_a);
            gradient[i] += at_a;
            gradient[j] += at_b;
            gradient[k] += at_c;
        }
        gradient.iter_mut().for_each(|g| *g /= 6.0);
        volume / 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_hinges_sum_to_zero_and_vanish_on_planes() {
        let at = [
            Vec3::new(0.1, 0.0, 0.2),
            Vec3::new(1.3, 0.0, 0.1),
            Vec3::new(0.5, 0.0, 0.9),
            Vec3::new(0.7, 0.0, -0.8),
        ];
        let mut links = Links::default();
        links.cloth(0, &at, &[[0, 2, 1], [0, 1, 3]], &Elasticity { stretch: 10.0, bending: 2.0 });
        assert_eq!((links.two.len(), links.four.len()), (5, 1));
        let hinge = links.four[0];
        assert!(hinge.weights.iter().sum::<Real>().abs() < 1e-14 && hinge.length < 1e-14);
        // Bent by a small angle θ about its edge e: |Σ w x| = |e| θ.
        let (axis, angle) = ((at[1] - at[0]).normalize(), 0.02);
        let turn = nalgebra::Rotation3::new(axis * angle);
        let mut bent = at;
        bent[2] = at[0] + turn * (at[2] - at[0]);
        let q: Vec3 = hinge.points.iter().zip(hinge.weights).map(|(&p, w)| bent[p as usize] * w).sum();
        let expected = (at[1] - at[0]).norm() * angle;
        assert!((q.norm() - expected).abs() < 1e-3 * expected, "{} {expected}", q.norm());
    }

    /// An equilateral mesh rolled into a cylinder of curvature κ has the energy D κ²/2 per area, whatever its direction.
    #[test]
    fn cloth_bends_like_a_plate_of_its_rigidity() {
        const CELLS: usize = 40;
        let (rigidity, curvature, cell, height) = (0.3, 0.2, 0.05, Real::sqrt(0.75));
        let side = CELLS + 1;
        let point = |k: usize| {
            let (i, j) = ((k % side) as Real, (k / side) as Real);
            Vec3::new(i + 0.5 * j, height * j, 0.0) * cell
        };
        let rest: Vec<Vec3> = (0..side * side).map(point).collect();
        let halves = |corner: usize| {
            let (a, up) = (corner as u32, (corner + side) as u32);
            [[a, a + 1, up], [a + 1, up + 1, up]]
        };
        let corners = (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| j * side + i));
        let triangles: Vec<[u32; 3]> = corners.flat_map(halves).collect();
        let mut links = Links::default();
        links.cloth(0, &rest, &triangles, &Elasticity { stretch: 10.0, bending: rigidity });
        let plate = 0.5 * rigidity * curvature * curvature * (CELLS * CELLS) as Real * height * cell * cell;
        for degrees in [0.0, 20.0, 45.0, 90.0, 130.0] {
            let direction = nalgebra::Rotation3::new(Vec3::z() * Real::to_radians(degrees)) * Vec3::x();
            let bent = |p: &Vec3| {
                let along = p.dot(&direction);
                let (sin, cos) = (curvature * along).sin_cos();
                p + direction * (sin / curvature - along) + Vec3::z() * ((1.0 - cos) / curvature)
            };
            let x: Vec<Vec3> = rest.iter().map(bent).collect();
            let energy = |link: &Link<4>| {
                let q: Vec3 = link.points.iter().zip(link.weights).map(|(&p, w)| x[p as usize] * w).sum();
                0.5 * (q.norm() - link.length).powi(2) / link.compliance
            };
            let ratio = links.four.iter().map(energy).sum::<Real>() / plate;
            // The boundary does not bend: a part of 1/40 of the area.
            assert!((0.95..1.02).contains(&ratio), "{degrees} degrees: {ratio}");
        }
    }

    #[test]
    fn the_gradient_of_a_volume_is_that_of_differences() {
        let at: Vec<Vec3> =
            [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 1.0, 0.1], [0.1, 0.3, 0.9]].map(Vec3::from).to_vec();
        let bag = Bag::new(0, &at, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], 1.0);
        let mut gradient = vec![Vec3::zeros(); 4];
        let volume = bag.gradient(|v| at[v as usize], &mut gradient);
        assert!((volume - bag.volume).abs() < 1e-15 && volume > 0.1);
        for v in 0..4 {
            for axis in 0..3 {
                let moved = |by: Real| {
                    let mut at = at.clone();
                    at[v][axis] += by;
                    bag.enclosed(|v| at[v as usize])
                };
                let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((difference - gradient[v][axis]).abs() < 1e-9, "{v} {axis}");
            }
        }
        assert!(gradient.iter().sum::<Vec3>().norm() < 1e-14);
    }
}
