//! Nodes to particles (G2P): v_p = Σ w u_i, B_p = Σ w u_i (x_i − x_p)ᵀ, C_p = B_p D⁻¹; then particles move, and their
//! deformation follows the velocity gradient G: F ← (I + h G) F, J ← J (1 + h tr G). G is C with moving least squares, else
//! Σ u_i ∇wᵀ.

use super::{FLIP, MLS, SLICE, first_of_tile, for_stencil};
use crate::blocks::{self, Blocks, NONE};
use crate::kernel::Kernel;
use crate::lanes::{Instructions, Quad, Work};
use crate::particles::{Particle, Particles, Tag};
use crate::sides::tags::Parting;
use crate::{Boundary, Material, Memory};
use pd_core::{Mat3, Real};
use std::marker::PhantomData;
use std::ops::Range;

/// What a substep hands to every block.
pub(crate) struct Gather<'a> {
    pub(crate) particles: &'a Particles,
    pub(crate) blocks: &'a Blocks,
    pub(crate) materials: &'a [Material],
    pub(crate) grid: &'a [[Real; 4]],
    /// Velocities before forces, for FLIP.
    pub(crate) old: &'a [[Real; 4]],
    pub(crate) walls: &'a [Boundary; 6],
    /// Size of the domain, m.
    pub(crate) size: [Real; 3],
    pub(crate) h: Real,
    pub(crate) dx: Real,
    /// Share of FLIP.
    pub(crate) blend: Real,
}

/// Where the particles of a range of blocks go.
pub(crate) struct Out<'a> {
    pub(crate) p: &'a mut [Particle],
    pub(crate) tag: &'a mut [Tag],
    pub(crate) f: &'a mut [Mat3],
    pub(crate) key: &'a mut [u64],
    /// Square of the largest speed in each block.
    pub(crate) fastest: &'a mut [Real],
}

impl<'a> Out<'a> {
    fn split(self, points: usize, blocks: usize) -> (Self, Self) {
        let matrices = if self.f.is_empty() { 0 } else { points };
        let (p, p2) = self.p.split_at_mut(points);
        let (tag, tag2) = self.tag.split_at_mut(points);
        let (f, f2) = self.f.split_at_mut(matrices);
        let (key, key2) = self.key.split_at_mut(points);
        let (fastest, fastest2) = self.fastest.split_at_mut(blocks);
        (Out { p, tag, f, key, fastest }, Out { p: p2, tag: tag2, f: f2, key: key2, fastest: fastest2 })
    }
}

/// All blocks of a range, in parallel; `work` handles one.
pub(crate) fn over_blocks<'a>(
    blocks: &Blocks,
    sets: usize,
    range: Range<usize>,
    out: Out<'a>,
    work: &(impl Fn(usize, Out<'_>) + Sync),
) {
    match range.len() {
        0 => (),
        1 => work(range.start, out),
        n => {
            let middle = range.start + n / 2;
            let points = blocks.start[middle * sets] - blocks.start[range.start * sets];
            let (a, b) = out.split(points as usize, n / 2);
            rayon::join(
                || over_blocks(blocks, sets, range.start..middle, a, work),
                || over_blocks(blocks, sets, middle..range.end, b, work),
            );
        }
    }
}

/// The nodes that a block reaches, next to each other; what has no nodes stays as it is.
pub(crate) fn fill<K: Kernel>(grid: &[[Real; 4]], targets: &[u32; 8], tile: &mut [[Real; 4]]) {
    let t = K::TILE;
    for x in 0..t {
        for y in 0..t {
            let row = &mut tile[(x * t + y) * t..][..t];
            let (inner, outer) = row.split_at_mut(4);
            let neighbour = (x / 4) << 2 | (y / 4) << 1;
            let at = |target: u32| target as usize * 64 + ((x % 4) * 4 + y % 4) * 4;
            for (part, target) in [(inner, targets[neighbour]), (outer, targets[neighbour | 1])] {
                if target != NONE {
                    part.copy_from_slice(&grid[at(target)..][..part.len()]);
                }
            }
        }
    }
}

/// The particles of one block.
pub(crate) struct Block<'a, K, const MODE: u8> {
    pub(crate) input: &'a Gather<'a>,
    pub(crate) slot: usize,
    pub(crate) out: Out<'a>,
    pub(crate) kernel: PhantomData<K>,
}

impl<K: Kernel, const MODE: u8> Work for Block<'_, K, MODE> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { input, slot, out, .. } = self;
        let (mut tile, mut old) = ([[0.0; 4]; 343], [[0.0; 4]; 343]);
        fill::<K>(input.grid, &input.blocks.targets[slot], &mut tile);
        if MODE == FLIP {
            fill::<K>(input.old, &input.blocks.targets[slot], &mut old);
        }
        each::<K>(input, slot, out, |i| one::<K, I, MODE>(instructions, input, i, &tile, &old));
    }
}

/// As [`Block`] for one with particles that read ghosts of nodes.
pub(crate) struct Parted<'a, K, const MODE: u8> {
    pub(crate) input: &'a Gather<'a>,
    pub(crate) slot: usize,
    pub(crate) out: Out<'a>,
    pub(crate) parting: &'a Parting,
    pub(crate) kernel: PhantomData<K>,
}

impl<K: Kernel, const MODE: u8> Work for Parted<'_, K, MODE> {
    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) {
        let Self { input, slot, out, parting, .. } = self;
        let tags = parting.tile_tags::<K>(input.blocks, slot);
        let (targets, ghosts) = (&input.blocks.targets[slot], parting.targets(input.blocks, slot));
        let mut tiles = [[[0.0; 4]; 343]; 4];
        let [nodes, old, ghost, ghost_old] = &mut tiles;
        fill::<K>(input.grid, targets, nodes);
        fill::<K>(&parting.grid, &ghosts, ghost);
        if MODE == FLIP {
            fill::<K>(input.old, targets, old);
            fill::<K>(&parting.old, &ghosts, ghost_old);
        }
        let mut mixed = [[[0.0; 4]; 343]; 2];
        each::<K>(input, slot, out, |i| {
            let sides = parting.sides[input.particles.tag[i].id as usize];
            let first = first_of_tile::<K>(&input.particles.p[i].x, 1.0 / input.dx);
            for_stencil::<K>(first, |k| {
                let parted = sides.parted(tags[k]);
                mixed[0][k] = if parted { ghost[k] } else { nodes[k] };
                mixed[1][k] = if parted { ghost_old[k] } else { old[k] };
            });
            one::<K, I, MODE>(instructions, input, i, &mixed[0], &mixed[1])
        });
    }
}

/// Moves all particles of a block with what `read` finds for each, in their order.
#[inline(always)]
fn each<K: Kernel>(
    input: &Gather<'_>,
    slot: usize,
    out: Out<'_>,
    mut read: impl FnMut(usize) -> (Particle, Mat3, Real),
) {
    let Blocks { order, start, .. } = input.blocks;
    let sets = input.materials.len();
    let first = start[slot * sets] as usize;
    let mut gradient = [Mat3::zeros(); SLICE];
    let mut specific = [0.0; SLICE];
    let mut fastest: Real = 0.0;
    for (set, material) in input.materials.iter().enumerate() {
        let run = slot * sets + set;
        let run = start[run] as usize..start[run + 1] as usize;
        for from in run.clone().step_by(SLICE) {
            let slice = &order[from..run.end.min(from + SLICE)];
            let to = from - first..from - first + slice.len();
            for (k, &i) in slice.iter().enumerate() {
                let (particle, g, volume) = read(i as usize);
                (gradient[k], specific[k]) = (g, volume);
                let (particle, key) = settle::<K>(input, particle);
                let v = &particle.v;
                fastest = fastest.max(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
                out.p[to.start + k] = particle;
                out.key[to.start + k] = key;
                out.tag[to.start + k] = input.particles.tag[i as usize];
            }
            let f = if out.f.is_empty() { &mut [] } else { &mut out.f[to.clone()] };
            deform(input, material, slice, &gradient, &specific, &mut out.p[to], f);
        }
    }
    out.fastest[0] = fastest;
}

/// Keeps a particle inside of the walls and finds its new block; beyond an open face it has none.
#[inline(always)]
fn settle<K: Kernel>(input: &Gather<'_>, mut particle: Particle) -> (Particle, u64) {
    let (mut node, inverse) = ([0; 3], 1.0 / input.dx);
    let mut left = false;
    for a in 0..3 {
        if particle.x[a] < 0.0 {
            left |= input.walls[2 * a] == Boundary::Open;
            particle.x[a] = 0.0;
        } else if particle.x[a] > input.size[a] {
            left |= input.walls[2 * a + 1] == Boundary::Open;
            particle.x[a] = input.size[a];
        }
        node[a] = blocks::base::<K>(particle.x[a], inverse).0;
    }
    (particle, if left { u64::MAX } else { blocks::key(node) })
}

/// Advances what the law remembers, and lets it forget what it must.
#[inline]
fn deform(
    input: &Gather<'_>,
    material: &Material,
    slice: &[u32],
    gradient: &[Mat3; SLICE],
    specific: &[Real; SLICE],
    particles: &mut [Particle],
    f: &mut [Mat3],
) {
    let law = material.law.as_ref();
    let deformation = law.memory() == Memory::Deformation;
    if deformation {
        for ((f, &i), g) in f.iter_mut().zip(slice).zip(gradient) {
            let old = &input.particles.f[i as usize];
            *f = old + g * old * input.h;
        }
    } else {
        for (particle, g) in particles.iter_mut().zip(gradient) {
            particle.j *= 1.0 + input.h * g.trace();
        }
    }
    if let Some(time) = law.anchor_time() {
        let (share, rest) = (1.0 - (-input.h / time).exp(), law.density());
        for (particle, &specific) in particles.iter_mut().zip(specific) {
            if specific > 0.0 {
                particle.j += share * (rest * specific - particle.j);
            }
        }
    }
    if law.is_plastic() {
        let mut j = [0.0; SLICE];
        for (j, particle) in j.iter_mut().zip(&*particles) {
            *j = particle.j;
        }
        law.plastic_return(if deformation { f } else { &mut [] }, &mut j[..particles.len()]);
        for (particle, j) in particles.iter_mut().zip(j) {
            particle.j = j;
        }
    }
}

/// One particle: its new velocity, place and affine velocity, the velocity gradient, and the volume per mass there
/// (negative where the surface or an obstacle is near).
#[inline(always)]
fn one<K: Kernel, I: Instructions, const MODE: u8>(
    instructions: I,
    input: &Gather<'_>,
    particle: usize,
    tile: &[[Real; 4]; 343],
    old: &[[Real; 4]; 343],
) -> (Particle, Mat3, Real) {
    let p = &input.particles.p[particle];
    let inverse = 1.0 / input.dx;
    let (bx, fx) = blocks::base::<K>(p.x[0], inverse);
    let (by, fy) = blocks::base::<K>(p.x[1], inverse);
    let (bz, fz) = blocks::base::<K>(p.x[2], inverse);
    let (wx, wy, wz) = (K::weights(fx), K::weights(fy), K::weights(fz));
    let (gx, gy, gz) = (K::slopes(fx), K::slopes(fy), K::slopes(fz));
    let t = K::TILE;
    let first = ((bx as usize & 3) * t + (by as usize & 3)) * t + (bz as usize & 3);
    let zero = instructions.load(&[0.0; 4]);
    let (mut v, mut b, mut g, mut before) = (zero, [zero; 3], [zero; 3], zero);
    for i in 0..K::NODES {
        let (mut vi, mut b1, mut b2, mut g1, mut g2, mut oi) = (zero, zero, zero, zero, zero, zero);
        for j in 0..K::NODES {
            let at = first + (i * t + j) * t;
            let row = &tile[at..][..K::NODES];
            let (mut vj, mut bj, mut gj) = (zero, zero, zero);
            for (k, node) in row.iter().enumerate() {
                let node = instructions.load(node);
                vj = node.mul_add(wz[k], vj);
                bj = node.mul_add(wz[k] * (k as Real - fz), bj);
                if MODE != MLS {
                    gj = node.mul_add(gz[k], gj);
                }
            }
            vi = vj.mul_add(wy[j], vi);
            b1 = vj.mul_add(wy[j] * (j as Real - fy), b1);
            b2 = bj.mul_add(wy[j], b2);
            if MODE != MLS {
                g1 = vj.mul_add(gy[j], g1);
                g2 = gj.mul_add(wy[j], g2);
            }
            if MODE == FLIP {
                for (k, node) in old[at..][..K::NODES].iter().enumerate() {
                    oi = instructions.load(node).mul_add(wy[j] * wz[k], oi);
                }
            }
        }
        v = vi.mul_add(wx[i], v);
        b[0] = vi.mul_add(wx[i] * (i as Real - fx), b[0]);
        b[1] = b1.mul_add(wx[i], b[1]);
        b[2] = b2.mul_add(wx[i], b[2]);
        if MODE != MLS {
            g[0] = vi.mul_add(gx[i], g[0]);
            g[1] = g1.mul_add(wx[i], g[1]);
            g[2] = g2.mul_add(wx[i], g[2]);
        }
        if MODE == FLIP {
            before = oi.mul_add(wx[i], before);
        }
    }
    let mut out = Particle { j: p.j, mass: p.mass, ..Particle::default() };
    let mut u = [0.0; 4];
    v.store(&mut u);
    for k in 0..3 {
        b[k].scale(K::INVERSE_MOMENT * inverse).store(&mut out.c[k]);
        out.c[k][3] = 0.0;
        out.x[k] = p.x[k] + input.h * u[k];
        out.v[k] = u[k];
    }
    if MODE == FLIP {
        let mut o = [0.0; 4];
        before.store(&mut o);
        for k in 0..3 {
            out.v[k] += input.blend * (p.v[k] - o[k]);
        }
    }
    let gradient = if MODE == MLS {
        out.gradient()
    } else {
        let mut columns = [[0.0; 4]; 3];
        for k in 0..3 {
            g[k].scale(inverse).store(&mut columns[k]);
        }
        Particle { c: columns, ..Particle::default() }.gradient()
    };
    (out, gradient, u[3])
}
