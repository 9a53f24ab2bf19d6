//! What moves along a surface without friction moves as it would without the surface: whatever the cells, the thickness, the
//! speed, the time step and the mass.
//!
//! In n steps of implicit Euler from a speed v along the surface, with an acceleration a along it: v n h + a h² n (n + 1)/2.

use pd_core::{Real, Vec3};
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};

const G: Real = 9.8;

#[derive(Clone, Copy, Debug)]
struct Slide {
    /// Cells along 0.4 m.
    cells: usize,
    /// In edges.
    thickness: Real,
    /// Along the surface, m/s.
    speed: Real,
    /// Angle of gravity with the normal of the surface; at 90° it is a wall.
    angle: Real,
    frames: usize,
    dt: Real,
    /// kg.
    mass: Real,
    surface: &'static str,
}

const FLOOR: &str = "kind = \"half-space\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]";
/// Under the sheet all along its way, its top at y = 0.
const TRIANGLES: &str = "kind = \"block\"\ncentre = [4.5, -0.5, 0]\nhalf-extents = [5.5, 0.5, 0.7]";

const USUAL: Slide = Slide {
    cells: 20,
    thickness: 0.2,
    speed: 0.0,
    angle: 0.35,
    frames: 20,
    dt: 1.0 / 60.0,
    mass: 0.1,
    surface: FLOOR,
};

/// The way made as a part of the exact one, less one.
fn error(slide: &Slide) -> Real {
    let Slide { cells, thickness, speed, angle, frames, dt, mass, surface } = *slide;
    let gap = thickness * 0.4 / cells as Real;
    let text = format!(
        "title = \"slide\"\n[step]\ndt = {dt}\niterations = 10\ngravity = [{}, {}, 0]\n\
         [contact]\nfriction = 0\nthickness = {gap}\n[[object]]\nname = \"sheet\"\n\
         shape = {{ kind = \"grid\", rows = {cells}, columns = {cells}, width = 0.4, depth = 0.4 }}\n\
         translate = [0, {gap}, 0]\nmass = {{ total = {mass} }}\nedge = {{ weight = 300 }}\n\
         bending = {{ weight = 1e-4, laplacian = \"cotan-voronoi\" }}\n[[collider]]\n{surface}\nfriction = 0\n",
        G * angle.sin(),
        -G * angle.cos()
    );
    let scene = Scene::parse("slide.toml", &text, None, &ModelPaths::default()).unwrap();
    let stepper = Registry::standard().for_scene(&scene).unwrap();
    let mut run = SceneRun::with_stepper(scene, stepper).unwrap();
    let sheet = (cells + 1) * (cells + 1);
    run.sim.state.v[..sheet].fill(Vec3::x() * speed);
    let start: Real = run.sim.state.x[..sheet].iter().map(|p| p.x).sum();
    for _ in 0..frames {
        run.advance().unwrap();
    }
    let end: Real = run.sim.state.x[..sheet].iter().map(|p| p.x).sum();
    let n = frames as Real;
    let exact = speed * n * dt + G * angle.sin() * dt * dt * n * (n + 1.0) / 2.0;
    (end - start) / sheet as Real / exact - 1.0
}

#[test]
fn without_friction_a_sheet_slides_as_far_as_it_should() {
    let mut cases = vec![];
    for surface in [FLOOR, TRIANGLES] {
        let usual = Slide { surface, ..USUAL };
        cases.extend([10, 30, 80].map(|cells| Slide { cells, frames: 30 * 10 / cells, ..usual }));
        cases.extend([0.05, 0.5].map(|thickness| Slide { thickness, ..usual }));
        cases.extend([0.1, 4.0, 20.0].map(|speed| Slide { speed, ..usual }));
        cases.extend([30.0, 480.0].map(|rate| Slide { dt: 1.0 / rate, ..usual }));
        cases.push(Slide { mass: 10.0, ..usual });
        // Past a wall, a thickness before it.
        for (cells, thickness) in [(10, 0.05), (40, 0.2)] {
            cases.push(Slide { cells, thickness, angle: std::f64::consts::FRAC_PI_2, ..usual });
        }
    }
    let mut worst: (Real, usize) = (0.0, 0);
    for (number, case) in cases.iter().enumerate() {
        let error = error(case);
        println!("{:+.2e} {case:?}", error);
        if error.abs() > worst.0 {
            worst = (error.abs(), number);
        }
    }
    println!("worst {:.2e}: {:?}", worst.0, cases[worst.1]);
    assert!(worst.0 < 0.01, "{:.2e}: {:?}", worst.0, cases[worst.1]);
}
