//! The table of keys of a scene that are not those of one entry of a list; the others are in the files below.

use super::Kind::{Coupling, Deformable, Grid, Particles, Rigid, Scene};
use super::when::*;
use super::{Key, Kind};

mod bodies;
mod objects;
mod particles;

pub(super) const fn key(path: &'static str, owner: Kind, unit: &'static str, about: &'static str) -> Key {
    Key { path, flag: None, owner, when: ALWAYS, live: NEVER, unit, about }
}

impl Key {
    const fn flag(self, flag: &'static str) -> Self {
        Self { flag: Some(flag), ..self }
    }

    const fn when(self, when: Condition) -> Self {
        Self { when, ..self }
    }

    const fn live(self, live: Condition) -> Self {
        Self { live, ..self }
    }

    /// Changes no result, so that it may change at any time.
    const fn words(self) -> Self {
        self.live(ANY_TIME)
    }
}

/// All keys, a table after the other.
pub(super) fn all() -> impl Iterator<Item = &'static Key> {
    [SCENE, objects::OBJECTS, bodies::BODIES, particles::PARTICLES, SURROUNDINGS].into_iter().flatten()
}

const SCENE: &[Key] = &[
    key("title", Scene, "", "one-line description").words(),
    key("source", Scene, "", "where the scene comes from").words(),
    key("frames", Scene, "", "frames of a run").flag("--frames").words(),
    key("published", Scene, "", "published counts that the scene reproduces").words(),
    key("step.dt", Scene, "s", "duration of a frame").flag("--dt").live(ANY_TIME),
    key("step.substeps", Scene, "", "steps per frame").live(ALONE),
    key("step.gravity", Scene, "m/s²", "gravity").live(ANY_TIME),
    key("step.damping", Scene, "1/s", "damping of velocities").live(ANY_TIME),
    key("step.iterations", Deformable, "", "local/global iterations per step")
        .flag("--iterations")
        .when(ITERATES)
        .live(ANY_TIME),
    key("step.hold-pinned", Deformable, "", "whether the predictor does not move pinned vertices")
        .when(PREDICTS)
        .live(ANY_TIME),
    key("step.tolerance", Deformable, "", "relative residual at which iterations end early")
        .when(MEASURES_ITS_RESIDUAL)
        .live(ANY_TIME),
    key(
        "step.accuracy",
        Deformable,
        "",
        "part of a step's motion that may be missing when iterations end early",
    )
    .when(FOLLOWS_ACCURACY)
    .live(ANY_TIME),
    key("solver.stepper", Deformable, "", "stepper by name").flag("--stepper").when(STEPS_ITSELF),
    key("solver.global", Deformable, "", "global solver by name").flag("--global").when(HAS_SYSTEM),
    key("solver.inner-iterations", Deformable, "", "most iterations per linear solve").when(ITERATIVE_SOLVER),
    key("solver.inner-tolerance", Deformable, "", "relative residual at which a linear solve ends")
        .when(ITERATIVE_SOLVER),
    key("solver.rho", Deformable, "", "spectral radius that Chebyshev acceleration assumes").when(CHEBYSHEV),
    key("solver.gamma", Deformable, "", "damping of the Jacobi family, factor of SOR").when(JACOBI_OR_SOR),
    key("solver.delay", Deformable, "", "sweeps before Chebyshev acceleration").when(CHEBYSHEV),
    key("solver.*.iterations", Deformable, "", "replaces `step.iterations` while that stepper runs"),
    key("solver.*.tolerance", Deformable, "", "replaces `step.tolerance` while that stepper runs"),
    key("solver.*.accuracy", Deformable, "", "replaces `step.accuracy` while that stepper runs"),
    key("solver.*.substeps", Deformable, "", "replaces `step.substeps` while that stepper runs"),
    key("contact.mode", Deformable, "", "contact method; also `contact = \"guard\"`")
        .flag("--contact")
        .live(WITHOUT_SURFACES),
    key("contact.thickness", Deformable, "m", "distance at which surfaces touch").when(APART_OR_BESIDE),
    key("contact.friction", Deformable, "", "Coulomb friction coefficient of all objects")
        .when(APART_OR_BESIDE),
    key("contact.iterations", Deformable, "", "replaces `step.iterations`").when(APART).live(ANY_TIME),
    key("contact.ease-speed", Deformable, "m/s", "bound of the speed at which overlapping surfaces part")
        .when(GUARDED),
    key("contact.start", Deformable, "", "what to do with surfaces that intersect at the start")
        .when(GUARDED),
    key("contact.pair[]", Deformable, "", "contact between some objects").when(APART),
    key("contact.pair[].objects", Deformable, "", "names of two or more objects").when(APART),
    key("contact.pair[].touch", Deformable, "", "whether they touch").when(APART),
    key("contact.pair[].thickness", Deformable, "m", "distance at which they touch").when(APART),
    key("contact.pair[].friction", Deformable, "", "Coulomb friction coefficient").when(APART),
    key("contact.pair[].restitution", Deformable, "", "coefficient of restitution").when(APART),
    key("coupling.scheme", Coupling, "", "scheme by name; also `coupling = \"rows\"`").flag("--coupling"),
    key("coupling.substeps", Coupling, "", "coupling steps per step"),
    key("coupling.sweeps", Coupling, "", "most sweeps over the contacts of a coupling step").when(SWEEPS),
    key("coupling.iterations", Coupling, "", "most iterations of a coupling step").when(ADMM),
    key("rigid.solver", Rigid, "", "solver by name").flag("--rigid"),
    key("rigid.substeps", Rigid, "", "substeps of a step"),
    key("rigid.sleep", Rigid, "", "whether bodies at rest fall asleep"),
    key("rigid.joint-iterations", Rigid, "", "Newton steps on the joints in a substep")
        .when(NEWTON_ON_JOINTS),
    key("rigid.margin", Rigid, "m", "distance below which contacts are found"),
    key("rigid.contact-frequency", Rigid, "Hz", "of the springs that resolve penetration")
        .when(SOFT_CONTACTS),
    key("rigid.push-out-speed", Rigid, "m/s", "fastest push-out of a penetration").when(SOFT_CONTACTS),
    key("rigid.bounce-speed", Rigid, "m/s", "slowest approach with restitution"),
    key("unified.solver", Particles, "", "solver by name").flag("--particles"),
    key("unified.substeps", Particles, "", "least substeps of a step").when(SUBSTEPS),
    key("unified.most-substeps", Particles, "", "most substeps of a step").when(SUBSTEPS),
    key("unified.body-sweeps", Particles, "", "sweeps over the contacts of bodies in a substep")
        .when(SUBSTEPS),
    key("unified.link-sweeps", Particles, "", "sweeps over links in a substep").when(SUBSTEPS),
    key("unified.spin-sweeps", Particles, "", "sweeps over grains in a substep where some spin")
        .when(SUBSTEPS),
    key("unified.push-speed", Particles, "m/s", "fastest push-out of a penetration").when(SUBSTEPS),
    key("unified.iterations", Particles, "", "iterations of a step").when(JACOBI),
    key("unified.stabilisation", Particles, "", "iterations of stabilisation").when(JACOBI),
    key("unified.relaxation", Particles, "", "over-relaxation, 1 to 2").when(JACOBI),
    key("unified.mass-scaling", Particles, "1/m", "mass scaling").when(JACOBI),
    key("unified.freeze", Particles, "m", "displacement per step below which particles stay").when(JACOBI),
    key("grid.dx", Grid, "m", "side of a cell"),
    key("grid.min", Grid, "m", "smallest corner of the domain"),
    key("grid.cells", Grid, "", "cells along x, y and z"),
    key("grid.walls", Grid, "", "what the walls do: -x, +x, -y, +y, -z, +z"),
    key("grid.friction", Grid, "", "friction of obstacles").when(MPM),
    key("grid.transfer", Grid, "", "transfer of velocities between points and grid"),
    key("grid.solver", Grid, "", "solver by name"),
];

const SURROUNDINGS: &[Key] = &[
    key("fluid[]", Grid, "", "matter that fills a box at the start"),
    key("fluid[].name", Grid, "", "name"),
    key("fluid[].law", Grid, "", "what it is, with its constants"),
    key("fluid[].min", Grid, "m", "smallest corner"),
    key("fluid[].max", Grid, "m", "largest corner"),
    key("fluid[].velocity", Grid, "m/s", "velocity at the start"),
    key("fluid[].display", Grid, "", "how it is drawn").words(),
    key("collider[]", Scene, "", "an obstacle; its shape and its motion").live(LOOSE),
    key("collider[].kind", Scene, "", "shape").live(LOOSE),
    key("collider[].margin", Scene, "m", "distance kept free around it").when(NO_WALL).live(LOOSE),
    key("collider[].friction", Scene, "", "Coulomb friction coefficient").when(HAS_FRICTION).live(LOOSE),
    key("collider[].restitution", Scene, "", "coefficient of restitution").when(HAS_FRICTION).live(LOOSE),
    key("collider[].thickness", Deformable, "m", "distance at which its triangles touch").when(WALL),
    key("collider[].edges", Deformable, "", "whether its triangles are met").when(EDGED),
    key("collider[].tolerance", Deformable, "m", "distance of its triangles from a round shape")
        .when(ROUND_WALL),
    key("collider[].rotate", Scene, "", "rotation about its centre").live(LOOSE),
    key("collider[].turn", Scene, "", "turn over time").live(LOOSE),
    key("collider[].velocity", Scene, "m/s", "constant velocity").live(LOOSE),
    key("collider[].path", Scene, "s, m", "path: time, dx, dy, dz").live(LOOSE),
    key("collider[].name", Scene, "", "name, for joints and the window").live(LOOSE),
    key("collider[].display", Scene, "", "how it is drawn").words(),
    key("force[]", Deformable, "", "wind, drag or push").live(ANY_TIME),
    key("force[].kind", Deformable, "", "\"wind\", \"drag\" or \"push\"").live(ANY_TIME),
    key("custom[]", Scene, "", "a part that the program registers; its keys are those of the part"),
];
