//! Preconditioned conjugate gradients, one recurrence per right-hand side and one product for all.
//!
//! Hestenes and Stiefel 1952; Saad 2003, "Iterative Methods for Sparse Linear Systems", algorithm 9.1. The
//! coefficients of the recurrence are those of a Lanczos process, so the extreme eigenvalues of the preconditioned
//! matrix, and its condition number, are obtained at no cost (Saad, section 6.7.3).

use crate::preconditioner::{Diagonal, Preconditioner};
use crate::sparse_rows::Rows;
use crate::spectrum::not_definite;
use crate::stopping::{Progress, Stopping, Verdict, zero_solution};
use crate::tridiagonal::extreme_eigenvalues;
use crate::vector::{check_input, column_dots, for_each_row, norm, resize};
use pd_core::{Csr, GlobalSolver, LinearError, Real, SolveReport};

/// Recurrence coefficients kept for the condition estimate.
const HISTORY: usize = 128;
/// Restarts from the true residual before the tolerance is treated as unreachable.
const RESTARTS: usize = 4;

/// Conjugate gradients with a preconditioner of choice.
///
/// ```
/// use pd_linear::{Csr, GlobalSolver, IncompleteCholesky, Pcg};
/// let a = Csr::from_triplets(2, &[(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// let mut solver = Pcg::new("pcg-ic", IncompleteCholesky::default());
/// solver.factor(&a)?;
/// let mut x = [0.0; 2];
/// let report = solver.solve(&[1.0, 1.0], &mut x, 1)?;
/// assert!(report.converged && (x[0] - 1.0).abs() < 1e-8);
/// # Ok::<(), pd_linear::LinearError>(())
/// ```
pub struct Pcg {
    /// When to stop.
    pub stopping: Stopping,
    name: String,
    preconditioner: Box<dyn Preconditioner>,
    a: Csr,
    factored: bool,
    r: Vec<Real>,
    z: Vec<Real>,
    p: Vec<Real>,
    ap: Vec<Real>,
    scalars: Scalars,
    /// Lanczos matrix of the first column: diagonal and off-diagonal.
    lanczos: [Vec<Real>; 2],
}

/// One number per right-hand side.
#[derive(Default)]
struct Scalars {
    rz: Vec<Real>,
    new: Vec<Real>,
    alpha: Vec<Real>,
    beta: Vec<Real>,
    /// Columns that have converged and are not updated.
    done: Vec<bool>,
}

impl Default for Pcg {
    /// Diagonal preconditioner.
    fn default() -> Self {
        Self::new("pcg", Diagonal::default())
    }
}

impl Pcg {
    /// With a name for reports and a preconditioner.
    pub fn new(name: &str, preconditioner: impl Preconditioner + 'static) -> Self {
        let empty = Vec::new;
        Self {
            stopping: Stopping::default(),
            name: name.to_owned(),
            preconditioner: Box::new(preconditioner),
            a: Csr::default(),
            factored: false,
            r: empty(),
            z: empty(),
            p: empty(),
            ap: empty(),
            scalars: Scalars::default(),
            lanczos: [empty(), empty()],
        }
    }

    /// With other stopping rules.
    pub fn with_stopping(self, stopping: Stopping) -> Self {
        Self { stopping, ..self }
    }

    fn reserve(&mut self, length: usize, columns: usize) {
        for scratch in [&mut self.r, &mut self.z, &mut self.p, &mut self.ap] {
            resize(scratch, length);
        }
        let Scalars { rz, new, alpha, beta, done } = &mut self.scalars;
        for scalar in [rz, new, alpha, beta] {
            resize(scalar, columns);
        }
        done.resize(columns, false);
        self.preconditioner.reserve(columns);
    }

    /// z = M⁻¹ r, p = z, and (r, z); clears the previous directions.
    fn restart(&mut self, columns: usize) {
        self.preconditioner.apply(&self.r, &mut self.z, columns);
        self.p.copy_from_slice(&self.z);
        column_dots(&self.r, &self.z, columns, &mut self.scalars.rz);
    }

    /// One step; returns the norm of the updated residual.
    fn step(&mut self, x: &mut [Real], columns: usize, small: Real) -> Result<Real, LinearError> {
        let Self { a, r, z, p, ap, scalars, preconditioner, lanczos, .. } = self;
        let Scalars { rz, new, alpha, beta, done } = scalars;
        Rows::from(&*a).multiply(p, ap, columns);
        column_dots(p, ap, columns, alpha);
        for c in 0..columns {
            let curvature = alpha[c];
            if !done[c] && curvature <= 0.0 {
                return Err(not_definite(a, curvature));
            }
            alpha[c] = if done[c] { 0.0 } else { rz[c] / curvature };
        }
        let alpha = &*alpha;
        let (p_now, ap_now) = (&*p, &*ap);
        for_each_row(x, columns, |i, x| (0..columns).for_each(|c| x[c] += alpha[c] * p_now[i * columns + c]));
        for_each_row(r, columns, |i, r| {
            (0..columns).for_each(|c| r[c] -= alpha[c] * ap_now[i * columns + c])
        });
        let size = norm(r);
        column_dots(r, r, columns, new);
        for c in 0..columns {
            done[c] |= new[c] <= small * small;
        }
        preconditioner.apply(r, z, columns);
        column_dots(r, z, columns, new);
        for c in 0..columns {
            beta[c] = if done[c] || rz[c] == 0.0 { 0.0 } else { new[c] / rz[c] };
            rz[c] = new[c];
        }
        if !done[0] {
            remember(lanczos, alpha[0], beta[0]);
        }
        let (z_now, beta) = (&*z, &*beta);
        for_each_row(p, columns, |i, p| {
            (0..columns).for_each(|c| p[c] = z_now[i * columns + c] + beta[c] * p[c]);
        });
        Ok(size)
    }
}

/// Row k of the Lanczos matrix: diagonal 1/α_k + β_{k−1}/α_{k−1}, off-diagonal √β_k/α_k. The second part of the
/// next diagonal entry is stored ahead.
fn remember(lanczos: &mut [Vec<Real>; 2], alpha: Real, beta: Real) {
    let [diagonal, off] = lanczos;
    if off.len() + 1 >= HISTORY || !(alpha > 0.0 && beta > 0.0) {
        return;
    }
    if let Some(last) = diagonal.last_mut() {
        *last += 1.0 / alpha;
    } else {
        diagonal.push(1.0 / alpha);
    }
    off.push(beta.sqrt() / alpha);
    diagonal.push(beta / alpha);
}

/// Condition of the preconditioned matrix estimated by the recurrence, from below.
fn condition([diagonal, off]: &[Vec<Real>; 2]) -> Option<Real> {
    let steps = off.len(); // the last diagonal entry is unfinished
    let (low, high) = extreme_eigenvalues(&diagonal[..steps], &off[..steps.saturating_sub(1)])?;
    (low > 0.0).then(|| high / low)
}

impl GlobalSolver for Pcg {
    fn name(&self) -> &str {
        &self.name
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.factored = false;
        self.stopping.check(&self.name)?;
        a.check_symmetric()?;
        self.preconditioner.factor(a)?;
        self.a = a.clone();
        for list in &mut self.lanczos {
            list.reserve(HISTORY + 1);
        }
        self.reserve(3 * a.rows(), 3);
        self.factored = true;
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        if !self.factored {
            return Err(LinearError::NotFactored { solver: self.name.clone() });
        }
        check_input(self.a.rows(), b, x, columns)?;
        let scale = norm(b);
        if scale == 0.0 {
            return Ok(zero_solution(x));
        }
        self.reserve(x.len(), columns);
        self.lanczos.iter_mut().for_each(Vec::clear);
        let mut size = Rows::from(&self.a).residual(b, x, &mut self.r, columns);
        let progress = Progress::new(self.stopping, scale, size)?;
        // Columns this small together meet the tolerance; going on would divide zero by zero.
        let small = (0.5 * self.stopping.tolerance).max(1e-16) * scale / (columns as Real).sqrt();
        let mut k = 0;
        for _ in 0..=RESTARTS {
            let before = size;
            if matches!(progress.judge(k, size)?, Verdict::Done) || k == self.stopping.iterations {
                break;
            }
            let Scalars { new, done, .. } = &mut self.scalars;
            column_dots(&self.r, &self.r, columns, new);
            done.iter_mut().zip(new).for_each(|(done, square)| *done = *square <= small * small);
            self.restart(columns);
            while k < self.stopping.iterations {
                size = self.step(x, columns, small)?;
                k += 1;
                let finished = matches!(progress.judge(k, size)?, Verdict::Done);
                if finished || self.scalars.done.iter().all(|done| *done) {
                    break;
                }
            }
            // The recurrence drifts by rounding; the true residual decides.
            size = Rows::from(&self.a).residual(b, x, &mut self.r, columns);
            if size > 0.5 * before {
                break; // as small as rounding allows
            }
        }
        progress.judge(k, size)?;
        let report = SolveReport { condition: condition(&self.lanczos), ..progress.report(k, size) };
        if !report.converged && report.condition.is_some_and(|condition| condition > 1e14) {
            return Err(not_definite(&self.a, 0.0)); // singular to rounding
        }
        Ok(report)
    }

    fn bytes(&self) -> usize {
        let vectors = self.r.len() + self.z.len() + self.p.len() + self.ap.len();
        12 * self.a.pattern().entries() + 8 * vectors + self.preconditioner.bytes()
    }
}
