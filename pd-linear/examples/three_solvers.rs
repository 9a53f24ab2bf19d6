//! Solves a Matrix Market file with three solvers: `cargo run --release --example three_solvers -- my.mtx`.
#![expect(clippy::print_stdout, reason = "an example")]

use pd_linear::{Registry, read_matrix_market};
use std::{error::Error, path::Path, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/grid.mtx");
    let a = read_matrix_market(std::env::args_os().nth(1).map_or(shipped, Into::into))?;
    let b = vec![1.0; a.rows()];
    for name in ["cholesky", "pcg-ic", "chebyshev"] {
        let mut solver = Registry::standard().create(name)?;
        let started = Instant::now();
        solver.factor(&a)?;
        let mut x = vec![0.0; a.rows()]; // the first guess; an iteration starts from it
        let report = solver.solve(&b, &mut x, 1)?;
        println!("{name:10} {:>8.1?} {} bytes, {report:?}", started.elapsed(), solver.bytes());
    }
    Ok(())
}
