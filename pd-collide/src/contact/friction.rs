//! Cone radii from the balance of forces, and multipliers at the end of a step.
//!
//! Coulomb's limit is μ times the normal force, but λ − κ g of an iterate that has not converged is noise of gaps times a
//! large κ, clipped at zero: its sum may be several times the load. What carries the load is known better: the gradient G of
//! inertia and elasticity, which contact must balance. So p̂ ≥ 0 is found from G ≈ Σ β n p̂ over rows near contact,
//! by some Jacobi sweeps that start at the p̂ before:
//!
//! r = G − Σ β n p̂,   p̂_c ← max(0, p̂_c + Σ_j β_j n·r_j / Σ_j |β_j| c_j),   c_j = Σ_c |β_jc|.
//!
//! An error of 5 µm in a gap is 10 N through Σκ but 8 mN through M/h².

use super::rows::{ROW_CHUNK, Rows};
use super::vector::Vec4;
use pd_core::Vec3;
use pd_core::exec::{self, VERTEX_CHUNK};
use rayon::prelude::*;

/// Sweeps of the balance.
const SWEEPS: usize = 4;

impl Rows {
    /// Whether any row has friction.
    pub fn has_friction(&self) -> bool {
        self.duals.iter().any(|dual| dual.static_friction > 0.0)
    }

    /// Makes cone radii from minus the gradient `b` of inertia and elasticity, N, at displacements d. `r` is scratch with an
    /// entry a vertex.
    pub fn balance(&mut self, d: &[Vec4], b: &[Vec3], r: &mut [Vec4]) {
        let work = self.arms.par_chunks(ROW_CHUNK).zip(self.duals.par_chunks_mut(ROW_CHUNK));
        work.zip(self.forces.par_chunks_mut(ROW_CHUNK)).for_each(|((arms, duals), forces)| {
            for ((arm, dual), force) in arms.iter().zip(duals).zip(forces) {
                let gap = arm.gap(arm.relative(d));
                let near = gap <= dual.near || dual.origin.0[3] - arm.stiffness * gap > 0.0;
                if !near {
                    dual.tangent.0[3] = 0.0;
                }
                *force = arm.normal * dual.tangent.0[3];
                force.0[3] = if near { 1.0 } else { 0.0 };
            }
        });
        for _ in 0..SWEEPS {
            self.imbalance(b, r);
            let shared = &*r;
            let work = self.arms.par_chunks(ROW_CHUNK).zip(self.duals.par_chunks_mut(ROW_CHUNK));
            work.zip(self.forces.par_chunks_mut(ROW_CHUNK)).for_each(|((arms, duals), forces)| {
                for ((arm, dual), force) in arms.iter().zip(duals).zip(forces) {
                    if force.0[3] == 0.0 {
                        continue;
                    }
                    let (mut push, mut count) = (0.0, 0.0);
                    for k in 0..4 {
                        let r = shared[arm.vertices[k] as usize];
                        push += arm.weights[k] * arm.normal.dot3(r);
                        count += arm.weights[k].abs() * r.0[3];
                    }
                    if count > 0.0 {
                        dual.tangent.0[3] = (dual.tangent.0[3] + push / count).max(0.0);
                    }
                    *force = arm.normal * dual.tangent.0[3];
                    force.0[3] = 1.0;
                }
            });
        }
    }

    /// r = G − Σ β n p̂ with G = −b; the fourth number is Σ|β|. Rows hold n p̂ in their force, the fourth number 1 if near.
    fn imbalance(&self, b: &[Vec3], r: &mut [Vec4]) {
        exec::for_each_chunk(&mut r[..b.len()], VERTEX_CHUNK, |first, r| {
            for (k, r) in r.iter_mut().enumerate() {
                let entries = self.entries_of(first + k);
                let (mut sum, mut count) = (Vec4::default(), 0.0);
                for &(row, weight) in entries {
                    let f = self.forces[row as usize];
                    sum = sum + f * weight;
                    count += weight.abs() * f.0[3];
                }
                *r = if entries.is_empty() { Vec4::default() } else { Vec4::from_f64(&-b[first + k]) - sum };
                r.0[3] = count;
            }
        });
    }

    /// Multipliers after a step that ended at displacements d: λ ← p, λ_t ← z within its disk.
    pub fn update_multipliers(&mut self, d: &[Vec4]) {
        let work = self.arms.par_chunks(ROW_CHUNK).zip(self.duals.par_chunks_mut(ROW_CHUNK));
        work.for_each(|(arms, duals)| {
            for (arm, dual) in arms.iter().zip(duals) {
                let relative = arm.relative(d);
                let pressure = (dual.origin.0[3] - arm.stiffness * arm.gap(relative)).max(0.0);
                let (radius, limit) = (dual.tangent.0[3], dual.limit());
                let mut z = dual.traction(arm, relative);
                let size = z.dot3(z).sqrt();
                dual.sliding = size > limit;
                if dual.sliding {
                    z = z * (dual.kinetic_friction * radius / size.max(1e-30));
                }
                z.0[3] = radius;
                dual.tangent = z;
                dual.origin.0[3] = pressure;
            }
        });
    }
}
