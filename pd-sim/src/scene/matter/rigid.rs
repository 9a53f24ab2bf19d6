//! Rigid bodies and joints of a scene.

use super::body_shape::parts;
use crate::SceneError;
use crate::scene::Scene;
use crate::scene::desc::{
    BodyDesc, BodyShapeDesc, ColliderDesc, JointDesc, JointKindDesc, RigidDesc, SceneDesc,
};
use crate::scene::files::Files;
use crate::scene::urdf;
use nalgebra::{UnitQuaternion, Vector3};
use pd_core::{Bodies, Mat3, Real, Stepper, Vec3};
use pd_rigid::{Axis, Filter, JointKind, MassProperties, RigidBuilder, RigidModel, RigidStepper, Target};
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
    /// Which `[[body]]` each comes from; those of `[[urdf]]` count on from there.
    pub source: Vec<usize>,
    /// What files of robots say that was not taken as it is written, in words.
    pub notices: Vec<String>,
}

impl RigidMatter {
    pub(super) fn stepper(&self, desc: &RigidDesc) -> Result<Box<dyn Stepper>, SceneError> {
        Ok(Box::new(self.rigid_stepper(desc)?))
    }

    /// The stepper of the bodies with the settings of `[rigid]`.
    ///
    /// # Errors
    /// [`SceneError::Registry`] if there is no solver of the name.
    pub fn rigid_stepper(&self, desc: &RigidDesc) -> Result<RigidStepper, SceneError> {
        let solver =
            pd_rigid::solver(&desc.solver).map_err(|error| SceneError::Registry(error.to_string()))?;
        Ok(RigidStepper::with_solver(self.model.clone(), desc.params(), solver))
    }
}

impl Scene {
    /// Rigid bodies that overlap each other or an obstacle at the start by more than a depth (m), in words: names and depth.
    ///
    /// # Errors
    /// Those of [`Scene::colliders`].
    pub fn body_overlaps(&self, depth: Real) -> Result<Vec<String>, SceneError> {
        let Some(rigid) = self.matter.rigid() else { return Ok(vec![]) };
        let obstacles = self.colliders()?;
        let label = |k: usize| match self.desc.colliders.get(k).and_then(|desc| desc.name.as_ref()) {
            Some(name) => format!("{name:?}"),
            None => format!("obstacle {k} ({})", obstacles[k].kind()),
        };
        let at = |p: &Vec3, depth: Real| {
            format!("overlap by {depth:.4} m at ({:.3}, {:.3}, {:.3})", p.x, p.y, p.z)
        };
        let pairs = rigid.model.overlaps(&rigid.start, depth).into_iter().map(|o| {
            let [a, b] = o.bodies.map(|b| &rigid.names[b]);
            format!("bodies {a:?} and {b:?} {}", at(&o.place, o.depth))
        });
        let met = rigid.model.obstacle_overlaps(&rigid.start, &obstacles, 0.0, depth).into_iter().map(|o| {
            format!("body {:?} and {} {}", rigid.names[o.body], label(o.obstacle), at(&o.place, o.depth))
        });
        Ok(pairs.chain(met).collect())
    }
}

pub(super) fn build(files: &Files<'_>, desc: &SceneDesc) -> Result<RigidMatter, SceneError> {
    let name = files.scene;
    let wrong = |field: String, what: String| SceneError::Value { file: name.to_owned(), field, what };
    let (mut bodies, mut joints) = (desc.bodies.clone(), desc.joints.clone());
    let mut notices = vec![];
    for (k, robot) in desc.urdf.iter().enumerate() {
        let read = urdf::read(robot, files, format!("urdf[{k}]"))?;
        notices.extend(read.notices.into_iter().map(|notice| format!("{}: {notice}", robot.file)));
        bodies.extend(read.bodies);
        joints.extend(read.joints);
    }
    let mut builder = RigidModel::builder();
    let (mut names, mut source) = (vec![], vec![]);
    for (k, body) in bodies.iter().enumerate() {
        if bodies[..k].iter().any(|other| other.name == body.name) {
            return Err(wrong("body".into(), format!("the name {:?} is used twice", body.name)));
        }
        let field = || format!("body {:?}", body.name);
        let places = places(body).map_err(|what| wrong(format!("{}.copies", field()), what))?;
        let built = body_desc(body, files)?;
        let first = names.len();
        for (copy, offset) in places.iter().enumerate() {
            let placed = built.clone().at(Vec3::from(body.position) + offset);
            builder.body(placed).map_err(|error| wrong(field(), error.to_string()))?;
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
    for (k, joint) in joints.iter().enumerate() {
        let field = format!("joint[{k}]");
        let mut find = |wanted: &str| match names.iter().position(|known| known == wanted) {
            Some(body) => Ok(body),
            None => match desc.colliders.iter().find(|c| c.name.as_deref() == Some(wanted)) {
                Some(collider) => {
                    source.push(usize::MAX);
                    names.push(wanted.to_owned());
                    carrier(&mut builder, collider).map_err(|what| wrong(field.clone(), what))
                }
                None => {
                    let known = names.join(", ");
                    Err(wrong(
                        field.clone(),
                        format!("there is no body or obstacle {wanted:?}; known are {known}"),
                    ))
                }
            },
        };
        let a = joint.a.as_deref().map(&mut find).transpose()?;
        let b = find(&joint.b)?;
        if a == Some(b) {
            return Err(wrong(field, format!("joins body {:?} to itself", joint.b)));
        }
        let built = joint_desc(joint, a, b).map_err(|what| wrong(field.clone(), what))?;
        builder.joint(built).map_err(|error| wrong(field.clone(), error.to_string()))?;
    }
    let (model, start) = builder.build();
    Ok(RigidMatter { model: Arc::new(model), start, names, source, notices })
}

/// A body without shape that goes where an obstacle goes, for joints to it.
fn carrier(builder: &mut RigidBuilder, collider: &ColliderDesc) -> Result<usize, String> {
    let body = pd_rigid::BodyDesc::compound(vec![]).at(collider.centre().into());
    let body = match path(&collider.path)? {
        Some(path) => body.driven(path, Vec3::zeros()),
        None => body.fixed(),
    };
    builder.body(body).map_err(|error| error.to_string())
}

/// A path of keyframes `[time, dx, dy, dz]`; nothing if there are none.
fn path(keys: &[[f64; 4]]) -> Result<Option<pd_collide::Path>, String> {
    if keys.is_empty() {
        return Ok(None);
    }
    let keys = keys.iter().map(|&[t, x, y, z]| (t, Vec3::new(x, y, z))).collect();
    pd_collide::Path::new(keys).map(Some).map_err(|error| error.to_string())
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

/// A body at the origin.
fn body_desc(body: &BodyDesc, files: &Files<'_>) -> Result<pd_rigid::BodyDesc, SceneError> {
    let field = format!("body {:?}", body.name);
    let wrong = |what: String| SceneError::Value { file: files.scene.to_owned(), field: field.clone(), what };
    let ground = matches!(body.shape, BodyShapeDesc::Ground);
    let driven = !body.path.is_empty() || body.spin.is_some();
    let parts = parts(body, files).map_err(|error| error.in_field(files, &field))?;
    let mut built =
        pd_rigid::BodyDesc::compound(parts).moving(body.velocity.into(), body.angular_velocity.into());
    if let Some(rotate) = body.rotate {
        let Some(axis) = nalgebra::Unit::try_new(Vector3::from(rotate.axis), 0.0) else {
            return Err(wrong(format!("rotate.axis is {:?}; it must be finite and not zero", rotate.axis)));
        };
        built = built.turned(UnitQuaternion::from_axis_angle(&axis, rotate.degrees.to_radians()));
    }
    if let Some(friction) = body.friction {
        built = built.friction(friction);
    }
    if let Some(restitution) = body.restitution {
        built = built.restitution(restitution);
    }
    if let Some([linear, angular]) = body.damping {
        built = built.damping(linear, angular);
    }
    let all = Filter::default();
    built = built
        .filtered(Filter { group: body.group.unwrap_or(all.group), mask: body.mask.unwrap_or(all.mask) });
    match (body.mass, body.inertial) {
        (Some(_), Some(_)) => return Err(wrong("give mass or inertial, not both".into())),
        (Some(mass), None) => {
            let own = built.mass_properties();
            let scale = mass / own.mass;
            built.mass = Some(MassProperties { mass, inertia: own.inertia * scale, ..own });
        }
        (None, Some(given)) => {
            let [xx, yy, zz, xy, xz, yz] = given.inertia;
            let inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            built.mass = Some(MassProperties { mass: given.mass, centre: given.centre.into(), inertia });
        }
        (None, None) => {}
    }
    if driven {
        if body.fixed {
            return Err(wrong("is fixed and follows a path; give only one".into()));
        }
        let still =
            || pd_collide::Path::new(vec![(0.0, Vec3::zeros())]).map_err(|error| wrong(error.to_string()));
        let path = match path(&body.path).map_err(wrong)? {
            Some(path) => path,
            None => still()?,
        };
        built = built.driven(path, body.spin.unwrap_or_default().into());
    } else if body.fixed || ground {
        built = built.fixed();
    }
    Ok(built)
}

fn joint_desc(desc: &JointDesc, a: Option<usize>, b: usize) -> Result<pd_rigid::JointDesc, String> {
    let (anchor, anchor_b) = (Vec3::from(desc.anchor), Vec3::from(desc.anchor_b.unwrap_or(desc.anchor)));
    let (kind, axis) = match desc.kind {
        JointKindDesc::Ball => (JointKind::Ball, Some(Axis::Swing)),
        JointKindDesc::Hinge => (JointKind::Hinge, Some(Axis::Angular)),
        JointKindDesc::Slider => (JointKind::Slider, Some(Axis::Linear)),
        JointKindDesc::Fixed => (JointKind::Fixed, None),
        JointKindDesc::Distance => {
            let length = desc.length.or(desc.anchor_b.map(|_| (anchor - anchor_b).norm()));
            let length = length.ok_or("a distance joint needs its length or a second anchor")?;
            (JointKind::Distance { length }, Some(Axis::Linear))
        }
        JointKindDesc::Cylindrical => (JointKind::Cylindrical, Some(Axis::Linear)),
        JointKindDesc::Universal => (JointKind::Universal, None),
        JointKindDesc::Gear => {
            if a.is_none() {
                return Err("a gear needs two bodies: a and b".into());
            }
            let ratio = desc.ratio.ok_or("a gear needs its ratio, turns of b for one of a")?;
            (JointKind::Gear { ratio }, None)
        }
    };
    let mut joint = pd_rigid::JointDesc::new(kind, a, Some(b), anchor);
    joint.anchor_b = anchor_b;
    if let Some(along) = desc.axis {
        if Vec3::from(along).try_normalize(0.0).is_none() {
            return Err(format!("axis is {along:?}; it must be finite and not zero"));
        }
        joint = joint.along(along.into());
    }
    let angular = matches!(axis, Some(Axis::Angular | Axis::Swing));
    let scale = |value: Real| if angular { value.to_radians() } else { value };
    let need = |what: &str| axis.ok_or_else(|| format!("a {} joint has no {what}", kind.name()));
    if let Some([low, high]) = desc.limit {
        if low > high {
            let unit = if angular { "degrees" } else { "m" };
            return Err(format!("the limit from {low} to {high} {unit} of body {:?} is empty", desc.b));
        }
        joint = joint.limit(need("limit")?, scale(low), scale(high));
    }
    let most = desc.motor_most.unwrap_or(Real::INFINITY);
    match (desc.motor_speed, desc.motor_position) {
        (Some(_), Some(_)) => return Err("give motor-speed or motor-position, not both".into()),
        (Some(speed), None) => joint = joint.motor(need("motor")?, Target::Velocity(speed), most),
        (None, Some(position)) => {
            let stiffness = desc.motor_stiffness.ok_or("a motor-position needs a motor-stiffness")?;
            let damping = desc.motor_damping.unwrap_or_default();
            let target = Target::Position { value: scale(position), stiffness, damping };
            joint = joint.motor(need("motor")?, target, most);
        }
        (None, None) => {}
    }
    joint = joint.soft(
        desc.compliance.unwrap_or_default(),
        desc.angular_compliance.unwrap_or_default(),
        desc.damping.unwrap_or_default(),
    );
    joint.break_force = desc.break_force.unwrap_or(Real::INFINITY);
    joint.break_torque = desc.break_torque.unwrap_or(Real::INFINITY);
    joint.collide = desc.collide;
    Ok(joint)
}
