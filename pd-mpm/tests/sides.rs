//! What side tags promise: nothing goes through a sheet, and transfers keep what they keep without one.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use pd_core::{Model, Owner, Real, State, StepContext, StepParams, Stepper, Vec3};
use pd_mpm::{MpmModel, MpmStepper, Spline, Transfer, Water};
use std::sync::Arc;

const DX: Real = 0.05;
const H: Real = 5e-4;

/// Water around a sheet through the middle of a domain of 16³ cells, tilted and bent, from wall to wall or with a border inside.
struct Tank {
    model: Model,
    stepper: MpmStepper,
    state: State,
}

/// Height of the sheet, m.
fn sheet(x: Real, z: Real) -> Real {
    0.4 + 0.25 * (x - 0.4) + 0.02 * (9.0 * z).sin()
}

impl Tank {
    fn new(spline: Spline, transfer: Transfer, size: Real, gap: Real) -> Self {
        let spacing = 0.5 * DX;
        let lattice = |n: i32| (0..n).map(move |k| 0.1 + (Real::from(k) + 0.5) * spacing);
        let mut x = vec![];
        for a in lattice(24) {
            for b in lattice(24) {
                x.extend(lattice(24).map(|c| Vec3::new(a, b, c)));
            }
        }
        x.retain(|x| (x.y - sheet(x.x, x.z)).abs() > gap);
        let builder = MpmModel::builder(DX).domain(Vec3::zeros(), [16; 3]).spline(spline).transfer(transfer);
        let water = Water::new(1000.0, 10.0).unwrap();
        let grid = builder.material(0..x.len(), water).substep(H).build().unwrap();
        let mut stepper = MpmStepper::new(Arc::new(grid));
        let n = 24u32;
        let step = size / Real::from(n);
        let at = |k: u32| 0.4 - 0.5 * size + Real::from(k) * step;
        let corner = |i: u32, j: u32| i * (n + 1) + j;
        let mut triangles = vec![];
        for i in 0..n {
            for j in 0..n {
                let [a, b, c, d] = [corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        let places: Vec<Vec3> = (0..(n + 1) * (n + 1))
            .map(|k| (at(k / (n + 1)), at(k % (n + 1))))
            .map(|(x, z)| Vec3::new(x, sheet(x, z), z))
            .collect();
        stepper.sheets().add(&triangles).unwrap();
        stepper.sheets().place(&places);
        let masses = vec![1000.0 * spacing.powi(3); x.len()];
        let v = x.iter().map(|x| Vec3::new(0.1 * x.y, -0.2 * x.x * x.z, 0.05)).collect();
        Self { model: Model::with_masses(masses).build().unwrap(), stepper, state: State::new(x, v) }
    }

    fn run(&mut self, steps: usize, gravity: Real) {
        let params = StepParams { dt: H, gravity: Vec3::new(0.0, -gravity, 0.0), ..StepParams::default() };
        let context = StepContext::of(&self.model, &params);
        self.stepper.prepare(context).unwrap();
        for _ in 0..steps {
            self.stepper.step(context, &mut self.state).unwrap();
        }
    }

    /// Linear and angular momentum.
    fn momentum(&self) -> [Vec3; 2] {
        let masses = self.model.masses();
        let mut sum = [Vec3::zeros(); 2];
        let c = self.state.columns.real("mpm.c");
        for (k, (x, v)) in self.state.x.iter().zip(&self.state.v).enumerate() {
            sum[0] += v * masses[k];
            sum[1] += x.cross(v) * masses[k];
            // The affine part turns too: m D ε:C with C by columns.
            if let Some(c) = c.get(9 * k..9 * k + 9) {
                let spin = Vec3::new(c[5] - c[7], c[6] - c[2], c[1] - c[3]);
                sum[1] += spin * (0.25 * DX * DX * masses[k]);
            }
        }
        sum
    }
}

#[test]
fn what_happens_above_a_sheet_does_not_reach_the_water_below() {
    for (spline, transfer) in [
        (Spline::Quadratic, Transfer::Mls),
        (Spline::Cubic, Transfer::Apic),
        (Spline::Quadratic, Transfer::Flip { blend: 0.98 }),
    ] {
        let run = |kick: Real, size: Real| {
            let mut tank = Tank::new(spline, transfer, size, 0.3 * DX);
            let above: Vec<bool> = tank.state.x.iter().map(|x| x.y > sheet(x.x, x.z)).collect();
            for (v, _) in tank.state.v.iter_mut().zip(&above).filter(|(_, above)| **above) {
                *v += Vec3::new(3.0 * kick, -0.5 * kick, kick);
            }
            tank.run(8, 9.8);
            let below = tank.state.x.iter().zip(&tank.state.v).zip(above).filter(|(_, above)| !above);
            below.map(|((x, v), _)| (*x, *v)).collect::<Vec<_>>()
        };
        let differs = |size: Real| {
            let pairs = run(0.0, size).into_iter().zip(run(1.0, size));
            pairs.fold(0.0, |most: Real, (a, b)| most.max((a.0 - b.0).norm()).max((a.1 - b.1).norm()))
        };
        // From wall to wall, and beyond, where nodes are too.
        let through = differs(1.2);
        assert!(through < 1e-12, "{spline:?} {transfer:?}: {through:e}");
        // A small sheet in the middle: around its border the water is one.
        let around = differs(0.3);
        assert!(around > 1e-3, "{spline:?} {transfer:?}: {around:e}");
    }
}

#[test]
fn transfers_with_ghosts_keep_momentum() {
    for size in [1.2, 0.4] {
        let mut tank = Tank::new(Spline::Quadratic, Transfer::Mls, size, 0.2 * DX);
        tank.run(1, 0.0);
        let before = tank.momentum();
        tank.run(10, 0.0);
        let after = tank.momentum();
        let scale: Real = tank.state.v.iter().zip(tank.model.masses()).map(|(v, m)| v.norm() * m).sum();
        for (a, b) in before.iter().zip(&after) {
            assert!((a - b).norm() < 1e-12 * scale, "{a:?} {b:?} of {scale}");
        }
    }
}

#[test]
fn affine_motion_is_the_same_with_a_sheet() {
    for (spline, transfer) in [(Spline::Quadratic, Transfer::Apic), (Spline::Cubic, Transfer::Apic)] {
        let mut tank = Tank::new(spline, transfer, 1.2, 0.2 * DX);
        // A turn about the middle: J stays 1, so nothing but the transfers acts.
        let spin = Vec3::new(0.3, -0.2, 0.5);
        let velocity = |x: &Vec3| spin.cross(&(x - Vec3::repeat(0.4)));
        tank.state.v = tank.state.x.iter().map(velocity).collect();
        let cross = spin.cross_matrix();
        let c = tank.state.columns.real_mut("mpm.c", Owner::Points(0), 9);
        (0..tank.model.vertices()).for_each(|_| c.extend_from_slice(cross.as_slice()));
        let at = tank.state.x.clone();
        tank.run(1, 0.0);
        for (v, x) in tank.state.v.iter().zip(&at) {
            assert!((v - velocity(x)).norm() < 1e-12, "{v:?} {x:?}");
        }
    }
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut tank = Tank::new(Spline::Quadratic, Transfer::Mls, 0.5, 0.2 * DX);
            tank.run(6, 9.8);
            tank.state.hash()
        })
    };
    assert_eq!(run(1), run(3));
}
