//! Springs whose law can differ from Hooke's: softer under compression, slack around the rest length.
//!
//! U = k/2 e₊² + c k/2 e₋², with e₊ = max(|y| − r(1 + d), 0) the stretch beyond the dead zone and e₋ = max(r(1 − d) − |y|, 0) the
//! compression beyond it, y = x_i − x_j. c = 1 and d = 0 are Hooke's springs.
//!
//! A mesh whose edges keep their lengths cannot bend freely: a disc of V vertices and E_b border edges has 3V − E = 3 + E_b
//! degrees of freedom left at any resolution. Springs that are softer under compression (c < 1), a dead zone (d > 0), or
//! springs on a subset of the edges ([`MassSpring::subset`]) reduce this locking; soft compression models buckling below the mesh
//! resolution (Choi, Ko 2002). Bending springs join the two vertices opposite to an interior edge
//! ([`bending_pairs`](crate::bending_pairs)).

use crate::{ConstraintError, SHORTEST_EDGE, Weight, check, radial, selected};
use pd_core::{EnergyBatch, Psd, Real, Stencil, Strain, Vec3};
use std::ops::Range;

const KIND: &str = "mass-spring";

/// How a spring deviates from Hooke's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringLaw {
    /// Stiffness under compression over that under tension, c, from 0 to 1. Default 1.
    pub compression: Real,
    /// Relative change of length without energy, d, from 0 to below 1. Default 0.
    pub dead_zone: Real,
}

impl Default for SpringLaw {
    fn default() -> Self {
        Self { compression: 1.0, dead_zone: 0.0 }
    }
}

/// A batch of springs.
///
/// ```
/// use pd_constraints::{MassSpring, SpringLaw};
/// use pd_core::{EnergyBatch, Vec3};
/// let x = [Vec3::zeros(), Vec3::x()];
/// let law = SpringLaw { compression: 0.1, dead_zone: 0.05 };
/// let spring = MassSpring::new(&x, &[[0, 1]], 100.0 /* N/m */, law)?;
/// assert!((spring.energy(0..1, &[Vec3::zeros(), Vec3::x() * 1.15]) - 0.5 * 100.0 * 0.01).abs() < 1e-12);
/// assert!((spring.energy(0..1, &[Vec3::zeros(), Vec3::x() * 0.85]) - 0.5 * 10.0 * 0.01).abs() < 1e-12);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MassSpring {
    stencil: Stencil,
    edges: Vec<[u32; 2]>,
    rest: Vec<Vec3>,
    lengths: Vec<Real>,
    law: SpringLaw,
    skipped: usize,
}

impl MassSpring {
    /// Springs at rest in `positions`; `stiffness` is k, N/m. Edges shorter than [`SHORTEST_EDGE`] are skipped and counted in
    /// [`skipped`](Self::skipped).
    pub fn new<'a>(
        positions: &[Vec3],
        edges: &[[u32; 2]],
        stiffness: impl Into<Weight<'a>>,
        law: SpringLaw,
    ) -> Result<Self, ConstraintError> {
        let stiffness = stiffness.into();
        check::positions(positions)?;
        stiffness.check(KIND, edges.len())?;
        check::indices(KIND, edges, positions.len())?;
        if !(0.0..=1.0).contains(&law.compression) {
            let (name, value) = ("compression", law.compression);
            return Err(ConstraintError::Parameter { name, value, expected: "from 0 to 1" });
        }
        if !(0.0..1.0).contains(&law.dead_zone) {
            let (name, value) = ("dead zone", law.dead_zone);
            return Err(ConstraintError::Parameter { name, value, expected: "at least 0 and below 1" });
        }
        let stencil = Stencil::with_capacity(1, edges.len(), 2);
        let mut batch = Self { stencil, edges: vec![], rest: vec![], lengths: vec![], law, skipped: 0 };
        for (element, &[i, j]) in edges.iter().enumerate() {
            let rest = positions[i as usize] - positions[j as usize];
            if rest.norm() < SHORTEST_EDGE {
                batch.skipped += 1;
                continue;
            }
            batch.stencil.push(stiffness.at(element), &[&[(i, 1.0), (j, -1.0)]]);
            batch.edges.push([i, j]);
            batch.rest.push(rest);
            batch.lengths.push(rest.norm());
        }
        Ok(batch)
    }

    /// Every `keep`-th of the edges, counted from the first: fewer springs, to reduce locking. Stiffness is not
    /// rescaled.
    pub fn subset(edges: &[[u32; 2]], keep: usize) -> Vec<[u32; 2]> {
        edges.iter().step_by(keep.max(1)).copied().collect()
    }

    /// Edges that were skipped because they are too short to have a direction.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Signed elongation beyond the dead zone, m, and the part c or 1 of the stiffness that acts.
    fn elongation(&self, element: usize, length: Real) -> (Real, Real) {
        let SpringLaw { compression, dead_zone } = self.law;
        let rest = self.lengths[element];
        let (least, most) = (rest * (1.0 - dead_zone), rest * (1.0 + dead_zone));
        if length > most {
            (length - most, 1.0)
        } else if length < least {
            (length - least, compression)
        } else {
            (0.0, 0.0)
        }
    }

    fn unit(&self, element: usize, y: &Vec3) -> Vec3 {
        let length = y.norm();
        if length > 0.0 { y / length } else { self.rest[element] / self.lengths[element] }
    }

    fn vector(&self, element: usize, x: &[Vec3]) -> Vec3 {
        let [i, j] = self.edges[element];
        x[i as usize] - x[j as usize]
    }
}

impl EnergyBatch for MassSpring {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z) {
            let (elongation, part) = self.elongation(element, z.norm());
            *z -= self.unit(element, z) * (part * elongation);
        }
    }

    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        for (element, dx) in elements.zip(dx) {
            *dx = self.vector(element, x);
        }
    }

    fn energy_at(&self, elements: Range<usize>, x: &[Vec3], _r: &[Vec3]) -> Real {
        elements
            .map(|element| {
                let (elongation, part) = self.elongation(element, self.vector(element, x).norm());
                0.5 * self.stencil.weight(element) * part * elongation * elongation
            })
            .sum()
    }

    fn select(&self, order: &[u32]) -> Option<Box<dyn EnergyBatch>> {
        Some(Box::new(Self {
            stencil: self.stencil.select(order),
            edges: selected(&self.edges, order),
            rest: selected(&self.rest, order),
            lengths: selected(&self.lengths, order),
            law: self.law,
            skipped: self.skipped,
        }))
    }

    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, out: &mut [Real]) {
        for (element, out) in elements.zip(out.chunks_exact_mut(9)) {
            let y = self.vector(element, x);
            let length = y.norm();
            let (elongation, part) = self.elongation(element, length);
            let along = self.stencil.weight(element) * part;
            let direction = (length > 0.0).then(|| y / length);
            radial::hessian(direction, along, along * elongation / length, psd, out);
        }
    }

    /// The law is a parabola on each side of the dead zone, so the length follows in closed form.
    fn prox(&self, elements: Range<usize>, kappa: Real, z: &mut [Vec3]) {
        for (element, z) in elements.zip(z) {
            let length = z.norm();
            let (elongation, part) = self.elongation(element, length);
            *z = self.unit(element, z) * (length - part * elongation / (part + kappa));
        }
    }

    fn strain(&self, elements: Range<usize>, x: &[Vec3]) -> Strain {
        let worst = elements.fold(0.0, |worst: Real, element| {
            worst.max((self.vector(element, x).norm() / self.lengths[element] - 1.0).abs())
        });
        Strain { worst, inverted: 0 }
    }
}
