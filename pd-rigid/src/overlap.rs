//! Bodies that overlap in a state, for checks before a run.

use crate::contacts::{Contacts, Manifolds, Reach};
use crate::model::pose;
use crate::{RigidModel, RigidParams};
use nalgebra::Isometry3;
use pd_core::{Bodies, Collider, Real, StepParams, Vec3};

/// Pose, velocity and angular velocity.
type Pose = (Isometry3<Real>, Vec3, Vec3);

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The bodies, the smaller number first.
    pub bodies: [usize; 2],
    /// How deep, m.
    pub depth: Real,
    /// Where, world frame, m.
    pub place: Vec3,
}

/// A body that overlaps an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstacleOverlap {
    /// The body.
    pub body: usize,
    /// Number of the obstacle.
    pub obstacle: usize,
    /// How deep, m.
    pub depth: Real,
    /// Where, world frame, m.
    pub place: Vec3,
}

impl RigidModel {
    /// Bodies that forces move and that overlap an obstacle by more than `depth` (m) at a time (s), deepest point of each, in the
    /// order of bodies and obstacles.
    pub fn obstacle_overlaps(
        &self,
        state: &Bodies,
        obstacles: &[Box<dyn Collider>],
        time: Real,
        depth: Real,
    ) -> Vec<ObstacleOverlap> {
        let (mut contacts, mut manifolds, motion, reach) = self.at_rest(state);
        contacts.pairs(self, &motion, &reach);
        (0..self.bodies()).for_each(|b| contacts.moves[b] = self.is_dynamic(b));
        contacts.obstacles(self, &motion, &reach, obstacles, time, &mut manifolds);
        let mut found: Vec<ObstacleOverlap> = vec![];
        for m in manifolds.all() {
            let (body, obstacle) =
                (m.bodies[0] as usize, (u64::from(u32::MAX) - (m.key & 0xffff_ffff)) as usize);
            for point in m.points().iter().filter(|p| -p.gap > depth) {
                let overlap = ObstacleOverlap { body, obstacle, depth: -point.gap, place: point.place };
                match found.iter_mut().find(|o| (o.body, o.obstacle) == (body, obstacle)) {
                    Some(known) if known.depth < overlap.depth => *known = overlap,
                    Some(_) => {}
                    None => found.push(overlap),
                }
            }
        }
        found.sort_by_key(|o| (o.body, o.obstacle));
        found
    }

    /// What finds contacts of bodies that do not move.
    fn at_rest(&self, state: &Bodies) -> (Contacts, Manifolds, Vec<Pose>, Reach) {
        let motion = (0..self.bodies()).map(|b| (pose(state, b), Vec3::zeros(), Vec3::zeros())).collect();
        let rigid = RigidParams { margin: 0.0, ..RigidParams::default() };
        let reach = Contacts::reach(&rigid, &StepParams { gravity: Vec3::zeros(), ..StepParams::default() });
        (Contacts::new(self), Manifolds::default(), motion, reach)
    }

    /// Pairs of bodies that overlap by more than `depth` (m) and may touch, deepest point of each, in the order of bodies. A
    /// run recovers from them by pushing out at a bounded speed; a scene that starts so is usually a mistake.
    ///
    /// ```
    /// use pd_core::Vec3;
    /// use pd_rigid::{BodyDesc, RigidModel, describe::sphere_body};
    /// let mut builder = RigidModel::builder();
    /// builder.body(BodyDesc::ground(0.0))?;
    /// builder.body(sphere_body(0.5, 1.0)?.at(Vec3::new(0.0, 0.4, 0.0)))?;
    /// let (model, bodies) = builder.build();
    /// let found = model.overlaps(&bodies, 0.01);
    /// assert_eq!(found[0].bodies, [0, 1]);
    /// assert!((found[0].depth - 0.1).abs() < 1e-12);
    /// # Ok::<(), pd_rigid::RigidError>(())
    /// ```
    pub fn overlaps(&self, state: &Bodies, depth: Real) -> Vec<Overlap> {
        let (mut contacts, mut manifolds, motion, reach) = self.at_rest(state);
        contacts.pairs(self, &motion, &reach);
        contacts.find(self, &motion, &reach, |_, _| true, &mut manifolds);
        let mut found: Vec<Overlap> = vec![];
        for m in manifolds.all() {
            let [a, b] = m.bodies.map(|b| b as usize);
            for point in m.points().iter().filter(|p| -p.gap > depth) {
                let overlap = Overlap { bodies: [a.min(b), a.max(b)], depth: -point.gap, place: point.place };
                match found.iter_mut().find(|o| o.bodies == overlap.bodies) {
                    Some(known) if known.depth < overlap.depth => *known = overlap,
                    Some(_) => {}
                    None => found.push(overlap),
                }
            }
        }
        found.sort_by_key(|o| o.bodies);
        found
    }

    /// Anchors of a joint on its two bodies, world frame, m, for drawing.
    pub fn anchors(&self, state: &Bodies, joint: usize) -> [Vec3; 2] {
        let joint = &self.joints()[joint];
        let place = |body: Option<usize>, side: usize| {
            let local = joint.frames[side].translation.vector;
            body.map_or(local, |body| state.world(body, &local))
        };
        [place(joint.desc.a, 0), place(joint.desc.b, 1)]
    }
}
