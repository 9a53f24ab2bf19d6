//! The state of a simulation: everything that changes over time.

use crate::{Bodies, Columns, Real, Vec3};

/// Positions, velocities, rigid bodies, persistent data of methods, and time. A clone is a checkpoint: steppers hold only
/// scratch memory. `clone_from` reuses memory and allocates only where something has grown.
///
/// ```
/// use pd_core::{State, Vec3};
/// let state = State::at_rest(vec![Vec3::zeros(), Vec3::x()]);
/// assert_eq!(state.vertices(), 2);
/// assert_eq!(state.hash(), state.clone().hash());
/// ```
#[derive(Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// Position of every vertex, m.
    pub x: Vec<Vec3>,
    /// Velocity of every vertex, m/s.
    pub v: Vec<Vec3>,
    /// Poses and velocities of rigid bodies; empty where there are none.
    pub bodies: Bodies,
    /// Data that methods keep from step to step: multipliers, affine velocities, sleep counters.
    pub columns: Columns,
    /// Simulated time, s.
    pub time: Real,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let Self { x, v, bodies, columns, time } = self;
        Self { x: x.clone(), v: v.clone(), bodies: bodies.clone(), columns: columns.clone(), time: *time }
    }

    fn clone_from(&mut self, source: &Self) {
        let Self { x, v, bodies, columns, time } = source;
        self.x.clone_from(x);
        self.v.clone_from(v);
        self.bodies.clone_from(bodies);
        self.columns.clone_from(columns);
        self.time = *time;
    }
}

impl State {
    /// The given positions with zero velocity at time zero.
    pub fn at_rest(x: Vec<Vec3>) -> Self {
        let v = vec![Vec3::zeros(); x.len()];
        Self::new(x, v)
    }

    /// The given positions and velocities at time zero, without bodies or columns.
    pub fn new(x: Vec<Vec3>, v: Vec<Vec3>) -> Self {
        Self { x, v, ..Self::default() }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.x.len()
    }

    /// Positions as one array x₀ y₀ z₀ x₁ …, m: what plotting and array libraries take.
    pub fn positions_flat(&self) -> &[Real] {
        crate::as_flat(&self.x)
    }

    /// Velocities as one array, m/s.
    pub fn velocities_flat(&self) -> &[Real] {
        crate::as_flat(&self.v)
    }

    /// A 64-bit hash of the bits of `x`, `v`, the bodies and the columns (names included), in order. Equal states have equal
    /// hashes, and a difference in the last bit of one number changes it; determinism tests and the command line's
    /// `state_hash` use it. Time is not included.
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv::default();
        for value in crate::as_flat(&self.x).iter().chain(crate::as_flat(&self.v)) {
            hash.word(value.to_bits());
        }
        for value in self.bodies.values() {
            hash.word(value.to_bits());
        }
        for column in &self.columns {
            column.name.bytes().for_each(|byte| hash.word(u64::from(byte)));
            hash.word(column.width as u64);
            column.data.bits().for_each(|bits| hash.word(bits));
        }
        hash.finish()
    }

    /// The first vertex whose position or velocity is not finite, if any; bodies and columns do not count.
    pub fn first_not_finite(&self) -> Option<usize> {
        let bad = |p: &Vec3| !p.iter().all(|c| c.is_finite());
        self.x.iter().zip(&self.v).position(|(x, v)| bad(x) || bad(v))
    }
}

/// FNV-1a over 64-bit words with a final avalanche: no dependency, and stable over versions of Rust.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }

    fn finish(self) -> u64 {
        let mut hash = self.0 ^ (self.0 >> 33);
        hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^ (hash >> 33)
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
