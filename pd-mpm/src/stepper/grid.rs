//! What a substep does between particles to nodes and back: sums, gravity and boundaries on the nodes and their ghosts, and bodies.

use super::MpmStepper;
use crate::blocks;
use crate::bodies;
use crate::kernel::Kernel;
use crate::transfer::FLIP;
use crate::transfer::nodes::{self, Apart, Impulses, Nodes};
use crate::{Coupling, MpmModel};
use pd_core::{Aabb, Collider, Real, Surface, Vec3, exec};

impl MpmStepper {
    /// Nodes from tiles, with what acts on them.
    pub(super) fn on_nodes<K: Kernel, const MODE: u8>(
        &mut self,
        model: &MpmModel,
        gravity: Vec3,
        colliders: &[Box<dyn Collider>],
        h: Real,
        time: Real,
    ) {
        let count = self.blocks.touched.len();
        let stride = K::TILE.pow(3) * if MODE == FLIP { 2 } else { 1 };
        let anchor = model.anchor_density();
        self.grid.resize(64 * count, [0.0; 4]);
        self.impulses.resize(count, Impulses::default());
        let (blocks, tiles) = (&self.blocks, &self.tiles);
        let input = Nodes { model, blocks, tiles, colliders, gravity, h, time, anchor };
        if MODE == FLIP {
            self.forces.resize(64 * count, [0.0; 4]);
            self.old.resize(64 * count, [0.0; 4]);
            let behind = tiles.get(K::TILE.pow(3)..).unwrap_or(&[]);
            exec::for_each_chunk(&mut self.forces, 64, |first, nodes| {
                nodes::sum_tiles::<K>(&blocks.sources[first / 64], behind, stride, nodes);
            });
        }
        // What is needed of the masses once velocities have taken their place.
        self.masses.resize(if model.bodies.is_empty() { 0 } else { 64 * count }, 0.0);
        if !model.bodies.is_empty() {
            let mut nodes = [[0.0; 4]; 64];
            for (block, masses) in self.masses.chunks_exact_mut(64).enumerate() {
                nodes::sum_tiles::<K>(&blocks.sources[block], tiles, stride, &mut nodes);
                masses.iter_mut().zip(&nodes).for_each(|(mass, node)| *mass = node[3]);
            }
        }
        let apart = (MODE == FLIP).then_some((&self.forces[..], &mut self.old[..]));
        over_nodes(0..count, &mut self.grid, &mut self.impulses, apart, &|block, grid, apart| {
            nodes::sum_tiles::<K>(&blocks.sources[block], input.tiles, stride, grid);
            nodes::finish(&input, block, grid, apart)
        });
        for part in &self.impulses {
            self.report.impulses.add(part);
        }
        if !self.parting.slots.is_empty() {
            self.on_ghosts::<K, MODE>(model, gravity, colliders, h, time);
        }
    }

    /// The same for ghosts of nodes, which hold what a sheet keeps from the nodes themselves.
    fn on_ghosts<K: Kernel, const MODE: u8>(
        &mut self,
        model: &MpmModel,
        gravity: Vec3,
        colliders: &[Box<dyn Collider>],
        h: Real,
        time: Real,
    ) {
        let stride = K::TILE.pow(3) * if MODE == FLIP { 2 } else { 1 };
        let Self { parting, blocks, grid, impulses, report, .. } = self;
        let grid_of_ghosts = 64 * parting.ghosts.len();
        let [mut own, mut forces, mut old] =
            [&mut parting.grid, &mut parting.forces, &mut parting.old].map(std::mem::take);
        own.resize(grid_of_ghosts, [0.0; 4]);
        impulses.resize(parting.ghosts.len(), Impulses::default());
        if MODE == FLIP {
            forces.resize(grid_of_ghosts, [0.0; 4]);
            old.resize(grid_of_ghosts, [0.0; 4]);
            let behind = &parting.tiles[K::TILE.pow(3)..];
            for (k, nodes) in forces.chunks_exact_mut(64).enumerate() {
                let sources = parting.sources(blocks, parting.ghosts[k] as usize);
                nodes::sum_tiles::<K>(&sources, behind, stride, nodes);
            }
        }
        let (tiles, anchor) = (&parting.tiles[..], model.anchor_density());
        let input = Nodes { model, blocks, tiles, colliders, gravity, h, time, anchor };
        let apart = (MODE == FLIP).then_some((&forces[..], &mut old[..]));
        over_nodes(0..parting.ghosts.len(), &mut own, impulses, apart, &|k, nodes, apart| {
            let block = parting.ghosts[k] as usize;
            nodes::sum_tiles::<K>(&parting.sources(blocks, block), tiles, stride, nodes);
            nodes::finish(&input, block, nodes, apart)
        });
        impulses.iter().for_each(|part| report.impulses.add(part));
        own.iter_mut().for_each(|node| node[3] = nodes::UNKNOWN);
        parting.for_tagged(|node| grid[node][3] = nodes::UNKNOWN);
        (parting.grid, parting.forces, parting.old) = (own, forces, old);
    }

    /// Bodies fall, meet the nodes around them, and move.
    pub(super) fn couple<K: Kernel>(&mut self, model: &MpmModel, gravity: Vec3, h: Real) {
        if model.bodies.is_empty() {
            return;
        }
        let Self { bodies, blocks, grid, masses, shore, .. } = self;
        if let Some(rest) = model.anchor_density() {
            shore.volumes(model, bodies, blocks, grid, masses, rest);
        }
        for body in &model.bodies {
            if model.coupling != Coupling::OneWay {
                bodies.v[body.body] += gravity * h;
            }
            self.report.bodies += shore.meet::<K>(model, body, bodies, blocks, grid, masses);
            bodies::advance(body, bodies, h);
        }
    }

    /// Particles leave the obstacles they were carried into, and lose their speed into them. Only blocks that an obstacle reaches
    /// are looked at; there are few, and their impulses are summed in order.
    pub(super) fn leave_obstacles<K: Kernel>(
        &mut self,
        model: &MpmModel,
        colliders: &[Box<dyn Collider>],
        time: Real,
    ) {
        let Self { blocks, now, keys, report, .. } = self;
        let (dx, sets) = (model.dx, model.materials.len());
        let size = model.cells.map(|n| Real::from(n) * dx);
        let (mut places, mut surfaces) = ([Vec3::zeros(); 64], [Surface::default(); 64]);
        for collider in colliders {
            let bounds = collider.bounds(time);
            for (slot, &block) in blocks.active.iter().enumerate() {
                // Particles of a block move by less than a cell in a substep.
                let first = Vec3::from(blocks::first_node(block).map(|n| Real::from(n - blocks::BIAS)));
                let min = model.min + first.add_scalar(-1.0) * dx;
                if !bounds.overlaps(&Aabb { min, max: min.add_scalar(8.0 * dx) }) {
                    continue;
                }
                let range = blocks.start[slot * sets] as usize..blocks.start[(slot + 1) * sets] as usize;
                let particles = now.p[range.clone()].chunks_mut(64).zip(keys[range].chunks_mut(64));
                for (particles, keys) in particles {
                    let (places, surfaces) =
                        (&mut places[..particles.len()], &mut surfaces[..particles.len()]);
                    for (place, particle) in places.iter_mut().zip(&*particles) {
                        *place = model.min + Vec3::from(particle.x);
                    }
                    collider.sample(places, time, surfaces);
                    for (k, s) in surfaces.iter().enumerate().filter(|(_, s)| s.distance < 0.0) {
                        if keys[k] == u64::MAX {
                            continue; // it has left through an open wall
                        }
                        let particle = &mut particles[k];
                        let out = places[k] - s.normal * s.distance - model.min;
                        particle.x = std::array::from_fn(|a| out[a].clamp(0.0, size[a]));
                        let v = Vec3::from(particle.v);
                        let change = s.normal * -(v - s.velocity).dot(&s.normal).min(0.0);
                        particle.v = (v + change).into();
                        report.impulses.colliders += change * particle.mass;
                        keys[k] = blocks::key(particle.x.map(|x| blocks::base::<K>(x, 1.0 / dx).0));
                    }
                }
            }
        }
    }

    /// Particles leave the bodies they were carried into.
    pub(super) fn push_out<K: Kernel>(&mut self, model: &MpmModel) {
        if model.bodies.is_empty() {
            return;
        }
        let size = model.cells.map(|n| Real::from(n) * model.dx);
        for body in &model.bodies {
            let Self { bodies, rows, now, keys, .. } = self;
            bodies::push_out(model, body, bodies, &mut now.p, rows);
            let impulse = bodies::solve(model.coupling, body, bodies, rows, |particle, gained| {
                let particle = &mut now.p[particle];
                (0..3).for_each(|a| particle.v[a] += gained[a] / particle.mass);
            });
            self.report.bodies += impulse;
            for row in rows.iter() {
                let (x, key) = (&mut now.p[row.end as usize].x, &mut keys[row.end as usize]);
                if *key != u64::MAX {
                    (0..3).for_each(|a| x[a] = x[a].clamp(0.0, size[a]));
                    *key = blocks::key(x.map(|x| blocks::base::<K>(x, 1.0 / model.dx).0));
                }
            }
        }
    }
}

/// One block of nodes after another, in parallel.
fn over_nodes(
    range: std::ops::Range<usize>,
    grid: &mut [[Real; 4]],
    impulses: &mut [Impulses],
    apart: Option<Apart<'_>>,
    work: &(impl Fn(usize, &mut [[Real; 4]], Option<Apart<'_>>) -> Impulses + Sync),
) {
    match range.len() {
        0 => (),
        1 => impulses[0] = work(range.start, grid, apart),
        n => {
            let middle = range.start + n / 2;
            let (grid, grid2) = grid.split_at_mut(64 * (n / 2));
            let (impulses, impulses2) = impulses.split_at_mut(n / 2);
            let (apart, apart2) = match apart {
                None => (None, None),
                Some((forces, old)) => {
                    let (forces, forces2) = forces.split_at(64 * (n / 2));
                    let (old, old2) = old.split_at_mut(64 * (n / 2));
                    (Some((forces, old)), Some((forces2, old2)))
                }
            };
            rayon::join(
                || over_nodes(range.start..middle, grid, impulses, apart, work),
                || over_nodes(middle..range.end, grid2, impulses2, apart2, work),
            );
        }
    }
}
