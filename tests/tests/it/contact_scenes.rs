//! Every contact scene, at a size that is cheap: surfaces do not cross in any frame by exact predicates, vertices stay outside of
//! obstacles, and every number of threads and a resumed run give the same bits.

use pd_core::Surface;
use pd_sim::scene::{Scene, SceneRun, builtins, set_key};
use pd_sim::{Checkpoint, ModelPaths, Registry, SceneError};

/// A scene, keys that make it small and quick, and frames.
type Case = (&'static str, &'static [(&'static str, &'static str)], u64);

const GRID: [(&str, &str); 2] = [("object.0.shape.rows", "12"), ("object.0.shape.columns", "12")];

const CASES: [Case; 15] = [
    ("cloth", &[GRID[0], GRID[1], ("object.0.pin.0.select.vertices", "[0, 156]")], 40),
    ("fold", &GRID, 50),
    ("fold-140", &[("object.0.shape.rows", "14"), ("object.0.shape.columns", "14")], 30),
    (
        "layers",
        &[
            GRID[0],
            GRID[1],
            ("object.1.shape.rows", "12"),
            ("object.1.shape.columns", "12"),
            ("object.2.shape.rows", "12"),
            ("object.2.shape.columns", "12"),
        ],
        24,
    ),
    ("wedge", &[("object.0.shape.rows", "16"), ("object.0.shape.columns", "16")], 30),
    ("drape", &GRID, 24),
    (
        "twist",
        &[
            ("object.0.shape.rows", "24"),
            ("object.0.shape.columns", "9"),
            ("object.0.pin.0.turn.keys", "[[0, 0], [1, 720]]"),
            ("object.0.pin.1.turn.keys", "[[0, 0], [1, -720]]"),
        ],
        40,
    ),
    ("pile", &[], 8),
    (
        "squeeze",
        &[
            ("object.0.shape.cells", "3"),
            ("collider.1.path", "[[0, 0, 0, 0], [0.4, 0, -0.36, 0], [0.5, 0, -0.36, 0]]"),
        ],
        30,
    ),
    (
        "funnel",
        &[
            ("object.0.shape.cells", "2"),
            ("object.1.shape.cells", "2"),
            ("object.2.shape.cells", "2"),
            ("object.3.shape.cells", "2"),
        ],
        30,
    ),
    ("cards", &[], 12),
    ("incline", &[], 20),
    (
        "tubes-contact",
        &[
            ("collider.0.path", "[[0, 0, -0.2, 0], [1, 0, -0.9, 0]]"),
            ("collider.1.path", "[[0, 0, -0.2, 0], [1, 0, -0.9, 0]]"),
        ],
        16,
    ),
    ("hemispheres-contact", &[("force.4.from", "0"), ("force.4.force", "[0, 0.5, 0]")], 14),
    (
        "armadillo-pair-contact-twin",
        &[("object.0.shape.cells", "[8, 8, 8]"), ("object.1.shape.cells", "[8, 8, 8]")],
        24,
    ),
];

fn scene(&(name, keys, _): &Case) -> Result<Scene, SceneError> {
    let (mut desc, _) = pd_sim::scene::read_desc(name)?;
    for (key, value) in keys {
        desc = set_key(name, &desc, key, value)?;
    }
    Scene::from_desc(name, desc, None, &ModelPaths::default())
}

/// Runs from the start or a checkpoint, looking at every frame if asked; the end and the state half-way.
fn run(case: &Case, from: Option<&Checkpoint>, look: bool) -> Result<(u64, Checkpoint), SceneError> {
    let scene = scene(case)?;
    let stepper = Registry::standard().for_scene(&scene)?;
    let mut run = match from {
        Some(checkpoint) => SceneRun::resume(scene, stepper, checkpoint.clone())?,
        None => SceneRun::with_stepper(scene, stepper)?,
    };
    let (mut half, mut contacts) = (run.checkpoint(), 0);
    while run.frame() < case.2 {
        let report = run.advance()?;
        contacts += report.contact.map_or(0, |contact| contact.contacts);
        if run.frame() == case.2 / 2 {
            half = run.checkpoint();
        }
        if look {
            let (name, frame) = (case.0, run.frame());
            let crossings = run.scene.crossings(&run.sim.state.x)?;
            assert!(crossings.is_empty(), "{name}, frame {frame}: {}", crossings[0]);
            let mut surfaces = vec![Surface::default(); run.sim.state.x.len()];
            for collider in &run.sim.colliders {
                collider.sample(&run.sim.state.x, run.sim.state.time, &mut surfaces);
                for (i, surface) in
                    surfaces.iter().enumerate().filter(|(i, _)| !run.sim.model.is_kinematic(*i))
                {
                    assert!(
                        surface.distance > 0.0,
                        "{name}, frame {frame}: vertex {i} at {}",
                        surface.distance
                    );
                }
            }
        }
    }
    assert!(!look || contacts > 0, "{}: nothing touched", case.0);
    Ok((run.sim.state.hash(), half))
}

fn on<T: Send>(threads: usize, work: impl FnOnce() -> Result<T, SceneError> + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work).unwrap()
}

#[test]
fn nothing_crosses_and_bits_repeat() {
    for case in &CASES {
        let (one, half) = on(1, || run(case, None, true));
        for threads in [2, 8] {
            assert_eq!(on(threads, || run(case, None, false)).0, one, "{}: {threads} threads", case.0);
        }
        assert_eq!(on(3, || run(case, Some(&half), false)).0, one, "{}: continued on 3 threads", case.0);
    }
}

#[test]
fn every_contact_scene_has_a_case() {
    let apart = |name: &str| {
        let builtin = builtins().iter().find(|builtin| builtin.name == name).unwrap();
        let desc = builtin.desc().unwrap();
        // Scenes of several kinds have tests of their own.
        let others = desc.bodies.len() + desc.particles.len() + desc.fluids.len();
        desc.contact_mode().keeps_apart() && others == 0
    };
    let nowhere = ModelPaths::default();
    for builtin in builtins().iter().filter(|builtin| apart(builtin.name)) {
        let loaded = Scene::load(builtin.name, &nowhere);
        let here = !matches!(loaded, Err(SceneError::ModelNotPresent { .. }));
        let listed = CASES.iter().any(|case| case.0 == builtin.name);
        assert_eq!(listed, here, "{}", builtin.name);
    }
}
