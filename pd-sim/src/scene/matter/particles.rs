//! Grains, bodies, ropes, cloth and inflatables of particles of a scene.

use super::particle_mesh;
use crate::SceneError;
use crate::scene::desc::{ParticleKindDesc, ParticlesDesc, SamplePlaceDesc, SceneDesc, UnifiedDesc};
use crate::scene::files::Files;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use pd_core::{Real, Stepper, Vec3};
use pd_mesh::TriMesh;
use pd_particles::{
    BodyKind, BodyShape, Elasticity, Friction, Material, ParticleModel, ParticleModelBuilder, SampleOptions,
    Sampling, Unified, UnifiedSubstep,
};
use std::sync::Arc;

/// The stepper that a description names, with its settings.
pub(super) fn stepper(
    model: &Arc<ParticleModel>,
    desc: &UnifiedDesc,
) -> Result<Box<dyn Stepper>, SceneError> {
    match desc.solver.as_str() {
        UnifiedSubstep::NAME => Ok(Box::new(UnifiedSubstep::new(model.clone(), desc.substep_settings()))),
        Unified::NAME => Ok(Box::new(Unified::new(model.clone(), desc.jacobi_settings()))),
        other => Err(SceneError::Registry(format!("there is no particle solver {other:?}"))),
    }
}

pub(super) fn build(desc: &SceneDesc, files: &Files<'_>) -> Result<ParticleModel, SceneError> {
    let mut builder = ParticleModel::builder();
    for (k, set) in desc.particles.iter().enumerate() {
        let field = format!("particles {:?}", set.name);
        let wrong =
            |what: String| SceneError::Value { file: files.scene.to_owned(), field: field.clone(), what };
        if desc.particles[..k].iter().any(|other| other.name == set.name) {
            return Err(wrong("the name is used twice".into()));
        }
        let mesh = particle_mesh::load(set, &field, files)?;
        builder = add(builder, set, mesh).map_err(wrong)?;
        if set.velocity != [0.0; 3] || set.angular_velocity != [0.0; 3] {
            builder = builder.moving(set.velocity.into(), set.angular_velocity.into());
        }
        if !set.hold.is_empty() {
            builder = builder.hold(&set.hold);
        }
        if set.self_contact {
            builder = builder.self_contact();
        }
    }
    let failed = |error: pd_particles::ParticleError| SceneError::Value {
        file: files.scene.to_owned(),
        field: "particles".to_owned(),
        what: error.to_string(),
    };
    builder.build().map_err(failed)
}

fn add(
    builder: ParticleModelBuilder,
    set: &ParticlesDesc,
    mesh: Option<TriMesh>,
) -> Result<ParticleModelBuilder, String> {
    let friction = set.friction.map_or(Friction::NONE, Friction::new);
    let friction =
        Friction { rolling: set.rolling, sliding: set.sliding.unwrap_or(friction.sliding), ..friction };
    let material = Material { radius: set.radius, mass: set.mass, friction };
    let elasticity =
        Elasticity { stretch: set.stretch.unwrap_or(Real::INFINITY), bending: set.bending.unwrap_or(0.0) };
    let (spacing, beta, name) = (2.0 * set.radius, set.beta.unwrap_or(0.7), set.name.as_str());
    match set.kind {
        ParticleKindDesc::Grains => Ok(builder.grains(name, &block_or_inside(set, mesh, spacing)?, material)),
        ParticleKindDesc::Fixed => Ok(builder.fixed(name, &block_or_inside(set, mesh, spacing)?, material)),
        ParticleKindDesc::Rigid => bodies(builder, set, mesh, BodyKind::Rigid, material),
        ParticleKindDesc::Linear => bodies(builder, set, mesh, BodyKind::Linear(beta), material),
        ParticleKindDesc::Quadratic => bodies(builder, set, mesh, BodyKind::Quadratic(beta), material),
        ParticleKindDesc::Rope => {
            let at = lattice(set, set.spacing.unwrap_or(spacing))?;
            Ok(builder.rope(name, &at, elasticity, material))
        }
        ParticleKindDesc::Cloth => {
            let sheet = mesh.map_or_else(|| sheet(set, set.spacing.unwrap_or(spacing)), Ok)?;
            let at = placed(set, &sheet.positions);
            Ok(builder.cloth(name, &at, &sheet.triangles, elasticity, material))
        }
        ParticleKindDesc::Inflatable => {
            let surface = mesh.ok_or("an inflatable needs a shape")?;
            let at = placed(set, &surface.positions);
            let pressure = set.pressure.unwrap_or(1.0);
            Ok(builder.inflatable(name, &at, &surface.triangles, elasticity, pressure, material))
        }
    }
}

fn bodies(
    builder: ParticleModelBuilder,
    set: &ParticlesDesc,
    mesh: Option<TriMesh>,
    kind: BodyKind,
    material: Material,
) -> Result<ParticleModelBuilder, String> {
    let spacing = 2.0 * set.radius;
    let mut shape = match &mesh {
        Some(mesh) => sampled(set, mesh)?,
        None => {
            check_count(set)?;
            let block = if set.shell { BodyShape::block_shell } else { BodyShape::block };
            block(set.count, spacing).map_err(|error| error.to_string())?
        }
    };
    if let Some(count) = set.outermost {
        shape.keep_outermost(count);
    }
    let builder = builder.bodies(&set.name, &shape, &poses(set)?, kind, material);
    let skin = match (mesh, set.skin) {
        (Some(mesh), _) => Some(mesh),
        (None, Some(cells)) => Some(particle_mesh::block(set.count, spacing, cells)?),
        (None, None) => None,
    };
    Ok(match skin {
        Some(skin) => builder.skin(&skin.positions, &skin.triangles),
        None => builder,
    })
}

/// Grains in a block, or inside a mesh.
fn block_or_inside(set: &ParticlesDesc, mesh: Option<TriMesh>, spacing: Real) -> Result<Vec<Vec3>, String> {
    match mesh {
        Some(mesh) => Ok(placed(set, &sampled(set, &mesh)?.points)),
        None => lattice(set, set.spacing.unwrap_or(spacing)),
    }
}

/// Particles of a mesh.
fn sampled(set: &ParticlesDesc, mesh: &TriMesh) -> Result<BodyShape, String> {
    let query = pd_collide::mesh::MeshQuery::new(mesh.positions.clone(), mesh.triangles.clone());
    let query = query.map_err(|fault| fault.to_string())?;
    let place = match set.sample.place {
        SamplePlaceDesc::Volume => Sampling::Volume,
        SamplePlaceDesc::Surface => Sampling::Surface,
    };
    let spacing = set.sample.spacing.unwrap_or(2.0 * set.radius);
    let options = SampleOptions {
        inset: set.sample.inset,
        cover: set.sample.cover,
        ..SampleOptions::new(place, spacing)
    };
    BodyShape::from_mesh(&query, &options).map_err(|error| error.to_string())
}

/// Poses of all bodies of a set.
fn poses(set: &ParticlesDesc) -> Result<Vec<Isometry3<Real>>, String> {
    let at = |p: Vec3, turn| Isometry3::from_parts(Translation3::from(p), turn);
    let first = rotation(set);
    let places = std::iter::once(&set.position).chain(&set.more);
    let mut poses: Vec<_> = places.map(|&p| at(p.into(), first)).collect();
    let Some(copies) = set.copies else { return Ok(poses) };
    let [nx, ny, nz] = copies.count;
    if nx == 0 || ny == 0 || nz == 0 || nx.saturating_mul(ny).saturating_mul(nz) > 1_000_000 {
        return Err(format!(
            "copies.count is {:?}; each must be at least 1, and at most a million in all",
            copies.count
        ));
    }
    poses.truncate(1);
    let places = (0..ny).flat_map(|y| (0..nz).flat_map(move |z| (0..nx).map(move |x| [x, y, z])));
    for (k, place) in places.enumerate().skip(1) {
        let step = Vec3::from(place.map(|n| n as Real)).component_mul(&Vec3::from(copies.spacing));
        // Angles that repeat after very many bodies only, the same on every machine.
        let angles = [0.7, 1.3, 0.4].map(|angle| angle * k as Real);
        let tumble = UnitQuaternion::from_scaled_axis(Vector3::from(angles));
        let turn = if copies.tumbled { tumble * first } else { first };
        poses.push(at(Vec3::from(set.position) + step, turn));
    }
    Ok(poses)
}

fn rotation(set: &ParticlesDesc) -> UnitQuaternion<Real> {
    let turn = set.rotate.and_then(|rotate| {
        let axis = nalgebra::Unit::try_new(Vector3::from(rotate.axis), 0.0)?;
        Some(UnitQuaternion::from_axis_angle(&axis, rotate.degrees.to_radians()))
    });
    turn.unwrap_or_else(UnitQuaternion::identity)
}

/// Points turned and moved to where the set starts.
fn placed(set: &ParticlesDesc, points: &[Vec3]) -> Vec<Vec3> {
    let (turn, centre) = (rotation(set), Vec3::from(set.position));
    points.iter().map(|p| centre + turn * p).collect()
}

fn check_count(set: &ParticlesDesc) -> Result<(), String> {
    let total = set.count.iter().try_fold(1_usize, |product, &n| product.checked_mul(n));
    if total.is_some_and(|total| (1..=100_000_000).contains(&total)) {
        return Ok(());
    }
    Err(format!(
        "count is {:?}; it must be at least 1 in each direction, or there must be a shape",
        set.count
    ))
}

/// A block of points about its position, lowest layer first.
fn lattice(set: &ParticlesDesc, spacing: Real) -> Result<Vec<Vec3>, String> {
    check_count(set)?;
    let [nx, ny, nz] = set.count;
    let at = |k: usize, n: usize| (k as Real - 0.5 * (n - 1) as Real) * spacing;
    let mut points = Vec::with_capacity(nx * ny * nz);
    for y in 0..ny {
        for z in 0..nz {
            points.extend((0..nx).map(|x| Vec3::new(at(x, nx), at(y, ny), at(z, nz))));
        }
    }
    Ok(placed(set, &points))
}

/// A sheet of count[0] × count[2] points about the origin, the diagonals of its cells in turn.
fn sheet(set: &ParticlesDesc, spacing: Real) -> Result<TriMesh, String> {
    let [nx, _, nz] = set.count;
    if nx < 2 || nz < 2 {
        return Err(format!("count is {:?}; cloth needs two particles along x and z at least", set.count));
    }
    let size = |n: usize| (n - 1) as Real * spacing;
    let mut mesh = pd_mesh::generate::grid(nx - 1, nz - 1, size(nx), size(nz)).map_err(|e| e.to_string())?;
    // The middle at the origin.
    let middle = pd_mesh::transform::mean(&mesh.positions);
    mesh.translate(-middle);
    Ok(mesh)
}
