//! Named arrays of the state that one method needs: multipliers, affine velocities, sleep counters.

use crate::{Real, Vec3};
use std::borrow::Cow;

/// What the rows of a column belong to. An editor that adds or removes matter uses it to decide which columns to drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Owner {
    /// One row per point of the particle set of this number.
    Points(u32),
    /// One row per rigid body.
    Bodies,
    /// One row per joint.
    Joints,
    /// One row per stored contact; the number of rows changes from step to step.
    Contacts,
    /// The simulation as a whole.
    Global,
}

/// Values of a column.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum ColumnData {
    /// Numbers.
    Real(Vec<Real>),
    /// Keys, counters and flags.
    Index(Vec<u64>),
}

impl ColumnData {
    /// Number of values, all rows together.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(data) => data.len(),
            Self::Index(data) => data.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn bits(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match self {
            Self::Real(data) => Box::new(data.iter().map(|value| value.to_bits())),
            Self::Index(data) => Box::new(data.iter().copied()),
        }
    }
}

// Copies reuse memory: derived ones would allocate in every step that keeps a copy of its state.
impl Clone for ColumnData {
    fn clone(&self) -> Self {
        match self {
            Self::Real(data) => Self::Real(data.clone()),
            Self::Index(data) => Self::Index(data.clone()),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        match (self, source) {
            (Self::Real(data), Self::Real(source)) => data.clone_from(source),
            (Self::Index(data), Self::Index(source)) => data.clone_from(source),
            (other, source) => *other = source.clone(),
        }
    }
}

/// One named array: `width` values per row, row after row.
#[derive(Debug, PartialEq)]
pub struct StateColumn {
    /// Name, `method.quantity`: `mpm.c`, `joint.lambda`, `contact.key`.
    pub name: Cow<'static, str>,
    /// What a row belongs to.
    pub of: Owner,
    /// Values per row; at least 1.
    pub width: usize,
    /// The values.
    pub data: ColumnData,
}

impl Clone for StateColumn {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), of: self.of, width: self.width, data: self.data.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        let Self { name, of, width, data } = source;
        self.name.clone_from(name);
        self.data.clone_from(data);
        (self.of, self.width) = (*of, *width);
    }
}

impl StateColumn {
    /// Its numbers; empty if it holds keys.
    pub fn real(&self) -> &[Real] {
        match &self.data {
            ColumnData::Real(data) => data,
            ColumnData::Index(_) => &[],
        }
    }

    /// Its keys; empty if it holds numbers.
    pub fn keys(&self) -> &[u64] {
        match &self.data {
            ColumnData::Index(data) => data,
            ColumnData::Real(_) => &[],
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.data.len() / self.width.max(1)
    }
}

/// The columns of a state, sorted by name.
///
/// ```
/// use pd_core::{Columns, Owner};
/// let mut columns = Columns::default();
/// columns.real_mut("joint.lambda", Owner::Joints, 3).resize(6, 0.0);
/// assert_eq!(columns.get("joint.lambda").map(|column| column.rows()), Some(2));
/// assert_eq!(columns.real("joint.lambda"), &[0.0; 6]);
/// assert!(columns.real("contact.lambda").is_empty());
/// ```
#[derive(Debug, Default, PartialEq)]
pub struct Columns(Vec<StateColumn>);

impl Clone for Columns {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

impl Columns {
    /// Columns in the order of their names.
    pub fn iter(&self) -> std::slice::Iter<'_, StateColumn> {
        self.0.iter()
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The column of this name.
    pub fn get(&self, name: &str) -> Option<&StateColumn> {
        self.get_in("", name)
    }

    pub(crate) fn get_in(&self, prefix: &str, name: &str) -> Option<&StateColumn> {
        self.place(prefix, name).ok().map(|k| &self.0[k])
    }

    /// Adds a column, or replaces the one of that name.
    pub fn insert(&mut self, column: StateColumn) {
        match self.place("", &column.name) {
            Ok(k) => self.0[k] = column,
            Err(k) => self.0.insert(k, column),
        }
    }

    /// Removes a column.
    pub fn remove(&mut self, name: &str) -> Option<StateColumn> {
        self.place("", name).ok().map(|k| self.0.remove(k))
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
        self.real_mut_in("", name, of, width)
    }

    /// Mutable keys of a column; creates an empty column if there is none with this name, owner, width and type.
    pub fn keys_mut(&mut self, name: &'static str, of: Owner, width: usize) -> &mut Vec<u64> {
        self.keys_mut_in("", name, of, width)
    }

    pub(crate) fn real_mut_in(
        &mut self,
        prefix: &str,
        name: &'static str,
        of: Owner,
        width: usize,
    ) -> &mut Vec<Real> {
        let column = self.column_mut(prefix, name, of, width);
        if !matches!(column.data, ColumnData::Real(_)) {
            column.data = ColumnData::Real(vec![]);
        }
        match &mut column.data {
            ColumnData::Real(data) => data,
            ColumnData::Index(_) => unreachable!("set above"),
        }
    }

    pub(crate) fn keys_mut_in(
        &mut self,
        prefix: &str,
        name: &'static str,
        of: Owner,
        width: usize,
    ) -> &mut Vec<u64> {
        let column = self.column_mut(prefix, name, of, width);
        if !matches!(column.data, ColumnData::Index(_)) {
            column.data = ColumnData::Index(vec![]);
        }
        match &mut column.data {
            ColumnData::Index(data) => data,
            ColumnData::Real(_) => unreachable!("set above"),
        }
    }

    fn column_mut(&mut self, prefix: &str, name: &'static str, of: Owner, width: usize) -> &mut StateColumn {
        let k = self.place(prefix, name).unwrap_or_else(|k| {
            let name =
                if prefix.is_empty() { Cow::Borrowed(name) } else { Cow::Owned([prefix, name].concat()) };
            self.0.insert(k, StateColumn { name, of, width, data: ColumnData::Real(vec![]) });
            k
        });
        let column = &mut self.0[k];
        if (column.of, column.width) != (of, width) {
            (column.of, column.width, column.data) = (of, width, ColumnData::Real(vec![]));
        }
        column
    }

    /// Where the column of this name, in two parts, is or would be.
    fn place(&self, prefix: &str, name: &str) -> Result<usize, usize> {
        let wanted = || prefix.bytes().chain(name.bytes());
        self.0.binary_search_by(|column| column.name.bytes().cmp(wanted()))
    }
}

impl<'a> IntoIterator for &'a Columns {
    type Item = &'a StateColumn;
    type IntoIter = std::slice::Iter<'a, StateColumn>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Rows of a column of width 3 as vectors; a remainder of fewer than three values is ignored.
pub fn as_vectors(data: &[Real]) -> &[Vec3] {
    let whole = data.len() / 3 * 3;
    bytemuck::cast_slice(&data[..whole])
}

/// Mutable version of [`as_vectors`].
pub fn as_vectors_mut(data: &mut [Real]) -> &mut [Vec3] {
    let whole = data.len() / 3 * 3;
    bytemuck::cast_slice_mut(&mut data[..whole])
}
