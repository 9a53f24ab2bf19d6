//! Joints that do not hold: how far the anchors of an unbroken rigid joint are apart.

use crate::Simulation;
use crate::scene::RigidMatter;
use pd_core::Real;
use pd_rigid::JointKind;

/// Part of the reach of the smaller body by which anchors may be apart.
const PART: Real = 0.1;

/// The joint whose anchors are farthest apart in parts of what is tolerated: its number, the distance and the tolerance, m.
pub(super) fn worst(rigid: &RigidMatter, sim: &Simulation) -> Option<(usize, Real, Real)> {
    let (model, state) = (&rigid.model, &sim.state);
    let broken = state.columns.keys("joint.broken");
    let holds = |k: &usize| {
        let joint = &model.joints()[*k].desc;
        let point = matches!(
            joint.kind,
            JointKind::Ball | JointKind::Hinge | JointKind::Fixed | JointKind::Universal
        );
        point && joint.compliance == 0.0 && broken.get(*k).is_none_or(|&broken| broken == 0)
    };
    let apart = |k: usize| {
        let [a, b] = model.anchors(&state.bodies, k);
        let joint = &model.joints()[k].desc;
        let arm = |body: usize, at: pd_core::Vec3| {
            let lever = (at - state.bodies.p[body]).norm();
            lever.max(super::sources::reach_of(rigid, body))
        };
        let arms = [joint.a.map(|body| arm(body, a)), joint.b.map(|body| arm(body, b))];
        let least = arms.into_iter().flatten().fold(Real::INFINITY, Real::min);
        (k, (a - b).norm(), PART * least)
    };
    let all = (0..model.joints().len()).filter(holds).map(apart);
    all.max_by(|x, y| (x.1 / x.2).total_cmp(&(y.1 / y.2)))
}
