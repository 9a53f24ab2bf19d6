//! Atomics of a warp, lowest lane first.

use super::Trouble;
use super::access::{Reach, Target, fault, race, read, write};
use super::regs::lanes;
use crate::error::{AccessError, FaultKind, Space};
use crate::instr::{Atom, AtomOp, NONE};
use crate::parse::Type;

impl Reach<'_> {
    /// An atomic of all lanes of the mask, lowest lane first.
    pub(super) fn atomic(&mut self, atom: &Atom, mask: u32) -> Result<(), Box<Trouble>> {
        let size = atom.ty.bytes();
        let addresses = self.addresses(&atom.address);
        for lane in lanes(mask) {
            let address = addresses[lane];
            let value = |r: u32| {
                if size == 8 {
                    self.frame.regs.row64(r)[lane]
                } else {
                    u64::from(self.frame.regs.row32(r)[lane])
                }
            };
            let (b, c) = (value(atom.b), value(atom.c));
            let old = match self.target(lane, atom.place, address, size as u64, true)? {
                Target::Global(body, at) => {
                    if self.launch.check_global_races {
                        let who = self.who_grid(lane);
                        for word in at / 4..(at + size) / 4 {
                            let seen = body.shadow().atomic(word, &who);
                            seen.map_err(|r| race(lane, Space::Global, address, r))?;
                        }
                    }
                    body.update(at, size, |old| updated(atom, old, b, c))
                }
                Target::Shared(at) => {
                    if self.launch.check_shared {
                        let who = self.who_block(lane);
                        for word in at / 4..(at + size) / 4 {
                            if !self.shared.shadow.written(word, &who) && atom.op != AtomOp::Exch {
                                let offset = (word * 4) as u64;
                                return Err(Trouble::new(lane, FaultKind::Uninitialised { offset }));
                            }
                            let seen = self.shared.shadow.atomic(word, &who);
                            seen.map_err(|r| race(lane, Space::Shared, at as u64, r))?;
                        }
                    }
                    let old = read(&self.shared.bytes, at, size);
                    write(&mut self.shared.bytes, at, size, updated(atom, old, b, c));
                    old
                }
                Target::Local(..) | Target::Param(_) => {
                    let error = AccessError::Unmapped { address, bytes: size as u64 };
                    return Err(fault(lane, Space::Global, error));
                }
            };
            if atom.d != NONE {
                if size == 8 {
                    self.frame.regs.r64[atom.d as usize][lane] = old;
                } else {
                    self.frame.regs.r32[atom.d as usize][lane] = old as u32;
                }
            }
        }
        Ok(())
    }
}

/// The value after an atomic.
fn updated(atom: &Atom, old: u64, b: u64, c: u64) -> u64 {
    let wide = atom.ty.bytes() == 8;
    let less = |x: u64, y: u64| match atom.ty {
        Type::S32 => (x as i32) < y as i32,
        Type::S64 => (x as i64) < y as i64,
        _ => x < y,
    };
    match atom.op {
        AtomOp::Add => match atom.ty {
            Type::F32 => u64::from(crate::math::float::canonical(
                f32::from_bits(old as u32) + f32::from_bits(b as u32),
            )),
            Type::F64 => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
            _ if wide => old.wrapping_add(b),
            _ => u64::from((old as u32).wrapping_add(b as u32)),
        },
        AtomOp::Min => {
            if less(b, old) {
                b
            } else {
                old
            }
        }
        AtomOp::Max => {
            if less(old, b) {
                b
            } else {
                old
            }
        }
        AtomOp::And => old & b,
        AtomOp::Or => old | b,
        AtomOp::Xor => old ^ b,
        AtomOp::Exch => b,
        AtomOp::Cas => {
            if old == b {
                c
            } else {
                old
            }
        }
        AtomOp::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
    }
}
