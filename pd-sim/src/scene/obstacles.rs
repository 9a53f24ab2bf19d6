//! Obstacles and forces of a scene.

use super::desc::{ColliderDesc, ColliderShapeDesc, ContactMode, ForceDesc, ObstacleKind};
use super::files::Files;
use super::motion::{Fault, Motion};
use super::{Matter, Object, Scene};
use crate::{ModelPaths, SceneError};
use nalgebra::{Isometry3, UnitQuaternion};
use pd_collide::mesh::MeshQuery;
use pd_collide::{
    Block, Capsule, CollideError, ConvexHull, Cylinder, Floor, HeightField, Posed, SignedDistanceField,
    Sphere, Torus, TriangleMesh, WithMaterial,
};
use pd_constraints::force::{PointForce, Wind, WindModel};
use pd_core::{Collider, ContactMaterial, Force, Obstacle, Real, SurfaceMesh, Vec3};
use pd_mesh::{TriMesh, generate, transform};

/// Tolerance of the triangles of a round obstacle, as a part of its radius, and of the tube of a torus.
const TOLERANCE: Real = 0.01;
const TUBE_TOLERANCE: Real = 0.02;

/// Half of the side of the square that shows a half-space, m.
const SHOWN: Real = 2.0;

/// Cells of a distance field along the longest side, where the scene gives no spacing.
const CELLS: Real = 40.0;

/// How vertices of deformable bodies meet obstacles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// The shape itself.
    Shape,
    /// The shape with the thesis' margin.
    Margin,
    /// Not by distance: their own model has the triangles, or there is no contact.
    Nothing,
}

/// Who meets an obstacle how is decided here alone. Everything but vertices of deformable bodies meets the shape itself, in every
/// contact mode; `edges` says that the obstacle is given as triangles where surfaces are kept apart.
fn sight(mode: ContactMode, edges: bool) -> Sight {
    match mode {
        ContactMode::Off => Sight::Nothing,
        _ if !mode.keeps_apart() => Sight::Margin,
        _ if edges => Sight::Nothing,
        _ => Sight::Shape,
    }
}

/// Builds the obstacles with a signed distance.
pub(super) fn colliders(scene: &Scene) -> Result<Vec<Box<dyn Collider>>, SceneError> {
    let mode = scene.desc.contact_mode();
    let (objects, others) = (!scene.objects.is_empty(), !matches!(scene.matter, Matter::Elastic));
    let mut colliders: Vec<Box<dyn Collider>> = vec![];
    for (k, desc) in scene.desc.colliders.iter().enumerate() {
        let wrong = |(key, what): Fault| scene.error(format!("collider[{k}]{key}"), what);
        desc.check().map_err(wrong)?;
        let shape = || collider(desc, false).map_err(wrong);
        colliders.push(match sight(mode, desc.has_edges()) {
            _ if !objects => shape()?,
            Sight::Nothing if !others => continue,
            Sight::Nothing => Box::new(Obstacle::new(shape()?, None)),
            Sight::Shape => shape()?,
            Sight::Margin if !others => collider(desc, true).map_err(wrong)?,
            Sight::Margin if desc.margin.is_some() => shape()?,
            Sight::Margin => Box::new(Obstacle::new(shape()?, Some(collider(desc, true).map_err(wrong)?))),
        });
    }
    for k in 0..scene.objects.len() {
        colliders.extend(mesh_collider(scene, k, mode)?);
    }
    Ok(colliders)
}

/// With the margin of the scene; without one, with the thesis' or none.
pub(super) fn collider(desc: &ColliderDesc, thesis: bool) -> Result<Box<dyn Collider>, Fault> {
    let margin = |default: Real| desc.margin.unwrap_or(if thesis { default } else { 0.0 });
    let shape = shape(desc, margin).map_err(|error| ("", error.to_string()))?;
    let first = rotation(desc);
    let moving = desc.motion()?.moving_collider(shape, first, desc.centre().into());
    let moving = moving.map_err(|error| (".path", error.to_string()))?;
    if desc.friction.is_none() && desc.restitution.is_none() {
        return Ok(moving);
    }
    let material = material(desc.friction, desc.restitution);
    Ok(Box::new(WithMaterial::new(moving, material).map_err(|error| ("", error.to_string()))?))
}

impl Scene {
    /// Every obstacle of `[[collider]]` as its bare shape, without margin, in the order of the file: what the audit measures by,
    /// whatever any method sees of it.
    pub(crate) fn bare_obstacles(&self) -> Result<Vec<Box<dyn Collider>>, SceneError> {
        let bare = |(k, desc): (usize, &ColliderDesc)| {
            let wrong = |(key, what): Fault| self.error(format!("collider[{k}]{key}"), what);
            let shape = shape(desc, |_| 0.0).map_err(|error| wrong(("", error.to_string())))?;
            let moving = desc.motion().map_err(wrong)?;
            moving
                .moving_collider(shape, rotation(desc), desc.centre().into())
                .map_err(|error| wrong((".path", error.to_string())))
        };
        self.desc.colliders.iter().enumerate().map(bare).collect()
    }
}

/// Friction and restitution, defaults where none are given.
pub(super) fn material(friction: Option<Real>, restitution: Option<Real>) -> ContactMaterial {
    let default = ContactMaterial::default();
    ContactMaterial {
        restitution: restitution.unwrap_or(default.restitution),
        ..ContactMaterial::with_friction(friction.unwrap_or(default.static_friction))
    }
}

fn rotation(desc: &ColliderDesc) -> UnitQuaternion<Real> {
    desc.rotate.map_or_else(UnitQuaternion::identity, |rotate| {
        UnitQuaternion::from_scaled_axis(Vec3::from(rotate.axis).normalize() * rotate.degrees.to_radians())
    })
}

/// The shape at its initial position.
fn shape(desc: &ColliderDesc, margin: impl Fn(Real) -> Real) -> Result<Box<dyn Collider>, CollideError> {
    Ok(match &desc.shape {
        &ColliderShapeDesc::Floor { height } => {
            let floor = Floor::new(height)?;
            Box::new(floor.with_margin(margin(floor.margin()))?)
        }
        &ColliderShapeDesc::Sphere { centre, radius } => {
            let sphere = Sphere::new(centre.into(), radius)?;
            Box::new(sphere.with_margin(margin(sphere.margin()))?)
        }
        &ColliderShapeDesc::Block { centre, half_extents } => {
            let block = Block::new(centre.into(), half_extents.into())?;
            Box::new(block.with_margin(margin(block.margin()))?)
        }
        &ColliderShapeDesc::Capsule { from, to, radius } => {
            Box::new(Capsule::new(from.into(), to.into(), radius)?.with_margin(margin(0.0))?)
        }
        &ColliderShapeDesc::Cylinder { from, to, radius } => {
            Box::new(Cylinder::new(from.into(), to.into(), radius)?.with_margin(margin(0.0))?)
        }
        &ColliderShapeDesc::Torus { centre, major_radius, minor_radius } => {
            Box::new(Torus::with_all(centre.into(), major_radius, minor_radius, margin(Torus::MARGIN))?)
        }
        &ColliderShapeDesc::HalfSpace { point, normal } => {
            let floor = Floor::new(0.0)?.with_margin(margin(0.0))?;
            Box::new(Posed::new(floor, Isometry3::from_parts(Vec3::from(point).into(), upright(normal)))?)
        }
        ColliderShapeDesc::Hull { points } => {
            let points: Vec<Vec3> = points.iter().map(|&p| p.into()).collect();
            Box::new(ConvexHull::new(&points)?.with_margin(margin(0.0))?)
        }
        ColliderShapeDesc::HeightField { corner, spacing, heights } => {
            let counts = [heights.len(), heights.first().map_or(0, Vec::len)];
            Box::new(
                HeightField::new((*corner).into(), *spacing, counts, &heights.concat())?
                    .with_margin(margin(0.0))?,
            )
        }
    })
}

/// Turns +y to a normal.
fn upright(normal: [f64; 3]) -> UnitQuaternion<Real> {
    let flipped = || UnitQuaternion::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI);
    UnitQuaternion::rotation_between(&Vec3::y(), &normal.into()).unwrap_or_else(flipped)
}

impl ColliderDesc {
    /// Invalid values that are independent of the shape: the key and the reason.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if let Some(rotate) = self.rotate {
            let norm = Vec3::from(rotate.axis).norm();
            if !(norm > 0.0 && norm.is_finite() && rotate.degrees.is_finite()) {
                return Err((".rotate", "needs a finite axis that is not zero and a finite angle".into()));
            }
        }
        if let ColliderShapeDesc::HalfSpace { point, normal } = self.shape {
            let norm = Vec3::from(normal).norm();
            if !(norm > 0.0 && norm.is_finite() && point.iter().all(|c| c.is_finite())) {
                return Err((
                    "",
                    "half-space: needs a finite point and a finite normal that is not zero".into(),
                ));
            }
        }
        if let ColliderShapeDesc::HeightField { heights, .. } = &self.shape
            && let Some(k) = heights.iter().position(|row| row.len() != heights[0].len())
        {
            let (has, first) = (heights[k].len(), heights[0].len());
            return Err((".heights", format!("list {k} has {has} heights, the first has {first}")));
        }
        shape(self, |_| 0.0).map_err(|error| ("", error.to_string()))?;
        if let Some(thickness) = self.thickness
            && !(thickness > 0.0 && thickness.is_finite())
        {
            return Err((".thickness", format!("is {thickness}; it must be positive and finite, in m")));
        }
        if let Some(tolerance) = self.tolerance
            && !(tolerance > 0.0 && tolerance.is_finite())
        {
            return Err((".tolerance", format!("is {tolerance}; it must be positive and finite, in m")));
        }
        if self.velocity.is_some_and(|v| v.iter().any(|c| !c.is_finite())) {
            return Err((".velocity", "must be finite".into()));
        }
        if self.velocity.is_some() && !self.path.is_empty() {
            return Err((".velocity", "replaces a path; give only one".into()));
        }
        self.motion().map(|_| ())
    }

    pub(super) fn motion(&self) -> Result<Motion, Fault> {
        let hour: f64 = 3600.0;
        let path = match self.velocity {
            // A path is finite; this one ends after an hour.
            Some([x, y, z]) => vec![[0.0; 4], [hour, x * hour, y * hour, z * hour]],
            None => self.path.clone(),
        };
        Motion::new(&path, self.turn.as_ref(), self.centre().into())
            .map_err(|(key, what)| (if key == "path" { ".path" } else { ".turn" }, what))
    }

    /// Its displacement from the initial position at a time, s. Identity for an invalid motion.
    pub fn pose(&self, time: Real) -> Isometry3<Real> {
        self.motion().map_or_else(|_| Isometry3::identity(), |motion| motion.pose(time))
    }

    /// Triangles for contact, in its own place and rotated: those of a polyhedron, or triangles that enclose a round shape within the
    /// tolerance.
    pub(super) fn contact_mesh(&self) -> Result<SurfaceMesh, Fault> {
        let refused = |error: CollideError| ("", error.to_string());
        let within = |usual: Real| self.tolerance.unwrap_or(usual);
        let shape = match self.shape {
            ColliderShapeDesc::Sphere { centre, radius } => Sphere::new(centre.into(), radius)
                .and_then(|shape| shape.with_margin(0.0))
                .and_then(|shape| shape.enclosing_mesh(within(TOLERANCE * radius))),
            ColliderShapeDesc::Capsule { from, to, radius } => Capsule::new(from.into(), to.into(), radius)
                .and_then(|shape| shape.enclosing_mesh(within(TOLERANCE * radius))),
            ColliderShapeDesc::Cylinder { from, to, radius } => Cylinder::new(from.into(), to.into(), radius)
                .and_then(|shape| shape.enclosing_mesh(within(TOLERANCE * radius))),
            ColliderShapeDesc::Torus { centre, major_radius, minor_radius } => {
                Torus::with_all(centre.into(), major_radius, minor_radius, 0.0)
                    .and_then(|shape| shape.enclosing_mesh(within(TUBE_TOLERANCE * minor_radius)))
            }
            _ => {
                let mesh = self.mesh().ok_or_else(|| ("", "it has no triangles".to_owned()))?;
                return Ok(SurfaceMesh { positions: mesh.positions, triangles: mesh.triangles });
            }
        };
        let mut mesh = shape.map_err(refused)?;
        let (centre, turn) = (Vec3::from(self.centre()), rotation(self));
        mesh.positions.iter_mut().for_each(|p| *p = centre + turn * (*p - centre));
        Ok(mesh)
    }

    /// Triangles of its surface in its own place, rotated; of a half-space a square of it. None of a floor, and of a shape
    /// that is rejected.
    pub fn mesh(&self) -> Option<TriMesh> {
        self.check().ok()?;
        let centre = Vec3::from(self.centre());
        let about = |mut mesh: TriMesh, turn: UnitQuaternion<Real>| {
            mesh.positions.iter_mut().for_each(|p| *p = centre + turn * *p);
            mesh
        };
        let turn = rotation(self);
        Some(match &self.shape {
            ColliderShapeDesc::Floor { .. } => return None,
            &ColliderShapeDesc::Sphere { radius, .. } => about(generate::sphere(48, 24, radius).ok()?, turn),
            &ColliderShapeDesc::Torus { major_radius, minor_radius, .. } => {
                about(generate::torus(64, 24, major_radius, minor_radius).ok()?, turn)
            }
            &ColliderShapeDesc::Block { half_extents, .. } => {
                let mut cube = generate::bar(1, 1, 1, 2.0).ok()?.surface();
                transform::scale_axes(&mut cube.positions, half_extents.into());
                about(cube, turn)
            }
            &ColliderShapeDesc::HalfSpace { normal, .. } => {
                let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
                let positions = corners.map(|[x, z]| Vec3::new(x * SHOWN, 0.0, z * SHOWN)).to_vec();
                about(TriMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] }, turn * upright(normal))
            }
            _ => {
                let SurfaceMesh { positions, triangles } = shape(self, |_| 0.0).ok()?.mesh()?;
                let positions = positions.iter().map(|p| p - centre).collect();
                about(TriMesh { positions, triangles }, turn)
            }
        })
    }
}

/// Whether other matter meets an object as an obstacle by signed distance; if not, it meets the object's triangles.
pub(super) fn is_met_by_distance(scene: &Scene, k: usize) -> bool {
    let (object, desc) = (&scene.objects[k], &scene.desc.objects[k]);
    let Some(obstacle) = &desc.obstacle else { return false };
    let seen = sight(scene.desc.contact_mode(), obstacle.kind == ObstacleKind::Surface) != Sight::Nothing;
    let (positions, triangles) = surface_of(object);
    seen || MeshQuery::new(positions, triangles).is_ok_and(|mesh| mesh.check_closed().is_ok())
}

/// The signed distance of an object that is an obstacle; `None` if nothing meets it by distance.
pub(super) fn mesh_collider(
    scene: &Scene,
    k: usize,
    mode: ContactMode,
) -> Result<Option<Box<dyn Collider>>, SceneError> {
    let (object, desc) = (&scene.objects[k], &scene.desc.objects[k]);
    let Some(obstacle) = &desc.obstacle else { return Ok(None) };
    let unseen = sight(mode, obstacle.kind == ObstacleKind::Surface) == Sight::Nothing;
    if unseen && (matches!(scene.matter, Matter::Elastic) || !is_met_by_distance(scene, k)) {
        return Ok(None);
    }
    let wrong = |what: String| scene.error(format!("object {:?}.obstacle", object.name), what);
    let refused = |error: CollideError| wrong(error.to_string());
    let (positions, triangles) = surface_of(object);
    let motion = scene.mesh_motion(k)?;
    let shape: Box<dyn Collider> = if motion.frames.is_empty() {
        let query = MeshQuery::new(positions, triangles).map_err(|error| wrong(error.to_string()))?;
        let size = query.bounds().max - query.bounds().min;
        let spacing = obstacle.spacing.unwrap_or(size.amax() / CELLS);
        Box::new(SignedDistanceField::from_mesh(&query, spacing).map_err(refused)?)
    } else {
        let used = used_vertices(object);
        let pick = |x: &[Vec3]| used.iter().map(|&v| x[v as usize]).collect::<Vec<_>>();
        let mut frames = vec![(0.0, positions)];
        frames.extend(motion.frames.iter().map(|(time, x)| (*time, pick(x))));
        Box::new(TriangleMesh::deforming(frames, triangles).map_err(refused)?)
    };
    let moving =
        motion.motion.moving_collider(shape, UnitQuaternion::identity(), Vec3::zeros()).map_err(refused)?;
    let material = material(desc.friction, obstacle.restitution.or(desc.restitution));
    let shape = Box::new(WithMaterial::new(moving, material).map_err(refused)?);
    Ok(Some(if unseen { Box::new(Obstacle::new(shape, None)) } else { shape }))
}

fn used_vertices(object: &Object) -> Vec<u32> {
    let mut used: Vec<u32> = object.surface.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// The surface of an object with its own numbers of vertices.
fn surface_of(object: &Object) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let used = used_vertices(object);
    let number = |v: u32| used.partition_point(|&u| u < v) as u32;
    let positions = used.iter().map(|&v| object.mesh.positions()[v as usize]).collect();
    (positions, object.surface.iter().map(|t| t.map(number)).collect())
}

/// Builds the forces.
pub(super) fn forces(scene: &Scene) -> Result<Vec<Box<dyn Force>>, SceneError> {
    let mut forces: Vec<Box<dyn Force>> = vec![];
    for (k, desc) in scene.desc.forces.iter().enumerate() {
        let field = format!("force[{k}]");
        match desc {
            ForceDesc::Wind { strength, direction, from, to, objects } => {
                let model = WindModel::Thesis { strength: *strength };
                let blow = Blow { velocity: (*direction).into(), model, from: *from, to: *to, objects };
                forces.push(Box::new(wind(scene, &field, blow)?));
            }
            ForceDesc::Drag { velocity, density, coefficient, from, to, objects } => {
                let model = WindModel::Drag { density: *density, coefficient: *coefficient };
                let blow = Blow { velocity: (*velocity).into(), model, from: *from, to: *to, objects };
                forces.push(Box::new(wind(scene, &field, blow)?));
            }
            ForceDesc::Push { object, select, force, from, to } => {
                let target = find(scene, &field, object)?;
                // Forces select by number or box; lists in files are for pins.
                let nowhere = ModelPaths::default();
                let files = Files { scene: &scene.name, directory: None, models: &nowhere };
                let vertices: Vec<u32> = target
                    .select(select, &format!("{field}.select"), &files)?
                    .iter()
                    .map(|v| v + target.first)
                    .collect();
                let push = PointForce::new(&vertices, Vec3::from(*force), *from, *to);
                forces.push(Box::new(push.map_err(|error| scene.error(&field, error))?));
            }
        }
    }
    Ok(forces)
}

fn find<'a>(scene: &'a Scene, field: &str, name: &str) -> Result<&'a Object, SceneError> {
    scene.objects.iter().find(|o| o.name == name).ok_or_else(|| {
        let known: Vec<_> = scene.objects.iter().map(|o| format!("{:?}", o.name)).collect();
        scene.error(field, format!("there is no object {name:?}; known are {}", known.join(", ")))
    })
}

/// The parameters common to both wind descriptions.
struct Blow<'a> {
    velocity: Vec3,
    model: WindModel,
    from: Real,
    to: Option<Real>,
    objects: &'a [String],
}

/// Wind on the named surfaces, or on all surfaces. It does not act on solids, as in the thesis.
fn wind(scene: &Scene, field: &str, blow: Blow<'_>) -> Result<Wind, SceneError> {
    for name in blow.objects {
        find(scene, field, name)?;
    }
    let named = |object: &Object| blow.objects.is_empty() || blow.objects.contains(&object.name);
    let triangles: Vec<[u32; 3]> = scene
        .objects
        .iter()
        .filter(|object| !object.is_solid() && named(object))
        .flat_map(|o| o.surface.iter().map(move |t| t.map(|v| v + o.first)))
        .collect();
    if triangles.is_empty() {
        return Err(scene.error(field, "acts on no surface; wind acts only on cloth and shells"));
    }
    Wind::new(scene.masses.len(), &triangles, blow.velocity, blow.model)
        .and_then(|wind| wind.during(blow.from, blow.to.unwrap_or(Real::INFINITY)))
        .map_err(|error| scene.error(field, error))
}
