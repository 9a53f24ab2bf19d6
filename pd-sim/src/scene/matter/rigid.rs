//! Rigid bodies and joints of a scene.

use crate::SceneError;
use crate::scene::desc::{BodyDesc, BodyShapeDesc, JointDesc, JointKindDesc, RigidDesc, SceneDesc};
use nalgebra::{UnitQuaternion, Vector3};
use pd_core::{Bodies, Real, Stepper, Vec3};
use pd_rigid::{
    Axis, JointKind, RigidBuilder, RigidError, RigidModel, RigidParams, RigidStepper, Shape, Target,
};
use std::sync::Arc;

/// Rigid bodies at the start.
#[derive(Debug)]
pub struct RigidMatter {
    /// Masses, shapes and joints.
    pub model: Arc<RigidModel>,
    /// Poses and velocities at the start.
    pub start: Bodies,
    /// Name of each body.
    pub names: Vec<String>,
    /// Which `[[body]]` each comes from.
    pub source: Vec<usize>,
}

impl RigidMatter {
    pub(super) fn stepper(&self, desc: &RigidDesc) -> Result<Box<dyn Stepper>, SceneError> {
        let solver =
            pd_rigid::solver(&desc.solver).map_err(|error| SceneError::Registry(error.to_string()))?;
        let mut params = RigidParams::default();
        params.substeps = desc.substeps;
        params.sleep = desc.sleep;
        Ok(Box::new(RigidStepper::with_solver(self.model.clone(), params, solver)))
    }
}

pub(super) fn build(name: &str, desc: &SceneDesc) -> Result<RigidMatter, SceneError> {
    let mut builder = RigidModel::builder();
    let (mut names, mut source) = (vec![], vec![]);
    let wrong = |field: String, what: String| SceneError::Value { file: name.to_owned(), field, what };
    for (k, body) in desc.bodies.iter().enumerate() {
        if desc.bodies[..k].iter().any(|other| other.name == body.name) {
            return Err(wrong("body".into(), format!("the name {:?} is used twice", body.name)));
        }
        let field = || format!("body {:?}", body.name);
        let places = places(body).map_err(|what| wrong(format!("{}.copies", field()), what))?;
        let first = names.len();
        for (copy, offset) in places.iter().enumerate() {
            add_body(&mut builder, body, *offset).map_err(|error| wrong(field(), error.to_string()))?;
            names.push(if copy == 0 { body.name.clone() } else { format!("{}.{copy}", body.name) });
            source.push(k);
        }
        if body.copies.is_some_and(|copies| copies.chained) {
            for link in 1..places.len() {
                let anchor = Vec3::from(body.position) + (places[link - 1] + places[link]) * 0.5;
                let (a, b) = (first + link - 1, first + link);
                let joint = pd_rigid::JointDesc::new(JointKind::Ball, Some(a), Some(b), anchor);
                builder.joint(joint).map_err(|error| wrong(field(), error.to_string()))?;
            }
        }
    }
    for (k, joint) in desc.joints.iter().enumerate() {
        let field = format!("joint[{k}]");
        let find = |wanted: &str| {
            names.iter().position(|known| known == wanted).ok_or_else(|| {
                wrong(field.clone(), format!("there is no body {wanted:?}; known are {}", names.join(", ")))
            })
        };
        let a = joint.a.as_deref().map(find).transpose()?;
        let built = joint_desc(joint, a, find(&joint.b)?).map_err(|what| wrong(field.clone(), what))?;
        builder.joint(built).map_err(|error| wrong(field.clone(), error.to_string()))?;
    }
    let (model, start) = builder.build();
    Ok(RigidMatter { model: Arc::new(model), start, names, source })
}

/// Offsets of the copies of a body, the first zero.
fn places(body: &BodyDesc) -> Result<Vec<Vec3>, String> {
    let Some(copies) = body.copies else { return Ok(vec![Vec3::zeros()]) };
    let [nx, ny, nz] = copies.count;
    if nx == 0 || ny == 0 || nz == 0 || nx.saturating_mul(ny).saturating_mul(nz) > 1_000_000 {
        return Err(format!(
            "count is [{nx}, {ny}, {nz}]; each must be at least 1, and at most a million in all"
        ));
    }
    let spacing = Vec3::from(copies.spacing);
    let mut places = vec![];
    for y in 0..ny {
        let (width, shift) =
            if copies.pyramid { (nx.saturating_sub(y), 0.5 * y as Real * spacing.x) } else { (nx, 0.0) };
        for z in 0..nz {
            for x in 0..width {
                let at = Vec3::new(x as Real, y as Real, z as Real).component_mul(&spacing);
                places.push(at + Vec3::new(shift, 0.0, 0.0));
            }
        }
    }
    Ok(places)
}

fn add_body(builder: &mut RigidBuilder, body: &BodyDesc, offset: Vec3) -> Result<usize, RigidError> {
    let shape = match &body.shape {
        BodyShapeDesc::Box { half_extents } => Shape::cuboid((*half_extents).into())?,
        BodyShapeDesc::Sphere { radius } => Shape::sphere(*radius)?,
        BodyShapeDesc::Capsule { half_length, radius } => Shape::capsule(*half_length, *radius)?,
        BodyShapeDesc::Cylinder { half_height, radius } => Shape::cylinder(*half_height, *radius)?,
        BodyShapeDesc::Hull { points } => {
            Shape::hull(&points.iter().map(|&p| p.into()).collect::<Vec<Vec3>>())?
        }
        BodyShapeDesc::Ground => Shape::HalfSpace,
    };
    let ground = matches!(body.shape, BodyShapeDesc::Ground);
    let mut built = pd_rigid::BodyDesc::new(shape, if ground { 0.0 } else { body.density })
        .at(Vec3::from(body.position) + offset)
        .moving(body.velocity.into(), body.angular_velocity.into());
    if let Some(rotate) = body.rotate
        && let Some(axis) = nalgebra::Unit::try_new(Vector3::from(rotate.axis), 0.0)
    {
        built = built.turned(UnitQuaternion::from_axis_angle(&axis, rotate.degrees.to_radians()));
    }
    if let Some(friction) = body.friction {
        built = built.friction(friction);
    }
    if let Some(restitution) = body.restitution {
        built = built.restitution(restitution);
    }
    if body.fixed || ground {
        built = built.fixed();
    }
    builder.body(built)
}

fn joint_desc(desc: &JointDesc, a: Option<usize>, b: usize) -> Result<pd_rigid::JointDesc, String> {
    let (kind, axis) = match desc.kind {
        JointKindDesc::Ball => (JointKind::Ball, Some(Axis::Swing)),
        JointKindDesc::Hinge => (JointKind::Hinge, Some(Axis::Angular)),
        JointKindDesc::Slider => (JointKind::Slider, Some(Axis::Linear)),
        JointKindDesc::Fixed => (JointKind::Fixed, None),
        JointKindDesc::Distance => {
            let length = desc.length.ok_or("a distance joint needs its length")?;
            (JointKind::Distance { length }, Some(Axis::Linear))
        }
        JointKindDesc::Cylindrical => (JointKind::Cylindrical, Some(Axis::Linear)),
        JointKindDesc::Universal => (JointKind::Universal, None),
    };
    let mut joint = pd_rigid::JointDesc::new(kind, a, Some(b), desc.anchor.into());
    if let Some(along) = desc.axis {
        joint = joint.along(along.into());
    }
    let angular = matches!(axis, Some(Axis::Angular | Axis::Swing));
    let need = |what: &str| axis.ok_or_else(|| format!("a {} joint has no {what}", kind.name()));
    if let Some([low, high]) = desc.limit {
        let scale = |value: Real| if angular { value.to_radians() } else { value };
        joint = joint.limit(need("limit")?, scale(low), scale(high));
    }
    if let Some(speed) = desc.motor_speed {
        let most = desc.motor_most.unwrap_or(Real::INFINITY);
        joint = joint.motor(need("motor")?, Target::Velocity(speed), most);
    }
    if let Some(force) = desc.break_force {
        joint = joint.break_force(force);
    }
    Ok(joint)
}
