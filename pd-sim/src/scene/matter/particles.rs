//! Grains and bodies of particles of a scene.

use crate::SceneError;
use crate::scene::desc::{ParticleKindDesc, ParticlesDesc, SceneDesc};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use pd_core::{Real, Vec3};
use pd_particles::{BodyKind, BodyShape, Friction, Material, ParticleModel};

pub(super) fn build(name: &str, desc: &SceneDesc) -> Result<ParticleModel, SceneError> {
    let mut builder = ParticleModel::builder();
    for set in &desc.particles {
        let wrong = |what: String| {
            let field = format!("particles {:?}", set.name);
            SceneError::Value { file: name.to_owned(), field, what }
        };
        let total = set.count.iter().try_fold(1_usize, |product, &n| product.checked_mul(n));
        if !total.is_some_and(|total| (1..=100_000_000).contains(&total)) {
            return Err(wrong(format!("count is {:?}; it must be at least 1 in each direction", set.count)));
        }
        let friction = set.friction.map_or(Friction::NONE, Friction::new);
        let friction = Friction { rolling: set.rolling, ..friction };
        let material = Material { radius: set.radius, mass: set.mass, friction };
        let spacing = 2.0 * set.radius;
        let beta = set.beta.unwrap_or(0.7);
        let kind = match set.kind {
            ParticleKindDesc::Grains => {
                builder = builder.grains(&set.name, &lattice(set, spacing), material);
                continue;
            }
            ParticleKindDesc::Rigid => BodyKind::Rigid,
            ParticleKindDesc::Linear => BodyKind::Linear(beta),
            ParticleKindDesc::Quadratic => BodyKind::Quadratic(beta),
        };
        let shape = if set.shell {
            BodyShape::block_shell(set.count, spacing)
        } else {
            BodyShape::block(set.count, spacing)
        };
        let mut shape = shape.map_err(|error| wrong(error.to_string()))?;
        if let Some(count) = set.outermost {
            keep_outermost(&mut shape, count);
        }
        let places = std::iter::once(&set.position).chain(&set.more);
        let poses: Vec<_> = places
            .map(|&p| Isometry3::from_parts(Translation3::from(Vector3::from(p)), rotation(set)))
            .collect();
        builder = builder.bodies(&set.name, &shape, &poses, kind, material);
    }
    let failed = |error: pd_particles::ParticleError| SceneError::Value {
        file: name.to_owned(),
        field: "particles".to_owned(),
        what: error.to_string(),
    };
    builder.build().map_err(failed)
}

/// Drops the innermost particles until `count` are left; of equally deep ones the first goes first.
fn keep_outermost(shape: &mut BodyShape, count: usize) {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    order.sort_by(|&a, &b| shape.depth[a].total_cmp(&shape.depth[b]));
    let mut keep = vec![true; shape.len()];
    for &particle in order.iter().take(shape.len().saturating_sub(count)) {
        keep[particle] = false;
    }
    shape.retain(|k| keep[k]);
}

fn rotation(set: &ParticlesDesc) -> UnitQuaternion<Real> {
    let turn = set.rotate.and_then(|rotate| {
        let axis = nalgebra::Unit::try_new(Vector3::from(rotate.axis), 0.0)?;
        Some(UnitQuaternion::from_axis_angle(&axis, rotate.degrees.to_radians()))
    });
    turn.unwrap_or_else(UnitQuaternion::identity)
}

/// A block of grains about its position, lowest layer first.
fn lattice(set: &ParticlesDesc, spacing: Real) -> Vec<Vec3> {
    let [nx, ny, nz] = set.count;
    let at = |k: usize, n: usize| (k as Real - 0.5 * (n - 1) as Real) * spacing;
    let (turn, centre) = (rotation(set), Vec3::from(set.position));
    let mut points = Vec::with_capacity(nx * ny * nz);
    for y in 0..ny {
        for z in 0..nz {
            points.extend((0..nx).map(|x| centre + turn * Vec3::new(at(x, nx), at(y, ny), at(z, nz))));
        }
    }
    points
}
