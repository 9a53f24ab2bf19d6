//! Links of ropes, cloth and inflatables in a substep: XPBD rows along directions of its start (see `links.rs` of the crate).

use super::grains::Grain;
use super::scratch::Scratch;
use crate::links::{Bag, Link};
use crate::{Links, ParticleModel};
use pd_core::{Real, Vec3};

/// Multipliers of a substep, and room for the gradient of a volume.
#[derive(Default)]
pub(crate) struct LinkMemory {
    two: Vec<Real>,
    three: Vec<Real>,
    four: Vec<Real>,
    gradient: Vec<Vec3>,
}

impl LinkMemory {
    pub(crate) fn new(links: &Links) -> Self {
        let most = links.bags.iter().map(|bag| bag.points.len()).max().unwrap_or(0);
        Self {
            two: vec![0.0; links.two.len()],
            three: vec![0.0; links.three.len()],
            four: vec![0.0; links.four.len()],
            gradient: vec![Vec3::zeros(); most],
        }
    }
}

impl Scratch {
    /// Sweeps over all links, forwards and backwards in turn.
    pub(crate) fn solve_links(&mut self, model: &ParticleModel, sweeps: usize, h: Real) {
        let links = &model.links;
        if links.is_empty() {
            return;
        }
        let Self { grains, rank, links: memory, .. } = self;
        let per_square = 1.0 / (h * h);
        for column in [&mut memory.two, &mut memory.three, &mut memory.four] {
            column.fill(0.0);
        }
        for sweep in 0..sweeps {
            let backwards = sweep % 2 == 1;
            run(&links.four, &mut memory.four, grains, rank, per_square, backwards);
            run(&links.three, &mut memory.three, grains, rank, per_square, backwards);
            run(&links.two, &mut memory.two, grains, rank, per_square, backwards);
            for bag in &links.bags {
                fill(bag, &mut memory.gradient[..bag.points.len()], grains, rank);
            }
        }
    }
}

fn run<const N: usize>(
    links: &[Link<N>],
    lambda: &mut [Real],
    grains: &mut [Grain],
    rank: &[u32],
    per_square: Real,
    backwards: bool,
) {
    let rows = links.iter().zip(lambda);
    if backwards {
        rows.rev().for_each(|(link, lambda)| row(link, lambda, grains, rank, per_square));
    } else {
        rows.for_each(|(link, lambda)| row(link, lambda, grains, rank, per_square));
    }
}

#[inline]
fn row<const N: usize>(
    link: &Link<N>,
    lambda: &mut Real,
    grains: &mut [Grain],
    rank: &[u32],
    per_square: Real,
) {
    let places = link.points.map(|i| rank[i as usize] as usize);
    let (mut q, mut rel, mut w) = (Vec3::zeros(), Vec3::zeros(), 0.0);
    for (&place, weight) in places.iter().zip(link.weights) {
        let grain = &grains[place];
        q += grain.x * weight;
        rel += grain.d * weight;
        w += grain.w * weight * weight;
    }
    let length = q.norm();
    let alpha = link.compliance * per_square;
    if length <= 0.0 || w + alpha <= 0.0 {
        return; // no direction, or both ends held
    }
    let n = q / length;
    let c = length + n.dot(&rel) - link.length;
    let change = -(c + alpha * *lambda) / (w + alpha);
    *lambda += change;
    for (&place, weight) in places.iter().zip(link.weights) {
        let grain = &mut grains[place];
        grain.d += n * (change * weight * grain.w);
    }
}

/// Brings a bag to its volume.
fn fill(bag: &Bag, gradient: &mut [Vec3], grains: &mut [Grain], rank: &[u32]) {
    let volume = bag.gradient(|v| grains[rank[v as usize] as usize].x, gradient);
    let (mut along, mut w) = (0.0, 0.0);
    for (g, v) in gradient.iter().zip(bag.points.clone()) {
        let grain = &grains[rank[v as usize] as usize];
        along += g.dot(&grain.d);
        w += grain.w * g.norm_squared();
    }
    if w > 0.0 {
        let lambda = -(volume + along - bag.volume) / w;
        for (g, v) in gradient.iter().zip(bag.points.clone()) {
            let grain = &mut grains[rank[v as usize] as usize];
            grain.d += g * (lambda * grain.w);
        }
    }
}
