//! Contact forces of bodies that are remembered, so that a substep starts from the forces of the last.
//!
//! A stack at rest carries the same forces all the time; a sweep that starts from them has next to nothing left to do. The
//! forces decide the next step, so they are part of the state: the columns `particles.contact` (a key of two particles, or of a
//! particle and an obstacle) and `particles.force` (N, along the normal).

use pd_core::{Owner, Real, Space};

/// Column of keys: the first particle in the upper half, the second particle, or an obstacle, in the lower.
const KEY: &str = "particles.contact";
/// Column of forces, N.
const FORCE: &str = "particles.force";
/// Marks the lower half of a key as the number of an obstacle.
const OBSTACLE: u32 = 1 << 31;

/// The other side of a contact as part of a key.
pub(crate) fn obstacle(number: usize) -> u32 {
    OBSTACLE | number as u32
}

/// Forces by contact: written one after the other, read by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    written: Vec<(u32, u32, Real)>,
    /// Of particle i: `first[i]..first[i + 1]` in `entries`.
    first: Vec<u32>,
    entries: Vec<(u32, Real)>,
}

impl Memory {
    pub(crate) fn reserve(&mut self, particles: usize, contacts: usize) {
        self.written.reserve(contacts);
        self.entries.reserve(contacts);
        self.first.reserve(particles + 2);
    }

    /// Notes a force; contacts without one are forgotten.
    #[inline]
    pub(crate) fn write(&mut self, i: u32, other: u32, force: Real) {
        if force > 0.0 {
            self.written.push((i, other, force));
        }
    }

    /// Forgets what was written before.
    pub(crate) fn clear(&mut self) {
        self.written.clear();
    }

    /// Makes what was written readable: a stable counting sort by first particle.
    pub(crate) fn index(&mut self, particles: usize) {
        self.first.clear();
        self.first.resize(particles + 2, 0);
        let known = |&&(i, ..): &&(u32, u32, Real)| (i as usize) < particles;
        for &(i, ..) in self.written.iter().filter(known) {
            self.first[i as usize + 2] += 1;
        }
        for k in 2..self.first.len() {
            self.first[k] += self.first[k - 1];
        }
        self.entries.clear();
        self.entries.resize(self.first[particles + 1] as usize, (0, 0.0));
        for &(i, other, force) in self.written.iter().filter(known) {
            let slot = &mut self.first[i as usize + 1];
            self.entries[*slot as usize] = (other, force);
            *slot += 1;
        }
    }

    /// The force of particle `i` against `other`, N; 0 if the contact is new.
    pub(crate) fn force(&self, i: u32, other: u32) -> Real {
        let range = self.first[i as usize] as usize..self.first[i as usize + 1] as usize;
        self.entries[range].iter().find(|entry| entry.0 == other).map_or(0.0, |entry| entry.1)
    }

    /// The force between `i` and `j`, whichever came first when it was written, N.
    pub(crate) fn between(&self, i: u32, j: u32) -> Real {
        let force = self.force(i, j);
        if force > 0.0 {
            return force;
        }
        self.force(j, i)
    }

    /// Reads the columns of a state.
    pub(crate) fn load(&mut self, columns: &Space<'_>, particles: usize) {
        self.clear();
        let (keys, forces) = (columns.keys(KEY), columns.real(FORCE));
        self.written
            .extend(keys.iter().zip(forces).map(|(&key, &force)| ((key >> 32) as u32, key as u32, force)));
        self.index(particles);
    }

    /// Writes the columns of a state; none where there never was a contact of a body.
    pub(crate) fn store(&self, columns: &mut Space<'_>) {
        if self.written.is_empty() && columns.get(KEY).is_none() {
            return;
        }
        let keys = columns.keys_mut(KEY, Owner::Contacts, 1);
        keys.clear();
        keys.extend(self.written.iter().map(|&(i, other, _)| u64::from(i) << 32 | u64::from(other)));
        let forces = columns.real_mut(FORCE, Owner::Contacts, 1);
        forces.clear();
        forces.extend(self.written.iter().map(|entry| entry.2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_also_through_a_state() {
        let mut memory = Memory::default();
        for (i, other, force) in [(3, 1, 0.5), (0, 2, 1.5), (3, obstacle(1), 2.5), (0, 4, 0.0), (3, 0, 3.5)] {
            memory.write(i, other, force);
        }
        let mut state = pd_core::State::default();
        let mut columns = state.view().columns;
        memory.store(&mut columns);
        let mut again = Memory::default();
        again.load(&columns, 5);
        memory.index(5);
        for memory in [memory, again] {
            assert_eq!([memory.between(3, 1), memory.between(1, 3), memory.between(2, 0)], [0.5, 0.5, 1.5]);
            assert_eq!([memory.force(3, obstacle(1)), memory.force(3, obstacle(0))], [2.5, 0.0]);
            assert_eq!([memory.between(0, 3), memory.between(0, 4)], [3.5, 0.0]);
        }
    }
}
