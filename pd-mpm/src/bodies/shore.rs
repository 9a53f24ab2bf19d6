//! Nodes around bodies: the volume that bodies leave them, and the rows by which bodies meet them.

use super::rows::{Row, solve};
use super::{bounds, sample};
use crate::blocks::{self, BIAS, Blocks};
use crate::kernel::{Kernel, inside_fraction};
use crate::transfer::nodes::specific_volume;
use crate::{MpmBody, MpmModel, Spline};
use pd_core::{Aabb, Bodies, Real, Surface, Vec3};

/// Times that all rows of a body are solved. The first is exact for a pressure that is the same all around.
const SWEEPS: usize = 3;

/// Nodes with less than this fraction of a full cell's mass count less: their velocities say little.
const THIN: Real = 0.05;

/// Sum of the weights from which on a point of the surface is in touch with matter.
const LEAST_WET: Real = 0.2;

/// The nodes that carry a point of a body's surface, with their weights; those without matter have weight zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stencil {
    node: [u32; 64],
    weight: [Real; 64],
}

/// Part of a node's kernel that lies outside of a body: that of a plane at the node's distance, which is exact for flat
/// surfaces, and what edges and curvature add, by the difference of two sums over eight points.
fn open_fraction(
    spline: Spline,
    surface: &Surface,
    offsets: &[Vec3; 8],
    around: &[Surface],
    dx: Real,
) -> Real {
    let inside = |distance: Real| (0.5 + distance / dx).clamp(0.0, 1.0);
    let bent = offsets.iter().zip(around).map(|(offset, other)| {
        inside(other.distance) - inside(surface.distance + offset.dot(&surface.normal))
    });
    (inside_fraction(spline, surface.distance / dx) + bent.sum::<Real>() / 8.0).clamp(0.0, 1.0)
}

/// What the nodes around bodies look like.
#[derive(Default)]
pub(crate) struct Shore {
    /// Part of the kernel of each node that is outside of all bodies.
    open: Vec<Real>,
    rows: Vec<Row>,
    stencils: Vec<Stencil>,
    /// Sum of the weights of all rows for each node.
    load: Vec<Real>,
}

impl Shore {
    /// Gives the nodes near bodies the volume that bodies leave them.
    pub(crate) fn volumes(
        &mut self,
        model: &MpmModel,
        bodies: &Bodies,
        blocks: &Blocks,
        grid: &mut [[Real; 4]],
        masses: &[Real],
        rest: Real,
    ) {
        self.open.clear();
        self.open.resize(grid.len(), 1.0);
        let (dx, near) = (model.dx, 1.5 * model.dx);
        // The second moment of the eight points along an axis, with the cell that each stands for, is that of the spline.
        let reach = dx
            * match model.spline {
                Spline::Quadratic => Real::sqrt(1.0 / 4.0 - 1.0 / 12.0),
                Spline::Cubic => Real::sqrt(1.0 / 3.0 - 1.0 / 12.0),
            };
        let sign = |k: usize, bit: usize| if k >> bit & 1 == 0 { -reach } else { reach };
        let offsets: [Vec3; 8] = std::array::from_fn(|k| Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2)));
        let mut surfaces = [Surface::default(); 64];
        let mut around = [Surface::default(); 8];
        for body in &model.bodies {
            let (p, q) = (&bodies.p[body.body], &bodies.q[body.body]);
            let bounds = bounds(body, p, q).grown(near);
            for (block, &key) in blocks.touched.iter().enumerate() {
                let Some(places) = places(model, key, &bounds) else { continue };
                sample(body, p, q, &places, &mut surfaces);
                for (k, surface) in surfaces.iter().enumerate().filter(|(_, s)| s.distance < near) {
                    let corners = offsets.map(|o| places[k] + o);
                    sample(body, p, q, &corners, &mut around);
                    self.open[64 * block + k] *= open_fraction(model.spline, surface, &offsets, &around, dx);
                }
            }
        }
        for (block, &key) in blocks.touched.iter().enumerate() {
            let first = blocks::first_node(key).map(|n| n - BIAS);
            for k in (0..64).filter(|k| self.open[64 * block + k] < 1.0) {
                let place =
                    [first[0] + (k as i32 >> 4), first[1] + (k as i32 >> 2 & 3), first[2] + (k as i32 & 3)];
                let volume = self.open[64 * block + k] * model.volume_at(place);
                grid[64 * block + k][3] = specific_volume(volume, masses[64 * block + k], rest);
            }
        }
    }

    /// Lets a body and the nodes around it meet; returns the impulse on the body, kg·m/s.
    pub(crate) fn meet<K: Kernel>(
        &mut self,
        model: &MpmModel,
        body: &MpmBody,
        bodies: &mut Bodies,
        blocks: &Blocks,
        grid: &mut [[Real; 4]],
        masses: &[Real],
    ) -> Vec3 {
        self.collect::<K>(model, body, bodies, blocks, masses);
        let mut total = Vec3::zeros();
        for _ in 0..SWEEPS {
            for (row, stencil) in self.rows.iter_mut().zip(&self.stencils) {
                let mut u = Vec3::zeros();
                for (&node, &weight) in stencil.node.iter().zip(&stencil.weight).filter(|(_, w)| **w > 0.0) {
                    let node = &grid[node as usize];
                    u += Vec3::new(node[0], node[1], node[2]) * weight;
                }
                row.speed = row.normal.dot(&u);
            }
            let stencils = &self.stencils;
            total += solve(model.coupling, body, bodies, &mut self.rows, |row, impulse| {
                let stencil = &stencils[row];
                for (&node, &weight) in stencil.node.iter().zip(&stencil.weight).filter(|(_, w)| **w > 0.0) {
                    let push = impulse * (weight / masses[node as usize]);
                    (0..3).for_each(|a| grid[node as usize][a] += push[a]);
                }
            });
        }
        total
    }

    /// A row for each node next to the surface, at the point of the surface nearest to it.
    fn collect<K: Kernel>(
        &mut self,
        model: &MpmModel,
        body: &MpmBody,
        bodies: &Bodies,
        blocks: &Blocks,
        masses: &[Real],
    ) {
        let Self { rows, stencils, load, .. } = self;
        rows.clear();
        stencils.clear();
        load.clear();
        load.resize(masses.len(), 0.0);
        let (p, q) = (&bodies.p[body.body], &bodies.q[body.body]);
        let dx = model.dx;
        let around = bounds(body, p, q).grown(dx);
        let density = model.materials.iter().fold(Real::INFINITY, |least, m| m.law.density().min(least));
        let thin = THIN * density * dx * dx * dx;
        let mut surfaces = [Surface::default(); 64];
        for &key in &blocks.touched {
            let Some(places) = places(model, key, &around) else { continue };
            sample(body, p, q, &places, &mut surfaces);
            for (place, surface) in places.iter().zip(&surfaces).filter(|(_, s)| s.distance.abs() <= 0.5 * dx)
            {
                let foot = place - surface.normal * surface.distance;
                let mut stencil = Stencil { node: [0; 64], weight: [0.0; 64] };
                let (mut sum, mut arm, mut k) = (0.0, Vec3::zeros(), 0);
                let at: [(i32, Real); 3] = std::array::from_fn(|a| {
                    let x = (foot[a] - model.min[a]).clamp(-2.0 * dx, Real::from(model.cells[a] + 2) * dx);
                    blocks::base::<K>(x, 1.0 / dx)
                });
                let w = at.map(|(_, f)| K::weights(f));
                let mut seen = (u64::MAX, None);
                for i in 0..K::NODES {
                    for j in 0..K::NODES {
                        for l in 0..K::NODES {
                            let node = [at[0].0 + i as i32, at[1].0 + j as i32, at[2].0 + l as i32];
                            let key = blocks::key(node);
                            if seen.0 != key {
                                seen = (key, blocks.touched.binary_search(&key).ok());
                            }
                            let Some(block) = seen.1 else { continue };
                            let within = (node[0] & 3) << 4 | (node[1] & 3) << 2 | node[2] & 3;
                            let node_id = 64 * block + within as usize;
                            let mass = masses[node_id];
                            let weight = w[0][i] * w[1][j] * w[2][l] * (mass / (mass + thin));
                            if weight > 0.0 {
                                (stencil.node[k], stencil.weight[k]) = (node_id as u32, weight);
                                sum += weight;
                                arm += Vec3::from(node.map(|n| Real::from(n - BIAS) * dx)) * weight;
                                k += 1;
                            }
                        }
                    }
                }
                if sum < LEAST_WET {
                    continue;
                }
                for (node, weight) in stencil.node.iter().zip(&mut stencil.weight) {
                    *weight /= sum;
                    load[*node as usize] += *weight;
                }
                let arm = model.min + arm / sum - p;
                rows.push(Row {
                    end: rows.len() as u32,
                    normal: surface.normal,
                    mass: 0.0,
                    arm,
                    speed: 0.0,
                    impulse: 0.0,
                });
                stencils.push(stencil);
            }
        }
        for (row, stencil) in rows.iter_mut().zip(&*stencils) {
            let mut inverse = 0.0;
            for (&node, &weight) in stencil.node.iter().zip(&stencil.weight).filter(|(_, w)| **w > 0.0) {
                inverse += weight * load[node as usize] / masses[node as usize];
            }
            row.mass = 1.0 / inverse;
        }
    }
}

/// Places of the nodes of a block, if some may be in these bounds.
fn places(model: &MpmModel, key: u64, bounds: &Aabb) -> Option<[Vec3; 64]> {
    let first = blocks::first_node(key).map(|n| Real::from(n - BIAS) * model.dx);
    let corner = model.min + Vec3::from(first);
    bounds.overlaps(&Aabb { min: corner, max: corner.add_scalar(3.0 * model.dx) }).then(|| {
        std::array::from_fn(|k| {
            corner + Vec3::new((k >> 4) as Real, (k >> 2 & 3) as Real, (k & 3) as Real) * model.dx
        })
    })
}
