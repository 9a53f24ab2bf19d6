//! A chain of 100 links of 1 kg and 0.1 m with a heavy end, released horizontally.

use crate::world::{World, substeps};
use pd_core::{Real, Vec3};
use pd_rigid::{BodyDesc, JointDesc, JointKind, RigidModel};

pub(crate) fn chain(links: usize, end: Real, direction: Vec3) -> pd_rigid::RigidBuilder {
    let (length, along) = (0.1, direction.normalize());
    let turn = nalgebra::UnitQuaternion::rotation_between(&-Vec3::y(), &along).unwrap();
    let mut builder = RigidModel::builder();
    let mut before = None;
    for k in 0..=links {
        let (at, desc) = if k < links {
            (length * (k as Real + 0.5), BodyDesc::point(1.0, Vec3::new(9.3e-4, 2e-4, 9.3e-4)))
        } else {
            // A ball of radius 0.3 m that hangs from its surface.
            (length * links as Real + 0.3, BodyDesc::point(end, Vec3::repeat(0.036 * end)))
        };
        let body = builder.body(desc.at(along * at).turned(turn)).unwrap();
        let anchor = along * (length * k as Real);
        builder.joint(JointDesc::new(JointKind::Ball, before, Some(body), anchor)).unwrap();
        before = Some(body);
    }
    builder
}

/// Largest gap over some seconds and energy at the end over that at the start, as a share of the largest fall.
pub(crate) fn swing(end: Real, steps: usize, seconds: Real, name: &str) -> (Real, Real) {
    let mut world = World::new(chain(100, end, Vec3::x()), substeps(steps), name);
    let (mut gap, before) = (0.0f64, world.energy());
    for _ in 0..(60.0 * seconds) as usize {
        world.step();
        gap = gap.max(world.stepper.report().joint_gap);
    }
    (gap, (world.energy() - before) / (end * 9.8 * 10.0))
}

#[test]
fn a_heavy_end_does_not_open_the_joints_in_one_step_a_frame() {
    for end in [1e3, 1e6] {
        let (gap, energy) = swing(end, 1, 3.0, "direct");
        println!("{end:e}: gap {gap:.3e} m, energy {energy:.4}");
        assert!(gap < 1e-3, "{end:e}: {gap:e} m");
        assert!((-0.5..1e-3).contains(&energy), "{end:e}: energy changed by {energy}");
    }
}
