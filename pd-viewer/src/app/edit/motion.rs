//! Translating, rotating and scaling bodies and obstacles.

use crate::app::worker::Placement;
use nalgebra::Rotation3;
use pd_core::{Real, Vec3};
use pd_sim::scene::desc::{ColliderDesc, ColliderShapeDesc, ObjectDesc, RotateDesc};

/// A motion of a body: grown and turned about a point, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The point that stays, m.
    pub about: Vec3,
    /// Turn.
    pub turn: Rotation3<Real>,
    /// Growth, positive.
    pub grow: Real,
    /// Shift, m.
    pub by: Vec3,
}

impl Motion {
    /// Nothing moves.
    pub fn still(about: Vec3) -> Self {
        Self { about, turn: Rotation3::identity(), grow: 1.0, by: Vec3::zeros() }
    }

    /// Where a point goes, m.
    pub fn apply(&self, p: Vec3) -> Vec3 {
        self.about + self.turn * (p - self.about) * self.grow + self.by
    }
}

/// Moves a body's placement, its boxes excepted.
pub fn move_object(object: &mut ObjectDesc, motion: &Motion) {
    let old = Placement::of(object);
    let turn = motion.turn * old.rotate;
    let scale = old.scale * motion.grow;
    object.translate = Some(motion.apply(old.translate).into());
    if motion.turn != Rotation3::identity() {
        object.rotate = turn
            .axis_angle()
            .map(|(axis, angle)| RotateDesc { axis: axis.into_inner().into(), degrees: angle.to_degrees() });
    }
    if motion.grow != 1.0 {
        object.scale = Some(scale.clamp(1e-6, 1e6));
    }
    for pin in &mut object.pins {
        pin.at.iter_mut().for_each(|at| *at = motion.apply(Vec3::from(*at)).into());
    }
}

/// Moves and grows an obstacle; obstacles do not turn.
pub fn move_obstacle(collider: &mut ColliderDesc, motion: &Motion) {
    let before = Vec3::from(collider.centre());
    collider.set_centre(motion.apply(before).into());
    let grow = motion.grow.clamp(1e-3, 1e3);
    match &mut collider.shape {
        ColliderShapeDesc::Floor { .. } => {}
        ColliderShapeDesc::Sphere { radius, .. }
        | ColliderShapeDesc::Capsule { radius, .. }
        | ColliderShapeDesc::Cylinder { radius, .. } => *radius *= grow,
        ColliderShapeDesc::Block { half_extents, .. } => half_extents.iter_mut().for_each(|h| *h *= grow),
        ColliderShapeDesc::Torus { major_radius, minor_radius, .. } => {
            *major_radius *= grow;
            *minor_radius *= grow;
        }
        ColliderShapeDesc::HalfSpace { .. } => {}
        ColliderShapeDesc::Hull { points } => {
            let centre = motion.apply(before);
            for p in points {
                *p = (centre + (Vec3::from(*p) - centre) * grow).into();
            }
        }
        ColliderShapeDesc::HeightField { corner, spacing, heights } => {
            let centre = motion.apply(before);
            *corner = (centre + (Vec3::from(*corner) - centre) * grow).into();
            *spacing *= grow;
            heights.iter_mut().flatten().for_each(|height| *height *= grow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::ModelPaths;
    use pd_sim::scene::{Scene, SceneDesc, read_desc};

    fn scene(desc: SceneDesc) -> Scene {
        Scene::from_desc("edited", desc, None, &ModelPaths::default()).unwrap()
    }

    #[test]
    fn a_motion_of_a_body_moves_its_rest_shape_alike() {
        let mut desc = read_desc("cloth-pair").unwrap().0;
        desc.objects[1].rotate = Some(RotateDesc { axis: [1.0, 0.0, 1.0], degrees: 30.0 });
        desc.objects[1].scale = Some(0.7);
        let before = scene(desc.clone()).rest();
        let motion = Motion {
            about: Vec3::new(0.3, -0.2, 0.9),
            turn: Rotation3::from_euler_angles(0.4, -1.2, 2.0),
            grow: 1.6,
            by: Vec3::new(1.0, 2.0, -3.0),
        };
        move_object(&mut desc.objects[1], &motion);
        let after = scene(desc).rest();
        assert_eq!(before[..441], after[..441]);
        for v in 441..882 {
            assert!((after[v] - motion.apply(before[v])).norm() < 1e-12, "vertex {v}");
        }
    }
}
