//! The last few pairs of vectors: the history of accelerated steppers.

use crate::Vec3;

/// A ring buffer of pairs: a new one replaces the oldest.
pub(crate) struct PairHistory {
    first: Vec<Vec<Vec3>>,
    second: Vec<Vec<Vec3>>,
    held: usize,
    next: usize,
}

impl PairHistory {
    /// Room for `window` pairs, at least one.
    pub(crate) fn new(window: usize, vertices: usize) -> Self {
        let zeros = || vec![vec![Vec3::zeros(); vertices]; window.max(1)];
        Self { first: zeros(), second: zeros(), held: 0, next: 0 }
    }

    /// Clears the history.
    pub(crate) fn clear(&mut self) {
        (self.held, self.next) = (0, 0);
    }

    /// Pairs held.
    pub(crate) fn len(&self) -> usize {
        self.held
    }

    /// The slot of the next pair, to be written before [`keep`](Self::keep).
    pub(crate) fn next_slot(&mut self) -> (&mut [Vec3], &mut [Vec3]) {
        (&mut self.first[self.next], &mut self.second[self.next])
    }

    /// Adds the pair written to [`next_slot`](Self::next_slot); returns its slot.
    pub(crate) fn keep(&mut self) -> usize {
        let slot = self.next;
        self.next = (slot + 1) % self.first.len();
        self.held = (self.held + 1).min(self.first.len());
        slot
    }

    /// The slot of the pair of this age, 0 being the newest.
    pub(crate) fn slot(&self, age: usize) -> usize {
        let window = self.first.len();
        (self.next + window - 1 - age) % window
    }

    /// The pair in a slot.
    pub(crate) fn pair(&self, slot: usize) -> (&[Vec3], &[Vec3]) {
        (&self.first[slot], &self.second[slot])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_replaces_the_oldest() {
        let mut ring = PairHistory::new(3, 1);
        for k in 0..5 {
            let (first, second) = ring.next_slot();
            (first[0].x, second[0].x) = (f64::from(k), -f64::from(k));
            ring.keep();
        }
        let held: Vec<f64> = (0..ring.len()).map(|age| ring.pair(ring.slot(age)).0[0].x).collect();
        assert_eq!(held, [4.0, 3.0, 2.0]);
        assert_eq!(ring.pair(ring.slot(2)).1[0].x, -2.0);
        ring.clear();
        assert_eq!(ring.len(), 0);
    }
}
