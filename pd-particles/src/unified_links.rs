//! Links in the stepper `unified`: a group of its own, averaged.
//!
//! The report divides a particle's sum by its own count n_i. Here every link is divided by the largest count of its particles:
//! its pushes stay opposite, which keeps momentum, and its multiplier is what was applied, which keeps its compliance.

use crate::Links;
use crate::links::Link;
use pd_core::{Real, Vec3};

/// Multipliers of a step, the number of links of every particle, and the sum of its corrections.
#[derive(Default)]
pub(crate) struct Averages {
    two: Vec<Real>,
    three: Vec<Real>,
    four: Vec<Real>,
    sum: Vec<Vec3>,
    count: Vec<Real>,
    gradient: Vec<Vec3>,
}

impl Averages {
    pub(crate) fn new(links: &Links, particles: usize) -> Self {
        if links.is_empty() {
            return Self::default();
        }
        let most = links.bags.iter().map(|bag| bag.points.len()).max().unwrap_or(0);
        Self {
            two: vec![0.0; links.two.len()],
            three: vec![0.0; links.three.len()],
            four: vec![0.0; links.four.len()],
            sum: vec![Vec3::zeros(); particles],
            count: counts(links, particles),
            gradient: vec![Vec3::zeros(); most],
        }
    }

    /// Forgets the multipliers of the last step.
    pub(crate) fn start(&mut self) {
        for column in [&mut self.two, &mut self.three, &mut self.four] {
            column.fill(0.0);
        }
    }

    /// One iteration of all links with over-relaxation ω on the positions `x`; inverse masses `w`, 1/kg.
    pub(crate) fn iterate(&mut self, links: &Links, x: &mut [Vec3], w: &[Real], relaxation: Real, dt: Real) {
        if links.is_empty() {
            return;
        }
        self.sum.fill(Vec3::zeros());
        let (sum, count, per_square) = (&mut self.sum, (&*self.count, relaxation), 1.0 / (dt * dt));
        gather(&links.two, &mut self.two, x, w, per_square, sum, count);
        gather(&links.three, &mut self.three, x, w, per_square, sum, count);
        gather(&links.four, &mut self.four, x, w, per_square, sum, count);
        for bag in &links.bags {
            let gradient = &mut self.gradient[..bag.points.len()];
            let volume = bag.gradient(|v| x[v as usize], gradient);
            let rows = || gradient.iter().zip(bag.points.clone()).map(|(g, v)| (g, v as usize));
            let mass: Real = rows().map(|(g, v)| w[v] * g.norm_squared()).sum();
            if mass > 0.0 {
                let most = rows().map(|(_, v)| self.count[v]).fold(1.0, Real::max);
                let lambda = (bag.volume - volume) / mass * (relaxation / most);
                for (g, v) in rows() {
                    sum[v] += g * (lambda * w[v]);
                }
            }
        }
        x.iter_mut().zip(sum).for_each(|(x, sum)| *x += *sum);
    }
}

fn gather<const N: usize>(
    links: &[Link<N>],
    lambda: &mut [Real],
    x: &[Vec3],
    w: &[Real],
    per_square: Real,
    sum: &mut [Vec3],
    (count, relaxation): (&[Real], Real),
) {
    for (link, lambda) in links.iter().zip(lambda) {
        let points = link.points.map(|i| i as usize);
        let terms = || points.iter().zip(link.weights);
        let q: Vec3 = terms().map(|(&i, weight)| x[i] * weight).sum();
        let mass: Real = terms().map(|(&i, weight)| w[i] * weight * weight).sum();
        let (length, alpha) = (q.norm(), link.compliance * per_square);
        if length <= 0.0 || mass + alpha <= 0.0 {
            continue;
        }
        let most = points.iter().map(|&i| count[i]).fold(1.0, Real::max);
        let change = -(length - link.length + alpha * *lambda) / (mass + alpha) * (relaxation / most);
        *lambda += change;
        for (&i, weight) in terms() {
            sum[i] += q * (change * weight * w[i] / length);
        }
    }
}

/// Links of every particle.
fn counts(links: &Links, particles: usize) -> Vec<Real> {
    let mut counts = vec![0.0; particles];
    let two = links.two.iter().flat_map(|link| link.points);
    let three = links.three.iter().flat_map(|link| link.points);
    let four = links.four.iter().flat_map(|link| link.points);
    let bags = links.bags.iter().flat_map(|bag| bag.points.clone());
    two.chain(three).chain(four).chain(bags).for_each(|i| counts[i as usize] += 1.0);
    counts
}
