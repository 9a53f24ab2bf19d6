//! Every kind of bad input gives the error that names it.

use crate::common::*;
use pd_constraints::*;
use pd_core::{Real, Vec3};

const X: [Vec3; 4] =
    [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.0, 0.0, 0.0)];
const RANGE: StrainRange = StrainRange::RIGID;
const RINGS: RingsRef<'static> = RingsRef { vertices: &[3], offsets: &[0, 3], neighbours: &[0, 1, 2] };

fn bending(x: &[Vec3], rings: RingsRef<'_>, weight: Real) -> Result<Bending, ConstraintError> {
    Bending::new(x, rings, weight, BendingWeights::MeanValue)
}

/// Calls every constructor and returns the errors.
fn all(x: &[Vec3], weight: Real, vertex: u32) -> Vec<Option<ConstraintError>> {
    let tets = [[0, 1, 2, 3], [0, 1, 2, vertex]];
    let triangles = [[0, 1, 3], [0, 1, vertex]];
    let neighbours = [0, 1, 2, 0, 1, vertex];
    let rings = RingsRef { vertices: &[3, 3], offsets: &[0, 3, 6], neighbours: &neighbours };
    vec![
        Pins::new(x, &[0, vertex], weight).err(),
        EdgeSprings::new(x, &[[0, 1], [0, vertex]], weight).err(),
        bending(x, rings, weight).err(),
        TetStrain::new(x, &tets, weight, RANGE).err(),
        Volume::new(x, &tets, weight, 1.0, 1.0).err(),
        TriStrain::new(x, &triangles, weight, RANGE).err(),
        Area::new(x, &triangles, weight, 1.0, 1.0).err(),
    ]
}

#[test]
fn good_input_is_taken() {
    assert!(all(&X, 1.0, 3).iter().all(Option::is_none));
}

#[test]
fn vertices_out_of_range_are_named() {
    for error in all(&X, 1.0, 4) {
        let Some(ConstraintError::Vertex { element: 1, vertex: 4, vertices: 4, .. }) = error else {
            panic!("{error:?}");
        };
    }
    let error = Wind::new(3, &[[0, 1, 3]], Vec3::x(), WindModel::Thesis { strength: 1.0 }).err();
    assert!(matches!(error, Some(ConstraintError::Vertex { element: 0, vertex: 3, vertices: 3, .. })));
    assert!(matches!(
        lumped_masses_tets(&X, &[[0, 1, 2, 9]], 1.0),
        Err(ConstraintError::Vertex { vertex: 9, .. })
    ));
}

#[test]
fn bad_weights_are_named() {
    for weight in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        for error in all(&X, weight, 3) {
            assert!(matches!(error, Some(ConstraintError::Weight { element: 0, .. })), "{error:?}");
        }
    }
    let error = EdgeSprings::new(&X, &[[0, 1], [1, 2]], &[1.0, Real::NAN]).err();
    assert!(matches!(error, Some(ConstraintError::Weight { kind: "edge", element: 1, .. })));
    let error = EdgeSprings::new(&X, &[[0, 1], [1, 2]], &[1.0; 3]).err();
    assert_eq!(error, Some(ConstraintError::WeightCount { kind: "edge", elements: 2, weights: 3 }));
}

#[test]
fn positions_must_be_finite() {
    for bad in [Real::NAN, Real::INFINITY] {
        let mut x = X;
        x[2].y = bad;
        for error in all(&x, 1.0, 3) {
            assert!(matches!(error, Some(ConstraintError::Position { vertex: 2, .. })), "{error:?}");
        }
        assert!(lumped_masses_triangles(&x, &[[0, 1, 3]], 1.0).is_err());
    }
}

#[test]
fn degenerate_elements_are_named() {
    let mut x = X;
    x[2] = Vec3::new(0.5, 0.5, 1e-13);
    let error = TetStrain::new(&x, &[[0, 1, 2, 3]], 1.0, RANGE).unwrap_err();
    let ConstraintError::Degenerate { element: 0, vertices, measure: "volume", value, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((vertices.as_slice(), value.abs() < 1e-12), (&[0, 1, 2, 3][..], true));
    assert!(error.to_string().contains("tet-strain 0 (vertices [0, 1, 2, 3]) is degenerate"));
    assert!(Volume::new(&x, &[[0, 1, 2, 3]], 1.0, 1.0, 1.0).is_err());
    // Small is not degenerate: the bunny of unit size has tetrahedra of 1e-6 m³ and less.
    let tiny = X.map(|p| p * 1e-6);
    assert!(TetStrain::new(&tiny, &[[0, 1, 2, 3]], 1.0, RANGE).is_ok());
    for error in
        [TriStrain::new(&X, &[[0, 1, 1]], 1.0, RANGE).err(), Area::new(&X, &[[0, 0, 0]], 1.0, 1.0, 1.0).err()]
    {
        assert!(matches!(error, Some(ConstraintError::Degenerate { element: 0, measure: "area", .. })));
    }
}

#[test]
fn ranges_must_contain_the_rest_state() {
    for (min, max) in [
        (0.0, 1.0),
        (-1.0, 1.0),
        (1.1, 1.2),
        (0.5, 0.9),
        (Real::NAN, 1.0),
        (1.0, Real::NAN),
        (1.0, Real::INFINITY),
    ] {
        let range = StrainRange::uniform(min, max);
        let errors = [
            TetStrain::new(&X, &[[0, 1, 2, 3]], 1.0, range).err(),
            TriStrain::new(&X, &[[0, 1, 2]], 1.0, range).err(),
            Volume::new(&X, &[[0, 1, 2, 3]], 1.0, min, max).err(),
            Area::new(&X, &[[0, 1, 2]], 1.0, min, max).err(),
        ];
        for error in errors {
            assert!(matches!(error, Some(ConstraintError::Range { axis: 0, .. })), "{error:?}");
        }
    }
    let third = StrainRange { min: [1.0, 1.0, 2.0], max: [1.0; 3] };
    let error = TetStrain::new(&X, &[[0, 1, 2, 3]], 1.0, third).err();
    assert!(matches!(error, Some(ConstraintError::Range { axis: 2, .. })));
    assert!(TriStrain::new(&X, &[[0, 1, 2]], 1.0, third).is_ok());
}

#[test]
fn ring_arrays_must_fit() {
    let cases = [
        RingsRef { vertices: &[3], offsets: &[0], ..RINGS },
        RingsRef { vertices: &[], offsets: &[], neighbours: &[] },
        RingsRef { offsets: &[1, 3], ..RINGS },
        RingsRef { offsets: &[0, 2], ..RINGS },
        RingsRef { vertices: &[3, 3, 3], offsets: &[0, 3, 1, 3], ..RINGS },
        RingsRef { vertices: &[3], offsets: &[0, 2], neighbours: &[0, 1] },
    ];
    for rings in cases {
        let error = bending(&X, rings, 1.0).err();
        assert!(matches!(error, Some(ConstraintError::Ring { .. })), "{rings:?}: {error:?}");
    }
    assert!(bending(&X, RingsRef { vertices: &[], offsets: &[0], neighbours: &[] }, 1.0).is_ok());
    assert!(matches!(
        bending(&X, RingsRef { vertices: &[8], ..RINGS }, 1.0),
        Err(ConstraintError::Vertex { element: 0, vertex: 8, .. })
    ));
}

#[test]
fn parameters_are_checked() {
    let parameter = |error: Option<ConstraintError>| match error {
        Some(ConstraintError::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(parameter(Material::new(-1.0, 0.3, 1e3).err()), "Young's modulus");
    assert_eq!(parameter(Material::new(1e6, 0.3, 0.0).err()), "density");
    for nu in [0.5, -1.0, Real::NAN] {
        assert_eq!(parameter(Material::new(1e6, nu, 1e3).err()), "Poisson's ratio");
    }
    let auxetic = Material::new(1e6, -0.2, 1e3).unwrap();
    assert_eq!(parameter(tet_weights(&auxetic, true).err()), "Poisson's ratio");
    assert!(tet_weights(&auxetic, false).is_ok());
    assert_eq!(parameter(membrane_weights(&auxetic, 0.0, false).err()), "thickness");
    assert_eq!(parameter(auxetic.bending_rigidity(Real::NAN).err()), "thickness");
    assert_eq!(parameter(lumped_masses_tets(&X, &[], -1.0).err()), "density");
    assert_eq!(parameter(lumped_masses_triangles(&X, &[], Real::NAN).err()), "surface density");
    let wind = |velocity, model| parameter(Wind::new(3, &[], velocity, model).err());
    assert_eq!(wind(Vec3::zeros(), WindModel::Thesis { strength: 1.0 }), "wind speed");
    assert_eq!(wind(Vec3::x() * Real::NAN, WindModel::Thesis { strength: 1.0 }), "wind velocity");
    assert_eq!(wind(Vec3::x(), WindModel::Thesis { strength: Real::NAN }), "wind strength");
    assert_eq!(wind(Vec3::x(), WindModel::Drag { density: 0.0, coefficient: 1.0 }), "density of air");
    assert_eq!(wind(Vec3::x(), WindModel::Drag { density: 1.0, coefficient: -1.0 }), "drag coefficient");
    assert_eq!(parameter(PointForce::new(&[0], Vec3::repeat(Real::NAN), 0.0, 1.0).err()), "point force");
    for (from, to) in [(1.0, 1.0), (2.0, 1.0), (Real::NAN, 1.0), (0.0, Real::NAN)] {
        let error = PointForce::new(&[0], Vec3::x(), from, to).err();
        assert!(matches!(error, Some(ConstraintError::Interval { .. })));
        let wind = Wind::new(3, &[], Vec3::x(), WindModel::Thesis { strength: 1.0 }).unwrap();
        assert!(matches!(wind.during(from, to).err(), Some(ConstraintError::Interval { .. })));
    }
}

#[test]
fn pins_refuse_what_they_do_not_have() {
    let mut pins = Pins::new(&X, &[1, 2], 1.0).unwrap();
    assert_eq!(pins.set_target(2, Vec3::x()), Err(ConstraintError::Pin { index: 2, pins: 2 }));
    assert!(pins.set_target(0, Vec3::repeat(Real::NAN)).is_err());
    assert_eq!(pins.targets(), &X[1..3]);
    assert_eq!(largest(&residual(&pins, &X)), 0.0);
}
