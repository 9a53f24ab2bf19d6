//! The accesses that make up most of a kernel, without the general case's detours: single words of device memory and
//! kernel arguments.

use super::Trouble;
use super::access::{Reach, changed, extended, fault, inside, race, read};
use super::regs::{LANES, lanes};
use crate::error::{AccessError, Space};
use crate::instr::{Access, NONE};
use crate::memory::{Body, Table};
use crate::shadow::{Shadow, Who};

impl Reach<'_> {
    /// The common load: four bytes of device memory into a register of 32 bits.
    pub(super) fn load_word(&mut self, access: &Access, mask: u32) -> Result<(), Box<Trouble>> {
        let addresses = self.addresses(&access.address);
        let check = self.launch.check_global_races && !access.strong;
        let (mut recent, who) = (Recent::new(self.launch.memory), self.in_grid);
        let row = &mut self.frame.regs.r32[access.regs[0] as usize];
        for lane in lanes(mask) {
            let address = addresses[lane];
            let (body, at) = recent.find(address, 4, false).map_err(|e| fault(lane, Space::Global, e))?;
            if check {
                let who = Who { thread: who.thread + lane as u32, ..who };
                recent.shadow(body).read(at / 4, &who).map_err(|r| race(lane, Space::Global, address, r))?;
            }
            row[lane] = body.load(at, 4) as u32;
        }
        Ok(())
    }

    /// Eight bytes of device memory into a register of 64 bits.
    pub(super) fn load_double(&mut self, access: &Access, mask: u32) -> Result<(), Box<Trouble>> {
        let addresses = self.addresses(&access.address);
        let check = self.launch.check_global_races && !access.strong;
        let (mut recent, who) = (Recent::new(self.launch.memory), self.in_grid);
        let row = &mut self.frame.regs.r64[access.regs[0] as usize];
        for lane in lanes(mask) {
            let address = addresses[lane];
            let (body, at) = recent.find(address, 8, false).map_err(|e| fault(lane, Space::Global, e))?;
            if check {
                let who = Who { thread: who.thread + lane as u32, ..who };
                let shadow = recent.shadow(body);
                shadow.read(at / 4, &who).map_err(|r| race(lane, Space::Global, address, r))?;
                shadow.read(at / 4 + 1, &who).map_err(|r| race(lane, Space::Global, address, r))?;
            }
            row[lane] = body.load(at, 8);
        }
        Ok(())
    }

    /// An argument, the same for all lanes.
    pub(super) fn load_param(&mut self, access: &Access, mask: u32) -> Result<(), Box<Trouble>> {
        let size = access.ty.bytes();
        let lane = mask.trailing_zeros() as usize;
        let address = access.address.offset as u64;
        let bytes = (size * access.lanes as usize) as u64;
        let at =
            inside(address, bytes, self.launch.params.len()).map_err(|e| fault(lane, Space::Param, e))?;
        for k in 0..access.lanes as usize {
            let raw = read(self.launch.params, at + k * size, size);
            let v = extended(access.ty, raw);
            match (access.regs[k], access.register_bits) {
                (NONE, _) => {}
                (r, 64) => self.frame.regs.put64(r, mask, &[v; LANES]),
                (r, 32) => self.frame.regs.put32(r, mask, &[v as u32; LANES]),
                (r, bits) => self.frame.regs.put32(r, mask, &[v as u32 & ((1 << bits) - 1); LANES]),
            }
        }
        Ok(())
    }

    /// The common store: four or eight bytes of device memory.
    pub(super) fn store_global(&mut self, access: &Access, mask: u32) -> Result<(), Box<Trouble>> {
        let (size, wide) = (access.ty.bytes(), access.register_bits == 64);
        let addresses = self.addresses(&access.address);
        let check = self.launch.check_global_races && !access.strong;
        let mut recent = Recent::new(self.launch.memory);
        let r = access.regs[0] as usize;
        for lane in lanes(mask) {
            let value =
                if wide { self.frame.regs.r64[r][lane] } else { u64::from(self.frame.regs.r32[r][lane]) };
            let address = addresses[lane];
            let (body, at) =
                recent.find(address, size as u64, true).map_err(|e| fault(lane, Space::Global, e))?;
            if check {
                let who = self.who_grid(lane);
                let (old, shadow) = (body.load(at, size), recent.shadow(body));
                for word in at / 4..(at + size) / 4 {
                    let seen = shadow.write(word, &who, changed(old, value, word * 4 - at, size));
                    seen.map_err(|r| race(lane, Space::Global, address, r))?;
                }
            }
            body.store(at, size, value);
        }
        Ok(())
    }
}

/// The allocation found last: the lanes of a warp mostly stay in one.
struct Recent<'a> {
    memory: &'a Table,
    start: u64,
    len: u64,
    body: Option<&'a Body>,
    shadow: Option<&'a Shadow>,
}

impl<'a> Recent<'a> {
    fn new(memory: &'a Table) -> Self {
        Self { memory, start: 0, len: 0, body: None, shadow: None }
    }

    #[inline(always)]
    fn find(&mut self, address: u64, bytes: u64, write: bool) -> Result<(&'a Body, usize), AccessError> {
        let offset = address.wrapping_sub(self.start);
        if let Some(body) = self.body
            && offset < self.len
            && bytes <= self.len - offset
            && address & (bytes - 1) == 0
        {
            return Ok((body, offset as usize));
        }
        let (body, at) = self.memory.resolve(address, bytes, write)?;
        (self.start, self.len, self.body, self.shadow) = (address - at as u64, body.len(), Some(body), None);
        Ok((body, at))
    }

    #[inline(always)]
    fn shadow(&mut self, body: &'a Body) -> &'a Shadow {
        self.shadow.get_or_insert_with(|| body.shadow())
    }
}
