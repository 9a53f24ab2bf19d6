//! A custom global solver: Gauss–Seidel, in place of Cholesky.
//!
//! `cargo run --release -p examples --example own_solver`

use pd_sim::prelude::*;

#[derive(Default)]
struct GaussSeidel {
    sweeps: usize,
    a: Csr,
}

impl GlobalSolver for GaussSeidel {
    fn name(&self) -> &str {
        "gauss-seidel of our own"
    }
    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        a.check_symmetric()?;
        self.a = a.clone();
        Ok(())
    }
    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        for _ in 0..self.sweeps {
            for i in 0..self.a.rows() {
                for c in 0..columns {
                    let (mut r, mut diagonal) = (b[i * columns + c], 1.0);
                    for (j, v) in self.a.row(i) {
                        if j == i { diagonal = v } else { r -= v * x[j * columns + c] }
                    }
                    x[i * columns + c] = r / diagonal;
                }
            }
        }
        Ok(SolveReport { iterations: self.sweeps, ..SolveReport::default() })
    }
}

fn run(global: impl GlobalSolver + 'static) -> Result<State, Box<dyn std::error::Error>> {
    let mesh = generate::bar(2, 2, 8, 1.0)?;
    let end: Vec<u32> = (0..mesh.positions.len() as u32).step_by(9).collect();
    let model = Model::builder(&mesh.positions, 1.0)
        .energy(TetStrain::new(&mesh.positions, &mesh.tets, 1e5, StrainRange::RIGID)?)
        .energy(Pins::new(&mesh.positions, &end, 1e5)?)
        .build()?;
    let mut sim = Simulation::new(model, State::at_rest(mesh.positions), ProjectiveDynamics::new(global));
    for _ in 0..60 {
        sim.step()?;
    }
    Ok(sim.state)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let exact = run(Cholesky::default())?;
    let ours = run(GaussSeidel { sweeps: 400, ..GaussSeidel::default() })?;
    let apart = ours.x.iter().zip(&exact.x).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(apart < 1e-4, "the two solvers differ by {apart} m");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
