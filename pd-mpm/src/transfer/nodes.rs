//! Nodes: each adds up the tiles that reach it, then gravity, walls and obstacles act on its velocity.
//!
//! Nodes hold (u, volume per mass) afterwards: the part of the node's volume that lies inside of the walls, over its mass;
//! where the node is not well inside of matter, or an obstacle is near, [`UNKNOWN`], so that a weighted mean over such
//! nodes comes out negative. Particles take the mean of volume per mass and not of density, because Σ m_p Σ w V_i/m_i =
//! Σ V_i: then their volumes add up to that of the nodes, while a mean of densities is too high wherever particles are
//! not in a lattice.

use crate::blocks::{self, BIAS, Blocks, NONE};
use crate::kernel::{Kernel, inside_fraction};
use crate::{Boundary, MpmModel};
use pd_core::{Aabb, Collider, Real, Surface, Vec3};

/// Far below any volume per mass.
pub(crate) const UNKNOWN: Real = -1e100;

/// A node counts as inside of matter from this fraction of the rest density on.
const FILLED: Real = 0.7;

/// What a substep hands to every block.
pub(crate) struct Nodes<'a> {
    pub(crate) model: &'a MpmModel,
    pub(crate) blocks: &'a Blocks,
    pub(crate) tiles: &'a [[Real; 4]],
    pub(crate) colliders: &'a [Box<dyn Collider>],
    pub(crate) gravity: Vec3,
    pub(crate) h: Real,
    /// Time at the end of the substep, s.
    pub(crate) time: Real,
    /// Smallest density of the laws that want to know the density on the grid.
    pub(crate) anchor: Option<Real>,
}

/// Impulses of forces that were kept apart, and where the velocity without them goes.
pub(crate) type Apart<'a> = (&'a [[Real; 4]], &'a mut [[Real; 4]]);

/// Impulses that boundaries gave to matter, kg·m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulses {
    /// By the faces of the domain: −x, +x, −y, +y, −z, +z.
    pub walls: [Vec3; 6],
    /// By all obstacles together.
    pub colliders: Vec3,
}

impl Impulses {
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, part) in self.walls.iter_mut().zip(&other.walls) {
            *sum += part;
        }
        self.colliders += other.colliders;
    }
}

/// Adds up the tiles that reach a block of nodes: tile after tile in the order of the eight offsets.
pub(crate) fn sum_tiles<K: Kernel>(
    sources: &[u32; 8],
    tiles: &[[Real; 4]],
    stride: usize,
    nodes: &mut [[Real; 4]],
) {
    let t = K::TILE;
    nodes.fill([0.0; 4]);
    for (d, &source) in sources.iter().enumerate() {
        if source == NONE {
            continue;
        }
        let tile = &tiles[source as usize * stride..][..t * t * t];
        let step = [d >> 2 & 1, d >> 1 & 1, d & 1];
        let count = step.map(|step| if step == 1 { t - 4 } else { 4 });
        for x in 0..count[0] {
            for y in 0..count[1] {
                let from = ((x + 4 * step[0]) * t + y + 4 * step[1]) * t + 4 * step[2];
                let to = &mut nodes[(x * 4 + y) * 4..][..count[2]];
                for (node, part) in to.iter_mut().zip(&tile[from..]) {
                    for a in 0..4 {
                        node[a] += part[a];
                    }
                }
            }
        }
    }
}

/// From momentum and mass to velocity and volume per mass, for one block; `impulse` is what forces add where they were kept
/// apart, and `old` then takes the velocity without them.
pub(crate) fn finish(
    input: &Nodes<'_>,
    block: usize,
    nodes: &mut [[Real; 4]],
    apart: Option<Apart<'_>>,
) -> Impulses {
    let mut masses = [0.0; 64];
    let push = input.gravity * input.h;
    for (node, mass) in nodes.iter_mut().zip(&mut masses) {
        *mass = node[3];
        if *mass > 0.0 {
            let inverse = 1.0 / *mass;
            for a in 0..3 {
                node[a] *= inverse;
            }
        }
    }
    if let Some((impulse, old)) = apart {
        old.copy_from_slice(nodes);
        for ((node, impulse), mass) in nodes.iter_mut().zip(impulse).zip(&masses) {
            if *mass > 0.0 {
                for a in 0..3 {
                    node[a] += impulse[a] / mass;
                }
            }
        }
    }
    for node in nodes.iter_mut() {
        for a in 0..3 {
            node[a] += push[a];
        }
    }
    let first = blocks::first_node(input.blocks.touched[block]).map(|n| n - BIAS);
    let mut impulses = Impulses::default();
    volumes(input, first, nodes);
    obstacles(input, first, &masses, nodes, &mut impulses);
    walls(input.model, first, &masses, nodes, &mut impulses);
    impulses
}

/// Volume per mass of a node, m³/kg, [`UNKNOWN`] where it is not full.
pub(crate) fn specific_volume(volume: Real, mass: Real, rest: Real) -> Real {
    if mass > 0.0 && mass >= FILLED * rest * volume { volume / mass } else { UNKNOWN }
}

impl MpmModel {
    /// Fractions of the kernels of four nodes along an axis that lie inside of the walls.
    fn inside_walls(&self, axis: usize, first: i32) -> [Real; 4] {
        let wall = |face: usize, distance: Real| match self.walls[face] {
            Boundary::Open => 1.0,
            _ => inside_fraction(self.spline, distance),
        };
        std::array::from_fn(|k| {
            let place = Real::from(first + k as i32);
            let high = wall(2 * axis + 1, Real::from(self.cells[axis]) - place);
            wall(2 * axis, place) + high - 1.0
        })
    }

    /// Volume of a node inside of the walls, m³.
    pub(crate) fn volume_at(&self, node: [i32; 3]) -> Real {
        (0..3).map(|axis| self.dx * self.inside_walls(axis, node[axis])[0]).product()
    }
}

/// Mass to volume per mass; see the top.
fn volumes(input: &Nodes<'_>, first: [i32; 3], nodes: &mut [[Real; 4]]) {
    let Some(rest) = input.anchor else { return };
    let along: [[Real; 4]; 3] = std::array::from_fn(|axis| input.model.inside_walls(axis, first[axis]));
    let cell = input.model.dx.powi(3);
    for (k, node) in nodes.iter_mut().enumerate() {
        let volume = cell * along[0][k >> 4] * along[1][k >> 2 & 3] * along[2][k & 3];
        node[3] = specific_volume(volume, node[3], rest);
    }
}

/// Distance from an obstacle, in cells, up to which a node is on it: rounding.
const ON_SURFACE: Real = 1e-9;

/// Obstacles act on the nodes on and inside of them, in their order.
fn obstacles(
    input: &Nodes<'_>,
    first: [i32; 3],
    masses: &[Real; 64],
    nodes: &mut [[Real; 4]],
    impulses: &mut Impulses,
) {
    let MpmModel { dx, min, colliders: boundary, .. } = *input.model;
    let corner = min + Vec3::from(first.map(Real::from)) * dx;
    let reach = Aabb { min: corner, max: corner.add_scalar(3.0 * dx) }.grown(dx);
    let places: [Vec3; 64] = std::array::from_fn(|k| {
        corner + Vec3::new((k >> 4) as Real, (k >> 2 & 3) as Real, (k & 3) as Real) * dx
    });
    let mut surfaces = [Surface::default(); 64];
    for collider in input.colliders {
        if !collider.bounds(input.time).overlaps(&reach) {
            continue;
        }
        let friction = collider.material().kinetic_friction;
        let boundary = boundary.unwrap_or(Boundary::Separate { friction });
        collider.sample(&places, input.time, &mut surfaces);
        for (k, node) in nodes.iter_mut().enumerate().filter(|(k, _)| masses[*k] > 0.0) {
            let surface = &surfaces[k];
            if surface.distance < dx {
                node[3] = UNKNOWN;
            }
            // A node on the surface is behind it, as one on a wall is.
            if surface.distance <= ON_SURFACE * dx {
                let before = Vec3::new(node[0], node[1], node[2]);
                let after = boundary.apply(before, &surface.normal, &surface.velocity);
                node[..3].copy_from_slice(after.as_slice());
                impulses.colliders += (after - before) * masses[k];
            }
        }
    }
}

/// Faces of the domain act on the nodes on and beyond them.
fn walls(
    model: &MpmModel,
    first: [i32; 3],
    masses: &[Real; 64],
    nodes: &mut [[Real; 4]],
    impulses: &mut Impulses,
) {
    for axis in 0..3 {
        for side in 0..2 {
            let boundary = model.walls[2 * axis + side];
            let normal = Vec3::ith(axis, if side == 0 { 1.0 } else { -1.0 });
            let beyond = |n: i32| if side == 0 { n <= 0 } else { n >= model.cells[axis] as i32 };
            if boundary == Boundary::Open || !(0..4).any(|k| beyond(first[axis] + k)) {
                continue;
            }
            for (k, node) in nodes.iter_mut().enumerate().filter(|(k, _)| masses[*k] > 0.0) {
                let place = [k >> 4, k >> 2 & 3, k & 3][axis] as i32;
                if beyond(first[axis] + place) {
                    let before = Vec3::new(node[0], node[1], node[2]);
                    let after = boundary.apply(before, &normal, &Vec3::zeros());
                    node[..3].copy_from_slice(after.as_slice());
                    impulses.walls[2 * axis + side] += (after - before) * masses[k];
                }
            }
        }
    }
}
