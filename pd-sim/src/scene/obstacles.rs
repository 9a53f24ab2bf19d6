//! Obstacles and forces of a scene.

use super::desc::{ColliderDesc, ColliderShapeDesc, ContactMode, ForceDesc};
use super::energies::path;
use super::object::Files;
use super::{Object, Scene};
use crate::{ModelPaths, SceneError};
use pd_collide::{Block, Capsule, CollideError, Cylinder, Floor, Moving, Sphere, Torus, WithMaterial};
use pd_constraints::force::{PointForce, Wind, WindModel};
use pd_core::{Collider, ContactMaterial, Force, Real, Vec3};

/// Builds the obstacles.
pub(super) fn colliders(scene: &Scene) -> Result<Vec<Box<dyn Collider>>, SceneError> {
    if scene.desc.contact.mode == ContactMode::Off {
        return Ok(vec![]);
    }
    // Margins are a device of projection; the guard keeps the thickness of the bodies.
    let guarded = scene.desc.contact.mode == ContactMode::Guard;
    let build = |(k, desc): (usize, &ColliderDesc)| {
        collider(desc, guarded).map_err(|error| scene.error(format!("collider[{k}]"), error))
    };
    scene.desc.colliders.iter().enumerate().map(build).collect()
}

fn collider(desc: &ColliderDesc, guarded: bool) -> Result<Box<dyn Collider>, CollideError> {
    let margin = |default: Real| desc.margin.unwrap_or(if guarded { 0.0 } else { default });
    let shape: Box<dyn Collider> = match desc.shape {
        ColliderShapeDesc::Floor { height } => {
            let floor = Floor::new(height)?;
            Box::new(floor.with_margin(margin(floor.margin()))?)
        }
        ColliderShapeDesc::Sphere { centre, radius } => {
            let sphere = Sphere::new(centre.into(), radius)?;
            Box::new(sphere.with_margin(margin(sphere.margin()))?)
        }
        ColliderShapeDesc::Block { centre, half_extents } => {
            let block = Block::new(centre.into(), half_extents.into())?;
            Box::new(block.with_margin(margin(block.margin()))?)
        }
        ColliderShapeDesc::Capsule { from, to, radius } => {
            Box::new(Capsule::new(from.into(), to.into(), radius)?.with_margin(margin(0.0))?)
        }
        ColliderShapeDesc::Cylinder { from, to, radius } => {
            Box::new(Cylinder::new(from.into(), to.into(), radius)?.with_margin(margin(0.0))?)
        }
        ColliderShapeDesc::Torus { centre, major_radius, minor_radius } => {
            Box::new(Torus::with_all(centre.into(), major_radius, minor_radius, margin(Torus::MARGIN))?)
        }
    };
    let moving: Box<dyn Collider> =
        if desc.path.is_empty() { shape } else { Box::new(Moving::new(shape, path(&desc.path)?)) };
    if desc.friction.is_none() && desc.restitution.is_none() {
        return Ok(moving);
    }
    let default = ContactMaterial::default();
    let material = ContactMaterial {
        restitution: desc.restitution.unwrap_or(default.restitution),
        ..ContactMaterial::with_friction(desc.friction.unwrap_or(default.static_friction))
    };
    Ok(Box::new(WithMaterial::new(moving, material)?))
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

/// A wind as both of its descriptions have it.
struct Blow<'a> {
    velocity: Vec3,
    model: WindModel,
    from: Real,
    to: Option<Real>,
    objects: &'a [String],
}

/// Wind on the surfaces named, or on all surfaces. Solids are not blown on, as in the thesis.
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
        return Err(scene.error(field, "blows on no surface; wind acts on cloth and shells only"));
    }
    Wind::new(scene.vertices(), &triangles, blow.velocity, blow.model)
        .and_then(|wind| wind.during(blow.from, blow.to.unwrap_or(Real::INFINITY)))
        .map_err(|error| scene.error(field, error))
}
