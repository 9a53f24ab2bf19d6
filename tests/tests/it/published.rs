//! The published algorithm once more, written out as the thesis states it (equations 4.8 to 4.10), from nothing but the rest
//! shape: absolute positions instead of increments, a dense matrix instead of a sparse factor, a library's singular values,
//! one loop after the other. It shares no code with the crates, needs no files, and the fast step must end where it ends.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Matrix3};
use pd_constraints::{EdgeSprings, Pins, StrainRange, TetStrain};
use pd_core::{Model, Real, Vec3};
use pd_mesh::generate;
use tests::{Rig, largest_distance};

const FRAMES: usize = 60;
const H: Real = 1.0 / 60.0;

/// One constraint ω/2 |D x − p(D x)|²: coefficients of D by row and vertex.
struct Constraint {
    weight: Real,
    rows: Vec<Vec<(usize, Real)>>,
    project: Projection,
}

enum Projection {
    /// A vector of this length.
    Length(Real),
    /// This point.
    Point(Vec3),
    /// A deformation gradient with singular values in this range.
    Strain(Real, Real),
}

impl Constraint {
    fn spring(rest: &[Vec3], [i, j]: [u32; 2], weight: Real) -> Self {
        let (i, j) = (i as usize, j as usize);
        let project = Projection::Length((rest[i] - rest[j]).norm());
        Self { weight, rows: vec![vec![(i, 1.0), (j, -1.0)]], project }
    }

    fn pin(rest: &[Vec3], vertex: u32, weight: Real) -> Self {
        let v = vertex as usize;
        Self { weight, rows: vec![vec![(v, 1.0)]], project: Projection::Point(rest[v]) }
    }

    /// F = [x₁−x₀ x₂−x₀ x₃−x₀] Dm⁻¹, weighted by the volume of the tetrahedron.
    fn tet(rest: &[Vec3], tet: [u32; 4], weight: Real, (min, max): (Real, Real)) -> Self {
        let x = tet.map(|v| rest[v as usize]);
        let edges = Matrix3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        let inverse = edges.try_inverse().unwrap();
        let rows = (0..3).map(|c| {
            let mut row: Vec<(usize, Real)> =
                (0..3).map(|k| (tet[k + 1] as usize, inverse[(k, c)])).collect();
            row.push((tet[0] as usize, -inverse.column(c).sum()));
            row
        });
        let volume = edges.determinant().abs() / 6.0;
        Self { weight: weight * volume, rows: rows.collect(), project: Projection::Strain(min, max) }
    }

    /// The nearest admissible value of D x.
    fn projected(&self, x: &[Vec3]) -> Vec<Vec3> {
        let z: Vec<Vec3> = self.rows.iter().map(|row| row.iter().map(|&(v, c)| x[v] * c).sum()).collect();
        match self.project {
            Projection::Length(length) => vec![z[0] * (length / z[0].norm())],
            Projection::Point(point) => vec![point],
            Projection::Strain(min, max) => {
                let svd = Matrix3::from_columns(&z).svd(true, true);
                let (u, v_t) = (svd.u.unwrap(), svd.v_t.unwrap());
                let mut sigma = svd.singular_values;
                // Reflections are kept out: the smallest value takes the sign of the determinant.
                let sign = (u.determinant() * v_t.determinant()).signum();
                sigma[2] = (sigma[2] * sign).clamp(min, max) * sign;
                (0..2).for_each(|k| sigma[k] = sigma[k].clamp(min, max));
                let nearest = u * Matrix3::from_diagonal(&sigma) * v_t;
                (0..3).map(|c| nearest.column(c).into()).collect()
            }
        }
    }
}

/// Positions after [`FRAMES`] frames of ten iterations from rest.
fn plain_run(rest: &[Vec3], mass: Real, constraints: &[Constraint], pinned: &[u32]) -> Vec<Vec3> {
    let n = rest.len();
    let mut a = DMatrix::from_diagonal_element(n, n, mass / (H * H));
    for constraint in constraints {
        for row in &constraint.rows {
            for &(i, ci) in row {
                for &(j, cj) in row {
                    a[(i, j)] += constraint.weight * ci * cj;
                }
            }
        }
    }
    let factor: Cholesky<Real, Dyn> = a.cholesky().unwrap();
    let (mut x, mut v) = (rest.to_vec(), vec![Vec3::zeros(); n]);
    for _ in 0..FRAMES {
        let mut s: Vec<Vec3> =
            (0..n).map(|i| x[i] + v[i] * H + Vec3::new(0.0, -9.8, 0.0) * (H * H)).collect();
        pinned.iter().for_each(|&p| s[p as usize] = x[p as usize]);
        let mut q = s.clone();
        for _ in 0..10 {
            let mut b: Vec<Vec3> = s.iter().map(|s| s * (mass / (H * H))).collect();
            for constraint in constraints {
                for (row, p) in constraint.rows.iter().zip(constraint.projected(&q)) {
                    row.iter().for_each(|&(i, c)| b[i] += p * (constraint.weight * c));
                }
            }
            for axis in 0..3 {
                let solved = factor.solve(&DVector::from_fn(n, |i, _| b[i][axis]));
                (0..n).for_each(|i| q[i][axis] = solved[i]);
            }
        }
        (0..n).for_each(|i| v[i] = (q[i] - x[i]) / H);
        x = q;
    }
    x
}

fn compare(name: &str, model: Model, rest: &[Vec3], plain: &[Vec3]) {
    let mut rig = Rig::new(model, rest.to_vec());
    rig.run(FRAMES);
    let (apart, moved) = (largest_distance(&rig.state.x, plain), largest_distance(plain, rest));
    println!("{name}: {apart:.2e} m from the plain run after {FRAMES} frames, having moved {moved:.2} m");
    assert!(moved > 0.05, "{name} moved only {moved} m: nothing is compared");
    assert!(apart < 1e-9, "{name} is {apart:e} m away from the plain run");
}

#[test]
fn cloth_held_by_two_corners() {
    let mesh = generate::grid(12, 12, 1.0, 1.0).unwrap();
    let (rest, edges, pins, mass) = (&mesh.positions, mesh.edges(), [0, 12], 0.001);
    let mut constraints: Vec<Constraint> =
        edges.iter().map(|&e| Constraint::spring(rest, e, 100.0)).collect();
    constraints.extend(pins.map(|p| Constraint::pin(rest, p, 100.0)));
    let model = Model::with_masses(vec![mass; rest.len()])
        .energy(EdgeSprings::new(rest, &edges, 100.0).unwrap())
        .energy(Pins::new(rest, &pins, 100.0).unwrap())
        .build()
        .unwrap();
    compare("cloth", model, rest, &plain_run(rest, mass, &constraints, &pins));
}

#[test]
fn bar_held_at_one_end() {
    let mesh = generate::bar(3, 3, 8, 1.0).unwrap();
    let (rest, mass) = (&mesh.positions, 0.001);
    let axis = longest_axis(rest);
    let low = rest.iter().map(|x| x[axis]).fold(Real::INFINITY, Real::min);
    let ends: Vec<u32> = (0..rest.len() as u32).filter(|&i| rest[i as usize][axis] < low + 1e-9).collect();
    let mut constraints: Vec<Constraint> =
        mesh.tets.iter().map(|&t| Constraint::tet(rest, t, 1000.0, (0.95, 1.05))).collect();
    constraints.extend(ends.iter().map(|&p| Constraint::pin(rest, p, 100.0)));
    let model = Model::with_masses(vec![mass; rest.len()])
        .energy(TetStrain::new(rest, &mesh.tets, 1000.0, StrainRange::uniform(0.95, 1.05)).unwrap())
        .energy(Pins::new(rest, &ends, 100.0).unwrap())
        .build()
        .unwrap();
    compare("bar", model, rest, &plain_run(rest, mass, &constraints, &ends));
}

/// The axis along which the body is longest.
fn longest_axis(x: &[Vec3]) -> usize {
    let (mut low, mut high) = (x[0], x[0]);
    x.iter().for_each(|x| (low, high) = (low.inf(x), high.sup(x)));
    (high - low).imax()
}
