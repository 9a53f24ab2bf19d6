//! Tags of particles and nodes over a step, and the ghosts of nodes that follow from them.
//!
//! Particles get their tags once a step, nodes when matter first reaches their block; both are functions of the state at the start
//! of the step. Where all matter is on one side of every sheet there is nothing to do and nothing is done.

use super::{Sides, ThinSheets};
use crate::MpmModel;
use crate::blocks::{self, BIAS, Blocks, NONE};
use crate::kernel::Kernel;
use crate::particles::Particles;
use pd_collide::broad::BroadPhase;
use pd_core::{Aabb, Real, Vec3, exec};

/// Tags of the nodes of a tile, of the larger spline; see [`Parting::tile_tags`].
pub(crate) type TileTags = [Sides; 343];

/// Tags and ghosts.
#[derive(Default)]
pub(crate) struct Parting {
    pub(crate) sheets: ThinSheets,
    /// Whether this step has looked at its particles.
    looked: bool,
    /// Whether some sheet has matter on both sides.
    active: bool,
    /// Tags of particles, by their number in the state.
    pub(crate) sides: Vec<Sides>,
    /// Tags of nodes by block, ascending, and all tags of the block together.
    known: Vec<(u64, Sides, [Sides; 64])>,
    /// Place in `known` of each touched block.
    place: Vec<u32>,
    /// Active blocks with particles that are parted from nodes in their reach.
    pub(crate) slots: Vec<u32>,
    /// Place in `slots` of each active block.
    slot_place: Vec<u32>,
    /// Touched blocks that these reach: their nodes have ghosts.
    pub(crate) ghosts: Vec<u32>,
    /// Place in `ghosts` of each touched block.
    ghost_place: Vec<u32>,
    /// What tiles and nodes hold, for ghosts.
    pub(crate) tiles: Vec<[Real; 4]>,
    pub(crate) grid: Vec<[Real; 4]>,
    pub(crate) forces: Vec<[Real; 4]>,
    pub(crate) old: Vec<[Real; 4]>,
    boxes: Vec<Aabb>,
    queries: Vec<Aabb>,
    pairs: Vec<[u32; 2]>,
    missing: Vec<u64>,
}

impl Parting {
    /// Forgets the last step.
    pub(crate) fn begin(&mut self) {
        (self.looked, self.active) = (false, false);
        self.known.clear();
    }

    /// Tags what is new and finds who needs ghosts; after the sort of a substep.
    pub(crate) fn update<K: Kernel>(&mut self, model: &MpmModel, blocks: &Blocks, particles: &Particles) {
        self.slots.clear();
        self.ghosts.clear();
        if self.sheets.is_empty() {
            return;
        }
        // The farthest node of a particle, across the diagonal of its kernel.
        let reach = 0.5 * K::NODES as Real * Real::sqrt(3.0) * model.dx;
        if !self.looked {
            self.looked = true;
            self.active = self.tag_particles(model, blocks, particles, reach);
        }
        if self.active {
            self.tag_nodes(model, blocks, reach);
            self.find_ghosts(model, blocks, particles);
        }
    }

    /// Tags all particles; returns whether some sheet has matter on both sides.
    fn tag_particles(
        &mut self,
        model: &MpmModel,
        blocks: &Blocks,
        particles: &Particles,
        reach: Real,
    ) -> bool {
        let sets = model.materials.len();
        let at = |i: u32| model.min + Vec3::from(particles.p[i as usize].x);
        let inside = |slot: usize| {
            &blocks.order[blocks.start[slot * sets] as usize..blocks.start[(slot + 1) * sets] as usize]
        };
        self.boxes.clear();
        self.queries.clear();
        for slot in 0..blocks.active.len() {
            let own = inside(slot).iter().fold(Aabb::empty(), |own, &i| {
                let at = at(i);
                Aabb { min: own.min.inf(&at), max: own.max.sup(&at) }
            });
            self.boxes.push(own);
            self.queries.push(own.grown(reach));
        }
        if !self.queries.iter().any(|query| query.overlaps(&self.sheets.bounds)) {
            return false;
        }
        self.sheets.tree.pairs_with(&self.queries, &mut self.pairs);
        let mut all = Sides::default();
        for &[slot, triangle] in &self.pairs {
            all = all.with(self.sheets.box_sides(&self.boxes[slot as usize], triangle));
        }
        if all.front & all.back == 0 {
            return false;
        }
        self.sides.clear();
        self.sides.resize(model.points().len(), Sides::default());
        all = Sides::default();
        for near in self.pairs.chunk_by(|a, b| a[0] == b[0]) {
            for &i in inside(near[0][0] as usize) {
                let sides = self.sheets.sides(&at(i), near, reach);
                self.sides[particles.tag[i as usize].id as usize] = sides;
                all = all.with(sides);
            }
        }
        all.front & all.back != 0
    }

    /// Tags the nodes of blocks that no substep of this step touched before.
    fn tag_nodes(&mut self, model: &MpmModel, blocks: &Blocks, reach: Real) {
        let dx = model.dx;
        let corner =
            |key: u64| model.min + Vec3::from(blocks::first_node(key).map(|n| Real::from(n - BIAS) * dx));
        self.missing.clear();
        self.queries.clear();
        let far = self.sheets.bounds.grown(reach);
        for &key in &blocks.touched {
            let min = corner(key);
            let own = Aabb { min, max: min.add_scalar(3.0 * dx) };
            if own.overlaps(&far) && self.known.binary_search_by_key(&key, |known| known.0).is_err() {
                self.missing.push(key);
                self.queries.push(own.grown(reach));
            }
        }
        if !self.missing.is_empty() {
            self.sheets.tree.pairs_with(&self.queries, &mut self.pairs);
            let first = self.known.len();
            self.known
                .extend(self.missing.iter().map(|&key| (key, Sides::default(), [Sides::default(); 64])));
            let (pairs, sheets) = (&self.pairs, &self.sheets);
            exec::for_each_chunk(&mut self.known[first..], 1, |k, known| {
                let from = pairs.partition_point(|pair| (pair[0] as usize) < k);
                let near = &pairs[from..from + pairs[from..].partition_point(|pair| pair[0] as usize == k)];
                let (key, all, tags) = &mut known[0];
                let corner = corner(*key);
                for (k, tag) in tags.iter_mut().enumerate().filter(|_| !near.is_empty()) {
                    let step = Vec3::new((k >> 4) as Real, (k >> 2 & 3) as Real, (k & 3) as Real);
                    *tag = sheets.sides(&(corner + step * dx), near, reach);
                    *all = all.with(*tag);
                }
            });
            self.known.sort_unstable_by_key(|known| known.0);
        }
        let known = &self.known;
        self.place.clear();
        self.place.extend(
            blocks.touched.iter().map(|key| {
                known.binary_search_by_key(key, |known| known.0).map_or(NONE, |place| place as u32)
            }),
        );
    }

    /// Blocks whose particles are parted from some node, and the blocks of nodes that they reach.
    fn find_ghosts(&mut self, model: &MpmModel, blocks: &Blocks, particles: &Particles) {
        let sets = model.materials.len();
        self.slot_place.clear();
        self.slot_place.resize(blocks.active.len(), NONE);
        self.ghost_place.clear();
        self.ghost_place.resize(blocks.touched.len(), NONE);
        for (slot, targets) in blocks.targets.iter().enumerate() {
            let nodes = targets.iter().map(|&t| self.place[t as usize]).filter(|&place| place != NONE);
            let nodes = nodes.fold(Sides::default(), |all, place| all.with(self.known[place as usize].1));
            if nodes.is_none() {
                continue;
            }
            let own =
                &blocks.order[blocks.start[slot * sets] as usize..blocks.start[(slot + 1) * sets] as usize];
            let own = own.iter().fold(Sides::default(), |all, &i| {
                all.with(self.sides[particles.tag[i as usize].id as usize])
            });
            if own.parted(nodes) {
                self.slot_place[slot] = self.slots.len() as u32;
                self.slots.push(slot as u32);
                targets.iter().for_each(|&target| self.ghost_place[target as usize] = 0);
            }
        }
        for (block, place) in self.ghost_place.iter_mut().enumerate().filter(|(_, place)| **place != NONE) {
            *place = self.ghosts.len() as u32;
            self.ghosts.push(block as u32);
        }
    }

    /// Whether the particles of an active block need ghosts.
    pub(crate) fn has_ghosts(&self, slot: usize) -> bool {
        !self.slots.is_empty() && self.slot_place[slot] != NONE
    }

    /// Tags of the nodes that the particles of an active block reach.
    pub(crate) fn tile_tags<K: Kernel>(&self, blocks: &Blocks, slot: usize) -> TileTags {
        let t = K::TILE;
        let mut tags = [Sides::default(); 343];
        for (k, tag) in tags[..t * t * t].iter_mut().enumerate() {
            let [x, y, z] = [k / (t * t), k / t % t, k % t];
            let target = blocks.targets[slot][(x / 4) << 2 | (y / 4) << 1 | (z / 4)];
            let place = self.place[target as usize];
            if place != NONE {
                *tag = self.known[place as usize].2[((x % 4) * 4 + y % 4) * 4 + z % 4];
            }
        }
        tags
    }

    /// Tiles of ghosts that reach a touched block.
    pub(crate) fn sources(&self, blocks: &Blocks, block: usize) -> [u32; 8] {
        blocks.sources[block].map(|s| if s == NONE { NONE } else { self.slot_place[s as usize] })
    }

    /// Ghosts of the blocks that an active block reaches.
    pub(crate) fn targets(&self, blocks: &Blocks, slot: usize) -> [u32; 8] {
        blocks.targets[slot].map(|target| self.ghost_place[target as usize])
    }

    /// Calls `f` with each tagged node's number in the grid: what its volume is, sheets leave unknown.
    pub(crate) fn for_tagged(&self, mut f: impl FnMut(usize)) {
        if self.slots.is_empty() {
            return;
        }
        for (block, &place) in self.place.iter().enumerate().filter(|(_, place)| **place != NONE) {
            let (_, all, tags) = &self.known[place as usize];
            if !all.is_none() {
                (0..64).filter(|&k| !tags[k].is_none()).for_each(|k| f(64 * block + k));
            }
        }
    }
}
