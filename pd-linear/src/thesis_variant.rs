//! The iteration of the thesis' program, including its errors, to explain its tables; see
//! [`Variant::AsPublished`](crate::Variant::AsPublished).

use crate::vector::{for_each_row, norm};
use pd_core::{LinearError, Real, SolveReport};

/// Sweeps between checks of the size of x. The program checks once at the end; checking earlier only identifies the
/// iteration and keeps infinities out of the error.
const LOOK: usize = 8;

/// Its parameters.
pub(crate) struct ThesisVariant {
    pub(crate) iterations: usize,
    pub(crate) gamma: Real,
    /// ρ and S of acceleration; `None` for the plain Jacobi solvers.
    pub(crate) chebyshev: Option<(Real, usize)>,
    /// Whether the buffer returned is count mod 3 sweeps old.
    pub(crate) stale: bool,
    pub(crate) columns: usize,
}

impl ThesisVariant {
    /// Runs with `sweep(x, x̂)` and `residual(x, r)`, which returns ‖b − A x‖. `x` is overwritten: zero start.
    /// `older` and `swept` are scratch of the same length.
    pub(crate) fn run(
        &self,
        b: &[Real],
        x: &mut [Real],
        older: &mut [Real],
        swept: &mut [Real],
        mut sweep: impl FnMut(&[Real], &mut [Real]),
        mut residual: impl FnMut(&[Real], &mut [Real]) -> Real,
    ) -> Result<SolveReport, LinearError> {
        x.fill(0.0);
        older.fill(0.0);
        let count = if self.stale { self.iterations - self.iterations % 3 } else { self.iterations };
        let scale = norm(b).max(Real::MIN_POSITIVE);
        let (mut omega, gamma, mut change) = (1.0, self.gamma, 0.0);
        for k in 0..count {
            omega = match self.chebyshev {
                None => 1.0,
                Some((_, delay)) if self.iterations < delay => 1.0,
                Some((rho, delay)) if self.iterations == delay => 2.0 / (2.0 - rho * rho),
                Some((rho, _)) => 4.0 / (4.0 - rho * rho * omega),
            };
            sweep(x, swept);
            let (x_now, swept_now) = (&*x, &*swept);
            for_each_row(older, self.columns, |i, older| {
                for (c, older) in older.iter_mut().enumerate() {
                    let at = i * self.columns + c;
                    let damped = gamma * (swept_now[at] - x_now[at]) + x_now[at];
                    *older = omega * (damped - *older) + *older;
                }
            });
            if k % LOOK == 0 || k + 1 == count {
                let largest = older
                    .iter()
                    .fold(0.0, |m: Real, v| if v.is_finite() { m.max(v.abs()) } else { Real::MAX });
                if largest > 1e10 {
                    let residual = residual(x, older) / scale; // of the iterate before, still finite
                    return Err(LinearError::Diverged { iteration: k, residual });
                }
                change = x.iter().zip(older.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
            }
            older.swap_with_slice(x);
        }
        let relative = residual(x, swept) / scale;
        if !relative.is_finite() {
            return Err(LinearError::Diverged { iteration: count, residual: relative });
        }
        let converged = change <= 1e-3;
        Ok(SolveReport { iterations: self.iterations, residual: Some(relative), condition: None, converged })
    }
}
