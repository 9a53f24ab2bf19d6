//! Textbook answers: free fall, a hanging chain, an oscillator, terminal velocity in air, a pin on a path, momentum.

use pd_constraints::{EdgeSprings, Pins, Wind, WindModel, lumped_masses_triangles};
use pd_core::{Model, Real, Vec3};
use pd_mesh::generate;
use pd_sim::prelude::{Cholesky, ProjectiveDynamics, Simulation, State};
use tests::{Body, Kind, Random, Rig};

const G: Real = 9.8;

/// Implicit Euler without springs at work: v_n = −g n h and x_n = −g h² n(n+1)/2, exactly.
#[test]
fn free_fall_is_exact_to_the_integrator() {
    for kind in Kind::ALL {
        let body = Body::random(kind, &mut Random::new(11), 0);
        let mut rig = Rig::new(body.model, body.rest.clone());
        rig.prepare().unwrap();
        let h = rig.params.dt;
        for n in 1..=120 {
            rig.step().unwrap();
            let n = Real::from(n);
            let (fall, speed) = (-G * h * h * n * (n + 1.0) / 2.0, -G * n * h);
            for ((x, v), rest) in rig.state.x.iter().zip(&rig.state.v).zip(&body.rest) {
                // Positions carry rounding of their own size, about 1 m, besides that of the fall.
                let off = x - rest - Vec3::new(0.0, fall, 0.0);
                assert!(off.norm() <= 1e-12 * fall.abs().max(1.0), "{kind:?}, step {n}: {off:?}");
                let off = v - Vec3::new(0.0, speed, 0.0);
                assert!(off.norm() <= 1e-12 * speed.abs().max(1.0 / h), "{kind:?}, step {n}: {off:?}");
            }
        }
    }
}

/// A chain of equal masses on equal springs: spring k carries all masses below it and is longer by (mass below) g/k.
#[test]
fn hanging_masses_stretch_springs_by_weight_over_stiffness() {
    const LINKS: usize = 6;
    let (mass, stiffness, length) = (0.05, 40.0, 0.2);
    let x: Vec<Vec3> = (0..=LINKS).map(|i| Vec3::new(0.3, -length * i as Real, 0.0)).collect();
    let edges: Vec<[u32; 2]> = (0..LINKS as u32).map(|i| [i, i + 1]).collect();
    let model = Model::with_masses(vec![mass; LINKS + 1])
        .energy(EdgeSprings::new(&x, &edges, stiffness).unwrap())
        .energy(Pins::new(&x, &[0], 1e6).unwrap())
        .build()
        .unwrap();
    let mut rig = Rig::new(model, x);
    rig.params.damping = 2.0;
    rig.run(3000);
    let fastest = rig.state.v.iter().map(|v| v.norm()).fold(0.0, Real::max);
    assert!(fastest < 1e-9, "still moving at {fastest} m/s");
    for link in 0..LINKS {
        let below = (LINKS - link) as Real * mass;
        let extension = (rig.state.x[link] - rig.state.x[link + 1]).norm() - length;
        let expected = below * G / stiffness;
        assert!((extension / expected - 1.0).abs() < 1e-6, "link {link}: {extension} m, not {expected} m");
    }
    // The pin carries all hanging masses; its own vertex is held and does not weigh on it.
    let sunk = -rig.state.x[0].y;
    let expected = LINKS as Real * mass * G / 1e6;
    assert!((sunk / expected - 1.0).abs() < 1e-6, "the pin gave {sunk} m, not {expected} m");
}

/// Frequency over √(k/m)/2π of a mass on a spring, from the times of its first and tenth passage upwards.
fn relative_frequency(steps_per_period: Real) -> Real {
    let (mass, stiffness): (Real, Real) = (0.1, 250.0);
    let omega = (stiffness / mass).sqrt();
    let x = vec![Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0)];
    let model = Model::with_masses(vec![mass; 2])
        .energy(EdgeSprings::new(&x, &[[0, 1]], stiffness).unwrap())
        .energy(Pins::new(&x, &[0], 1e9).unwrap())
        .build()
        .unwrap();
    let mut rig = Rig::new(model, x);
    rig.params.gravity = Vec3::zeros();
    rig.params.dt = std::f64::consts::TAU / omega / steps_per_period;
    rig.state.v[1].x = 0.1;
    rig.prepare().unwrap();
    let (mut passages, mut before) = (vec![], 1e-9);
    while passages.len() < 10 {
        rig.step().unwrap();
        let now = rig.state.x[1].x - 1.0;
        if before < 0.0 && now >= 0.0 {
            passages.push(rig.state.time - rig.params.dt * now / (now - before));
        }
        before = now;
    }
    9.0 * std::f64::consts::TAU / omega / (passages[9] - passages[0])
}

/// One step of implicit Euler turns the phase by atan(ωh) instead of ωh: slower by (ωh)²/3, well within O(h).
#[test]
fn a_mass_on_a_spring_swings_at_its_frequency() {
    for steps in [100.0, 200.0, 400.0] {
        let frequency = relative_frequency(steps);
        let phase = std::f64::consts::TAU / steps; // ωh
        println!(
            "{steps} steps a period: {frequency:.6} of the frequency, {:.6} expected",
            phase.atan() / phase
        );
        assert!((frequency - 1.0).abs() < 0.1 * phase, "{frequency}");
        assert!((frequency - phase.atan() / phase).abs() < 2e-4, "{frequency}");
    }
}

/// A flat sheet falling through still air ends at the speed where drag carries its weight: m g = ½ ρ C A v².
#[test]
fn air_drag_gives_the_terminal_velocity() {
    let mesh = generate::grid(6, 5, 1.2, 0.9).unwrap();
    let (surface_density, density, coefficient) = (0.3, 1.2, 1.1);
    // Masses by area: then all vertices feel the same acceleration and the sheet stays flat.
    let masses = lumped_masses_triangles(&mesh.positions, &mesh.triangles, surface_density).unwrap();
    let model = Model::with_masses(masses)
        .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 200.0).unwrap())
        .build()
        .unwrap();
    let drag = WindModel::Drag { density, coefficient };
    let wind = Wind::new(mesh.positions.len(), &mesh.triangles, Vec3::zeros(), drag).unwrap();
    let mut rig = Rig::new(model, mesh.positions);
    rig.forces.push(Box::new(wind));
    rig.run(600);
    let expected = (2.0 * surface_density * G / (density * coefficient)).sqrt();
    for v in &rig.state.v {
        let off = (v - Vec3::new(0.0, -expected, 0.0)).norm();
        assert!(off < 1e-6 * expected, "{v:?}, expected {expected} m/s down");
    }
}

/// A pinned vertex follows its moving target. With the predictor holding it, each step closes the gap by the factor
/// a = (m/h²)/(m/h² + ω): behind a target of speed u it lags by u h a/(1 − a) = u m/(h ω), and then arrives.
#[test]
fn a_pin_on_a_path_is_followed() {
    let (mass, weight, speed) = (0.01, 500.0, 0.5);
    let x = vec![Vec3::zeros()];
    let pins = Pins::new(&x, &[0], weight).unwrap().with_motion(move |t| Vec3::z() * speed * t.min(1.0));
    let model = Model::with_masses(vec![mass]).energy(pins).build().unwrap();
    let stepper = ProjectiveDynamics::new(Cholesky::default());
    let mut sim = Simulation::new(model, State::at_rest(x), stepper);
    let h = sim.params.dt;
    for step in 1..=180 {
        sim.step().unwrap();
        let time = Real::from(step) * h;
        let lag = speed * time.min(1.0) - sim.state.x[0].z;
        if step == 55 {
            let expected = speed * mass / (h * weight);
            assert!((lag / expected - 1.0).abs() < 1e-6, "lags {lag} m, not {expected} m");
        }
        assert!(lag >= -1e-12 && lag <= speed * mass / (h * weight) * 1.001, "step {step}: {lag}");
    }
    assert!((sim.state.x[0] - Vec3::z() * speed).norm() < 1e-12);
    assert!(sim.state.v[0].norm() < 1e-10);
}

/// Internal forces cancel in pairs, so without pins and gravity Σ m v stays what it was, up to rounding.
#[test]
fn internal_forces_conserve_momentum() {
    for kind in Kind::ALL {
        let mut random = Random::new(5);
        let body = Body::random(kind, &mut random, 0);
        let mut rig = Rig::new(body.model, random.shaken(&body.rest, 0.05));
        rig.params.gravity = Vec3::zeros();
        for v in &mut rig.state.v {
            *v = random.vector(2.0);
        }
        let momentum =
            |rig: &Rig| rig.state.v.iter().zip(rig.model.masses()).map(|(v, m)| v * *m).sum::<Vec3>();
        let before = momentum(&rig);
        let size: Real = rig.state.v.iter().zip(rig.model.masses()).map(|(v, m)| v.norm() * m).sum();
        rig.run(100);
        let change = (momentum(&rig) - before).norm() / size;
        println!("{kind:?}: momentum changed by {change:.1e} of its size in 100 steps");
        assert!(change < 1e-11, "{kind:?}: {change:e}");
    }
}
