//! Every family of instructions with results worked out by hand.

mod common;

use common::{buffer, double, module, one32, one64, run32, single};
use pd_cuda_emu::{Device, Shape};

const NAN: f32 = f32::NAN;

#[test]
fn single_precision_arithmetic() {
    assert_eq!(single("add.f32 %d, %a, %b;", 1.5, 2.25, 0.0), 3.75);
    assert_eq!(single("sub.rn.f32 %d, %a, %b;", 1.5, 2.25, 0.0), -0.75);
    assert_eq!(single("mul.f32 %d, %a, 0fC0000000;", 1.5, 0.0, 0.0), -3.0);
    assert_eq!(single("div.rn.f32 %d, %a, %b;", 1.0, 3.0, 0.0).to_bits(), 0x3eaa_aaab);
    assert_eq!(single("rcp.rn.f32 %d, %a;", 8.0, 0.0, 0.0), 0.125);
    assert_eq!(single("sqrt.rn.f32 %d, %a;", 2.0, 0.0, 0.0).to_bits(), 0x3fb5_04f3);
    // (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24: only a fused product keeps the last term.
    let x = 1.0 + 2f32.powi(-12);
    assert_eq!(single("fma.rn.f32 %d, %a, %b, %c;", x, x, -1.0), 2f32.powi(-11) + 2f32.powi(-24));
    assert_eq!(single("mul.f32 %d, %a, %b; add.f32 %d, %d, %c;", x, x, -1.0), 2f32.powi(-11));
    assert_eq!(single("abs.f32 %d, %a;", -2.0, 0.0, 0.0), 2.0);
    assert_eq!(single("neg.f32 %d, %a;", 0.0, 0.0, 0.0).to_bits(), 0x8000_0000);
    assert_eq!(single("copysign.f32 %d, %a, %b;", -1.0, 7.0, 0.0), -7.0);
}

#[test]
fn nan_signed_zero_and_saturation() {
    assert_eq!(
        one32("add.f32 %d, %a, %b;", f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits(), 0),
        0x7fff_ffff
    );
    assert_eq!(one32("mul.f32 %d, %a, %b;", 0xffc1_2345, 1f32.to_bits(), 0), 0x7fff_ffff);
    assert_eq!(one32("sqrt.rn.f32 %d, %a;", (-1f32).to_bits(), 0, 0), 0x7fff_ffff);
    assert_eq!(single("min.f32 %d, %a, %b;", NAN, 2.0, 0.0), 2.0);
    assert_eq!(single("max.f32 %d, %a, %b;", 2.0, NAN, 0.0), 2.0);
    assert_eq!(one32("max.f32 %d, %a, %b;", NAN.to_bits(), NAN.to_bits(), 0), 0x7fff_ffff);
    assert_eq!(single("min.f32 %d, %a, %b;", 0.0, -0.0, 0.0).to_bits(), 0x8000_0000);
    assert_eq!(single("max.f32 %d, %a, %b;", -0.0, 0.0, 0.0).to_bits(), 0);
    assert_eq!(one32("min.NaN.f32 %d, %a, %b;", NAN.to_bits(), 0, 0), 0x7fff_ffff);
    assert_eq!(single("add.sat.f32 %d, %a, %b;", 0.75, 0.5, 0.0), 1.0);
    assert_eq!(single("mul.sat.f32 %d, %a, %b;", -1.0, 0.5, 0.0), 0.0);
    assert_eq!(single("fma.rn.sat.f32 %d, %a, %b, %c;", NAN, 0.5, 0.0), 0.0);
    assert_eq!(double("min.f64 %D, %A, %B;", f64::NAN, -3.0, 0.0), -3.0);
}

#[test]
fn subnormals_are_kept_unless_flushed() {
    let small = f32::from_bits(0x0040_0000);
    assert_eq!(single("add.f32 %d, %a, %b;", small, small, 0.0).to_bits(), 0x0080_0000);
    assert_eq!(single("add.ftz.f32 %d, %a, %b;", small, small, 0.0), 0.0);
    assert_eq!(single("mul.f32 %d, %a, %b;", -small, 0.5, 0.0).to_bits(), 0x8020_0000);
    assert_eq!(single("mul.ftz.f32 %d, %a, %b;", f32::MIN_POSITIVE, -0.5, 0.0).to_bits(), 0x8000_0000);
    assert_eq!(one32("setp.gt.ftz.f32 %p, %a, 0f00000000; selp.u32 %d, 1, 0, %p;", small.to_bits(), 0, 0), 0);
}

#[test]
fn directed_rounding_brackets_the_exact_result() {
    let tiny = 2f32.powi(-40);
    let next = 1f32.next_up();
    assert_eq!(single("add.rp.f32 %d, %a, %b;", 1.0, tiny, 0.0), next);
    assert_eq!(single("add.rm.f32 %d, %a, %b;", 1.0, tiny, 0.0), 1.0);
    assert_eq!(single("add.rz.f32 %d, %a, %b;", -1.0, tiny, 0.0), (-1f32).next_up());
    assert_eq!(single("add.rm.f32 %d, %a, %b;", 1.0, -1.0, 0.0).to_bits(), 0x8000_0000);
    assert_eq!(single("div.rp.f32 %d, %a, %b;", 1.0, 3.0, 0.0).to_bits(), 0x3eaa_aaab);
    assert_eq!(single("div.rz.f32 %d, %a, %b;", 1.0, 3.0, 0.0).to_bits(), 0x3eaa_aaaa);
    assert_eq!(single("sqrt.rm.f32 %d, %a;", 2.0, 0.0, 0.0).to_bits(), 0x3fb5_04f3);
    assert_eq!(single("sqrt.rp.f32 %d, %a;", 2.0, 0.0, 0.0).to_bits(), 0x3fb5_04f4);
    assert_eq!(single("mul.rz.f32 %d, %a, %b;", f32::MAX, 2.0, 0.0), f32::MAX);
    assert_eq!(single("fma.rm.f32 %d, %a, %b, %c;", 1.0, 1.0, -tiny), 1f32.next_down());
    assert_eq!(double("add.rp.f64 %D, %A, %B;", 1.0, 1e-40, 0.0), 1f64.next_up());
    assert_eq!(double("mul.rm.f64 %D, %A, %B;", 0.1, 0.1, 0.0), (0.1 * 0.1f64).next_down());
    // 2/3 is 0.101010… in binary: to nearest is below it.
    assert_eq!(double("div.rp.f64 %D, %A, %B;", 2.0, 3.0, 0.0), (2.0 / 3.0f64).next_up());
    assert_eq!(double("sqrt.rz.f64 %D, %A;", 2.0, 0.0, 0.0), std::f64::consts::SQRT_2.next_down());
}

#[test]
fn approximations_are_close() {
    let near = |got: f32, want: f32| assert!((got - want).abs() <= 2e-7 * want.abs(), "{got} {want}");
    near(single("ex2.approx.f32 %d, %a;", 3.5, 0.0, 0.0), 11.313_708);
    near(single("lg2.approx.f32 %d, %a;", 6.0, 0.0, 0.0), 2.584_962_5);
    near(single("sin.approx.f32 %d, %a;", 0.5, 0.0, 0.0), 0.479_425_54);
    near(single("cos.approx.f32 %d, %a;", 0.5, 0.0, 0.0), 0.877_582_55);
    near(single("rsqrt.approx.f32 %d, %a;", 16.0, 0.0, 0.0), 0.25);
    near(single("rcp.approx.ftz.f32 %d, %a;", 3.0, 0.0, 0.0), 0.333_333_34);
    near(single("div.full.f32 %d, %a, %b;", 7.0, 3.0, 0.0), 2.333_333_3);
    assert_eq!(single("div.approx.f32 %d, %a, %b;", 7.0, 2f32.powi(127), 0.0), 0.0);
    assert_eq!(single("lg2.approx.f32 %d, %a;", 0.0, 0.0, 0.0), f32::NEG_INFINITY);
    assert_eq!(double("rcp.rn.f64 %D, %A;", 4.0, 0.0, 0.0), 0.25);
    assert_eq!(double("sqrt.rn.f64 %D, %A;", 2.0, 0.0, 0.0), std::f64::consts::SQRT_2);
}

#[test]
fn properties_of_numbers() {
    let test = |property: &str, bits: u32| {
        one32(&format!("testp.{property}.f32 %p, %a; selp.u32 %d, 1, 0, %p;"), bits, 0, 0)
    };
    let (inf, nan, sub, one) = (0x7f80_0000, 0x7fc0_0000, 1, 0x3f80_0000);
    assert_eq!([inf, nan, sub, one].map(|b| test("finite", b)), [0, 0, 1, 1]);
    assert_eq!([inf, nan, sub, one].map(|b| test("infinite", b)), [1, 0, 0, 0]);
    assert_eq!([inf, nan, sub, one].map(|b| test("notanumber", b)), [0, 1, 0, 0]);
    assert_eq!([inf, nan, sub, one].map(|b| test("subnormal", b)), [0, 0, 1, 0]);
    assert_eq!([inf, nan, 0, one].map(|b| test("normal", b)), [0, 0, 1, 1]);
}

#[test]
fn integer_arithmetic() {
    assert_eq!(one32("add.s32 %d, %a, 1;", u32::MAX, 0, 0), 0);
    assert_eq!(one32("sub.s32 %d, %a, %b;", 1, 2, 0), u32::MAX);
    assert_eq!(one32("add.sat.s32 %d, %a, %b;", i32::MAX as u32, 5, 0), i32::MAX as u32);
    assert_eq!(one32("mul.hi.s32 %d, %a, %b;", u32::MAX, u32::MAX, 0), 0);
    assert_eq!(one32("mul.hi.u32 %d, %a, %b;", u32::MAX, u32::MAX, 0), u32::MAX - 1);
    assert_eq!(one64("mul.hi.u64 %D, %A, %B;", 1 << 63, 6, 0), 3);
    assert_eq!(one64("mul.wide.s32 %D, %a, %b;", u64::from(u32::MAX), 7, 0) as i64, -7);
    assert_eq!(one64("mul.wide.u32 %D, %a, %b;", u64::from(u32::MAX), 7, 0), 7 * u64::from(u32::MAX));
    assert_eq!(one64("mad.wide.s32 %D, %a, %b, %C;", u64::from(u32::MAX), 7, 10), 3);
    assert_eq!(one32("mad.lo.s32 %d, %a, %b, %c;", 1 << 31, 2, 9), 9);
    assert_eq!(one32("mad.hi.u32 %d, %a, %b, %c;", 1 << 31, 6, 9), 12);
    assert_eq!(one32("div.s32 %d, %a, %b;", (-7i32) as u32, 2, 0) as i32, -3);
    assert_eq!(one32("rem.s32 %d, %a, %b;", (-7i32) as u32, 2, 0) as i32, -1);
    assert_eq!(one32("div.u32 %d, %a, %b;", (-7i32) as u32, 2, 0), 0x7fff_fffc);
    assert_eq!(one32("div.s32 %d, %a, %b;", i32::MIN as u32, u32::MAX, 0), i32::MIN as u32);
    assert_eq!(one32("min.s32 %d, %a, %b;", u32::MAX, 1, 0), u32::MAX);
    assert_eq!(one32("min.u32 %d, %a, %b;", u32::MAX, 1, 0), 1);
    assert_eq!(one64("max.s64 %D, %A, %B;", u64::MAX, 1, 0), 1);
    assert_eq!(one32("abs.s32 %d, %a;", (-9i32) as u32, 0, 0), 9);
    assert_eq!(one64("neg.s64 %D, %A;", 5, 0, 0) as i64, -5);
    assert_eq!(one32("sad.s32 %d, %a, %b, %c;", (-3i32) as u32, 4, 100), 107);
    assert_eq!(one32("sad.u32 %d, %a, %b, %c;", 3, 10, 100), 107);
    assert_eq!(
        one32("cvt.u16.u32 %h1, %a; mul.lo.s16 %h2, %h1, %h1; cvt.u32.u16 %d, %h2;", 300, 0, 0),
        24464
    );
    assert_eq!(one32("cvt.u16.u32 %h1, %a; mul.wide.s16 %d, %h1, %h1;", 0xfffe, 0, 0), 4);
}

#[test]
fn carries_make_longer_numbers() {
    // (2^64 - 1) + (2^32 + 1), in words.
    let lines = "add.cc.u32 %e, %a, %b; addc.cc.u32 %f, %c, 1; addc.u32 %d, 0, 0;";
    assert_eq!(one32(lines, u32::MAX, 1, u32::MAX), 1);
    assert_eq!(one32("sub.cc.u32 %e, %a, %b; subc.u32 %d, %c, 0;", 0, 1, 5), 4);
    assert_eq!(
        one32("mad.lo.cc.u32 %e, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0;", 0x8000_0001, 2, u32::MAX),
        2
    );
    assert_eq!(one64("add.cc.u64 %E, %A, %B; addc.u64 %D, %C, 0;", u64::MAX, 1, 41), 42);
}

#[test]
fn bits_and_shifts() {
    assert_eq!(one32("and.b32 %d, %a, %b;", 0b1100, 0b1010, 0), 0b1000);
    assert_eq!(one32("or.b32 %d, %a, %b;", 0b1100, 0b1010, 0), 0b1110);
    assert_eq!(one32("xor.b32 %d, %a, %b;", 0b1100, 0b1010, 0), 0b0110);
    assert_eq!(one32("not.b32 %d, %a;", 0, 0, 0), u32::MAX);
    assert_eq!(one32("cnot.b32 %d, %a;", 0, 0, 0), 1);
    assert_eq!(one32("shl.b32 %d, %a, %b;", 3, 33, 0), 0, "shifts stop at the width");
    assert_eq!(one32("shl.b32 %d, %a, 4;", 3, 0, 0), 48);
    assert_eq!(one32("shr.s32 %d, %a, %b;", 0x8000_0000, 99, 0), u32::MAX);
    assert_eq!(one32("shr.u32 %d, %a, %b;", 0x8000_0000, 31, 0), 1);
    assert_eq!(one64("shr.s64 %D, %A, 60;", 1 << 63, 0, 0), 0xffff_ffff_ffff_fff8);
    assert_eq!(one32("shf.l.wrap.b32 %d, %a, %b, %c;", 0x8000_0001, 0x4000_0000, 36), 0x0000_0008);
    assert_eq!(one32("shf.r.clamp.b32 %d, %a, %b, %c;", 1, 0xabcd, 40), 0xabcd);
    assert_eq!(one32("prmt.b32 %d, %a, %b, 0x7510;", 0x3322_1100, 0x7766_5544, 0), 0x7755_1100);
    assert_eq!(one32("prmt.b32 %d, %a, %b, 0x8421;", 0x3322_1180, 0x7766_5544, 0), 0xff44_2211);
    assert_eq!(one32("prmt.b32.b4e %d, %a, %b, 1;", 0x3322_1100, 0x7766_5544, 0), 0x6677_0011);
    assert_eq!(one32("bfe.u32 %d, %a, 8, 8;", 0x1234_5678, 0, 0), 0x56);
    assert_eq!(one32("bfe.s32 %d, %a, 4, 4;", 0x0000_00f0, 0, 0), u32::MAX);
    assert_eq!(one64("bfe.u64 %D, %A, 40, 100;", u64::MAX, 0, 0), 0xff_ffff);
    assert_eq!(one32("bfi.b32 %d, %a, %b, 8, 8;", 0xab, 0x1111_1111, 0), 0x1111_ab11);
    assert_eq!(one32("popc.b32 %d, %a;", 0xf00f, 0, 0), 8);
    assert_eq!(one32("popc.b64 %d, %A;", u32::MAX, 0, 0), 32);
    assert_eq!(one32("clz.b32 %d, %a;", 0, 0, 0), 32);
    assert_eq!(one32("clz.b64 %d, %A;", 1, 0, 0), 63);
    assert_eq!(one32("bfind.u32 %d, %a;", 0x10, 0, 0), 4);
    assert_eq!(one32("bfind.s32 %d, %a;", u32::MAX, 0, 0), u32::MAX);
    assert_eq!(one32("bfind.shiftamt.u32 %d, %a;", 0x10, 0, 0), 27);
    assert_eq!(one32("brev.b32 %d, %a;", 1, 0, 0), 0x8000_0000);
    assert_eq!(one32("lop3.b32 %d, %a, %b, %c, 0x96;", 0b1100, 0b1010, 0b1001), 0b1111);
    assert_eq!(
        one64("mov.b64 {%e, %f}, %A; mov.b64 %D, {%f, %e};", 0x1111_1111_2222_2222, 0, 0),
        0x2222_2222_1111_1111
    );
    assert_eq!(one32("mov.b32 {%h1, %h2}, %a; mov.b32 %d, {%h2, %h1};", 0x1111_2222, 0, 0), 0x2222_1111);
}

#[test]
fn conversions() {
    let s32 = |lines: &str, x: f32| one32(lines, x.to_bits(), 0, 0) as i32;
    assert_eq!(s32("cvt.rzi.s32.f32 %d, %a;", -2.9), -2);
    assert_eq!(s32("cvt.rni.s32.f32 %d, %a;", 2.5), 2);
    assert_eq!(s32("cvt.rmi.s32.f32 %d, %a;", -2.1), -3);
    assert_eq!(s32("cvt.rpi.s32.f32 %d, %a;", 2.1), 3);
    assert_eq!(s32("cvt.rzi.s32.f32 %d, %a;", 3e9), i32::MAX);
    assert_eq!(s32("cvt.rzi.s32.f32 %d, %a;", NAN), 0);
    assert_eq!(one32("cvt.rzi.u32.f32 %d, %a;", (-1f32).to_bits(), 0, 0), 0);
    assert_eq!(one64("cvt.rzi.s64.f64 %D, %A;", f64::NAN.to_bits(), 0, 0), 1 << 63);
    assert_eq!(one64("cvt.rzi.u64.f32 %D, %a;", u64::from(3f32.to_bits()), 0, 0), 3);
    assert_eq!(one32("cvt.rzi.s32.f64 %d, %A;", 0, 0, 0), 0);
    assert_eq!(f32::from_bits(one32("cvt.rn.f32.s32 %d, %a;", 16_777_217, 0, 0)), 16_777_216.0);
    assert_eq!(f32::from_bits(one32("cvt.rp.f32.s32 %d, %a;", 16_777_217, 0, 0)), 16_777_218.0);
    assert_eq!(f32::from_bits(one32("cvt.rn.f32.u32 %d, %a;", u32::MAX, 0, 0)), 4_294_967_296.0);
    assert_eq!(double("cvt.rn.f64.s64 %D, %A;", f64::from_bits(u64::MAX), 0.0, 0.0), -1.0);
    let third = (1.0f64 / 3.0).to_bits();
    assert_eq!(f32::from_bits(common::run32("cvt.rn.f32.f64 %d, %A;", &[[third, 0, 0]])[0]), 1.0 / 3.0);
    assert_eq!(common::run32("cvt.rz.f32.f64 %d, %A;", &[[third, 0, 0]])[0], 0x3eaa_aaaa);
    assert_eq!(
        double("cvt.f64.f32 %D, %a;", f64::from_bits(u64::from(0.1f32.to_bits())), 0.0, 0.0),
        f64::from(0.1f32)
    );
    assert_eq!(single("cvt.rmi.f32.f32 %d, %a;", -1.5, 0.0, 0.0), -2.0);
    assert_eq!(single("cvt.sat.f32.f32 %d, %a;", 7.0, 0.0, 0.0), 1.0);
    assert_eq!(one32("cvt.s8.s32 %d, %a;", 0x1ff, 0, 0), u32::MAX);
    assert_eq!(one32("cvt.u8.u32 %d, %a;", 0x1ff, 0, 0), 0xff);
    assert_eq!(one32("cvt.sat.u8.s32 %d, %a;", (-5i32) as u32, 0, 0), 0);
    assert_eq!(one32("cvt.sat.s16.s32 %d, %a;", 70_000, 0, 0), 32767);
    assert_eq!(one64("cvt.s64.s32 %D, %a;", 0x8000_0000, 0, 0), 0xffff_ffff_8000_0000);
    assert_eq!(one64("cvt.s64.s16 %D, %A;", 0xabcd_8000, 0, 0), 0xffff_ffff_ffff_8000);
}

#[test]
fn comparisons_and_selections() {
    let compare = |op: &str, a: f32, b: f32| {
        one32(&format!("setp.{op}.f32 %p, %a, %b; selp.u32 %d, 1, 0, %p;"), a.to_bits(), b.to_bits(), 0)
    };
    assert_eq!(["eq", "ne", "lt", "le", "gt", "ge"].map(|o| compare(o, 1.0, 2.0)), [0, 1, 1, 1, 0, 0]);
    assert_eq!(["eq", "ne", "lt", "le", "gt", "ge"].map(|o| compare(o, NAN, 2.0)), [0; 6]);
    assert_eq!(["equ", "neu", "ltu", "leu", "gtu", "geu"].map(|o| compare(o, NAN, 2.0)), [1; 6]);
    assert_eq!(["num", "nan"].map(|o| compare(o, NAN, 2.0)), [0, 1]);
    let integers = |op: &str| one32(&format!("setp.{op} %p, %a, %b; selp.u32 %d, 1, 0, %p;"), u32::MAX, 1, 0);
    assert_eq!(["lt.s32", "lt.u32", "hi.u32", "ne.b32"].map(integers), [1, 0, 1, 1]);
    // p = (a < b) and not c, q = (a >= b) and not c.
    let lines = "setp.ne.s32 %p, %c, 0; setp.lt.and.s32 %p|%q, %a, %b, !%p; selp.u32 %e, 1, 0, %p; selp.u32 %f, 2, 0, %q; add.s32 %d, %e, %f;";
    assert_eq!(run32(lines, &[[1, 2, 0], [2, 1, 0], [1, 2, 1]]), [1, 2, 0]);
    assert_eq!(one32("slct.u32.s32 %d, %a, %b, %c;", 7, 8, (-1i32) as u32), 8);
    assert_eq!(one32("slct.f32.f32 %d, %a, %b, %c;", 7, 8, 0x8000_0000), 7);
    let logic = "setp.eq.s32 %p, %a, 1; setp.eq.s32 %q, %b, 1; xor.pred %p, %p, %q; not.pred %q, %p; selp.u32 %d, 1, 0, %q;";
    assert_eq!(run32(logic, &[[1, 1, 0], [1, 0, 0], [0, 0, 0]]), [1, 0, 1]);
    // A guarded instruction leaves the other lanes alone.
    assert_eq!(
        run32(
            "mov.u32 %d, 5; setp.gt.s32 %p, %a, 0; @%p mov.u32 %d, 6; @!%p add.s32 %d, %d, 10;",
            &[[1, 0, 0], [0, 0, 0]]
        ),
        [6, 15]
    );
}

#[test]
fn lanes_part_and_meet_again() {
    // Each thread loops as often as its number; at the join all lanes are together again.
    let ptx = r"
.visible .entry k(.param .u64 p)
{
    .reg .pred %q; .reg .b32 %r<6>; .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;
$loop:
    setp.ge.u32 %q, %r2, %r1;
    @%q bra $join;
    add.s32 %r2, %r2, 1;
    add.s32 %r3, %r3, %r2;
    bra $loop;
$join:
    activemask.b32 %r4;
    popc.b32 %r4, %r4;
    mad.lo.s32 %r3, %r4, 1000, %r3;
    ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r3;
    ret;
}";
    let (out, stats) = buffer(ptx, Shape::row(1, 32), &[0; 32]).unwrap();
    assert!(out.iter().enumerate().all(|(t, &v)| v == 32_000 + (t * (t + 1) / 2) as u32), "{out:?}");
    // 3 before the loop, 5 per round and 2 for the last test, 8 after.
    assert_eq!(stats.thread_instructions, (0..32).map(|t| 3 + 5 * t + 2 + 8).sum::<u64>());
    assert_eq!(stats.warp_instructions, 3 + 5 * 31 + 2 + 8);
}

#[test]
fn branch_tables() {
    let ptx = r"
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<6>; .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3;
$table: .branchtargets $a, $b, $a, $c;
    brx.idx %r2, $table;
$a: mov.u32 %r3, 10; bra.uni $end;
$b: mov.u32 %r3, 20; bra.uni $end;
$c: mov.u32 %r3, 30;
$end:
    ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r3;
    ret;
}";
    let (out, _) = buffer(ptx, Shape::row(1, 8), &[0; 8]).unwrap();
    assert_eq!(out, [10, 20, 10, 30, 10, 20, 10, 30]);
}

#[test]
fn every_space_and_width_of_memory() {
    let ptx = r"
.const .align 4 .s16 table[4] = {-1, 2, -3, 4};
.global .align 4 .b32 words[2] = {0x11223344, 55};
.global .align 8 .u64 pointer = generic(words);
.visible .entry k(.param .u64 p, .param .align 4 .b8 s[8])
{
    .local .align 8 .b8 depot[16];
    .shared .align 16 .b8 tile[64];
    .reg .pred %q; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %d<16>;
    ld.param.u64 %d1, [p];
    ld.const.s16 %r1, [table+4];
    st.global.u32 [%d1], %r1;
    ld.global.u64 %d2, [pointer];
    ld.u8 %r2, [%d2+1];
    st.global.u32 [%d1+4], %r2;
    mov.u64 %d3, depot;
    cvta.local.u64 %d4, %d3;
    st.local.v2.u32 [depot+8], {%r1, %r2};
    ld.u64 %d5, [%d4+8];
    st.global.u64 [%d1+8], %d5;
    mov.u32 %r3, tile;
    st.shared.v4.u32 [%r3+16], {1, 2, 3, 4};
    mov.u64 %d6, tile;
    cvta.shared.u64 %d7, %d6;
    ld.v2.u32 {%r4, %r5}, [%d7+24];
    st.global.v2.u32 [%d1+16], {%r4, %r5};
    isspacep.shared %q, %d7; selp.u32 %r6, 1, 0, %q;
    isspacep.global %q, %d1; @%q add.s32 %r6, %r6, 2;
    isspacep.local %q, %d4; @%q add.s32 %r6, %r6, 4;
    isspacep.local %q, %d7; @%q add.s32 %r6, %r6, 8;
    st.global.u32 [%d1+24], %r6;
    ld.param.u32 %r7, [s+4];
    cvta.to.shared.u64 %d8, %d7;
    st.shared.u8 [%d8+3], %r7;
    ld.shared.s8 %r8, [tile+3];
    st.global.u32 [%d1+28], %r8;
    ret;
}";
    let device = Device::new();
    let module = device.load(&module(ptx)).unwrap();
    let p = device.alloc(32).unwrap();
    let argument = [0, 0, 0, 0, 0xfe, 0, 0, 0];
    device.launch(&module, "k", Shape::row(1, 1), &[&p.to_le_bytes(), &argument]).unwrap();
    let mut out = [0; 32];
    device.read(p, &mut out).unwrap();
    let words: Vec<i32> = out.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(words, [-3, 0x33, -3, 0x33, 3, 4, 7, -2]);
}

#[test]
fn atomics_return_what_was_there() {
    let ptx = r"
.visible .entry k(.param .u64 p)
{
    .shared .align 8 .b8 word[8];
    .reg .b32 %r<12>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    atom.global.add.u32 %r1, [%d1], 5;
    atom.global.min.s32 %r2, [%d1], -3;
    atom.global.max.u32 %r3, [%d1], 1;
    atom.global.cas.b32 %r4, [%d1], -3, 77;
    atom.global.exch.b32 %r5, [%d1], 9;
    atom.global.inc.u32 %r6, [%d1], 9;
    atom.global.dec.u32 %r7, [%d1], 4;
    red.global.or.b32 [%d1], 0x10;
    st.global.v4.u32 [%d1+16], {%r1, %r2, %r3, %r4};
    st.global.v2.u32 [%d1+32], {%r5, %r6};
    st.global.u32 [%d1+40], %r7;
    st.shared.f32 [word], 0f3F800000;
    atom.shared.add.f32 %r8, [word], 0f3F000000;
    ld.shared.f32 %r9, [word];
    st.global.u32 [%d1+44], %r9;
    ret;
}";
    let (out, _) = buffer(ptx, Shape::row(1, 1), &[10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let minus3 = (-3i32) as u32;
    assert_eq!(out[4..11], [10, 15, minus3, minus3, 77, 9, 0]);
    assert_eq!(out[0], 4 | 0x10);
    assert_eq!(f32::from_bits(out[11]), 1.5);
}

#[test]
fn special_registers() {
    let ptx = r"
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<12>; .reg .b64 %d<4>;
    mov.u32 %r1, %laneid; mov.u32 %r2, %warpid; mov.u32 %r3, %lanemask_lt; popc.b32 %r3, %r3;
    mov.u32 %r4, %lanemask_ge; popc.b32 %r4, %r4; mov.u32 %r5, WARP_SZ;
    mad.lo.s32 %r6, %r2, 100, %r1; mad.lo.s32 %r6, %r3, 10000, %r6;
    add.s32 %r7, %r4, %r3; sub.s32 %r7, %r7, %r5;
    mov.u32 %r8, %tid.x; mad.lo.s32 %r6, %r7, 100000000, %r6;
    ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r8, 4; add.s64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r6;
    ret;
}";
    let (out, _) = buffer(ptx, Shape::row(1, 70), &[0; 70]).unwrap();
    assert!(
        out.iter().enumerate().all(|(t, &v)| v as usize == t % 32 + 100 * (t / 32) + 10_000 * (t % 32)),
        "{out:?}"
    );
}

#[test]
fn what_is_not_known_is_refused_with_its_line() {
    let device = Device::new();
    let error = |body: &str| {
        device
            .load(&module(&format!(
                ".visible .entry k()
{{
{body}
}}"
            )))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(
            ".reg .b32 %r<2>;
wmma.load.a %r1, %r1;"
        ),
        "PTX line 7: `wmma.load.a`: instruction is not supported"
    );
    assert_eq!(
        error(
            ".reg .b32 %r<2>;
add.s32 %r1, %r9, %r1;"
        ),
        "PTX line 7: no register `%r9`, declared or special"
    );
    assert_eq!(error("bra $nowhere;"), "PTX line 6: unknown label `$nowhere`");
    assert!(
        error(
            ".reg .b32 %r<2>;
add.quick.s32 %r1, %r1, %r1;"
        )
        .contains("`.quick` is not supported")
    );
    assert!(
        error(
            ".reg .b64 %r<2>;
add.s32 %r1, %r1, %r1;"
        )
        .contains("has 64 bits, 32 expected")
    );
    assert!(
        error(
            ".reg .b32 %r<2>;
mov.u32 %r1, %clock;"
        )
        .contains("no register `%clock`, declared or special")
    );
    assert!(error("ret").contains("expected"));
    assert!(device.load(".version 99.0").is_err());
    assert!(device.load("nonsense").is_err());
}
