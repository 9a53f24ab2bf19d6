//! Restitution: surfaces that met part with a share of the speed at which they came.
//!
//! v_n⁺ ≥ −e v_n⁻ for rows that press or nearly touch and whose surfaces came with v_n⁻ < −2 g h: slower ones rest. Velocities alone are
//! changed, by impulses along the normals with the masses of the vertices, row after row (Gauss–Seidel); positions are where
//! the guard has them. Of bodies that deform the law holds at each contact, not for the body as a whole.

use super::GuardedPd;
use super::lists::material;
use pd_core::{Real, StepContext, Vec3, View};

/// Sweeps over all rows.
const SWEEPS: usize = 8;
/// Least speed of approach, in g h.
const FAST: Real = 2.0;

impl GuardedPd {
    pub(super) fn bounce(&self, context: &StepContext<'_>, state: &mut View<'_>) {
        let elastic = |material: Real| material > 0.0;
        if !(self.surface.bounces()
            || context
                .colliders
                .iter()
                .filter_map(|c| c.for_vertices())
                .any(|c| elastic(c.material().restitution)))
        {
            return;
        }
        let (model, rows) = (context.model, &self.list.rows);
        let slow = FAST * context.params.gravity.norm() * context.params.dt;
        let inverse =
            |v: u32| if model.is_kinematic(v as usize) { 0.0 } else { model.masses()[v as usize].recip() };
        for _ in 0..SWEEPS {
            for row in self.rows.touching(&self.scratch.d).map(|row| &rows[row]) {
                let speed = |v: &[Vec3]| {
                    let relative = (0..4).map(|k| v[row.vertices[k] as usize] * row.weights[k]).sum::<Vec3>();
                    row.normal.dot(&(relative - row.drift))
                };
                let before = speed(&self.scratch.velocity);
                if before >= -slow {
                    continue;
                }
                let missing = -material(context, &self.surface, row).restitution * before - speed(state.v);
                let ease: Real = (0..4).map(|k| row.weights[k].powi(2) * inverse(row.vertices[k])).sum();
                if missing > 0.0 && ease > 0.0 {
                    for k in (0..4).filter(|&k| row.weights[k] != 0.0) {
                        let v = row.vertices[k];
                        state.v[v as usize] += row.normal * (row.weights[k] * inverse(v) * missing / ease);
                    }
                }
            }
        }
    }
}
