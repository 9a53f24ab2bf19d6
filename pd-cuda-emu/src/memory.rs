//! Device memory: every allocation has an identity of its own in the upper bits of its addresses, so a stray
//! address can never fall into a neighbour, and an identity is never used again, so a freed address stays freed.
//!
//! An address is `id · 2³⁶ + 2³⁴ + offset`. Identity zero holds the windows through which generic addresses reach
//! shared and local memory.

use crate::error::AccessError;
use crate::shadow::Shadow;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Generic address of byte zero of the block's shared memory.
pub(crate) const SHARED_WINDOW: u64 = 1 << 32;
/// Generic address of byte zero of the thread's local memory.
pub(crate) const LOCAL_WINDOW: u64 = 2 << 32;
/// Bytes of a window.
pub(crate) const WINDOW: u64 = 1 << 32;

const ID_SHIFT: u32 = 36;
const START: u64 = 1 << 34;
/// Memory of the device in bytes.
pub(crate) const CAPACITY: u64 = 1 << 32;

/// The bytes of one allocation. Threads of several launches may touch them at the same time, as on a device, so
/// every access is a relaxed atomic one.
#[derive(Debug)]
pub(crate) struct Body {
    words: Box<[AtomicU64]>,
    len: u64,
    shadow: OnceLock<Shadow>,
}

impl Body {
    fn new(len: u64, fill: u64) -> Self {
        let words = (0..len.div_ceil(8)).map(|_| AtomicU64::new(fill)).collect();
        Self { words, len, shadow: OnceLock::new() }
    }

    /// Race marks of the words, made when first asked for.
    pub(crate) fn shadow(&self) -> &Shadow {
        self.shadow.get_or_init(|| Shadow::new(self.words.len() * 2))
    }

    /// Bytes.
    #[inline(always)]
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn existing_shadow(&self) -> Option<&Shadow> {
        self.shadow.get()
    }

    /// Pointer to `bytes` bytes that lie inside the words and are aligned to their number.
    #[inline(always)]
    fn at(&self, offset: usize, bytes: usize) -> *const u8 {
        assert!(offset + bytes <= self.words.len() * 8 && offset & (bytes - 1) == 0);
        self.words.as_ptr().cast::<u8>().wrapping_add(offset)
    }

    /// One, two, four or eight bytes, zero-extended.
    ///
    /// `offset` must come from [`Table::resolve`] with the same `bytes`.
    #[inline(always)]
    pub(crate) fn load(&self, offset: usize, bytes: usize) -> u64 {
        let at = self.at(offset, bytes);
        // SAFETY: `at` checked that the bytes lie inside the words and are aligned to their number; the words are
        // atomics, alive as long as `self`.
        unsafe {
            match bytes {
                1 => u64::from((*at.cast::<AtomicU8>()).load(Relaxed)),
                2 => u64::from((*at.cast::<AtomicU16>()).load(Relaxed)),
                4 => u64::from((*at.cast::<AtomicU32>()).load(Relaxed)),
                _ => (*at.cast::<AtomicU64>()).load(Relaxed),
            }
        }
    }

    /// Stores the lower one, two, four or eight bytes; the same condition as for [`Body::load`].
    #[inline(always)]
    pub(crate) fn store(&self, offset: usize, bytes: usize, value: u64) {
        let at = self.at(offset, bytes);
        // SAFETY: as in `load`.
        unsafe {
            match bytes {
                1 => (*at.cast::<AtomicU8>()).store(value as u8, Relaxed),
                2 => (*at.cast::<AtomicU16>()).store(value as u16, Relaxed),
                4 => (*at.cast::<AtomicU32>()).store(value as u32, Relaxed),
                _ => (*at.cast::<AtomicU64>()).store(value, Relaxed),
            }
        }
    }

    /// Replaces the value by `f` of it and returns the old one, atomically; four or eight bytes.
    pub(crate) fn update(&self, offset: usize, bytes: usize, f: impl Fn(u64) -> u64) -> u64 {
        let at = self.at(offset, bytes);
        // SAFETY: as in `load`.
        unsafe {
            if bytes == 4 {
                let word = &*at.cast::<AtomicU32>();
                let step = |v: u32| Some(f(u64::from(v)) as u32);
                word.fetch_update(Relaxed, Relaxed, step).map_or(0, u64::from)
            } else {
                (*at.cast::<AtomicU64>()).fetch_update(Relaxed, Relaxed, |v| Some(f(v))).unwrap_or(0)
            }
        }
    }

    fn byte(&self, offset: usize) -> &AtomicU8 {
        // SAFETY: `at` checked the range; a byte has no alignment.
        unsafe { &*self.at(offset, 1).cast::<AtomicU8>() }
    }
}

/// One allocation, live or freed.
#[derive(Debug, Clone)]
struct Slot {
    len: u64,
    constant: bool,
    body: Option<Arc<Body>>,
}

/// All allocations there ever were. A launch keeps a cheap copy, so that others may allocate meanwhile.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    slots: Arc<Vec<Slot>>,
    live_bytes: u64,
}

impl Table {
    /// Takes a new allocation; its bytes are all ones, which read as NaN, like memory nobody wrote yet.
    pub(crate) fn allocate(&mut self, len: u64, constant: bool) -> Option<u64> {
        if len > CAPACITY - self.live_bytes {
            return None;
        }
        self.live_bytes += len;
        let slots = Arc::make_mut(&mut self.slots);
        slots.push(Slot { len, constant, body: Some(Arc::new(Body::new(len, u64::MAX))) });
        Some(((slots.len() as u64) << ID_SHIFT) + START)
    }

    /// Gives an allocation back; false if `address` is not the start of a live one.
    pub(crate) fn free(&mut self, address: u64) -> bool {
        let Some((index, offset)) = split(address) else { return false };
        let live = self.slots.get(index).is_some_and(|s| s.body.is_some());
        if !live || offset != 0 {
            return false;
        }
        let slot = &mut Arc::make_mut(&mut self.slots)[index];
        self.live_bytes -= slot.len;
        slot.body = None;
        true
    }

    /// Bytes in live allocations.
    pub(crate) fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// Start and length of the live allocation an address points into.
    pub(crate) fn extent(&self, address: u64) -> Option<(u64, u64)> {
        let (index, offset) = split(address)?;
        let slot = self.slots.get(index).filter(|s| s.body.is_some())?;
        let inside = offset >= 0 && (offset as u64) < slot.len.max(1);
        inside.then(|| (address - offset as u64, slot.len))
    }

    /// Finds the bytes of an aligned access of 1, 2, 4, 8 or 16 bytes.
    #[inline(always)]
    pub(crate) fn resolve(
        &self,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Result<(&Body, usize), AccessError> {
        let index = (address >> ID_SHIFT).wrapping_sub(1) as usize;
        let offset = (address & ((1 << ID_SHIFT) - 1)).wrapping_sub(START);
        if let Some(slot) = self.slots.get(index)
            && let Some(body) = &slot.body
            && offset < slot.len
            && bytes <= slot.len - offset
            && address & (bytes - 1) == 0
            && !(write && slot.constant)
        {
            return Ok((body, offset as usize));
        }
        Err(self.diagnose(address, bytes, write))
    }

    #[cold]
    fn diagnose(&self, address: u64, bytes: u64, write: bool) -> AccessError {
        let Some((index, offset)) = split(address) else { return AccessError::Unmapped { address, bytes } };
        let Some(slot) = self.slots.get(index) else { return AccessError::Unmapped { address, bytes } };
        let len = slot.len;
        if slot.body.is_none() {
            AccessError::UseAfterFree { address, offset, len, bytes }
        } else if offset < 0 || offset as u64 + bytes > len {
            AccessError::OutOfBounds { address, offset, len, bytes }
        } else if write && slot.constant {
            AccessError::Constant { address }
        } else {
            AccessError::Misaligned { address, bytes }
        }
    }

    /// Finds a range of any length for a copy.
    fn range(&self, address: u64, bytes: u64) -> Result<(&Body, usize), AccessError> {
        let Some((index, offset)) = split(address) else {
            return Err(AccessError::Unmapped { address, bytes });
        };
        let slot = self.slots.get(index).ok_or(AccessError::Unmapped { address, bytes })?;
        match &slot.body {
            Some(body) if offset >= 0 && offset as u64 + bytes <= body.len => Ok((body, offset as usize)),
            _ => Err(self.diagnose(address, bytes, false)),
        }
    }

    /// Whether a copy of this length may start here.
    pub(crate) fn check(&self, address: u64, bytes: u64) -> Result<(), AccessError> {
        self.range(address, bytes).map(|_| ())
    }

    /// Copies host bytes to the device; the host may also write constant memory.
    pub(crate) fn write(&self, address: u64, from: &[u8]) -> Result<(), AccessError> {
        let (body, at) = self.range(address, from.len() as u64)?;
        let (mut k, n) = (0, from.len());
        while k < n {
            if (at + k) % 8 == 0 && n - k >= 8 {
                let mut word = [0; 8];
                word.copy_from_slice(&from[k..k + 8]);
                body.words[(at + k) / 8].store(u64::from_le_bytes(word), Relaxed);
                k += 8;
            } else {
                body.byte(at + k).store(from[k], Relaxed);
                k += 1;
            }
        }
        Ok(())
    }

    /// Copies device bytes to the host.
    pub(crate) fn read(&self, address: u64, to: &mut [u8]) -> Result<(), AccessError> {
        let (body, at) = self.range(address, to.len() as u64)?;
        let (mut k, n) = (0, to.len());
        while k < n {
            if (at + k) % 8 == 0 && n - k >= 8 {
                to[k..k + 8].copy_from_slice(&body.words[(at + k) / 8].load(Relaxed).to_le_bytes());
                k += 8;
            } else {
                to[k] = body.byte(at + k).load(Relaxed);
                k += 1;
            }
        }
        Ok(())
    }

    /// Copies between device addresses, as if through a buffer.
    pub(crate) fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), AccessError> {
        self.check(to, bytes)?;
        self.check(from, bytes)?;
        let mut buffer = vec![0; bytes as usize];
        self.read(from, &mut buffer)?;
        self.write(to, &buffer)
    }

    /// Repeats a pattern of 1, 2 or 4 bytes.
    pub(crate) fn fill(&self, to: u64, pattern: &[u8], times: u64) -> Result<(), AccessError> {
        self.check(to, pattern.len() as u64 * times)?;
        self.write(to, &pattern.repeat(times as usize))
    }

    /// Forgets all race marks, when launch numbers start again.
    pub(crate) fn clear_shadows(&self) {
        for body in self.slots.iter().filter_map(|s| s.body.as_ref()) {
            if let Some(shadow) = body.existing_shadow() {
                shadow.clear();
            }
        }
    }
}

/// Index of the allocation and offset from its start; none for the windows.
fn split(address: u64) -> Option<(usize, i64)> {
    let id = address >> ID_SHIFT;
    (id > 0).then(|| ((id - 1) as usize, (address & ((1 << ID_SHIFT) - 1)) as i64 - START as i64))
}
