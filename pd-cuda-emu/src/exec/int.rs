//! Integer instructions on whole rows.

use super::regs::{LANES, Regs, map1, map2, map3};
use crate::instr::{IntOp, Reg, Width};

/// Arithmetic of an unsigned word and of its signed reading.
trait Word: Copy + Default + Ord {
    type Signed: Copy + Ord;
    const ONES: Self;
    fn signed(self) -> Self::Signed;
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    fn mul_high_signed(self, o: Self) -> Self;
    fn mul_high(self, o: Self) -> Self;
    fn div_signed(self, o: Self) -> Self;
    fn div(self, o: Self) -> Self;
    fn rem_signed(self, o: Self) -> Self;
    fn rem(self, o: Self) -> Self;
    fn and(self, o: Self) -> Self;
    fn or(self, o: Self) -> Self;
    fn xor(self, o: Self) -> Self;
    fn not(self) -> Self;
    fn neg(self) -> Self;
    fn shl(self, n: u32) -> Self;
    fn shr(self, n: u32) -> Self;
    fn sar(self, n: u32) -> Self;
    fn reverse(self) -> Self;
    fn saturating_add(self, o: Self) -> Self;
    fn saturating_sub(self, o: Self) -> Self;
}

macro_rules! word {
    ($u:ty, $s:ty, $wide:ty, $swide:ty) => {
        impl Word for $u {
            type Signed = $s;
            const ONES: Self = <$u>::MAX;
            #[inline(always)]
            fn signed(self) -> $s {
                self as $s
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                self.wrapping_add(o)
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                self.wrapping_sub(o)
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                self.wrapping_mul(o)
            }
            #[inline(always)]
            fn mul_high_signed(self, o: Self) -> Self {
                (((self as $s as $swide) * (o as $s as $swide)) >> <$u>::BITS) as $u
            }
            #[inline(always)]
            fn mul_high(self, o: Self) -> Self {
                (((self as $wide) * (o as $wide)) >> <$u>::BITS) as $u
            }
            #[inline(always)]
            fn div_signed(self, o: Self) -> Self {
                if o == 0 { Self::ONES } else { (self as $s).wrapping_div(o as $s) as $u }
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                self.checked_div(o).unwrap_or(Self::ONES)
            }
            #[inline(always)]
            fn rem_signed(self, o: Self) -> Self {
                if o == 0 { self } else { (self as $s).wrapping_rem(o as $s) as $u }
            }
            #[inline(always)]
            fn rem(self, o: Self) -> Self {
                self.checked_rem(o).unwrap_or(self)
            }
            #[inline(always)]
            fn and(self, o: Self) -> Self {
                self & o
            }
            #[inline(always)]
            fn or(self, o: Self) -> Self {
                self | o
            }
            #[inline(always)]
            fn xor(self, o: Self) -> Self {
                self ^ o
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn shl(self, n: u32) -> Self {
                if n >= <$u>::BITS { 0 } else { self.wrapping_shl(n) }
            }
            #[inline(always)]
            fn shr(self, n: u32) -> Self {
                if n >= <$u>::BITS { 0 } else { self.wrapping_shr(n) }
            }
            #[inline(always)]
            fn sar(self, n: u32) -> Self {
                (self as $s).wrapping_shr(n.min(<$u>::BITS - 1)) as $u
            }
            #[inline(always)]
            fn reverse(self) -> Self {
                self.reverse_bits()
            }
            #[inline(always)]
            fn saturating_add(self, o: Self) -> Self {
                (self as $s).saturating_add(o as $s) as $u
            }
            #[inline(always)]
            fn saturating_sub(self, o: Self) -> Self {
                (self as $s).saturating_sub(o as $s) as $u
            }
        }
    };
}

word!(u16, i16, u32, i32);
word!(u32, i32, u64, i64);
word!(u64, i64, u128, i128);

/// All operations but the shifts.
#[inline(always)]
fn apply<W: Word>(op: IntOp, a: &[W; LANES], b: &[W; LANES], c: &[W; LANES]) -> [W; LANES] {
    let zero = W::default();
    match op {
        IntOp::Add => map2(a, b, W::add),
        IntOp::Sub => map2(a, b, W::sub),
        IntOp::AddSat => map2(a, b, W::saturating_add),
        IntOp::SubSat => map2(a, b, W::saturating_sub),
        IntOp::MulLo => map2(a, b, W::mul),
        IntOp::MulHiS => map2(a, b, W::mul_high_signed),
        IntOp::MulHiU => map2(a, b, W::mul_high),
        IntOp::MadLo => map3(a, b, c, |x, y, z| x.mul(y).add(z)),
        IntOp::MadHiS => map3(a, b, c, |x, y, z| x.mul_high_signed(y).add(z)),
        IntOp::MadHiU => map3(a, b, c, |x, y, z| x.mul_high(y).add(z)),
        IntOp::DivS => map2(a, b, W::div_signed),
        IntOp::DivU => map2(a, b, W::div),
        IntOp::RemS => map2(a, b, W::rem_signed),
        IntOp::RemU => map2(a, b, W::rem),
        IntOp::MinS => map2(a, b, |x, y| if x.signed() < y.signed() { x } else { y }),
        IntOp::MinU => map2(a, b, |x, y| if x < y { x } else { y }),
        IntOp::MaxS => map2(a, b, |x, y| if x.signed() > y.signed() { x } else { y }),
        IntOp::MaxU => map2(a, b, |x, y| if x > y { x } else { y }),
        IntOp::AbsS => map1(a, |x| if x.signed() < zero.signed() { x.neg() } else { x }),
        IntOp::Neg => map1(a, W::neg),
        IntOp::And => map2(a, b, W::and),
        IntOp::Or => map2(a, b, W::or),
        IntOp::Xor => map2(a, b, W::xor),
        IntOp::Not => map1(a, W::not),
        IntOp::Cnot => map1(a, |x| if x == zero { zero.sub(W::ONES) } else { zero }),
        IntOp::Brev => map1(a, W::reverse),
        IntOp::SadS => {
            map3(a, b, c, |x, y, z| z.add(if x.signed() < y.signed() { y.sub(x) } else { x.sub(y) }))
        }
        IntOp::SadU => map3(a, b, c, |x, y, z| z.add(if x < y { y.sub(x) } else { x.sub(y) })),
        IntOp::Shl | IntOp::ShrS | IntOp::ShrU => *a,
    }
}

#[inline(always)]
fn shift<W: Word>(op: IntOp, a: &[W; LANES], n: &[u32; LANES]) -> [W; LANES] {
    match op {
        IntOp::Shl => map2(a, n, W::shl),
        IntOp::ShrS => map2(a, n, W::sar),
        _ => map2(a, n, W::shr),
    }
}

/// Runs one integer instruction.
#[inline(always)]
pub(super) fn run(regs: &mut Regs, mask: u32, op: IntOp, width: Width, [d, a, b, c]: [Reg; 4]) {
    let shifts = op.shifts();
    match width {
        Width::W32 => {
            let r = if shifts {
                shift(op, regs.row32(a), regs.row32(b))
            } else {
                apply(op, regs.row32(a), regs.row32(b), regs.row32(c))
            };
            regs.put32(d, mask, &r);
        }
        Width::W64 => {
            let r = if shifts {
                shift(op, regs.row64(a), regs.row32(b))
            } else {
                apply(op, regs.row64(a), regs.row64(b), regs.row64(c))
            };
            regs.put64(d, mask, &r);
        }
        Width::W16 => {
            let short = |r: Reg| map1(regs.row32(r), |v| v as u16);
            let r = if shifts {
                shift(op, &short(a), regs.row32(b))
            } else {
                apply(op, &short(a), &short(b), &short(c))
            };
            regs.put32(d, mask, &map1(&r, u32::from));
        }
    }
}
