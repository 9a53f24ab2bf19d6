//! The state of a simulation: all that changes over time.

use crate::{Real, Vec3};

/// Positions, velocities and time. A clone of it is a checkpoint: steppers hold scratch only.
///
/// ```
/// use pd_core::{State, Vec3};
/// let state = State::at_rest(vec![Vec3::zeros(), Vec3::x()]);
/// assert_eq!(state.vertices(), 2);
/// assert_eq!(state.hash(), state.clone().hash());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Position of every vertex, m.
    pub x: Vec<Vec3>,
    /// Velocity of every vertex, m/s.
    pub v: Vec<Vec3>,
    /// Simulated time, s.
    pub time: Real,
}

impl State {
    /// The given positions with zero velocity at time zero.
    pub fn at_rest(x: Vec<Vec3>) -> Self {
        let v = vec![Vec3::zeros(); x.len()];
        Self { x, v, time: 0.0 }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.x.len()
    }

    /// A 64-bit hash of the bits of `x` and `v`, in order. Equal states have equal hashes, and a difference in
    /// the last bit of one coordinate changes it; determinism tests and the command line's `state_hash` use it.
    pub fn hash(&self) -> u64 {
        // FNV-1a over 64-bit words with a final avalanche: no dependency, and stable over versions of Rust.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for value in crate::as_flat(&self.x).iter().chain(crate::as_flat(&self.v)) {
            hash = (hash ^ value.to_bits()).wrapping_mul(0x0000_0100_0000_01b3);
            hash ^= hash >> 29;
        }
        hash ^= hash >> 33;
        hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^ (hash >> 33)
    }

    /// The first vertex whose position or velocity is not finite, if any.
    pub fn first_not_finite(&self) -> Option<usize> {
        let bad = |p: &Vec3| !p.iter().all(|c| c.is_finite());
        self.x.iter().zip(&self.v).position(|(x, v)| bad(x) || bad(v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_changes_the_hash_in_any_place() {
        let base = State::at_rest(vec![Vec3::new(0.5, -1.0, 2.0); 7]);
        let mut seen = vec![base.hash()];
        for vertex in 0..7 {
            for axis in 0..3 {
                for velocity in [false, true] {
                    let mut other = base.clone();
                    let slot = if velocity { &mut other.v[vertex][axis] } else { &mut other.x[vertex][axis] };
                    *slot = Real::from_bits(slot.to_bits() ^ 1);
                    seen.push(other.hash());
                }
            }
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 7 * 3 * 2 + 1);
    }

    #[test]
    fn not_finite_is_found() {
        let mut state = State::at_rest(vec![Vec3::zeros(); 3]);
        assert_eq!(state.first_not_finite(), None);
        state.v[2].y = Real::NAN;
        assert_eq!(state.first_not_finite(), Some(2));
    }
}
