//! Linear solvers on the device, all for three right-hand sides.

mod blocks;
mod dissection;
mod jacobi;
mod pcg;

use crate::queue::{Buffer, Queue};
use crate::{CudaError, DeviceReal};
use blocks::Blocks;
use jacobi::{AJacobi, Jacobi};
use pcg::Pcg;
use pd_core::{Csr, LinearError, Real};
use pd_linear::{JacobiOptions, Spectrum, Variant};

/// A way to solve the global system on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Damped Jacobi.
    Jacobi,
    /// Damped Jacobi with Chebyshev acceleration.
    Chebyshev,
    /// A-Jacobi of order 1, 2 or 3 with Chebyshev acceleration.
    AJacobi {
        /// The order.
        order: usize,
    },
    /// Conjugate gradients, diagonal preconditioner.
    Pcg,
    /// Direct: the mesh is cut into parts, and the inverses of the parts and of what couples them are multiplied with.
    Cholesky,
}

impl Method {
    /// The method of this name among those of `pd-linear`; `None` if the device has none. The direct solvers of the host
    /// ("cholesky", "panels", …) are all [`Method::Cholesky`] here.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "jacobi" => Self::Jacobi,
            "chebyshev" => Self::Chebyshev,
            "a-jacobi-1" => Self::AJacobi { order: 1 },
            "a-jacobi-2" => Self::AJacobi { order: 2 },
            "a-jacobi-3" => Self::AJacobi { order: 3 },
            "pcg" => Self::Pcg,
            "cholesky" | "cholesky-simplicial" | "cholesky-supernodal" | "panels" | "panels-f64" => {
                Self::Cholesky
            }
            _ => return None,
        })
    }

    /// Name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jacobi => "cuda-jacobi",
            Self::Chebyshev => "cuda-chebyshev",
            Self::AJacobi { order: 1 } => "cuda-a-jacobi-1",
            Self::AJacobi { order: 2 } => "cuda-a-jacobi-2",
            Self::AJacobi { order: 3 } => "cuda-a-jacobi-3",
            Self::AJacobi { .. } => "cuda-a-jacobi",
            Self::Pcg => "cuda-pcg",
            Self::Cholesky => "cuda-cholesky",
        }
    }
}

/// A solver that is set up. `begin` starts from the guess; each sweep improves the solution, a direct solver has one.
pub(crate) trait DeviceSolver<T>: Send + Sync {
    /// The buffers that hold the initial guess; all must be filled with it.
    fn guess(&mut self) -> [Option<&mut Buffer<T>>; 2];

    /// Work before the first sweep.
    fn begin(&mut self, queue: &Queue<T>, b: &Buffer<T>) -> Result<(), CudaError>;

    /// Sweeps `from` to `to` (excluded) since `begin`.
    fn sweep(&mut self, queue: &Queue<T>, b: &Buffer<T>, from: usize, to: usize) -> Result<(), CudaError>;

    /// The newest iterate.
    fn solution(&self) -> &Buffer<T>;

    fn bytes(&self) -> usize;
}

/// Damping, contraction and what follows from the spectrum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Damping {
    pub(crate) gamma: Real,
    pub(crate) rho: Real,
    pub(crate) condition: Option<Real>,
}

impl Damping {
    fn new(solver: &str, a: &Csr, options: &JacobiOptions) -> Result<Self, LinearError> {
        let wrong = |what| Err(LinearError::Parameter { solver: solver.to_owned(), what });
        if options.variant != Variant::Corrected {
            return wrong("the published variant runs on the CPU alone".to_owned());
        }
        if let Some(gamma) = options.gamma.filter(|g| !(g.is_finite() && *g > 0.0)) {
            return wrong(format!("gamma is {gamma}; it must be positive"));
        }
        if let Some(rho) = options.rho.filter(|rho| !(0.0..1.0).contains(rho)) {
            return wrong(format!("rho is {rho}; it must be at least 0 and below 1"));
        }
        if let (Some(gamma), Some(rho)) = (options.gamma, options.rho) {
            return Ok(Self { gamma, rho, condition: None });
        }
        let spectrum = Spectrum::estimate(a)?;
        let gamma = options.gamma.unwrap_or_else(|| spectrum.gamma());
        let rho = options.rho.unwrap_or_else(|| spectrum.contraction(gamma).min(0.999_999));
        Ok(Self { gamma, rho, condition: Some(spectrum.condition()) })
    }
}

/// A solver for a matrix, and how many sweeps reach the tolerance of the options by the bound of its method.
pub(crate) struct Prepared<T> {
    pub(crate) solver: Box<dyn DeviceSolver<T>>,
    pub(crate) sweeps: usize,
    pub(crate) condition: Option<Real>,
}

/// Sets up a method for a matrix.
pub(crate) fn prepare<T: DeviceReal>(
    queue: &Queue<T>,
    a: &Csr,
    method: Method,
    options: &JacobiOptions,
) -> Result<Prepared<T>, LinearError> {
    a.check_symmetric()?;
    let name = method.name();
    if !(options.stopping.tolerance >= 0.0 && options.stopping.tolerance < 1.0) {
        let what = format!("tolerance is {}; it must be at least 0 and below 1", options.stopping.tolerance);
        return Err(LinearError::Parameter { solver: name.to_owned(), what });
    }
    if let Method::Cholesky = method {
        let solver = Box::new(Blocks::new(queue, a, options.memory)?);
        return Ok(Prepared { solver, sweeps: 1, condition: None });
    }
    let damping = Damping::new(name, a, options)?;
    let accelerated = method != Method::Jacobi;
    let order = if let Method::AJacobi { order } = method { order } else { 1 };
    // In single precision, rounding limits the reachable residual.
    let tolerance = options.stopping.tolerance.max(8.0 * T::EPSILON);
    let sweeps = sweeps_for(tolerance, damping.rho.powi(order as i32), accelerated);
    let sweeps = sweeps.min(options.stopping.iterations);
    let solver: Box<dyn DeviceSolver<T>> = match method {
        Method::Jacobi | Method::Chebyshev => {
            let rho = if accelerated { damping.rho } else { 0.0 };
            Box::new(Jacobi::new(queue, a, damping.gamma, rho, options)?)
        }
        Method::AJacobi { order } => Box::new(AJacobi::new(queue, a, order, damping, options)?),
        Method::Pcg | Method::Cholesky => Box::new(Pcg::new(queue, a)?),
    };
    Ok(Prepared { solver, sweeps, condition: damping.condition })
}

/// Sweeps that shrink the error to `tolerance`: ρ^k, or with acceleration the Chebyshev bound 2 c^k/(1 + c^2k),
/// c = ρ/(1 + √(1 − ρ²)).
fn sweeps_for(tolerance: Real, rho: Real, accelerated: bool) -> usize {
    if rho <= 0.0 {
        return 1;
    }
    let (factor, rate) = if accelerated { (2.0, rho / (1.0 + (1.0 - rho * rho).sqrt())) } else { (1.0, rho) };
    ((tolerance / factor).ln() / rate.ln()).ceil().clamp(1.0, 1e6) as usize
}

/// ω of the Chebyshev semi-iteration for sweeps 0, 1, …; all 1 for ρ = 0 (Golub and Varga 1961; Wang 2015).
fn chebyshev(rho: Real, delay: usize, count: usize) -> Vec<Real> {
    let square = rho * rho;
    let mut omega = 1.0;
    (0..count)
        .map(|k| {
            omega = match k.cmp(&delay) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => 2.0 / (2.0 - square),
                std::cmp::Ordering::Greater => 4.0 / (4.0 - square * omega),
            };
            omega
        })
        .collect()
}

/// A as rows.
fn rows_of(a: &Csr) -> crate::sliced_ell::Rows {
    let mut rows = crate::sliced_ell::Rows::new();
    (0..a.rows()).for_each(|i| rows.push_row(a.row(i)));
    rows
}

fn inverse_diagonal(a: &Csr) -> Vec<Real> {
    a.diagonal().iter().map(|d| 1.0 / d).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_on_sweeps_is_that_of_the_theory() {
        // ρ^k ≤ tolerance for the first time.
        assert_eq!(sweeps_for(1e-3, 0.5, false), 10);
        assert_eq!(sweeps_for(1e-3, 0.0, true), 1);
        let (rho, tolerance): (Real, Real) = (0.999, 1e-4);
        let k = sweeps_for(tolerance, rho, true) as Real;
        let c = rho / (1.0 + (1.0 - rho * rho).sqrt());
        assert!(2.0 * c.powf(k) <= tolerance && 2.0 * c.powf(k - 1.0) > tolerance);
        assert!(k < 0.05 * sweeps_for(tolerance, rho, false) as Real);
    }

    #[test]
    fn omegas_are_those_of_the_host() {
        let omega = chebyshev(0.9, 2, 6);
        assert_eq!(omega[..2], [1.0, 1.0]);
        assert_eq!(omega[2], 2.0 / (2.0 - 0.81));
        assert_eq!(omega[3], 4.0 / (4.0 - 0.81 * omega[2]));
        assert!(chebyshev(0.0, 1, 9).iter().all(|omega| *omega == 1.0));
    }

    #[test]
    fn names_of_the_host_are_understood() {
        assert_eq!(Method::by_name("a-jacobi-2"), Some(Method::AJacobi { order: 2 }));
        assert_eq!(Method::by_name("panels").map(Method::name), Some("cuda-cholesky"));
        for host_only in ["gauss-seidel", "pcg-amg", "a-jacobi-1-published", "panels-f16", ""] {
            assert_eq!(Method::by_name(host_only), None);
        }
    }
}
