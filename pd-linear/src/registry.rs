//! Solvers by name, for scene files, command lines and benchmarks.

use crate::{Cholesky, DenseCholesky, Supernodes};
use pd_core::{GlobalSolver, LinearError, Real};
use std::collections::BTreeMap;

/// What a name alone does not say. `None` means the solver's own default; solvers ignore what they have no use for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverOptions {
    /// Most iterations (sweeps) of one solve.
    pub iterations: Option<usize>,
    /// Relative residual ‖b − A x‖/‖b‖ at which an iteration stops; 0 runs all iterations.
    pub tolerance: Option<Real>,
    /// Spectral radius assumed by Chebyshev acceleration, in [0, 1); estimated when absent.
    pub rho: Option<Real>,
    /// Damping γ of the Jacobi family, or the relaxation factor of SOR; from the spectrum when absent.
    pub gamma: Option<Real>,
    /// Sweeps before Chebyshev acceleration starts (S).
    pub delay: Option<usize>,
    /// Most bytes a dense solver may allocate.
    pub memory: Option<u64>,
}

type Constructor = Box<dyn Fn(&SolverOptions) -> Result<Box<dyn GlobalSolver>, LinearError> + Send + Sync>;

struct Entry {
    description: String,
    construct: Constructor,
}

/// Names of solvers and how to make them.
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
        registry.register("dense", "dense Cholesky, the oracle for small systems", |options| {
            Ok(Box::new(options.memory.map_or_else(DenseCholesky::default, DenseCholesky::with_limit)))
        });
        registry
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
