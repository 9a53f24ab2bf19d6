//! Checkpoints: the state, bit for bit, and which scene it belongs to.
//!
//! Layout, little endian: the 8 bytes `PDSTATE1`, the scene's fingerprint (u64), frames done (u64), number of
//! vertices (u64), time (f64), x then v (3 f64 per vertex each), and a 64-bit hash of all before it.

use crate::SceneError;
use pd_core::{State, Vec3, as_flat};
use std::path::Path;

const MAGIC: &[u8; 8] = b"PDSTATE1";
const HEADER: usize = 8 + 4 * 8;

/// A state on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Fingerprint of the scene (see [`Scene::fingerprint`](crate::scene::Scene::fingerprint)).
    pub fingerprint: u64,
    /// Frames done.
    pub frame: u64,
    /// The state.
    pub state: State,
}

impl Checkpoint {
    /// Writes the file in full or not at all.
    pub fn write(&self, path: &Path) -> Result<(), SceneError> {
        let mut bytes = Vec::with_capacity(HEADER + 48 * self.state.vertices() + 8);
        bytes.extend_from_slice(MAGIC);
        for word in [self.fingerprint, self.frame, self.state.vertices() as u64] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&self.state.time.to_le_bytes());
        for value in as_flat(&self.state.x).iter().chain(as_flat(&self.state.v)) {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        let hash = hash(&bytes);
        bytes.extend_from_slice(&hash.to_le_bytes());
        pd_mesh::io::write_atomically(path, |file| file.write_all(&bytes))
            .map_err(|error| SceneError::Io { path: path.to_owned(), what: error.to_string() })
    }

    /// Reads a file, refusing anything that is not exactly one whole checkpoint.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let bytes = std::fs::read(path).map_err(|error| SceneError::io(path, &error))?;
        Self::parse(&bytes).map_err(|what| SceneError::Checkpoint { path: path.to_owned(), what })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.get(..8) != Some(MAGIC) {
            return Err("not a checkpoint of this program (it does not start with PDSTATE1)".into());
        }
        let word = |at: usize| -> Result<u64, String> {
            let slice = bytes.get(at..at + 8).ok_or("the checkpoint is cut short")?;
            Ok(u64::from_le_bytes(slice.try_into().map_err(|_| "the checkpoint is cut short")?))
        };
        let (fingerprint, frame, vertices) = (word(8)?, word(16)?, word(24)?);
        let expected = vertices.checked_mul(48).and_then(|n| n.checked_add(HEADER as u64 + 8));
        if expected != Some(bytes.len() as u64) {
            return Err(format!("says {vertices} vertices, which does not fit its {} bytes", bytes.len()));
        }
        let end = bytes.len() - 8;
        if word(end)? != hash(&bytes[..end]) {
            return Err("is damaged: its checksum does not match".into());
        }
        let value = |k: usize| word(HEADER + 8 * k).map(f64::from_bits);
        let vector = |k: usize| Ok::<_, String>(Vec3::new(value(k)?, value(k + 1)?, value(k + 2)?));
        let n = vertices as usize;
        let x = (0..n).map(|i| vector(3 * i)).collect::<Result<Vec<_>, _>>()?;
        let v = (n..2 * n).map(|i| vector(3 * i)).collect::<Result<Vec<_>, _>>()?;
        let mut state = State::new(x, v);
        state.time = f64::from_bits(word(32)?);
        if !state.time.is_finite() || state.first_not_finite().is_some() {
            return Err("holds values that are not finite".into());
        }
        Ok(Self { fingerprint, frame, state })
    }
}

/// FNV-1a over bytes: enough to notice damage, and stable.
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
        Checkpoint { fingerprint: 77, frame: 12, state }
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
    }

    #[test]
    fn any_cut_or_flipped_byte_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.pdc");
        sample().write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            assert!(Checkpoint::parse(&bytes[..length]).is_err(), "cut at {length}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(Checkpoint::parse(&damaged).is_err(), "byte {at} flipped");
        }
        assert!(Checkpoint::parse(&[bytes.clone(), vec![0]].concat()).is_err());
    }
}
