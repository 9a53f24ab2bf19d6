//! Directed rounding from the result rounded to nearest and the sign of what was lost.
//!
//! The single-precision operations are done in double precision, where sum, product, quotient and root of two
//! singles carry an error whose sign is known exactly; the double-precision ones use error-free transformations
//! (Knuth's two-sum; fma residuals), exact unless the residual itself underflows.

use crate::instr::Round;

/// `s + e = a + b` exactly (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// Whether this rounding may end above, and whether below, a value `r` that was rounded to nearest.
fn directions(r: f64, round: Round) -> (bool, bool) {
    match round {
        Round::Near => (false, false),
        Round::Zero => (r < 0.0, r > 0.0),
        Round::Down => (false, true),
        Round::Up => (true, false),
    }
}

/// Moves `r`, rounded to nearest, by one step if the exact value lies on the other side for this rounding.
/// `lost` has the sign of exact minus `r`.
fn step32(r: f32, lost: f64, round: Round) -> f32 {
    let (up, down) = directions(f64::from(r), round);
    if lost > 0.0 && up {
        r.next_up()
    } else if lost < 0.0 && down {
        r.next_down()
    } else {
        r
    }
}

/// As [`step32`].
fn step64(r: f64, lost: f64, round: Round) -> f64 {
    let (up, down) = directions(r, round);
    if lost > 0.0 && up {
        r.next_up()
    } else if lost < 0.0 && down {
        r.next_down()
    } else {
        r
    }
}

/// `s + e`, with `e` below half a unit of `s`, as a single.
fn narrow(s: f64, e: f64, round: Round) -> f32 {
    let r = s as f32;
    let gap = s - f64::from(r);
    // A value that rounds to zero on the way is not zero: its sign tells where it lies.
    step32(r, if gap == 0.0 { e } else { gap }, round)
}

/// A double as a single.
pub(crate) fn narrow_f64(x: f64, round: Round) -> f32 {
    narrow(x, 0.0, round)
}

/// Zero from a cancellation is negative when rounding down.
fn zero_sign(sum_is_zero: bool, both_zero_same_sign: bool, round: Round) -> Option<bool> {
    (sum_is_zero && !both_zero_same_sign).then_some(round == Round::Down)
}

pub(crate) fn add_f32(a: f32, b: f32, round: Round) -> f32 {
    let (s, e) = two_sum(f64::from(a), f64::from(b));
    if let Some(negative) = zero_sign(s == 0.0, a == 0.0 && a.to_bits() == b.to_bits(), round) {
        return if negative { -0.0 } else { 0.0 };
    }
    narrow(s, e, round)
}

pub(crate) fn mul_f32(a: f32, b: f32, round: Round) -> f32 {
    narrow(f64::from(a) * f64::from(b), 0.0, round)
}

pub(crate) fn fma_f32(a: f32, b: f32, c: f32, round: Round) -> f32 {
    let p = f64::from(a) * f64::from(b);
    let (s, e) = two_sum(p, f64::from(c));
    let same = p == 0.0 && c == 0.0 && p.is_sign_negative() == c.is_sign_negative();
    if let Some(negative) = zero_sign(s == 0.0, same, round) {
        return if negative { -0.0 } else { 0.0 };
    }
    narrow(s, e, round)
}

pub(crate) fn div_f32(a: f32, b: f32, round: Round) -> f32 {
    let (x, y) = (f64::from(a), f64::from(b));
    let q = x / y;
    let e = (-q).mul_add(y, x) / y;
    narrow(q, if e.is_nan() { 0.0 } else { e }, round)
}

pub(crate) fn sqrt_f32(a: f32, round: Round) -> f32 {
    let x = f64::from(a);
    let s = x.sqrt();
    let e = (-s).mul_add(s, x);
    narrow(s, if e.is_nan() { 0.0 } else { e }, round)
}

/// The overflow of a finite result: the residual is then infinite or NaN.
fn finite_residual(r: f64, e: f64) -> f64 {
    if r.is_infinite() { -r } else { e }
}

pub(crate) fn add_f64(a: f64, b: f64, round: Round) -> f64 {
    let (s, e) = two_sum(a, b);
    if let Some(negative) = zero_sign(s == 0.0, a == 0.0 && a.to_bits() == b.to_bits(), round) {
        return if negative { -0.0 } else { 0.0 };
    }
    if a.is_infinite() || b.is_infinite() { s } else { step64(s, finite_residual(s, e), round) }
}

pub(crate) fn mul_f64(a: f64, b: f64, round: Round) -> f64 {
    let p = a * b;
    if a.is_infinite() || b.is_infinite() {
        return p;
    }
    step64(p, finite_residual(p, a.mul_add(b, -p)), round)
}

pub(crate) fn div_f64(a: f64, b: f64, round: Round) -> f64 {
    let q = a / b;
    if a.is_infinite() || b.is_infinite() || b == 0.0 {
        return q;
    }
    let e = (-q).mul_add(b, a) * b.signum();
    step64(q, finite_residual(q, e), round)
}

pub(crate) fn sqrt_f64(a: f64, round: Round) -> f64 {
    let s = a.sqrt();
    if s.is_infinite() { s } else { step64(s, (-s).mul_add(s, a), round) }
}

/// An integer as a single.
pub(crate) fn int_to_f32(v: i128, round: Round) -> f32 {
    let r = v as f32;
    step32(r, (v - r as i128) as f64, round)
}

/// An integer as a double.
pub(crate) fn int_to_f64(v: i128, round: Round) -> f64 {
    let r = v as f64;
    step64(r, (v - r as i128) as f64, round)
}

/// To an integral value.
pub(crate) fn integral(x: f64, round: Round) -> f64 {
    match round {
        Round::Near => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}
