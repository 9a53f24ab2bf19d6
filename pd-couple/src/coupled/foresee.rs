//! The force with which the next step begins, where elastic vertices give way stiffly.
//!
//! A step begins with the forces f of the last one; deformable bodies take their implicit step with them, to x*, and the rows
//! add what is missing with the bare masses m, to x' = x* + h (v' − v*). The force that came out is
//!
//!   f' = ∇E(x*) + m (v' − v)/h,
//!
//! while the elastic force at the end is ∇E(x'). Remembering f' alone lets contact forces lag behind by h (1 + k h²/m): a lag is
//! negative damping, and a light cloth under deep water swings itself up. So a part θ of the difference
//!
//!   d = ∇E(x') − ∇E(x*)
//!
//! is added to what is remembered: with θ = 1 and contacts everywhere the lag would be gone; where few vertices are in contact, their
//! neighbours follow, and d is too much. A contact gets Δλ = θ h n·Σ σ β s d over its vertices, where β are their weights, σ = 1 at the end that the
//! normal points to and −1 at the other, and s = 1/Σβ over the contacts of a vertex. Both ends are given it, so momentum stays exact.

use crate::{Endpoint, Row};
use pd_core::{Model, Real, Vec3};

/// θ of the module's formula.
const PART: Real = 0.5;

/// Scratch.
#[derive(Default)]
pub(super) struct Foresight {
    /// Positions after the deformable bodies' own step, and after the rows.
    free: Vec<Vec3>,
    /// Rows of the model, and elastic gradients at both places.
    rows: Vec<Vec3>,
    before: Vec<Vec3>,
    after: Vec<Vec3>,
    /// Σβ of each vertex.
    share: Vec<Real>,
    /// Added to the impulse of each row along its normal, kg·m/s.
    pub(super) added: Vec<Real>,
}

/// Elastic vertices of a row, with their weights and the sign of their end.
pub(super) fn vertices(row: &Row, elastic: usize) -> impl Iterator<Item = (usize, Real)> {
    let of = |end: &Endpoint, sign: Real| match *end {
        Endpoint::Point(i) => [(i as usize, sign), (0, 0.0), (0, 0.0)],
        Endpoint::Triangle { vertices, weights } => {
            std::array::from_fn(|k| (vertices[k] as usize, sign * weights[k]))
        }
        Endpoint::Body { .. } => [(0, 0.0); 3],
    };
    let all = of(&row.a, 1.0).into_iter().chain(of(&row.b, -1.0));
    all.filter(move |&(i, weight)| weight != 0.0 && i < elastic)
}

impl Foresight {
    pub(super) fn prepare(&mut self, model: &Model) {
        self.rows.clear();
        self.rows.resize(model.rows(), Vec3::zeros());
        for vectors in [&mut self.free, &mut self.before, &mut self.after] {
            vectors.clear();
            vectors.resize(model.vertices(), Vec3::zeros());
        }
        self.share.clear();
        self.share.resize(model.vertices(), 0.0);
    }

    /// Where deformable bodies are after their own step.
    pub(super) fn begin(&mut self, x: &[Vec3]) {
        let n = self.free.len();
        self.free.copy_from_slice(&x[..n]);
    }

    /// What each contact is to begin with in the next step beside its impulse.
    pub(super) fn look(&mut self, model: &Model, x: &[Vec3], rows: &[Row], h: Real) {
        let n = self.free.len();
        self.added.clear();
        self.added.resize(rows.len(), 0.0);
        let active = || rows.iter().filter(|row| row.lambda > 0.0);
        self.share.fill(0.0);
        let mut any = false;
        for (vertex, weight) in active().flat_map(|row| vertices(row, n)) {
            self.share[vertex] += weight.abs();
            any = true;
        }
        if !any {
            return;
        }
        model.elastic_gradient(&self.free, &mut self.rows, &mut self.before);
        model.elastic_gradient(&x[..n], &mut self.rows, &mut self.after);
        for (row, added) in rows.iter().zip(&mut self.added).filter(|(row, _)| row.lambda > 0.0) {
            let difference = vertices(row, n)
                .map(|(i, weight)| (self.after[i] - self.before[i]) * (weight / self.share[i]))
                .sum::<Vec3>();
            *added = PART * h * row.normal.dot(&difference);
        }
    }
}
