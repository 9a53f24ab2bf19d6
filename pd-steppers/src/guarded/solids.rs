//! No tetrahedron of a solid turns inside out.
//!
//! J = det F of every element stays above [`LEAST`], or, where it is below already, above half of what it is. Of a trial y that
//! comes from an iterate x for which that holds, vertices of elements for which it would not go only a part of their way,
//!
//! y_i ← x_i + τ_i (y_i − x_i),   τ_i ← τ_i/2 as long as an element at vertex i is below its bound, after some halvings 0,
//!
//! so that only motion near the element is cut. With τ = 0 at all its corners an element is what it was at x: this always ends.
//! A surface that does not cross itself and elements none of which is inverted together map a solid one to one: what is inside stays
//! inside, and so outside of all obstacles.

use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Model, Real, Vec3};

/// Least J.
const LEAST: Real = 0.02;
/// Part of its J that an element with less keeps in an iteration.
const KEPT: Real = 0.5;
/// Halvings of the way of a vertex before it stays.
const HALVINGS: usize = 6;
/// Passes before all stay.
const PASSES: usize = 48;

/// Tetrahedra of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    /// Corners and 1/(6 V).
    tets: Vec<([u32; 4], Real)>,
    /// Elements of each vertex, one vertex after another.
    offsets: Vec<u32>,
    entries: Vec<u32>,
    /// Elements below their bound.
    low: Vec<bool>,
    /// τ of each vertex.
    parts: Vec<Real>,
    way: Vec<Vec3>,
}

impl Solids {
    /// All tetrahedra of a model, each once.
    pub(crate) fn new(model: &Model) -> Self {
        let mut tets = vec![];
        for batch in model.batches() {
            tets.extend((0..batch.stencil().elements()).filter_map(|element| batch.tetrahedron(element)));
        }
        // Strain and volume are batches of the same elements.
        let sorted = |corners: &[u32; 4]| {
            let mut sorted = *corners;
            sorted.sort_unstable();
            sorted
        };
        tets.sort_by_key(|(corners, _)| sorted(corners));
        tets.dedup_by_key(|(corners, _)| sorted(corners));
        if tets.is_empty() {
            return Self::default();
        }
        let n = model.vertices();
        let mut offsets = vec![0u32; n + 1];
        tets.iter().flat_map(|(corners, _)| corners).for_each(|&v| offsets[v as usize + 1] += 1);
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let (mut next, mut entries) = (offsets.clone(), vec![0; 4 * tets.len()]);
        for (k, (corners, _)) in tets.iter().enumerate() {
            for &v in corners {
                entries[next[v as usize] as usize] = k as u32;
                next[v as usize] += 1;
            }
        }
        let (low, parts) = (vec![false; tets.len()], vec![1.0; n]);
        Self { tets, offsets, entries, low, parts, way: vec![Vec3::zeros(); n] }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.tets.is_empty()
    }

    /// Shortens the ways from `from` to `to` until no element turns over that was not turned over before; returns how many vertices
    /// were held back.
    pub(crate) fn hold(&mut self, from: &[Vec3], to: &mut [Vec3]) -> usize {
        if self.tets.is_empty() || !self.find_low(from, to) {
            return 0;
        }
        self.parts.fill(1.0);
        for (way, (from, to)) in self.way.iter_mut().zip(from.iter().zip(&*to)) {
            *way = to - from;
        }
        for pass in 1.. {
            let (offsets, entries, low) = (&self.offsets, &self.entries, &self.low);
            exec::for_each_chunk(&mut self.parts, VERTEX_CHUNK, |first, parts| {
                for (k, part) in parts.iter_mut().enumerate() {
                    let own = offsets[first + k] as usize..offsets[first + k + 1] as usize;
                    if pass == PASSES {
                        *part = 0.0;
                    } else if entries[own].iter().any(|&element| low[element as usize]) {
                        *part = if pass <= HALVINGS { 0.5 * *part } else { 0.0 };
                    }
                }
            });
            let (parts, way) = (&self.parts, &self.way);
            exec::for_each_chunk(to, VERTEX_CHUNK, |first, to| {
                for (k, to) in to.iter_mut().enumerate().filter(|(k, _)| parts[first + k] < 1.0) {
                    *to = from[first + k] + way[first + k] * parts[first + k];
                }
            });
            if pass == PASSES || !self.find_low(from, to) {
                break;
            }
        }
        self.parts.iter().filter(|&&part| part < 1.0).count()
    }

    /// Marks elements below their bound; says whether there are any.
    fn find_low(&mut self, from: &[Vec3], to: &[Vec3]) -> bool {
        let tets = &self.tets;
        exec::for_each_chunk(&mut self.low, VERTEX_CHUNK, |first, low| {
            for (low, tet) in low.iter_mut().zip(&tets[first..]) {
                // False for what is not a number.
                let keeps = |least: Real| ratio(tet, to) >= least;
                *low = !keeps(LEAST) && {
                    let before = ratio(tet, from);
                    before > 0.0 && !keeps(KEPT * before)
                };
            }
        });
        self.low.contains(&true)
    }

    /// How many elements are inverted at x that were not at `from`.
    pub(crate) fn turned_over(&self, from: &[Vec3], x: &[Vec3]) -> usize {
        let upright = |k: usize, x: &[Vec3]| ratio(&self.tets[k], x) > 0.0;
        let leaf =
            |range: std::ops::Range<usize>| range.filter(|&k| !upright(k, x) && upright(k, from)).count();
        exec::reduce(0..self.tets.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b)
    }
}

/// det F.
#[inline]
fn ratio((corners, inverse): &([u32; 4], Real), x: &[Vec3]) -> Real {
    let last = x[corners[3] as usize];
    let [a, b, c] = [0, 1, 2].map(|k| x[corners[k] as usize] - last);
    a.dot(&b.cross(&c)) * inverse
}
