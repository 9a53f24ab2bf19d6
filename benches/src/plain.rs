//! The plain twin of the fast local step: one element after another, a singular value decomposition from a library, rows
//! of D written to memory and gathered by vertex. What a careful first implementation does; the fast one must give the
//! same positions.

use pd_core::{EnergyBatch, LocalInput, LocalStep, Mat3, Model, ModelError, Real, Stencil, StepError, Vec3};
use std::ops::Range;

/// Strain of tetrahedra by a library's decomposition.
pub struct PlainTets {
    stencil: Stencil,
    min: Real,
    max: Real,
}

impl EnergyBatch for PlainTets {
    fn kind(&self) -> &'static str {
        "plain-tets"
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
        for z in z.chunks_exact_mut(3) {
            let nearest = nearest(&Mat3::from_columns(&[z[0], z[1], z[2]]), self.min, self.max);
            (0..3).for_each(|j| z[j] = nearest.column(j).into());
        }
    }
}

/// Singular values clamped, the smallest signed as det F.
pub fn nearest(f: &Mat3, min: Real, max: Real) -> Mat3 {
    let svd = f.svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { return *f };
    let mut sigma = svd.singular_values;
    let mut flip = Vec3::repeat(1.0);
    flip.z = (u.determinant() * v_t.determinant()).signum();
    sigma.z *= flip.z;
    let clamped = sigma.map(|s| s.max(min).min(max)).component_mul(&flip);
    u * Mat3::from_diagonal(&clamped) * v_t
}

/// Volume of tetrahedra, kept, by a library's decomposition and Newton's method for the multiplier (see `determinant_clamp.rs` of
/// `pd-constraints`); for changes of volume below a factor of two.
pub struct PlainVolume {
    stencil: Stencil,
}

impl PlainVolume {
    /// With the rows of deformation gradients.
    pub fn new(stencil: Stencil) -> Self {
        Self { stencil }
    }
}

impl EnergyBatch for PlainVolume {
    fn kind(&self) -> &'static str {
        "plain-volume"
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
        for z in z.chunks_exact_mut(3) {
            let svd = Mat3::from_columns(&[z[0], z[1], z[2]]).svd(true, true);
            let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { continue };
            let sigma = svd.singular_values;
            let (mut mu, mut x) = (0.0, sigma);
            for _ in 0..20 {
                x = sigma.map(|v| 0.5 * (v + (v * v + 4.0 * mu).max(0.0).sqrt()));
                let slope: Real = (0..3).map(|i| 1.0 / (x[i] * (2.0 * x[i] - sigma[i]))).sum();
                let product = x.product();
                if (product - 1.0).abs() < 1e-14 {
                    break;
                }
                mu -= (product - 1.0) / (product * slope);
            }
            let nearest = u * Mat3::from_diagonal(&x) * v_t;
            (0..3).for_each(|j| z[j] = nearest.column(j).into());
        }
    }
}

/// The twin of a model of tetrahedra; `None` if it has other batches or a range that differs by axis.
pub fn model(fast: &Model) -> Option<Result<Model, ModelError>> {
    let mut builder = Model::with_masses(fast.masses().to_vec());
    for batch in fast.batches() {
        let data = batch.export().filter(|data| data.kind == "tet-strain")?;
        let (min, max) = (data.uniforms[0], data.uniforms[3]);
        if data.uniforms[..6] != [min, min, min, max, max, max] {
            return None;
        }
        builder = builder.energy(PlainTets { stencil: data.stencil.clone(), min, max });
    }
    Some(builder.build())
}

/// All residual rows to memory, then the sum of each vertex over its rows of DᵀW.
#[derive(Default)]
pub struct PlainLocal {
    rows: Vec<Vec3>,
}

impl LocalStep for PlainLocal {
    fn name(&self) -> &str {
        "plain"
    }

    fn prepare(&mut self, model: &Model) -> Result<(), StepError> {
        self.rows = vec![Vec3::zeros(); model.rows()];
        Ok(())
    }

    fn run(&mut self, input: LocalInput<'_>, b: &mut [Vec3]) -> Result<(), StepError> {
        let LocalInput { model, dt, s, x } = input;
        model.residual(x, &mut self.rows);
        model.gather_forces(&self.rows, |i| (s[i] - x[i]) * (model.masses()[i] / (dt * dt)), b);
        Ok(())
    }
}
