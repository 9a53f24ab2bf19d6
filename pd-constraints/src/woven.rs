//! Woven cloth: different stiffness along warp and weft, and shear between them.
//!
//! U = A₀ (k_u/2 (|F u| − 1)² + k_v/2 (|F v| − 1)² + k_s/2 (F u · F v)²), with u and v the unit directions of warp and weft in the rest
//! triangle and stiffnesses in N/m: the conditions of Baraff, Witkin 1998, "Large steps in cloth simulation", as an energy
//! per area. The rows of an element are y₀ = F u and y₁ = F v, so threads resist stretch and the angle between
//! them resists shear, as in fabric. ω is the largest of the three stiffnesses, times the area.

use crate::prox_newton::{self, SmallLaw};
use crate::{ConstraintError, Weight, check, psd, radial, selected, tri_frame};
use nalgebra::{SMatrix, SVector};
use pd_core::{EnergyBatch, Psd, Real, Stencil, Strain, Vec3, as_flat, as_flat_mut};
use std::ops::Range;

const KIND: &str = "woven";

/// A direction that has less than this fraction of its length in the plane of a triangle does not define the warp.
const NO_DIRECTION: Real = 1e-6;

/// Stiffness of a woven sheet, N/m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WovenStiffness {
    /// Along the warp.
    pub warp: Real,
    /// Along the weft.
    pub weft: Real,
    /// Between the two.
    pub shear: Real,
}

/// A batch of woven triangles.
#[derive(Clone, Debug)]
pub struct Woven {
    stencil: Stencil,
    triangles: Vec<[u32; 3]>,
    /// Coefficients of the edges x₁ − x₃ and x₂ − x₃ in the rows of warp and weft.
    coefficients: Vec<[[Real; 2]; 2]>,
    /// Stiffness of each element over the largest of its three.
    relative: Vec<[Real; 3]>,
}

impl Woven {
    /// Triangles at rest in `positions`, with the warp along `warp` (projected into each triangle) and the weft across it.
    /// `factor` multiplies the stiffness of each element: a number or one for each.
    ///
    /// ```
    /// use pd_constraints::{Woven, WovenStiffness};
    /// use pd_core::{EnergyBatch, Vec3};
    /// let x = [Vec3::x(), Vec3::y(), Vec3::zeros()];
    /// let stiffness = WovenStiffness { warp: 1000.0, weft: 200.0, shear: 10.0 };
    /// let cloth = Woven::new(&x, &[[0, 1, 2]], Vec3::x(), stiffness, 1.0)?;
    /// let longer = [x[0] * 1.1, x[1], x[2]];
    /// assert!((cloth.energy(0..1, &longer) - 0.5 * 0.5 * 1000.0 * 0.01).abs() < 1e-12);
    /// # Ok::<(), pd_constraints::ConstraintError>(())
    /// ```
    pub fn new<'a>(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        warp: Vec3,
        stiffness: WovenStiffness,
        factor: impl Into<Weight<'a>>,
    ) -> Result<Self, ConstraintError> {
        let factor = factor.into();
        check::positions(positions)?;
        factor.check(KIND, triangles.len())?;
        check::indices(KIND, triangles, positions.len())?;
        let WovenStiffness { warp: along, weft, shear } = stiffness;
        for (name, value) in [("warp stiffness", along), ("weft stiffness", weft), ("shear stiffness", shear)]
        {
            check::positive(name, value)?;
        }
        let largest = along.max(weft).max(shear);
        let relative = [along / largest, weft / largest, shear / largest];
        let stencil = Stencil::with_capacity(2, triangles.len(), 6);
        let mut batch =
            Self { stencil, triangles: triangles.to_vec(), coefficients: vec![], relative: vec![] };
        for (element, triangle) in triangles.iter().enumerate() {
            let [p, q, origin] = triangle.map(|v| positions[v as usize]);
            let (a, b) = (p - origin, q - origin);
            let area = tri_frame::area(positions, triangle);
            let normal = a.cross(&b);
            let degenerate = |measure, value| {
                let vertices = triangle.to_vec();
                ConstraintError::Degenerate { kind: KIND, element, vertices, measure, value }
            };
            if area <= 1e-12 * a.norm_squared().max(b.norm_squared()) {
                return Err(degenerate("area", area));
            }
            let unit = normal / normal.norm();
            let in_plane = warp - unit * warp.dot(&unit);
            if in_plane.norm() <= NO_DIRECTION * warp.norm() {
                return Err(degenerate("warp in its plane", in_plane.norm()));
            }
            let u = in_plane / in_plane.norm();
            let v = unit.cross(&u);
            // u = c₀ a + c₁ b: the gradient maps a and b to the present edges, so F u = c₀ (x₁ − x₃) + c₁ (x₂ − x₃).
            let solve =
                |d: &Vec3| [d.cross(&b).dot(&unit) / (2.0 * area), a.cross(d).dot(&unit) / (2.0 * area)];
            let coefficients = [solve(&u), solve(&v)];
            let rows = coefficients
                .map(|[c0, c1]| [(triangle[0], c0), (triangle[1], c1), (triangle[2], -(c0 + c1))]);
            batch.stencil.push(largest * factor.at(element) * area, &[&rows[0], &rows[1]]);
            batch.coefficients.push(coefficients);
            batch.relative.push(relative);
        }
        Ok(batch)
    }

    fn rows(&self, element: usize, x: &[Vec3]) -> [Vec3; 2] {
        let [p, q, origin] = self.triangles[element].map(|v| x[v as usize]);
        self.coefficients[element].map(|[c0, c1]| (p - origin) * c0 + (q - origin) * c1)
    }

    /// U/ω.
    fn relative_energy(&self, element: usize, [u, v]: &[Vec3; 2]) -> Real {
        let [warp, weft, shear] = self.relative[element];
        0.5 * (warp * (u.norm() - 1.0).powi(2) + weft * (v.norm() - 1.0).powi(2) + shear * u.dot(v).powi(2))
    }

    /// Second derivatives by the rows, 6×6.
    fn element_hessian(&self, element: usize, y: &[Vec3; 2], psd: Psd, out: &mut [Real]) {
        let weight = self.stencil.weight(element);
        let [warp, weft, shear] = self.relative[element].map(|part| part * weight);
        let mut stretch = [[0.0; 9]; 2];
        radial::spring(&y[0], 1.0, warp, Psd::Exact, &mut stretch[0]);
        radial::spring(&y[1], 1.0, weft, Psd::Exact, &mut stretch[1]);
        let angle = y[0].dot(&y[1]);
        for (k, out) in out.iter_mut().enumerate() {
            let (row, column) = (k / 6, k % 6);
            let ((a, i), (b, j)) = ((row / 3, row % 3), (column / 3, column % 3));
            *out = shear * y[1 - a][i] * y[1 - b][j];
            if a == b {
                *out += stretch[a][3 * i + j];
            } else if i == j {
                *out += shear * angle;
            }
        }
        if psd == Psd::Project {
            psd::project_flat::<6>(out);
        }
    }

    /// ∂U/∂y over ω.
    fn pull(&self, element: usize, [u, v]: &[Vec3; 2]) -> [Vec3; 2] {
        let [warp, weft, shear] = self.relative[element];
        let stretch = |y: &Vec3| y.try_normalize(0.0).map_or(Vec3::zeros(), |unit| y - unit);
        let angle = shear * u.dot(v);
        [stretch(u) * warp + v * angle, stretch(v) * weft + u * angle]
    }
}

impl EnergyBatch for Woven {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z.chunks_exact_mut(2)) {
            let pull = self.pull(element, &[z[0], z[1]]);
            z[0] -= pull[0];
            z[1] -= pull[1];
        }
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        for (element, dx) in elements.zip(dx.chunks_exact_mut(2)) {
            dx.copy_from_slice(&self.rows(element, x));
        }
    }

    fn energy_at(&self, elements: Range<usize>, x: &[Vec3], _r: &[Vec3]) -> Real {
        elements.map(|e| self.stencil.weight(e) * self.relative_energy(e, &self.rows(e, x))).sum()
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self {
            stencil: self.stencil.select(order),
            triangles: selected(&self.triangles, order),
            coefficients: selected(&self.coefficients, order),
            relative: selected(&self.relative, order),
        }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        for (element, out) in elements.zip(out.chunks_exact_mut(36)) {
            self.element_hessian(element, &self.rows(element, x), psd, out);
        }
    }

    fn prox(&self, elements: Range<usize>, kappa: Real, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z.chunks_exact_mut(2)) {
            let start = SVector::<Real, 6>::from_column_slice(as_flat(z));
            let weight = kappa * self.stencil.weight(element);
            let found = prox_newton::minimise(&Patch { batch: self, element }, weight, &start);
            as_flat_mut(z).copy_from_slice(found.as_slice());
        }
    }

    fn strain(&self, elements: Range<usize>, x: &[Vec3]) -> Strain {
        let worst = elements.fold(0.0, |worst: Real, element| {
            self.rows(element, x).iter().fold(worst, |worst, y| worst.max((y.norm() - 1.0).abs()))
        });
        Strain { worst, inverted: 0 }
    }
}

/// One triangle as a law of its two rows.
struct Patch<'a> {
    batch: &'a Woven,
    element: usize,
}

fn rows_of(y: &SVector<Real, 6>) -> [Vec3; 2] {
    [Vec3::new(y[0], y[1], y[2]), Vec3::new(y[3], y[4], y[5])]
}

impl SmallLaw<6> for Patch<'_> {
    fn value(&self, y: &SVector<Real, 6>) -> Real {
        self.batch.stencil.weight(self.element) * self.batch.relative_energy(self.element, &rows_of(y))
    }

    fn gradient(&self, y: &SVector<Real, 6>) -> SVector<Real, 6> {
        let pull = self.batch.pull(self.element, &rows_of(y));
        SVector::from_column_slice(as_flat(&pull)) * self.batch.stencil.weight(self.element)
    }

    fn hessian(&self, y: &SVector<Real, 6>) -> SMatrix<Real, 6, 6> {
        let mut h = [0.0; 36];
        self.batch.element_hessian(self.element, &rows_of(y), Psd::Project, &mut h);
        SMatrix::from_row_slice(&h)
    }
}
