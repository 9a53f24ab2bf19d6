//! Grains in water: buoyancy and drag, exchanged with the water around.
//!
//! A grain of radius a and volume V sees the water within R = max(4 r, 2a), r being half the distance between material points,
//! with weights w_j ∝ V_j (1 − q²)³, q = distance/R, that sum to one. Σ V_j W_j with the normalised kernel W = 315/(64πR³) (1 − q²)³ is
//! the part of its surroundings that is water, s ≤ 1. With the water's mean velocity u = Σ w_j u_j:
//!
//! - buoyancy J_b = s ρ V Σ w_j (Δu_j − h g): the pressure gradient that the water itself accelerated under in this step, which is
//!   −ρg at rest and nothing in free fall;
//! - drag J_d = −s β h (v − u)/(1 + s β h m⁻¹), implicit with the effective mass m⁻¹ = 1/m + Σ w_j²/m_j, β = 6πμa (1 + 0.15 Re^0.687) up
//!   to Re = 2aρ|v − u|/μ = 1000 and ½ · 0.44 ρπa²|v − u| beyond (Schiller, Naumann 1933; Newton).
//!
//! The grain gains J and every point loses w_j J, so momentum is exact. Grains come one after another in their order.

use crate::Layout;
use pd_collide::broad::{BroadPhase, LinearBvh};
use pd_core::{Aabb, Real, Vec3};
use std::f64::consts::PI;

/// Reynolds number from which on drag is Newton's, and its coefficient there.
const NEWTON: (Real, Real) = (1000.0, 0.44);

/// Finds the water around grains; holds scratch.
#[derive(Default)]
pub(crate) struct Immersion {
    tree: LinearBvh,
    boxes: Vec<Aabb>,
    queries: Vec<Aabb>,
    asked: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    before: Vec<Vec3>,
    after: Vec<Vec3>,
    weights: Vec<Real>,
}

/// A step.
#[derive(Clone, Copy)]
pub(crate) struct Dip<'a> {
    /// Positions after free motion.
    pub(crate) x: &'a [Vec3],
    pub(crate) gravity: Vec3,
    pub(crate) h: Real,
    /// Flags of material points that are not there; may be shorter than the points.
    pub(crate) idle: &'a [u64],
    /// Whether water feels the grains.
    pub(crate) react: bool,
}

/// β of the module's formula, kg/s.
fn drag(radius: Real, density: Real, viscosity: Real, speed: Real) -> Real {
    let reynolds = 2.0 * radius * density * speed / viscosity;
    if reynolds < NEWTON.0 {
        6.0 * PI * viscosity * radius * (1.0 + 0.15 * reynolds.powf(0.687))
    } else {
        0.5 * NEWTON.1 * density * PI * radius * radius * speed
    }
}

impl Immersion {
    /// Whether there are grains and water.
    fn applies(layout: &Layout) -> bool {
        layout.grains.is_some() && layout.material.is_some() && !layout.waters.is_empty()
    }

    /// Remembers velocities before free motion.
    pub(crate) fn begin(&mut self, layout: &Layout, v: &[Vec3]) {
        if Self::applies(layout) {
            self.before.clear();
            self.before.extend_from_slice(v);
        }
    }

    /// Exchanges the impulses of a step; velocities alone change.
    pub(crate) fn exchange(&mut self, layout: &Layout, dip: Dip<'_>, v: &mut [Vec3]) {
        let (Some(grains), Some(material)) = (&layout.grains, &layout.material) else { return };
        if !Self::applies(layout) || self.before.len() != v.len() {
            return;
        }
        self.after.clear();
        self.after.extend_from_slice(v);
        let first = material.points.start;
        for (water, viscosity) in &layout.waters {
            let spacing = 2.0 * material.radius[water.start - first];
            self.find(layout, &dip, water.clone(), spacing);
            let Self { pairs, before, after, weights, .. } = self;
            for group in pairs.chunk_by(|a, b| a[0] == b[0]) {
                let grain = group[0][0] as usize;
                let i = grains.points.start + grain;
                let (radius, mass) = (grains.radius[grain], grains.mass[grain]);
                let reach = support(radius, spacing);
                let (mut sum, mut share, mut volumes) = (0.0, 0.0, 0.0);
                weights.clear();
                for pair in group {
                    let j = pair[1] as usize;
                    let q = (dip.x[j] - dip.x[i]).norm_squared() / (reach * reach);
                    let volume = (2.0 * material.radius[j - first]).powi(3);
                    let weight = volume * (1.0 - q).max(0.0).powi(3);
                    weights.push(weight);
                    sum += weight;
                    share += weight * material.mass[j - first];
                    volumes += weight * volume;
                }
                if sum <= 0.0 {
                    continue;
                }
                weights.iter_mut().for_each(|weight| *weight /= sum);
                let wet = (sum * 315.0 / (64.0 * PI * reach.powi(3))).min(1.0);
                let density = share / volumes;
                let (mut flow, mut gained, mut inverse) = (Vec3::zeros(), Vec3::zeros(), 1.0 / mass);
                for (pair, &w) in group.iter().zip(&*weights) {
                    let j = pair[1] as usize;
                    flow += v[j] * w;
                    gained += (after[j] - before[j]) * w;
                    inverse += if dip.react { w * w / material.mass[j - first] } else { 0.0 };
                }
                let displaced = wet * density * 4.0 / 3.0 * PI * radius.powi(3);
                let relative = v[i] - flow;
                let beta = wet * dip.h * drag(radius, density, *viscosity, relative.norm());
                let impulse =
                    (gained - dip.gravity * dip.h) * displaced - relative * (beta / (1.0 + beta * inverse));
                v[i] += impulse / mass;
                if dip.react {
                    for (pair, &w) in group.iter().zip(&*weights) {
                        let j = pair[1] as usize;
                        v[j] -= impulse * (w / material.mass[j - first]);
                    }
                }
            }
        }
    }

    /// Fills `pairs` with [grain, point of this water] in ascending order.
    fn find(&mut self, layout: &Layout, dip: &Dip<'_>, water: std::ops::Range<usize>, spacing: Real) {
        let Some(grains) = &layout.grains else { return };
        let first = layout.material.as_ref().map_or(0, |set| set.points.start);
        let mut all = Aabb::empty();
        self.boxes.clear();
        for (grain, i) in grains.points.clone().enumerate() {
            let own = Aabb { min: dip.x[i], max: dip.x[i] }.grown(support(grains.radius[grain], spacing));
            all = all.union(&own);
            self.boxes.push(own);
        }
        self.queries.clear();
        self.asked.clear();
        for j in water {
            if all.contains(&dip.x[j]) && dip.idle.get(j - first).is_none_or(|&idle| idle == 0) {
                self.asked.push(j as u32);
                self.queries.push(Aabb { min: dip.x[j], max: dip.x[j] });
            }
        }
        self.pairs.clear();
        if self.asked.is_empty() {
            return;
        }
        self.tree.build(&self.boxes);
        self.tree.pairs_with(&self.queries, &mut self.pairs);
        for pair in &mut self.pairs {
            *pair = [pair[1], self.asked[pair[0] as usize]];
        }
        self.pairs.sort_unstable();
    }
}

/// R of the module's formula, m.
fn support(radius: Real, spacing: Real) -> Real {
    Real::max(2.0 * spacing, 2.0 * radius)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drag_is_that_of_stokes_and_of_newton() {
        let (a, rho, mu) = (1e-3, 1000.0, 1e-3);
        assert!((drag(a, rho, mu, 0.0) / (6.0 * PI * mu * a) - 1.0).abs() < 1e-12);
        // ½ ρ C πa² v with C = 0.44.
        let newton = 0.5 * rho * 0.44 * PI * a * a * 2.0;
        assert!((drag(a, rho, mu, 2.0) / newton - 1.0).abs() < 1e-12);
        // The two meet at Re = 1000 within half a percent.
        let (below, above) = (drag(a, rho, mu, 0.499_999), drag(a, rho, mu, 0.500_001));
        assert!((below / above - 1.0).abs() < 5e-3, "{below} {above}");
    }
}
