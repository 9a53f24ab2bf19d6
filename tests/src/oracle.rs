//! The global matrix and the objective straight from their definitions: dense, element by element, no sharing of
//! code with the product beyond stencil and projection.

use nalgebra::DMatrix;
use pd_core::{EnergyBatch, Model, Real, State, StepParams, Vec3};

/// M/h² + Σ_c ω_c A_cᵀA_c.
pub fn dense_matrix(model: &Model, dt: Real) -> DMatrix<Real> {
    let n = model.vertices();
    let mut matrix = DMatrix::zeros(n, n);
    for (i, mass) in model.masses().iter().enumerate() {
        matrix[(i, i)] = mass / (dt * dt);
    }
    for batch in model.batches() {
        let stencil = batch.stencil();
        let d = stencil.rows_per_element();
        for element in 0..stencil.elements() {
            let mut rows = DMatrix::<Real>::zeros(d, n); // A_c
            for r in 0..d {
                for (vertex, coefficient) in stencil.row(element * d + r) {
                    rows[(r, vertex)] += coefficient;
                }
            }
            matrix += rows.tr_mul(&rows) * stencil.weight(element);
        }
    }
    matrix
}

/// Calls `f(weight, first row, A_c x − project(A_c x))` for every element of a batch.
fn for_each_residual(batch: &dyn EnergyBatch, x: &[Vec3], mut f: impl FnMut(Real, usize, &[Vec3])) {
    let stencil = batch.stencil();
    let d = stencil.rows_per_element();
    for element in 0..stencil.elements() {
        let mut r = vec![Vec3::zeros(); d];
        stencil.gather(element..element + 1, x, &mut r);
        let mut nearest = r.clone();
        batch.project(element..element + 1, &mut nearest);
        r.iter_mut().zip(&nearest).for_each(|(r, p)| *r -= p);
        f(stencil.weight(element), element * d, &r);
    }
}

/// ½‖x − s‖²_{M/h²} + Σ_c ω_c/2 |A_c x − project(A_c x)|², one element at a time.
pub fn dense_objective(model: &Model, dt: Real, s: &[Vec3], x: &[Vec3]) -> Real {
    let mut sum: Real =
        (0..x.len()).map(|i| 0.5 * model.masses()[i] / (dt * dt) * (x[i] - s[i]).norm_squared()).sum();
    for batch in model.batches() {
        for_each_residual(batch.as_ref(), x, |weight, _, r| {
            sum += 0.5 * weight * r.iter().map(|r| r.norm_squared()).sum::<Real>();
        });
    }
    sum
}

/// Gradient of [`dense_objective`]: M/h² (x − s) + Σ_c ω_c A_cᵀ (A_c x − project(A_c x)).
pub fn dense_gradient(model: &Model, dt: Real, s: &[Vec3], x: &[Vec3]) -> Vec<Vec3> {
    let mut gradient: Vec<Vec3> =
        (0..x.len()).map(|i| (x[i] - s[i]) * (model.masses()[i] / (dt * dt))).collect();
    for batch in model.batches() {
        for_each_residual(batch.as_ref(), x, |weight, first, r| {
            for (k, r) in r.iter().enumerate() {
                for (vertex, coefficient) in batch.stencil().row(first + k) {
                    gradient[vertex] += r * (weight * coefficient);
                }
            }
        });
    }
    gradient
}

/// s = x + h v + h² g, with pinned vertices left alone if the parameters say so.
pub fn predictor(model: &Model, params: &StepParams, state: &State) -> Vec<Vec3> {
    let h = params.dt;
    let mut s: Vec<Vec3> =
        state.x.iter().zip(&state.v).map(|(x, v)| x + v * h + params.gravity * (h * h)).collect();
    if params.hold_pinned {
        for &vertex in model.pinned() {
            s[vertex as usize] = state.x[vertex as usize];
        }
    }
    s
}
