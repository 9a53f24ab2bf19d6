//! Overlap within the thickness at the start of a step, and how it is eased out.
//!
//! A row whose surfaces are nearer than δ before the step, g₀ < 0, must not throw them apart: δ/h is a speed of metres per
//! second. So the step only asks it to keep its gap, g(x) ≥ g₀, and afterwards bodies are displaced by p, which leaves no velocity
//! and no multiplier:
//!
//! min ½ pᵀ A p   such that   Σ β_j n·p_j ≥ e = min(0, g₀ + w) − g(x),
//!
//! w the part of −g₀ that is eased out in one step, −g₀ in as many equal parts as keep it below speed × h. Rows without overlap
//! have e = min(0, g) − g ≤ 0: they are not closed. A is the matrix of the step, so that bodies move as a whole where they are
//! stiff. The minimum is found by multipliers: forces f = max(0, λ + κ (e − Σ β n·p)), λ ← f.

use super::row::Row;
use super::rows::{ROW_CHUNK, Rows};
use super::vector::Vec4;
use pd_core::{Real, Vec3};
use rayon::prelude::*;

/// Overlap that iterations may leave, in δ: less is taken back in one step.
const LEFT: Real = 0.02;
/// And in what is eased out in a step: it leaves a velocity.
const LEFT_OF_WAY: Real = 0.25;

/// How fast overlap is eased out: the lesser of two distances in a step.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// In thicknesses of the row.
    pub part: Real,
    /// m.
    pub most: Real,
}

impl Pace {
    fn way(&self, row: &Row) -> Real {
        (self.part * row.offset).min(self.most)
    }
}

/// Of a row in an easing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Eased {
    /// e, m.
    need: f32,
    /// λ, N.
    multiplier: f32,
}

impl Rows {
    /// Where slip is measured from, and what gap each row asks for: displacements `d` and positions `start` at the start of the step of `dt`, s,
    /// and how overlap is eased out in it. `distance` is that of a point to the obstacle of a row at the
    /// start.
    pub fn begin(
        &mut self,
        list: &[Row],
        d: &[Vec4],
        start: &[Vec3],
        dt: Real,
        pace: Pace,
        distance: impl Fn(&Row, &Vec3) -> Real,
    ) {
        self.overlaps = false;
        for (arm, dual) in self.arms.iter_mut().zip(&mut self.duals) {
            let row = &list[arm.row as usize];
            let relative = arm.relative(d);
            let drift = Vec4::from_f64(&(row.drift * dt));
            let lambda = dual.origin.0[3];
            dual.origin = relative + drift;
            dual.origin.0[3] = lambda;
            arm.normal.0[3] = row.gap as f32;
            let left = -(LEFT * row.offset).min(LEFT_OF_WAY * pace.way(row));
            if Real::from(arm.gap(relative)) < left {
                // The row was made where bodies are expected: what counts is how near they were.
                let point = |k: usize| start[row.vertices[k] as usize] * row.weights[k];
                let between = (0..4).map(point).sum::<Vec3>();
                let gap = distance(row, &between) - row.offset;
                if gap < left {
                    arm.normal.0[3] -= gap as f32;
                    self.overlaps = true;
                }
            }
        }
    }

    /// Whether a row overlaps at the start of the step.
    pub fn overlap(&self) -> bool {
        self.overlaps
    }

    /// Begins an easing at displacements d: what each row needs. Returns the most that a row may be displaced, m; zero if none needs anything.
    pub fn open_ease(&mut self, list: &[Row], d: &[Vec4], pace: Pace) -> Real {
        let (mut any, mut most) = (false, 0.0);
        self.eased.clear();
        for arm in &self.arms {
            let row = &list[arm.row as usize];
            let kept = row.gap as f32 - arm.normal.0[3];
            let gap = arm.gap(arm.relative(d)) + kept;
            let target = if kept < 0.0 {
                let way = pace.way(row);
                most = Real::max(most, way);
                let steps = (Real::from(-kept) / way).ceil().max(1.0);
                kept - kept / steps as f32
            } else {
                gap.min(0.0)
            };
            self.eased.push(Eased { need: target - gap, multiplier: 0.0 });
            any |= target > gap;
        }
        if any { most } else { 0.0 }
    }

    /// Forces on rows at a displacement p, and their stiffness, `factor` times their own. Multipliers take over what is missing at p,
    /// unless it is where the easing begins.
    pub fn ease_forces(&mut self, p: &[Vec4], factor: f32, first: bool) {
        let work = self.arms.par_chunks_mut(ROW_CHUNK).zip(self.eased.par_chunks_mut(ROW_CHUNK));
        work.zip(self.forces.par_chunks_mut(ROW_CHUNK)).for_each(|((arms, eased), forces)| {
            for ((arm, eased), force) in arms.iter_mut().zip(eased).zip(forces) {
                let stiffness = factor * arm.stiffness;
                let missing = eased.need - arm.normal.dot3(arm.relative(p));
                if !first {
                    eased.multiplier = (eased.multiplier + stiffness * missing).max(0.0);
                }
                let pressure = eased.multiplier + stiffness * missing;
                arm.normal_stiffness = if pressure > 0.0 { stiffness } else { 0.0 };
                arm.tangent_stiffness = 0.0;
                *force = arm.normal * pressure.max(0.0);
                force.0[3] = 0.0;
            }
        });
    }

    /// Most that a row is short of what it needs at p, m.
    pub fn ease_missing(&self, p: &[Vec4]) -> Real {
        let rows = self.arms.iter().zip(&self.eased);
        rows.map(|(arm, eased)| eased.need - arm.normal.dot3(arm.relative(p))).fold(0.0, f32::max).into()
    }
}
