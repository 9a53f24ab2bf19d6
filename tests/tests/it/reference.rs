//! The same algorithm with the same parameters gives the same motion as an independent double-precision run: after 60
//! frames every vertex of `bar` and of the two cloths without bending is within 1e-6 m of it, and the motion up to there
//! is not chaotic, so the agreement means something.

use pd_constraints::{EdgeSprings, Pins, StrainRange, TetStrain};
use pd_core::{Model, Vec3};
use pd_mesh::topology;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};
use std::str::FromStr;
use tests::{Random, Rig, find_model, largest_distance};

const FRAMES: usize = 60;

/// Rows of a text file, `None` (with a line on stdout) where the file is not present.
fn rows<T: FromStr<Err: std::fmt::Debug>>(file: &str) -> Option<Vec<Vec<T>>> {
    let text = std::fs::read_to_string(find_model(file)?).unwrap();
    let row = |line: &str| line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    Some(text.lines().filter(|line| !line.trim().is_empty()).map(row).collect())
}

fn vectors(file: &str) -> Option<Vec<Vec3>> {
    Some(rows::<f64>(file)?.iter().map(|r| Vec3::new(r[0], r[1], r[2])).collect())
}

fn elements<const N: usize>(file: &str) -> Option<Vec<[u32; N]>> {
    Some(rows::<u32>(file)?.iter().map(|r| r[..].try_into().unwrap()).collect())
}

fn pins(file: &str) -> Option<Vec<u32>> {
    Some(rows::<u32>(file)?.concat())
}

/// Makes the model of a rest shape.
type Build = Box<dyn Fn(&[Vec3]) -> Model>;

/// The reference's rest shape, how its model is made, and where it is after [`FRAMES`] frames.
struct Reference {
    rest: Vec<Vec3>,
    build: Build,
    after: Vec<Vec3>,
}

fn cloths() -> Option<Reference> {
    let triangles = elements::<3>("cloths2_nobend_elements.txt")?;
    let pins = pins("cloths2_nobend_pins.txt")?;
    assert_eq!((triangles.len(), pins.len()), (1600, 4));
    let build = move |rest: &[Vec3]| {
        let edges = topology::triangle_edges(&triangles);
        Model::with_masses(vec![0.001; rest.len()])
            .energy(EdgeSprings::new(rest, &edges, 100.0).unwrap())
            .energy(Pins::new(rest, &pins, 100.0).unwrap())
            .build()
            .unwrap()
    };
    let (rest, after) = (vectors("cloths2_nobend_init.txt")?, vectors("cloths2_nobend_f60.txt")?);
    Some(Reference { rest, build: Box::new(build), after })
}

fn bar() -> Option<Reference> {
    let tets = elements::<4>("bar_elements.txt")?;
    let pins = pins("bar_pins.txt")?;
    assert_eq!((tets.len(), pins.len()), (540, 16));
    let build = move |rest: &[Vec3]| {
        Model::with_masses(vec![0.001; rest.len()])
            .energy(TetStrain::new(rest, &tets, 1000.0, StrainRange::uniform(0.95, 1.05)).unwrap())
            .energy(Pins::new(rest, &pins, 100.0).unwrap())
            .build()
            .unwrap()
    };
    Some(Reference { rest: vectors("bar_init.txt")?, build: Box::new(build), after: vectors("bar_f60.txt")? })
}

/// Positions after [`FRAMES`] frames from `start`, with constraints built at rest.
fn run(reference: &Reference, start: Vec<Vec3>) -> Vec<Vec3> {
    let mut rig = Rig::new((reference.build)(&reference.rest), start);
    rig.run(FRAMES);
    rig.state.x
}

fn compare(name: &str, reference: Option<Reference>) {
    let Some(reference) = reference else { return };
    let here = run(&reference, reference.rest.clone());
    let distance = largest_distance(&here, &reference.after);
    let moved = largest_distance(&here, &reference.rest);
    println!(
        "{name}: {distance:.2e} m from the independent run after {FRAMES} frames, having moved {moved:.2} m"
    );
    assert!(moved > 0.05, "{name} moved only {moved} m: nothing is compared");
    assert!(distance < 1e-6, "{name} is {distance:e} m away from the independent run");

    let perturbed = Random::new(7).shaken(&reference.rest, 1e-12);
    let spread = largest_distance(&run(&reference, perturbed), &here);
    println!("{name}: a start off by 1e-12 m ends {spread:.2e} m away");
    assert!(spread < 1e-8, "{name}: a start off by 1e-12 m ends {spread:e} m away");
}

#[test]
fn two_cloths_without_bending() {
    compare("cloths", cloths());
}

#[test]
fn bar_held_at_one_end() {
    compare("bar", bar());
}

/// The scene file says the same as the model written out above.
#[test]
fn built_in_bar() {
    let Some(after) = vectors("bar_f60.txt") else { return };
    let scene = Scene::load("bar", &ModelPaths::default()).unwrap();
    let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
    for _ in 0..FRAMES {
        run.advance().unwrap();
    }
    let distance = largest_distance(&run.sim.state.x, &after);
    println!("scene bar: {distance:.2e} m from the independent run after {FRAMES} frames");
    assert!(distance < 1e-6, "{distance:e}");
}
