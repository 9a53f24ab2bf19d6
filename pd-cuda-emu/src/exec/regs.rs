//! Registers of a warp as arrays over its 32 lanes.

use crate::instr::{Function, Reg};

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// All lanes.
pub(crate) const FULL: u32 = u32::MAX;

/// One 32-bit register of all lanes.
pub(crate) type Row32 = [u32; LANES];
/// One 64-bit register of all lanes.
pub(crate) type Row64 = [u64; LANES];

/// The three register files of one function in one warp; a predicate is one bit per lane.
#[derive(Debug, Default, Clone)]
pub(crate) struct Regs {
    pub(crate) r32: Vec<Row32>,
    pub(crate) r64: Vec<Row64>,
    pub(crate) pred: Vec<u32>,
    /// The carry flag of each lane.
    pub(crate) carry: u32,
}

impl Regs {
    /// Files of the right size, immediates in place, everything else zero.
    pub(crate) fn new(f: &Function) -> Self {
        let mut regs = Self {
            r32: vec![[0; LANES]; f.n32],
            r64: vec![[0; LANES]; f.n64],
            pred: vec![0; f.npred],
            carry: 0,
        };
        for &(r, v) in &f.consts32 {
            regs.r32[r as usize] = [v; LANES];
        }
        for &(r, v) in &f.consts64 {
            regs.r64[r as usize] = [v; LANES];
        }
        regs
    }

    /// Zeroes the declared registers.
    pub(crate) fn clear(&mut self, f: &Function) {
        self.r32[..f.declared32].fill([0; LANES]);
        self.r64[..f.declared64].fill([0; LANES]);
        self.pred.fill(0);
    }

    #[inline(always)]
    pub(crate) fn row32(&self, r: Reg) -> &Row32 {
        &self.r32[r as usize]
    }

    #[inline(always)]
    pub(crate) fn row64(&self, r: Reg) -> &Row64 {
        &self.r64[r as usize]
    }

    /// Stores the lanes of the mask.
    #[inline(always)]
    pub(crate) fn put32(&mut self, r: Reg, mask: u32, v: &Row32) {
        let to = &mut self.r32[r as usize];
        if mask == FULL {
            *to = *v;
        } else {
            for l in 0..LANES {
                let keep = ((mask >> l) & 1).wrapping_sub(1);
                to[l] = (to[l] & keep) | (v[l] & !keep);
            }
        }
    }

    /// Stores the lanes of the mask.
    #[inline(always)]
    pub(crate) fn put64(&mut self, r: Reg, mask: u32, v: &Row64) {
        let to = &mut self.r64[r as usize];
        if mask == FULL {
            *to = *v;
        } else {
            for l in 0..LANES {
                let keep = u64::from((mask >> l) & 1).wrapping_sub(1);
                to[l] = (to[l] & keep) | (v[l] & !keep);
            }
        }
    }

    /// Stores the bits of the mask.
    #[inline(always)]
    pub(crate) fn put_pred(&mut self, p: Reg, mask: u32, bits: u32) {
        if let Some(to) = self.pred.get_mut(p as usize) {
            *to = (*to & !mask) | (bits & mask);
        }
    }
}

/// A function of one row.
#[inline(always)]
pub(crate) fn map1<T: Copy, U: Copy + Default>(a: &[T; LANES], f: impl Fn(T) -> U) -> [U; LANES] {
    let mut out = [U::default(); LANES];
    for l in 0..LANES {
        out[l] = f(a[l]);
    }
    out
}

/// A function of two rows.
#[inline(always)]
pub(crate) fn map2<T: Copy, S: Copy, U: Copy + Default>(
    a: &[T; LANES],
    b: &[S; LANES],
    f: impl Fn(T, S) -> U,
) -> [U; LANES] {
    let mut out = [U::default(); LANES];
    for l in 0..LANES {
        out[l] = f(a[l], b[l]);
    }
    out
}

/// A function of three rows.
#[inline(always)]
pub(crate) fn map3<T: Copy, S: Copy, R: Copy, U: Copy + Default>(
    a: &[T; LANES],
    b: &[S; LANES],
    c: &[R; LANES],
    f: impl Fn(T, S, R) -> U,
) -> [U; LANES] {
    let mut out = [U::default(); LANES];
    for l in 0..LANES {
        out[l] = f(a[l], b[l], c[l]);
    }
    out
}

/// The lanes of a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let l = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(l)
    })
}
