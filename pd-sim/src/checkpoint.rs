//! Checkpoints: the exact state, and the scene it belongs to.
//!
//! Version 2, little endian: the 8 bytes `PDSTATE2`, the scene's fingerprint (u64), frames done (u64), time (f64), the number
//! of sections (u64), the sections, and a 64-bit hash of all before it. A section is
//!
//! ```text
//! length of the name u64 | name | type u64 (0 numbers, 1 keys) | owner u64, u64 | width u64 | values u64 | values, 8 bytes each
//! ```
//! `x` and `v` are sections of width 3; `bodies` has 13 numbers a body (p, q as i j k w, v, ω); every other section is a column
//! of the state. Version 1 (`PDSTATE1`: fingerprint, frame, vertices, time, x, v, hash) is still read; its fingerprint followed
//! another rule, so only the number of vertices is compared.

use crate::SceneError;
use nalgebra::{Quaternion, UnitQuaternion};
use pd_core::{ColumnData, Owner, State, StateColumn, Vec3, as_flat};
use std::path::Path;

const MAGIC: &[u8; 8] = b"PDSTATE2";
const FIRST_MAGIC: &[u8; 8] = b"PDSTATE1";
/// Numbers of a rigid body.
const BODY: usize = 13;
/// Names of the sections that are not columns.
const RESERVED: [&str; 3] = ["x", "v", "bodies"];

/// A state on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Fingerprint of the scene (see [`Scene::fingerprint`](crate::scene::Scene::fingerprint)); `None` in files of version 1,
    /// whose fingerprints cannot be compared.
    pub fingerprint: Option<u64>,
    /// Frames done.
    pub frame: u64,
    /// The state.
    pub state: State,
}

impl Checkpoint {
    /// Writes the file in full or not at all.
    pub fn write(&self, path: &Path) -> Result<(), SceneError> {
        let bytes = self.to_bytes();
        pd_mesh::io::write_atomically(path, |file| file.write_all(&bytes))
            .map_err(|error| SceneError::Io { path: path.to_owned(), what: error.to_string() })
    }

    /// Reads a file; rejects anything that is not exactly one complete checkpoint.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let bytes = std::fs::read(path).map_err(|error| SceneError::io(path, &error))?;
        Self::from_bytes(&bytes).map_err(|what| SceneError::Checkpoint { path: path.to_owned(), what })
    }

    /// What the file holds.
    pub fn to_bytes(&self) -> Vec<u8> {
        let state = &self.state;
        let mut bytes = Vec::with_capacity(256 + 48 * state.vertices() + 8 * BODY * state.bodies.len());
        bytes.extend_from_slice(MAGIC);
        let sections = 2 + usize::from(!state.bodies.is_empty()) + state.columns.len();
        let time = state.time.to_bits();
        for word in [self.fingerprint.unwrap_or(0), self.frame, time, sections as u64] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let numbers = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        section(&mut bytes, "x", 0, Owner::Global, 3, &numbers(as_flat(&state.x)));
        section(&mut bytes, "v", 0, Owner::Global, 3, &numbers(as_flat(&state.v)));
        if !state.bodies.is_empty() {
            section(&mut bytes, "bodies", 0, Owner::Bodies, BODY, &numbers(&flat_bodies(state)));
        }
        for column in &state.columns {
            let (kind, values) = match &column.data {
                ColumnData::Real(values) => (0, numbers(values)),
                ColumnData::Index(values) => (1, values.clone()),
                _ => continue, // no other type exists
            };
            section(&mut bytes, &column.name, kind, column.of, column.width, &values);
        }
        let hash = hash(&bytes);
        bytes.extend_from_slice(&hash.to_le_bytes());
        bytes
    }

    /// Reads the output of [`to_bytes`](Self::to_bytes); anything else is an error with a reason.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let end = bytes.len().saturating_sub(8);
        let mut reader = Reader { bytes: &bytes[..end], at: 0 };
        let magic = reader.take(8).unwrap_or_default();
        let first = magic == FIRST_MAGIC;
        if !first && magic != MAGIC {
            return Err(
                "not a checkpoint of this program (it does not start with PDSTATE1 or PDSTATE2)".into()
            );
        }
        if bytes.len() < 16 || (Reader { bytes, at: end }).word()? != hash(&bytes[..end]) {
            let count = bytes.len();
            return Err(format!("is damaged or truncated: the checksum of its {count} bytes does not match"));
        }
        let checkpoint = if first { parse_first(&mut reader)? } else { parse_second(&mut reader)? };
        if reader.at != end {
            return Err(format!("has {} bytes too many", end - reader.at));
        }
        let state = &checkpoint.state;
        if !state.time.is_finite() || state.first_not_finite().is_some() {
            return Err("holds values that are not finite".into());
        }
        Ok(checkpoint)
    }
}

fn parse_first(reader: &mut Reader<'_>) -> Result<Checkpoint, String> {
    let (_, frame, vertices) = (reader.word()?, reader.word()?, reader.word()?);
    let time = f64::from_bits(reader.word()?);
    let vertices = usize::try_from(vertices).map_err(|_| "declares more vertices than fit in memory")?;
    let x =
        vectors(&reader.words(vertices.checked_mul(3).ok_or("declares more vertices than fit in memory")?)?);
    let v = vectors(&reader.words(3 * vertices)?);
    let mut state = State::new(x, v);
    state.time = time;
    Ok(Checkpoint { fingerprint: None, frame, state })
}

fn parse_second(reader: &mut Reader<'_>) -> Result<Checkpoint, String> {
    let (fingerprint, frame) = (reader.word()?, reader.word()?);
    let (time, sections) = (f64::from_bits(reader.word()?), reader.word()?);
    let mut state = State::default();
    state.time = time;
    // Names are compared once they are sorted, and columns come in order: a file of n sections takes n log n steps.
    let (mut seen, mut columns) = (vec![], vec![]);
    for _ in 0..sections {
        let Section { name, kind, owner, width, values } = reader.section()?;
        let fixed = match name.as_str() {
            "x" | "v" => Some(3),
            "bodies" => Some(BODY),
            _ => None,
        };
        if fixed.is_some_and(|fixed| fixed != width || kind != 0) {
            return Err(format!("section {name:?} has width {width} and type {kind}"));
        }
        match name.as_str() {
            "x" => state.x = vectors(&values),
            "v" => state.v = vectors(&values),
            "bodies" if state.bodies.is_empty() => read_bodies(&values, &mut state)?,
            "bodies" => return Err("has section \"bodies\" twice".into()),
            _ => {
                let data = match kind {
                    0 => ColumnData::Real(values.iter().map(|&bits| f64::from_bits(bits)).collect()),
                    _ => ColumnData::Index(values),
                };
                columns.push(StateColumn { name: name.clone().into(), of: owner, width, data });
            }
        }
        seen.push(name);
    }
    seen.sort_unstable();
    if let Some(twice) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("has section {:?} twice", twice[0]));
    }
    columns.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    columns.into_iter().for_each(|column| state.columns.insert(column));
    if RESERVED[..2].iter().any(|name| seen.binary_search_by(|seen| seen.as_str().cmp(name)).is_err())
        || state.x.len() != state.v.len()
    {
        return Err("lacks positions or velocities, or their numbers differ".into());
    }
    Ok(Checkpoint { fingerprint: Some(fingerprint), frame, state })
}

/// One section as read.
struct Section {
    name: String,
    kind: u64,
    owner: Owner,
    width: usize,
    values: Vec<u64>,
}

fn section(bytes: &mut Vec<u8>, name: &str, kind: u64, owner: Owner, width: usize, values: &[u64]) {
    let word = |bytes: &mut Vec<u8>, word: u64| bytes.extend_from_slice(&word.to_le_bytes());
    word(bytes, name.len() as u64);
    bytes.extend_from_slice(name.as_bytes());
    let (owner, set) = match owner {
        Owner::Points(set) => (0, u64::from(set)),
        Owner::Bodies => (1, 0),
        Owner::Joints => (2, 0),
        Owner::Contacts => (3, 0),
        _ => (4, 0),
    };
    for value in [kind, owner, set, width as u64, values.len() as u64] {
        word(bytes, value);
    }
    values.iter().for_each(|&value| word(bytes, value));
}

/// Reads forward through the file; every length is checked before anything is allocated.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or("the checkpoint is truncated")?;
        let slice = &self.bytes[self.at..end];
        self.at = end;
        Ok(slice)
    }

    fn word(&mut self) -> Result<u64, String> {
        let slice = self.take(8)?;
        Ok(u64::from_le_bytes(slice.try_into().map_err(|_| "the checkpoint is truncated")?))
    }

    fn words(&mut self, count: usize) -> Result<Vec<u64>, String> {
        let slice = self.take(count.checked_mul(8).ok_or("declares more values than fit in memory")?)?;
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        Ok(slice.chunks_exact(8).map(word).collect())
    }

    fn count(&mut self, what: &str) -> Result<usize, String> {
        usize::try_from(self.word()?).map_err(|_| format!("declares more {what} than fit in memory"))
    }

    fn section(&mut self) -> Result<Section, String> {
        let length = self.count("letters of a name")?;
        let name = std::str::from_utf8(self.take(length)?).map_err(|_| "a section's name is not text")?;
        let name = name.to_owned();
        let kind = self.word()?;
        if kind > 1 {
            return Err(format!("section {name:?} has type {kind}, which this version does not know"));
        }
        let (owner, set) = (self.word()?, self.word()?);
        let owner = match (owner, u32::try_from(set)) {
            (0, Ok(set)) => Owner::Points(set),
            (1, Ok(0)) => Owner::Bodies,
            (2, Ok(0)) => Owner::Joints,
            (3, Ok(0)) => Owner::Contacts,
            (4, Ok(0)) => Owner::Global,
            _ => return Err(format!("section {name:?} belongs to an unknown owner ({owner}, {set})")),
        };
        let width = self.count("values a row")?;
        let count = self.count("values")?;
        if width == 0 || !count.is_multiple_of(width) {
            return Err(format!("section {name:?} has {count} values in rows of {width}"));
        }
        Ok(Section { name, kind, owner, width, values: self.words(count)? })
    }
}

fn vectors(words: &[u64]) -> Vec<Vec3> {
    words
        .chunks_exact(3)
        .map(|c| Vec3::new(f64::from_bits(c[0]), f64::from_bits(c[1]), f64::from_bits(c[2])))
        .collect()
}

fn flat_bodies(state: &State) -> Vec<f64> {
    let bodies = &state.bodies;
    let row = |b: usize| {
        let (p, q, v, w) = (bodies.p[b], bodies.q[b].coords, bodies.v[b], bodies.w[b]);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
    };
    (0..bodies.len()).flat_map(row).collect()
}

fn read_bodies(words: &[u64], state: &mut State) -> Result<(), String> {
    for row in words.chunks_exact(BODY) {
        let n: Vec<f64> = row.iter().map(|&bits| f64::from_bits(bits)).collect();
        if n.iter().any(|value| !value.is_finite()) {
            return Err("holds a body that is not finite".into());
        }
        // As stored, without normalising again: a resumed run is bitwise identical.
        let q = UnitQuaternion::new_unchecked(Quaternion::new(n[6], n[3], n[4], n[5]));
        state.bodies.push(Vec3::new(n[0], n[1], n[2]), q);
        let last = state.bodies.len() - 1;
        state.bodies.v[last] = Vec3::new(n[7], n[8], n[9]);
        state.bodies.w[last] = Vec3::new(n[10], n[11], n[12]);
    }
    Ok(())
}

/// FNV-1a over bytes: sufficient to detect damage, and stable.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Checkpoint {
        let mut state = State::at_rest(vec![Vec3::new(0.1, -0.0, 1e-300), Vec3::new(1.0 / 3.0, 2.0, 3.0)]);
        state.v[1] = Vec3::new(-7.5, 0.0, 1e17);
        state.time = 0.1 + 0.2;
        state.bodies.push(Vec3::y(), UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3));
        state.bodies.w[0] = Vec3::new(0.0, -1.0, 1.0 / 7.0);
        state.columns.real_mut("joint.lambda", Owner::Joints, 3).extend([1.0, -0.0, 3.0]);
        state.columns.keys_mut("contact.key", Owner::Contacts, 1).extend([u64::MAX, 3]);
        state.columns.real_mut("mpm.c", Owner::Points(2), 9);
        Checkpoint { fingerprint: Some(77), frame: 12, state }
    }

    #[test]
    fn round_trip_is_exact_to_the_bit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.pdc");
        sample().write(&path).unwrap();
        let read = Checkpoint::read(&path).unwrap();
        assert_eq!(read, sample());
        assert_eq!(read.state.hash(), sample().state.hash());
        assert!(read.state.x[0].y.is_sign_negative());
        assert_eq!(read.state.columns.get("mpm.c").map(|column| column.of), Some(Owner::Points(2)));
    }

    #[test]
    fn any_cut_or_flipped_byte_is_refused() {
        let bytes = sample().to_bytes();
        for length in 0..bytes.len() {
            assert!(Checkpoint::from_bytes(&bytes[..length]).is_err(), "cut at {length}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(Checkpoint::from_bytes(&damaged).is_err(), "byte {at} flipped");
        }
        assert!(Checkpoint::from_bytes(&[bytes.clone(), vec![0]].concat()).is_err());
    }

    /// Any word may lie, with the right checksum: lengths are checked before they are believed.
    #[test]
    fn lengths_that_lie_are_refused_or_harmless() {
        let bytes = sample().to_bytes();
        let body = bytes.len() - 8;
        for at in (8..body - 8).step_by(4) {
            for lie in [u64::MAX, u64::MAX / 8, 1 << 40, 0] {
                let mut wrong = bytes[..body].to_vec();
                wrong[at..at + 8].copy_from_slice(&lie.to_le_bytes());
                let checksum = hash(&wrong);
                wrong.extend_from_slice(&checksum.to_le_bytes());
                let _ = Checkpoint::from_bytes(&wrong); // no panic, no attempt to allocate the lie
            }
        }
    }

    fn with_sections(names: impl Iterator<Item = String>) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let names: Vec<String> = names.collect();
        for word in [0_u64, 0, 0, 2 + names.len() as u64] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for name in ["x", "v"].into_iter().chain(names.iter().map(String::as_str)) {
            section(&mut bytes, name, 0, Owner::Global, 3, &[0, 0, 0]);
        }
        let checksum = hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    #[test]
    fn a_section_given_twice_is_refused() {
        for twice in ["x", "a"] {
            let names = ["b", "a", twice].map(str::to_owned).into_iter();
            let error = Checkpoint::from_bytes(&with_sections(names)).unwrap_err();
            assert!(error.contains("twice"), "{error}");
        }
        let bodies = ["bodies", "bodies"].map(str::to_owned).into_iter();
        assert!(Checkpoint::from_bytes(&with_sections(bodies)).is_err());
    }

    /// Eight times as many sections, in any order, take about eight times as long, not 64 times.
    #[test]
    fn reading_is_linear_in_the_number_of_sections() {
        let time = |count: usize, backwards: bool| {
            let name = |k: usize| format!("{:08}", if backwards { count - k } else { k });
            let bytes = with_sections((0..count).map(name));
            let once = || {
                let started = std::time::Instant::now();
                assert_eq!(Checkpoint::from_bytes(&bytes).unwrap().state.columns.len(), count);
                started.elapsed().as_secs_f64()
            };
            (0..4).map(|_| once()).fold(f64::INFINITY, f64::min)
        };
        for backwards in [false, true] {
            let (few, many) = (time(20_000, backwards), time(160_000, backwards));
            assert!(many < 32.0 * few, "{few} s for 20,000 sections, {many} s for 160,000");
        }
    }

    #[test]
    fn the_first_version_is_still_read() {
        let mut bytes = FIRST_MAGIC.to_vec();
        for word in [99_u64, 5, 1] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for value in [0.25_f64, 1.0, 2.0, 3.0, -4.0, 5.0, 6.0] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        let checksum = hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        let read = Checkpoint::from_bytes(&bytes).unwrap();
        assert_eq!((read.fingerprint, read.frame, read.state.time), (None, 5, 0.25));
        assert_eq!((read.state.x[0], read.state.v[0]), (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 5.0, 6.0)));
    }
}
