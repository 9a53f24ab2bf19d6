//! Particles to nodes (P2G): m_i = Σ w m_p, m_i u_i = Σ w (m_p v_p + m_p C_p (x_i − x_p)) + h f_i.
//!
//! The force of the stress τ on a node is f_i = −Σ V₀ τ ∇w, or with moving least squares −Σ V₀ w D⁻¹ τ (x_i − x_p),
//! which joins the affine velocity: one matrix A = m C − h V₀ D⁻¹ τ does both.

use super::{FLIP, MLS, SLICE, first_of_tile, for_stencil};
use crate::blocks::{self, Blocks};
use crate::kernel::Kernel;
use crate::lanes::{Instructions, Quad, Work};
use crate::particles::Particles;
use crate::sides::tags::Parting;
use crate::{Law, Material, Memory, Strains};
use pd_core::{Mat3, Real};
use std::marker::PhantomData;

/// What a substep hands to every block.
pub(crate) struct Scatter<'a> {
    pub(crate) particles: &'a Particles,
    pub(crate) blocks: &'a Blocks,
    pub(crate) materials: &'a [Material],
    pub(crate) h: Real,
    pub(crate) dx: Real,
    /// 1 if affine velocities go along, else 0.
    pub(crate) affine: Real,
}

/// The particles of one block into its tile; with FLIP the impulses of forces into a second one behind it.
pub(crate) struct Block<'a, K, const MODE: u8> {
    pub(crate) input: &'a Scatter<'a>,
    pub(crate) slot: usize,
    pub(crate) tile: &'a mut [[Real; 4]],
    pub(crate) kernel: PhantomData<K>,
}

impl<K: Kernel, const MODE: u8> Work for Block<'_, K, MODE> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { input, slot, tile, .. } = self;
        tile.fill([0.0; 4]);
        each(input, slot, |i, volume, tau| one::<K, I, MODE>(instructions, input, i, volume, tau, tile));
    }
}

/// As [`Block`] for one with particles that are parted from nodes in their reach: what goes to nodes, or what goes to ghosts.
pub(crate) struct Parted<'a, K, const MODE: u8> {
    pub(crate) input: &'a Scatter<'a>,
    pub(crate) slot: usize,
    pub(crate) tile: &'a mut [[Real; 4]],
    pub(crate) parting: &'a Parting,
    /// Whether the tile is that of the ghosts.
    pub(crate) ghosts: bool,
    pub(crate) kernel: PhantomData<K>,
}

impl<K: Kernel, const MODE: u8> Work for Parted<'_, K, MODE> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { input, slot, tile, parting, ghosts, .. } = self;
        tile.fill([0.0; 4]);
        let tags = parting.tile_tags::<K>(input.blocks, slot);
        let (t, mut alone) = (K::TILE, [[0.0; 4]; 2 * 343]);
        each(input, slot, |i, volume, tau| {
            let sides = parting.sides[input.particles.tag[i].id as usize];
            if sides.is_none() {
                if !ghosts {
                    one::<K, I, MODE>(instructions, input, i, volume, tau, tile);
                }
                return;
            }
            // The particle by itself, then node by node to where it belongs.
            one::<K, I, MODE>(instructions, input, i, volume, tau, &mut alone[..tile.len()]);
            let first = first_of_tile::<K>(&input.particles.p[i].x, 1.0 / input.dx);
            for_stencil::<K>(first, |k| {
                for at in (k..tile.len()).step_by(t * t * t) {
                    let share = std::mem::take(&mut alone[at]);
                    if sides.parted(tags[k]) == ghosts {
                        (0..4).for_each(|a| tile[at][a] += share[a]);
                    }
                }
            });
        });
    }
}

/// Shows all particles of a block, with their volume per mass and stress, in their order.
#[inline(always)]
fn each(input: &Scatter<'_>, slot: usize, mut add: impl FnMut(usize, Real, &Mat3)) {
    let Blocks { order, start, .. } = input.blocks;
    let sets = input.materials.len();
    let mut tau = [Mat3::zeros(); SLICE];
    for (set, material) in input.materials.iter().enumerate() {
        let run = slot * sets + set;
        let order = &order[start[run] as usize..start[run + 1] as usize];
        for slice in order.chunks(SLICE) {
            stresses(material.law.as_ref(), input.particles, slice, &mut tau);
            let volume = 1.0 / material.law.density();
            for (&i, tau) in slice.iter().zip(&tau) {
                add(i as usize, volume, tau);
            }
        }
    }
}

/// Asks the law for the stresses of a slice.
fn stresses(law: &dyn Law, particles: &Particles, slice: &[u32], tau: &mut [Mat3; SLICE]) {
    let (mut j, mut f, mut gradient) = ([0.0; SLICE], [Mat3::zeros(); SLICE], [Mat3::zeros(); SLICE]);
    let n = slice.len();
    for (j, &i) in j.iter_mut().zip(slice) {
        *j = particles.p[i as usize].j;
    }
    let deformation = law.memory() == Memory::Deformation;
    if deformation {
        for (f, &i) in f.iter_mut().zip(slice) {
            *f = particles.f[i as usize];
        }
    }
    if law.needs_gradient() {
        for (gradient, &i) in gradient.iter_mut().zip(slice) {
            *gradient = particles.p[i as usize].gradient();
        }
    }
    let f = if deformation { &f[..n] } else { &[] };
    law.stress(Strains { j: &j[..n], f, gradient: &gradient[..n] }, &mut tau[..n]);
}

/// Adds one particle to the tile.
#[inline(always)]
fn one<K: Kernel, I: Instructions, const MODE: u8>(
    instructions: I,
    input: &Scatter<'_>,
    particle: usize,
    volume: Real,
    tau: &Mat3,
    tile: &mut [[Real; 4]],
) {
    let p = &input.particles.p[particle];
    let inverse = 1.0 / input.dx;
    let (bx, fx) = blocks::base::<K>(p.x[0], inverse);
    let (by, fy) = blocks::base::<K>(p.x[1], inverse);
    let (bz, fz) = blocks::base::<K>(p.x[2], inverse);
    let (wx, wy, wz) = (K::weights(fx), K::weights(fy), K::weights(fz));
    let t = K::TILE;
    let first = ((bx as usize & 3) * t + (by as usize & 3)) * t + (bz as usize & 3);
    let impulse = -input.h * volume * p.mass;
    let moment = if MODE == MLS { impulse * K::INVERSE_MOMENT * inverse * inverse } else { 0.0 };
    let affine = p.mass * input.affine;
    // Columns of A, times Δx: what one cell further along an axis adds.
    let column = |k: usize| {
        let c = &p.c[k];
        let entry = |row: usize| (affine * c[row] + moment * tau[(row, k)]) * input.dx;
        instructions.load(&[entry(0), entry(1), entry(2), 0.0])
    };
    let a = [column(0), column(1), column(2)];
    let here = instructions.load(&[p.mass * p.v[0], p.mass * p.v[1], p.mass * p.v[2], p.mass]);
    let mut mi = a[2].mul_add(-fz, a[1].mul_add(-fy, a[0].mul_add(-fx, here)));
    if MODE == MLS {
        for i in 0..K::NODES {
            let mut mj = mi;
            for j in 0..K::NODES {
                let wij = wx[i] * wy[j];
                let row = &mut tile[first + (i * t + j) * t..][..K::NODES];
                let mut mk = mj;
                for (k, node) in row.iter_mut().enumerate() {
                    mk.mul_add(wij * wz[k], instructions.load(node)).store(node);
                    mk = mk.add(a[2]);
                }
                mj = mj.add(a[1]);
            }
            mi = mi.add(a[0]);
        }
        return;
    }
    let stress = |k: usize| {
        let entry = |row: usize| impulse * inverse * tau[(row, k)];
        instructions.load(&[entry(0), entry(1), entry(2), 0.0])
    };
    let s = [stress(0), stress(1), stress(2)];
    let (gx, gy, gz) = (K::slopes(fx), K::slopes(fy), K::slopes(fz));
    let apart = if MODE == FLIP { t * t * t } else { 0 };
    for i in 0..K::NODES {
        let mut mj = mi;
        for j in 0..K::NODES {
            let row = first + (i * t + j) * t;
            let mut mk = mj;
            for k in 0..K::NODES {
                let node = &mut tile[row + k];
                mk.mul_add(wx[i] * wy[j] * wz[k], instructions.load(node)).store(node);
                let node = &mut tile[apart + row + k];
                let mut sum = s[0].mul_add(gx[i] * wy[j] * wz[k], instructions.load(node));
                sum = s[1].mul_add(wx[i] * gy[j] * wz[k], sum);
                s[2].mul_add(wx[i] * wy[j] * gz[k], sum).store(node);
                mk = mk.add(a[2]);
            }
            mj = mj.add(a[1]);
        }
        mi = mi.add(a[0]);
    }
}
