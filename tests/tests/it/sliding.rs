//! Contact takes no motion away: what moves along a surface without friction moves as it would without the surface, what is thrown
//! stops where friction stops it, and what falls on an edge keeps its energy, whatever the cells, the thickness, the speed, the time
//! step and the mass.
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

impl Slide {
    /// The sheet after its frames, and its mean way along the surface, m.
    fn run(&self, friction: Real) -> (SceneRun, Real) {
        let Slide { cells, thickness, speed, angle, frames, dt, mass, surface } = *self;
        let gap = thickness * 0.4 / cells as Real;
        let text = format!(
            "title = \"slide\"\n[step]\ndt = {dt}\niterations = 10\ngravity = [{}, {}, 0]\n\
             [contact]\nfriction = {friction}\nthickness = {gap}\n[[object]]\nname = \"sheet\"\n\
             shape = {{ kind = \"grid\", rows = {cells}, columns = {cells}, width = 0.4, depth = 0.4 }}\n\
             translate = [0, {gap}, 0]\nmass = {{ total = {mass} }}\nedge = {{ weight = 300 }}\n\
             bending = {{ weight = 1e-4, laplacian = \"cotan-voronoi\" }}\n[[collider]]\n{surface}\nfriction = {friction}\n",
            G * angle.sin(),
            -G * angle.cos()
        );
        let mut run = start(&text);
        let sheet = (cells + 1) * (cells + 1);
        run.sim.state.v[..sheet].fill(Vec3::x() * speed);
        let along =
            |run: &SceneRun| run.sim.state.x[..sheet].iter().map(|p| p.x).sum::<Real>() / sheet as Real;
        let from = along(&run);
        for _ in 0..frames {
            run.advance().unwrap();
        }
        let way = along(&run) - from;
        (run, way)
    }

    /// The way made without friction as a part of the exact one, less one.
    fn error(&self) -> Real {
        let (run, way) = self.run(0.0);
        let steps = run.scene.steps_per_frame();
        let (n, h) = ((self.frames * steps) as Real, self.dt / steps as Real);
        way / (self.speed * n * h + G * self.angle.sin() * h * h * n * (n + 1.0) / 2.0) - 1.0
    }

    /// The same of the way at whose end a friction of 0.3 has stopped it.
    fn stop_error(&self) -> Real {
        let (run, way) = self.run(0.3);
        let h = self.dt / run.scene.steps_per_frame() as Real;
        let loss = 0.3 * G * h;
        let exact: Real =
            (1..=(self.speed / loss) as usize).map(|k| h * (self.speed - k as Real * loss)).sum();
        way / exact - 1.0
    }
}

fn start(text: &str) -> SceneRun {
    let scene = Scene::parse("sliding.toml", text, None, &ModelPaths::default()).unwrap();
    let stepper = Registry::standard().for_scene(&scene).unwrap();
    SceneRun::with_stepper(scene, stepper).unwrap()
}

/// Prints all and returns the worst.
fn worst(cases: &[Slide], error: impl Fn(&Slide) -> Real) -> Real {
    cases.iter().fold(0.0, |worst, case| {
        let error = error(case);
        println!("{error:+.2e} {case:?}");
        worst.max(error.abs())
    })
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
    let worst = worst(&cases, Slide::error);
    println!("worst {worst:.2e}");
    assert!(worst < 0.01, "{worst:.2e}");
}

#[test]
fn a_thrown_sheet_stops_where_it_should_at_any_resolution() {
    let thrown = Slide { speed: 1.0, angle: 0.0, frames: 24, ..USUAL };
    let mut cases: Vec<Slide> = [10, 20, 40, 60].map(|cells| Slide { cells, ..thrown }).into();
    cases.push(Slide { mass: 10.0, ..thrown });
    cases.push(Slide { dt: 1.0 / 120.0, frames: 48, ..thrown });
    cases.push(Slide { thickness: 0.4, ..thrown });
    let worst = worst(&cases, Slide::stop_error);
    println!("worst {worst:.2e}");
    assert!(worst < 0.02, "{worst:.2e}");
}

/// A sheet falls by 5 cm on a block; its energy while it hangs down, against steps half as long with four times the iterations.
#[test]
fn a_sheet_that_falls_on_a_block_keeps_its_energy() {
    let kinetic = |step: &str| {
        let text = format!(
            "title = \"blow\"\n[step]\ndamping = 0.5\n{step}\n[contact]\nfriction = 0.4\nthickness = 0.004\n\
             [[object]]\nname = \"cloth\"\n\
             shape = {{ kind = \"grid\", rows = 16, columns = 16, width = 0.5, depth = 0.5 }}\n\
             translate = [0.02, 0.26, 0.01]\nmass = {{ total = 0.05 }}\nedge = {{ weight = 300 }}\n\
             bending = {{ weight = 1e-5, laplacian = \"cotan-voronoi\" }}\n\
             [[collider]]\nkind = \"block\"\ncentre = [0, 0.1, 0]\nhalf-extents = [0.1, 0.1, 0.1]\n\
             [[collider]]\nkind = \"floor\"\nheight = 0\n"
        );
        let mut run = start(&text);
        for _ in 0..10 {
            run.advance().unwrap();
        }
        let (state, model) = (&run.sim.state, &run.sim.model);
        let free = (0..state.x.len()).filter(|&i| !model.is_kinematic(i));
        free.map(|i| 0.5 * model.masses()[i] * state.v[i].norm_squared()).sum::<Real>()
    };
    let (usual, fine) = (kinetic(""), kinetic("substeps = 8\niterations = 20"));
    println!("kinetic energy {:.1} mJ, in finer steps {:.1} mJ", 1e3 * usual, 1e3 * fine);
    assert!((usual / fine - 1.0).abs() < 0.1, "{usual} {fine}");
}
