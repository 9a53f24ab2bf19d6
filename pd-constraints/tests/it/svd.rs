//! The 3×3 and 3×2 singular value decompositions on ordinary and hostile matrices.

use crate::common::*;
use nalgebra::Matrix3;
use pd_constraints::svd3::{svd3, svd32};
use pd_core::{Mat3, Real, Vec3};
use proptest::prelude::*;

/// Rotations, order, signs and reconstruction to rounding level.
fn check(f: &Mat3) -> Result<(), String> {
    let svd = svd3(f);
    let scale = f.amax();
    for (name, m) in [("U", &svd.u), ("V", &svd.v)] {
        if (m.transpose() * m - Mat3::identity()).amax() > 4e-15 || (m.determinant() - 1.0).abs() > 4e-15 {
            return Err(format!("{name} of {f} is no rotation: {m}"));
        }
    }
    let s = svd.sigma;
    if !(s.x >= s.y && s.y >= s.z.abs()) {
        return Err(format!("{f}: {s} is not sorted"));
    }
    // Scaled down so that the product below does not overflow for the largest numbers.
    let unit = if scale > 0.0 { s / scale } else { s };
    let rebuilt = svd.u * Matrix3::from_diagonal(&unit) * svd.v.transpose();
    let wanted = if scale > 0.0 { f / scale } else { *f };
    if (rebuilt - wanted).amax() > 1e-14 {
        return Err(format!("{f} came back as {rebuilt} times {scale:e}"));
    }
    Ok(())
}

#[test]
fn hostile_matrices() {
    let a = Vec3::new(1.0, -2.0, 3.0);
    let mut cases = vec![
        Mat3::zeros(),
        Mat3::identity(),
        -Mat3::identity(),
        Mat3::from_element(1.0),
        a * a.transpose(),
        Vec3::x() * Vec3::z().transpose(),
        Vec3::z() * Vec3::x().transpose(),
        Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -1.0)),
        Mat3::from_diagonal(&Vec3::new(0.0, 1.0, 0.0)),
        Mat3::from_diagonal(&Vec3::new(1e-160, 1.0, 1e160)),
        Mat3::from_columns(&[Vec3::x(), Vec3::x() + Vec3::y() * 1e-9, Vec3::x() - Vec3::z() * 1e-17]),
        Mat3::from_columns(&[a, a * 1e-170, a * 1e-200 + Vec3::y() * 1e-180]),
    ];
    for tiny in [1e-310, 5e-324, 1e-200, 1e-40, 1e40, 1e200, 1e307] {
        cases.extend([
            Mat3::identity() * tiny,
            Mat3::from_element(tiny),
            (a * a.transpose()) * (tiny / 16.0),
        ]);
    }
    for f in cases {
        check(&f).unwrap();
    }
}

#[test]
fn not_a_number_ends_and_shows() {
    for bad in [Real::NAN, Real::INFINITY] {
        let svd = svd3(&Mat3::from_columns(&[Vec3::x() * bad, Vec3::y(), Vec3::z()]));
        assert!(svd.with(&Vec3::repeat(1.0)).iter().any(|c| c.is_nan()));
        let svd = svd32(&[Vec3::x() * bad, Vec3::y()]);
        assert!(svd.with([1.0; 2]).iter().any(|c| c.iter().any(|c| c.is_nan())));
    }
}

fn matrix() -> impl Strategy<Value = Mat3> {
    [vector(1.0), vector(1.0), vector(1.0)].prop_map(|c| Mat3::from_columns(&c))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn random_matrices(f in matrix(), exponent in -300i32..300) {
        prop_assert_eq!(check(&f), Ok(()));
        prop_assert_eq!(check(&(f * 10.0_f64.powi(exponent))), Ok(()));
    }

    #[test]
    fn known_values_come_back(u in rotation(), v in rotation(), s in [0.0..2.0, 0.0..2.0, 0.0..2.0], kind in 0..5) {
        let mut s: [Real; 3] = s;
        match kind {
            0 => s[1] = s[0],
            1 => s = [s[0]; 3],
            2 => s[2] = 0.0,
            3 => s = [s[0], 0.0, 0.0],
            _ => {}
        }
        s.sort_by(|a, b| b.total_cmp(a));
        for sign in [1.0, -1.0] {
            let sigma = Vec3::new(s[0], s[1], sign * s[2]);
            let f = u * Matrix3::from_diagonal(&sigma) * v.transpose();
            prop_assert_eq!(check(&f), Ok(()));
            prop_assert!((svd3(&f).sigma - sigma).amax() <= 1e-14 * s[0].max(1e-300));
        }
    }

    /// Columns of very different size: each singular value is right relative to itself, so their product is det F.
    #[test]
    fn small_values_are_accurate_too(f in matrix(), a in 0..12i32, b in 0..12i32) {
        prop_assume!(f.determinant().abs() > 0.05);
        let graded = f * Matrix3::from_diagonal(&Vec3::new(1.0, 10.0_f64.powi(-a), 10.0_f64.powi(-b)));
        let product = svd3(&graded).sigma.product();
        let expected = f.determinant() * 10.0_f64.powi(-a - b);
        prop_assert!((product / expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn two_columns(f in [vector(1.0), vector(1.0)], parallel in any::<bool>(), exponent in -300i32..300) {
        let mut f = f.map(|c| c * 10.0_f64.powi(exponent));
        if parallel { f[1] = f[0] * 0.3; }
        let svd = svd32(&f);
        let scale = f[0].amax().max(f[1].amax());
        prop_assert!((svd.u[0].norm() - 1.0).abs() < 4e-15 && (svd.u[1].norm() - 1.0).abs() < 4e-15);
        prop_assert!(svd.u[0].dot(&svd.u[1]).abs() < 4e-15);
        prop_assert!(svd.sigma[0] >= svd.sigma[1] && svd.sigma[1] >= 0.0);
        prop_assert!(distance(&svd.with(svd.sigma.map(|s| s / scale)), &f.map(|c| c / scale)) < 1e-14);
    }
}
