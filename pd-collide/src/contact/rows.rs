//! Rows that may act in a step, in single precision about the reference positions.
//!
//! Normal part, an augmented Lagrangian:  φ = max(0, λ − κ g)²/(2κ),  p = max(0, λ − κ g).
//! Friction, its dual of the last step in λ_t:  u = (I − nnᵀ) Σβ (x − x⁰),  z = λ_t + κ u, limit ℓ = μ p̂;
//! ψ = |z|²/(2κ) where |z| ≤ ℓ, else (ℓ|z| − ½ℓ²)/κ;  force on vertex j: β_j (p n − min(1, ℓ/|z|) z).
//!
//! All is C¹ with bounded curvature, and convex for fixed normals and p̂. Positions enter as differences d from the
//! reference, so single precision resolves 1e-10 m. A pass over rows writes the force of each row; a pass over vertices
//! gathers them in the order of the rows: the same bits for any number of threads.

use super::ease::Eased;
use super::memory::Chosen;
use super::row::Row;
use super::vector::Vec4;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Real, Vec3};
use rayon::prelude::*;

/// Rows handled by one task.
pub(crate) const ROW_CHUNK: usize = 512;

/// Rows of one vertex for which there is room from the start.
const GROUP: usize = 1024;

/// Geometry and present stiffness of a row: a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Arm {
    pub(crate) vertices: [u32; 4],
    pub(crate) weights: [f32; 4],
    /// Normal; the fourth is the gap at the reference.
    pub(crate) normal: Vec4,
    /// κ.
    pub(crate) stiffness: f32,
    /// κ if the row is pressed, else 0.
    pub(crate) normal_stiffness: f32,
    /// Of friction: κ where it sticks, κ ℓ/|z| where it slides.
    pub(crate) tangent_stiffness: f32,
    /// Number of the row in the list.
    pub(crate) row: u32,
}

impl Arm {
    /// Σ β_j d_j.
    #[inline(always)]
    pub(crate) fn relative(&self, d: &[Vec4]) -> Vec4 {
        let at = |k: usize| d[self.vertices[k] as usize] * self.weights[k];
        (at(0) + at(1)) + (at(2) + at(3))
    }

    #[inline(always)]
    pub(crate) fn gap(&self, relative: Vec4) -> f32 {
        self.normal.0[3] + self.normal.dot3(relative)
    }
}

/// What a row remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Dual {
    /// Σβ x⁰ about the reference; the fourth is λ.
    pub(crate) origin: Vec4,
    /// λ_t; the fourth is p̂.
    pub(crate) tangent: Vec4,
    pub(crate) static_friction: f32,
    pub(crate) kinetic_friction: f32,
    /// Gap below which the row may carry load.
    pub(crate) near: f32,
    pub(crate) sliding: bool,
}

impl Dual {
    #[inline(always)]
    pub(crate) fn limit(&self) -> f32 {
        let friction = if self.sliding { self.kinetic_friction } else { self.static_friction };
        friction * self.tangent.0[3]
    }

    /// z = λ_t + κ u.
    #[inline(always)]
    pub(crate) fn traction(&self, arm: &Arm, relative: Vec4) -> Vec4 {
        let u = relative - self.origin;
        let u = u - arm.normal * arm.normal.dot3(u);
        let mut z = self.tangent + u * arm.stiffness;
        z.0[3] = 0.0;
        z
    }
}

/// The rows of a step.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub(crate) arms: Vec<Arm>,
    pub(crate) duals: Vec<Dual>,
    /// Force of each row, N.
    pub(crate) forces: Vec<Vec4>,
    /// By vertex: rows and weights.
    pub(crate) offsets: Vec<u32>,
    pub(crate) entries: Vec<(u32, f32)>,
    next: Vec<u32>,
    pub(crate) body: Vec<u32>,
    pub(crate) chosen: Vec<Chosen>,
    pub(crate) eased: Vec<Eased>,
    /// Whether a row overlaps at the start of the step.
    pub(crate) overlaps: bool,
    partial: Vec<(Real, usize)>,
    /// Vertices that are pushed come first.
    free: usize,
}

impl Rows {
    /// Makes room for so many rows over so many vertices, the first `free` of which belong to the model.
    pub fn prepare(&mut self, vertices: usize, free: usize, capacity: usize) {
        self.clear();
        self.reserve(capacity);
        self.offsets.clear();
        self.offsets.resize(vertices + 1, 0);
        self.next.clear();
        self.next.resize(vertices + 1, 0);
        self.free = free;
    }

    /// Makes room for so many rows in all; those that are there stay.
    pub fn reserve(&mut self, capacity: usize) {
        let more = |len: usize, wanted: usize| wanted.saturating_sub(len);
        self.arms.reserve(more(self.arms.len(), capacity));
        self.duals.reserve(more(self.duals.len(), capacity));
        self.forces.reserve(more(self.forces.len(), capacity));
        self.entries.reserve(more(self.entries.len(), 4 * capacity));
        self.eased.reserve(more(self.eased.len(), capacity));
        self.partial.reserve(more(self.partial.len(), capacity.div_ceil(ROW_CHUNK)));
        self.chosen.reserve(more(self.chosen.len(), capacity.min(GROUP)));
    }

    /// How many rows there is room for.
    pub fn capacity(&self) -> usize {
        self.arms
            .capacity()
            .min(self.duals.capacity())
            .min(self.forces.capacity())
            .min(self.entries.capacity() / 4)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.arms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.arms.clear();
        self.duals.clear();
    }

    /// Adds a row of the list with what it remembers.
    pub(crate) fn push(&mut self, number: usize, row: &Row, dual: Dual) {
        let n = row.normal;
        self.arms.push(Arm {
            vertices: row.vertices,
            weights: row.weights.map(|w| w as f32),
            normal: Vec4([n.x as f32, n.y as f32, n.z as f32, row.gap as f32]),
            stiffness: row.stiffness as f32,
            normal_stiffness: 0.0,
            tangent_stiffness: 0.0,
            row: number as u32,
        });
        self.duals.push(dual);
    }

    /// Completes the rows after the last was added: who gathers what. Only vertices whose `compliance` is not zero do.
    pub(crate) fn index(&mut self, compliance: &[Real]) {
        self.forces.clear();
        self.forces.resize(self.arms.len(), Vec4::default());
        self.next.fill(0);
        let pushed = |arm: &Arm, k: usize| {
            arm.weights[k] != 0.0
                && (arm.vertices[k] as usize) < self.free
                && compliance[arm.vertices[k] as usize] > 0.0
        };
        for arm in &self.arms {
            for k in (0..4).filter(|&k| pushed(arm, k)) {
                self.next[arm.vertices[k] as usize + 1] += 1;
            }
        }
        for i in 1..self.next.len() {
            self.next[i] += self.next[i - 1];
        }
        self.offsets.copy_from_slice(&self.next);
        self.entries.clear();
        self.entries.resize(self.offsets.last().map_or(0, |&end| end as usize), (0, 0.0));
        for (number, arm) in self.arms.iter().enumerate() {
            for k in (0..4).filter(|&k| pushed(arm, k)) {
                let place = &mut self.next[arm.vertices[k] as usize];
                self.entries[*place as usize] = (number as u32, arm.weights[k]);
                *place += 1;
            }
        }
    }

    /// Energy of all rows at displacements d, J, and how many are pressed; leaves forces and stiffnesses.
    pub fn evaluate(&mut self, d: &[Vec4]) -> (Real, usize) {
        let chunks = self.arms.len().div_ceil(ROW_CHUNK);
        self.partial.clear();
        self.partial.resize(chunks, (0.0, 0));
        let work = self.arms.par_chunks_mut(ROW_CHUNK).zip(self.duals.par_chunks(ROW_CHUNK));
        work.zip(self.forces.par_chunks_mut(ROW_CHUNK)).zip(&mut self.partial).for_each(
            |(((arms, duals), forces), partial)| {
                let (mut energy, mut pressed) = (0.0, 0);
                for ((arm, dual), force) in arms.iter_mut().zip(duals).zip(forces) {
                    let (e, f) = evaluate_row(arm, dual, d);
                    *force = f;
                    energy += Real::from(e);
                    pressed += usize::from(arm.normal_stiffness > 0.0);
                }
                *partial = (energy, pressed);
            },
        );
        self.partial.iter().fold((0.0, 0), |(e, n), p| (e + p.0, n + p.1))
    }

    /// b ← b + Σ β f, by vertex.
    pub fn gather(&self, b: &mut [Vec3]) {
        exec::for_each_chunk(b, VERTEX_CHUNK, |first, b| {
            for (k, b) in b.iter_mut().enumerate() {
                let f = self.gathered(first + k);
                *b += f.to_f64();
            }
        });
    }

    /// Whether a vertex takes part in any row.
    #[inline(always)]
    pub fn touches(&self, vertex: usize) -> bool {
        self.offsets[vertex] != self.offsets[vertex + 1]
    }

    #[inline(always)]
    pub(crate) fn entries_of(&self, vertex: usize) -> &[(u32, f32)] {
        &self.entries[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }

    #[inline(always)]
    fn gathered(&self, vertex: usize) -> Vec4 {
        let mut sum = Vec4::default();
        for &(row, weight) in self.entries_of(vertex) {
            sum = sum + self.forces[row as usize] * weight;
        }
        sum
    }

    /// y ← y + K q with the stiffness of the last evaluation. `d` is room for q in single precision; its part beyond the
    /// model's vertices must be zero.
    pub fn multiply(&mut self, q: &[Vec3], d: &mut [Vec4], y: &mut [Vec3]) {
        load_difference(q, None, d);
        let (arms, d) = (&self.arms, &*d);
        exec::for_each_chunk(&mut self.forces, ROW_CHUNK, |first, forces| {
            for (arm, force) in arms[first..].iter().zip(forces) {
                let (kn, kt) = (arm.normal_stiffness, arm.tangent_stiffness);
                *force = if kn == 0.0 && kt == 0.0 {
                    Vec4::default()
                } else {
                    let relative = arm.relative(d);
                    let mut f = arm.normal * ((kn - kt) * arm.normal.dot3(relative)) + relative * kt;
                    f.0[3] = 0.0;
                    f
                };
            }
        });
        self.gather(y);
    }

    /// Contact's part of the diagonal block of a vertex: xx, yy, zz, xy, xz, yz.
    #[inline]
    pub fn block(&self, vertex: usize) -> [f32; 6] {
        let mut m = [0.0f32; 6];
        for &(row, weight) in self.entries_of(vertex) {
            let arm = &self.arms[row as usize];
            let (kn, kt) = (arm.normal_stiffness, arm.tangent_stiffness);
            let (w, n) = (weight * weight, &arm.normal.0);
            let s = w * (kn - kt);
            m[0] += s * n[0] * n[0] + w * kt;
            m[1] += s * n[1] * n[1] + w * kt;
            m[2] += s * n[2] * n[2] + w * kt;
            m[3] += s * n[0] * n[1];
            m[4] += s * n[0] * n[2];
            m[5] += s * n[1] * n[2];
        }
        m
    }

    /// Moves displacements towards where no gap is negative: one Jacobi sweep with equal masses. Returns how many rows
    /// were violated.
    pub fn project(&mut self, compliance: &[Real], d: &mut [Vec4]) -> usize {
        let shared = &*d;
        exec::for_each_chunk(&mut self.forces, ROW_CHUNK, |first, forces| {
            for (arm, force) in self.arms[first..].iter().zip(forces) {
                let gap = arm.gap(arm.relative(shared));
                *force = Vec4::default();
                if gap < 0.0 {
                    let moves = |k: usize| compliance[arm.vertices[k] as usize] > 0.0;
                    let w: f32 = (0..4).filter(|&k| moves(k)).map(|k| arm.weights[k] * arm.weights[k]).sum();
                    *force = arm.normal * (-gap / w.max(1e-6));
                    force.0[3] = 1.0;
                }
            }
        });
        let free = self.free.min(d.len());
        let this = &*self;
        exec::for_each_chunk(&mut d[..free], VERTEX_CHUNK, |first, d| {
            for (k, d) in d.iter_mut().enumerate() {
                let (mut sum, mut count) = (Vec4::default(), 0.0);
                for &(row, weight) in this.entries_of(first + k) {
                    let f = this.forces[row as usize];
                    sum = sum + f * weight;
                    count += weight.abs() * f.0[3];
                }
                if count > 0.0 {
                    let mut step = sum * (1.0 / count.max(1.0));
                    step.0[3] = 0.0;
                    *d = *d + step;
                }
            }
        });
        self.forces.iter().filter(|f| f.0[3] > 0.0).count()
    }

    /// Least gap at displacements d, rest distance included, m, over rows of the list in `rows`.
    pub fn least_gap(&self, rows: &[Row], d: &[Vec4]) -> Real {
        let leaf = |range: std::ops::Range<usize>| {
            range
                .map(|k| {
                    let arm = &self.arms[k];
                    let row = &rows[arm.row as usize];
                    row.gap + Real::from(arm.normal.dot3(arm.relative(d))) + row.offset
                })
                .fold(Real::INFINITY, Real::min)
        };
        exec::reduce(0..self.arms.len(), ROW_CHUNK, &leaf, &Real::min)
    }
}

#[inline(always)]
fn evaluate_row(arm: &mut Arm, dual: &Dual, d: &[Vec4]) -> (f32, Vec4) {
    let relative = arm.relative(d);
    let pressure = dual.origin.0[3] - arm.stiffness * arm.gap(relative);
    arm.normal_stiffness = if pressure > 0.0 { arm.stiffness } else { 0.0 };
    arm.tangent_stiffness = 0.0;
    let limit = dual.limit();
    if pressure <= 0.0 && limit <= 0.0 {
        return (0.0, Vec4::default());
    }
    let p = pressure.max(0.0);
    let (mut twice, mut force) = (p * p, arm.normal * p);
    if limit > 0.0 {
        let z = dual.traction(arm, relative);
        let square = z.dot3(z);
        if square <= limit * limit {
            twice += square;
            force = force - z;
            arm.tangent_stiffness = arm.stiffness;
        } else {
            let size = square.sqrt();
            twice += limit * (2.0 * size - limit);
            force = force - z * (limit / size);
            arm.tangent_stiffness = arm.stiffness * (limit / size);
        }
    }
    force.0[3] = 0.0;
    (0.5 * twice / arm.stiffness, force)
}

/// d = x − reference in single precision, for the vertices of x; others stay.
pub fn load_difference(x: &[Vec3], reference: Option<&[Vec3]>, d: &mut [Vec4]) {
    let many = x.len().min(d.len());
    exec::for_each_chunk(&mut d[..many], VERTEX_CHUNK, |first, d| {
        for (k, d) in d.iter_mut().enumerate() {
            let from = reference.map_or_else(Vec3::zeros, |r| r[first + k]);
            *d = Vec4::from_f64(&(x[first + k] - from));
        }
    });
}
