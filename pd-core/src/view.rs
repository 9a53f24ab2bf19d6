//! What a method sees of a state: its own points, the bodies, and columns under names of its own.
//!
//! Several kinds of matter share one [`State`]. Each is given a [`View`] of its [`Share`]: it cannot reach the points of others, and
//! two methods that call a column alike each have their own. Nothing is copied.

use crate::{Bodies, Columns, Owner, Real, State, StateColumn, Vec3};
use std::ops::Range;

/// The part of a state that belongs to one method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Its points.
    pub points: Range<usize>,
    /// What stands before the names of its columns.
    pub prefix: &'static str,
}

/// A part of a state, to be read and moved.
#[derive(Debug)]
#[non_exhaustive]
pub struct View<'s> {
    /// Position of every vertex, m.
    pub x: &'s mut [Vec3],
    /// Velocity of every vertex, m/s.
    pub v: &'s mut [Vec3],
    /// All rigid bodies of the state.
    pub bodies: &'s mut Bodies,
    /// Data that the method keeps from step to step.
    pub columns: Space<'s>,
    /// Simulated time, s.
    pub time: Real,
}

impl State {
    /// The whole state.
    pub fn view(&mut self) -> View<'_> {
        self.share(&Share { points: 0..usize::MAX, prefix: "" })
    }

    /// A part of it: as much as there is, which [`validate`](crate::stepper::validate) compares with the model.
    pub fn share(&mut self, share: &Share) -> View<'_> {
        let Self { x, v, bodies, columns, time } = self;
        let [x, v] = [x, v].map(|all| {
            let end = share.points.end.min(all.len());
            &mut all[share.points.start.min(end)..end]
        });
        View { x, v, bodies, columns: Space { columns, prefix: share.prefix }, time: *time }
    }
}

impl View<'_> {
    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.x.len()
    }
}

/// Columns whose names begin with a prefix, under the rest of their names.
///
/// ```
/// use pd_core::{Owner, Share, State};
/// let mut state = State::default();
/// let share = Share { points: 0..0, prefix: "elastic." };
/// state.share(&share).columns.real_mut("contact.made", Owner::Global, 1).push(2.0);
/// assert_eq!(state.columns.real("elastic.contact.made"), &[2.0]);
/// assert_eq!(state.share(&share).columns.real("contact.made"), &[2.0]);
/// assert!(state.view().columns.real("contact.made").is_empty());
/// ```
#[derive(Debug)]
pub struct Space<'s> {
    columns: &'s mut Columns,
    prefix: &'static str,
}

impl Space<'_> {
    /// The column of this name.
    pub fn get(&self, name: &str) -> Option<&StateColumn> {
        self.columns.get_in(self.prefix, name)
    }

    /// Numbers of a column; empty if there is no such column or it holds keys.
    pub fn real(&self, name: &str) -> &[Real] {
        self.get(name).map_or(&[], StateColumn::real)
    }

    /// Keys of a column; empty if there is no such column or it holds numbers.
    pub fn keys(&self, name: &str) -> &[u64] {
        self.get(name).map_or(&[], StateColumn::keys)
    }

    /// Mutable numbers of a column; creates an empty column if there is none with this name, owner, width and type.
    pub fn real_mut(&mut self, name: &'static str, of: Owner, width: usize) -> &mut Vec<Real> {
        self.columns.real_mut_in(self.prefix, name, of, width)
    }

    /// Mutable keys of a column; creates an empty column if there is none with this name, owner, width and type.
    pub fn keys_mut(&mut self, name: &'static str, of: Owner, width: usize) -> &mut Vec<u64> {
        self.columns.keys_mut_in(self.prefix, name, of, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_what_there_is() {
        let mut state = State::new(vec![Vec3::x(); 3], vec![Vec3::y(); 2]);
        assert_eq!((state.view().x.len(), state.view().v.len()), (3, 2));
        let view = state.share(&Share { points: 1..9, prefix: "" });
        assert_eq!((view.vertices(), view.v.len()), (2, 1));
        assert!(state.share(&Share { points: 7..9, prefix: "" }).x.is_empty());
    }

    #[test]
    fn kinds_have_columns_of_their_own_in_the_order_of_full_names() {
        let mut state = State::default();
        let share = Share { points: 0..0, prefix: "elastic." };
        state.view().columns.keys_mut("contact.key", Owner::Contacts, 2).push(1);
        state.view().columns.keys_mut("mpm.idle", Owner::Contacts, 1).push(2);
        state.share(&share).columns.keys_mut("contact.key", Owner::Contacts, 2).push(3);
        let names: Vec<_> = state.columns.iter().map(|column| column.name.as_ref()).collect();
        assert_eq!(names, ["contact.key", "elastic.contact.key", "mpm.idle"]);
        assert_eq!(state.share(&share).columns.keys("contact.key"), [3]);
        assert_eq!(state.view().columns.keys("contact.key"), [1]);
        assert!(state.share(&share).columns.get("mpm.idle").is_none());
    }
}
