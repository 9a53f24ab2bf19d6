//! Fill-reducing elimination orders: nested dissection.
//!
//! A small separator is eliminated last; the two sides do not touch and are ordered the same way. George 1973,
//! "Nested dissection of a regular finite element mesh". The separators come from METIS (feature `metis`) or from
//! a built-in multilevel method, which needs no C compiler and is always available.

mod graph;
#[cfg(feature = "metis")]
mod metis;
mod minimum_degree;
mod separator;

pub(crate) use graph::Graph;

use graph::Random;
use pd_core::LinearError;

/// Which nested dissection orders the unknowns of [`PanelCholesky`](crate::PanelCholesky).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ordering {
    /// The order of the matrix: for experiments.
    Natural,
    /// Built-in multilevel dissection: no C compiler needed.
    Dissection,
    /// METIS, compiled from its C source.
    #[cfg(feature = "metis")]
    Metis,
}

impl Default for Ordering {
    fn default() -> Self {
        #[cfg(feature = "metis")]
        return Self::Metis;
        #[cfg(not(feature = "metis"))]
        Self::Dissection
    }
}

/// Subgraphs of at most this size are ordered by minimum degree.
const LEAF: usize = 64;

impl Ordering {
    /// The vertices in the order of their elimination.
    pub(crate) fn order(self, graph: &Graph) -> Result<Vec<u32>, LinearError> {
        match self {
            Self::Natural => Ok((0..graph.len() as u32).collect()),
            Self::Dissection => Ok(dissect(graph)),
            #[cfg(feature = "metis")]
            Self::Metis => metis::order(graph),
        }
    }
}

/// Nested dissection with built-in separators.
fn dissect(graph: &Graph) -> Vec<u32> {
    let mut order = Vec::with_capacity(graph.len());
    let all: Vec<u32> = (0..graph.len() as u32).collect();
    dissect_into(graph, &all, &mut Random(1), &mut order);
    order
}

/// Appends the vertices of a subgraph, called `names` in the whole, to the order. Halving at every level, or giving
/// up, bounds the depth.
fn dissect_into(graph: &Graph, names: &[u32], random: &mut Random, order: &mut Vec<u32>) {
    if graph.len() <= LEAF {
        order.extend(minimum_degree::order(graph).into_iter().map(|v| names[v as usize]));
        return;
    }
    let side = separator::separate(graph, random);
    let count = |s| side.iter().filter(|&&t| t == s).count();
    if count(0).max(count(1)) * 10 > graph.len() * 9 || count(0).min(count(1)) == 0 {
        // Nothing to divide, as in a dense matrix: low degrees first.
        let mut rest: Vec<u32> = (0..graph.len() as u32).collect();
        rest.sort_by_key(|&v| graph.neighbours(v as usize).len());
        order.extend(rest.into_iter().map(|v| names[v as usize]));
        return;
    }
    for s in 0..2 {
        let (part, kept) = graph.induced(&side, s);
        let kept: Vec<u32> = kept.into_iter().map(|v| names[v as usize]).collect();
        dissect_into(&part, &kept, random, order);
    }
    let separator = (0..graph.len()).filter(|&v| side[v] == separator::SEPARATOR);
    order.extend(separator.map(|v| names[v]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_core::Csr;

    fn grid(n: usize) -> Graph {
        let at = |i: usize, j: usize| (i * n + j) as u32;
        let mut t = vec![];
        for i in 0..n {
            for j in 0..n {
                t.push((at(i, j), at(i, j), 4.0));
                for (k, l) in [(i + 1, j), (i, j + 1), (i + 1, j + 1)] {
                    if k < n && l < n {
                        t.push((at(i, j), at(k, l), -1.0));
                        t.push((at(k, l), at(i, j), -1.0));
                    }
                }
            }
        }
        Graph::of_pattern(Csr::from_triplets(n * n, &t).unwrap().pattern())
    }

    #[test]
    fn separators_separate_and_are_small() {
        let graph = grid(40);
        let side = separator::separate(&graph, &mut Random(3));
        let mut count = [0; 3];
        for v in 0..graph.len() {
            count[side[v] as usize] += 1;
            for &u in graph.neighbours(v) {
                assert!(side[v] == side[u as usize] || side[v] == 2 || side[u as usize] == 2);
            }
        }
        assert!(count[2] <= 60, "a line of 40 vertices separates the grid; got {}", count[2]);
        assert!(count[0].max(count[1]) <= 1000, "{count:?}");
    }

    #[test]
    fn refinement_keeps_its_books() {
        // A wasteful start: a thick separator. The result must be a separator of the weight it says.
        let graph = grid(20);
        let mut side: Vec<u8> = (0..400).map(|v| [0, 2, 2, 1][(v % 20) / 5]).collect();
        let (weight, difference) = separator::refine(&graph, &mut side);
        let count = |s| side.iter().filter(|&&t| t == s).count() as u32;
        assert_eq!((count(2), count(0).abs_diff(count(1))), (weight, difference));
        assert!(weight <= 30, "{weight}");
        for v in 0..graph.len() {
            for &u in graph.neighbours(v) {
                assert!(u32::from(side[v]) + u32::from(side[u as usize]) != 1);
            }
        }
    }
}
