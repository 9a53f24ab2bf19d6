//! The worst dihedral angle over all possible cuts and moves: the guarantee of the mesher, by random search.

use super::stencil::{Corner, fill};
use super::warp::{least_angle, least_fraction};
use crate::Vec3;
use crate::quality::dihedral_angles;

/// A lattice tetrahedron with long edges 0–1 and 2–3, positive, in units of h/2.
const POINTS: [[i64; 3]; 4] = [[0, 0, 0], [2, 0, 0], [1, 1, -1], [1, 1, 1]];

/// Small deterministic generator (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }

    /// The ends of the range are the dangerous places, so they come often.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        match (self.next() * 4.0) as u32 {
            0 => low,
            1 => high,
            _ => low + (high - low) * self.next(),
        }
    }
}

/// All 14 steps from a point.
fn steps() -> Vec<(usize, Vec3)> {
    let forwards = super::lattice::STEPS.iter().map(|s| Vec3::from(s.map(|c| c as f64))).enumerate();
    forwards.flat_map(|(step, v)| [(step, v), (step, -v)]).collect()
}

#[test]
fn no_stencil_has_a_bad_angle() {
    let mut chance = Chance(7);
    let steps = steps();
    let (mut least, mut most): (f64, f64) = (180.0, 0.0);
    for _ in 0..60_000 {
        let signs = [0; 4].map(|_| (chance.next() * 3.0) as i8 - 1);
        let (first, third) = (chance.next() < 0.5, chance.next() < 0.5);
        let order = [first, !first, third, !third];
        let mut x = POINTS.map(|p| Vec3::from(p.map(|c| c as f64)));
        for i in 0..4 {
            if signs[i] == 0 {
                let (step, direction) = steps[((chance.next() * 14.0) as usize).min(13)];
                x[i] += direction * chance.between(0.0, least_fraction(step));
            }
        }
        let mut cuts = [[Vec3::zeros(); 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                let least = least_fraction(if i / 2 == j / 2 { 0 } else { 3 });
                cuts[i][j] = x[i] + (x[j] - x[i]) * chance.between(least, 1.0 - least);
            }
        }
        let place = |corner: Corner| match corner {
            Corner::Node(i) => x[i],
            Corner::Cut(i, j) => cuts[i][j],
        };
        let quality = |corners: [Corner; 4]| least_angle(corners.map(place));
        fill(signs, order, quality, |corners| {
            let [a, b, c, d] = corners.map(place);
            assert!((b - a).dot(&(c - a).cross(&(d - a))) > 0.0, "inverted: {signs:?} {corners:?}");
            for angle in dihedral_angles([a, b, c, d]) {
                let angle = angle.to_degrees();
                least = least.min(angle);
                most = most.max(angle);
            }
        });
    }
    println!("dihedral angles from {least:.2}° to {most:.2}°");
    assert!(least > 10.0 && most < 161.0, "{least} {most}");
}
