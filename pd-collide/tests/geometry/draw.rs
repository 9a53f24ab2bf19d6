//! Random points and simplices.

use pd_core::{Real, Vec3};
use proptest::prelude::*;

/// A vector with coordinates of size up to `size`.
pub(crate) fn vector(size: Real) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// Points of general position.
pub(crate) fn general<const N: usize>() -> impl Strategy<Value = [Vec3; N]> {
    prop::collection::vec(vector(1.0), N).prop_map(|x| std::array::from_fn(|j| x[j]))
}

/// Points with coordinates −1, −½, 0, ½ or 1: borders of regions, parallel edges, flat triangles and coincident points
/// come up all the time.
pub(crate) fn lattice<const N: usize>() -> impl Strategy<Value = [Vec3; N]> {
    prop::collection::vec(prop::array::uniform3(-2_i8..=2), N)
        .prop_map(|x| std::array::from_fn(|j| Vec3::from(x[j].map(Real::from)) * 0.5))
}

/// Either, with some very thin or very nearly parallel ones.
pub(crate) fn any_four() -> impl Strategy<Value = [Vec3; 4]> {
    let thin = (lattice::<4>(), general::<4>(), -14_i32..-2).prop_map(|(mut x, noise, exponent)| {
        for (x, noise) in x.iter_mut().zip(noise) {
            *x += noise * (10.0 as Real).powi(exponent);
        }
        x
    });
    prop_oneof![3 => general(), 3 => lattice(), 2 => thin]
}
