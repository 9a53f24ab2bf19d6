//! The factor ready to solve: packed panels of every part, and the vectors the sweeps run over.
//!
//! The parts hang from the top and do not touch each other. Each runs over a vector of its own: its columns, a
//! private copy of the rows of the top, and a dummy. What the parts leave on the top is added in their order, so the
//! bits do not depend on who ran them.

use super::Numbers;
use super::front::{factor, scaling};
use super::kernel::{Kernel, Kernels, Row};
use super::pages::Pages;
use super::storage::Arithmetic;
use super::stream::Stream;
use super::symbolic::Symbolic;
use crate::vector::check_finite;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Csr, LinearError, Real};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Right-hand sides worked on together: a row has room for three.
const TOGETHER: usize = 3;

/// One part: its panels, its columns, and scratch.
struct Part<S: Kernels> {
    stream: Stream<S>,
    columns: Range<usize>,
    scratch: Vec<S::Arithmetic>,
}

/// The numbers of the factor.
pub(super) struct Factored<S: Kernels> {
    kernel: Kernel<S>,
    /// The independent parts, then the top.
    parts: Vec<Part<S>>,
    /// Local vectors of all parts, one after another.
    vector: Pages<Row<S>>,
    /// In the order of elimination: the row of the matrix and its 1/√A_ii.
    rows: Pages<(u32, S::Arithmetic)>,
    /// For every row of the matrix: its place in `vector` and its 1/√A_ii.
    places: Pages<(u32, S::Arithmetic)>,
}

/// Columns `at .. at + width` of right-hand sides that have `columns` in all.
#[derive(Clone, Copy)]
struct Window {
    columns: usize,
    at: usize,
    width: usize,
    /// Power of two that brings the right-hand side into range.
    gain: Real,
}

impl<S: Kernels> Factored<S> {
    /// Factors `a` and packs the panels for `kernel`.
    pub(super) fn new(symbolic: &Symbolic, a: &Csr, kernel: Kernel<S>) -> Result<Self, LinearError> {
        let scale = scaling(a);
        let count = symbolic.parts.len();
        let top = symbolic.columns(count - 1);
        let mut parts: Vec<Part<S>> = (0..count)
            .map(|part| {
                let columns = symbolic.columns(part);
                let rows = columns.len() + if part + 1 < count { top.len() } else { 0 } + 1;
                Part { stream: Stream::new(rows), columns, scratch: vec![] }
            })
            .collect();
        let mut part_of = vec![0; symbolic.nodes.len()];
        for (part, nodes) in symbolic.parts.iter().enumerate() {
            part_of[nodes.clone()].fill(part);
        }
        factor(symbolic, a, &scale, |q, panel| {
            let (node, part) = (&symbolic.nodes[q], &mut parts[part_of[q]]);
            let own = part.columns.clone();
            let local =
                |row: usize| if own.contains(&row) { row - own.start } else { own.len() + row - top.start };
            let below = node.rows.iter().map(|&row| local(row as usize));
            part.stream.push(kernel.shape, node.columns.start - own.start, below, &panel)
        })?;
        for part in &mut parts {
            part.stream.finish(kernel.shape)?;
            part.scratch = vec![Default::default(); part.stream.scratch()];
        }
        let short = |old: usize| S::Arithmetic::from_f64(scale[old]);
        let rows: Vec<_> = symbolic.order.iter().map(|&old| (old, short(old as usize))).collect();
        let mut places = vec![Default::default(); a.rows()];
        let mut base = 0;
        for part in &parts {
            for j in part.columns.clone() {
                let old = symbolic.order[j] as usize;
                places[old] = ((base + j - part.columns.start) as u32, short(old));
            }
            base += part.stream.rows();
        }
        let vector = Pages::new(&[], base, Default::default());
        let (rows, places) = (fixed(&rows), fixed(&places));
        Ok(Self { kernel, parts, vector, rows, places })
    }

    /// Both sweeps: leaves −x in the vector.
    fn sweep(&mut self, b: &[Real], window: Window) {
        let kernel = self.kernel;
        let Some((top, parts)) = self.parts.split_last_mut() else { return };
        let split = self.vector.len() - top.stream.rows();
        let (vector, top_vector) = self.vector.split_at_mut(split);
        let rows = &self.rows;
        let all = load::<S>(&rows[top.columns.clone()], b, window, top_vector);
        all.fill(Default::default());
        over_parts(parts, vector, &|part, vector| {
            let rest = load::<S>(&rows[part.columns.clone()], b, window, vector);
            rest.fill(Default::default());
            kernel.forward(&part.stream, vector, &mut part.scratch);
        });
        let mut begin = 0;
        for part in parts.iter() {
            let shared = &vector[begin + part.columns.len()..begin + part.stream.rows() - 1];
            for (sum, add) in top_vector.iter_mut().zip(shared) {
                *sum = std::array::from_fn(|c| sum[c] + add[c]);
            }
            begin += part.stream.rows();
        }
        kernel.forward(&top.stream, top_vector, &mut top.scratch);
        kernel.backward(&top.stream, top_vector, &mut top.scratch);
        let top_vector = &*top_vector;
        over_parts(parts, vector, &|part, vector| {
            vector[part.columns.len()..].copy_from_slice(top_vector); // the dummy rows match too
            kernel.backward(&part.stream, vector, &mut part.scratch);
        });
    }

    /// Writes the solution; `false` if a number is not finite.
    fn unload(&self, x: &mut [Real], window: Window) -> bool {
        let finite = AtomicBool::new(true);
        let Window { columns, at, width, gain } = window;
        let back = -1.0 / gain;
        let write = |first: usize, x: &mut [Real]| {
            let places = &self.places[first / columns..];
            let mut check = [0.0; 4]; // stays zero unless an infinity or a NaN enters
            let mut fetch = |&(place, scale): &(u32, S::Arithmetic)| -> [Real; 4] {
                let row = self.vector[place as usize].map(|value| (value * scale).to_f64() * back);
                check = std::array::from_fn(|c| check[c] + row[c] * 0.0);
                row
            };
            if columns == TOGETHER {
                // A copy of known length is three moves; of unknown length, a call.
                for (x, place) in x.as_chunks_mut::<TOGETHER>().0.iter_mut().zip(places) {
                    let [a, b, c, _] = fetch(place);
                    *x = [a, b, c];
                }
            } else {
                for (x, place) in x.chunks_exact_mut(columns).zip(places) {
                    x[at..at + width].copy_from_slice(&fetch(place)[..width]);
                }
            }
            if check != [0.0; 4] {
                finite.store(false, Ordering::Relaxed);
            }
        };
        if rayon::current_num_threads() > 1 {
            exec::for_each_chunk(x, 4 * VERTEX_CHUNK * columns, write);
        } else {
            write(0, x);
        }
        finite.into_inner()
    }
}

impl<S: Kernels> Numbers for Factored<S> {
    fn instructions(&self) -> &'static str {
        self.kernel.name
    }

    fn bytes(&self) -> usize {
        let part = |part: &Part<S>| part.stream.bytes() + part.scratch.len() * size_of::<S::Arithmetic>();
        self.parts.iter().map(part).sum::<usize>()
            + self.vector.bytes()
            + self.rows.bytes()
            + self.places.bytes()
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<(), LinearError> {
        let mut gain = 1.0;
        if S::Arithmetic::NARROW {
            let largest = largest_magnitude(b);
            if largest == 0.0 {
                check_finite(b, columns)?; // NaN has no magnitude
                x.fill(0.0);
                return Ok(());
            }
            if !largest.is_finite() {
                return check_finite(b, columns);
            }
            gain = gain_for(largest);
        }
        for at in (0..columns).step_by(TOGETHER) {
            let window = Window { columns, at, width: TOGETHER.min(columns - at), gain };
            self.sweep(b, window);
            if !self.unload(x, window) {
                check_finite(b, columns)?; // a right-hand side that is not finite is the caller's fault
                return Err(LinearError::Diverged { iteration: 1, residual: Real::INFINITY });
            }
        }
        Ok(())
    }
}

/// A copy that does not grow.
fn fixed<T: Copy + Default>(values: &[T]) -> Pages<T> {
    Pages::new(values, values.len(), T::default())
}

/// Puts a right-hand side, scaled, into the own rows of a local vector and returns the rows behind them.
fn load<'a, S: Kernels>(
    rows: &[(u32, S::Arithmetic)],
    b: &[Real],
    window: Window,
    vector: &'a mut [Row<S>],
) -> &'a mut [Row<S>] {
    let Window { columns, at, width, gain } = window;
    let (own, rest) = vector.split_at_mut(rows.len());
    let convert = |value: Real| S::Arithmetic::from_f64(value * gain);
    if columns == TOGETHER {
        for (to, &(row, scale)) in own.iter_mut().zip(rows) {
            let from = &b[3 * row as usize..3 * row as usize + 3];
            let zero = S::Arithmetic::default();
            *to = [convert(from[0]) * scale, convert(from[1]) * scale, convert(from[2]) * scale, zero];
        }
    } else {
        for (to, &(row, scale)) in own.iter_mut().zip(rows) {
            *to = Default::default();
            let from = &b[row as usize * columns + at..][..width];
            for (to, value) in to.iter_mut().zip(from) {
                *to = convert(*value) * scale;
            }
        }
    }
    rest
}

/// Runs `f` on every part and its piece of the vector, side by side where there are threads.
fn over_parts<S: Kernels>(
    parts: &mut [Part<S>],
    vector: &mut [Row<S>],
    f: &(impl Fn(&mut Part<S>, &mut [Row<S>]) + Sync),
) {
    match parts {
        [] => {}
        [part] => f(part, vector),
        _ => {
            let (left, right) = parts.split_at_mut(parts.len() / 2);
            let (first, second) = vector.split_at_mut(left.iter().map(|part| part.stream.rows()).sum());
            if rayon::current_num_threads() > 1 {
                rayon::join(|| over_parts(left, first, f), || over_parts(right, second, f));
            } else {
                over_parts(left, first, f);
                over_parts(right, second, f);
            }
        }
    }
}

/// max |bᵢ|, NaN ignored. Many lanes: each waits for its own last comparison only.
fn largest_magnitude(b: &[Real]) -> Real {
    let larger = |most: Real, value: &Real| if value.abs() > most { value.abs() } else { most };
    let mut lanes = [0.0; 32];
    let (chunks, rest) = b.as_chunks::<32>();
    for chunk in chunks {
        for (most, value) in lanes.iter_mut().zip(chunk) {
            *most = larger(*most, value);
        }
    }
    lanes.iter().chain(rest).fold(0.0, larger)
}

/// The power of two that brings a magnitude to about 2⁴⁰: room for growth above, and below for values that decay
/// over many rows before they become too small for fast arithmetic.
fn gain_for(largest: Real) -> Real {
    const TARGET: i32 = 40;
    let exponent = ((largest.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    2f64.powi((TARGET - exponent).clamp(-1000, 1000))
}
