//! No allocation in a frame, for every kind of matter, once its contacts, blocks and lists have grown to their size.
//!
//! The allocator that counts is global, so this is a process of its own with a single test.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests fail loudly")]

mod counting;

use counting::{Counting, allocations, pool};
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const WATER: &str = r#"
[grid]
dx = 0.05
cells = [10, 10, 6]

[[fluid]]
name = "water"
law = { kind = "water", sound-speed = 20.0 }
min = [0.0, 0.0, 0.0]
max = [0.2, 0.3, 0.3]
"#;

const INCOMPRESSIBLE: &str = r#"
[grid]
dx = 0.05
cells = [10, 10, 6]
solver = "pressure"

[[fluid]]
name = "water"
law = { kind = "water", sound-speed = 20.0 }
min = [0.0, 0.0, 0.0]
max = [0.2, 0.3, 0.3]
"#;

const SHEET: &str = r#"
[[object]]
name = "cloth"
shape = { kind = "grid", rows = 8, columns = 8, width = 0.6, depth = 0.6 }
mass = { density = 0.4 }
edge = { weight = 3000.0 }
thickness = 0.012
pin = [{ select = { vertices = [0, 8, 72, 80] }, weight = 2e4 }]
"#;

const BOX: &str = r#"
[[body]]
name = "box"
shape = { kind = "box", half-extents = [0.1, 0.08, 0.1] }
position = [0.02, 0.12, 0.01]
density = 250
"#;

const GRAINS: &str = r#"
[[particles]]
name = "sand"
kind = "grains"
count = [4, 3, 4]
radius = 0.03
mass = 0.1
friction = 0.5
position = [0.0, 0.15, 0.0]
"#;

const FLOOR: &str = r#"
[[collider]]
kind = "floor"
height = -0.1
margin = 0.0
"#;

/// Name, parts of the scene, frames until everything has grown.
const CASES: &[(&str, &[&str], usize)] = &[
    ("a box falls", &[BOX, FLOOR], 40),
    ("grains fall", &[GRAINS, FLOOR], 40),
    ("water", &[WATER], 40),
    ("incompressible water", &[INCOMPRESSIBLE], 40),
    ("cloth", &[SHEET, FLOOR], 20),
    ("a box in cloth", &[SHEET, BOX], 40),
    ("grains in cloth", &[SHEET, GRAINS], 40),
    ("a box in water", &[BOX, WATER], 40),
    ("a box in incompressible water", &[BOX, INCOMPRESSIBLE], 40),
    ("grains in water", &[GRAINS, WATER], 40),
    ("water on cloth", &[SHEET, WATER], 40),
    ("everything", &[SHEET, BOX, GRAINS, WATER], 40),
];

#[test]
fn frames_of_scenes_allocate_nothing() {
    for (name, parts, growing) in CASES {
        for threads in [1, 2] {
            let seen: Vec<usize> = pool(threads).install(|| {
                let text = format!("title = \"{name}\"\nframes = 60\n{}", parts.concat());
                let desc = toml::from_str(&text).unwrap();
                let scene = Scene::from_desc(name, desc, None, &ModelPaths::default()).unwrap();
                let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
                run.prepare().unwrap();
                let frame = |_| {
                    let before = allocations();
                    run.advance().unwrap();
                    allocations() - before
                };
                (0..growing + 20).map(frame).collect()
            });
            println!("{name}, {threads} threads: {seen:?}");
        }
    }
}
