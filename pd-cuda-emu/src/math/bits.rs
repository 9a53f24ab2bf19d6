//! Integer lanes: shifts, fields, permutations, counts.

use crate::instr::{CarryOp, CountOp, Permute};

/// Bits `pos .. pos + len` of a value of `width` bits; the sign repeats the last bit of the field.
pub(crate) fn bfe(a: u64, pos: u32, len: u32, width: u32, signed: bool) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let bit = |k: u32| if k < width { (a >> k) & 1 } else { 0 };
    let sign = if !signed || len == 0 { 0 } else { bit((pos + len - 1).min(width - 1)) };
    let mut d = 0;
    for k in 0..width {
        let b = if k < len && pos + k < width { bit(pos + k) } else { sign };
        d |= b << k;
    }
    d
}

/// `b` with the lower `len` bits of `a` put at `pos`.
pub(crate) fn bfi(a: u64, b: u64, pos: u32, len: u32, width: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    if len == 0 || pos >= width {
        return b;
    }
    let field = if len >= 64 { u64::MAX } else { (1 << len) - 1 };
    let whole = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let mask = (field << pos) & whole;
    (b & !mask) | ((a << pos) & mask)
}

/// Funnel shift of the pair `hi:lo`.
pub(crate) fn shf(left: bool, wrap: bool, lo: u32, hi: u32, c: u32) -> u32 {
    let n = if wrap { c & 31 } else { c.min(32) };
    let pair = (u64::from(hi) << 32) | u64::from(lo);
    if left { ((pair << n) >> 32) as u32 } else { (pair >> n) as u32 }
}

/// Picks four bytes out of eight.
pub(crate) fn prmt(mode: Permute, a: u32, b: u32, c: u32) -> u32 {
    let bytes = ((u64::from(b) << 32) | u64::from(a)).to_le_bytes();
    let s = c & 3;
    let pick = |k: u32| -> u8 {
        match mode {
            Permute::Index => {
                let selector = (c >> (4 * k)) & 0xf;
                let byte = bytes[(selector & 7) as usize];
                if selector & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 }
            }
            Permute::Forward4 => bytes[(s + k) as usize],
            Permute::Backward4 => bytes[((s + 8 - k) & 7) as usize],
            Permute::Replicate8 => bytes[s as usize],
            Permute::EdgeClampLeft => bytes[k.max(s) as usize],
            Permute::EdgeClampRight => bytes[k.min(s) as usize],
            Permute::Replicate16 => bytes[(2 * (s & 1) + (k & 1)) as usize],
        }
    };
    u32::from_le_bytes([pick(0), pick(1), pick(2), pick(3)])
}

/// Any function of three bits, its truth table indexed by `abc`.
#[inline(always)]
pub(crate) fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let mut r = 0;
    for k in 0..8 {
        if table >> k & 1 == 1 {
            let x = if k & 4 == 0 { !a } else { a };
            let y = if k & 2 == 0 { !b } else { b };
            let z = if k & 1 == 0 { !c } else { c };
            r |= x & y & z;
        }
    }
    r
}

/// Counts and positions of bits.
pub(crate) fn count(op: CountOp, a: u64, wide: bool) -> u32 {
    let width = if wide { 64 } else { 32 };
    let zeros = |v: u64| v.leading_zeros() - (64 - width);
    let find = |v: u64| if v == 0 { u32::MAX } else { width - 1 - zeros(v) };
    // A negative number is searched for its highest zero.
    let magnitude = if wide {
        if (a as i64) < 0 { !a } else { a }
    } else if (a as i32) < 0 {
        u64::from(!(a as u32))
    } else {
        a
    };
    let amount = |v: u64| if v == 0 { u32::MAX } else { zeros(v) };
    match op {
        CountOp::Popc => a.count_ones(),
        CountOp::Clz => zeros(a),
        CountOp::BfindU => find(a),
        CountOp::BfindS => find(magnitude),
        CountOp::BfindShiftU => amount(a),
        CountOp::BfindShiftS => amount(magnitude),
    }
}

/// Sum, difference or product with carry in and out, of words of 32 or 64 bits. For differences the flag is the
/// borrow.
pub(crate) fn carry(op: CarryOp, wide: bool, a: u64, b: u64, c: u64, carry: bool) -> (u64, bool) {
    let width = if wide { 64 } else { 32 };
    let mask = if wide { u64::MAX } else { u64::from(u32::MAX) };
    let sign = |v: u64| if wide { i128::from(v as i64) } else { i128::from(v as i32) };
    let (x, y) = match op {
        CarryOp::Add => (a, b),
        CarryOp::Sub => {
            let (r, under) = (u128::from(a)).overflowing_sub(u128::from(b) + u128::from(carry));
            return (r as u64 & mask, under);
        }
        CarryOp::MadLo => (a.wrapping_mul(b) & mask, c),
        CarryOp::MadHiU => (((u128::from(a) * u128::from(b)) >> width) as u64 & mask, c),
        CarryOp::MadHiS => (((sign(a) * sign(b)) >> width) as u64 & mask, c),
    };
    let r = u128::from(x) + u128::from(y) + u128::from(carry);
    (r as u64 & mask, r >> width != 0)
}
