//! The wide way against the plain one.

use super::*;
use crate::elastic::TetElastic;
use crate::{Material, svd3};
use pd_core::{EnergyBatch, Mat3, Vec3};
use proptest::prelude::*;

fn rotation() -> impl Strategy<Value = Mat3> {
    [-3.1..3.1, -3.1..3.1, -3.1..3.1f64].prop_map(|axis| *nalgebra::Rotation3::new(Vec3::from(axis)).matrix())
}

/// Ordinary, flat, inverted, nearly rigid, tiny and huge.
fn matrix() -> impl Strategy<Value = Mat3> {
    let values = (0.05..2.0, 0.05..2.0, 0.05..2.0, 0..9, any::<bool>());
    (rotation(), rotation(), values, -200..200i32).prop_map(|(u, v, (a, b, c, kind, inverted), exponent)| {
        let mut s: [Real; 3] = match kind {
            0 => [0.0; 3],
            1 => [a, 0.0, 0.0],
            2 => [a, b, 1e-3 * c],
            3 => [1.0 + 1e-7 * a, 1.0 - 1e-8 * b, 1.0],
            4 => [a, a, b],
            _ => [a, b, c],
        };
        s[2] *= if inverted && kind != 3 { -1.0 } else { 1.0 };
        let scale = if kind == 8 { 10.0_f64.powi(exponent) } else { 1.0 };
        u * Mat3::from_diagonal(&Vec3::from(s)) * v.transpose() * scale
    })
}

/// A batch of separate tetrahedra with their own materials, and positions in which their gradients are `f`.
fn batch<L: IsotropicLaw>(f: &[Mat3]) -> (TetElastic<L>, Vec<Vec3>) {
    let rest = [Vec3::x(), Vec3::y() * 0.7, Vec3::new(0.1, 0.2, 0.9), Vec3::zeros()];
    let all_rest: Vec<Vec3> = rest.iter().copied().cycle().take(4 * f.len()).collect();
    let tets: Vec<[u32; 4]> = (0..f.len() as u32).map(|k| [0, 1, 2, 3].map(|i| 4 * k + i)).collect();
    let materials: Vec<Material> = (0..f.len())
        .map(|k| Material::new(1e3 * (1 + k % 7) as Real, 0.07 * (k % 7) as Real, 1000.0).unwrap())
        .collect();
    let x = (0..4 * f.len()).map(|k| f[k / 4] * rest[k % 4]).collect();
    (TetElastic::new(&all_rest, &tets, &materials[..]).unwrap(), x)
}

fn wide<L: IsotropicLaw>(
    level: Level,
    batch: &TetElastic<L>,
    elements: std::ops::Range<usize>,
    x: &[Vec3],
    output: Output,
) -> (Vec<Vec3>, Real) {
    let mut out = vec![Vec3::repeat(7.0); output.rows() * elements.len()];
    let energy = batch.sweep(level, elements, x, output, &mut out);
    (out, energy)
}

/// Each element alone: an error of one is not hidden by the size of another.
fn agree<L: IsotropicLaw>(f: &[Mat3]) -> Result<(), TestCaseError> {
    let (batch, x) = batch::<L>(f);
    for level in Level::all() {
        for output in [Output::Energy, Output::Residual, Output::Forces] {
            let (out, _) = wide(level, &batch, 0..f.len(), &x, output);
            for (element, f) in f.iter().enumerate() {
                let sigma = svd3(f).sigma;
                let (_, energy) = wide(level, &batch, element..element + 1, &x, output);
                let mut plain = vec![Vec3::zeros(); output.rows()];
                let expected = batch.plain(element, &x, output, &mut plain);
                let found = &out[output.rows() * element..output.rows() * (element + 1)];
                let unit = 1.0 + sigma.x.powi(4);
                // The rotation of a law that has one hangs on rounding where the two smallest values cancel, and P of a
                // flat Neo-Hookean element is the inverse of its height.
                let gap = (sigma.y + sigma.z).abs() / sigma.x;
                let sensitivity = if sigma.z > 0.0 { (sigma.x / sigma.z).min(1e6) } else { 1e3 };
                let tolerance = 1e-14 * unit * sensitivity;
                if expected.is_finite() {
                    prop_assert!(
                        (energy - expected).abs()
                            <= tolerance * expected.abs().max(batch.frames.stencil.weight(element)),
                        "{level:?} {} {f} {energy} {expected}",
                        L::KIND
                    );
                } else {
                    prop_assert!(!energy.is_finite());
                }
                if gap > 1e-2 && unit.is_finite() {
                    let weight = if output == Output::Forces {
                        4.0 * batch.frames.stencil.weight(element)
                    } else {
                        1.0
                    };
                    let scale: Real = plain.iter().map(|p| p.amax()).fold(weight, Real::max);
                    for (found, expected) in found.iter().zip(&plain) {
                        prop_assert!(
                            (found - expected).amax() <= 10.0 * tolerance * scale,
                            "{level:?} {} {output:?} {f} {found} {expected}",
                            L::KIND
                        );
                    }
                }
            }
        }
    }
    Ok(())
}

/// Any cut of a range, on every set of instructions: each element has the same bits.
fn no_cut_matters<L: IsotropicLaw>(f: &[Mat3], cut: usize) -> Result<(), TestCaseError> {
    let (batch, x) = batch::<L>(f);
    let bits = |r: &[Vec3]| -> Vec<u64> { r.iter().flat_map(|r| r.iter().map(|c| c.to_bits())).collect() };
    for level in Level::all() {
        for output in [Output::Residual, Output::Forces] {
            let (whole, _) = wide(level, &batch, 0..f.len(), &x, output);
            let (mut parts, _) = wide(level, &batch, 0..cut, &x, output);
            parts.extend(wide(level, &batch, cut..f.len(), &x, output).0);
            prop_assert_eq!(bits(&whole), bits(&parts));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn laws_agree_with_the_plain_way(f in proptest::collection::vec(matrix(), 1..70)) {
        agree::<NeoHookean>(&f)?;
        agree::<StableNeoHookean>(&f)?;
        agree::<StVenantKirchhoff>(&f)?;
        agree::<Corotated>(&f)?;
    }

    #[test]
    fn results_do_not_depend_on_the_cut(f in proptest::collection::vec(matrix(), 1..100), cut in 0.0..1.0) {
        let cut = (cut * f.len() as Real) as usize;
        no_cut_matters::<NeoHookean>(&f, cut)?;
        no_cut_matters::<StableNeoHookean>(&f, cut)?;
        no_cut_matters::<StVenantKirchhoff>(&f, cut)?;
        no_cut_matters::<Corotated>(&f, cut)?;
    }
}

/// Ordinary elements must not need the plain way, which is many times slower.
#[test]
fn ordinary_elements_are_done_in_lanes() {
    fn left<L: IsotropicLaw>(level: Level, f: &[Mat3]) -> Vec<u32> {
        let (batch, x) = batch::<L>(f);
        let (mut energy, mut fallback) = (0.0, Fallback::new());
        let mut out = vec![Vec3::zeros(); 4 * f.len()];
        let law = BuiltIn::of::<L>().unwrap();
        let (frames, lame, elements, output) = (&batch.frames, &batch.lame[..], 0..f.len(), Output::Forces);
        let (out, energy, list) = (&mut out[..], &mut energy, &mut fallback);
        law.sweep(level, Task { frames, lame, elements, x: &x, output, out, energy, fallback: list });
        fallback.elements().to_vec()
    }
    let turn = *nalgebra::Rotation3::new(Vec3::new(0.3, -1.0, 2.0)).matrix();
    let values = [
        [1.0, 1.0, 1.0],
        [1.1, 1.0, 0.9],
        [0.5, 0.5, 0.5],
        [3.0, 0.5, 0.2],
        [1.3, 0.9, 0.1],
        [1.2, 0.8, -0.3],
    ];
    let f = values.map(|s| turn * Mat3::from_diagonal(&Vec3::from(s)) * turn);
    for level in Level::all() {
        assert_eq!(left::<StVenantKirchhoff>(level, &f), [0u32; 0]);
        assert_eq!(left::<StableNeoHookean>(level, &f), [0u32; 0]);
        assert_eq!(left::<Corotated>(level, &f), [0u32; 0]);
        // The last is inverted, where this law is not defined.
        assert_eq!(left::<NeoHookean>(level, &f), [5]);
    }
}

#[test]
fn hostile_lanes_do_not_reach_their_neighbours() {
    let mut f = vec![Mat3::from_diagonal(&Vec3::new(1.2, 0.9, 0.8)); 40];
    let (healthy, x) = batch::<NeoHookean>(&f);
    for (k, bad) in [(3, Real::NAN), (17, Real::INFINITY), (18, 0.0), (33, 1e-310), (34, 1e300)] {
        f[k] = Mat3::identity() * bad;
    }
    let (_, hostile) = batch::<NeoHookean>(&f);
    for level in Level::all() {
        let (expected, _) = wide(level, &healthy, 0..40, &x, Output::Forces);
        let (found, _) = wide(level, &healthy, 0..40, &hostile, Output::Forces);
        for k in (0..40).filter(|k| ![3, 17, 18, 33, 34].contains(k)) {
            assert_eq!(found[4 * k..4 * k + 4], expected[4 * k..4 * k + 4], "{level:?} {k}");
        }
    }
}

/// A law that is not of this crate takes the plain way, with the same results.
#[test]
fn a_custom_law_is_done_one_by_one() {
    #[derive(Clone, Copy)]
    struct Custom;
    impl IsotropicLaw for Custom {
        const KIND: &'static str = "custom";
        fn density(lame: super::super::Lame, sigma: &Vec3) -> Real {
            StVenantKirchhoff::density(lame, sigma)
        }
        fn slope(lame: super::super::Lame, sigma: &Vec3) -> Vec3 {
            StVenantKirchhoff::slope(lame, sigma)
        }
        fn curvature(lame: super::super::Lame, sigma: &Vec3) -> crate::isotropic::Curvature {
            StVenantKirchhoff::curvature(lame, sigma)
        }
    }
    let f: Vec<Mat3> = (0..37).map(|k| Mat3::identity() * (1.0 + 0.01 * Real::from(k))).collect();
    let ((custom, x), (built_in, _)) = (batch::<Custom>(&f), batch::<StVenantKirchhoff>(&f));
    assert!(BuiltIn::of::<Custom>().is_none());
    let energies = (custom.energy(0..37, &x), built_in.energy(0..37, &x));
    assert!((energies.0 - energies.1).abs() < 1e-13 * energies.1, "{energies:?}");
}
