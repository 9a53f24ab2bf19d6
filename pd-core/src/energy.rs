//! The elastic law of a batch of constraints.

use crate::{BatchData, Real, Stencil, Vec3};
use std::any::Any;
use std::ops::Range;

/// Rows held on the stack by the provided methods: enough for the widest built-in element, small enough for L1.
const BLOCK_ROWS: usize = 48;

/// Strain of a batch, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strain {
    /// Largest relative deviation from rest: |length/rest − 1| or |σ − 1|; 0 if not applicable.
    pub worst: Real,
    /// Inverted elements.
    pub inverted: usize,
}

impl Strain {
    /// The worse of two.
    pub fn max(self, other: Self) -> Self {
        Self { worst: self.worst.max(other.worst), inverted: self.inverted + other.inverted }
    }
}

/// Which Hessian a method needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Psd {
    /// The second derivative as it is; it may be indefinite.
    Exact,
    /// The nearest positive semidefinite matrix, or another convex approximation that equals the exact one where that is
    /// positive semidefinite.
    Project,
}

/// A batch of constraints of one type.
///
/// # Writing one
/// The energy of element c is `ω_c/2 · dist(D_c x, M_c)²`. Give the linear part ([`stencil`](Self::stencil)) and
/// the nearest point of the set M_c ([`project`](Self::project)); energies, gradients and every algorithm built on
/// them follow. One call handles a range of elements, so there is one virtual call per few hundred elements.
///
/// ```
/// use pd_core::{EnergyBatch, Real, Stencil, Vec3};
/// use std::ops::Range;
///
/// /// A leash: |x − anchor| ≤ length.
/// struct Leash { stencil: Stencil, anchor: Vec3, length: Real }
///
/// impl EnergyBatch for Leash {
///     fn kind(&self) -> &'static str { "leash" }
///     fn stencil(&self) -> &Stencil { &self.stencil }
///     fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
///         for z in z { *z = self.anchor + (*z - self.anchor).cap_magnitude(self.length); }
///     }
/// }
///
/// let mut stencil = Stencil::new(1);
/// stencil.push(50.0, &[&[(0, 1.0)]]);
/// let leash = Leash { stencil, anchor: Vec3::zeros(), length: 1.0 };
/// assert_eq!(leash.energy(0..1, &[Vec3::x() * 3.0]), 0.5 * 50.0 * 4.0);
/// ```
///
/// # Laws that are not squared distances
/// Another law U(y), y = D x, overrides [`energy_at`](Self::energy_at) and sets `project(y) = y − ∇U(y)/ω`.
/// Then [`residual`](Self::residual) is `∇U/ω`, and the projective-dynamics iteration is the quasi-Newton method of
/// Liu et al. 2017.
pub trait EnergyBatch: Any + Send + Sync {
    /// Name of the law, for reports and errors.
    fn kind(&self) -> &'static str;

    /// The rows of D and the weights.
    fn stencil(&self) -> &Stencil;

    /// In: `z = D x` for `elements`. Out: the nearest admissible point.
    fn project(&self, elements: Range<usize>, z: &mut [Vec3]);

    /// `dx = D x` for `elements`. Override to take differences of positions, which is exact far from the origin.
    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        self.stencil().gather(elements, x, dx);
    }

    /// `r = D x − project(D x)` for `elements`; `DᵀWr` is the gradient of the batch's energy. Override to fuse the
    /// two passes, or where the projection needs more than `D x` to break a tie.
    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        in_blocks(self.stencil(), elements, |block, rows, dx| {
            let r = &mut r[rows];
            self.gather(block.clone(), x, r);
            dx.copy_from_slice(r);
            self.project(block, r);
            for (r, dx) in r.iter_mut().zip(dx) {
                *r = *dx - *r;
            }
        });
    }

    /// Elastic energy of `elements`, J, where `r` is their [`residual`](Self::residual) at `x`: `Σ ω/2 |r|²`. Laws
    /// that are not squared distances override it.
    fn energy_at(&self, elements: Range<usize>, _x: &[Vec3], r: &[Vec3]) -> Real {
        let stencil = self.stencil();
        let rows = r.chunks_exact(stencil.rows_per_element().max(1));
        let squares = rows.map(|r| r.iter().map(|r| r.norm_squared()).sum::<Real>());
        elements.zip(squares).map(|(element, square)| 0.5 * stencil.weight(element) * square).sum()
    }

    /// Elastic energy of each of `elements`, J, as [`energy_at`](Self::energy_at) gives it.
    fn energies_at(&self, elements: Range<usize>, x: &[Vec3], r: &[Vec3], energies: &mut [Real]) {
        let rows = r.chunks_exact(self.stencil().rows_per_element().max(1));
        for ((element, r), energy) in elements.zip(rows).zip(energies) {
            *energy = self.energy_at(element..element + 1, x, r);
        }
    }

    /// The elements of this list in its order as a batch of their own, the same law with the same bits; one that is listed twice is there
    /// twice. Methods that move vertices by colours lay elements of one colour side by side with it, so that one call handles many of
    /// them. `None`, the default: they call one element at a time. A batch whose data change over time must leave it so.
    fn select(&self, _order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        None
    }

    /// Elastic energy of `elements`, J.
    fn energy(&self, elements: Range<usize>, x: &[Vec3]) -> Real {
        let mut sum = 0.0;
        in_blocks(self.stencil(), elements, |block, _, r| {
            self.residual(block.clone(), x, r);
            sum += self.energy_at(block, x, r);
        });
        sum
    }

    /// Second derivative of the energy with respect to y = D x for `elements`, N/m: a symmetric 3d×3d matrix per element of d rows,
    /// row-major, element after element; the Hessian in x is DᵀHD. The default is ω I, that of the quadratic which
    /// projective dynamics minimises: an upper bound for distances, exact for affine sets.
    fn hessian(&self, elements: Range<usize>, _x: &[Vec3], _psd: Psd, hessian: &mut [Real]) {
        let side = 3 * self.stencil().rows_per_element();
        for (element, h) in elements.zip(hessian.chunks_exact_mut((side * side).max(1))) {
            h.fill(0.0);
            for k in 0..side {
                h[k * side + k] = self.stencil().weight(element);
            }
        }
    }

    /// In: v. Out: the minimiser of U(z) + κω/2 |z − v|², for ADMM. The default,
    /// (project(v) + κ v)/(1 + κ), is exact for squared distances.
    fn prox(&self, elements: Range<usize>, kappa: Real, z: &mut [Vec3]) {
        in_blocks(self.stencil(), elements, |block, rows, v| {
            let z = &mut z[rows];
            v.copy_from_slice(z);
            self.project(block, z);
            for (z, v) in z.iter_mut().zip(v) {
                *z = (*z + *v * kappa) / (1.0 + kappa);
            }
        });
    }

    /// The vertices that [`forces`](Self::forces) writes to: a fixed number per element, element after element. `None`: those of the
    /// stencil's entries, row after row, repetitions included.
    fn force_vertices(&self) -> Option<(usize, &[u32])> {
        None
    }

    /// The forces −D_cᵀWr, N, of `elements` on their [vertices](Self::force_vertices), and their elastic energy, J. Combines
    /// [`residual`](Self::residual), [`energy_at`](Self::energy_at) and a product with Dᵀ in one pass; the local step calls this. Override
    /// together with [`force_vertices`](Self::force_vertices) to keep r in registers.
    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        let stencil = self.stencil();
        let (d, mut forces, mut energy) = (stencil.rows_per_element(), forces.iter_mut(), 0.0);
        in_blocks(stencil, elements, |block, _, r| {
            self.residual(block.clone(), x, r);
            energy += self.energy_at(block.clone(), x, r);
            for (r, row) in r.iter().zip(block.start * d..) {
                let weight = stencil.weight(row / d);
                for (coefficient, force) in stencil.row_slices(row).1.iter().zip(&mut forces) {
                    *force = r * -(weight * coefficient);
                }
            }
        });
        energy
    }

    /// Number of elements per call of [`forces`](Self::forces); `None` lets the local step choose a number that fits the cache.
    /// A batch whose calls are expensive (another language, a device) should return a large number. The number must depend only on
    /// the batch, because the last bits of results depend on it.
    fn elements_per_call(&self) -> Option<usize> {
        None
    }

    /// Worst strain and number of inverted elements, for reports.
    fn strain(&self, _elements: Range<usize>, _x: &[Vec3]) -> Strain {
        Strain::default()
    }

    /// Corners of an element that is a tetrahedron of a solid, and 1/(6 V) with its signed volume at rest: times the triple product
    /// of the edges from its last corner, that is det F. `None` for all other elements.
    fn tetrahedron(&self, _element: usize) -> Option<([u32; 4], Real)> {
        None
    }

    /// Vertices that the batch pins. With [`StepParams::hold_pinned`](crate::StepParams::hold_pinned) the
    /// predictor does not move them.
    fn pinned(&self) -> &[u32] {
        &[]
    }

    /// Moves data that follow a path over time (targets of pins) to `time`, s. Called between steps; weights and
    /// stencil must not change, because the global matrix depends on them.
    fn set_time(&mut self, _time: Real) {}

    /// The batch as plain numbers, for a device that has a kernel of its kind; `None` if it runs only on the host.
    fn export(&self) -> Option<BatchData<'_>> {
        None
    }
}

/// Runs `f(elements, rows relative to the range, scratch)` over blocks that fit the stack.
fn in_blocks(
    stencil: &Stencil,
    elements: Range<usize>,
    mut f: impl FnMut(Range<usize>, Range<usize>, &mut [Vec3]),
) {
    let d = stencil.rows_per_element();
    if d == 0 {
        return;
    }
    if d > BLOCK_ROWS {
        // Elements with this many rows are rare (custom shape matching); they use a heap buffer.
        let mut scratch = vec![Vec3::zeros(); d];
        for (k, element) in elements.enumerate() {
            f(element..element + 1, k * d..(k + 1) * d, &mut scratch);
        }
        return;
    }
    let mut scratch = [Vec3::zeros(); BLOCK_ROWS];
    let per_block = BLOCK_ROWS / d;
    let mut start = elements.start;
    while start < elements.end {
        let end = (start + per_block).min(elements.end);
        let rows = (start - elements.start) * d..(end - elements.start) * d;
        let count = rows.len();
        f(start..end, rows, &mut scratch[..count]);
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The origin with any number of rows per element.
    struct Origin(Stencil);
    impl EnergyBatch for Origin {
        fn kind(&self) -> &'static str {
            "origin"
        }
        fn stencil(&self) -> &Stencil {
            &self.0
        }
        fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
            assert_eq!(z.len(), elements.len() * self.0.rows_per_element());
            z.fill(Vec3::zeros());
        }
    }

    #[test]
    fn blocks_cover_every_row_of_narrow_and_wide_elements() {
        for rows in [1, 3, 7, 48, 49, 100] {
            let mut stencil = Stencil::new(rows);
            let x: Vec<Vec3> = (0..rows * 11).map(|i| Vec3::new(i as Real, 1.0, 0.0)).collect();
            for element in 0..11 {
                let entries: Vec<[(u32, Real); 1]> =
                    (0..rows).map(|r| [((element * rows + r) as u32, 1.0)]).collect();
                let rows: Vec<&[(u32, Real)]> = entries.iter().map(|e| &e[..]).collect();
                stencil.push(2.0, &rows);
            }
            let batch = Origin(stencil);
            let mut r = vec![Vec3::repeat(-1.0); rows * 9];
            batch.residual(1..10, &x, &mut r);
            assert_eq!(r, x[rows..rows * 10]);
            let expected: Real = x[rows..rows * 10].iter().map(|x| x.norm_squared()).sum();
            assert!((batch.energy(1..10, &x) - expected).abs() <= 1e-9 * expected);
        }
    }
}
