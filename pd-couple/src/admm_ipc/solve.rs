//! The iteration: elastic local step, contact local step, one prefactored solve, one clamp.
//!
//! ```text
//! minimise Σ m/(2h²) |x − s|² + E(x) + κ Σ b(d²)          vertices of solids, and points that may touch them
//! repeat: z = prox_E(D x + u),   u += D x − z             elastic copies
//!         q = prox_b(x + w),     w += x − q               contact copies, pair by pair
//!         (M/h² + DᵀWD + R) Δ = M/h² (s − x) − DᵀW(D x − z + u) − Σ r (x − q + w),   x += Δ
//! y += t (x − y),  t = min(1, 0.9 first touch)
//! ```
//! y are the positions that are handed out: they begin where the step does and follow x as far as nothing touches; where that is
//! not all the way, the step is reported as stalled. (The thesis clamps x itself in every iteration. Then multipliers wind up
//! while x waits, and x comes nearer to the surface by nine tenths every time.)
//!
//! R is diagonal and constant, so the matrix is factored once: a point that n pairs touch gives each of them the weight R/n, and
//! where none does R only damps the iteration, since the equation is one of increments. Forces r w stay when shares change. At a
//! fixed point the copies are equal to x = y and all forces balance: the minimum of the barrier problem. R = 6√(m/h² · A):
//! the root is between the softest and the stiffest way a vertex can be moved, and the factor outweighs the negative curvature of
//! the barrier along a surface; with 2 points near several triangles of a stiff body circle for ever.

use super::contact::{Pair, free_part};
use pd_collide::barrier::LogBarrier;
use pd_core::exec::{self, ELEMENT_CHUNK};
use pd_core::{EnergyBatch, GlobalSolver, Model, Real, StepError, Vec3, as_flat, as_flat_mut};
use std::ops::Range;

/// R over √(m/h² · A).
const FIRM: Real = 6.0;

/// The way to where an iteration ended was not free: it was cut off before it converged, or a point sits between surfaces that
/// close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stalled {
    /// Part of the way that was gone, by all points alike.
    pub part: Real,
    /// Iterations taken.
    pub iterations: usize,
    /// The point that touches first.
    pub point: u32,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    pub(crate) iterations: usize,
    /// Largest of: distance of copies from their points, way of a point in the last iteration, m.
    pub(crate) left: Real,
    pub(crate) stalled: Option<Stalled>,
}

/// When an iteration ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Until {
    pub(crate) iterations: usize,
    /// m.
    pub(crate) left: Real,
}

/// Scratch of the iteration.
pub(crate) struct Solver {
    global: Box<dyn GlobalSolver>,
    elastic: usize,
    /// m/h² and R of every point, N/m; kinematic vertices have none.
    inertia: Vec<Real>,
    weight: Vec<Real>,
    first_row: Vec<usize>,
    dx: Vec<Vec3>,
    z: Vec<Vec3>,
    u: Vec<Vec3>,
    right: Vec<Vec3>,
    direction: Vec<Vec3>,
    /// Positions of the iteration, which may cross.
    x: Vec<Vec3>,
    /// Pairs that each point is near to, and those that it touches.
    near: Vec<u32>,
    touching: Vec<u32>,
    /// Points that are no vertices and have pairs.
    loose: Vec<u32>,
    /// Stiffness of the barrier, times the square of its distance, N/m.
    stiffness: Real,
}

impl Solver {
    pub(crate) fn new(global: Box<dyn GlobalSolver>) -> Self {
        let [dx, z, u, right, direction, x] = [const { Vec::new() }; 6];
        Self {
            global,
            elastic: 0,
            inertia: vec![],
            weight: vec![],
            first_row: vec![],
            dx,
            z,
            u,
            right,
            direction,
            x,
            near: vec![],
            touching: vec![],
            loose: vec![],
            stiffness: 0.0,
        }
    }

    /// Factors the matrix. `masses` are those of all points, vertices first.
    pub(crate) fn prepare(&mut self, model: &Model, masses: &[Real], dt: Real) -> Result<(), StepError> {
        self.elastic = model.vertices();
        let inverse = 1.0 / (dt * dt);
        self.inertia.clear();
        self.inertia.extend(masses.iter().map(|m| m * inverse));
        self.weight.clear();
        self.weight.extend(self.inertia.iter().map(|inertia| FIRM * inertia));
        let mut matrix = model.system_matrix(dt);
        let diagonal = matrix.diagonal();
        for (i, d) in diagonal.iter().enumerate() {
            self.weight[i] = FIRM * (self.inertia[i] * d).sqrt();
        }
        let pattern = matrix.pattern().clone();
        for (row, values) in pattern.offsets().windows(2).enumerate() {
            let place = pattern.row(row).iter().position(|&column| column as usize == row);
            if let Some(k) = place.filter(|_| !model.is_kinematic(row)) {
                matrix.values_mut()[values[0] + k] += self.weight[row];
            }
        }
        if self.elastic > 0 {
            self.global.analyse(&pattern)?;
            self.global.factor(&matrix)?;
        }
        self.first_row.clear();
        self.first_row.push(0);
        for batch in model.batches() {
            let rows = self.first_row.last().copied().unwrap_or(0) + batch.stencil().rows();
            self.first_row.push(rows);
        }
        for rows in [&mut self.dx, &mut self.z, &mut self.u] {
            rows.clear();
            rows.resize(model.rows(), Vec3::zeros());
        }
        let free = (0..self.elastic).filter(|&i| !model.is_kinematic(i));
        let all = free.map(|i| diagonal[i]).chain(self.inertia[self.elastic..].iter().copied());
        let (sum, count) = all.fold((0.0, 0usize), |(sum, count), d| (sum + d, count + 1));
        // b″ of the barrier at half its distance is 23.8/d̂²: as stiff there as the matrix is on the average.
        self.stiffness = sum / count.max(1) as Real / 23.8;
        Ok(())
    }

    /// A pair that begins at `x`, with its barrier.
    pub(crate) fn pair(&self, points: [u32; 4], barrier: LogBarrier, x: &[Vec3]) -> Pair {
        let q = points.map(|i| x[i as usize]);
        let kappa = self.stiffness / barrier.distance().powi(2);
        Pair { points, barrier, kappa, feels: false, weights: [0.0; 4], q, w: [Vec3::zeros(); 4] }
    }

    /// From the positions `y`, where nothing touches, towards the minimum with the targets `s`; `y` never crosses a pair.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        s: &[Vec3],
        y: &mut [Vec3],
        pairs: &mut [Pair],
        until: Until,
    ) -> Result<Solved, StepError> {
        self.begin(s, y, pairs);
        let mut solved = Solved::default();
        for iteration in 1..=until.iterations {
            solved.iterations = iteration;
            self.elastic_local(model);
            self.share(pairs);
            let x = &self.x;
            exec::for_each_chunk(pairs, 16, |_, pairs| pairs.iter_mut().for_each(|pair| pair.local(x)));
            let way = self.global(model, s, pairs)?;
            let apart = pairs.iter().map(|pair| pair.residual(&self.x)).fold(0.0, Real::max);
            solved.left = way.max(apart);
            if solved.left <= until.left {
                break;
            }
        }
        let (part, point) = self.clamp(y, pairs);
        if part < 1.0 {
            solved.stalled = Some(Stalled { part, iterations: solved.iterations, point });
        }
        for (y, x) in y.iter_mut().zip(&self.x) {
            *y += (x - *y) * part;
        }
        Ok(solved)
    }

    fn begin(&mut self, s: &[Vec3], y: &mut [Vec3], pairs: &[Pair]) {
        let points = y.len();
        self.u.fill(Vec3::zeros());
        for vectors in [&mut self.right, &mut self.direction] {
            vectors.clear();
            vectors.resize(points, Vec3::zeros());
        }
        self.near.clear();
        self.near.resize(points, 0);
        pairs.iter().flat_map(|pair| pair.points).for_each(|i| self.near[i as usize] += 1);
        self.loose.clear();
        for i in self.elastic..points {
            if self.near[i] > 0 {
                self.loose.push(i as u32);
            } else {
                y[i] = s[i];
            }
        }
        // From the inertial targets, as all methods of implicit Euler here, but no farther than to the first touch where pairs
        // are: beyond, the copies of different pairs may take different ways around.
        self.x.clear();
        self.x.extend_from_slice(s);
        let (part, _) = self.clamp(y, pairs);
        for (i, y) in y.iter().enumerate().filter(|(i, _)| self.near[*i] > 0) {
            self.x[i] = y + (s[i] - y) * part;
        }
    }

    /// Gives R of every point to the pairs that feel the barrier, in equal parts.
    fn share(&mut self, pairs: &mut [Pair]) {
        self.touching.clear();
        self.touching.resize(self.near.len(), 0);
        for pair in pairs.iter_mut() {
            pair.feels = pair.feels_barrier(&self.x);
            if pair.feels {
                pair.points.iter().for_each(|&i| self.touching[i as usize] += 1);
            }
        }
        for pair in pairs.iter_mut() {
            for k in 0..4 {
                let i = pair.points[k] as usize;
                let weight = self.weight[i] / Real::from(self.touching[i].max(1));
                if pair.feels {
                    pair.w[k] *= pair.weights[k] / weight;
                    pair.weights[k] = weight;
                }
            }
        }
    }

    /// z and u; dx becomes D x − z + u.
    fn elastic_local(&mut self, model: &Model) {
        let (first, x) = (&self.first_row, &self.x);
        over_rows(model, first, &mut self.dx, |batch, elements, rows| batch.gather(elements, x, rows));
        for ((z, dx), u) in self.z.iter_mut().zip(&self.dx).zip(&self.u) {
            *z = dx + u;
        }
        over_rows(model, first, &mut self.z, |batch, elements, rows| batch.prox(elements, 1.0, rows));
        for ((u, dx), z) in self.u.iter_mut().zip(&mut self.dx).zip(&self.z) {
            *u += *dx - z;
            *dx += *u - z;
        }
    }

    /// The prefactored solve; returns the farthest way of a point, m.
    fn global(&mut self, model: &Model, s: &[Vec3], pairs: &[Pair]) -> Result<Real, StepError> {
        let (n, inertia, x) = (self.elastic, &self.inertia, &mut self.x);
        model.gather_forces(&self.dx, |i| (s[i] - x[i]) * inertia[i], &mut self.right[..n]);
        for &i in &self.loose {
            let i = i as usize;
            self.right[i] = (s[i] - x[i]) * inertia[i];
        }
        for pair in pairs.iter().filter(|pair| pair.feels) {
            for k in 0..4 {
                let i = pair.points[k] as usize;
                self.right[i] -= (x[i] - pair.q[k] + pair.w[k]) * pair.weights[k];
            }
        }
        model.clear_kinematic(&mut self.right[..n]);
        if n > 0 {
            self.direction[..n].fill(Vec3::zeros());
            self.global.solve(as_flat(&self.right[..n]), as_flat_mut(&mut self.direction[..n]), 3)?;
        }
        for &i in &self.loose {
            let i = i as usize;
            self.direction[i] = self.right[i] / (self.inertia[i] + self.weight[i]);
        }
        let mut way: Real = 0.0;
        for (x, step) in x.iter_mut().zip(&self.direction) {
            way = way.max(step.norm());
            *x += step;
        }
        model.place_kinematic(&mut x[..n]);
        Ok(way)
    }

    /// The part of the way from `y` to `self.x` on which no pair touches, and the point that ends it.
    fn clamp(&self, y: &[Vec3], pairs: &[Pair]) -> (Real, u32) {
        let leaf = |range: Range<usize>| {
            let parts = pairs[range].iter().map(|pair| {
                let at = |from: &[Vec3]| pair.points.map(|i| from[i as usize]);
                (free_part(at(y), at(&self.x)), pair.points[0])
            });
            parts.fold((1.0, u32::MAX), |least, one| if one.0 < least.0 { one } else { least })
        };
        let least = |a: (Real, u32), b: (Real, u32)| if b.0 < a.0 { b } else { a };
        if pairs.is_empty() {
            return (1.0, u32::MAX);
        }
        exec::reduce(0..pairs.len(), ELEMENT_CHUNK, &leaf, &least)
    }
}

/// Runs `f(batch, elements, their rows)` over chunks of the rows of D, in parallel.
fn over_rows(
    model: &Model,
    first_row: &[usize],
    rows: &mut [Vec3],
    f: impl Fn(&dyn EnergyBatch, Range<usize>, &mut [Vec3]) + Sync,
) {
    for (batch, first) in model.batches().iter().zip(first_row.windows(2)) {
        let d = batch.stencil().rows_per_element();
        if d > 0 {
            exec::for_each_chunk(&mut rows[first[0]..first[1]], ELEMENT_CHUNK * d, |row, rows| {
                let start = row / d;
                f(batch.as_ref(), start..start + rows.len() / d, rows);
            });
        }
    }
}
