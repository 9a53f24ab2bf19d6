//! Coarse sheets on concave and moving obstacles of scenes: no point of a face enters the exact shape, and every number of threads and
//! a resumed run give the same bits.

use pd_collide::{Capsule, HeightField, Sphere, Torus};
use pd_core::{Collider, Real, Surface, Vec3};
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{Checkpoint, ModelPaths, Registry, SceneError};

const FRAMES: u64 = 36;

/// Where the exact shape is at a time: its displacement and turn about +y, rad.
type Place = fn(Real) -> (Vec3, Real);

struct Case {
    obstacle: String,
    height: Real,
    exact: Box<dyn Collider>,
    place: Place,
}

fn cases() -> Vec<Case> {
    let still: Place = |_| (Vec3::zeros(), 0.0);
    let bowl: Vec<Vec<Real>> = (0..9)
        .map(|i| (0..9).map(move |k| (Real::from(i) / 4.0 - 1.0, Real::from(k) / 4.0 - 1.0)))
        .map(|row| row.map(|(x, z)| 0.6 * (x * x + z * z)).collect())
        .collect();
    let peaks: Vec<Vec<Real>> = (0..13)
        .map(|i| (0..13).map(move |k| if i % 4 == 2 && k % 4 == 2 { 0.15 } else { 0.0 }).collect())
        .collect();
    let field = |spacing: Real, heights: &[Vec<Real>]| {
        let corner = -0.5 * spacing * (heights.len() - 1) as Real;
        let text = format!(
            "kind = \"height-field\"\ncorner = [{corner}, 0, {corner}]\nspacing = {spacing}\nheights = {heights:?}"
        );
        let at = Vec3::new(corner, 0.0, corner);
        let exact = HeightField::new(at, spacing, [heights.len(); 2], &heights.concat()).unwrap();
        (text, Box::new(exact))
    };
    let ((bowl, inside), (peaks, ground)) = (field(0.25, &bowl), field(0.125, &peaks));
    let ring = Torus::with_all(Vec3::new(0.03, 0.0, 0.02), 0.3, 0.05, 0.0).unwrap();
    let torus = "kind = \"torus\"\ncentre = [0.03, 0, 0.02]\nmajor-radius = 0.3\nminor-radius = 0.05";
    let ball = Sphere::new(Vec3::new(0.0, -0.25, 0.0), 0.2).unwrap().with_margin(0.0).unwrap();
    let bar = Capsule::new(Vec3::new(-0.5, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0), 0.05).unwrap();
    let case = |obstacle: &str, height, exact: Box<dyn Collider>, place| Case {
        obstacle: obstacle.to_owned(),
        height,
        exact,
        place,
    };
    vec![
        case(torus, 0.12, Box::new(ring), still),
        case(&bowl, 0.75, inside, still),
        case(&peaks, 0.2, ground, still),
        case(
            "kind = \"sphere\"\ncentre = [0, -0.25, 0]\nradius = 0.2\nvelocity = [0, 8, 0]",
            0.2,
            Box::new(ball),
            |t| (Vec3::y() * (8.0 * t), 0.0),
        ),
        case(
            "kind = \"capsule\"\nfrom = [-0.5, 0, 0]\nto = [0.5, 0, 0]\nradius = 0.05\n\
             turn = { axis = [0, 1, 0], keys = [[0, 0], [1, 180]] }",
            0.1,
            Box::new(bar),
            |t| (Vec3::zeros(), std::f64::consts::PI * t),
        ),
    ]
}

/// Least distance of a lattice of points on all triangles of the sheet to the exact shape, m.
fn nearest(case: &Case, x: &[Vec3], triangles: &[[u32; 3]], time: Real) -> Real {
    const PARTS: u32 = 10;
    let (offset, turn) = (case.place)(time);
    let (sin, cos) = turn.sin_cos();
    let home = |p: Vec3| {
        let p = p - offset;
        // The turn about +y carries +z to +x.
        Vec3::new(p.x * cos - p.z * sin, p.y, p.x * sin + p.z * cos)
    };
    let mut points = vec![];
    for t in triangles {
        let [a, b, c] = t.map(|v| x[v as usize]);
        for i in 0..=PARTS {
            for j in 0..=PARTS - i {
                let part = |k: u32| Real::from(k) / Real::from(PARTS);
                points.push(home(a + (b - a) * part(i) + (c - a) * part(j)));
            }
        }
    }
    let mut surfaces = vec![Surface::default(); points.len()];
    case.exact.sample(&points, 0.0, &mut surfaces);
    surfaces.iter().map(|at| at.distance).fold(Real::INFINITY, Real::min)
}

fn run(case: &Case, from: Option<&Checkpoint>, look: bool) -> Result<(u64, Checkpoint), SceneError> {
    let text = format!(
        "title = \"shape\"\n[[object]]\nname = \"sheet\"\n\
         shape = {{ kind = \"grid\", rows = 5, columns = 5, width = 0.8, depth = 0.8 }}\n\
         translate = [0, {}, 0]\nmass = {{ total = 0.1 }}\nedge = {{ weight = 150 }}\nthickness = 0.02\n[[collider]]\n{}\n",
        case.height, case.obstacle
    );
    let scene = Scene::parse("shape.toml", &text, None, &ModelPaths::default())?;
    let stepper = Registry::standard().for_scene(&scene)?;
    let mut run = match from {
        Some(checkpoint) => SceneRun::resume(scene, stepper, checkpoint.clone())?,
        None => SceneRun::with_stepper(scene, stepper)?,
    };
    let (mut half, mut least) = (run.checkpoint(), Real::INFINITY);
    while run.frame() < FRAMES {
        run.advance()?;
        if run.frame() == FRAMES / 2 {
            half = run.checkpoint();
        }
        if look {
            let crossings = run.scene.crossings(&run.sim.state.x)?;
            assert!(crossings.is_empty(), "{}, frame {}: {}", case.obstacle, run.frame(), crossings[0]);
            let state = &run.sim.state;
            least = least.min(nearest(case, &state.x, &run.scene.objects[0].surface, state.time));
        }
    }
    if look {
        println!("{}: nearest point of a face {least:.1e} m", case.exact.kind());
        // Triangles enclose the shape: nothing is inside by any tolerance.
        assert!(least > 0.0 && least < 0.03, "{}: {least}", case.obstacle);
    }
    Ok((run.sim.state.hash(), half))
}

fn on<T: Send>(threads: usize, work: impl FnOnce() -> Result<T, SceneError> + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work).unwrap()
}

#[test]
fn no_face_enters_and_bits_repeat() {
    for case in cases() {
        let (one, half) = on(1, || run(&case, None, true));
        for threads in [2, 8] {
            assert_eq!(
                on(threads, || run(&case, None, false)).0,
                one,
                "{}: {threads} threads",
                case.obstacle
            );
        }
        assert_eq!(on(3, || run(&case, Some(&half), false)).0, one, "{}: continued", case.obstacle);
    }
}
