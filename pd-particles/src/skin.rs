//! A render mesh that a body of particles carries.
//!
//! The mesh moves by the map that fits the particles best: a rotation for a rigid body, a linear or quadratic map (β = 1,
//! see [`matching`](crate::matching)) for a deformable one. Particles of a body lie on such a map of their rest positions, so
//! the mesh does, too, without weights.

use crate::matching::Matching;
use crate::{BodyKind, ParticleModel};
use pd_core::{Real, Vec3};
use std::sync::Arc;

/// A mesh in the rest frame of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    body: usize,
    offsets: Vec<Vec3>,
    triangles: Arc<Vec<[u32; 3]>>,
    matching: Matching,
}

impl Skin {
    /// Binds a mesh (vertices in m, where they are when the model starts) to a body of the model. `None` if there is no such
    /// body.
    pub fn new(
        model: &ParticleModel,
        body: usize,
        vertices: &[Vec3],
        triangles: Arc<Vec<[u32; 3]>>,
    ) -> Option<Self> {
        let parts = model.bodies().get(body)?;
        let start = &model.start[parts.range.clone()];
        let centre = start.iter().sum::<Vec3>() / start.len().max(1) as Real;
        let kind = match parts.kind {
            BodyKind::Rigid => BodyKind::Rigid,
            BodyKind::Linear(_) => BodyKind::Linear(1.0),
            BodyKind::Quadratic(_) => BodyKind::Quadratic(1.0),
        };
        let rest = &model.rest()[parts.range.clone()];
        let matching = Matching::new(kind, rest, model.masses()[parts.range.start], false);
        Some(Self { body, offsets: vertices.iter().map(|v| v - centre).collect(), triangles, matching })
    }

    /// The body.
    pub fn body(&self) -> usize {
        self.body
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Appends the vertices at the particles' positions `x` (m, all of the model). Appends nothing if these are too few.
    pub fn place(&self, model: &ParticleModel, x: &[Vec3], out: &mut Vec<Vec3>) {
        let Some(range) = model.bodies().get(self.body).map(|body| body.range.clone()) else { return };
        let Some(own) = x.get(range.clone()) else { return };
        let fit = self.matching.fit(&model.rest()[range], own.iter().copied());
        out.extend(self.offsets.iter().map(|q| self.matching.goal(&fit, q)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyShape, Friction, Material};
    use nalgebra::{Isometry3, Matrix3, Rotation3};

    #[test]
    fn vertices_move_with_rigid_affine_and_quadratic_bodies() {
        let cube = BodyShape::block([4, 3, 5], 0.1).unwrap();
        let pose = Isometry3::new(Vec3::new(0.3, 1.0, -2.0), Vec3::new(0.2, -0.4, 0.9));
        let material = Material { radius: 0.05, mass: 0.3, friction: Friction::new(0.5) };
        let vertices: Vec<Vec3> = [Vec3::new(0.21, -0.13, 0.27), Vec3::new(-0.2, 0.15, 0.0), Vec3::zeros()]
            .map(|v| (pose * nalgebra::Point3::from(v)).coords)
            .to_vec();
        let shift = Vec3::new(-1.0, 0.2, 0.4);
        let turn = Rotation3::new(Vec3::new(0.3, 2.0, -1.0)).into_inner();
        let shear = Matrix3::new(1.0, 0.3, 0.0, -0.1, 0.8, 0.2, 0.0, 0.4, 1.3);
        for (kind, map, bend) in [
            (BodyKind::Rigid, turn, 0.0),
            (BodyKind::Linear(0.4), turn * shear, 0.0),
            (BodyKind::Quadratic(0.4), turn * shear, 0.7),
        ] {
            let model = ParticleModel::builder()
                .grains("other", &[Vec3::repeat(9.0)], material)
                .body("cube", &cube, pose, kind, material)
                .build()
                .unwrap();
            let skin = Skin::new(&model, 0, &vertices, Arc::default()).unwrap();
            let moved = |x: &Vec3| map * x + shift + Vec3::new(x.y * x.y, x.x * x.z, 0.0) * bend;
            let x: Vec<Vec3> = model.state().x.iter().map(moved).collect();
            let mut out = vec![];
            skin.place(&model, &x, &mut out);
            assert_eq!(out.len(), 3);
            for (v, placed) in vertices.iter().zip(&out) {
                assert!((moved(v) - placed).norm() < 1e-11, "{kind:?} {}", (moved(v) - placed).norm());
            }
            out.clear();
            skin.place(&model, &x[..10], &mut out);
            assert!(out.is_empty() && Skin::new(&model, 1, &vertices, Arc::default()).is_none());
        }
    }
}
