//! The wide way against the plain one.

use super::*;
use proptest::prelude::*;

/// Columns of U diag(s) Vᵀ with s of all kinds: ordinary, equal, nearly equal, thin, of no area, tiny, huge.
fn matrix() -> impl Strategy<Value = [Vec3; 2]> {
    let axis = [-3.1..3.1, -3.1..3.1, -3.1..3.1];
    (axis, 0.0..6.3, 0.01..2.0, 0.0..2.0, 0..6, -200..200i32).prop_map(
        |(axis, angle, a, b, kind, exponent)| {
            let turn = nalgebra::Rotation3::new(Vec3::from(axis));
            let s: [Real; 2] = match kind {
                0 => [a, a],
                1 => [a, a * (1.0 + 1e-9 * b)],
                2 => [a, 1e-3 * b],
                3 => [a, 0.0],
                4 => [a * 10.0_f64.powi(exponent), b * 10.0_f64.powi(exponent)],
                _ => [a, b],
            };
            let (sin, cos) = Real::sin_cos(angle);
            [turn * Vec3::new(s[0] * cos, s[1] * sin, 0.0), turn * Vec3::new(-s[0] * sin, s[1] * cos, 0.0)]
        },
    )
}

proptest! {
    #[test]
    fn lanes_agree_with_the_plain_way(
        f in proptest::collection::vec(matrix(), BLOCK), low in 0.5..1.0, high in 1.0..1.5, rigid in any::<bool>()
    ) {
        let (min, max) = if rigid { ([1.0; 2], [1.0; 2]) } else { ([low; 2], [high + 0.1, high]) };
        for level in Level::all() {
            let mut block = Block::new();
            for (lane, f) in f.iter().enumerate() {
                for entry in 0..6 {
                    block.edges[entry][lane] = f[entry / 3][entry % 3];
                }
            }
            block.residual(level, Stretch { min, max });
            for (lane, f) in f.iter().enumerate().filter(|&(lane, _)| block.valid[lane] == 1.0) {
                let svd = svd32(f);
                let clamp = |k: usize| svd.sigma[k].max(min[k]).min(max[k]);
                // Ranges that differ by axis pull equal values apart: any direction is as near as another.
                if !rigid && svd.sigma[0] - svd.sigma[1] < 1e-3 * svd.sigma[0] && svd.sigma[0] > high {
                    continue;
                }
                let nearest = svd.with([clamp(0), clamp(1)]);
                let size = f[0].amax().max(f[1].amax()).max(1.0);
                for entry in 0..6 {
                    let plain = f[entry / 3][entry % 3] - nearest[entry / 3][entry % 3];
                    prop_assert!((block.r[entry][lane] - plain).abs() < 1e-12 * size, "{level:?} {f:?} {plain}");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn areas_agree_with_the_plain_way(
        f in proptest::collection::vec(matrix(), BLOCK), min in 0.5..1.0, max in 1.0..1.5
    ) {
        let law = Product { min, max };
        for level in Level::all() {
            let mut block = Block::new();
            for (lane, f) in f.iter().enumerate() {
                for entry in 0..6 {
                    block.edges[entry][lane] = f[entry / 3][entry % 3];
                }
            }
            if block.residual(level, law) {
                block.repair(law, BLOCK);
            }
            // The plain way squares values: those above 1e50 are out of its domain.
            for (lane, f) in f.iter().enumerate().filter(|(_, f)| f[0].amax().max(f[1].amax()) < 1e50) {
                let svd = svd32(f);
                let wanted = law.scalar(svd.sigma);
                let size = f[0].amax().max(f[1].amax()).max(1.0);
                let r = [column(&block.r, 0, lane), column(&block.r, 1, lane)];
                let length = |r: &[Vec3; 2]| (r[0] / size).norm().hypot((r[1] / size).norm());
                let plain = svd.with(wanted);
                let far = length(&[f[0] - plain[0], f[1] - plain[1]]);
                prop_assert!((length(&r) - far).abs() < 1e-12, "{level:?} {f:?} {r:?} {plain:?}");
                if size < 10.0 {
                    let area = (f[0] - r[0]).cross(&(f[1] - r[1])).norm();
                    prop_assert!(area > min - 1e-11 && area < max + 1e-11, "{level:?} {f:?} {area}");
                }
            }
        }
    }
}

/// Ordinary elements must not need the slow way.
#[test]
fn ordinary_elements_are_done_in_lanes() {
    for s in [[1.0, 1.0], [1.2, 0.8], [3.0, 0.1], [1.0, 1.0 + 1e-15]] {
        let mut block = Block::new();
        block.edges = [[s[0]; BLOCK], [0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK], [s[1]; BLOCK], [0.0; BLOCK]];
        for level in Level::all() {
            let rejected = block.residual(level, Stretch { min: [0.9; 2], max: [1.1; 2] });
            assert!(!rejected && block.valid.iter().all(|&valid| valid == 1.0), "{level:?} {s:?}");
        }
    }
}
