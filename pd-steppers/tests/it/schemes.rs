//! Orders of the time discretisations, energy of a swing, substeps.

use crate::common::*;
use pd_constraints::*;
use pd_core::*;

/// A mass on a pin of 40 N/m: x = cos(√40 t).
fn oscillator(name: &str, dt: Real) -> Real {
    let x = vec![Vec3::zeros()];
    let model = Model::with_masses(vec![1.0]).energy(Pins::new(&x, &[0], 40.0).unwrap()).build().unwrap();
    let params = StepParams { dt, gravity: Vec3::zeros(), hold_pinned: false, ..StepParams::default() };
    let context = StepContext::of(&model, &params);
    let (mut stepper, mut state) = (stepper(name), State::at_rest(vec![Vec3::x()]));
    stepper.prepare(context).unwrap();
    let steps = (1.0 / dt).round() as usize;
    for _ in 0..steps {
        stepper.step(context, &mut state).unwrap();
    }
    assert!((state.time - 1.0).abs() < 1e-9);
    (state.x[0].x - 40.0f64.sqrt().cos()).abs()
}

#[test]
fn orders_of_convergence() {
    for (name, order) in [
        ("newton", 1.0),
        ("newton+bdf2", 2.0),
        ("newton+midpoint", 2.0),
        ("newton+sub2", 1.0),
        ("symplectic", 1.0),
    ] {
        let (coarse, fine) = (oscillator(name, 1e-3), oscillator(name, 5e-4));
        let found = (coarse / fine).log2();
        println!("{name}: error {fine:.1e} at h = 0.5 ms, order {found:.2}");
        assert!((found - order).abs() < 0.15, "{name}: {found}");
    }
    // Two substeps are two steps of half the length.
    assert!((oscillator("newton+sub2", 1e-3) / oscillator("newton", 5e-4) - 1.0).abs() < 1e-9);
}

/// Part of the energy that a cloth swinging about one edge has lost after some time.
fn loss(name: &str, dt: Real) -> Real {
    let mesh = pd_mesh::generate::grid(4, 4, 1.0, 1.0).unwrap();
    let x = &mesh.positions;
    let edge: Vec<u32> = (0..5).collect();
    let model = Model::builder(x, 0.2)
        .energy(EdgeSprings::new(x, &mesh.edges(), 400.0).unwrap())
        .energy(Pins::new(x, &edge, 1e4).unwrap())
        .build()
        .unwrap();
    let params = StepParams { dt, iterations: 30, tolerance: 1e-10, measure: true, ..StepParams::default() };
    let context = StepContext::of(&model, &params);
    let (mut stepper, mut state) = (stepper(name), State::at_rest(x.clone()));
    stepper.prepare(context).unwrap();
    let (mut first, mut last) = (None, 0.0);
    while state.time < 1.0 {
        stepper.step(context, &mut state).unwrap();
        let potential: Real =
            -x.iter().zip(model.masses()).map(|(x, m)| m * params.gravity.dot(x)).sum::<Real>();
        let kinetic: Real = state.v.iter().zip(model.masses()).map(|(v, m)| 0.5 * m * v.norm_squared()).sum();
        let height: Real = state.x.iter().zip(model.masses()).map(|(x, m)| -m * params.gravity.dot(x)).sum();
        last = kinetic + height + model.elastic_energy(&state.x) - potential;
        first.get_or_insert(last);
    }
    // Over what gravity can turn into motion: half the cloth's length on average.
    (first.unwrap_or(0.0) - last).abs() / (0.2 * 9.8 * 0.5)
}

#[test]
fn bdf2_keeps_the_energy_of_a_swinging_cloth() {
    let dt = 1.0 / 240.0;
    let (euler, bdf2, midpoint) = (loss("newton", dt), loss("newton+bdf2", dt), loss("newton+midpoint", dt));
    println!("energy lost in 1 s: implicit Euler {euler:.2e}, BDF2 {bdf2:.2e}, midpoint {midpoint:.2e}");
    assert!(bdf2 < 0.1 * euler && midpoint < 0.1 * euler, "{euler} {bdf2} {midpoint}");
}

#[test]
fn strain_stays_within_its_limits() {
    let scene = cloth(6);
    let mesh = pd_mesh::generate::grid(6, 6, 1.0, 1.0).unwrap();
    let limit = |x: &[Vec3]| {
        MassSpring::new(x, &mesh.edges(), 1.0, SpringLaw { compression: 1.0, dead_zone: 0.01 }).unwrap()
    };
    let longest = |x: &[Vec3]| {
        let length = |p: &[Vec3], [i, j]: [u32; 2]| (p[i as usize] - p[j as usize]).norm();
        mesh.edges().iter().map(|&e| length(x, e) / length(&mesh.positions, e)).fold(0.0, Real::max)
    };
    let params = StepParams::default();
    let context = StepContext::of(&scene.model, &params);
    let mut stretch = vec![];
    for limited in [false, true] {
        let mut stepper = stepper("pd");
        if limited {
            let mut strain = pd_steppers::StrainLimit::new(stepper, vec![Box::new(limit(&mesh.positions))]);
            strain.sweeps = 30;
            stepper = Box::new(strain);
        }
        let mut state = scene.state.clone();
        stepper.prepare(context).unwrap();
        for _ in 0..60 {
            stepper.step(context, &mut state).unwrap();
        }
        stretch.push(longest(&state.x));
    }
    println!("longest edge {:.3} without, {:.3} with a limit of 1.01", stretch[0], stretch[1]);
    assert!(stretch[0] > 1.02 && stretch[1] < 1.012, "{stretch:?}");
}

/// The extrapolation beyond the midpoint neither overshoots the targets of kinematic vertices nor ends inside an obstacle.
#[test]
fn the_midpoint_rule_ends_on_targets_and_outside_of_obstacles() {
    struct Rise;
    impl pd_core::Motion for Rise {
        fn positions(&self, time: Real, rest: &[Vec3], out: &mut [Vec3]) {
            out.iter_mut().zip(rest).for_each(|(out, rest)| *out = rest + Vec3::y() * time);
        }
    }
    let mesh = pd_mesh::generate::grid(4, 4, 1.0, 1.0).unwrap();
    let x = &mesh.positions;
    let mut model = Model::builder(x, 0.2)
        .energy(EdgeSprings::new(x, &mesh.edges(), 400.0).unwrap())
        .kinematic(x, &[0, 4], Rise)
        .build()
        .unwrap();
    struct Ground;
    impl Collider for Ground {
        fn kind(&self) -> &'static str {
            "ground"
        }
        fn sample(&self, points: &[Vec3], _: Real, out: &mut [Surface]) {
            for (out, p) in out.iter_mut().zip(points) {
                *out = Surface { distance: p.y + 0.05, normal: Vec3::y(), ..Surface::default() };
            }
        }
    }
    let ground: Vec<Box<dyn Collider>> = vec![Box::new(Ground)];
    let params = StepParams::default();
    let (mut stepper, mut state) = (crate::common::stepper("newton+midpoint"), State::at_rest(x.clone()));
    for step in 1..=30 {
        model.set_time(Real::from(step) * params.dt);
        let context = StepContext::new(&model, &params, &[], &ground);
        stepper.prepare(context).unwrap();
        stepper.step(context, &mut state).unwrap();
        for vertex in [0, 4] {
            let target = x[vertex] + Vec3::y() * state.time;
            assert!((state.x[vertex] - target).norm() < 1e-12, "step {step}");
            assert!((state.v[vertex] - Vec3::y()).norm() < 1e-9, "step {step}: {}", state.v[vertex]);
        }
        assert!(state.x.iter().all(|x| x.y >= -0.05 - 1e-12), "step {step}");
    }
}
