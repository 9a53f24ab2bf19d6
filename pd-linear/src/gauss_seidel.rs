//! Gauss–Seidel and successive over-relaxation, colour by colour.
//!
//! ```text
//! x_i ← x_i + ω (b_i − Σ_j a_ij x_j)/a_ii,   rows in the order of their colours
//! ```
//! Converges for every symmetric positive definite A and 0 < ω < 2 (Ostrowski 1954), without knowledge of the spectrum. The
//! default ω of SOR is Young's 2/(1 + √(1 − ρ²)) with the contraction ρ of the best damped Jacobi, optimal for
//! consistently ordered matrices (Young 1954), which have λmax(D⁻¹A) ≤ 2. Beyond 2 less over-relaxation is best: on a
//! tetrahedral mesh with λmax = 4, ω = 1.3 needs 2,700 sweeps where ω = 1 needs 5,000 and Young's 1.93 more than 20,000;
//! on shells with λmax = 2.3 Young's value is still good. So the excess over 1 is scaled down linearly, to a third at 4.
//!
//! Rows are stored colour after colour, so that the unknowns of a colour are one slice to write and all others are
//! read: parallel without a race, and bitwise identical results for any number of threads.

use crate::Spectrum;
use crate::colouring::Colouring;
use crate::sparse_rows::{OwnedRows, Rows};
use crate::stopping::{Progress, Stopping, Verdict, zero_solution};
use crate::vector::{check_input, for_each_row, norm, resize};
use pd_core::exec::{VERTEX_CHUNK, for_each_chunk};
use pd_core::{Csr, GlobalSolver, LinearError, Real, SolveReport};

/// Sweeps between evaluations of the true residual, which costs as much as a sweep.
const LOOK: usize = 4;

/// Coloured Gauss–Seidel (ω = 1) or SOR.
pub struct GaussSeidel {
    /// When to stop.
    pub stopping: Stopping,
    /// Relaxation factor ω in (0, 2) as requested; `None` for SOR with ω from the spectrum.
    requested: Option<Real>,
    over_relax: bool,
    a: Csr,
    colouring: Colouring,
    /// Rows of A in the order of colours, columns renumbered likewise, without the diagonal.
    table: OwnedRows,
    inverse_diagonal: Vec<Real>,
    /// ω in use; `None` before `factor`.
    omega: Option<Real>,
    /// b and x in the order of colours, and a residual.
    b: Vec<Real>,
    x: Vec<Real>,
    r: Vec<Real>,
}

impl Default for GaussSeidel {
    fn default() -> Self {
        let empty = Vec::new;
        Self {
            stopping: Stopping::default(),
            requested: Some(1.0),
            over_relax: false,
            a: Csr::default(),
            colouring: Colouring::default(),
            table: OwnedRows::default(),
            inverse_diagonal: empty(),
            omega: None,
            b: empty(),
            x: empty(),
            r: empty(),
        }
    }
}

impl GaussSeidel {
    /// Successive over-relaxation with factor ω in (0, 2), or one from the spectrum.
    pub fn sor(omega: Option<Real>) -> Self {
        Self { requested: omega, over_relax: true, ..Self::default() }
    }

    /// With other stopping rules.
    pub fn with_stopping(self, stopping: Stopping) -> Self {
        Self { stopping, ..self }
    }

    /// Number of colours; 0 before `factor`.
    pub fn colours(&self) -> usize {
        self.colouring.starts.len().saturating_sub(1)
    }

    /// The relaxation factor in use; `None` before `factor`.
    pub fn omega(&self) -> Option<Real> {
        self.omega
    }

    fn resolve_omega(&self, a: &Csr) -> Result<Real, LinearError> {
        match self.requested {
            Some(omega) if omega > 0.0 && omega < 2.0 => Ok(omega),
            Some(omega) => {
                let what = format!("the relaxation factor is {omega}; it must lie between 0 and 2");
                Err(LinearError::Parameter { solver: self.name().to_owned(), what })
            }
            None => {
                let spectrum = Spectrum::estimate(a)?;
                let rho = spectrum.contraction(spectrum.gamma());
                let young = 2.0 / (1.0 + (1.0 - rho * rho).sqrt());
                let share = (1.0 - (spectrum.max - 2.0) / 3.0).clamp(0.3, 1.0);
                Ok(1.0 + share * (young - 1.0))
            }
        }
    }

    /// One sweep over all colours, ascending.
    fn sweep(&mut self, omega: Real, columns: usize) {
        let Self { table, inverse_diagonal, b, x, colouring, .. } = self;
        let (table, b, inverse) = (table.view(), &*b, &*inverse_diagonal);
        for range in colouring.starts.windows(2) {
            let (first, end) = (range[0], range[1]);
            let (before, rest) = x.split_at_mut(first * columns);
            let (own, after) = rest.split_at_mut((end - first) * columns);
            let (before, after) = (&*before, &*after);
            // A row reads the colours before its own, then those after it: columns ascend.
            let read = |j: usize| if j < first { (before, j) } else { (after, j - end) };
            for_each_chunk(own, VERTEX_CHUNK * columns, |start, own| {
                for (k, x) in own.chunks_exact_mut(columns).enumerate() {
                    let row = first + start / columns + k;
                    match columns {
                        3 => relax_row::<3>(table, row, omega * inverse[row], omega, b, x, 3, 0, &read),
                        _ => (0..columns).for_each(|c| {
                            relax_row::<1>(table, row, omega * inverse[row], omega, b, x, columns, c, &read);
                        }),
                    }
                }
            });
        }
    }
}

/// x_i ← (1 − ω) x_i + ω/a_ii (b_i − Σ_{j≠i} a_ij x_j) for `WIDTH` columns from `column` on.
#[expect(clippy::too_many_arguments, reason = "a leaf kernel")]
fn relax_row<'a, const WIDTH: usize>(
    table: Rows<'_>,
    row: usize,
    scale: Real,
    omega: Real,
    b: &[Real],
    x: &mut [Real],
    columns: usize,
    column: usize,
    read: &impl Fn(usize) -> (&'a [Real], usize),
) {
    let mut sums: [Real; WIDTH] = std::array::from_fn(|c| b[row * columns + column + c]);
    for (j, value) in table.row(row) {
        let (part, j) = read(j);
        let other = &part[j * columns + column..][..WIDTH];
        for c in 0..WIDTH {
            sums[c] -= value * other[c];
        }
    }
    for c in 0..WIDTH {
        x[column + c] = (1.0 - omega) * x[column + c] + scale * sums[c];
    }
}

/// to[k] = from[order[k]], row by row.
fn gather(order: &[u32], from: &[Real], to: &mut [Real], columns: usize) {
    for_each_row(to, columns, |k, to| to.copy_from_slice(&from[order[k] as usize * columns..][..columns]));
}

impl GlobalSolver for GaussSeidel {
    fn name(&self) -> &str {
        if self.over_relax { "sor" } else { "gauss-seidel" }
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.omega = None;
        self.stopping.check(self.name())?;
        a.check_symmetric()?;
        let omega = self.resolve_omega(a)?;
        let n = a.rows();
        let same = self.a.rows() == n && self.a.pattern() == a.pattern();
        if !same {
            self.colouring = Colouring::new(a.pattern());
        }
        let order = &self.colouring.order;
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, &row)| place[row as usize] = k);
        self.table = OwnedRows::from_rows(n, n, |k| {
            let i = order[k] as usize;
            let mut row: Vec<_> = a.row(i).filter(|&(j, _)| j != i).map(|(j, v)| (place[j], v)).collect();
            row.sort_by_key(|entry| entry.0);
            row
        });
        self.inverse_diagonal = order.iter().map(|&i| 1.0 / a.get(i as usize, i as usize)).collect();
        self.a = a.clone();
        for scratch in [&mut self.b, &mut self.x, &mut self.r] {
            resize(scratch, 3 * n);
        }
        self.omega = Some(omega);
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        let Some(omega) = self.omega else {
            return Err(LinearError::NotFactored { solver: self.name().to_owned() });
        };
        check_input(self.a.rows(), b, x, columns)?;
        let scale = norm(b);
        if scale == 0.0 {
            return Ok(zero_solution(x));
        }
        for scratch in [&mut self.b, &mut self.x, &mut self.r] {
            resize(scratch, x.len());
        }
        gather(&self.colouring.order, b, &mut self.b, columns);
        gather(&self.colouring.order, x, &mut self.x, columns);
        let mut size = Rows::from(&self.a).residual(b, x, &mut self.r, columns);
        let progress = Progress::new(self.stopping, scale, size)?;
        let mut k = 0;
        while let Verdict::Continue = progress.judge(k, size)? {
            let until = self.stopping.iterations.min(k + LOOK);
            if k == until {
                break;
            }
            while k < until {
                self.sweep(omega, columns);
                k += 1;
            }
            for (&row, found) in self.colouring.order.iter().zip(self.x.chunks_exact(columns)) {
                x[row as usize * columns..][..columns].copy_from_slice(found);
            }
            size = Rows::from(&self.a).residual(b, x, &mut self.r, columns);
        }
        Ok(progress.report(k, size))
    }

    fn bytes(&self) -> usize {
        let vectors = self.inverse_diagonal.len() + self.b.len() + self.x.len() + self.r.len();
        self.table.bytes() + 12 * self.a.pattern().entries() + 8 * vectors
    }
}
