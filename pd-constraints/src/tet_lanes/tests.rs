//! The wide ways against the plain one.

use super::*;
use crate::Weight;
use crate::svd3::svd3;
use proptest::prelude::*;

/// Ordinary elements must not need the slow way.
#[test]
fn ordinary_elements_are_done_in_lanes() {
    let turn = *nalgebra::Rotation3::new(Vec3::new(0.3, -1.0, 2.0)).matrix();
    for s in [
        [1.0, 1.0, 1.0],
        [1.1, 1.0, 1.0],
        [1.15, 1.15, 0.7],
        [0.7, 0.7, 0.7],
        [1.3, 0.9, 0.5],
        [3.0, 0.5, 0.2],
        [2.0, 0.7, 0.3],
        [1.2, 0.8, -0.3],
    ] {
        let f = turn * Mat3::from_diagonal(&Vec3::from(s)) * turn;
        for level in Level::all() {
            assert!(all_fast(level, Rigid, &f), "{level:?} {s:?}");
            assert!(
                s[2].abs() < 0.13 * s[0] || all_fast(level, Stretch { min: 0.9, max: 1.1 }, &f),
                "{level:?} {s:?}"
            );
        }
        let f = [0, 1, 2].map(|j| [0, 1, 2].map(|i| f[(i, j)]));
        // FᵀF squares the condition, so flatter elements are left to singular vectors.
        assert_eq!(Stretch { min: 0.9, max: 1.1 }.by_svd(&f).1, 1.0, "{s:?}");
    }
}

/// Whether the fast way serves a matrix in every lane.
fn all_fast(level: Level, law: impl Law, f: &Mat3) -> bool {
    let f: Matrices = std::array::from_fn(|entry| [f.as_slice()[entry]; BLOCK]);
    let (mut r, mut valid) = ([[0.0; BLOCK]; 9], [0.0; BLOCK]);
    level.run(Fast { law, f: &f, r: &mut r, valid: &mut valid });
    valid == [1.0; BLOCK]
}

fn vector(size: Real) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

fn rotation() -> impl Strategy<Value = Mat3> {
    vector(3.1).prop_map(|axis| *nalgebra::Rotation3::new(axis).matrix())
}

/// Matrices of all kinds: ordinary, flat to every rank, inverted, with equal singular values, tiny and huge.
fn matrix() -> impl Strategy<Value = Mat3> {
    let values = (0.0..2.0, 0.0..2.0, 0.0..2.0, 0..9, any::<bool>());
    (rotation(), rotation(), values, -330..300i32).prop_map(|(u, v, (a, b, c, kind, inverted), exponent)| {
        let mut s: [Real; 3] = match kind {
            0 => [0.0; 3],
            1 => [a, 0.0, 0.0],
            2 => [a, b, 0.0],
            3 => [a; 3],
            4 => [a, a, b],
            5 => [a, a * (1.0 + 1e-9 * b), a * (1.0 - 1e-12 * c)],
            6 => [1.0 + 0.05 * a, 1.0 - 0.05 * b, 1.0 + 0.001 * c],
            _ => [a, b, c],
        };
        s[2] *= if inverted { -1.0 } else { 1.0 };
        let scale = if kind == 8 { 10.0_f64.powi(exponent) } else { 1.0 };
        u * Mat3::from_diagonal(&Vec3::from(s)) * v.transpose() * scale
    })
}

fn projected(level: Level, law: impl Law, f: &[Mat3]) -> Vec<Mat3> {
    let mut z: Vec<Vec3> = f.iter().flat_map(|f| f.column_iter().map(|c| c.into_owned())).collect();
    project(level, law, &mut z);
    z.chunks_exact(3).map(Mat3::from_columns).collect()
}

/// The wide way against the plain one. Where the nearest point hangs on rounding (the denominator), both must be
/// admissible and equally near.
fn agree(law: impl Law, min: Real, max: Real, f: &[Mat3]) -> Result<(), TestCaseError> {
    for level in Level::all() {
        for (f, wide) in f.iter().zip(projected(level, law, f)) {
            let plain = law.scalar(f);
            let sigma = svd3(f).sigma;
            let sensitivity = sigma.x / (sigma.y + sigma.z).max(1e-300);
            // Lengths in units of the largest entry, since squares of huge ones overflow.
            let unit = f.amax().max(1.0);
            let distance = |t: &Mat3| ((f - t) / unit).norm();
            if sensitivity < 1e3 {
                prop_assert!((wide - plain).amax() < 1e-12, "{level:?} {f} {wide} {plain}");
            }
            prop_assert!((distance(&wide) - distance(&plain)).abs() < 1e-12, "{level:?} {f}");
            let sigma = svd3(&wide).sigma;
            prop_assert!(sigma.z > min - 1e-12 && sigma.x < max + 1e-12, "{level:?} {f} {sigma}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rigid_agrees_with_the_plain_way(f in proptest::collection::vec(matrix(), 1..40)) {
        agree(Rigid, 1.0, 1.0, &f)?;
    }

    #[test]
    fn ranges_agree_with_the_plain_way(f in proptest::collection::vec(matrix(), 1..40), min in 0.5..1.0, max in 1.0..1.5) {
        agree(Stretch { min, max }, min, max, &f)?;
    }

    /// Equal values that a range pulls apart have no nearest point of their own: distances count.
    #[test]
    fn ranges_by_axis_agree_with_the_plain_way(f in proptest::collection::vec(matrix(), 1..40)) {
        let law = Axes { min: [0.9, 0.8, 0.7], max: [1.3, 1.2, 1.1] };
        for level in Level::all() {
            for (f, wide) in f.iter().zip(projected(level, law, &f)) {
                let unit = f.amax().max(1.0);
                let distance = |t: &Mat3| ((f - t) / unit).norm();
                prop_assert!((distance(&wide) - distance(&law.scalar(f))).abs() < 1e-12, "{level:?} {f}");
                let sigma = svd3(&wide).sigma;
                for k in 0..3 {
                    prop_assert!(sigma[k] > law.min[k] - 1e-12 && sigma[k] < law.max[k] + 1e-12, "{level:?} {f} {sigma}");
                }
            }
        }
    }

    #[test]
    fn volumes_agree_with_the_plain_way(f in proptest::collection::vec(matrix(), 1..40), min in 0.5..1.0, max in 1.0..1.5) {
        let law = Product { min, max };
        for level in Level::all() {
            // The plain way squares values: those above 1e50 are out of its domain.
            for (f, wide) in f.iter().zip(projected(level, law, &f)).filter(|(f, _)| f.amax() < 1e50) {
                let plain = law.scalar(f);
                let unit = f.amax().max(1.0);
                let distance = |t: &Mat3| ((f - t) / unit).norm();
                prop_assert!((distance(&wide) - distance(&plain)).abs() < 1e-11, "{level:?} {f} {wide} {plain}");
                if unit < 10.0 {
                    let volume = wide.determinant();
                    prop_assert!(volume > min - 1e-11 && volume < max + 1e-11, "{level:?} {f} {volume}");
                }
            }
        }
    }

    /// Any cut of a range, on every set of instructions: each element has the same bits.
    #[test]
    fn results_do_not_depend_on_the_cut(
        f in proptest::collection::vec(matrix(), 1..100), cuts in proptest::collection::vec(0.0..1.0, 0..8)
    ) {
        let rest = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()];
        let n = f.len();
        let all_rest: Vec<Vec3> = rest.iter().copied().cycle().take(4 * n).collect();
        let tets: Vec<[u32; 4]> = (0..n as u32).map(|k| [0, 1, 2, 3].map(|i| 4 * k + i)).collect();
        let x: Vec<Vec3> = (0..4 * n).map(|k| f[k / 4] * rest[k % 4]).collect();
        let frames = TetFrames::new("test", &all_rest, &tets, Weight::from(1.0)).unwrap();
        let mut cuts: Vec<usize> = cuts.iter().map(|c: &Real| (c * n as Real) as usize).chain([0, n]).collect();
        cuts.sort_unstable();
        let law = Stretch { min: 0.9, max: 1.1 };
        for level in Level::all() {
            let mut whole = vec![Vec3::zeros(); 3 * n];
            residual(level, &frames, law, 0..n, &x, &mut whole);
            let mut parts = whole.clone();
            parts.fill(Vec3::repeat(7.0));
            for cut in cuts.windows(2) {
                residual(level, &frames, law, cut[0]..cut[1], &x, &mut parts[3 * cut[0]..3 * cut[1]]);
            }
            let bits = |r: &[Vec3]| -> Vec<u64> { as_flat(r).iter().map(|r| r.to_bits()).collect() };
            prop_assert_eq!(bits(&whole), bits(&parts));
        }
    }
}

/// Forces and energy of all ways together against the residual's.
#[test]
fn forces_are_those_of_the_residual() {
    let turn = |k: usize| {
        let k = k as Real;
        *nalgebra::Rotation3::new(Vec3::new(k.sin(), (2.0 * k).cos(), (0.3 * k).sin())).matrix()
    };
    let n = 300;
    let rest = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()];
    let all_rest: Vec<Vec3> = rest.iter().copied().cycle().take(4 * n).collect();
    let tets: Vec<[u32; 4]> = (0..n as u32).map(|k| [0, 1, 2, 3].map(|i| 4 * k + i)).collect();
    let frames = TetFrames::new("test", &all_rest, &tets, Weight::from(3.0)).unwrap();
    let f = |k: usize| match k % 5 {
        0 => turn(k) * Mat3::from_diagonal(&Vec3::new(1.3, 1.0, -0.4)) * turn(k + 1),
        1 => turn(k) * Mat3::from_diagonal(&Vec3::new(1.0, 1e-9, 0.0)) * turn(k + 1),
        2 => turn(k) * Mat3::from_diagonal(&Vec3::new(1.05, 1.05, 0.9)) * turn(k + 1),
        _ => turn(k) * Mat3::from_diagonal(&Vec3::new(1.3, 0.9, 0.6)) * turn(k + 1),
    };
    let x: Vec<Vec3> = (0..4 * n).map(|k| f(k / 4) * rest[k % 4]).collect();
    fn check(law: impl Law, frames: &TetFrames, x: &[Vec3]) {
        for level in Level::all() {
            let range = 3..frames.stencil.elements() - 2;
            let mut r = vec![Vec3::zeros(); 3 * range.len()];
            residual(level, frames, law, range.clone(), x, &mut r);
            let mut found = vec![Vec3::zeros(); 4 * range.len()];
            let energy = forces(level, frames, law, range.clone(), x, &mut found);
            let mut expected = found.clone();
            let mut sum = 0.0;
            for (k, element) in range.enumerate() {
                let r = [r[3 * k], r[3 * k + 1], r[3 * k + 2]];
                sum += tet_frame::force(frames, element, &r, &mut expected[4 * k..4 * k + 4]);
            }
            assert!((energy - sum).abs() < 1e-12 * sum);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).amax() < 1e-13, "{level:?} {found} {expected}");
            }
        }
    }
    check(Rigid, &frames, &x);
    check(Stretch { min: 0.95, max: 1.05 }, &frames, &x);
    check(Axes { min: [1.0, 0.9, 0.8], max: [1.2, 1.1, 1.0] }, &frames, &x);
    check(Product { min: 1.0, max: 1.0 }, &frames, &x);
}

#[test]
fn hostile_lanes_do_not_reach_their_neighbours() {
    let mut f = vec![Mat3::identity() * 1.5; 40];
    for (k, bad) in [(3, Real::NAN), (17, Real::INFINITY), (18, 0.0), (33, 1e-310), (34, 1e300)] {
        f[k] = Mat3::identity() * bad;
    }
    for level in Level::all() {
        for (k, wide) in projected(level, Rigid, &f).iter().enumerate() {
            let expected = !f[k].iter().any(|c| !c.is_finite());
            assert_eq!((wide - Mat3::identity()).amax() < 1e-14, expected, "{level:?} {k} {wide}");
        }
    }
}

/// Squares of squares overflow here, and only a test of the size itself sees it.
#[test]
fn a_matrix_whose_invariants_overflow_goes_the_plain_way() {
    let f = Mat3::new(0.0, 0.0, 0.0, -9.2, 12.3, -4.5, -10.2, -4.1, 9.6) * 1e76;
    for level in Level::all() {
        let law = Stretch { min: 0.9, max: 1.1 };
        assert_eq!(projected(level, law, &[f])[0], law.scalar(&f), "{level:?}");
        let law = Product { min: 0.9, max: 1.1 };
        assert_eq!(projected(level, law, &[f])[0], law.scalar(&f), "{level:?}");
        assert_eq!(projected(level, Rigid, &[f])[0], Rigid.scalar(&f), "{level:?}");
    }
}
