//! Forces of contacts that are remembered from step to step.
//!
//! A cloth that carries a load is in balance with it. If the load were only met after the cloth has moved by itself, the cloth
//! would jump up in every step and be pushed back with the small mass of its vertices, and look soft. So every step begins with
//! the forces of the last one, on both ends; the rows at its end correct them, and may take them back. For an implicit step of
//! stiffness k the correction converges as an augmented Lagrangian does, by (m/h²)/(k + m/h²) a step.
//!
//! The forces decide the next step, so they are part of the state: the columns `couple.key` and `couple.force` (N, world frame, on
//! the first end), in the order of their keys.

use pd_core::{Columns, Owner, Real, Vec3, as_vectors};

const KEY: &str = "couple.key";
const FORCE: &str = "couple.force";

const BITS: u32 = 31;
const MASK: u64 = (1 << BITS) - 1;

/// What a key is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A loose point and a triangle.
    PointFacet = 0,
    /// A body and a loose point.
    BodyPoint = 1,
    /// A body and a vertex of a sheet.
    BodyVertex = 2,
    /// A body and a triangle.
    BodyFacet = 3,
}

/// Key of a pair of places in the lists of the finder.
pub(crate) fn key(kind: Kind, a: usize, b: usize) -> u64 {
    (kind as u64) << (2 * BITS) | (a as u64 & MASK) << BITS | (b as u64 & MASK)
}

/// The parts of a key.
pub(crate) fn parts(key: u64) -> (Kind, usize, usize) {
    let kind = match key >> (2 * BITS) {
        0 => Kind::PointFacet,
        1 => Kind::BodyPoint,
        2 => Kind::BodyVertex,
        _ => Kind::BodyFacet,
    };
    (kind, (key >> BITS & MASK) as usize, (key & MASK) as usize)
}

/// Forces by key, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) entries: Vec<(u64, Vec3)>,
}

impl Memory {
    pub(crate) fn load(&mut self, columns: &Columns) {
        self.entries.clear();
        let (keys, forces) = (columns.keys(KEY), as_vectors(columns.real(FORCE)));
        self.entries.extend(keys.iter().copied().zip(forces.iter().copied()));
        // A state from elsewhere may hold anything.
        self.entries.retain(|(_, force)| force.iter().all(|c| c.is_finite()));
        self.entries.sort_by_key(|entry| entry.0);
    }

    /// Keeps the forces of these contacts; none where there never was a contact.
    pub(crate) fn store(contacts: impl Iterator<Item = (u64, Vec3)> + Clone, columns: &mut Columns) {
        if columns.get(KEY).is_none() && contacts.clone().next().is_none() {
            return;
        }
        let keys = columns.keys_mut(KEY, Owner::Contacts, 1);
        keys.clear();
        keys.extend(contacts.clone().map(|(key, _)| key));
        let forces = columns.real_mut(FORCE, Owner::Contacts, 3);
        forces.clear();
        forces.extend(contacts.flat_map(|(_, force)| -> [Real; 3] { force.into() }));
    }

    /// Entries of one kind, and the rest of the walk over keys in ascending order.
    pub(crate) fn of(&self, kind: Kind) -> &[(u64, Vec3)] {
        let first = self.entries.partition_point(|entry| entry.0 < key(kind, 0, 0));
        let last = self.entries.partition_point(|entry| entry.0 <= key(kind, MASK as usize, MASK as usize));
        &self.entries[first..last]
    }

    /// The force of this key.
    pub(crate) fn get(&self, key: u64) -> Option<Vec3> {
        self.entries.binary_search_by_key(&key, |entry| entry.0).ok().map(|k| self.entries[k].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_come_back_by_their_keys() {
        let contacts = [
            (key(Kind::PointFacet, 7, 3), Vec3::x()),
            (key(Kind::BodyVertex, 1, 9), Vec3::y()),
            (key(Kind::BodyFacet, 0, 2), Vec3::z()),
        ];
        let mut columns = Columns::default();
        Memory::store(contacts[..0].iter().copied(), &mut columns);
        assert!(columns.is_empty());
        Memory::store(contacts.iter().copied(), &mut columns);
        let mut memory = Memory::default();
        memory.load(&columns);
        assert_eq!(memory.of(Kind::BodyVertex), &contacts[1..2]);
        assert!(memory.of(Kind::BodyPoint).is_empty());
        assert_eq!(memory.get(contacts[2].0), Some(Vec3::z()));
        assert_eq!(parts(contacts[0].0), (Kind::PointFacet, 7, 3));
    }
}
