//! Sets of boxes, random and adversarial.

use pd_core::{Aabb, Vec3};
use proptest::prelude::*;

/// A box by centre and half sides.
fn around(centre: Vec3, half: Vec3) -> Aabb {
    Aabb { min: centre - half, max: centre + half }
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// Boxes of similar size in a cube, so dense that a few overlap each.
fn scattered() -> impl Strategy<Value = Vec<Aabb>> {
    let one =
        (vector(1.0), prop::array::uniform3(0.0..0.2)).prop_map(|(c, half)| around(c, Vec3::from(half)));
    prop::collection::vec(one, 0..300)
}

/// Corners on a coarse lattice: faces touch exactly, sides may vanish, boxes repeat.
fn lattice() -> impl Strategy<Value = Vec<Aabb>> {
    let corner = || prop::array::uniform3(0..5i32);
    let one = (corner(), prop::array::uniform3(0..3i32)).prop_map(|(low, side)| {
        let low = Vec3::from(low.map(f64::from)) * 0.1;
        Aabb { min: low, max: low + Vec3::from(side.map(f64::from)) * 0.1 }
    });
    prop::collection::vec(one, 0..200)
}

/// Boxes in boxes, and the same box often.
fn nested() -> impl Strategy<Value = Vec<Aabb>> {
    (1..120usize, vector(3.0), prop::bool::ANY).prop_map(|(count, centre, equal)| {
        let side = |k: usize| if equal { 1.0 } else { 0.9f64.powi(k as i32) };
        (0..count).map(|k| around(centre, Vec3::repeat(side(k)))).collect()
    })
}

/// Many sizes from a millimetre to a kilometre.
fn sizes() -> impl Strategy<Value = Vec<Aabb>> {
    let one = (vector(10.0), -3.0..3.0, prop::array::uniform3(0.1..1.0))
        .prop_map(|(c, size, half)| around(c, Vec3::from(half) * 10f64.powf(size)));
    prop::collection::vec(one, 0..200)
}

/// Points, segments and plates, many of them at one coordinate.
fn degenerate() -> impl Strategy<Value = Vec<Aabb>> {
    let side = || prop_oneof![2 => Just(0.0), 1 => 0.0..0.5];
    let place = || prop_oneof![1 => Just(0.25), 1 => 0.0..1.0];
    let one = (prop::array::uniform3(place()), prop::array::uniform3(side()))
        .prop_map(|(low, side)| Aabb { min: Vec3::from(low), max: Vec3::from(low) + Vec3::from(side) });
    prop::collection::vec(one, 0..200)
}

/// Any set; perhaps far away, thinned to one unit in the last place, or with infinite and empty boxes among them.
pub(crate) fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    let set = prop_oneof![3 => scattered(), 2 => lattice(), 1 => nested(), 2 => sizes(), 2 => degenerate()];
    let offset = prop_oneof![3 => Just(Vec3::zeros()), 1 => vector(1e5), 1 => vector(1e15)];
    let odd = prop::collection::vec((0..1000usize, 0..5usize), 0..4);
    (set, offset, odd).prop_map(|(mut boxes, offset, odd)| {
        for b in &mut boxes {
            *b = Aabb { min: b.min + offset, max: b.max + offset };
        }
        for (place, kind) in odd {
            let count = boxes.len().max(1);
            if let Some(b) = boxes.get_mut(place % count) {
                match kind {
                    0 => *b = Aabb::everything(),
                    1 => b.max.y = f64::INFINITY,
                    2 => b.min.z = f64::NAN,
                    3 => b.min.x = b.max.x + 1.0,
                    _ => *b = around(offset, Vec3::repeat(1e6)),
                }
            }
        }
        boxes
    })
}

/// The same boxes, each moved by up to `way`.
pub(crate) fn moved(boxes: &[Aabb], way: f64) -> Vec<Aabb> {
    let shift = |k: usize| Vec3::new((k as f64).sin(), (k as f64 * 1.7).cos(), (k as f64 * 0.3).sin()) * way;
    boxes.iter().enumerate().map(|(k, b)| Aabb { min: b.min + shift(k), max: b.max + shift(k) }).collect()
}
