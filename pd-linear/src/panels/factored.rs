//! The factor ready to solve: packed panels of every part, and the vectors the sweeps run over.
//!
//! The parts are independent subtrees below the top. Each uses a private vector: its columns, a copy of the rows of the
//! top, and a dummy. The contributions of the parts to the top are added in a fixed order, so results do not depend on the
//! threads that ran them.

use super::Numbers;
use super::front::{factor, scaling};
use super::kernel::{Kernel, Kernels, Row, ScaledRow};
use super::pages::Pages;
use super::storage::Arithmetic;
use super::stream::Stream;
use super::symbolic::Symbolic;
use crate::vector::check_finite;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Csr, LinearError, Real};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Right-hand sides processed together: a row holds three.
const TOGETHER: usize = 3;

/// One part: its panels, its columns, and scratch.
struct Part<S: Kernels> {
    stream: Stream<S>,
    columns: Range<usize>,
    scratch: Vec<S::Arithmetic>,
    /// Largest magnitude of the right-hand side in its rows.
    largest: Real,
}

/// The numbers of the factor.
pub(super) struct Factored<S: Kernels> {
    kernel: Kernel<S>,
    /// The independent parts, then the top.
    parts: Vec<Part<S>>,
    /// Local vectors of all parts, one after another.
    vector: Pages<Row<S>>,
    /// In the order of elimination: the row of the matrix and its 1/√A_ii.
    rows: Pages<ScaledRow<S>>,
    /// For every row of the matrix: its place in `vector` and its 1/√A_ii.
    places: Pages<ScaledRow<S>>,
    /// The gain of the last solve, usually also that of the next.
    gain: Real,
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
                Part { stream: Stream::new(rows), columns, scratch: vec![], largest: 0.0 }
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
        Ok(Self {
            kernel,
            parts,
            vector,
            rows,
            places,
            gain: if S::Arithmetic::NARROW { gain_for(1.0) } else { 1.0 },
        })
    }

    /// Loads the right-hand side and sweeps forward, the top included. Returns the largest magnitude of the right-hand side.
    fn forward(&mut self, b: &[Real], window: Window) -> Real {
        let kernel = self.kernel;
        let Some((top, parts)) = self.parts.split_last_mut() else { return 0.0 };
        let split = self.vector.len() - top.stream.rows();
        let (vector, top_vector) = self.vector.split_at_mut(split);
        let rows = &self.rows;
        let load = |part: &mut Part<S>, vector: &mut [Row<S>]| {
            let (own, rest) = vector.split_at_mut(part.columns.len());
            part.largest = load(&kernel, &rows[part.columns.clone()], b, window, own);
            rest.fill(Default::default());
        };
        load(top, top_vector);
        over_parts(parts, vector, &|part, vector| {
            load(part, vector);
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
        self.parts.iter().fold(0.0, |most, part| part.largest.max(most))
    }

    /// Sweeps backward, the top first: leaves −x in the vector.
    fn backward(&mut self) {
        let kernel = self.kernel;
        let Some((top, parts)) = self.parts.split_last_mut() else { return };
        let split = self.vector.len() - top.stream.rows();
        let (vector, top_vector) = self.vector.split_at_mut(split);
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
            let good = if columns == TOGETHER {
                self.kernel.unload(places, &self.vector, back, x)
            } else {
                x.chunks_exact_mut(columns).zip(places).fold(true, |good, (x, &(place, scale))| {
                    let row = self.vector[place as usize].map(|value| (value * scale).to_f64() * back);
                    x[at..at + width].copy_from_slice(&row[..width]);
                    good && row.iter().all(|value| value.is_finite())
                })
            };
            if !good {
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
        for at in (0..columns).step_by(TOGETHER) {
            let mut window = Window { columns, at, width: TOGETHER.min(columns - at), gain: self.gain };
            let mut largest = self.forward(b, window);
            if S::Arithmetic::NARROW
                && largest > 0.0
                && largest.is_finite()
                && gain_for(largest) != window.gain
            {
                window.gain = gain_for(largest);
                self.gain = window.gain;
                largest = self.forward(b, window);
            }
            if largest.is_finite() {
                self.backward();
            }
            if !(largest.is_finite() && self.unload(x, window)) {
                check_finite(b, columns)?; // a right-hand side that is not finite is the caller's fault
                return Err(LinearError::Diverged { iteration: 1, residual: Real::INFINITY });
            }
        }
        Ok(())
    }
}

/// A copy of fixed size.
fn fixed<T: Copy + Default>(values: &[T]) -> Pages<T> {
    Pages::new(values, values.len(), T::default())
}

/// Puts a right-hand side, scaled, into the own rows of a part, and returns its largest magnitude there.
fn load<S: Kernels>(
    kernel: &Kernel<S>,
    rows: &[ScaledRow<S>],
    b: &[Real],
    window: Window,
    own: &mut [Row<S>],
) -> Real {
    let Window { columns, at, width, gain } = window;
    if columns == TOGETHER {
        return kernel.load(rows, b, gain, own);
    }
    let mut largest: Real = 0.0;
    for (to, &(row, scale)) in own.iter_mut().zip(rows) {
        *to = Default::default();
        for (to, value) in to.iter_mut().zip(&b[row as usize * columns + at..][..width]) {
            largest = largest.max(value.abs());
            *to = S::Arithmetic::from_f64(value * gain) * scale;
        }
    }
    largest
}

/// Runs `f` on every part and its piece of the vector, in parallel.
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

/// A power of two that brings a magnitude to between 2⁸ and 2⁷²: room for growth above, and below for values that decay
/// over many rows before they become too small for fast arithmetic. It depends only on the magnitude, so that a solve
/// does not depend on those before it, and takes few values, so that it is mostly that of the solve before.
fn gain_for(largest: Real) -> Real {
    let exponent = ((largest.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    2f64.powi((40 - 64 * (exponent + 32).div_euclid(64)).clamp(-1000, 1000))
}
