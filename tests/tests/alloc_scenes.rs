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
position = [0.2, 0.12, 0.15]
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

const COUPLING: &str = r#"
[coupling]
substeps = 8
"#;

const GUARD: &str = "contact = \"guard\"\n";

/// Frames in which lists, blocks and contacts grow, and frames that are counted.
const FRAMES: [usize; 2] = [30, 10];

#[test]
fn frames_of_scenes_allocate_nothing() {
    let everything = [COUPLING, SHEET, BOX, GRAINS, WATER];
    let guarded = [GUARD, COUPLING, SHEET, BOX, GRAINS, WATER];
    let cases: [(&str, usize, &[&str]); 9] = [
        ("box", 1, &[BOX, FLOOR]),
        ("grains", 1, &[GRAINS, FLOOR]),
        ("water", 1, &[WATER]),
        ("incompressible water", 1, &[INCOMPRESSIBLE]),
        ("cloth", 1, &[SHEET, FLOOR]),
        ("box in incompressible water", 1, &[COUPLING, BOX, INCOMPRESSIBLE]),
        ("everything", 1, &everything),
        ("everything, two threads", 2, &everything),
        ("everything, guarded", 1, &guarded),
    ];
    for (name, threads, parts) in cases {
        let counts: Vec<usize> = pool(threads).install(|| {
            let before = allocations();
            let text = format!("title = \"{name}\"\nframes = 60\n{}", parts.concat());
            let desc = toml::from_str(&text).unwrap();
            let scene = Scene::from_desc(name, desc, None, &ModelPaths::default()).unwrap();
            let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
            run.prepare().unwrap();
            assert!(allocations() > before, "the allocator does not count");
            let frame = |_| {
                let before = allocations();
                run.advance().unwrap();
                allocations() - before
            };
            (0..FRAMES.iter().sum()).map(frame).collect()
        });
        println!("{name}: {counts:?}");
        // The queues of the pool take a block of memory for some dozens of jobs: less than one in a frame.
        let late: usize = counts[FRAMES[0]..].iter().sum();
        assert!(late <= FRAMES[1], "{name}: {counts:?}");
    }
}
