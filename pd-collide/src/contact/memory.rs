//! What contact carries from step to step: where the list was made, which rows were chosen and their multipliers.
//!
//! All of it lives in columns of the state, so that a run that is resumed repeats the bits: the list is a pure function of
//! x_b and t, and rows are matched by their keys.

use super::row::{Row, RowKey};
use super::rows::{Dual, Rows};
use super::vector::Vec4;
use pd_core::{ContactMaterial, Owner, Real, Space, Vec3, as_flat, as_vectors};

/// Rows with less than this part of δ to close are chosen.
const CHOSEN: Real = 0.08;
/// Part of δ above which a row that is not pressed carries no load. Iterates end before every gap has closed: of a layer on
/// a layer that gives, half of the rows are open by a few hundredths of δ, and left out of the balance they would take their
/// load with them (friction a third of what it should be).
const NEAR: Real = 0.2;

/// Names of the columns.
const KEY: &str = "contact.key";
const VALUE: &str = "contact.value";
const LIST_START: &str = "contact.list_x";
const LIST_TARGET: &str = "contact.list_t";
const CHOICE: &str = "contact.choice_t";
const MADE: &str = "contact.list";
const IGNORED: &str = "contact.ignored";
const TANGLED: &str = "contact.tangled";
const REST: &str = "contact.rest";

/// Memory of contact between steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Rows chosen, in ascending order.
    pub keys: Vec<RowKey>,
    /// Of each: λ, p̂, λ_t (3), sliding (0 or 1).
    pub values: Vec<[Real; 6]>,
    /// x_b of the list, m; empty if there is none.
    pub start: Vec<Vec3>,
    /// t of the list, m.
    pub target: Vec<Vec3>,
    /// Targets for which rows were chosen last, m.
    pub choice: Vec<Vec3>,
    /// Factor of the reach, and the time of obstacles, s.
    pub made: [Real; 2],
    /// Pairs of bodies that do not see each other until they are apart, sorted.
    pub ignored: Vec<[u32; 2]>,
    /// Whether triangles crossed where the list was made and are being pushed apart.
    pub tangled: bool,
    /// Steps in which nothing has moved, and the imbalance of forces once nothing is moved any more, N.
    pub rest: [Real; 2],
}

impl Memory {
    /// Makes room.
    pub fn reserve(&mut self, vertices: usize, rows: usize) {
        self.keys.reserve(rows.saturating_sub(self.keys.len()));
        self.values.reserve(rows.saturating_sub(self.values.len()));
        for list in [&mut self.start, &mut self.target, &mut self.choice] {
            list.reserve(vertices.saturating_sub(list.len()));
        }
    }

    /// Takes the memory from a state's columns; empty where there are none or they are not whole.
    pub fn load(&mut self, columns: &Space<'_>, vertices: usize) {
        let (keys, values) = (columns.keys(KEY), columns.real(VALUE));
        self.keys.clear();
        self.values.clear();
        if keys.len() / 2 == values.len() / 6 {
            self.keys.extend(keys.as_chunks::<2>().0);
            self.values.extend(values.as_chunks::<6>().0);
        }
        for (list, name) in
            [(&mut self.start, LIST_START), (&mut self.target, LIST_TARGET), (&mut self.choice, CHOICE)]
        {
            list.clear();
            let data = as_vectors(columns.real(name));
            if data.len() == vertices {
                list.extend_from_slice(data);
            }
        }
        self.made = columns.real(MADE).first_chunk().copied().unwrap_or_default();
        let whole = self.target.len() == vertices && self.choice.len() == vertices;
        if !whole {
            self.start.clear();
        }
        self.tangled = columns.keys(TANGLED).first() == Some(&1);
        self.rest = columns.real(REST).first_chunk().copied().unwrap_or_default();
        self.ignored.clear();
        self.ignored
            .extend(columns.keys(IGNORED).as_chunks::<2>().0.iter().map(|pair| pair.map(|b| b as u32)));
    }

    /// Whether a state remembers just this.
    pub fn is_stored(&self, columns: &Space<'_>) -> bool {
        !self.start.is_empty()
            && as_flat(&self.start) == columns.real(LIST_START)
            && as_flat(&self.target) == columns.real(LIST_TARGET)
            && as_flat(&self.choice) == columns.real(CHOICE)
            && self.made[..] == *columns.real(MADE)
            && self.keys.as_flattened() == columns.keys(KEY)
            && self.values.as_flattened() == columns.real(VALUE)
            && self.rest[..] == *columns.real(REST)
            && self.ignored.len() == columns.keys(IGNORED).len() / 2
            && self.tangled == (columns.keys(TANGLED).first() == Some(&1))
    }

    /// Writes the memory to a state's columns.
    pub fn store(&self, columns: &mut Space<'_>) {
        let rows = self.keys.capacity();
        let index = columns.keys_mut(KEY, Owner::Contacts, 2);
        index.clear();
        index.reserve(2 * rows);
        index.extend(self.keys.as_flattened());
        let real = columns.real_mut(VALUE, Owner::Contacts, 6);
        real.clear();
        real.reserve(6 * rows);
        real.extend(self.values.as_flattened());
        for (list, name) in [(&self.start, LIST_START), (&self.target, LIST_TARGET), (&self.choice, CHOICE)] {
            let column = columns.real_mut(name, Owner::Global, 3);
            column.clear();
            column.extend_from_slice(as_flat(list));
        }
        for (pair, name) in [(&self.made, MADE), (&self.rest, REST)] {
            let column = columns.real_mut(name, Owner::Global, 2);
            column.clear();
            column.extend(pair);
        }
        if !self.ignored.is_empty() || columns.get(IGNORED).is_some() {
            let ignored = columns.keys_mut(IGNORED, Owner::Global, 2);
            ignored.clear();
            ignored.extend(self.ignored.as_flattened().iter().map(|&b| u64::from(b)));
        }
        if self.tangled || columns.get(TANGLED).is_some() {
            let tangled = columns.keys_mut(TANGLED, Owner::Global, 1);
            tangled.clear();
            tangled.push(u64::from(self.tangled));
        }
    }

    /// Keeps what the rows have learned.
    pub fn keep(&mut self, rows: &Rows, list: &[Row]) {
        self.keys.clear();
        self.values.clear();
        for (arm, dual) in rows.arms.iter().zip(&rows.duals) {
            self.keys.push(list[arm.row as usize].key);
            let t = dual.tangent.0.map(Real::from);
            let sliding = if dual.sliding { 1.0 } else { 0.0 };
            self.values.push([Real::from(dual.origin.0[3]), t[3], t[0], t[1], t[2], sliding]);
        }
    }
}

/// Which rows are chosen.
#[derive(Clone, Copy)]
pub enum Choice<'a> {
    /// Those near contact at either of two displacements, and those that carried load.
    Near(&'a [Vec4], &'a [Vec4]),
    /// Those remembered: the choice of an earlier step again.
    Remembered,
}

impl Rows {
    /// Chooses rows of the list that may act and gives them what is remembered of them.
    pub fn choose(
        &mut self,
        list: &[Row],
        memory: &Memory,
        choice: Choice<'_>,
        law: impl Fn(&Row) -> ContactMaterial,
        compliance: &[Real],
    ) {
        self.clear();
        let (mut old, mut first) = (0, 0);
        let mut chosen = std::mem::take(&mut self.chosen);
        while first < list.len() {
            let end = first
                + list[first..].iter().take_while(|row| group(&row.key) == group(&list[first].key)).count();
            while old < memory.keys.len() && group(&memory.keys[old]) < group(&list[first].key) {
                old += 1;
            }
            let kept =
                memory.keys[old..].iter().take_while(|key| group(key) == group(&list[first].key)).count();
            let remembered = old..old + kept;
            chosen.clear();
            for row in &list[first..end] {
                let place = memory.keys[remembered.clone()].binary_search(&row.key).ok();
                let value = place.map_or([0.0; 6], |k| memory.values[old + k]);
                let (take, gap) = match choice {
                    Choice::Remembered => (place.is_some(), 0.0),
                    Choice::Near(from, to) => {
                        let gap = |d: &[Vec4]| {
                            let at = |k: usize| d[row.vertices[k] as usize].to_f64() * row.weights[k];
                            row.gap + row.normal.dot(&((at(0) + at(1)) + (at(2) + at(3))))
                        };
                        let gap = gap(from).min(gap(to));
                        (value[0] > 0.0 || gap < CHOSEN * row.offset, gap)
                    }
                };
                chosen.push(Chosen { take, new: place.is_none(), gap, value });
            }
            if matches!(choice, Choice::Near(..)) && is_vertex_face(&list[first].key) {
                self.hand_down(&list[first..end], memory, remembered.clone(), &mut chosen);
            }
            for (k, row) in list[first..end].iter().enumerate() {
                if chosen[k].take && self.len() < self.capacity() {
                    let mut dual = dual(row, &chosen[k].value, law(row));
                    if matches!(choice, Choice::Near(..)) {
                        // The normal may be another: what is remembered of friction is turned into its plane.
                        dual.flatten(row);
                    }
                    self.push(first + k, row, dual);
                }
            }
            first = end;
        }
        self.chosen = chosen;
        self.index(compliance);
    }
}

/// A row on its way to be chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    take: bool,
    /// Whether nothing is remembered of it.
    new: bool,
    gap: Real,
    value: [Real; 6],
}

/// Kind and first vertex: rows of one group follow each other.
fn group(key: &RowKey) -> u64 {
    key[0] >> 31
}

fn is_vertex_face(key: &RowKey) -> bool {
    key[0] >> 62 == 0
}

impl Rows {
    /// Bodies of vertices: with them, what a vertex that slides from face to face remembers of one face goes to the next of
    /// the same body. Without, it starts anew on every face, sinks in until the multiplier has grown, and loses speed.
    pub fn set_bodies(&mut self, body: &[u32]) {
        self.body.clear();
        self.body.extend_from_slice(body);
    }

    /// What rows of a vertex that are no more remember goes to the nearest new row with the same body.
    fn hand_down(
        &self,
        rows: &[Row],
        memory: &Memory,
        remembered: std::ops::Range<usize>,
        chosen: &mut [Chosen],
    ) {
        for old in remembered {
            let (key, value) = (&memory.keys[old], &memory.values[old]);
            if value[0] <= 0.0 && value[1] <= 0.0 || rows.binary_search_by_key(key, |row| row.key).is_ok() {
                continue;
            }
            // The face is named by its vertices, one of which is packed beside the group.
            let other = (key[0] & ((1 << 31) - 1)) as usize;
            let Some(&body) = self.body.get(other) else { continue };
            let heirs =
                (0..rows.len()).filter(|&k| chosen[k].take && chosen[k].new && rows[k].bodies[1] == body);
            if let Some(heir) = heirs.min_by(|&a, &b| chosen[a].gap.total_cmp(&chosen[b].gap)) {
                let heir = &mut chosen[heir].value;
                (0..5).for_each(|k| heir[k] += value[k]);
                heir[5] = heir[5].max(value[5]);
            }
        }
    }
}

fn dual(row: &Row, value: &[Real; 6], law: ContactMaterial) -> Dual {
    let [lambda, radius, x, y, z, sliding] = value.map(|v| v as f32);
    Dual {
        origin: Vec4([0.0, 0.0, 0.0, lambda]),
        tangent: Vec4([x, y, z, radius]),
        static_friction: law.static_friction as f32,
        kinetic_friction: law.kinetic_friction as f32,
        near: (NEAR * row.offset) as f32,
        sliding: sliding != 0.0,
    }
}

impl Dual {
    /// Takes the normal part out of λ_t.
    fn flatten(&mut self, row: &Row) {
        let t = self.tangent.to_f64();
        let t = Vec4::from_f64(&(t - row.normal * row.normal.dot(&t)));
        self.tangent = Vec4([t.0[0], t.0[1], t.0[2], self.tangent.0[3]]);
    }
}
