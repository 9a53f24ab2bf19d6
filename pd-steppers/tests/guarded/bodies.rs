//! Two bodies that are both pushed: layers of cloth, soft solids.

use crate::scenes::{Scene, floor};
use pd_collide::contact::{ContactOptions, Contacts};
use pd_constraints::{Bending, BendingWeights, EdgeSprings, RingsRef, StrainRange, TetStrain};
use pd_core::*;
use pd_mesh::{generate, topology::Rings};

const G: f64 = 9.8;

/// A sheet that lies on the floor and a smaller one on it, thrown along.
fn layers(n: usize, speed: f64, iterations: usize, friction: f64, options: ContactOptions) -> Scene {
    let cloth = generate::grid(n, n, 1.0, 1.0).unwrap();
    let half = cloth.positions.len();
    let thickness = 0.2 / n as f64;
    let material = ContactMaterial::with_friction(friction);
    let body = SurfaceBody { material, ..SurfaceBody::new(thickness) };
    let (mut surface, mut rest, mut x) = (CollisionSurface::default(), vec![], vec![]);
    for (shrink, layer) in [(1.0, 1.0), (0.83, 2.0)] {
        surface.add_body(body, &cloth.triangles, rest.len() as u32);
        let at = |p: &Vec3| Vec3::new(p.x * shrink, 0.0, p.z * shrink);
        let shift = if layer > 1.5 { Vec3::new(-0.013, 0.0, 0.007) } else { Vec3::zeros() };
        rest.extend(cloth.positions.iter().map(|p| at(p) + Vec3::y() * (10.0 * layer)));
        x.extend(cloth.positions.iter().map(|p| at(p) + shift + Vec3::y() * (0.999 * layer * thickness)));
    }
    let ground = floor(0.0);
    surface.add_body(body, &ground.triangles, rest.len() as u32);
    rest.extend_from_slice(&ground.positions);
    x.extend_from_slice(&ground.positions);
    surface.rest = rest.clone();
    let free = 2 * half;
    let mut builder = Model::with_masses(vec![0.441 / half as f64; rest.len()]);
    let rings = Rings::new(&cloth).interior();
    for layer in 0..2 {
        let first = (layer * half) as u32;
        let edges: Vec<[u32; 2]> = cloth.edges().iter().map(|e| e.map(|v| v + first)).collect();
        let shifted = |list: &[u32]| list.iter().map(|v| v + first).collect::<Vec<u32>>();
        let (vertices, neighbours) = (shifted(&rings.vertices), shifted(&rings.neighbours));
        let rings = RingsRef { vertices: &vertices, offsets: &rings.offsets, neighbours: &neighbours };
        builder = builder
            .energy(EdgeSprings::new(&rest, &edges, 1500.0).unwrap())
            .energy(Bending::new(&rest, rings, 1e-4, BendingWeights::MeanValue).unwrap());
    }
    let fixed: Vec<u32> = (free as u32..rest.len() as u32).collect();
    let model = builder.fixed(&rest, &fixed).surface(surface).build().unwrap();
    let v =
        (0..rest.len()).map(|i| Vec3::x() * if (half..free).contains(&i) { speed } else { 0.0 }).collect();
    let params = StepParams { iterations, ..StepParams::default() };
    Scene { model, params, options, colliders: vec![], state: State::new(x, v), free }
}

fn upper_moved(scene: &Scene, start: &[Vec3]) -> f64 {
    let half = scene.free / 2;
    let sum: Vec3 = (half..scene.free).map(|i| scene.state.x[i] - start[i]).sum();
    (sum / half as f64).norm()
}

#[test]
fn a_layer_on_a_layer_weighs_on_it() {
    let mut scene = layers(8, 0.0, 8, 0.3, ContactOptions { verify: true, ..ContactOptions::default() });
    let (mut stepper, start) = (scene.stepper(), scene.state.x.clone());
    for _ in 0..40 {
        scene.step(&mut stepper);
    }
    let mut contacts = Contacts::default();
    stepper.contacts(&mut contacts);
    let sums = contacts.resultants(3);
    let weight = 0.441 * G;
    println!(
        "resultants {sums:?}, weight {weight:.4} N each; the upper drifted {:.1e} m",
        upper_moved(&scene, &start)
    );
    assert!((sums[0].y / weight - 1.0).abs() < 0.01 && (sums[1].y / weight - 1.0).abs() < 0.01);
    assert!((sums[0] + sums[1] + sums[2]).norm() < 1e-9 * weight, "equal and opposite");
    assert!(upper_moved(&scene, &start) < 1e-3);
}

/// Rows that iterates leave open by a little carry load too; without them the layer went 0.35 m.
#[test]
fn a_layer_thrown_over_another_stops_where_it_should() {
    let mut scene = layers(12, 1.0, 8, 0.3, ContactOptions::default());
    let (mut stepper, start) = (scene.stepper(), scene.state.x.clone());
    for _ in 0..40 {
        scene.step(&mut stepper);
    }
    let (upper, half) = (upper_moved(&scene, &start), scene.free / 2);
    let lower = (0..half).map(|i| (scene.state.x[i] - start[i]).x).sum::<Real>() / half as Real;
    println!("the upper layer stops after {upper:.4} m of 0.1618 m, the lower one moved {lower:.1e} m");
    assert!((upper / 0.1618 - 1.0).abs() < 0.05, "{upper} m");
    assert!(lower.abs() < 0.01, "the lower one stands: {lower} m");
}

#[test]
fn cards_without_friction_do_not_drift() {
    let mut scene = layers(8, 0.0, 8, 0.0, ContactOptions { verify: true, ..ContactOptions::default() });
    let (mut stepper, start) = (scene.stepper(), scene.state.x.clone());
    for _ in 0..60 {
        scene.step(&mut stepper);
    }
    let half = scene.free / 2;
    let drift = |range: std::ops::Range<usize>| {
        let count = range.len() as Real;
        let sum: Vec3 = range.map(|i| scene.state.x[i] - start[i]).sum();
        Vec3::new(sum.x, 0.0, sum.z).norm() / count
    };
    let (lower, upper) = (drift(0..half), drift(half..scene.free));
    println!("drift of the lower card {lower:.1e} m, of the upper {upper:.1e} m in a second");
    assert!(lower < 1e-4 && upper < 1e-4, "{lower:.1e} {upper:.1e}");
}

/// A cube thrown over a floor of so many cells, without friction: where it is after 40 frames, and its velocity.
fn thrown_cube(cells: usize, thickness: Real) -> (Vec3, Vec3) {
    let cube = generate::bar(2, 2, 2, 0.2).unwrap();
    let free = cube.positions.len();
    let low = cube.positions.iter().map(|p| p.y).fold(Real::INFINITY, Real::min);
    let mut rest = cube.positions.clone();
    rest.iter_mut().for_each(|p| p.y += thickness - low);
    let body = SurfaceBody { material: ContactMaterial::frictionless(), ..SurfaceBody::new(thickness) };
    let mut surface = CollisionSurface::default();
    surface.add_body(body, &cube.surface_triangles(), 0);
    let ground = generate::grid(cells, cells, 3.0, 3.0).unwrap();
    surface.add_body(body, &ground.triangles, free as u32);
    rest.extend_from_slice(&ground.positions);
    surface.rest = rest.clone();
    let fixed: Vec<u32> = (free as u32..rest.len() as u32).collect();
    let model = Model::with_masses(vec![0.01; rest.len()])
        .energy(TetStrain::new(&rest, &cube.tets, 2e5, StrainRange::RIGID).unwrap())
        .fixed(&rest, &fixed)
        .surface(surface)
        .build()
        .unwrap();
    let v = (0..rest.len()).map(|i| if i < free { THROW } else { Vec3::zeros() }).collect();
    let params = StepParams { iterations: 8, ..StepParams::default() };
    let options = ContactOptions { verify: true, ..ContactOptions::default() };
    let mut scene = Scene { model, params, options, colliders: vec![], state: State::new(rest, v), free };
    let mut stepper = scene.stepper();
    for _ in 0..40 {
        scene.step(&mut stepper);
    }
    let mean = |list: &[Vec3]| list[..free].iter().sum::<Vec3>() / free as Real;
    (mean(&scene.state.x), mean(&scene.state.v))
}

const THROW: Vec3 = Vec3::new(0.8, 0.0, 0.3);

#[test]
fn a_sliding_cube_does_not_hook_on_seams() {
    // In a step it moves by half of its thickness, and by nearly three times that.
    for thickness in [0.03, 0.005] {
        let ((x, v), (plain_x, plain_v)) = (thrown_cube(19, thickness), thrown_cube(1, thickness));
        let lost = |v: &Vec3| 1.0 - Vec3::new(v.x, 0.0, v.z).norm() / THROW.norm();
        println!(
            "thickness {thickness} m: lost {:.4} of its speed over seams, {:.4} without; apart {:.1e} m",
            lost(&v),
            lost(&plain_v),
            (x - plain_x).norm()
        );
        assert!(lost(&v).abs() < 0.01 && lost(&plain_v).abs() < 0.01);
        assert!((x.y - plain_x.y).abs() < 1e-3, "no hop: {} {}", x.y, plain_x.y);
    }
}

#[test]
fn soft_balls_meet_and_part() {
    let ball = generate::ball(4, 2, 0.1).unwrap();
    let half = ball.positions.len();
    let triangles = ball.surface_triangles();
    let (mut surface, mut rest) = (CollisionSurface::default(), vec![]);
    let mut builder = Model::with_masses(vec![0.002; 2 * half]);
    for k in 0..2 {
        surface.add_body(SurfaceBody::new(0.004), &triangles, rest.len() as u32);
        rest.extend(ball.positions.iter().map(|p| p + Vec3::x() * (0.25 * k as f64)));
    }
    surface.rest = rest.clone();
    for k in 0..2u32 {
        let tets: Vec<[u32; 4]> = ball.tets.iter().map(|t| t.map(|v| v + k * half as u32)).collect();
        builder = builder.energy(TetStrain::new(&rest, &tets, 2e4, StrainRange::RIGID).unwrap());
    }
    let model = builder.surface(surface).build().unwrap();
    let v: Vec<Vec3> = (0..2 * half).map(|i| Vec3::x() * if i < half { 1.5 } else { -1.5 }).collect();
    let params = StepParams { iterations: 8, gravity: Vec3::zeros(), ..StepParams::default() };
    let options = ContactOptions { verify: true, ..ContactOptions::default() };
    let mut scene =
        Scene { model, params, options, colliders: vec![], state: State::new(rest, v), free: 2 * half };
    let mut stepper = scene.stepper();
    let mut most = 0;
    for _ in 0..20 {
        most = most.max(scene.step(&mut stepper).contact.unwrap().contacts);
    }
    let momentum: Vec3 = scene.state.v.iter().map(|v| v * 0.002).sum();
    let parted = scene.state.v[half..].iter().map(|v| v.x).sum::<f64>() / half as f64;
    println!("up to {most} contacts, momentum {momentum:?}, second ball now {parted:.3} m/s");
    assert!(most > 0 && parted > -0.5, "they met");
    // Contact forces are equal and opposite; what is left is the imbalance at which eight iterations end.
    let lost = momentum.norm() / (0.002 * half as f64 * 1.5);
    println!("momentum lost: {:.2} % of one ball's", 100.0 * lost);
    assert!(lost < 0.01, "{momentum:?}");
}
