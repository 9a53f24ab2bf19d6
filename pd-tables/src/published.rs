//! The published figures: tables 7.1 to 7.6 of the thesis on GPU projective dynamics (2023), table 4.1 of the thesis on
//! fluid-solid coupling (2023). Machine of the former: i7-12700, RTX 3060 Ti, local step on the GPU; its times include
//! rendering. The latter names no machine.

use crate::{Cell, Outcome};

/// A row of tables 7.1 and 7.2.
pub struct SceneRow {
    /// Name in the tables here.
    pub name: &'static str,
    /// Built-in scene.
    pub scene: &'static str,
    /// Its generated stand-in where the scene needs a model file.
    pub twin: Option<&'static str>,
    /// Vertices, elements, constraints (7.1).
    pub counts: [u64; 3],
    /// Precomputation, ms (7.2).
    pub prepare_ms: f64,
    /// Least and largest frames per second (7.2).
    pub fps: [Fps; 2],
}

/// A published rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fps {
    /// Frames per second.
    At(f64),
    /// ">200": the program showed no more.
    MoreThan(f64),
    /// The iteration diverged.
    Diverges,
    /// The memory did not suffice.
    OutOfMemory,
}

impl Fps {
    /// As a cell.
    pub fn cell(self) -> Cell {
        match self {
            Self::At(fps) => Cell::Number(fps),
            Self::MoreThan(fps) => Cell::MoreThan(fps),
            Self::Diverges => Cell::Outcome(Outcome::Diverges),
            Self::OutOfMemory => Cell::text("out of memory"),
        }
    }
}

use Fps::{At, Diverges, MoreThan, OutOfMemory};

const fn row(
    name: &'static str,
    scene: &'static str,
    twin: Option<&'static str>,
    counts: [u64; 3],
    prepare_ms: f64,
    fps: [Fps; 2],
) -> SceneRow {
    SceneRow { name, scene, twin, counts, prepare_ms, fps }
}

/// Tables 7.1 and 7.2.
pub const SCENES: [SceneRow; 12] = [
    row("2 cloths 20×20", "cloth-pair", None, [882, 1600, 2845], 39.0, [At(200.0), MoreThan(200.0)]),
    row("2 cloths in wind", "cloth-pair-wind", None, [882, 1600, 2845], 40.0, [At(200.0), MoreThan(200.0)]),
    row("cloth 140×140", "cloth-140", None, [19881, 39200, 59082], 595.0, [At(52.0), At(59.0)]),
    row("5 hemisphere shells", "hemispheres", None, [1700, 3200, 6400], 63.0, [At(91.0), At(100.0)]),
    row("2 tubes", "tubes", None, [680, 1280, 2340], 32.0, [MoreThan(200.0), MoreThan(200.0)]),
    row("hanging bar", "bar", None, [208, 540, 556], 11.0, [MoreThan(200.0), MoreThan(200.0)]),
    row("bridge", "bridge", None, [189, 400, 418], 12.0, [MoreThan(200.0), MoreThan(200.0)]),
    row("elastic ball", "ball", None, [530, 1539, 1539], 37.0, [MoreThan(200.0), MoreThan(200.0)]),
    row("sandbox", "sandbox", None, [10191, 29214, 30425], 935.0, [At(62.0), At(66.0)]),
    row("Bunny", "bunny", Some("bunny-twin"), [2531, 8121, 8125], 215.0, [At(83.0), At(90.0)]),
    row("Dragon", "dragon", Some("dragon-twin"), [41262, 167882, 167882], 56091.0, [At(8.1), At(10.2)]),
    row(
        "Armadillo",
        "armadillo",
        Some("armadillo-twin"),
        [15666, 49393, 51362],
        6704.0,
        [At(45.0), At(47.0)],
    ),
];

/// Table 7.3: tetrahedral constraints and ms of the serial local step.
pub const LOCAL_STEP: [(u64, f64); 4] = [(8_000, 20.0), (16_000, 51.0), (40_000, 120.0), (78_000, 297.0)];

/// A row of tables 7.4 and 7.5.
pub struct SolverRow {
    /// Name in the tables here.
    pub name: &'static str,
    /// Built-in scene.
    pub scene: &'static str,
    /// Its generated stand-in where the scene needs a model file.
    pub twin: Option<&'static str>,
    /// Local/global iterations a frame and sweeps a solve: recorded in the program for the 100×100 cloth, its defaults
    /// for the others.
    pub iterations: (usize, usize),
    /// Damping γ of the Jacobi family where the thesis names one.
    pub gamma: Option<f64>,
    /// Cholesky, naive Jacobi, A-Jacobi of order 1, 2, 3.
    pub fps: [Fps; 5],
}

/// Tables 7.4 (first three columns) and 7.5 (the other two).
pub const SOLVERS: [SolverRow; 5] = [
    SolverRow {
        name: "8 cloths 20×20",
        scene: "cloths-8",
        twin: None,
        iterations: (10, 500),
        gamma: None,
        fps: [At(90.0), At(2.0), At(100.0), At(90.0), At(71.0)],
    },
    SolverRow {
        name: "cloth 100×100",
        scene: "cloth-100",
        twin: None,
        iterations: (5, 200),
        gamma: None,
        fps: [At(75.0), OutOfMemory, At(112.0), At(89.0), At(77.0)],
    },
    SolverRow {
        name: "tubes",
        scene: "tubes",
        twin: None,
        iterations: (10, 500),
        gamma: None,
        fps: [MoreThan(200.0), At(12.0), At(200.0), At(200.0), At(111.0)],
    },
    SolverRow {
        name: "elastic ball",
        scene: "ball",
        twin: None,
        iterations: (10, 500),
        gamma: Some(0.7),
        fps: [MoreThan(200.0), Diverges, At(38.0), At(27.0), At(14.0)],
    },
    SolverRow {
        name: "Bunny",
        scene: "bunny",
        twin: Some("bunny-twin"),
        iterations: (10, 500),
        gamma: None,
        fps: [At(83.0), Diverges, Diverges, Diverges, Diverges],
    },
];

/// The five solvers of tables 7.4 and 7.5: name there, name in the registry.
pub const SOLVER_NAMES: [(&str, &str); 5] = [
    ("Cholesky", "cholesky"),
    ("naive Jacobi", "dense-jacobi-published"),
    ("A-Jacobi 1", "a-jacobi-1-published"),
    ("A-Jacobi 2", "a-jacobi-2-published"),
    ("A-Jacobi 3", "a-jacobi-3-published"),
];

/// Table 7.6: scene, engine, average frames per second.
pub const ENGINES: [(&str, &str, f64); 6] = [
    ("cloth 140×140", "thesis (A-Jacobi)", 54.0),
    ("cloth 140×140", "NvCloth 1.1.6", 48.0),
    ("cloth 140×140", "Bullet 3.25", 41.0),
    ("2 Armadillos", "thesis (Cholesky)", 21.0),
    ("2 Armadillos", "PhysX 5.1.3", 44.0),
    ("2 Armadillos", "Bullet 3.25", 17.0),
];

/// Table 4.1: cells along a side of the cloth, ms a step of consensus ADMM, ms a step of projective dynamics.
pub const CONSENSUS: [(usize, f64, f64); 3] = [(10, 1.4, 2.7), (100, 22.0, 75.0), (200, 80.0, 353.0)];

/// Table 4.2: method, time without a unit, false positives, false negatives.
pub const CCD: [(&str, f64, u64, u64); 4] = [
    ("interval root finder", 115.89, 2, 0),
    ("TightCCD", 0.24, 95_638, 0),
    ("Tight Inclusion", 0.74, 2, 0),
    ("coupling thesis", 0.1, 2, 0),
];

/// Mixed scene of the coupling thesis: nodes, tetrahedra, frames a second.
pub const MIXED: (u64, u64, f64) = (400, 1384, 310.0);

/// Table 1 of the report on XPBD for rigid bodies (Taichi): scene, built-in scene, frames per second at 5 and 10 substeps on its CPU and
/// on its GPU (RTX 3070 Laptop).
pub const RIGID: [(&str, &str, [f64; 2], [f64; 2]); 2] = [
    ("triple pendulum", "pendulum", [60.0, 48.0], [35.0, 24.0]),
    ("boxes", "boxes", [80.0, 60.0], [43.0, 30.0]),
];

/// Its profile of the triple pendulum on the CPU: kernel, share of the time in per cent, mean of a call in ms.
pub const RIGID_PROFILE: [(&str, f64, f64); 4] = [
    ("reset multipliers", 20.5, 0.084),
    ("solve constraints", 20.2, 0.082),
    ("before the solve", 11.9, 0.048),
    ("update velocities", 11.5, 0.047),
];

/// A row of table 1 of the unified-particle report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleRow {
    /// Name there.
    pub name: &'static str,
    /// Scene here, and its generated stand-in.
    pub scene: &'static str,
    /// The stand-in, where the scene needs a scanned model.
    pub twin: Option<&'static str>,
    /// Particles, faces and vertices.
    pub counts: [u64; 3],
    /// Frames per second.
    pub fps: f64,
    /// What the report does not specify.
    pub note: &'static str,
}

const fn particles(name: &'static str, scene: &'static str, counts: [u64; 3], fps: f64) -> ParticleRow {
    ParticleRow { name, scene, twin: None, counts, fps, note: "" }
}

/// Table 1 of the unified-particle report.
pub const PARTICLES: [ParticleRow; 7] = [
    particles("rigid collision", "particles-rigid", [1412, 6144, 3076], 402.0),
    particles("linear deformable", "particles-linear", [1412, 6144, 3076], 399.0),
    particles("quadratic deformable", "particles-quadratic", [1412, 6144, 3076], 385.0),
    ParticleRow {
        note: "the report's text says 156 particles a cube; 152 fit its table",
        ..particles("rigid stack", "particles-stack", [760, 15360, 7690], 395.0)
    },
    particles("granular friction", "sand", [16000, 0, 0], 117.0),
    ParticleRow {
        twin: Some("particles-bunny-twin"),
        ..particles("rigid Bunny", "particles-bunny", [1170, 80000, 40004], 381.0)
    },
    ParticleRow {
        twin: Some("particles-pile-twin"),
        note: "the report's text says 256 particles a body; 258 fit its table",
        ..particles("Bunny pile", "particles-pile", [25800, 1_156_000, 578_200], 66.0)
    },
];
