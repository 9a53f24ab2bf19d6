//! Solvers by name, for scene files, command lines and benchmarks.

use crate::{
    AJacobi, Cholesky, DenseCholesky, DenseJacobi, GaussSeidel, IncompleteCholesky, Jacobi, JacobiOptions,
    Multigrid, PanelCholesky, Pcg, Precision, Stopping, Supernodes,
};
use pd_core::{GlobalSolver, LinearError, Real};
use std::collections::BTreeMap;

/// Options of solvers. `None` means the solver's default; solvers ignore options that do not apply to them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverOptions {
    /// Maximum number of iterations (sweeps) per solve.
    pub iterations: Option<usize>,
    /// Relative residual ‖b − A x‖/‖b‖ at which an iteration stops; 0 runs all iterations.
    pub tolerance: Option<Real>,
    /// Spectral radius assumed by Chebyshev acceleration, in [0, 1); estimated when absent.
    pub rho: Option<Real>,
    /// Damping γ of the Jacobi family, or the relaxation factor of SOR; from the spectrum when absent.
    pub gamma: Option<Real>,
    /// Sweeps before Chebyshev acceleration starts (S).
    pub delay: Option<usize>,
    /// Memory limit of dense solvers, bytes.
    pub memory: Option<u64>,
}

impl SolverOptions {
    fn stopping(&self, default: Stopping) -> Stopping {
        Stopping {
            tolerance: self.tolerance.unwrap_or(default.tolerance),
            iterations: self.iterations.unwrap_or(default.iterations),
        }
    }

    fn jacobi(&self, default: JacobiOptions) -> JacobiOptions {
        JacobiOptions {
            stopping: self.stopping(default.stopping),
            variant: default.variant,
            gamma: self.gamma.or(default.gamma),
            rho: self.rho.or(default.rho),
            delay: self.delay.unwrap_or(default.delay),
            memory: self.memory.unwrap_or(default.memory),
        }
    }
}

type Constructor = Box<dyn Fn(&SolverOptions) -> Result<Box<dyn GlobalSolver>, LinearError> + Send + Sync>;

struct Entry {
    description: String,
    construct: Constructor,
}

/// Names of solvers and their constructors.
///
/// ```
/// use pd_linear::{Csr, Registry};
/// let mut solver = Registry::standard().create("cholesky")?;
/// solver.factor(&Csr::from_triplets(1, &[(0, 0, 4.0)])?)?;
/// let mut x = [0.0];
/// solver.solve(&[2.0], &mut x, 1)?;
/// assert_eq!(x, [0.5]);
/// # Ok::<(), pd_linear::LinearError>(())
/// ```
#[derive(Default)]
pub struct Registry {
    entries: BTreeMap<String, Entry>,
}

impl Registry {
    /// No names at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// All solvers of this crate.
    pub fn standard() -> Self {
        let mut registry = Self::empty();
        for (name, supernodes, description) in [
            ("cholesky", Supernodes::Auto, "sparse Cholesky, storage chosen by the fill"),
            ("cholesky-simplicial", Supernodes::Never, "sparse Cholesky, column by column"),
            ("cholesky-supernodal", Supernodes::Always, "sparse Cholesky, dense blocks of columns"),
        ] {
            registry.register(name, description, move |_| Ok(Box::new(Cholesky::new(supernodes))));
        }
        for (name, precision, description) in [
            ("panels", Precision::Single, "block Cholesky, f32 panels: fastest solve, error about 1e-6"),
            ("panels-f64", Precision::Double, "block Cholesky, f64 panels: exact to rounding"),
            ("panels-f24", Precision::ThreeBytes, "block Cholesky, panels of three bytes: error about 2e-6"),
            ("panels-f16", Precision::Half, "block Cholesky, half-precision panels: error about 1e-3"),
        ] {
            registry.register(name, description, move |_| Ok(Box::new(PanelCholesky::new(precision))));
        }
        registry.register("dense", "dense Cholesky, the oracle for small systems", |options| {
            Ok(Box::new(options.memory.map_or_else(DenseCholesky::default, DenseCholesky::with_limit)))
        });
        registry.register_jacobi();
        let default = Stopping::default();
        registry.register("pcg", "conjugate gradients, diagonal preconditioner", move |options| {
            Ok(Box::new(Pcg::default().with_stopping(options.stopping(default))))
        });
        registry.register("pcg-ic", "conjugate gradients, incomplete Cholesky", move |options| {
            let solver = Pcg::new("pcg-ic", IncompleteCholesky::default());
            Ok(Box::new(solver.with_stopping(options.stopping(default))))
        });
        registry.register("pcg-amg", "conjugate gradients, smoothed-aggregation multigrid", move |options| {
            let solver = Pcg::new("pcg-amg", Multigrid::default());
            Ok(Box::new(solver.with_stopping(options.stopping(default))))
        });
        registry.register("gauss-seidel", "coloured Gauss-Seidel", move |options| {
            Ok(Box::new(GaussSeidel::default().with_stopping(options.stopping(default))))
        });
        registry.register(
            "sor",
            "coloured successive over-relaxation; gamma is its factor",
            move |options| {
                Ok(Box::new(GaussSeidel::sor(options.gamma).with_stopping(options.stopping(default))))
            },
        );
        registry
    }

    fn register_jacobi(&mut self) {
        type Make = fn(JacobiOptions) -> Box<dyn GlobalSolver>;
        let family: [(&str, &str, Make); 6] = [
            ("dense-jacobi", "naive Jacobi on a dense 3n x 3n matrix", |o| Box::new(DenseJacobi::new(o))),
            ("jacobi", "damped Jacobi", |o| Box::new(Jacobi::new(o))),
            ("chebyshev", "damped Jacobi with Chebyshev acceleration", |o| Box::new(Jacobi::accelerated(o))),
            ("a-jacobi-1", "A-Jacobi of order 1, Chebyshev", |o| Box::new(AJacobi::new(1, o))),
            ("a-jacobi-2", "A-Jacobi of order 2, Chebyshev", |o| Box::new(AJacobi::new(2, o))),
            ("a-jacobi-3", "A-Jacobi of order 3, Chebyshev", |o| Box::new(AJacobi::new(3, o))),
        ];
        for (name, description, make) in family {
            let dense = name == "dense-jacobi";
            let limit = |default| if dense { DenseJacobi::default().options.memory } else { default };
            for (suffix, about, default) in [
                ("", "", JacobiOptions::default()),
                ("-published", ", as the thesis published it", JacobiOptions::as_published()),
            ] {
                let default = JacobiOptions { memory: limit(default.memory), ..default };
                self.register(format!("{name}{suffix}"), format!("{description}{about}"), move |options| {
                    Ok(make(options.jacobi(default)))
                });
            }
        }
    }

    /// Adds a solver, or replaces the one of that name.
    pub fn register(
        &mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        construct: impl Fn(&SolverOptions) -> Result<Box<dyn GlobalSolver>, LinearError> + Send + Sync + 'static,
    ) -> &mut Self {
        let entry = Entry { description: description.into(), construct: Box::new(construct) };
        self.entries.insert(name.into(), entry);
        self
    }

    /// All names, ascending.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// One line about a solver.
    pub fn description(&self, name: &str) -> Option<&str> {
        self.entries.get(name).map(|entry| entry.description.as_str())
    }

    /// A new solver of this name with its defaults. An unknown name is an error that lists the known ones.
    pub fn create(&self, name: &str) -> Result<Box<dyn GlobalSolver>, LinearError> {
        self.create_with(name, &SolverOptions::default())
    }

    /// A new solver of this name with these options.
    pub fn create_with(
        &self,
        name: &str,
        options: &SolverOptions,
    ) -> Result<Box<dyn GlobalSolver>, LinearError> {
        let Some(entry) = self.entries.get(name) else {
            let known: Vec<&str> = self.names().collect();
            return Err(LinearError::Parameter {
                solver: name.to_owned(),
                what: format!("no solver of this name; known are {}", known.join(", ")),
            });
        };
        (entry.construct)(options)
    }
}
