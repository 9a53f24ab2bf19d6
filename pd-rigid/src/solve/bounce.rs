//! Restitution, at the end of a step.

use super::body::Body;
use super::group::{Eight3, Groups};
use crate::RigidParams;
use pd_core::Vec3;

impl Groups {
    /// Gives points that met faster than the threshold their speed of departure, at the end of a step. The impulse of a bounce
    /// is no guess at the next step's and is not kept.
    pub(crate) fn restitution(&self, bodies: &mut [Body], params: &RigidParams) {
        for group in self.groups[..self.used].iter().filter(|group| group.some_bounce) {
            for lane in (0..group.count).filter(|&lane| group.restitution.0[lane] > 0.0) {
                let three = |v: &Eight3| Vec3::new(v[0].0[lane], v[1].0[lane], v[2].0[lane]);
                let (n, drag) = (three(&group.normal), three(&group.drag));
                let ends = [group.bodies[0][lane] as usize, group.bodies[1][lane] as usize];
                for point in &group.point[..group.points] {
                    let (most, impact) = (point.most.0[lane], point.impact.0[lane]);
                    if most == 0.0 || impact > -params.bounce_speed {
                        continue;
                    }
                    let arm = [three(&point.arm[0]), three(&point.arm[1])];
                    let [va, vb] = [0, 1].map(|k: usize| bodies[ends[k]].velocity_at(&arm[k]));
                    let wanted = -group.restitution.0[lane] * impact;
                    let change = point.mass.0[lane] * (wanted - n.dot(&(va - vb - drag)));
                    let impulse = n * change.max(-point.lambda[0].0[lane]);
                    bodies[ends[0]].push(&impulse, &arm[0]);
                    bodies[ends[1]].push(&-impulse, &arm[1]);
                }
            }
        }
    }
}
