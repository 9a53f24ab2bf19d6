//! Small vertex separators of a graph by the multilevel method.
//!
//! Matched neighbours merge until the graph is small, a separator is grown there, and every step back to the fine
//! graph improves it by the moves of Fiduccia and Mattheyses (1982), applied to vertices of the separator:
//! moving v to side a pulls its neighbours on the other side into the separator, gain = w(v) − Σ w(pulled).
//! Karypis & Kumar 1998, "A fast and high quality multilevel scheme for partitioning irregular graphs".

use super::graph::{Graph, Random};
use std::collections::BinaryHeap;

/// Side of a vertex of the separator; the others are 0 and 1.
pub(super) const SEPARATOR: u8 = 2;
/// Coarsening stops at this many vertices.
const COARSEST: usize = 120;
/// Separators grown on the coarsest graph; the best is kept.
const TRIALS: usize = 6;
/// A side may weigh this much of the whole.
const HEAVIEST_SIDE: f64 = 0.57;
/// Passes of refinement on each level.
const PASSES: usize = 8;

/// Splits the vertices into sides 0 and 1 and a [`SEPARATOR`] without an edge between the sides.
pub(super) fn separate(graph: &Graph, random: &mut Random) -> Vec<u8> {
    let mut maps: Vec<Vec<u32>> = vec![];
    let mut coarse: Vec<Graph> = vec![];
    loop {
        let finest = coarse.last().unwrap_or(graph);
        if finest.len() <= COARSEST {
            break;
        }
        let (cluster, count) = match_neighbours(finest, graph.total_weight(), random);
        if count as f64 > 0.95 * finest.len() as f64 {
            break; // stars and loose vertices do not match any further
        }
        let next = finest.contract(&cluster, count);
        maps.push(cluster);
        coarse.push(next);
    }
    let mut side = grow_best(coarse.last().unwrap_or(graph), random);
    while let Some(map) = maps.pop() {
        side = map.iter().map(|&c| side[c as usize]).collect();
        coarse.pop();
        refine(coarse.last().unwrap_or(graph), &mut side);
    }
    side
}

/// Heavy-edge matching: every vertex joins the free neighbour it shares the heaviest edge with.
fn match_neighbours(graph: &Graph, total: u32, random: &mut Random) -> (Vec<u32>, usize) {
    let heaviest = (1.5 * f64::from(total) / COARSEST as f64).max(2.0) as u32;
    let mut cluster = vec![u32::MAX; graph.len()];
    let mut count = 0;
    for v in random.permutation(graph.len()) {
        let v = v as usize;
        if cluster[v] != u32::MAX {
            continue;
        }
        let mut best: Option<(u32, usize)> = None;
        for (u, w) in graph.edges(v) {
            let fits = graph.weights[u] + graph.weights[v] <= heaviest;
            if cluster[u] == u32::MAX && fits && best.is_none_or(|(most, _)| w > most) {
                best = Some((w, u));
            }
        }
        cluster[v] = count;
        if let Some((_, u)) = best {
            cluster[u] = count;
        }
        count += 1;
    }
    (cluster, count as usize)
}

/// Grows side 0 from several seeds until it weighs half, and keeps the best separator after refinement.
fn grow_best(graph: &Graph, random: &mut Random) -> Vec<u8> {
    let trials = if graph.len() <= 4 * COARSEST { TRIALS } else { 1 };
    let mut best: Option<((u32, u32), Vec<u8>)> = None;
    for _ in 0..trials {
        let mut side = grow(graph, random);
        let score = refine(graph, &mut side);
        if best.as_ref().is_none_or(|(lowest, _)| score < *lowest) {
            best = Some((score, side));
        }
    }
    best.map_or_else(|| vec![0; graph.len()], |(_, side)| side)
}

fn grow(graph: &Graph, random: &mut Random) -> Vec<u8> {
    let half = graph.total_weight() / 2;
    let (mut side, mut weight) = (vec![1u8; graph.len()], 0);
    let mut queue = std::collections::VecDeque::new();
    let seeds = random.permutation(graph.len());
    let mut seeds = seeds.iter().map(|&v| v as usize);
    while weight < half {
        let Some(v) = queue.pop_front().or_else(|| seeds.find(|&v| side[v] == 1)) else { break };
        if side[v] == 0 {
            continue;
        }
        side[v] = 0;
        weight += graph.weights[v];
        queue.extend(graph.neighbours(v).iter().map(|&u| u as usize).filter(|&u| side[u] == 1));
    }
    let touches_zero = |v: usize| graph.neighbours(v).iter().any(|&u| side[u as usize] == 0);
    let boundary: Vec<usize> = (0..graph.len()).filter(|&v| side[v] == 1 && touches_zero(v)).collect();
    for v in boundary {
        side[v] = SEPARATOR;
    }
    side
}

/// The state of one refinement.
struct Refinement<'a> {
    graph: &'a Graph,
    side: &'a mut [u8],
    /// Weights of side 0, side 1 and the separator.
    weight: [u32; 3],
    /// For a vertex of the separator: weight of its neighbours on side 0 and on side 1.
    pull: Vec<[u32; 2]>,
    moved: Vec<bool>,
    /// Candidates by the side they would move to; entries with an outdated gain are skipped.
    queues: [BinaryHeap<(i64, std::cmp::Reverse<u32>)>; 2],
    heaviest: u32,
}

/// Improves a separator; returns (its weight, difference of the sides): less is better.
pub(super) fn refine(graph: &Graph, side: &mut [u8]) -> (u32, u32) {
    let mut weight = [0; 3];
    for (v, &s) in side.iter().enumerate() {
        weight[s as usize] += graph.weights[v];
    }
    let largest_vertex = graph.weights.iter().copied().max().unwrap_or(1);
    let total: u32 = weight.iter().sum();
    let heaviest = ((HEAVIEST_SIDE * f64::from(total)) as u32).max(total / 2 + largest_vertex);
    let n = graph.len();
    let queues = [BinaryHeap::new(), BinaryHeap::new()];
    let (pull, moved) = (vec![[0; 2]; n], vec![false; n]);
    let mut state = Refinement { graph, side, weight, pull, moved, queues, heaviest };
    for _ in 0..PASSES {
        if !state.pass() {
            break;
        }
    }
    state.score()
}

impl Refinement<'_> {
    /// Overweight first, so that an unbalanced start is always repaired.
    fn score(&self) -> (u32, u32) {
        let larger = self.weight[0].max(self.weight[1]);
        let over = larger.saturating_sub(self.heaviest);
        (self.weight[2] + 4 * over, larger - self.weight[0].min(self.weight[1]))
    }

    fn gain(&self, v: usize, to: usize) -> i64 {
        i64::from(self.graph.weights[v]) - i64::from(self.pull[v][1 - to])
    }

    fn enqueue(&mut self, v: usize) {
        if !self.moved[v] {
            for to in 0..2 {
                let gain = self.gain(v, to);
                self.queues[to].push((gain, std::cmp::Reverse(v as u32)));
            }
        }
    }

    fn count_pull(&mut self, v: usize) {
        let mut pull = [0; 2];
        for &u in self.graph.neighbours(v) {
            let s = self.side[u as usize];
            if s != SEPARATOR {
                pull[s as usize] += self.graph.weights[u as usize];
            }
        }
        self.pull[v] = pull;
    }

    /// Best valid candidate for a side, left in the queue.
    fn peek(&mut self, to: usize) -> Option<(i64, usize)> {
        while let Some(&(gain, std::cmp::Reverse(v))) = self.queues[to].peek() {
            let v = v as usize;
            if self.side[v] == SEPARATOR && !self.moved[v] && gain == self.gain(v, to) {
                return Some((gain, v));
            }
            self.queues[to].pop();
        }
        None
    }

    /// Moves `v` from the separator to a side and returns what it pulled in.
    fn shift(&mut self, v: usize, to: usize) -> Vec<u32> {
        let graph = self.graph;
        self.side[v] = to as u8;
        self.moved[v] = true;
        self.weight[2] -= graph.weights[v];
        self.weight[to] += graph.weights[v];
        let mut pulled = vec![];
        for &u in graph.neighbours(v) {
            let u = u as usize;
            if self.side[u] == SEPARATOR {
                self.pull[u][to] += graph.weights[v];
                self.enqueue(u);
            } else if self.side[u] == 1 - to as u8 {
                pulled.push(u as u32);
            }
        }
        for &u in &pulled {
            let (u, w) = (u as usize, graph.weights[u as usize]);
            self.side[u] = SEPARATOR;
            self.weight[1 - to] -= w;
            self.weight[2] += w;
            self.count_pull(u);
            self.enqueue(u);
            for &t in graph.neighbours(u) {
                let t = t as usize;
                if self.side[t] == SEPARATOR && t != u && !pulled.contains(&(t as u32)) {
                    self.pull[t][1 - to] -= w;
                    self.enqueue(t);
                }
            }
        }
        // Those pulled in together saw each other on the old side or not, depending on the order: count again.
        if pulled.len() > 1 {
            for &u in &pulled {
                self.count_pull(u as usize);
                self.enqueue(u as usize);
            }
        }
        pulled
    }

    /// One pass: the best moves one after another, even worsening ones, then back to the best state seen.
    fn pass(&mut self) -> bool {
        self.moved.fill(false);
        self.queues.iter_mut().for_each(BinaryHeap::clear);
        let members: Vec<usize> = (0..self.graph.len()).filter(|&v| self.side[v] == SEPARATOR).collect();
        for &v in &members {
            self.count_pull(v);
            self.enqueue(v);
        }
        let start = self.score();
        let (mut best, mut best_at) = (start, 0);
        let mut log: Vec<(usize, usize, Vec<u32>)> = vec![];
        let patience = (members.len() / 4).clamp(30, 200);
        while log.len() < best_at + patience {
            let Some((v, to)) = self.choose() else { break };
            let pulled = self.shift(v, to);
            log.push((v, to, pulled));
            let score = self.score();
            if score < best {
                (best, best_at) = (score, log.len());
            }
        }
        for (v, to, pulled) in log.drain(best_at..).rev() {
            for u in pulled {
                self.side[u as usize] = 1 - to as u8;
                self.weight[1 - to] += self.graph.weights[u as usize];
                self.weight[2] -= self.graph.weights[u as usize];
            }
            self.side[v] = SEPARATOR;
            self.weight[to] -= self.graph.weights[v];
            self.weight[2] += self.graph.weights[v];
        }
        best < start
    }

    /// The better of the two candidates among those that keep the balance; ties go to the lighter side.
    fn choose(&mut self) -> Option<(usize, usize)> {
        let candidates = [self.peek(0), self.peek(1)];
        let lighter = usize::from(self.weight[1] < self.weight[0]);
        let mut choice: Option<(i64, usize, usize)> = None;
        for to in [lighter, 1 - lighter] {
            let Some((gain, v)) = candidates[to] else { continue };
            let fits = to == lighter || self.weight[to] + self.graph.weights[v] <= self.heaviest;
            if fits && choice.is_none_or(|(most, ..)| gain > most) {
                choice = Some((gain, v, to));
            }
        }
        choice.map(|(_, v, to)| (v, to))
    }
}
