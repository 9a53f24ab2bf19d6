//! Kinematic vertices, which have infinite mass, against pins of high stiffness, which approach them: at rest and in motion.

use pd_constraints::{EdgeSprings, Pins};
use pd_core::{Model, ModelBuilder, Motion, ProjectiveDynamics, Real, State, Vec3};
use pd_linear::Cholesky;
use pd_mesh::{TriMesh, generate};
use pd_sim::Simulation;
use tests::largest_distance;

const HELD: [u32; 2] = [0, 10];

fn sway(time: Real) -> Vec3 {
    Vec3::new(0.1 * (3.0 * time).sin(), 0.05 * time, 0.0)
}

struct Sway;

impl Motion for Sway {
    fn positions(&self, time: Real, rest: &[Vec3], out: &mut [Vec3]) {
        out.iter_mut().zip(rest).for_each(|(out, rest)| *out = rest + sway(time));
    }
}

/// Positions after a second of fall, held as `hold` says. So many iterations because pins that move converge slowly: after 40 they still lag by 8 mm.
fn hang(mesh: &TriMesh, hold: impl FnOnce(ModelBuilder) -> ModelBuilder) -> Vec<Vec3> {
    let springs = EdgeSprings::new(&mesh.positions, &mesh.edges(), 300.0).unwrap();
    let model = hold(Model::builder(&mesh.positions, 0.2).energy(springs)).build().unwrap();
    let stepper = ProjectiveDynamics::new(Cholesky::default());
    let mut sim = Simulation::new(model, State::at_rest(mesh.positions.clone()), stepper);
    sim.params.iterations = 400;
    for _ in 0..60 {
        sim.step().unwrap();
    }
    sim.state.x
}

#[test]
fn held_vertices_are_the_limit_of_stiff_pins() {
    let mesh = generate::grid(10, 10, 1.0, 1.0).unwrap();
    let rest = &mesh.positions;
    let fixed = hang(&mesh, |builder| builder.fixed(rest, &HELD));
    let pinned = |weight| hang(&mesh, |builder| builder.energy(Pins::new(rest, &HELD, weight).unwrap()));
    for vertex in HELD {
        assert_eq!(fixed[vertex as usize], rest[vertex as usize], "held exactly");
    }
    let (soft, stiff) = (largest_distance(&pinned(1e5), &fixed), largest_distance(&pinned(1e7), &fixed));
    println!("pins of 1e5 N/m are {soft:.2e} m away, of 1e7 N/m {stiff:.2e} m");
    assert!(largest_distance(&fixed, rest) > 0.3, "it hangs");
    assert!(stiff < 1e-4 && stiff < 0.1 * soft, "{soft:e} {stiff:e}");
}

#[test]
fn moved_vertices_are_the_limit_of_stiff_pins_that_move() {
    let mesh = generate::grid(10, 10, 1.0, 1.0).unwrap();
    let rest = &mesh.positions;
    let moved = hang(&mesh, |builder| builder.kinematic(rest, &HELD, Sway));
    let pins = Pins::new(rest, &HELD, 1e7).unwrap().with_motion(sway);
    let pinned = hang(&mesh, |builder| builder.energy(pins));
    for vertex in HELD {
        let target = rest[vertex as usize] + sway(1.0);
        assert!((moved[vertex as usize] - target).norm() < 1e-12, "moved exactly");
    }
    let apart = largest_distance(&moved, &pinned);
    println!("moving pins of 1e7 N/m are {apart:.2e} m away");
    assert!(apart < 1e-3, "{apart:e}");
}
