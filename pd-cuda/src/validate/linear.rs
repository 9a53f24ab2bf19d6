//! Linear solvers: the same sweeps as on the host, and the solution of a direct solve.

use super::dice::{Dice, representable};
use super::{Agreement, Outcome};
use crate::{CudaGlobal, Device, DeviceReal, Method};
use pd_constraints::{EdgeSprings, Pins, StrainRange, TetStrain};
use pd_core::{Csr, GlobalSolver, Model, Real, as_flat};
use pd_linear::{JacobiOptions, Registry, SolverOptions, Stopping};

/// Sweeps of the comparison with the host: before convergence, so that each sweep counts.
const SWEEPS: usize = 25;

/// The matrices of a cloth and of a bar.
fn matrices() -> Outcome<[(&'static str, Csr); 2]> {
    let cloth = pd_mesh::generate::grid(20, 20, 1.0, 1.0)?;
    let edges = EdgeSprings::new(&cloth.positions, &cloth.edges(), 100.0)?;
    let pins = Pins::new(&cloth.positions, &[0, 20], 100.0)?;
    let cloth = Model::with_masses(vec![0.001; cloth.positions.len()]).energy(edges).energy(pins).build()?;
    let bar = pd_mesh::generate::bar(3, 3, 12, 1.0 / 12.0)?;
    let strain = TetStrain::new(&bar.positions, &bar.tets, 1000.0, StrainRange::RIGID)?;
    let bar = Model::with_masses(vec![0.001; bar.positions.len()]).energy(strain).build()?;
    Ok([("cloth", cloth.system_matrix(1.0 / 60.0)), ("bar", bar.system_matrix(1.0 / 60.0))])
}

/// Every method on both matrices.
pub fn linear_solvers<T: DeviceReal>(device: &Device) -> Outcome<Vec<Agreement>> {
    let mut found = vec![];
    for (name, a) in matrices()? {
        let mut dice = Dice::new(29);
        let b = representable(&(0..a.rows()).map(|_| dice.vector()).collect::<Vec<_>>());
        let b = as_flat(&b);
        let mut exact = vec![0.0; b.len()];
        let mut direct = Registry::standard().create("cholesky")?;
        direct.factor(&a)?;
        direct.solve(b, &mut exact, 3)?;
        for method in ["jacobi", "chebyshev", "a-jacobi-1", "a-jacobi-2", "a-jacobi-3"] {
            let worst = same_sweeps::<T>(device, &a, b, method)?;
            let allowed = if T::NAME == "f32" { 1e-5 } else { 1e-12 };
            found.push(Agreement::new::<T>(format!("{method}, {SWEEPS} sweeps, {name}"), worst, allowed));
        }
        for method in ["chebyshev", "a-jacobi-2", "pcg", "cholesky"] {
            let Some(on_device) = Method::by_name(method) else { continue };
            let mut solver = CudaGlobal::<T>::new(device, on_device, options(1e-11, 3000));
            solver.factor(&a)?;
            let mut x = vec![0.0; b.len()];
            solver.solve(b, &mut x, 3)?;
            // Rounding is amplified by the condition of the matrix, some thousands here.
            let allowed = if T::NAME == "f32" { 1e-3 } else { 1e-9 };
            found.push(Agreement::new::<T>(
                format!("{method}, converged, {name}"),
                relative(&x, &exact),
                allowed,
            ));
        }
    }
    Ok(found)
}

fn options(tolerance: Real, iterations: usize) -> JacobiOptions {
    JacobiOptions { stopping: Stopping { tolerance, iterations }, ..JacobiOptions::default() }
}

/// Device against host after a fixed number of sweeps from a guess that is not zero.
fn same_sweeps<T: DeviceReal>(device: &Device, a: &Csr, b: &[Real], method: &str) -> Outcome<Real> {
    let host_options =
        SolverOptions { iterations: Some(SWEEPS), tolerance: Some(0.0), ..SolverOptions::default() };
    let mut host = Registry::standard().create_with(method, &host_options)?;
    host.factor(a)?;
    let mut expected: Vec<Real> = b.iter().map(|b| Real::from((0.001 * b) as f32)).collect();
    let mut got = expected.clone();
    host.solve(b, &mut expected, 3)?;
    let on_device = Method::by_name(method).ok_or("no such method")?;
    let mut solver = CudaGlobal::<T>::new(device, on_device, options(0.0, SWEEPS));
    solver.factor(a)?;
    solver.solve(b, &mut got, 3)?;
    Ok(relative(&got, &expected))
}

fn relative(got: &[Real], expected: &[Real]) -> Real {
    let scale = expected.iter().fold(0.0, |most: Real, v| most.max(v.abs()));
    let worst = got.iter().zip(expected).map(|(a, b)| (a - b).abs());
    worst.fold(0.0, |worst: Real, e| if e <= worst { worst } else { e }) / scale
}
