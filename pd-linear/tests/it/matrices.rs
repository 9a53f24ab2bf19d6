//! Matrices like those of projective dynamics, built without a simulator: M/h² + Σ w a aᵀ.

use pd_linear::{Csr, DenseCholesky, GlobalSolver, Real};

/// Mass over squared time step of one vertex of 1 g at 60 steps per second.
const INERTIA: Real = 3.6;

/// M/h² + Σ w a aᵀ.
pub(crate) fn assemble(inertia: Real, rows: usize, terms: &[(Real, Vec<(u32, Real)>)]) -> Csr {
    let mut triplets: Vec<_> = (0..rows as u32).map(|i| (i, i, inertia)).collect();
    for (weight, a) in terms {
        for &(i, ai) in a {
            for &(j, aj) in a {
                triplets.push((i, j, weight * ai * aj));
            }
        }
    }
    Csr::from_triplets(rows, &triplets).unwrap()
}

/// Edges of a grid of n × n vertices, one diagonal per cell.
fn grid_edges(n: u32) -> Vec<(u32, u32)> {
    let at = |i, j| i * n + j;
    let mut edges = vec![];
    for i in 0..n {
        for j in 0..n {
            if i + 1 < n {
                edges.push((at(i, j), at(i + 1, j)));
            }
            if j + 1 < n {
                edges.push((at(i, j), at(i, j + 1)));
            }
            if i + 1 < n && j + 1 < n {
                edges.push((at(i, j), at(i + 1, j + 1)));
            }
        }
    }
    edges
}

fn spring((i, j): (u32, u32), weight: Real) -> (Real, Vec<(u32, Real)>) {
    (weight, vec![(i, 1.0), (j, -1.0)])
}

/// Mass-spring cloth, two corners pinned.
pub(crate) fn cloth(n: u32, weight: Real) -> Csr {
    let mut terms: Vec<_> = grid_edges(n).into_iter().map(|e| spring(e, weight)).collect();
    terms.extend([(weight, vec![(0, 1.0)]), (weight, vec![(n - 1, 1.0)])]);
    assemble(INERTIA, (n * n) as usize, &terms)
}

/// The same cloth with strong bending: rows of the five-point Laplacian, squared by the assembly.
/// λmax(D⁻¹A) is above 2: the checkerboard has 64 where the diagonal has 20.
pub(crate) fn bending(n: u32, weight: Real, bend: Real) -> Csr {
    let edges = grid_edges(n);
    let mut terms: Vec<_> = edges.iter().map(|&e| spring(e, weight)).collect();
    for v in 0..n * n {
        let straight = edges.iter().filter(|&&(i, j)| j - i == 1 || j - i == n);
        let other = |&(i, j): &(u32, u32)| (i == v).then_some(j).or((j == v).then_some(i));
        let mut row: Vec<_> = straight.filter_map(other).map(|j| (j, -1.0)).collect();
        row.push((v, row.len() as Real));
        terms.push((bend, row));
    }
    assemble(INERTIA, (n * n) as usize, &terms)
}

/// A bar of flat tetrahedra whose stiff directions agree: λmax(D⁻¹A) close to 4, the bound for tetrahedra.
pub(crate) fn slivers(tets: u32, weight: Real) -> Csr {
    let rows = 2 * tets + 2;
    let mut terms = vec![];
    for k in (0..2 * tets).step_by(2) {
        terms.push((weight, vec![(k, 1.0), (k + 1, -1.0), (k + 2, 1.0), (k + 3, -1.0)]));
        terms.push((0.01 * weight, vec![(k, 1.0), (k + 2, -1.0)]));
        terms.push((0.01 * weight, vec![(k + 1, 1.0), (k + 3, -1.0)]));
    }
    assemble(INERTIA, rows as usize, &terms)
}

/// Numbers in [−1, 1), the same every time.
pub(crate) fn noise(length: usize, seed: u64) -> Vec<Real> {
    let hash = |i: u64| {
        let mut z = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed.wrapping_mul(0xD1B5_4A32_D192_ED03);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as i64 as Real / i64::MAX as Real
    };
    (0..length as u64).map(hash).collect()
}

/// Every matrix class, small.
pub(crate) fn zoo() -> Vec<(&'static str, Csr)> {
    vec![
        ("cloth", cloth(12, 100.0)),
        ("stiff cloth", cloth(12, 1500.0)),
        ("bending", bending(10, 100.0, 50.0)),
        ("slivers", slivers(60, 200.0)),
        ("single", assemble(2.0, 1, &[])),
        ("diagonal", assemble(2.0, 7, &[(3.0, vec![(2, 1.0)])])),
    ]
}

pub(crate) fn norm(x: &[Real]) -> Real {
    x.iter().map(|x| x * x).sum::<Real>().sqrt()
}

pub(crate) fn relative_residual(a: &Csr, b: &[Real], x: &[Real], columns: usize) -> Real {
    let mut ax = vec![0.0; b.len()];
    a.multiply(x, &mut ax, columns);
    norm(&b.iter().zip(&ax).map(|(b, ax)| b - ax).collect::<Vec<_>>()) / norm(b)
}

pub(crate) fn oracle(a: &Csr, b: &[Real], columns: usize) -> Vec<Real> {
    let mut solver = DenseCholesky::default();
    solver.factor(a).unwrap();
    let mut x = vec![0.0; b.len()];
    solver.solve(b, &mut x, columns).unwrap();
    x
}

/// All eigenvalues of D^-½ A D^-½ by a dense method.
pub(crate) fn dense_spectrum(a: &Csr) -> (Real, Real) {
    let d = a.diagonal();
    let m = nalgebra::DMatrix::from_fn(a.rows(), a.rows(), |i, j| a.get(i, j) / (d[i] * d[j]).sqrt());
    let e = m.symmetric_eigenvalues();
    (e.min(), e.max())
}
