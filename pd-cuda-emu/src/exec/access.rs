//! Loads, stores and atomics of a warp, lane by lane, each checked before it happens.

use super::block::Shared;
use super::regs::{LANES, Row64, lanes};
use super::warp::Frame;
use super::{Launch, Trouble};
use crate::error::{AccessError, FaultKind, Space};
use crate::instr::{Access, Address, Base, NONE, Place};
use crate::memory::{Body, LOCAL_WINDOW, SHARED_WINDOW, WINDOW};
use crate::parse::Type;
use crate::shadow::{Race, Who};

/// What the lanes of a warp can reach.
pub(super) struct Reach<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) shared: &'a mut Shared,
    /// Frame of the running function and those of its callers.
    pub(super) frame: &'a mut Frame,
    pub(super) callers: &'a mut [Frame],
    /// Identity of lane zero for device memory and for shared memory.
    pub(super) in_grid: Who,
    pub(super) in_block: Who,
}

/// Where one lane's access goes.
pub(super) enum Target<'a> {
    Global(&'a Body, usize),
    Shared(usize),
    /// Frame (the running one is last) and byte.
    Local(usize, usize),
    Param(usize),
}

pub(super) fn fault(lane: usize, space: Space, error: AccessError) -> Box<Trouble> {
    Trouble::new(lane, FaultKind::Access { space, error })
}

pub(super) fn race(lane: usize, space: Space, address: u64, (conflict, other): Race) -> Box<Trouble> {
    Trouble::new(lane, FaultKind::Race { space, address, conflict, other })
}

/// Checks an access to a plain array.
pub(super) fn inside(address: u64, bytes: u64, len: usize) -> Result<usize, AccessError> {
    if address.checked_add(bytes).is_none_or(|end| end > len as u64) {
        return Err(AccessError::OutOfBounds { address, offset: address as i64, len: len as u64, bytes });
    }
    if address & (bytes - 1) != 0 {
        return Err(AccessError::Misaligned { address, bytes });
    }
    Ok(address as usize)
}

impl<'a> Reach<'a> {
    /// Addresses of all lanes.
    #[inline(always)]
    pub(super) fn addresses(&self, a: &Address) -> Row64 {
        let offset = a.offset as u64;
        match a.base {
            Base::R64(r) => {
                let row = self.frame.regs.row64(r);
                let mut out = [0; LANES];
                for l in 0..LANES {
                    out[l] = row[l].wrapping_add(offset);
                }
                out
            }
            Base::R32(r) => {
                let row = self.frame.regs.row32(r);
                let mut out = [0; LANES];
                for l in 0..LANES {
                    out[l] = u64::from(row[l].wrapping_add(offset as u32));
                }
                out
            }
            Base::Absolute => [offset; LANES],
            Base::Frame => [offset.wrapping_add(self.frame.local_base); LANES],
        }
    }

    pub(super) fn target(
        &self,
        lane: usize,
        place: Place,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Result<Target<'a>, Box<Trouble>> {
        match place {
            Place::Global => match self.launch.memory.resolve(address, bytes, write) {
                Ok((body, at)) => Ok(Target::Global(body, at)),
                Err(e) => Err(fault(lane, Space::Global, e)),
            },
            Place::Shared => match inside(address, bytes, self.shared.bytes.len()) {
                Ok(at) => Ok(Target::Shared(at)),
                Err(e) => Err(fault(lane, Space::Shared, e)),
            },
            Place::Param => match inside(address, bytes, self.launch.params.len()) {
                Ok(at) => Ok(Target::Param(at)),
                Err(e) => Err(fault(lane, Space::Param, e)),
            },
            Place::Local => self.local_target(lane, address, bytes),
            Place::Generic => {
                if address.wrapping_sub(SHARED_WINDOW) < WINDOW {
                    self.target(lane, Place::Shared, address - SHARED_WINDOW, bytes, write)
                } else if address.wrapping_sub(LOCAL_WINDOW) < WINDOW {
                    self.local_target(lane, address - LOCAL_WINDOW, bytes)
                } else {
                    self.target(lane, Place::Global, address, bytes, write)
                }
            }
        }
    }

    fn local_target(&self, lane: usize, address: u64, bytes: u64) -> Result<Target<'a>, Box<Trouble>> {
        let frames = self.callers.iter().chain(std::iter::once(&*self.frame)).enumerate();
        for (k, f) in frames {
            if address >= f.local_base && address < f.local_base + f.frame_bytes as u64 {
                return match inside(address - f.local_base, bytes, f.frame_bytes) {
                    Ok(at) => Ok(Target::Local(k, lane * f.frame_bytes + at)),
                    Err(e) => Err(fault(lane, Space::Local, e)),
                };
            }
        }
        let len = (self.frame.local_base + self.frame.frame_bytes as u64).max(1);
        let error = AccessError::OutOfBounds { address, offset: address as i64, len, bytes };
        Err(fault(lane, Space::Local, error))
    }

    fn local(&self, k: usize) -> &[u8] {
        self.callers.get(k).map_or(&self.frame.local, |f| &f.local)
    }

    fn local_mut(&mut self, k: usize) -> &mut [u8] {
        match self.callers.get_mut(k) {
            Some(f) => &mut f.local,
            None => &mut self.frame.local,
        }
    }

    #[inline(always)]
    pub(super) fn who_grid(&self, lane: usize) -> Who {
        Who { thread: self.in_grid.thread + lane as u32, ..self.in_grid }
    }

    #[inline(always)]
    pub(super) fn who_block(&self, lane: usize) -> Who {
        Who { thread: self.in_block.thread + lane as u32, ..self.in_block }
    }

    fn put(&mut self, access: &Access, k: usize, lane: usize, raw: u64) {
        let r = access.regs[k];
        if r == NONE {
            return;
        }
        let v = extended(access.ty, raw);
        match access.register_bits {
            64 => self.frame.regs.r64[r as usize][lane] = v,
            32 => self.frame.regs.r32[r as usize][lane] = v as u32,
            bits => self.frame.regs.r32[r as usize][lane] = v as u32 & ((1 << bits) - 1),
        }
    }

    /// A load of all lanes of the mask.
    pub(super) fn load(&mut self, access: &Access, mask: u32) -> Result<(), Box<Trouble>> {
        match (access.place, access.lanes, access.ty.bytes(), access.register_bits) {
            (Place::Global, 1, 4, 32) => return self.load_word(access, mask),
            (Place::Global, 1, 8, 64) => return self.load_double(access, mask),
            (Place::Param, ..) if access.address.base == Base::Absolute => {
                return self.load_param(access, mask);
            }
            _ => {}
        }
        let size = access.ty.bytes();
        let n = access.lanes as usize;
        let bytes = (size * n) as u64;
        let addresses = self.addresses(&access.address);
        let check_global = self.launch.check_global_races && !access.strong && size >= 4;
        let check_shared = self.launch.check_shared;
        for lane in lanes(mask) {
            let address = addresses[lane];
            match self.target(lane, access.place, address, bytes, false)? {
                Target::Global(body, at) => {
                    if check_global {
                        let who = self.who_grid(lane);
                        let shadow = body.shadow();
                        for word in at / 4..(at + bytes as usize) / 4 {
                            shadow.read(word, &who).map_err(|r| race(lane, Space::Global, address, r))?;
                        }
                    }
                    for k in 0..n {
                        self.put(access, k, lane, body.load(at + k * size, size));
                    }
                }
                Target::Shared(at) => {
                    if check_shared {
                        let who = self.who_block(lane);
                        for word in at / 4..(at + bytes as usize).div_ceil(4) {
                            if !self.shared.shadow.written(word, &who) {
                                let offset = (word * 4).max(at) as u64;
                                return Err(Trouble::new(lane, FaultKind::Uninitialised { offset }));
                            }
                            if size >= 4 && !access.strong {
                                let seen = self.shared.shadow.read(word, &who);
                                seen.map_err(|r| race(lane, Space::Shared, at as u64, r))?;
                            }
                        }
                    }
                    for k in 0..n {
                        let raw = read(&self.shared.bytes, at + k * size, size);
                        self.put(access, k, lane, raw);
                    }
                }
                Target::Local(frame, at) => {
                    for k in 0..n {
                        let raw = read(self.local(frame), at + k * size, size);
                        self.put(access, k, lane, raw);
                    }
                }
                Target::Param(at) => {
                    for k in 0..n {
                        let raw = read(self.launch.params, at + k * size, size);
                        self.put(access, k, lane, raw);
                    }
                }
            }
        }
        Ok(())
    }

    /// A store of all lanes of the mask.
    pub(super) fn store(&mut self, access: &Access, mask: u32) -> Result<(), Box<Trouble>> {
        let size = access.ty.bytes();
        if access.place == Place::Global && access.lanes == 1 && size >= 4 {
            return self.store_global(access, mask);
        }
        let n = access.lanes as usize;
        let bytes = (size * n) as u64;
        let addresses = self.addresses(&access.address);
        let check_global = self.launch.check_global_races && !access.strong && size >= 4;
        let check_shared = self.launch.check_shared;
        for lane in lanes(mask) {
            let address = addresses[lane];
            let target = self.target(lane, access.place, address, bytes, true)?;
            for k in 0..n {
                let r = access.regs[k] as usize;
                let value = if access.register_bits == 64 {
                    self.frame.regs.r64[r][lane]
                } else {
                    u64::from(self.frame.regs.r32[r][lane])
                };
                match target {
                    Target::Global(body, at) => {
                        let at = at + k * size;
                        if check_global {
                            let who = self.who_grid(lane);
                            let old = body.load(at, size);
                            let shadow = body.shadow();
                            for word in at / 4..(at + size) / 4 {
                                let changes = changed(old, value, word * 4 - at, size);
                                let seen = shadow.write(word, &who, changes);
                                seen.map_err(|r| race(lane, Space::Global, address, r))?;
                            }
                        }
                        body.store(at, size, value);
                    }
                    Target::Shared(at) => {
                        let at = at + k * size;
                        if check_shared {
                            let who = self.who_block(lane);
                            let old = read(&self.shared.bytes, at, size);
                            for word in at / 4..(at + size).div_ceil(4) {
                                if size >= 4 && !access.strong {
                                    let changes = changed(old, value, word * 4 - at, size);
                                    let seen = self.shared.shadow.write(word, &who, changes);
                                    seen.map_err(|r| race(lane, Space::Shared, at as u64, r))?;
                                } else if !self.shared.shadow.written(word, &who) {
                                    self.shared.shadow.note_write(word, &who);
                                }
                            }
                        }
                        write(&mut self.shared.bytes, at, size, value);
                    }
                    Target::Local(frame, at) => write(self.local_mut(frame), at + k * size, size, value),
                    Target::Param(_) => {
                        let error = AccessError::Constant { address };
                        return Err(fault(lane, Space::Param, error));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The value in a register: signed types repeat their sign.
#[inline(always)]
pub(super) fn extended(ty: Type, raw: u64) -> u64 {
    match ty {
        Type::S8 => raw as i8 as i64 as u64,
        Type::S16 => raw as i16 as i64 as u64,
        Type::S32 => raw as i32 as i64 as u64,
        _ => raw,
    }
}

/// Whether the four bytes at `skip` of a value change.
#[inline(always)]
pub(super) fn changed(old: u64, new: u64, skip: usize, size: usize) -> bool {
    if size == 8 { ((old ^ new) >> (8 * skip)) as u32 != 0 } else { (old ^ new) as u32 != 0 }
}

/// Reads up to eight bytes; the range was checked.
#[inline(always)]
pub(super) fn read(bytes: &[u8], at: usize, size: usize) -> u64 {
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[at..at + size]);
    u64::from_le_bytes(word)
}

#[inline(always)]
pub(super) fn write(bytes: &mut [u8], at: usize, size: usize, value: u64) {
    bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
}
