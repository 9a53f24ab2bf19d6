//! The sweeps in safe Rust, written so that the compiler can vectorise them for any target.

use super::Row;
use crate::panels::storage::{Arithmetic, Storage};
use crate::panels::stream::{Packed, Shape, Stream, WIDEST_NARROW};

/// Values of one block: `width` columns of `height` rows from `at`, a full register read per column.
fn column<S: Storage, const L: usize>(values: &[S], at: usize) -> [S::Arithmetic; L] {
    std::array::from_fn(|lane| values[at + lane].decode())
}

fn zero<T: Arithmetic, const L: usize>() -> [[T; L]; 3] {
    [[T::default(); L]; 3]
}

fn multiply_add<T: Arithmetic, const L: usize>(sums: &mut [[T; L]; 3], w: &[T; L], x: &[[T; L]; 3]) {
    for (sum, x) in sums.iter_mut().zip(x) {
        for lane in 0..L {
            sum[lane] = sum[lane] + w[lane] * x[lane];
        }
    }
}

/// Calls `f(first column, columns)` for every group of a panel.
fn groups(panel: &Packed, group: usize, mut f: impl FnMut(usize, usize)) {
    let s = panel.s as usize;
    for g in (0..s).step_by(group) {
        f(g, group.min(s - g));
    }
}

pub(super) fn forward<S: Storage, const L: usize, const G: usize>(
    stream: &Stream<S>,
    vector: &mut [Row<S>],
    scratch: &mut [S::Arithmetic],
) {
    for panel in stream.panels() {
        let (first, m) = (panel.first as usize, panel.m as usize);
        let scale = S::Arithmetic::from_f64(f64::from(panel.scale));
        if panel.narrow {
            forward_narrow::<S, L>(stream, panel, vector);
            scale_own(panel, vector);
            continue;
        }
        let index = &stream.index()[panel.index..];
        scratch[..3 * m.next_multiple_of(L)].fill(S::Arithmetic::default());
        groups(panel, G, |g, width| {
            let own = &vector[first + g..first + g + width];
            multiply::<S, L>(stream.values(), panel.values + g * m, m, own, scratch);
        });
        subtract_sums::<_, L>(vector, &index[..m], scratch, scale);
        scale_own(panel, vector);
    }
}

/// Multiplies the own rows by the unit of S⁻¹ in that of W; the forward sweep is done with them.
fn scale_own<T: Arithmetic>(panel: &Packed, vector: &mut [[T; 4]]) {
    if panel.unit != 1.0 {
        let unit = T::from_f64(f64::from(panel.unit));
        for row in &mut vector[panel.first as usize..(panel.first + panel.s) as usize] {
            *row = row.map(|value| value * unit);
        }
    }
}

pub(super) fn backward<S: Storage, const L: usize, const G: usize>(
    stream: &Stream<S>,
    vector: &mut [Row<S>],
    scratch: &mut [S::Arithmetic],
) {
    for panel in stream.panels().iter().rev() {
        let (m, s) = (panel.m as usize, panel.s as usize);
        let minus = S::Arithmetic::from_f64(-f64::from(panel.scale));
        if panel.narrow {
            backward_narrow(stream, panel, vector);
            continue;
        }
        let (first, own) = (panel.first as usize, m.next_multiple_of(L));
        let rows = own + s.next_multiple_of(L);
        let index = &stream.index()[panel.index..panel.index + rows];
        let (gathered, transposed) = scratch.split_at_mut(3 * rows);
        for (k, &row) in index.iter().enumerate() {
            let block = 3 * (k - k % L) + k % L;
            for c in 0..3 {
                gathered[block + c * L] = vector[row as usize][c];
            }
        }
        transposed[..3 * s.next_multiple_of(L)].fill(S::Arithmetic::default());
        let mut inverse = panel.inverse;
        groups(panel, G, |g, width| {
            let mut sums = [zero::<S::Arithmetic, L>(); G];
            let block = Shape { lanes: L, group: G }.first_row::<S>(g);
            let below = if S::ONE_HALF { s.min(block + L) } else { s };
            accumulate(&mut sums[..width], stream.values(), panel.values + g * m, m, gathered);
            let own_rows = &gathered[3 * (own + block)..];
            accumulate(&mut sums[..width], stream.inverses(), inverse, s - block, own_rows);
            if below < s {
                let (from, to) = (&vector[first + g..first + g + width], &mut transposed[3 * below..]);
                multiply::<S, L>(stream.inverses(), inverse + width * L, s - below, from, to);
            }
            inverse += width * (s - block);
            for (k, sums) in sums.iter().enumerate().take(width) {
                let total = |lanes: &[S::Arithmetic; L]| {
                    lanes.iter().fold(S::Arithmetic::default(), |sum, &value| sum + value)
                };
                let zero = S::Arithmetic::default();
                vector[first + g + k] =
                    [minus * total(&sums[0]), minus * total(&sums[1]), minus * total(&sums[2]), zero];
            }
        });
        subtract_sums::<_, L>(vector, &index[own..own + s], transposed, S::Arithmetic::default() - minus);
    }
}

/// Adds the products of a group's columns, so many rows from `at`, with the (x, y, z) of each column to `sums`.
fn multiply<S: Storage, const L: usize>(
    values: &[S],
    mut at: usize,
    rows: usize,
    own: &[Row<S>],
    sums: &mut [S::Arithmetic],
) {
    for r in (0..rows).step_by(L) {
        let height = L.min(rows - r);
        let mut block = zero::<S::Arithmetic, L>();
        for (k, row) in own.iter().enumerate() {
            let w = column::<S, L>(values, at + k * height);
            multiply_add(&mut block, &w, &[[row[0]; L], [row[1]; L], [row[2]; L]]);
        }
        for (out, sum) in sums[3 * r..].iter_mut().zip(block.iter().flatten()) {
            *out = *out + *sum;
        }
        at += own.len() * height;
    }
}

/// Adds the products of a group's columns, so many rows from `at`, with gathered rows to the sums of each column.
fn accumulate<S: Storage, const L: usize>(
    sums: &mut [[[S::Arithmetic; L]; 3]],
    values: &[S],
    mut at: usize,
    rows: usize,
    gathered: &[S::Arithmetic],
) {
    let width = sums.len();
    for r in (0..rows).step_by(L) {
        let height = L.min(rows - r);
        let x: [[S::Arithmetic; L]; 3] =
            std::array::from_fn(|c| std::array::from_fn(|lane| gathered[3 * r + c * L + lane]));
        for (k, sums) in sums.iter_mut().enumerate() {
            multiply_add(sums, &column::<S, L>(values, at + k * height), &x);
        }
        at += width * height;
    }
}

/// Subtracts multiples of sums in blocks from rows.
fn subtract_sums<T: Arithmetic, const L: usize>(vector: &mut [[T; 4]], index: &[u32], sums: &[T], scale: T) {
    for (k, &row) in index.iter().enumerate() {
        let block = 3 * (k - k % L) + k % L;
        for c in 0..3 {
            let value = &mut vector[row as usize][c];
            *value = *value - sums[block + c * L] * scale;
        }
    }
}

/// Column after column of W, in blocks of `4 L` rows, times that column's one (x, y, z).
fn forward_narrow<S: Storage, const L: usize>(stream: &Stream<S>, panel: &Packed, vector: &mut [Row<S>]) {
    let (first, s, m) = (panel.first as usize, panel.s as usize, panel.m as usize);
    let index = &stream.index()[panel.index..panel.index + m];
    let scale = S::Arithmetic::from_f64(f64::from(panel.scale));
    let values = &stream.values()[panel.values..panel.values + m * s];
    for (block, values) in index.chunks(4 * L).zip(values.chunks(4 * L * s)) {
        for (k, column) in values.chunks_exact(block.len()).enumerate() {
            let own = vector[first + k];
            for (value, &row) in column.iter().zip(block) {
                let (w, to) = (value.decode() * scale, &mut vector[row as usize]);
                *to = [to[0] - w * own[0], to[1] - w * own[1], to[2] - w * own[2], to[3]];
            }
        }
    }
}

/// Row after row of [W; S⁻¹] times that row's one (x, y, z).
fn backward_narrow<S: Storage>(stream: &Stream<S>, panel: &Packed, vector: &mut [Row<S>]) {
    let (first, s, m) = (panel.first as usize, panel.s as usize, panel.m as usize);
    let mut sums = [[S::Arithmetic::default(); 4]; WIDEST_NARROW];
    let rows = stream.inverses()[panel.inverse..].chunks_exact(s);
    for (values, &row) in rows.zip(&stream.index()[panel.index..panel.index + m + s]) {
        let [x, y, z, _] = vector[row as usize];
        for (sum, value) in sums.iter_mut().zip(values) {
            let w = value.decode();
            *sum = [sum[0] + w * x, sum[1] + w * y, sum[2] + w * z, sum[3]];
        }
    }
    let minus = S::Arithmetic::from_f64(-f64::from(panel.scale));
    for (to, sum) in vector[first..first + s].iter_mut().zip(&sums) {
        *to = [minus * sum[0], minus * sum[1], minus * sum[2], S::Arithmetic::default()];
    }
}
