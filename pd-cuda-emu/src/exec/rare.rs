//! Computing instructions too rare to be worth a vector loop: bit fields, permutations, carries, packing.

use super::regs::{LANES, Regs, lanes, map1, map2, map3};
use crate::instr::{NONE, Op, Place, Reg};
use crate::math::{bits, float};
use crate::memory::{LOCAL_WINDOW, SHARED_WINDOW, WINDOW};

/// Instructions too rare to be worth a vector loop.
#[inline(never)]
pub(super) fn run(regs: &mut Regs, op: &Op, mask: u32) {
    match *op {
        Op::Count { op, wide, d, a } => {
            let r = if wide {
                map1(regs.row64(a), |x| bits::count(op, x, true))
            } else {
                map1(regs.row32(a), |x| bits::count(op, u64::from(x), false))
            };
            regs.put32(d, mask, &r);
        }
        Op::Carry { op, wide, reads, writes, d, a, b, c } => {
            for l in lanes(mask) {
                let value = |r: Reg| if wide { regs.row64(r)[l] } else { u64::from(regs.row32(r)[l]) };
                let carry_in = reads && (regs.carry >> l) & 1 == 1;
                let (v, carry_out) = bits::carry(op, wide, value(a), value(b), value(c), carry_in);
                if wide {
                    regs.r64[d as usize][l] = v
                } else {
                    regs.r32[d as usize][l] = v as u32
                }
                if writes {
                    regs.carry = (regs.carry & !(1 << l)) | u32::from(carry_out) << l;
                }
            }
        }
        Op::Bfe { signed, wide, d, a, pos, len } => {
            let (p, n) = (regs.row32(pos), regs.row32(len));
            if wide {
                let r = map3(regs.row64(a), p, n, |x, p, n| bits::bfe(x, p, n, 64, signed));
                regs.put64(d, mask, &r);
            } else {
                let r = map3(regs.row32(a), p, n, |x, p, n| bits::bfe(u64::from(x), p, n, 32, signed) as u32);
                regs.put32(d, mask, &r);
            }
        }
        Op::Bfi { wide, d, a, b, pos, len } => {
            let at = map2(regs.row32(pos), regs.row32(len), |p, n| (p, n));
            if wide {
                let r = map3(regs.row64(a), regs.row64(b), &at, |x, y, (p, n)| bits::bfi(x, y, p, n, 64));
                regs.put64(d, mask, &r);
            } else {
                let f = |x, y, (p, n)| bits::bfi(u64::from(x), u64::from(y), p, n, 32) as u32;
                let r = map3(regs.row32(a), regs.row32(b), &at, f);
                regs.put32(d, mask, &r);
            }
        }
        Op::Shf { left, wrap, d, a, b, c } => {
            let f = |x, y, n| bits::shf(left, wrap, x, y, n);
            let r = map3(regs.row32(a), regs.row32(b), regs.row32(c), f);
            regs.put32(d, mask, &r);
        }
        Op::Prmt { mode, d, a, b, c } => {
            let f = |x, y, s| bits::prmt(mode, x, y, s);
            let r = map3(regs.row32(a), regs.row32(b), regs.row32(c), f);
            regs.put32(d, mask, &r);
        }
        Op::Lop3 { table, d, a, b, c } => {
            let f = |x, y, z| bits::lop3(x, y, z, table);
            let r = map3(regs.row32(a), regs.row32(b), regs.row32(c), f);
            regs.put32(d, mask, &r);
        }
        Op::Testp { property, wide, p, a } => {
            let mut r = 0;
            for l in 0..LANES {
                let x = if wide { regs.row64(a)[l] } else { u64::from(regs.row32(a)[l]) };
                r |= u32::from(float::test(property, x, wide)) << l;
            }
            regs.put_pred(p, mask, r);
        }
        Op::Slct { wide, float, d, a, b, c } => {
            // Minus zero counts as not negative, NaN as negative.
            let first = map1(regs.row32(c), |c| if float { f32::from_bits(c) >= 0.0 } else { c as i32 >= 0 });
            if wide {
                let r = map3(regs.row64(a), regs.row64(b), &first, |x, y, s| if s { x } else { y });
                regs.put64(d, mask, &r);
            } else {
                let r = map3(regs.row32(a), regs.row32(b), &first, |x, y, s| if s { x } else { y });
                regs.put32(d, mask, &r);
            }
        }
        Op::Pack { parts, n, part_bits, d, wide } => {
            let mut r = [0u64; LANES];
            for k in 0..n as usize {
                let part = regs.row32(parts[k]);
                for l in 0..LANES {
                    r[l] |= u64::from(part[l]) << (k as u32 * u32::from(part_bits));
                }
            }
            if wide { regs.put64(d, mask, &r) } else { regs.put32(d, mask, &map1(&r, |x| x as u32)) }
        }
        Op::Unpack { parts, n, part_bits, a, wide } => {
            let whole = if wide { *regs.row64(a) } else { map1(regs.row32(a), u64::from) };
            let field = (1u64 << part_bits) - 1;
            for k in 0..n as usize {
                if parts[k] != NONE {
                    let r = map1(&whole, |x| ((x >> (k as u32 * u32::from(part_bits))) & field) as u32);
                    regs.put32(parts[k], mask, &r);
                }
            }
        }
        Op::IsSpace { place, p, a } => {
            let inside = |x: u64, window: u64| x >= window && x < window + WINDOW;
            let mut r = 0;
            for l in 0..LANES {
                let x = regs.row64(a)[l];
                let is = match place {
                    Place::Shared => inside(x, SHARED_WINDOW),
                    Place::Local => inside(x, LOCAL_WINDOW),
                    Place::Param => false,
                    _ => !inside(x, SHARED_WINDOW) && !inside(x, LOCAL_WINDOW),
                };
                r |= u32::from(is) << l;
            }
            regs.put_pred(p, mask, r);
        }
        // Everything else is control or memory and never comes here.
        _ => {}
    }
}
