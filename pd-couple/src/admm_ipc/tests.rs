//! The split iteration against Newton's method on the whole barrier problem, and what happens where there is no way.

use super::contact::{barrier_energy, free_part};
use super::*;
use crate::{PointMatter, Sheet};
use nalgebra::{DMatrix, DVector};
use pd_constraints::{EdgeSprings, Material, NeoHookean, Pins, TetElastic};
use pd_core::{Model, StepParams};
use pd_linear::Cholesky;
use pd_mesh::generate;

const REACH: Real = 0.02;
const DT: Real = 5e-3;

/// Solids, points that fly at them, and all pairs of both.
struct Problem {
    model: Model,
    masses: Vec<Real>,
    start: Vec<Vec3>,
    target: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Problem {
    fn new(model: Model, rest: Vec<Vec3>, triangles: Vec<[u32; 3]>, points: &[(Vec3, Vec3, Real)]) -> Self {
        let mut masses = model.masses().to_vec();
        let fall = Vec3::new(0.0, -9.8 * DT * DT, 0.0);
        let mut target: Vec<Vec3> = rest.iter().map(|x| x + fall).collect();
        let mut start = rest;
        for (x, v, mass) in points {
            start.push(*x);
            target.push(x + v * DT + fall);
            masses.push(*mass);
        }
        Self { model, masses, start, target, triangles }
    }

    fn cloth(points: &[(Vec3, Vec3, Real)]) -> Self {
        let mesh = generate::grid(3, 3, 0.3, 0.3).unwrap();
        let pins: Vec<u32> = vec![0, 3, 12, 15];
        let model = Model::with_masses(vec![0.005; mesh.positions.len()])
            .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 200.0).unwrap())
            .energy(Pins::new(&mesh.positions, &pins, 1e3).unwrap())
            .build()
            .unwrap();
        Self::new(model, mesh.positions, mesh.triangles, points)
    }

    fn jelly(points: &[(Vec3, Vec3, Real)]) -> Self {
        let mut mesh = generate::bar(2, 2, 2, 0.1).unwrap();
        let corner = mesh.positions.iter().fold(Vec3::repeat(1.0), |least, x| least.inf(x));
        mesh.positions.iter_mut().for_each(|x| *x -= corner);
        let top = mesh.positions.iter().fold(Vec3::zeros(), |most, x| most.sup(x));
        mesh.positions.iter_mut().for_each(|x| *x = x.component_div(&top) * 0.1);
        let n = mesh.positions.len();
        let material = Material::new(2e4, 0.3, 1000.0).unwrap();
        let pins: Vec<u32> = (0..n as u32).filter(|&i| mesh.positions[i as usize].y < 1e-9).collect();
        let model = Model::with_masses(vec![0.004; n])
            .energy(TetElastic::<NeoHookean>::new(&mesh.positions, &mesh.tets, material).unwrap())
            .energy(Pins::new(&mesh.positions, &pins, 1e3).unwrap())
            .build()
            .unwrap();
        let surface = mesh.surface_triangles();
        Self::new(model, mesh.positions, surface, points)
    }

    fn solver(&self) -> Solver {
        let mut solver = Solver::new(Box::new(Cholesky::default()));
        solver.prepare(&self.model, &self.masses, DT).unwrap();
        solver
    }

    fn pairs(&self, solver: &Solver) -> Vec<Pair> {
        let barrier = LogBarrier::new(REACH).unwrap();
        let n = self.model.vertices() as u32;
        let all = (n..self.masses.len() as u32)
            .flat_map(|p| self.triangles.iter().map(move |&[a, b, c]| [p, a, b, c]));
        all.map(|points| solver.pair(points, barrier, &self.start)).collect()
    }

    fn objective(&self, pairs: &[Pair], x: &[Vec3]) -> Real {
        let inertia = x.iter().zip(&self.target).zip(&self.masses);
        let inertia: Real = inertia.map(|((x, s), m)| 0.5 * m / (DT * DT) * (x - s).norm_squared()).sum();
        let contact = pairs.iter().map(|pair| {
            let at = pair.points.map(|i| x[i as usize]);
            pair.kappa * pair.barrier.at(point_triangle(&at).separation(&at).norm_squared())[0]
        });
        inertia + self.model.elastic_energy(&x[..self.model.vertices()]) + contact.sum::<Real>()
    }

    fn gradient(&self, pairs: &[Pair], x: &[Vec3]) -> Vec<Vec3> {
        let n = self.model.vertices();
        let (mut rows, mut gradient) = (vec![Vec3::zeros(); self.model.rows()], vec![Vec3::zeros(); n]);
        self.model.elastic_gradient(&x[..n], &mut rows, &mut gradient);
        gradient.resize(x.len(), Vec3::zeros());
        for i in 0..x.len() {
            gradient[i] += (x[i] - self.target[i]) * (self.masses[i] / (DT * DT));
        }
        for pair in pairs {
            let energy = barrier_energy(&pair.barrier, pair.kappa, &pair.points.map(|i| x[i as usize]));
            (0..4).for_each(|k| gradient[pair.points[k] as usize] += energy.gradient[k]);
        }
        gradient
    }

    /// Newton's method on everything at once, with differences of the gradient as Hessian: slow, and not related to ADMM.
    fn newton(&self, pairs: &[Pair]) -> Vec<Vec3> {
        let mut x = self.start.clone();
        let n = 3 * x.len();
        let flat = |g: &[Vec3]| DVector::from_iterator(n, g.iter().flat_map(|g| [g.x, g.y, g.z]));
        for _ in 0..200 {
            let gradient = flat(&self.gradient(pairs, &x));
            if gradient.amax() < 1e-9 {
                return x;
            }
            let mut hessian = DMatrix::zeros(n, n);
            for c in 0..n {
                let difference = |sign: Real| {
                    let mut moved = x.clone();
                    moved[c / 3][c % 3] += sign * 1e-7;
                    flat(&self.gradient(pairs, &moved))
                };
                hessian.set_column(c, &((difference(1.0) - difference(-1.0)) / 2e-7));
            }
            hessian = (&hessian + hessian.transpose()) * 0.5;
            let mut shift = 0.0;
            let step = loop {
                let shifted = &hessian + DMatrix::identity(n, n) * shift;
                if let Some(factor) = shifted.cholesky() {
                    break -factor.solve(&gradient);
                }
                shift = (10.0 * shift).max(1.0);
            };
            let end = |part: Real| -> Vec<Vec3> {
                (0..x.len()).map(|i| x[i] + step.fixed_rows::<3>(3 * i) * part).collect()
            };
            let whole = end(1.0);
            let at = |x: &[Vec3], pair: &Pair| pair.points.map(|i| x[i as usize]);
            let mut part =
                pairs.iter().map(|pair| free_part(at(&x, pair), at(&whole, pair))).fold(1.0, Real::min);
            let now = self.objective(pairs, &x);
            while self.objective(pairs, &end(part)) > now && part > 1e-12 {
                part *= 0.5;
            }
            x = end(part);
        }
        let left = flat(&self.gradient(pairs, &x)).amax();
        assert!(left < 1e-6, "the oracle itself did not converge: {left:e}");
        x
    }
}

fn flies(x: [Real; 3], v: [Real; 3], mass: Real) -> (Vec3, Vec3, Real) {
    (x.into(), v.into(), mass)
}

#[test]
fn the_split_iteration_ends_where_newton_does() {
    let problems = [
        ("one point on a cloth", Problem::cloth(&[flies([0.02, 0.012, 0.03], [0.1, -2.0, 0.0], 0.02)])),
        (
            "three points on a cloth, from both sides",
            Problem::cloth(&[
                flies([0.02, 0.012, 0.03], [0.0, -3.0, 0.2], 0.01),
                flies([-0.06, 0.03, -0.04], [0.5, -6.0, 0.0], 0.03),
                flies([0.05, -0.015, -0.05], [0.0, 2.0, 0.0], 0.005),
            ]),
        ),
        (
            "two points on a Neo-Hookean block",
            Problem::jelly(&[
                flies([0.04, 0.112, 0.05], [0.0, -3.0, 0.0], 0.02),
                flies([0.115, 0.06, 0.03], [-4.0, 0.0, 0.0], 0.01),
            ]),
        ),
    ];
    for (name, problem) in problems {
        let mut solver = problem.solver();
        let mut pairs = problem.pairs(&solver);
        let expected = problem.newton(&pairs);
        let mut x = problem.start.clone();
        let until = Until { iterations: 20_000, left: 1e-10 };
        let solved = solver.solve(&problem.model, &problem.target, &mut x, &mut pairs, until).unwrap();
        let error = x.iter().zip(&expected).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
        let moved = x.iter().zip(&problem.start).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
        println!("{name}: {error:.1e} m of {moved:.1e} m in {} iterations", solved.iterations);
        assert!(error < 1e-6, "{name}: {error:e} after {solved:?}");
        assert_eq!(solved.stalled, None);
        // The barrier carries load, or this would compare two free flights.
        let felt = pairs.iter().any(|pair| {
            let at = pair.points.map(|i| x[i as usize]);
            point_triangle(&at).separation(&at).norm() < REACH
        });
        assert!(felt, "{name}: nothing touches");
    }
}

#[test]
fn a_point_between_closing_plates_stalls_and_stays_between() {
    // Two triangles that prescribed motion drives through each other, a point in between.
    let v = Vec3::new;
    let plate = |y: Real| [v(-1.0, y, -1.0), v(-1.0, y, 1.0), v(1.0, y, 0.0)];
    let rest: Vec<Vec3> = plate(-0.05).into_iter().chain(plate(0.05)).collect();
    let closed: Vec<Vec3> = plate(0.02).into_iter().chain(plate(-0.02)).collect();
    let model = Model::with_masses(vec![1.0; 6]).fixed(&closed, &[0, 1, 2, 3, 4, 5]).build().unwrap();
    let sheets = vec![
        Sheet::new("below", vec![[0, 1, 2]], 0.02, 0.0, 1.0).unwrap(),
        Sheet::new("above", vec![[3, 4, 5]], 0.02, 0.0, 1.0).unwrap(),
    ];
    let point = PointMatter::uniform(6..7, 0.01, vec![0.1], 0.0);
    let layout = Layout::new(6, sheets, Some(point), None, None).unwrap();
    let settings = AdmmSettings { iterations: 100, ..Default::default() };
    let mut stepper = AdmmIpc::new(layout, vec![], Box::new(Cholesky::default()), settings).unwrap();
    let params = StepParams { dt: 1e-2, gravity: Vec3::zeros(), ..StepParams::default() };
    let context = StepContext::of(&model, &params);
    stepper.prepare(context).unwrap();
    let mut state = State::at_rest(rest);
    state.x.push(v(0.0, 0.0, 0.0));
    state.v.push(Vec3::zeros());
    for _ in 0..8 {
        stepper.step(context, &mut state).unwrap();
        assert!(stepper.report().stalled.is_some_and(|stalled| stalled.point == 6));
        let (below, point, above) = (state.x[0].y, state.x[6].y, state.x[3].y);
        assert!(below < point && point < above, "{below} {point} {above}");
    }
    let stalled = stepper.report().stalled.expect("there is no way on");
    assert!(stalled.part < 1e-3 && stalled.iterations <= 100, "{stalled:?}");
}

#[test]
fn bad_settings_and_rigid_bodies_are_refused() {
    let layout = || Layout::new(0, vec![], None, None, None).unwrap();
    let new = |settings| AdmmIpc::new(layout(), vec![], Box::new(Cholesky::default()), settings).err();
    let none = AdmmSettings { iterations: 0, ..Default::default() };
    assert!(matches!(new(none), Some(CoupleError::Parameter { name: "iterations", .. })));
    let negative = AdmmSettings { tolerance: -1.0, ..Default::default() };
    assert!(matches!(new(negative), Some(CoupleError::Parameter { value: -1.0, .. })));
}
