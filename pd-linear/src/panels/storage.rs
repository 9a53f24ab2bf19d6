//! Formats of the stored panels: f64, f32, whole numbers of three bytes, and IEEE half precision.

use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

/// The numbers a sweep computes with.
pub(super) trait Arithmetic:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
    /// Whether right-hand sides must be brought into range first.
    const NARROW: bool;
    /// Rounds to nearest.
    fn from_f64(value: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
}

impl Arithmetic for f32 {
    const NARROW: bool = true;
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Arithmetic for f64 {
    const NARROW: bool = false;
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

/// A format of stored panel values.
pub(super) trait Storage: Copy + Debug + Default + Send + Sync + 'static {
    /// What the values are widened to.
    type Arithmetic: Arithmetic;
    /// Largest magnitude the format holds.
    const LARGEST: f64;
    /// Whether wide panels keep only one half of the symmetric S⁻¹: worthwhile if values take longer to read than to use.
    const ONE_HALF: bool = true;
    /// What values of which this is the largest magnitude are divided by before they are stored: exact as an f32.
    fn unit(_largest: f64) -> f64 {
        1.0
    }
    /// Rounds to nearest; the magnitude is at most `LARGEST`.
    fn encode(value: f64) -> Self;
    /// Exact.
    fn decode(self) -> Self::Arithmetic;
}

impl Storage for f32 {
    type Arithmetic = f32;
    const LARGEST: f64 = f32::MAX as f64;
    fn encode(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn decode(self) -> f32 {
        self
    }
}

impl Storage for f64 {
    type Arithmetic = f64;
    const LARGEST: f64 = f64::MAX;
    fn encode(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn decode(self) -> f64 {
        self
    }
}

/// A whole number of three bytes, least first, in units of which the largest value has nearly 2²³: the numbers of one
/// panel differ little enough in magnitude that a common exponent wastes less than one for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct ThreeBytes(pub(super) [u8; 3]);

impl Storage for ThreeBytes {
    type Arithmetic = f32;
    /// Decoded as the upper three bytes of four, hence 2⁸ times the whole number.
    const LARGEST: f64 = 256.0 * 8_388_607.0;

    fn unit(largest: f64) -> f64 {
        // A little more than needed, because the unit and ratios of units are rounded to f32. Values too small to have a
        // unit vanish beside the one on the diagonal.
        let unit = (largest * (1.0 + 1e-6) / Self::LARGEST) as f32;
        if unit.is_normal() { f64::from(unit) } else { 1.0 }
    }

    fn encode(value: f64) -> Self {
        let [a, b, c, _] = ((value / 256.0).round_ties_even() as i32).to_le_bytes();
        Self([a, b, c])
    }

    #[inline(always)]
    fn decode(self) -> f32 {
        let [a, b, c] = self.0;
        i32::from_le_bytes([0, a, b, c]) as f32
    }
}

/// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Half(pub(super) u16);

impl Storage for Half {
    type Arithmetic = f32;
    const LARGEST: f64 = 65504.0;
    const ONE_HALF: bool = false;

    fn unit(largest: f64) -> f64 {
        if largest > 0.0 && largest.is_finite() { 2f64.powi(largest.log2().ceil() as i32) } else { 1.0 }
    }

    fn encode(value: f64) -> Self {
        let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
        let magnitude = value.abs();
        // Below 2⁻¹⁴ the spacing is constant, 2⁻²⁴: the code is the magnitude in that unit.
        if magnitude < 6.103_515_625e-5 {
            return Self(sign | (magnitude * 16_777_216.0).round_ties_even() as u16);
        }
        let exponent = ((magnitude.to_bits() >> 52) as i32) - 1023;
        let unit = f64::from_bits(((1023 + 10 - exponent) as u64) << 52); // 2^(10 − exponent)
        let fraction = (magnitude * unit).round_ties_even() as i32; // 1024..=2048; 2048 carries into the exponent
        Self(sign | (((exponent + 15) << 10) + fraction - 1024).clamp(0, 0x7bff) as u16)
    }

    #[inline(always)]
    fn decode(self) -> f32 {
        let bits = u32::from(self.0);
        let sign = (bits & 0x8000) << 16;
        // Exponent and fraction moved to their places in f32, then scaled by 2^(127 − 15): exact, small ones too.
        let magnitude = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
        f32::from_bits(magnitude.to_bits() | sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_round_trip() {
        for bits in (0..=0xffffu16).filter(|b| b & 0x7c00 != 0x7c00) {
            let value = Half(bits).decode();
            assert!(value.is_finite());
            assert_eq!(Half::encode(f64::from(value)), Half(bits), "{bits:#x} is {value}");
        }
        assert_eq!(Half(0x3c00).decode(), 1.0);
        assert_eq!(Half(0xc000).decode(), -2.0);
        assert_eq!(Half(0x7bff).decode(), 65504.0);
        assert_eq!(Half(0x0001).decode(), 2.0f32.powi(-24));
    }

    #[test]
    fn three_bytes_are_nearest_in_units_of_the_largest() {
        for largest in [1e-25, 0.003, 0.5, 1.0, 3.7, 1e20] {
            let unit = ThreeBytes::unit(largest);
            assert_eq!(f64::from(unit as f32), unit);
            for k in -20_000..=20_000 {
                let value = largest * f64::from(k) / 20_000.0;
                assert!((value / unit).abs() <= ThreeBytes::LARGEST);
                let short = ThreeBytes::encode(value / unit);
                let error = (f64::from(short.decode()) * unit - value).abs();
                assert!(error <= largest * 0.500_01 / 8_388_607.0, "{value} of {largest}: {error}");
                assert_eq!(ThreeBytes::encode(f64::from(short.decode())), short);
            }
        }
        for odd in [0.0, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN] {
            assert_eq!(ThreeBytes::unit(odd), 1.0);
        }
        assert_eq!(ThreeBytes::encode(-256.0), ThreeBytes([255; 3]));
        assert_eq!(ThreeBytes::default().decode(), 0.0);
    }

    #[test]
    fn halves_round_to_nearest() {
        for k in 0..20_000 {
            let value = 1.37f64.powi(k % 60 - 40) * (1.0 + f64::from(k) / 20_000.0);
            if value < Half::LARGEST {
                let error = (f64::from(Half::encode(value).decode()) - value).abs();
                assert!(error <= (value / 2048.0).max(0.5f64.powi(25)), "{value}: {error}");
            }
        }
        assert_eq!(Half::encode(2049.0).decode(), 2048.0); // ties go to the even neighbour
        assert_eq!(Half::encode(2051.0).decode(), 2052.0);
    }
}
