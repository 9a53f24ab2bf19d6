//! The global matrix and the objective straight from their definitions: dense, element by element, no sharing of
//! code with the product beyond stencil and projection.

use nalgebra::DMatrix;
use pd_core::{Model, Real, State, StepParams, Vec3};

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

/// ½‖x − s‖²_{M/h²} + Σ_c ω_c/2 |A_c x − project(A_c x)|², one element at a time.
pub fn dense_objective(model: &Model, dt: Real, s: &[Vec3], x: &[Vec3]) -> Real {
    let inertia: Real =
        (0..x.len()).map(|i| 0.5 * model.masses()[i] / (dt * dt) * (x[i] - s[i]).norm_squared()).sum();
    let mut elastic = 0.0;
    for batch in model.batches() {
        let stencil = batch.stencil();
        let d = stencil.rows_per_element();
        for element in 0..stencil.elements() {
            let mut dx = vec![Vec3::zeros(); d];
            stencil.gather(element..element + 1, x, &mut dx);
            let mut nearest = dx.clone();
            batch.project(element..element + 1, &mut nearest);
            let distance: Real = dx.iter().zip(&nearest).map(|(a, b)| (a - b).norm_squared()).sum();
            elastic += 0.5 * stencil.weight(element) * distance;
        }
    }
    inertia + elastic
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
