//! No allocation in `step` after `prepare`: every kind of constraint, force and obstacle, with and without measuring,
//! serial and on two threads, for the solvers that promise it.
//!
//! The allocator that counts is global, so this is a process of its own with a single test.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests fail loudly and say what they saw"
)]

mod counting;

use counting::{Counting, allocations, pool};
use pd_collide::{Block, Floor, Moving, Path, Sphere, Torus};
use pd_constraints::{
    Area, Bending, BendingWeights, EdgeSprings, Pins, PointForce, StrainRange, TetStrain, TriStrain, Volume,
    Wind, WindModel,
};
use pd_core::{Acceleration, Model, Vec3};
use pd_linear::SolverOptions;
use pd_mesh::{TriMesh, generate};
use rayon::prelude::*;
use std::time::Duration;
use tests::{Rig, bending_rings};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Enough vertices for several chunks of a parallel loop in the cloth, and one of everything.
struct World {
    cloth: TriMesh,
    x: Vec<Vec3>,
    tets: Vec<[u32; 4]>,
    sheet: TriMesh,
}

impl World {
    fn new(cells: usize) -> Self {
        let cloth = generate::grid(cells, cells, 1.0, 1.0).unwrap();
        let mut solid = generate::bar(cells / 10 + 1, cells / 10 + 1, 8, 1.0).unwrap();
        let mut sheet = generate::grid(cells / 2, cells / 2, 1.0, 1.0).unwrap();
        solid.translate(Vec3::new(2.0, 0.0, 0.0));
        sheet.translate(Vec3::new(-2.0, 0.0, 0.0));
        let mut x = cloth.positions.clone();
        let tets = solid.tets.iter().map(|t| t.map(|v| v + x.len() as u32)).collect();
        x.extend(&solid.positions);
        let first = x.len() as u32;
        x.extend(&sheet.positions);
        sheet.triangles.iter_mut().flatten().for_each(|v| *v += first);
        Self { cloth, x, tets, sheet }
    }

    fn model(&self) -> Model {
        let (x, tets, triangles) = (&self.x, &self.tets, &self.sheet.triangles);
        let rings = bending_rings(&self.cloth);
        let range = StrainRange::uniform(0.95, 1.05);
        let pins = Pins::new(x, &[0, 5], 100.0).unwrap().with_motion(|t| Vec3::y() * t);
        Model::with_masses(vec![0.001; x.len()])
            .energy(EdgeSprings::new(x, &self.cloth.edges(), 100.0).unwrap())
            .energy(Bending::new(x, rings.as_ref(), 1e-4, BendingWeights::MeanValue).unwrap())
            .energy(TetStrain::new(x, tets, 1000.0, range).unwrap())
            .energy(Volume::new(x, tets, 1000.0, 1.0, 1.0).unwrap())
            .energy(TriStrain::new(x, triangles, 100.0, range).unwrap())
            .energy(Area::new(x, triangles, 100.0, 1.0, 1.0).unwrap())
            .energy(pins)
            .build()
            .unwrap()
    }

    fn rig(&self, solver: &str, measure: bool) -> Rig {
        self.accelerated_rig(solver, measure, Acceleration::None)
    }

    fn accelerated_rig(&self, solver: &str, measure: bool, acceleration: Acceleration) -> Rig {
        // Few sweeps: whether they converge does not matter here.
        let options = SolverOptions { iterations: Some(8), ..SolverOptions::default() };
        let solver = pd_linear::Registry::standard().create_with(solver, &options).unwrap();
        let mut rig = Rig::new(self.model(), self.x.clone());
        let local = Box::new(pd_core::CpuLocal::default());
        rig.pd = pd_core::ProjectiveDynamics::with_parts(local, solver, acceleration);
        rig.params.measure = measure;
        rig.params.iterations = 4;
        let triangles = &self.cloth.triangles;
        for model in
            [WindModel::Thesis { strength: 0.001 }, WindModel::Drag { density: 1.2, coefficient: 1.0 }]
        {
            let wind = Wind::new(self.x.len(), triangles, Vec3::new(0.5, 0.2, 1.0), model).unwrap();
            rig.forces.push(Box::new(wind));
        }
        rig.forces.push(Box::new(PointForce::new(&[7, 9], Vec3::x() * 0.01, 0.0, 10.0).unwrap()));
        let path = Path::new(vec![(0.0, Vec3::zeros()), (1.0, Vec3::y() * 0.5)]).unwrap();
        rig.colliders.push(Box::new(Floor::new(-0.02).unwrap()));
        rig.colliders.push(Box::new(Moving::new(Sphere::new(Vec3::y() * -0.3, 0.2).unwrap(), path)));
        rig.colliders.push(Box::new(Block::new(Vec3::new(-2.0, -0.3, 0.0), Vec3::repeat(0.2)).unwrap()));
        rig.colliders.push(Box::new(Torus::new(Vec3::new(2.0, -0.4, 0.0), 0.4, 0.1).unwrap()));
        rig
    }
}

/// Allocations in a few steps after a prepare and a few steps to warm up; `None` if the solver diverges, which is its
/// right.
fn of_steps(rig: &mut Rig) -> Option<usize> {
    // A thread of the pool registers itself when it first takes work from another; let all of them do so now.
    (0..64).into_par_iter().with_max_len(1).for_each(|_| std::thread::sleep(Duration::from_micros(200)));
    rig.prepare().unwrap();
    let mut collisions = 0;
    for _ in 0..3 {
        collisions += rig.step().ok()?.collisions;
    }
    let before = allocations();
    for _ in 0..3 {
        collisions += rig.step().ok()?.collisions;
    }
    let count = allocations() - before;
    assert!(collisions > 0, "no obstacle was touched");
    Some(count)
}

/// The direct solvers, on enough vertices for several chunks of every parallel loop.
fn direct_solvers() {
    let (large, small) = (World::new(40), World::new(10)); // a dense factor costs n³
    let cases =
        [("cholesky", &large), ("cholesky-supernodal", &large), ("panels", &large), ("dense", &small)];
    for (solver, world) in cases {
        for measure in [false, true] {
            for threads in [1, 2] {
                let mut rig = world.rig(solver, measure);
                let count = pool(threads).install(|| of_steps(&mut rig));
                assert_eq!(count, Some(0), "{solver}, measure {measure}, {threads} threads");
            }
        }
    }
}

/// Steppers with a memory.
fn accelerated_steppers() {
    let world = World::new(40);
    for acceleration in [Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { window: 5 }] {
        for threads in [1, 2] {
            let mut rig = world.accelerated_rig("panels", false, acceleration);
            let count = pool(threads).install(|| of_steps(&mut rig));
            assert_eq!(count, Some(0), "{}, {threads} threads", acceleration.name());
        }
    }
}

/// All others.
fn iterative_solvers() {
    let world = World::new(10);
    let mut ran = 0;
    for solver in pd_linear::Registry::standard().names().filter(|name| *name != "dense") {
        let mut rig = world.rig(solver, false);
        match pool(2).install(|| of_steps(&mut rig)) {
            None => println!("{solver} diverges here"),
            Some(count) => {
                assert_eq!(count, 0, "{solver}");
                ran += 1;
            }
        }
    }
    println!("{ran} solvers allocate nothing in a step");
    assert!(ran >= 8);
}

#[test]
fn a_step_allocates_nothing() {
    let before = allocations();
    pool(1).install(|| drop(std::hint::black_box(vec![0u8; 100])));
    assert!(allocations() > before, "the allocator does not count");
    direct_solvers();
    accelerated_steppers();
    iterative_solvers();
}
