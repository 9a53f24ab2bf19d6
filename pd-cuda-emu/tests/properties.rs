//! Random operands: the interpreter against Rust's own arithmetic, which is IEEE 754 and exact on integers.

mod common;

use common::{run32, run64};
use proptest::prelude::*;

/// Single-precision bits with many special values.
fn single() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => any::<u32>(),
        2 => (-1000i32..1000).prop_map(|k| (k as f32 / 8.0).to_bits()),
        1 => prop::sample::select(vec![0, 1 << 31, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1, 0x007f_ffff, 0x7f7f_ffff]),
    ]
}

fn double() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => any::<u64>(),
        2 => (-1000i32..1000).prop_map(|k| (f64::from(k) / 8.0).to_bits()),
        1 => prop::sample::select(vec![0, 1 << 63, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48, 1, (1 << 52) - 1]),
    ]
}

/// Integers of all magnitudes.
fn word() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(v, s)| v >> s)
}

fn triples(one: impl Strategy<Value = u64> + Clone) -> impl Strategy<Value = Vec<[u64; 3]>> {
    prop::collection::vec((one.clone(), one.clone(), one).prop_map(|(a, b, c)| [a, b, c]), 64)
}

fn canonical(x: f32) -> u32 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }
}

/// NaN of doubles may carry any payload.
fn same(got: u64, want: f64) -> bool {
    got == want.to_bits() || (f64::from_bits(got).is_nan() && want.is_nan())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn singles(cases in triples(single().prop_map(u64::from).boxed())) {
        type Reference = fn(f32, f32, f32) -> f32;
        let table: [(&str, Reference); 7] = [
            ("add.f32 %d, %a, %b;", |a, b, _| a + b),
            ("sub.f32 %d, %a, %b;", |a, b, _| a - b),
            ("mul.rn.f32 %d, %a, %b;", |a, b, _| a * b),
            ("div.rn.f32 %d, %a, %b;", |a, b, _| a / b),
            ("fma.rn.f32 %d, %a, %b, %c;", f32::mul_add),
            ("sqrt.rn.f32 %d, %a;", |a, _, _| a.sqrt()),
            ("rcp.rn.f32 %d, %a;", |a, _, _| 1.0 / a),
        ];
        for (line, f) in table {
            for (got, c) in run32(line, &cases).iter().zip(&cases) {
                let [a, b, c] = c.map(|v| f32::from_bits(v as u32));
                prop_assert_eq!(*got, canonical(f(a, b, c)), "{} of {} {} {}", line, a, b, c);
            }
        }
    }

    #[test]
    fn doubles(cases in triples(double().boxed())) {
        type Reference = fn(f64, f64, f64) -> f64;
        let table: [(&str, Reference); 6] = [
            ("add.f64 %D, %A, %B;", |a, b, _| a + b),
            ("sub.rn.f64 %D, %A, %B;", |a, b, _| a - b),
            ("mul.f64 %D, %A, %B;", |a, b, _| a * b),
            ("div.rn.f64 %D, %A, %B;", |a, b, _| a / b),
            ("fma.rn.f64 %D, %A, %B, %C;", f64::mul_add),
            ("sqrt.rn.f64 %D, %A;", |a, _, _| a.sqrt()),
        ];
        for (line, f) in table {
            for (got, c) in run64(line, &cases).iter().zip(&cases) {
                let [a, b, c] = c.map(f64::from_bits);
                prop_assert!(same(*got, f(a, b, c)), "{} of {} {} {}: {}", line, a, b, c, f64::from_bits(*got));
            }
        }
    }

    /// Down ≤ exact ≤ up, one step apart at most, and the other two modes are one of them.
    #[test]
    fn directed_rounding(cases in triples(single().prop_map(u64::from).boxed())) {
        for op in ["add.@.f32 %d, %a, %b;", "mul.@.f32 %d, %a, %b;", "fma.@.f32 %d, %a, %b, %c;", "div.@.f32 %d, %a, %b;"] {
            let run = |mode: &str| run32(&op.replace('@', mode), &cases);
            let (near, down, up, zero) = (run("rn"), run("rm"), run("rp"), run("rz"));
            for k in 0..cases.len() {
                let [n, d, u, z] = [near[k], down[k], up[k], zero[k]].map(f32::from_bits);
                if n.is_nan() {
                    prop_assert!(d.is_nan() && u.is_nan() && z.is_nan());
                    continue;
                }
                prop_assert!(d <= u && (d == u || d.next_up() == u), "{} {:?}: {} {}", op, cases[k], d, u);
                prop_assert!(n == d || n == u);
                prop_assert_eq!(z, if n > 0.0 || d > 0.0 { d } else if n < 0.0 || u < 0.0 { u } else { z });
                // The exact sum, product or quotient of singles as seen from double precision lies between.
                let [a, b, c] = cases[k].map(|v| f64::from(f32::from_bits(v as u32)));
                let exact = match &op[..3] { "add" => a + b, "mul" => a * b, "div" => a / b, _ => a.mul_add(b, c) };
                prop_assert!(f64::from(d) <= exact && exact <= f64::from(u), "{} {:?}: {} {} {}", op, cases[k], d, exact, u);
            }
        }
    }

    #[test]
    fn integers(cases in triples(word().boxed())) {
        type Reference = fn(u64, u64, u64) -> u64;
        let table: [(&str, Reference); 12] = [
            ("add.s64 %D, %A, %B;", |a, b, _| a.wrapping_add(b)),
            ("mul.lo.s64 %D, %A, %B;", |a, b, _| a.wrapping_mul(b)),
            ("mul.hi.s64 %D, %A, %B;", |a, b, _| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64),
            ("mad.lo.s64 %D, %A, %B, %C;", |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
            ("min.s64 %D, %A, %B;", |a, b, _| (a as i64).min(b as i64) as u64),
            ("shl.b64 %D, %A, %b;", |a, b, _| a.checked_shl(b as u32).unwrap_or(0)),
            ("shr.u64 %D, %A, %b;", |a, b, _| a.checked_shr(b as u32).unwrap_or(0)),
            ("shr.s64 %D, %A, %b;", |a, b, _| ((a as i64) >> (b as u32).min(63)) as u64),
            ("mad.wide.u32 %D, %a, %b, %C;", |a, b, c| u64::from(a as u32).wrapping_mul(u64::from(b as u32)).wrapping_add(c)),
            ("brev.b64 %D, %A;", |a, _, _| a.reverse_bits()),
            ("div.s64 %D, %A, %B;", |a, b, _| if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 }),
            ("rem.u64 %D, %A, %B;", |a, b, _| if b == 0 { a } else { a % b }),
        ];
        for (line, f) in table {
            for (got, &[a, b, c]) in run64(line, &cases).iter().zip(&cases) {
                prop_assert_eq!(*got, f(a, b, c), "{} of {:#x} {:#x} {:#x}", line, a, b, c);
            }
        }
    }

    #[test]
    fn fields_and_bytes(cases in triples(word().boxed())) {
        let masked = |len: u32| if len >= 32 { u32::MAX } else { (1 << len) - 1 };
        let fields = run32("and.b32 %e, %b, 31; shr.u32 %f, %b, 8; and.b32 %f, %f, 31; bfe.u32 %d, %a, %e, %f;", &cases);
        let inserted = run32("and.b32 %e, %b, 31; shr.u32 %f, %b, 8; and.b32 %f, %f, 31; bfi.b32 %d, %a, %c, %e, %f;", &cases);
        let permuted = run32("prmt.b32 %d, %a, %b, %c;", &cases);
        let funnel = run32("shf.l.wrap.b32 %d, %a, %b, %c;", &cases);
        for (k, c) in cases.iter().enumerate() {
            let [a, b, c] = c.map(|v| v as u32);
            let (pos, len) = (b & 31, (b >> 8) & 31);
            prop_assert_eq!(fields[k], (a >> pos) & masked(len));
            let mask = masked(len) << pos;
            prop_assert_eq!(inserted[k], (c & !mask) | ((a << pos) & mask));
            let bytes = [a.to_le_bytes(), b.to_le_bytes()].concat();
            let pick = |k: u32| {
                let byte = bytes[(c >> (4 * k) & 7) as usize];
                if c >> (4 * k + 3) & 1 == 0 { byte } else if byte >= 128 { 255 } else { 0 }
            };
            prop_assert_eq!(permuted[k], u32::from_le_bytes([pick(0), pick(1), pick(2), pick(3)]));
            let pair = (u64::from(b) << 32) | u64::from(a);
            prop_assert_eq!(funnel[k], ((pair << (c & 31)) >> 32) as u32);
        }
    }

    #[test]
    fn conversions(cases in triples(double().boxed())) {
        let table = [
            ("cvt.rzi.s32.f64 %d, %A;", "s32"), ("cvt.rzi.u32.f64 %d, %A;", "u32"),
            ("cvt.rni.s32.f64 %d, %A;", "near"), ("cvt.rn.f32.f64 %d, %A;", "narrow"), ("cvt.rn.f32.u64 %d, %A;", "u64"),
        ];
        for (line, kind) in table {
            for (got, c) in run32(line, &cases).iter().zip(&cases) {
                let x = f64::from_bits(c[0]);
                let want = match kind {
                    "s32" if x.is_nan() => 1 << 31,
                    "u32" if x.is_nan() => 1 << 31,
                    "near" if x.is_nan() => 1 << 31,
                    "s32" => x as i32 as u32,
                    "u32" => x as u32,
                    "near" => x.round_ties_even() as i32 as u32,
                    "narrow" => canonical(x as f32),
                    _ => (c[0] as f32).to_bits(),
                };
                prop_assert_eq!(*got, want, "{} of {} ({:#x})", line, x, c[0]);
            }
        }
    }

    /// Text that is nearly PTX is refused, never a panic.
    #[test]
    fn broken_text_is_an_error_or_a_module(cut in 0usize..3000, byte in any::<u8>(), at in 0usize..3000) {
        let whole = include_str!("data/kernels.ptx");
        let entry = whole.find(".visible .entry indices").unwrap();
        let text = format!(".version 8.0\n.target sm_75\n.address_size 64\n{}", &whole[entry..]);
        let mut bytes = text.into_bytes();
        let n = bytes.len();
        bytes[at % n] = byte & 0x7f;
        bytes.truncate(n - cut % n);
        let text = String::from_utf8(bytes).unwrap();
        let _ = pd_cuda_emu::Device::new().load(&text);
    }
}
