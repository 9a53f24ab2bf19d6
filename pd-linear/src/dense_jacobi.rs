//! Jacobi on a dense matrix of all coordinates, 3n × 3n: a baseline that shows the benefit of sparsity.
//!
//! The global matrix is A ⊗ I₃; storing it densely takes (3n)² numbers. A lack of memory is reported as
//! [`LinearError::TooLarge`] before anything is allocated: a cloth of 100 × 100 vertices would take 7.2 GB.

use crate::Spectrum;
use crate::relaxation::{Chebyshev, JacobiOptions, ResidualForm, Resolved, Variant};
use crate::thesis_variant::ThesisVariant;
use crate::vector::{check_input, for_each_row, norm, resize};
use pd_core::{Csr, GlobalSolver, LinearError, Real, SolveReport};

/// Coordinates per vertex.
const COORDINATES: usize = 3;

/// Naive dense Jacobi. `options.memory` is its memory limit.
pub struct DenseJacobi {
    /// Parameters; read by `factor`. The default memory limit is 2 GiB.
    pub options: JacobiOptions,
    rows: usize,
    /// A ⊗ I₃ by rows.
    matrix: Vec<Real>,
    inverse_diagonal: Vec<Real>,
    resolved: Option<Resolved>,
    older: Vec<Real>,
    r: Vec<Real>,
    /// Three columns, for right-hand sides that do not have just three.
    packed: [Vec<Real>; 2],
}

impl DenseJacobi {
    /// With these parameters.
    pub fn new(options: JacobiOptions) -> Self {
        let empty = Vec::new;
        Self {
            options,
            rows: 0,
            matrix: empty(),
            inverse_diagonal: empty(),
            resolved: None,
            older: empty(),
            r: empty(),
            packed: [empty(), empty()],
        }
    }

    /// The spectrum found in `factor`; `None` before it, or if γ and ρ were both given.
    pub fn spectrum(&self) -> Option<Spectrum> {
        self.resolved.and_then(|resolved| resolved.spectrum)
    }
}

impl Default for DenseJacobi {
    fn default() -> Self {
        Self::new(JacobiOptions { memory: 2 << 30, ..JacobiOptions::default() })
    }
}

/// out = (A ⊗ I₃) x for three columns.
fn multiply(matrix: &[Real], x: &[Real], out: &mut [Real]) {
    let width = x.len();
    for_each_row(out, 1, |i, out| {
        out[0] = matrix[i * width..(i + 1) * width].iter().zip(x).map(|(a, x)| a * x).sum();
    });
}

/// y = A x for any number of columns, three at a time.
fn multiply_columns(
    matrix: &[Real],
    packed: &mut [Vec<Real>; 2],
    x: &[Real],
    y: &mut [Real],
    columns: usize,
) {
    if columns == COORDINATES {
        return multiply(matrix, x, y);
    }
    let [input, output] = packed;
    for first in (0..columns).step_by(COORDINATES) {
        let width = COORDINATES.min(columns - first);
        for (input, x) in input.chunks_exact_mut(COORDINATES).zip(x.chunks_exact(columns)) {
            input.fill(0.0);
            input[..width].copy_from_slice(&x[first..first + width]);
        }
        multiply(matrix, input, output);
        for (y, output) in y.chunks_exact_mut(columns).zip(output.chunks_exact(COORDINATES)) {
            y[first..first + width].copy_from_slice(&output[..width]);
        }
    }
}

impl GlobalSolver for DenseJacobi {
    fn name(&self) -> &str {
        match self.options.variant {
            Variant::Corrected => "dense-jacobi",
            Variant::AsPublished => "dense-jacobi-published",
        }
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.resolved = None;
        self.matrix.clear();
        let size = COORDINATES * a.rows();
        let bytes = (size as u128 * size as u128 * size_of::<Real>() as u128).min(u64::MAX.into()) as u64;
        if bytes > self.options.memory {
            let limit = self.options.memory;
            return Err(LinearError::TooLarge { solver: self.name().to_owned(), bytes, limit });
        }
        a.check_symmetric()?;
        let resolved = self.options.resolve(self.name(), a)?;
        self.matrix.resize(size * size, 0.0);
        for i in 0..a.rows() {
            for (j, value) in a.row(i) {
                for c in 0..COORDINATES {
                    self.matrix[(COORDINATES * i + c) * size + COORDINATES * j + c] = value;
                }
            }
        }
        self.rows = a.rows();
        self.inverse_diagonal = a.diagonal().iter().map(|d| 1.0 / d).collect();
        for scratch in self.packed.iter_mut().chain([&mut self.older, &mut self.r]) {
            resize(scratch, size);
        }
        self.resolved = Some(resolved);
        Ok(())
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        let Some(Resolved { gamma, spectrum, .. }) = self.resolved else {
            return Err(LinearError::NotFactored { solver: self.name().to_owned() });
        };
        check_input(self.rows, b, x, columns)?;
        resize(&mut self.older, x.len());
        resize(&mut self.r, x.len());
        let Self { options, matrix, inverse_diagonal, older, r, packed, .. } = self;
        let inverse = &*inverse_diagonal;
        let mut residual = |x: &[Real], r: &mut [Real]| {
            multiply_columns(matrix, packed, x, r, columns);
            for_each_row(r, columns, |i, r| {
                for (r, b) in r.iter_mut().zip(&b[i * columns..]) {
                    *r = b - *r;
                }
            });
            norm(r)
        };
        if options.variant == Variant::Corrected {
            let stopping = options.stopping;
            let chebyshev = Chebyshev::none();
            let form = ResidualForm { gamma, chebyshev, stopping, inverse_diagonal: inverse, columns };
            let report = form.run(b, x, older, r, residual)?;
            return Ok(SolveReport { condition: spectrum.map(|s| s.condition()), ..report });
        }
        let iterations = options.stopping.iterations;
        let published = ThesisVariant { iterations, gamma, chebyshev: None, stale: false, columns };
        let residual = std::cell::RefCell::new(&mut residual);
        let sweep = |x: &[Real], swept: &mut [Real]| {
            (residual.borrow_mut())(x, swept);
            for_each_row(swept, columns, |i, swept| {
                for (c, swept) in swept.iter_mut().enumerate() {
                    *swept = x[i * columns + c] + inverse[i] * *swept;
                }
            });
        };
        published.run(b, x, older, r, sweep, |x, r| (residual.borrow_mut())(x, r))
    }

    fn bytes(&self) -> usize {
        size_of::<Real>() * (self.matrix.len() + 6 * self.rows + self.older.len() + self.r.len())
    }
}
