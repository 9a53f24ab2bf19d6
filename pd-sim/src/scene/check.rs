//! Checks of a description that need no mesh: ranges and contradictions.

use super::desc::{GroupDesc, MassDesc, ObjectDesc, PinDesc, SceneDesc, UnifiedDesc, first_repeated};
use super::settings::did_you_mean;
use crate::SceneError;
use pd_core::StepError;

pub(super) fn check(file: &str, desc: &SceneDesc) -> Result<(), SceneError> {
    let wrong = |field: String, what: String| -> Result<(), SceneError> {
        Err(SceneError::Value { file: file.to_owned(), field, what })
    };
    if let Some(name) = first_repeated(&desc.objects) {
        return wrong("object".into(), format!("the name {name:?} is used twice"));
    }
    if let Err((key, what)) = check_step(desc).and_then(|()| check_solvers(desc)) {
        return wrong(key, what);
    }
    for object in &desc.objects {
        if let Err((key, what)) = check_object(object) {
            return wrong(format!("object {:?}.{key}", object.name), what);
        }
    }
    Ok(())
}

type Fault = (String, String);

/// A parameter out of range, by its key.
fn named(section: &str, outcome: Result<(), StepError>) -> Result<(), Fault> {
    outcome.map_err(|error| match error {
        StepError::Parameter { name, value, expected } => {
            (format!("{section}.{}", name.replace('_', "-")), format!("is {value}; {expected}"))
        }
        error => (section.to_owned(), error.to_string()),
    })
}

/// A count that must not be zero.
fn counted(key: &str, count: usize) -> Result<(), Fault> {
    if count > 0 { Ok(()) } else { Err((key.to_owned(), "is 0; it must be at least 1".into())) }
}

fn check_step(desc: &SceneDesc) -> Result<(), Fault> {
    let step = &desc.step;
    counted("step.substeps", step.substeps.unwrap_or(1))?;
    let params = pd_core::StepParams {
        dt: step.dt,
        iterations: step.iterations,
        gravity: step.gravity.into(),
        damping: step.damping,
        tolerance: step.tolerance,
        accuracy: step.accuracy,
        ..Default::default()
    };
    named("step", params.check())?;
    let iterations = desc.contact.iterations.unwrap_or(params.iterations);
    named("contact", pd_core::StepParams { iterations, ..params }.check())
}

/// Sections that steppers would otherwise reject in the first step.
fn check_solvers(desc: &SceneDesc) -> Result<(), Fault> {
    let rigid = &desc.rigid;
    if let Err(error) = pd_rigid::solver(&rigid.solver) {
        let near = did_you_mean(&rigid.solver, pd_rigid::SOLVERS.iter().copied());
        return Err(("rigid.solver".into(), format!("{error}{near}")));
    }
    named("rigid", rigid.params().check())?;
    counted("rigid.joint-iterations", rigid.joint_iterations)?;
    let unified = &desc.unified;
    if !UnifiedDesc::SOLVERS.contains(&unified.solver.as_str()) {
        let (known, near) =
            (UnifiedDesc::SOLVERS.join(", "), did_you_mean(&unified.solver, UnifiedDesc::SOLVERS));
        let what = format!("there is no particle solver {:?}; known are {known}{near}", unified.solver);
        return Err(("unified.solver".into(), what));
    }
    named("unified", unified.substep_settings().check())?;
    named("unified", unified.jacobi_settings().check())?;
    let coupling = &desc.coupling;
    let near = || did_you_mean(&coupling.scheme, pd_couple::Scheme::NAMES.map(|(name, _)| name));
    coupling.scheme().map_err(|what| ("coupling.scheme".to_owned(), what + &near()))?;
    counted("coupling.substeps", coupling.substeps)?;
    counted("coupling.sweeps", coupling.sweeps)?;
    counted("coupling.iterations", coupling.iterations)
}

fn check_object(object: &ObjectDesc) -> Result<(), Fault> {
    let fault = |key: &str, what: String| Err((key.to_owned(), what));
    if object.name.is_empty() {
        return fault("name", "must not be empty".into());
    }
    if let Some(scale) = object.scale
        && !(scale > 0.0 && scale.is_finite())
    {
        return fault("scale", format!("is {scale}; it must be positive and finite"));
    }
    if let Some(rotate) = object.rotate {
        let norm: f64 = rotate.axis.iter().map(|a| a * a).sum();
        if !(norm > 0.0 && norm.is_finite() && rotate.degrees.is_finite()) {
            return fault("rotate", "needs a finite axis that is not zero and a finite angle".into());
        }
    }
    if object.translate.is_some_and(|t| t.iter().any(|c| !c.is_finite())) {
        return fault("translate", "must be finite".into());
    }
    if object.tetrahedralize.is_some() && (object.mass_column.is_some() || object.weight_column.is_some()) {
        return fault(
            "tetrahedralize",
            "makes new vertices, to which columns of the file do not belong".into(),
        );
    }
    if object.weight_column.is_some() && object.material.is_some() {
        return fault("weight-column", "the material defines the weights; give only one".into());
    }
    check_mass(object)?;
    if let Some(key) = object.fabric.and_then(|_| beside_fabric(object)) {
        return fault("fabric", format!("gives mass, stretch and bending; leave out {key}"));
    }
    for (k, group) in object.groups.iter().enumerate() {
        check_group(group, &object.groups[..k]).map_err(|(key, what)| (format!("group[{k}].{key}"), what))?;
        if object.material.is_none() && (group.young.is_some() || group.poisson.is_some()) {
            let key = if group.young.is_some() { "young" } else { "poisson" };
            return fault(&format!("group[{k}].{key}"), "needs a material of the object".into());
        }
    }
    if object.material.is_some()
        && (object.tet.is_some()
            || object.volume.is_some()
            || object.triangle.is_some()
            || object.area.is_some())
    {
        return fault("material", "replaces tet, volume, triangle and area; give only one".into());
    }
    if let Some(key) = object.obstacle.as_ref().and_then(|_| beside_obstacle(object)) {
        return fault("obstacle", format!("is moved and not deformed; leave out {key}"));
    }
    for (k, attach) in object.attachments.iter().enumerate() {
        if let Some(force) = attach.break_force
            && (force.is_nan() || force <= 0.0)
        {
            return fault(&format!("attach[{k}].break-force"), format!("is {force}; it must be positive, N"));
        }
    }
    for (k, pin) in object.pins.iter().enumerate() {
        check_pin(pin).map_err(|(key, what)| (format!("pin[{k}].{key}"), what))?;
    }
    Ok(())
}

/// The first key that does not apply to an obstacle.
fn beside_obstacle(object: &ObjectDesc) -> Option<&'static str> {
    let given = [
        ("edge", object.edge.is_some()),
        ("bending-spring", object.bending_spring.is_some()),
        ("bending", object.bending.is_some()),
        ("triangle", object.triangle.is_some()),
        ("area", object.area.is_some()),
        ("tet", object.tet.is_some()),
        ("volume", object.volume.is_some()),
        ("material", object.material.is_some()),
        ("woven", object.woven.is_some()),
        ("fabric", object.fabric.is_some()),
        ("pin", !object.pins.is_empty()),
        ("attach", !object.attachments.is_empty()),
    ];
    given.into_iter().find(|(_, given)| *given).map(|(key, _)| key)
}

/// The first key that a fabric replaces.
fn beside_fabric(object: &ObjectDesc) -> Option<&'static str> {
    let given = [
        ("material", object.material.is_some()),
        ("woven", object.woven.is_some()),
        ("bending", object.bending.is_some()),
        ("mass", object.mass != MassDesc::default()),
    ];
    given.into_iter().find(|(_, given)| *given).map(|(key, _)| key)
}

fn check_mass(object: &ObjectDesc) -> Result<(), Fault> {
    let mass = object.mass;
    let keys = [("per-vertex", mass.per_vertex), ("total", mass.total), ("density", mass.density)];
    let given = keys.iter().filter(|(_, value)| value.is_some()).count();
    if given > 0 && object.mass_column.is_some() {
        return Err(("mass-column".into(), "gives the masses; leave out mass".into()));
    }
    if given > 1 {
        return Err(("mass".into(), "give one of per-vertex, total and density".into()));
    }
    if given > 0 && object.material.is_some() {
        return Err(("mass".into(), "the material defines the density; give only one".into()));
    }
    for (key, value) in keys {
        if let Some(value) = value
            && !(value > 0.0 && value.is_finite())
        {
            return Err((format!("mass.{key}"), format!("is {value}; it must be positive and finite")));
        }
    }
    Ok(())
}

fn check_group(group: &GroupDesc, before: &[GroupDesc]) -> Result<(), Fault> {
    if group.name.is_empty() {
        return Err(("name".into(), "must not be empty".into()));
    }
    if before.iter().any(|other| other.name == group.name) {
        return Err(("name".into(), format!("the name {:?} is used twice", group.name)));
    }
    for (key, value) in [("weight", group.weight), ("mass", group.mass)] {
        if let Some(value) = value
            && !(value > 0.0 && value.is_finite())
        {
            return Err((key.into(), format!("is {value}; it must be positive and finite")));
        }
    }
    if group.column.is_none() && (group.min.is_some() || group.max.is_some()) {
        return Err(("column".into(), "is needed for min and max".into()));
    }
    if group.min.is_some_and(f64::is_nan) || group.max.is_some_and(f64::is_nan) {
        return Err(("min".into(), "and max must not be NaN".into()));
    }
    if group.within.is_some_and(|b| b.iter().flatten().any(|c| c.is_nan())) {
        return Err(("within".into(), "must not be NaN".into()));
    }
    Ok(())
}

fn check_pin(pin: &PinDesc) -> Result<(), Fault> {
    if let Some(release) = pin.release
        && !(release >= 0.0 && release.is_finite())
    {
        return Err(("release".into(), format!("is {release}; it must be a time of at least 0 s")));
    }
    if pin.at.iter().flatten().any(|c| !c.is_finite()) {
        return Err(("at".into(), "must be finite".into()));
    }
    if pin.select.within.is_some_and(|b| b.iter().flatten().any(|c| c.is_nan())) {
        return Err(("select.within".into(), "must not be NaN".into()));
    }
    Ok(())
}
