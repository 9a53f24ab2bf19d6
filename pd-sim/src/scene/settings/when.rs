//! Conditions under which a kind of matter takes a key: words for the table, and a test of the description.

use crate::scene::SceneDesc;
use crate::scene::desc::{
    BendingModelDesc, BodyDesc, BodyShapeDesc, ColliderDesc, ColliderShapeDesc, ContactMode, GridSolverDesc,
    JointDesc, JointKindDesc, LaplacianDesc, ObjectDesc, ObstacleKind, ParticleKindDesc, ParticlesDesc,
};

/// A condition on a description; the numbers are those of the entries that the path of the key goes through.
#[derive(Clone, Copy)]
pub struct Condition {
    /// In words, to follow "is taken by deformable bodies"; empty if it always holds.
    pub words: &'static str,
    /// Whether it holds.
    pub holds: fn(&SceneDesc, &[usize]) -> bool,
}

impl std::fmt::Debug for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words)
    }
}

const fn when(words: &'static str, holds: fn(&SceneDesc, &[usize]) -> bool) -> Condition {
    Condition { words, holds }
}

pub(super) const ALWAYS: Condition = when("", |_, _| true);

// ----- the step and its solvers ---------------------------------------------------------------------------------------------

/// Steppers that take no iterations or no tolerance.
const EXPLICIT: [&str; 1] = ["symplectic"];
const WITHOUT_TOLERANCE: [&str; 4] = ["symplectic", "pbd", "pbd-jacobi", "xpbd"];

/// Steppers without a linear system for a global solver.
const WITHOUT_SYSTEM: [&str; 11] = [
    "fused-jacobi",
    "admm-consensus",
    "symplectic",
    "descent",
    "pbd",
    "pbd-jacobi",
    "xpbd",
    "xpbd-block",
    "vbd",
    "vbd-chebyshev",
    "barrier",
];

/// The stepper without its time discretisation, or the contact method that replaces it.
fn stepper(desc: &SceneDesc) -> &str {
    match desc.contact_mode() {
        ContactMode::Barrier => "barrier",
        ContactMode::ImpactZones => "impact-zones",
        _ => desc.solver.stepper.split('+').next().unwrap_or_default(),
    }
}

fn own_stepper(desc: &SceneDesc) -> bool {
    desc.kinds() < 2 || desc.coupling.scheme != "admm-ipc"
}

fn apart(desc: &SceneDesc) -> bool {
    desc.contact_mode().keeps_apart()
}

pub(super) const STEPS_ITSELF: Condition =
    when("unless the coupling \"admm-ipc\" moves them", |desc, _| own_stepper(desc));

pub(super) const ITERATES: Condition = when(
    "with an iterative stepper, unless `contact.iterations` or the coupling \"admm-ipc\" replaces it",
    |desc, _| {
        own_stepper(desc)
            && !EXPLICIT.contains(&stepper(desc))
            && !(apart(desc) && desc.contact.iterations.is_some())
    },
);

pub(super) const MEASURES_ITS_RESIDUAL: Condition = when(
    "with a stepper that measures its residual (not symplectic, pbd, xpbd, barrier, impact zones)",
    |desc, _| {
        own_stepper(desc)
            && !WITHOUT_TOLERANCE.contains(&stepper(desc))
            && !["barrier", "impact-zones"].contains(&stepper(desc))
    },
);

pub(super) const FOLLOWS_ACCURACY: Condition =
    when("with the stepper \"pd\" and contact \"project\" or \"off\"", |desc, _| {
        own_stepper(desc) && stepper(desc) == "pd" && !apart(desc)
    });

pub(super) const PREDICTS: Condition = when("", |desc, _| own_stepper(desc));

pub(super) const HAS_SYSTEM: Condition =
    when("with a stepper that solves a linear system", |desc, _| has_system(desc));

fn has_system(desc: &SceneDesc) -> bool {
    own_stepper(desc) && !WITHOUT_SYSTEM.contains(&stepper(desc))
}

/// Solvers of the workspace that factor, and so take no options.
fn factors(desc: &SceneDesc) -> bool {
    let name = desc.solver.global.as_str();
    name == "dense" || name.starts_with("cholesky") || name.starts_with("panels")
}

fn solver_in(desc: &SceneDesc, prefixes: &[&str]) -> bool {
    let known =
        ["cholesky", "panels", "dense", "pcg", "gauss-seidel", "sor", "jacobi", "chebyshev", "a-jacobi"];
    let name = desc.solver.global.as_str();
    // A solver that a program registered may take any option.
    prefixes.iter().any(|prefix| name.starts_with(prefix)) || !known.iter().any(|own| name.starts_with(own))
}

pub(super) const ITERATIVE_SOLVER: Condition =
    when("with an iterative global solver", |desc, _| has_system(desc) && !factors(desc));

pub(super) const JACOBI_OR_SOR: Condition =
    when("with a global solver of the Jacobi family or \"sor\"", |desc, _| {
        has_system(desc) && solver_in(desc, &["jacobi", "dense-jacobi", "chebyshev", "a-jacobi", "sor"])
    });

pub(super) const CHEBYSHEV: Condition =
    when("with the global solver \"chebyshev\" or \"a-jacobi\"", |desc, _| {
        has_system(desc) && solver_in(desc, &["chebyshev", "a-jacobi"])
    });

// ----- contact and coupling -------------------------------------------------------------------------------------------------

pub(super) const APART: Condition =
    when("with contact \"guard\", \"barrier\" or \"impact-zones\"", |desc, _| apart(desc));

pub(super) const APART_OR_BESIDE: Condition = when(
    "with contact \"guard\", \"barrier\" or \"impact-zones\", or beside other kinds of matter",
    |desc, _| apart(desc) || desc.kinds() > 1,
);

pub(super) const GUARDED: Condition =
    when("with contact \"guard\"", |desc, _| desc.contact_mode() == ContactMode::Guard);

pub(super) const SWEEPS: Condition =
    when("with the schemes \"rows\", \"staggered\" and \"one-way\"", |desc, _| {
        desc.coupling.scheme != "admm-ipc"
    });

pub(super) const ADMM: Condition =
    when("with the scheme \"admm-ipc\"", |desc, _| desc.coupling.scheme == "admm-ipc");

// ----- deformable bodies ----------------------------------------------------------------------------------------------------

fn object<'a>(desc: &'a SceneDesc, at: &[usize]) -> Option<&'a ObjectDesc> {
    desc.objects.get(*at.first()?)
}

pub(super) const DEFORMS: Condition =
    when("that are no obstacles", |desc, at| object(desc, at).is_none_or(|object| object.obstacle.is_none()));

pub(super) const TOUCHES_ITSELF: Condition =
    when("that are no obstacles, with contact \"guard\", \"barrier\" or \"impact-zones\"", |desc, at| {
        apart(desc) && (DEFORMS.holds)(desc, at)
    });

pub(super) const DISTANCE_FIELD: Condition = when(
    "that are obstacles met by a distance field: `as = \"distance\"` or contact \"project\", without `frames`",
    |desc, at| {
        let obstacle = object(desc, at).and_then(|object| object.obstacle.as_ref());
        obstacle.is_none_or(|obstacle| {
            obstacle.frames.is_empty() && (obstacle.kind == ObstacleKind::Distance || !apart(desc))
        })
    },
);

pub(super) const LAPLACIAN: Condition = when("with the model \"laplacian\"", |desc, at| {
    object(desc, at).and_then(|object| object.bending).is_none_or(|bending| {
        bending.model == BendingModelDesc::Laplacian || bending.laplacian == LaplacianDesc::default()
    })
});

// ----- rigid bodies ---------------------------------------------------------------------------------------------------------

fn body<'a>(desc: &'a SceneDesc, at: &[usize]) -> Option<&'a BodyDesc> {
    desc.bodies.get(*at.first()?)
}

fn is_dynamic(body: &BodyDesc) -> bool {
    let driven = !body.path.is_empty() || body.spin.is_some();
    !(body.fixed || driven || matches!(body.shape, BodyShapeDesc::Ground))
}

pub(super) const DYNAMIC: Condition =
    when("that are neither fixed nor moved by a path or spin", |desc, at| {
        body(desc, at).is_none_or(is_dynamic)
    });

pub(super) const WEIGHED_BY_DENSITY: Condition =
    when("that are neither fixed nor moved by a path or spin, without `mass` and `inertial`", |desc, at| {
        body(desc, at).is_none_or(|body| {
            let parts = matches!(body.shape, BodyShapeDesc::Compound { .. });
            is_dynamic(body) && body.inertial.is_none() && (body.mass.is_none() || parts)
        })
    });

fn joint<'a>(desc: &'a SceneDesc, at: &[usize]) -> Option<&'a JointDesc> {
    desc.joints.get(*at.first()?)
}

pub(super) const HAS_AXIS: Condition =
    when("by joints with an axis, not \"fixed\" and \"distance\"", |desc, at| {
        joint(desc, at)
            .is_none_or(|joint| !matches!(joint.kind, JointKindDesc::Fixed | JointKindDesc::Distance))
    });

pub(super) const HAS_LENGTH: Condition = when("by joints \"distance\"", |desc, at| {
    joint(desc, at).is_none_or(|joint| joint.kind == JointKindDesc::Distance)
});

pub(super) const HAS_RATIO: Condition = when("by joints \"gear\"", |desc, at| {
    joint(desc, at).is_none_or(|joint| joint.kind == JointKindDesc::Gear)
});

pub(super) const HAS_MOTOR: Condition =
    when("by joints with `motor-speed` or `motor-position`", |desc, at| {
        joint(desc, at).is_none_or(|joint| joint.motor_speed.is_some() || joint.motor_position.is_some())
    });

pub(super) const HAS_SERVO: Condition = when("by joints with `motor-position`", |desc, at| {
    joint(desc, at).is_none_or(|joint| joint.motor_position.is_some())
});

pub(super) const IS_SOFT: Condition =
    when("by joints with `compliance` or `angular-compliance`", |desc, at| {
        joint(desc, at).is_none_or(|joint| joint.compliance.is_some() || joint.angular_compliance.is_some())
    });

pub(super) const NEWTON_ON_JOINTS: Condition =
    when("with the solvers \"direct\" and \"rattle\"", |desc, _| {
        !["tgs-soft", "xpbd"].contains(&desc.rigid.solver.as_str())
    });

pub(super) const SOFT_CONTACTS: Condition =
    when("with the solvers \"direct\", \"rattle\" and \"tgs-soft\"", |desc, _| desc.rigid.solver != "xpbd");

// ----- particles ------------------------------------------------------------------------------------------------------------

pub(super) const SUBSTEPS: Condition =
    when("with the solver \"unified-substep\"", |desc, _| desc.unified.solver != "unified");

pub(super) const JACOBI: Condition =
    when("with the solver \"unified\"", |desc, _| desc.unified.solver != "unified-substep");

fn set<'a>(desc: &'a SceneDesc, at: &[usize]) -> Option<&'a ParticlesDesc> {
    desc.particles.get(*at.first()?)
}

fn is_body(set: &ParticlesDesc) -> bool {
    use ParticleKindDesc::{Linear, Quadratic, Rigid};
    matches!(set.kind, Rigid | Linear | Quadratic)
}

fn is_linked(set: &ParticlesDesc) -> bool {
    use ParticleKindDesc::{Cloth, Inflatable, Rope};
    matches!(set.kind, Cloth | Inflatable | Rope)
}

pub(super) const BLOCK: Condition = when("without a `shape`", |desc, at| {
    set(desc, at).is_none_or(|set| set.shape.is_none() && set.kind != ParticleKindDesc::Inflatable)
});

pub(super) const MESHED: Condition =
    when("that are no ropes", |desc, at| set(desc, at).is_none_or(|set| set.kind != ParticleKindDesc::Rope));

pub(super) const OF_A_MESH: Condition =
    when("with a `shape`", |desc, at| set(desc, at).is_none_or(|set| set.shape.is_some()));

pub(super) const SAMPLED: Condition =
    when("with a `shape` that is filled: not cloth and inflatables", |desc, at| {
        set(desc, at).is_none_or(|set| set.shape.is_some() && !is_linked(set))
    });

pub(super) const BODIES: Condition =
    when("of kind \"rigid\", \"linear\" or \"quadratic\"", |desc, at| set(desc, at).is_none_or(is_body));

pub(super) const BLOCK_BODIES: Condition =
    when("of kind \"rigid\", \"linear\" or \"quadratic\" without a `shape`", |desc, at| {
        set(desc, at).is_none_or(|set| is_body(set) && set.shape.is_none())
    });

pub(super) const SPACED: Condition =
    when("of kind \"grains\", \"fixed\", \"rope\" or \"cloth\" without a `shape`", |desc, at| {
        set(desc, at).is_none_or(|set| {
            set.shape.is_none() && !is_body(set) && set.kind != ParticleKindDesc::Inflatable
        })
    });

pub(super) const SHAPE_MATCHED: Condition = when("of kind \"linear\" or \"quadratic\"", |desc, at| {
    use ParticleKindDesc::{Linear, Quadratic};
    set(desc, at).is_none_or(|set| matches!(set.kind, Linear | Quadratic))
});

pub(super) const LINKED: Condition =
    when("of kind \"rope\", \"cloth\" or \"inflatable\"", |desc, at| set(desc, at).is_none_or(is_linked));

pub(super) const INFLATABLE: Condition = when("of kind \"inflatable\"", |desc, at| {
    set(desc, at).is_none_or(|set| set.kind == ParticleKindDesc::Inflatable)
});

pub(super) const ROLLS: Condition =
    when("of kind \"grains\" or \"fixed\", with the solver \"unified-substep\"", |desc, at| {
        desc.unified.solver != "unified" && set(desc, at).is_none_or(|set| !is_body(set) && !is_linked(set))
    });

pub(super) const FREE: Condition = when("that are not of kind \"fixed\"", |desc, at| {
    set(desc, at).is_none_or(|set| set.kind != ParticleKindDesc::Fixed)
});

// ----- matter on a grid -----------------------------------------------------------------------------------------------------

pub(super) const MPM: Condition = when("with the solver \"mpm\"", |desc, _| {
    desc.grid.as_ref().is_none_or(|grid| grid.solver != Some(GridSolverDesc::Pressure))
});

// ----- obstacles ------------------------------------------------------------------------------------------------------------

fn collider<'a>(desc: &'a SceneDesc, at: &[usize]) -> Option<&'a ColliderDesc> {
    desc.colliders.get(*at.first()?)
}

/// Whether its triangles meet those of deformable bodies.
pub(super) fn is_wall(desc: &SceneDesc, at: &[usize]) -> bool {
    !desc.objects.is_empty() && apart(desc) && collider(desc, at).is_some_and(ColliderDesc::has_edges)
}

fn only_elastic(desc: &SceneDesc) -> bool {
    desc.kinds() == 1 && !desc.objects.is_empty()
}

pub(super) const NO_WALL: Condition = when(
    "by every kind of matter that meets its distance: not by deformable bodies alone that meet its triangles",
    |desc, at| !(is_wall(desc, at) && only_elastic(desc)),
);

pub(super) const HAS_FRICTION: Condition = when(
    "by deformable bodies with contact \"guard\", \"barrier\" or \"impact-zones\", and by rigid bodies",
    |desc, _| (!desc.objects.is_empty() && apart(desc)) || desc.has_rigid_bodies(),
);

pub(super) const EDGED: Condition =
    when("by deformable bodies with contact \"guard\", \"barrier\" or \"impact-zones\"", |desc, _| {
        !desc.objects.is_empty() && apart(desc)
    });

pub(super) const WALL: Condition = when("by deformable bodies that meet its triangles, see `edges`", is_wall);

pub(super) const ROUND_WALL: Condition = when(
    "by deformable bodies that meet the triangles of a sphere, capsule, cylinder or torus, see `edges`",
    |desc, at| {
        use ColliderShapeDesc::{Capsule, Cylinder, Sphere, Torus};
        let round = |collider: &ColliderDesc| {
            matches!(collider.shape, Sphere { .. } | Capsule { .. } | Cylinder { .. } | Torus { .. })
        };
        is_wall(desc, at) && collider(desc, at).is_some_and(round)
    },
);

// ----- what may change while a scene runs -------------------------------------------------------------------------------------

pub(super) const NEVER: Condition = when("no", |_, _| false);
pub(super) const ANY_TIME: Condition = when("yes", |_, _| true);

pub(super) const ALONE: Condition = when("in scenes of one kind of matter", |desc, _| desc.kinds() < 2);

pub(super) const WITHOUT_SURFACES: Condition =
    when("between \"project\" and \"off\"", |desc, _| !apart(desc));

/// Obstacles whose triangles are in the model, and those that joints follow, belong to what was built.
pub(super) const LOOSE: Condition = when("unless its triangles are met, or a joint names it", |desc, at| {
    let named = collider(desc, at).and_then(|collider| collider.name.as_deref());
    let joined = |name| desc.joints.iter().any(|joint| joint.a.as_deref() == Some(name) || joint.b == name);
    !is_wall(desc, at) && !named.is_some_and(joined)
});
