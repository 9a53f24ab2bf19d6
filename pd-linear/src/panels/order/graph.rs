//! An undirected graph with weights: vertices stand for unknowns, edges for entries off the diagonal.

use pd_core::Pattern;

/// Compressed adjacency; neighbours ascend, no loops, every edge stored from both ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    edge_weights: Vec<u32>,
    /// How many unknowns a vertex stands for.
    pub(super) weights: Vec<u32>,
}

impl Graph {
    /// The graph of A + Aᵀ: one vertex per row. The union makes a pattern safe whose zeros are stored on one side
    /// only.
    pub(crate) fn of_pattern(pattern: &Pattern) -> Self {
        let n = pattern.rows();
        let mut pairs = Vec::with_capacity(2 * pattern.entries());
        for i in 0..n {
            for &j in pattern.row(i).iter().filter(|&&j| j as usize != i) {
                pairs.push((i as u32, j));
                pairs.push((j, i as u32));
            }
        }
        Self::from_pairs(vec![1; n], pairs)
    }

    /// From directed pairs in any order; repeated ones merge.
    fn from_pairs(weights: Vec<u32>, pairs: Vec<(u32, u32)>) -> Self {
        let n = weights.len();
        let mut start = vec![0u32; n + 1];
        for &(i, _) in &pairs {
            start[i as usize + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let (mut fill, mut unmerged) = (start.clone(), vec![0u32; pairs.len()]);
        for (i, j) in pairs {
            unmerged[fill[i as usize] as usize] = j;
            fill[i as usize] += 1;
        }
        let mut graph = Self { weights, offsets: vec![0], ..Self::default() };
        for i in 0..n {
            let row = &mut unmerged[start[i] as usize..start[i + 1] as usize];
            row.sort_unstable();
            let first = graph.neighbours.len();
            for &j in row.iter() {
                if graph.neighbours[first..].last() != Some(&j) {
                    graph.neighbours.push(j);
                }
            }
            graph.offsets.push(graph.neighbours.len() as u32);
        }
        graph.edge_weights = vec![1; graph.neighbours.len()];
        graph
    }

    /// Number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Row offsets of the adjacency.
    #[cfg(feature = "metis")]
    pub(super) fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All neighbours, vertex after vertex.
    #[cfg(feature = "metis")]
    pub(super) fn adjacency(&self) -> &[u32] {
        &self.neighbours
    }

    fn range(&self, v: usize) -> std::ops::Range<usize> {
        self.offsets[v] as usize..self.offsets[v + 1] as usize
    }

    /// Neighbours of a vertex.
    pub(crate) fn neighbours(&self, v: usize) -> &[u32] {
        &self.neighbours[self.range(v)]
    }

    /// Neighbours with the weights of the edges to them.
    pub(super) fn edges(&self, v: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let range = self.range(v);
        self.neighbours[range.clone()]
            .iter()
            .map(|&u| u as usize)
            .zip(self.edge_weights[range].iter().copied())
    }

    /// Sum of all vertex weights.
    pub(super) fn total_weight(&self) -> u32 {
        self.weights.iter().sum()
    }

    /// The graph of clusters: `cluster[v]` in `0..count`; weights of merged vertices and parallel edges add up.
    pub(super) fn contract(&self, cluster: &[u32], count: usize) -> Self {
        let mut members = vec![[u32::MAX; 2]; count];
        for (v, &c) in cluster.iter().enumerate() {
            let slot = usize::from(members[c as usize][0] != u32::MAX);
            members[c as usize][slot] = v as u32;
        }
        let mut coarse = Self { offsets: vec![0], ..Self::default() };
        let mut slot_of = vec![u32::MAX; count];
        for (c, members) in members.iter().enumerate() {
            let first = coarse.neighbours.len();
            let mut weight = 0;
            for &v in members.iter().filter(|&&v| v != u32::MAX) {
                weight += self.weights[v as usize];
                for (u, w) in self.edges(v as usize) {
                    let d = cluster[u];
                    if d as usize == c {
                        continue;
                    }
                    let slot = slot_of[d as usize];
                    if slot != u32::MAX && slot as usize >= first {
                        coarse.edge_weights[slot as usize] += w;
                    } else {
                        slot_of[d as usize] = coarse.neighbours.len() as u32;
                        coarse.neighbours.push(d);
                        coarse.edge_weights.push(w);
                    }
                }
            }
            coarse.weights.push(weight);
            coarse.offsets.push(coarse.neighbours.len() as u32);
        }
        coarse
    }

    /// The graph on the vertices with `side[v] == keep`, and which vertices these are.
    pub(super) fn induced(&self, side: &[u8], keep: u8) -> (Self, Vec<u32>) {
        let kept: Vec<u32> = (0..self.len() as u32).filter(|&v| side[v as usize] == keep).collect();
        let mut renumbered = vec![u32::MAX; self.len()];
        for (k, &v) in kept.iter().enumerate() {
            renumbered[v as usize] = k as u32;
        }
        let mut sub = Self { offsets: vec![0], ..Self::default() };
        for &v in &kept {
            for (u, w) in self.edges(v as usize).filter(|&(u, _)| renumbered[u] != u32::MAX) {
                sub.neighbours.push(renumbered[u]);
                sub.edge_weights.push(w);
            }
            sub.offsets.push(sub.neighbours.len() as u32);
            sub.weights.push(self.weights[v as usize]);
        }
        (sub, kept)
    }
}

/// A small generator of pseudo-random numbers (splitmix64), so that orderings are the same on every run.
#[derive(Clone, Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }

    /// The numbers `0..n` in random order.
    pub(super) fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for k in (1..n).rev() {
            order.swap(k, self.below(k + 1));
        }
        order
    }
}
