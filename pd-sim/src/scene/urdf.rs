//! Robots from URDF files: links become bodies, joints become joints, as a scene file would describe them.
//!
//! Files have z up and the scene has y up, so a robot is turned by −90° about x. Links without mass on a fixed joint are
//! frames only: their shapes are added to the parent link. What other programs accept and this one cannot take as it is written is
//! taken as near as possible and named: open or very fine meshes become convex hulls, moments that no body can have
//! are made larger, a joint that follows another (`mimic`) is free. `planar` joints are errors that name the joint.

use super::desc::{
    BodyDesc, BodyShapeDesc, InertialDesc, JointDesc, JointKindDesc, MeshAsDesc, PartDesc, RotateDesc,
    UrdfDesc,
};
use super::files::Files;
use crate::SceneError;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use pd_core::{Mat3, Real, Vec3};
use std::collections::BTreeMap;
use std::path::Path;
use urdf_rs::{Geometry, JointType, Link, Pose, Robot};

/// Bodies and joints of a robot.
pub(super) struct Read {
    pub(super) bodies: Vec<BodyDesc>,
    pub(super) joints: Vec<JointDesc>,
    /// What was not taken as it is written, in words.
    pub(super) notices: Vec<String>,
}

/// Most triangles of a mesh that is decomposed into convex parts.
const MOST_TRIANGLES: usize = 2000;

/// Reads the file that a description names. `field` names the place in the scene for errors.
pub(super) fn read(desc: &UrdfDesc, files: &Files<'_>, field: String) -> Result<Read, SceneError> {
    let path = files.find(&desc.file)?;
    let text = std::fs::read_to_string(&path).map_err(|error| SceneError::io(&path, &error))?;
    let what = |what: String| SceneError::Value {
        file: files.scene.to_owned(),
        field: format!("{field} ({})", desc.file),
        what,
    };
    let robot = urdf_rs::read_from_string(&text).map_err(|error| what(error.to_string()))?;
    let directory = path.parent().unwrap_or(Path::new("."));
    convert(&robot, desc, directory, &field).map_err(what)
}

/// A pose of the file.
fn pose(origin: &Pose) -> Isometry3<Real> {
    let ([x, y, z], [roll, pitch, yaw]) = (origin.xyz.0, origin.rpy.0);
    Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_euler_angles(roll, pitch, yaw))
}

/// A rotation as the keys of a scene; nothing if there is none.
fn rotate(q: &UnitQuaternion<Real>) -> Option<RotateDesc> {
    let (axis, angle) = q.axis_angle()?;
    Some(RotateDesc { axis: axis.into_inner().into(), degrees: angle.to_degrees() })
}

/// Links as a tree.
struct Tree<'a> {
    robot: &'a Robot,
    /// Number of a link by its name.
    link: BTreeMap<&'a str, usize>,
    /// Joint above each link.
    above: Vec<Option<usize>>,
    /// Links from the root down.
    order: Vec<usize>,
    /// Pose of each link in the world.
    pose: Vec<Isometry3<Real>>,
}

impl<'a> Tree<'a> {
    fn new(robot: &'a Robot, root_pose: Isometry3<Real>) -> Result<Self, String> {
        let mut link = BTreeMap::new();
        for (k, l) in robot.links.iter().enumerate() {
            if link.insert(l.name.as_str(), k).is_some() {
                return Err(format!("the link {:?} is defined twice", l.name));
            }
        }
        let find = |name: &str, joint: &str| {
            let missing = || format!("the joint {joint:?} names the link {name:?}, which does not exist");
            link.get(name).copied().ok_or_else(missing)
        };
        let mut above = vec![None; robot.links.len()];
        let mut ends = vec![];
        for (j, joint) in robot.joints.iter().enumerate() {
            let ends_of = (find(&joint.parent.link, &joint.name)?, find(&joint.child.link, &joint.name)?);
            if above[ends_of.1].replace(j).is_some() {
                return Err(format!("the link {:?} has two parents", joint.child.link));
            }
            ends.push(ends_of);
        }
        let mut roots = (0..robot.links.len()).filter(|&k| above[k].is_none());
        let Some(root) = roots.next() else { return Err("has no link without a parent".into()) };
        if let Some(second) = roots.next() {
            let [a, b] = [root, second].map(|k| &robot.links[k].name);
            return Err(format!("the links {a:?} and {b:?} both have no parent"));
        }
        let mut pose_of = vec![root_pose; robot.links.len()];
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&parent) = order.get(next) {
            for (j, &(_, child)) in ends.iter().enumerate().filter(|(_, e)| e.0 == parent) {
                pose_of[child] = pose_of[parent] * pose(&robot.joints[j].origin);
                order.push(child);
            }
            next += 1;
        }
        if order.len() < robot.links.len() {
            return Err("has joints in a circle".into());
        }
        Ok(Self { robot, link, above, order, pose: pose_of })
    }

    fn mass(&self, link: usize) -> Real {
        self.robot.links[link].inertial.mass.value
    }

    /// The parent of a link on a fixed joint.
    fn held_by(&self, link: usize) -> Option<usize> {
        let joint = &self.robot.joints[self.above[link]?];
        (joint.joint_type == JointType::Fixed).then(|| self.link[joint.parent.link.as_str()])
    }

    /// The link whose body each link belongs to.
    fn owners(&self, root_stays: bool) -> Result<Vec<usize>, String> {
        let root = self.order[0];
        let mut owner: Vec<usize> = (0..self.robot.links.len()).collect();
        if self.mass(root) == 0.0 && !root_stays {
            // A frame above the first link with mass.
            let child = self.order.iter().copied().find(|&l| self.held_by(l) == Some(root));
            owner[root] = child.ok_or_else(|| {
                format!(
                    "the first link {:?} has no mass; give it one, or keep it in its place",
                    self.robot.links[root].name
                )
            })?;
        }
        for &l in &self.order[1..] {
            if self.mass(l) > 0.0 || l == owner[root] {
                continue;
            }
            match self.held_by(l) {
                Some(parent) => owner[l] = owner[parent],
                None => return Err(format!("the link {:?} has no mass and moves", self.robot.links[l].name)),
            }
        }
        Ok(owner)
    }
}

fn convert(robot: &Robot, desc: &UrdfDesc, directory: &Path, field: &str) -> Result<Read, String> {
    let turned = desc.rotate.and_then(|r| {
        let axis = nalgebra::Unit::try_new(Vector3::from(r.axis), 0.0)?;
        Some(UnitQuaternion::from_axis_angle(&axis, r.degrees.to_radians()))
    });
    let up = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let turn = turned.unwrap_or_else(UnitQuaternion::identity) * up;
    let tree = Tree::new(robot, Isometry3::from_parts(Translation3::from(Vec3::from(desc.position)), turn))?;
    let root = tree.order[0];
    let root_stays = desc.fixed || robot.links[root].name == "world";
    let owner = tree.owners(root_stays)?;
    let name = |l: usize| match &desc.prefix {
        Some(prefix) => format!("{prefix}.{}", robot.links[l].name),
        None => robot.links[l].name.clone(),
    };
    // Links of one robot share a group of their own.
    let number: u32 = field.chars().filter_map(|c| c.to_digit(10)).fold(0, |n, d| (10 * n + d) % 30);
    let group = 2u32 << number;
    let mut read = Read { bodies: vec![], joints: vec![], notices: vec![] };
    for &l in tree.order.iter().filter(|&&l| owner[l] == l) {
        let members: Vec<usize> = tree.order.iter().copied().filter(|&m| owner[m] == l).collect();
        let own = tree.pose[l];
        let mut parts = vec![];
        let touches = members.iter().any(|&m| !robot.links[m].collision.is_empty());
        for &m in &members {
            let link = &robot.links[m];
            let from = own.inverse() * tree.pose[m];
            for (origin, geometry) in shapes(link, touches) {
                let at = from * pose(origin);
                parts.push(part(&at, geometry, directory, &link.name, &mut read.notices)?);
            }
        }
        let fixed = l == owner[root] && root_stays;
        let given = (!fixed).then(|| inertial(&robot.links[l], &mut read.notices));
        let (mass, inertial) = match given {
            // Moments of zero ask for those of the shape.
            Some(given) if given.inertia == [0.0; 6] && touches => {
                read.notices.push(format!(
                    "the link {:?} has no moments of inertia: they are those of its shape",
                    robot.links[l].name
                ));
                (Some(given.mass), None)
            }
            given => (None, given),
        };
        let shape = if parts.is_empty() { BodyShapeDesc::None } else { BodyShapeDesc::Compound { parts } };
        read.bodies.push(BodyDesc {
            name: name(l),
            position: own.translation.vector.into(),
            rotate: rotate(&own.rotation),
            inertial,
            mass,
            fixed,
            group: Some(if touches { group } else { 0 }),
            mask: Some(if !touches {
                0
            } else if desc.self_contact {
                u32::MAX
            } else {
                !group
            }),
            ..BodyDesc::new("", shape)
        });
    }
    for (j, joint) in robot.joints.iter().enumerate() {
        let [parent, child] = [&joint.parent, &joint.child].map(|l| tree.link[l.link.as_str()]);
        if owner[parent] != owner[child] {
            read.joints.extend(convert_joint(
                &robot.joints[j],
                &tree.pose[child],
                [name(owner[parent]), name(owner[child])],
                &mut read.notices,
            )?);
        }
    }
    Ok(read)
}

/// Shapes that a link touches others with, or those that show it.
fn shapes(link: &Link, touches: bool) -> Vec<(&Pose, &Geometry)> {
    if touches {
        link.collision.iter().map(|c| (&c.origin, &c.geometry)).collect()
    } else {
        link.visual.iter().map(|v| (&v.origin, &v.geometry)).collect()
    }
}

fn part(
    at: &Isometry3<Real>,
    geometry: &Geometry,
    directory: &Path,
    link: &str,
    notices: &mut Vec<String>,
) -> Result<PartDesc, String> {
    // Round shapes of the file stand along z, those of a scene along y.
    let lie = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let (shape, turn) = match geometry {
        Geometry::Box { size } => {
            (BodyShapeDesc::Box { half_extents: size.0.map(|s| 0.5 * s) }, UnitQuaternion::identity())
        }
        Geometry::Sphere { radius } => {
            (BodyShapeDesc::Sphere { radius: *radius }, UnitQuaternion::identity())
        }
        Geometry::Cylinder { radius, length } => {
            (BodyShapeDesc::Cylinder { half_height: 0.5 * length, radius: *radius }, lie)
        }
        Geometry::Capsule { radius, length } => {
            (BodyShapeDesc::Capsule { half_length: 0.5 * length, radius: *radius }, lie)
        }
        Geometry::Mesh { filename, scale } => {
            let file = find_mesh(filename, directory).ok_or_else(|| {
                format!("the link {link:?} needs the mesh {filename:?}, which was not found")
            })?;
            let stand_in = hull_reason(&file).map(|reason| {
                notices.push(format!(
                    "the mesh {filename:?} of the link {link:?} {reason}: its convex hull takes its place"
                ));
                MeshAsDesc::Hull
            });
            let shape = BodyShapeDesc::Mesh { file, scale: scale.map(|s| s.0), stand_in };
            (shape, UnitQuaternion::identity())
        }
    };
    let rotation = at.rotation * turn;
    Ok(PartDesc { shape, position: at.translation.vector.into(), rotate: rotate(&rotation), density: None })
}

/// Why a mesh is not decomposed into convex parts, if it is not; a file that cannot be read is named later.
fn hull_reason(file: &str) -> Option<String> {
    let Ok(pd_mesh::Mesh::Tri(mesh)) = pd_mesh::io::read_path(file) else { return None };
    let mut edges: Vec<[u32; 2]> =
        mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    // Each edge once in either direction, or it is open or meets itself.
    let paired = |&[a, b]: &[u32; 2]| edges.binary_search(&[b, a]).is_ok();
    let closed = edges.iter().all(paired) && edges.windows(2).all(|pair| pair[0] != pair[1]);
    if !closed {
        Some("is not closed".into())
    } else if mesh.triangles.len() > MOST_TRIANGLES {
        Some(format!("has {} triangles", mesh.triangles.len()))
    } else {
        None
    }
}

/// A mesh beside the file, or in a package: `package://name/path` is looked for below every directory above.
fn find_mesh(name: &str, directory: &Path) -> Option<String> {
    let plain = name.strip_prefix("file://").unwrap_or(name);
    let candidates: Vec<std::path::PathBuf> = match plain.strip_prefix("package://") {
        Some(inside) => {
            let path = inside.split_once('/').map_or(inside, |(_, path)| path);
            directory.ancestors().flat_map(|d| [d.join(inside), d.join(path)]).collect()
        }
        None => vec![directory.join(plain)],
    };
    let found = candidates.into_iter().find(|path| path.is_file())?;
    Some(std::path::absolute(found).ok()?.to_string_lossy().into_owned())
}

/// Mass and moments of a link. No moment of a body is larger than the sum of the other two: where one is, all grow by what is
/// missing.
fn inertial(link: &Link, notices: &mut Vec<String>) -> InertialDesc {
    let (i, at) = (&link.inertial.inertia, pose(&link.inertial.origin));
    let mut local = Mat3::new(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz);
    let moments = local.symmetric_eigenvalues();
    let missing = (2.0 * moments.max() - moments.sum()).max(-moments.min());
    let scale = moments.amax();
    if missing > 1e-6 * scale && missing.is_finite() {
        let [a, b, c] = moments.into();
        notices.push(format!(
            "no body has the moments {a:.3e}, {b:.3e} and {c:.3e} kg·m² of the link {:?}: {missing:.3e} is added to each",
            link.name
        ));
        local += Mat3::identity() * (missing * (1.0 + 1e-6));
    }
    let r = at.rotation.to_rotation_matrix();
    let t = r.matrix() * local * r.matrix().transpose();
    let inertia = [t[(0, 0)], t[(1, 1)], t[(2, 2)], t[(0, 1)], t[(0, 2)], t[(1, 2)]];
    InertialDesc { mass: link.inertial.mass.value, centre: at.translation.vector.into(), inertia }
}

fn convert_joint(
    joint: &urdf_rs::Joint,
    at: &Isometry3<Real>,
    [a, b]: [String; 2],
    notices: &mut Vec<String>,
) -> Result<Option<JointDesc>, String> {
    if let Some(mimic) = &joint.mimic {
        notices.push(format!(
            "the joint {:?} should follow {:?} (mimic): it is free within its limits",
            joint.name, mimic.joint
        ));
    }
    let angular = !matches!(joint.joint_type, JointType::Prismatic);
    let kind = match joint.joint_type {
        JointType::Revolute | JointType::Continuous => JointKindDesc::Hinge,
        JointType::Prismatic => JointKindDesc::Slider,
        JointType::Fixed => JointKindDesc::Fixed,
        JointType::Spherical => JointKindDesc::Ball,
        JointType::Floating => return Ok(None),
        JointType::Planar => {
            return Err(format!("the joint {:?} is planar, which is not supported", joint.name));
        }
    };
    let mut built = JointDesc::new(kind, Some(a), b, at.translation.vector.into());
    let drives = matches!(kind, JointKindDesc::Hinge | JointKindDesc::Slider);
    if drives {
        let axis = Vec3::from(joint.axis.xyz.0);
        if !(axis.norm() > 0.0 && axis.norm().is_finite()) {
            return Err(format!("the joint {:?} has no axis", joint.name));
        }
        built.axis = Some((at.rotation * axis).into());
        if joint.joint_type != JointType::Continuous {
            let scale = |v: Real| if angular { v.to_degrees() } else { v };
            built.limit = Some([scale(joint.limit.lower), scale(joint.limit.upper)]);
        }
        if let Some(dynamics) = joint.dynamics.as_ref().filter(|d| d.damping > 0.0) {
            // A servo without a spring is a damper.
            (built.motor_position, built.motor_stiffness) = (Some(0.0), Some(0.0));
            built.motor_damping = Some(dynamics.damping);
        }
    }
    Ok(Some(built))
}

/// A scene of one robot with a fixed base, for `pd run robot.urdf`.
pub(super) fn scene(file: &str) -> super::SceneDesc {
    let robot = UrdfDesc {
        file: file.to_owned(),
        position: [0.0; 3],
        rotate: None,
        fixed: true,
        prefix: None,
        self_contact: false,
    };
    let title = format!("The robot of {file}, its first link in its place");
    super::SceneDesc { title, source: file.to_owned(), urdf: vec![robot], ..Default::default() }
}

#[cfg(test)]
mod tests;
