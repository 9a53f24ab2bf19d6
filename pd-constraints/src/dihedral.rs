//! Dihedral bending (discrete shells): U = B/2 · |e|²/(A₀ + A₁) · (θ − θ̄)² on every hinge.
//!
//! Grinspun et al. 2003, "Discrete shells", with |e| and the areas at rest, θ the signed angle between the normals of the
//! two triangles and θ̄ its value at rest; for small angles it equals [`IsometricBending`](crate::IsometricBending). B is the
//! bending rigidity, J = N·m. Derivatives of the angle as in Tamstorf, Grinspun 2013, "Discrete bending forces and their
//! Jacobians".
//!
//! With a = x₁ − x₀, b = x₂ − x₀, c = x₃ − x₀ and the normals n₀ = a × b, n₁ = c × a:
//! ∂θ/∂b = |a| n₀/|n₀|², ∂θ/∂c = |a| n₁/|n₁|², ∂θ/∂a = −t₀ ∂θ/∂b − t₁ ∂θ/∂c with t₀ = a·b/|a|², t₁ = a·c/|a|².
//! The rows of an element are y₀ = Σ q_l x_l, y₁ = a, y₂ = b − c: near the flat state the energy depends on y₀ alone, so ω
//! = B/(A₀ + A₁) is the curvature there and a suitable weight for projective dynamics.

use crate::hinge::for_each_hinge;
use crate::prox_newton::{self, SmallLaw};
use crate::{ConstraintError, Weight, psd, selected};
use nalgebra::{SMatrix, SVector};
use pd_core::{EnergyBatch, Mat3, Psd, Real, Stencil, Vec3, as_flat, as_flat_mut};
use std::f64::consts::PI;
use std::ops::Range;

const KIND: &str = "dihedral-bending";

/// A triangle flatter than this fraction of its edge's square has no normal, and its hinge no angle.
const NO_NORMAL: Real = 1e-12;

/// A batch of hinges with dihedral bending.
#[derive(Clone, Debug)]
pub struct DihedralBending {
    stencil: Stencil,
    hinges: Vec<[u32; 4]>,
    /// Coefficients q₁, q₂, q₃ of a, b and c in y₀.
    coefficients: Vec<[Real; 3]>,
    /// |e| at rest, m.
    lengths: Vec<Real>,
    angles: Vec<Real>,
}

/// The angle of a hinge and its derivatives with respect to a, b, c.
struct Angle {
    value: Real,
    gradient: [Vec3; 3],
}

impl DihedralBending {
    /// Hinges (see [`hinges`](crate::hinges)) of the rest shape `positions`, whose angles are kept; `rigidity` is B, J.
    ///
    /// ```
    /// use pd_constraints::{DihedralBending, hinges};
    /// use pd_core::{EnergyBatch, Vec3};
    /// let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.5, 1.0, 0.0), Vec3::new(0.5, 0.0, 1.0)];
    /// let batch = DihedralBending::new(&x, &hinges(&[[0, 1, 2], [1, 0, 3]]), 1e-3 /* J */)?;
    /// assert_eq!(batch.energy(0..1, &x), 0.0); // a right angle at rest
    /// let flat = [x[0], x[1], x[2], Vec3::new(0.5, -1.0, 0.0)];
    /// let quarter = std::f64::consts::FRAC_PI_2;
    /// assert!((batch.energy(0..1, &flat) - 0.5e-3 * quarter * quarter).abs() < 1e-12);
    /// # Ok::<(), pd_constraints::ConstraintError>(())
    /// ```
    pub fn new<'a>(
        positions: &[Vec3],
        hinges: &[[u32; 4]],
        rigidity: impl Into<Weight<'a>>,
    ) -> Result<Self, ConstraintError> {
        let stencil = Stencil::with_capacity(3, hinges.len(), 8);
        let (coefficients, lengths, angles) = (vec![], vec![], vec![]);
        let mut batch = Self { stencil, hinges: hinges.to_vec(), coefficients, lengths, angles };
        for_each_hinge(KIND, positions, hinges, rigidity.into(), |hinge, rest, weight| {
            let curvature: [(u32, Real); 4] = std::array::from_fn(|l| (hinge[l], rest.coefficients[l]));
            let edge = [(hinge[1], 1.0), (hinge[0], -1.0)];
            let across = [(hinge[2], 1.0), (hinge[3], -1.0)];
            batch.stencil.push(weight, &[&curvature, &edge, &across]);
            let [_, q1, q2, q3] = rest.coefficients;
            batch.coefficients.push([q1, q2, q3]);
            let edges = edges(hinge, positions);
            batch.lengths.push(edges[0].norm());
            batch.angles.push(angle(&edges).map_or(0.0, |angle| angle.value));
        })?;
        Ok(batch)
    }

    /// Angles between the normals at rest, rad.
    pub fn rest_angles(&self) -> &[Real] {
        &self.angles
    }

    /// a, b, c from the rows y.
    fn edges_of_rows(&self, element: usize, y: &[Vec3]) -> [Vec3; 3] {
        let [q1, q2, q3] = self.coefficients[element];
        let rest = y[0] - y[1] * q1;
        [y[1], (rest + y[2] * q3) / (q2 + q3), (rest - y[2] * q2) / (q2 + q3)]
    }

    /// The entries of the linear map from y to (a, b, c).
    fn map(&self, element: usize) -> [[Real; 3]; 3] {
        let [q1, q2, q3] = self.coefficients[element];
        let sum = q2 + q3;
        [[0.0, 1.0, 0.0], [1.0 / sum, -q1 / sum, q3 / sum], [1.0 / sum, -q1 / sum, -q2 / sum]]
    }

    /// θ − θ̄, wrapped to [−π, π].
    fn bend(&self, element: usize, angle: Real) -> Real {
        let bend = angle - self.angles[element];
        if bend > PI {
            bend - 2.0 * PI
        } else if bend < -PI {
            bend + 2.0 * PI
        } else {
            bend
        }
    }

    /// ∂²U/∂θ², J.
    fn stiffness(&self, element: usize) -> Real {
        self.stencil.weight(element) * self.lengths[element].powi(2)
    }

    /// ∂U/∂y over ω.
    fn pull(&self, element: usize, edges: &[Vec3; 3]) -> [Vec3; 3] {
        let Some(angle) = angle(edges) else { return [Vec3::zeros(); 3] };
        let moment = self.lengths[element].powi(2) * self.bend(element, angle.value);
        let map = self.map(element);
        let row = |k: usize| (0..3).fold(Vec3::zeros(), |sum, l| sum + angle.gradient[l] * map[l][k]);
        [row(0) * moment, row(1) * moment, row(2) * moment]
    }
}

impl DihedralBending {
    /// U of an element, J.
    fn element_energy(&self, element: usize, edges: &[Vec3; 3]) -> Real {
        let bend = angle(edges).map_or(0.0, |angle| self.bend(element, angle.value));
        0.5 * self.stiffness(element) * bend * bend
    }

    /// Second derivatives by the rows, 9×9.
    fn element_hessian(&self, element: usize, edges: &[Vec3; 3], psd: Psd, out: &mut [Real]) {
        out.fill(0.0);
        let Some(angle) = angle(edges) else { return };
        let (k, bend, map) = (self.stiffness(element), self.bend(element, angle.value), self.map(element));
        let second = angle_hessian(edges);
        for (l, gl) in angle.gradient.iter().enumerate() {
            for (m, gm) in angle.gradient.iter().enumerate() {
                let block = (gl * gm.transpose() + second[l][m] * bend) * k;
                for (index, out) in out.iter_mut().enumerate() {
                    let (row, column) = (index / 9, index % 9);
                    let factor = map[l][row / 3] * map[m][column / 3];
                    *out += factor * block[(row % 3, column % 3)];
                }
            }
        }
        if psd == Psd::Project {
            psd::project_flat::<9>(out);
        }
    }
}

fn edges(hinge: &[u32; 4], x: &[Vec3]) -> [Vec3; 3] {
    let origin = x[hinge[0] as usize];
    [1, 2, 3].map(|l| x[hinge[l] as usize] - origin)
}

/// θ > 0 where the wings are raised along the normals; `None` if a triangle has no normal.
fn angle([a, b, c]: &[Vec3; 3]) -> Option<Angle> {
    let (n0, n1, square) = (a.cross(b), c.cross(a), a.norm_squared());
    let (s0, s1) = (n0.norm_squared(), n1.norm_squared());
    if s0.min(s1) <= (NO_NORMAL * square).powi(2) {
        return None;
    }
    let length = square.sqrt();
    let value = (n1.cross(&n0).dot(a) / length).atan2(n0.dot(&n1));
    let (by_b, by_c) = (n0 * (length / s0), n1 * (length / s1));
    let by_a = -(by_b * (a.dot(b) / square) + by_c * (a.dot(c) / square));
    Some(Angle { value, gradient: [by_a, by_b, by_c] })
}

/// Second derivatives of the angle by a, b and c, in 3×3 blocks.
fn angle_hessian([a, b, c]: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
    let square = a.norm_squared();
    let length = square.sqrt();
    let mut blocks = [[Mat3::zeros(); 3]; 3];
    // The wings are mirror images of each other: ∂θ/∂b = |a| n/|n|² with n = a × b, and for c with n = c × a = −(a × c).
    for (slot, wing, sign) in [(1, b, 1.0), (2, c, -1.0)] {
        let n = a.cross(wing) * sign;
        let s = n.norm_squared();
        let gradient = n * (length / s);
        // d(n/|n|²) = M dn, dn = sign (da × wing + a × dwing).
        let m = Mat3::identity() / s - n * n.transpose() * (2.0 / (s * s));
        let by_wing = m * a.cross_matrix() * (sign * length);
        let by_a = n * a.transpose() / (length * s) - m * wing.cross_matrix() * (sign * length);
        let t = a.dot(wing) / square;
        let t_by_a = wing / square - a * (2.0 * t / square);
        blocks[slot][slot] = by_wing;
        blocks[slot][0] = by_a;
        blocks[0][slot] = by_a.transpose();
        blocks[0][0] -= by_a * t + gradient * t_by_a.transpose();
    }
    blocks
}

impl EnergyBatch for DihedralBending {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z.chunks_exact_mut(3)) {
            let pull = self.pull(element, &self.edges_of_rows(element, z));
            z.iter_mut().zip(pull).for_each(|(z, pull)| *z -= pull);
        }
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        for (element, dx) in elements.zip(dx.chunks_exact_mut(3)) {
            let ([a, b, c], [q1, q2, q3]) = (edges(&self.hinges[element], x), self.coefficients[element]);
            dx.copy_from_slice(&[a * q1 + b * q2 + c * q3, a, b - c]);
        }
    }

    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        for (element, r) in elements.zip(r.chunks_exact_mut(3)) {
            r.copy_from_slice(&self.pull(element, &edges(&self.hinges[element], x)));
        }
    }

    fn energy_at(&self, elements: Range<usize>, x: &[Vec3], _r: &[Vec3]) -> Real {
        elements.map(|element| self.element_energy(element, &edges(&self.hinges[element], x))).sum()
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self {
            stencil: self.stencil.select(order),
            hinges: selected(&self.hinges, order),
            coefficients: selected(&self.coefficients, order),
            lengths: selected(&self.lengths, order),
            angles: selected(&self.angles, order),
        }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        for (element, out) in elements.zip(out.chunks_exact_mut(81)) {
            self.element_hessian(element, &edges(&self.hinges[element], x), psd, out);
        }
    }

    fn prox(&self, elements: Range<usize>, kappa: Real, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z.chunks_exact_mut(3)) {
            let start = SVector::<Real, 9>::from_column_slice(as_flat(z));
            let weight = kappa * self.stencil.weight(element);
            let found = prox_newton::minimise(&Hinge { batch: self, element }, weight, &start);
            as_flat_mut(z).copy_from_slice(found.as_slice());
        }
    }
}

/// One hinge as a law of its three rows.
struct Hinge<'a> {
    batch: &'a DihedralBending,
    element: usize,
}

impl Hinge<'_> {
    fn edges(&self, y: &SVector<Real, 9>) -> [Vec3; 3] {
        let row = |k: usize| Vec3::new(y[3 * k], y[3 * k + 1], y[3 * k + 2]);
        self.batch.edges_of_rows(self.element, &[row(0), row(1), row(2)])
    }
}

impl SmallLaw<9> for Hinge<'_> {
    fn value(&self, y: &SVector<Real, 9>) -> Real {
        self.batch.element_energy(self.element, &self.edges(y))
    }

    fn gradient(&self, y: &SVector<Real, 9>) -> SVector<Real, 9> {
        let pull = self.batch.pull(self.element, &self.edges(y));
        SVector::from_column_slice(as_flat(&pull)) * self.batch.stencil.weight(self.element)
    }

    fn hessian(&self, y: &SVector<Real, 9>) -> SMatrix<Real, 9, 9> {
        let mut h = [0.0; 81];
        self.batch.element_hessian(self.element, &self.edges(y), Psd::Project, &mut h);
        SMatrix::from_row_slice(&h)
    }
}
