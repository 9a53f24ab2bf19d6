use super::*;
use crate::MassProperties;
use pd_core::Mat3;

fn add(desc: BodyDesc) -> Result<usize, RigidError> {
    RigidModel::builder().body(desc)
}

#[test]
fn bad_bodies_are_refused_with_their_numbers() {
    let ball = || BodyDesc::new(Shape::sphere(0.5).unwrap(), 1000.0);
    assert_eq!(add(ball()), Ok(0));
    assert_eq!(add(BodyDesc::point(0.0, Vec3::repeat(1.0))), Err(RigidError::Mass { body: 0, mass: 0.0 }));
    assert!(matches!(add(BodyDesc::point(Real::NAN, Vec3::repeat(1.0))), Err(RigidError::Mass { .. })));
    let inverted = RigidError::Inertia { body: 0, a: 1.0, b: 1.0, c: 3.0 };
    assert_eq!(add(BodyDesc::point(1.0, Vec3::new(1.0, 1.0, 3.0))), Err(inverted));
    assert!(matches!(add(BodyDesc::point(1.0, Vec3::new(1.0, 1.0, -1.0))), Err(RigidError::Inertia { .. })));
    assert!(matches!(add(BodyDesc::point(1.0, Vec3::repeat(Real::NAN))), Err(RigidError::Inertia { .. })));
    assert!(matches!(
        add(ball().at(Vec3::repeat(Real::INFINITY))),
        Err(RigidError::NotFinite { what: "position", .. })
    ));
    assert!(matches!(add(ball().friction(-0.1)), Err(RigidError::Parameter { name: "friction", .. })));
    assert!(matches!(add(ball().restitution(1.5)), Err(RigidError::Parameter { name: "restitution", .. })));
    assert!(matches!(add(BodyDesc::new(Shape::sphere(1.0).unwrap(), 0.0)), Err(RigidError::Mass { .. })));
    let floating = BodyDesc {
        mass: BodyDesc::point(1.0, Vec3::repeat(1.0)).mass,
        ..BodyDesc::new(Shape::HalfSpace, 1.0)
    };
    assert_eq!(add(floating), Err(RigidError::Unbounded { body: 0 }));
    assert_eq!(add(BodyDesc::ground(0.0)), Ok(0));
}

#[test]
fn joints_that_hold_nothing_are_refused() {
    let mut builder = RigidModel::builder();
    builder.body(BodyDesc::ground(0.0)).unwrap();
    builder.body(BodyDesc::point(1.0, Vec3::repeat(1.0))).unwrap();
    let joint = |a, b| JointDesc::new(JointKind::Fixed, a, b, Vec3::zeros());
    for (a, b) in [(None, Some(0)), (Some(1), Some(1)), (None, None)] {
        assert_eq!(builder.joint(joint(a, b)), Err(RigidError::IdleJoint { joint: 0, a, b }));
    }
    assert_eq!(builder.joint(joint(Some(0), Some(1))), Ok(0));
}

#[test]
fn a_described_point_stays_where_it_was_described() {
    // An L of two boxes: its principal axes are turned against the frame of the description.
    let part = |x: Real, y: Real, half: Vec3| PartDesc {
        pose: Isometry3::translation(x, y, 0.0),
        ..PartDesc::new(Shape::cuboid(half).unwrap(), 500.0)
    };
    let parts = vec![part(0.0, 0.5, Vec3::new(0.1, 0.6, 0.1)), part(0.5, 0.0, Vec3::new(0.4, 0.1, 0.1))];
    let mut builder = RigidModel::builder();
    let place = Isometry3::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.3, -0.2, 0.5));
    let desc = BodyDesc::compound(parts.clone()).at(place.translation.vector).turned(place.rotation);
    let properties = desc.mass_properties();
    let body = builder.body(desc).unwrap();
    let (model, state) = builder.build();
    let described = model.described_pose(&state, body);
    assert!((described.to_homogeneous() - place.to_homogeneous()).norm() < 1e-12);
    for (part, given) in model.parts().iter().zip(&parts) {
        let world = pose(&state, body) * part.pose;
        assert!((world.to_homogeneous() - (place * given.pose).to_homogeneous()).norm() < 1e-12);
    }
    // Inertia in the world from the principal moments is that of the description, turned.
    let r = state.q[body].to_rotation_matrix();
    let world = r.matrix() * Mat3::from_diagonal(&model.inertia()[body]) * r.matrix().transpose();
    let expected: MassProperties = properties.moved(&place);
    assert!((world - expected.inertia).norm() < 1e-9 * world.norm());
    assert!((state.p[body] - expected.centre).norm() < 1e-12);
}

#[test]
fn a_kinematic_body_turns_about_its_origin() {
    let path = pd_collide::Path::new(vec![(0.0, Vec3::zeros()), (1.0, Vec3::x())]).unwrap();
    let mut builder = RigidModel::builder();
    let spin = Vec3::y() * std::f64::consts::PI;
    builder.body(BodyDesc::new(Shape::sphere(0.1).unwrap(), 1.0).driven(path, spin)).unwrap();
    let (model, _) = builder.build();
    let (half, v, w) = model.driven(0, 0.5).unwrap();
    assert_eq!((half.translation.vector, v, w), (Vec3::x() * 0.5, Vec3::x(), spin));
    assert!((half.rotation * Vec3::x() + Vec3::z()).norm() < 1e-12);
}
