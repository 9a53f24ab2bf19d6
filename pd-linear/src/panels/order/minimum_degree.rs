//! Minimum degree: the vertex with the fewest neighbours is eliminated first and its neighbours become a clique.
//!
//! Exact, on graphs so small that a row of the adjacency matrix fits one integer. George & Liu 1989, "The evolution
//! of the minimum degree ordering algorithm".

use super::graph::Graph;

/// The vertices in the order of elimination. The graph has at most 128.
pub(super) fn order(graph: &Graph) -> Vec<u32> {
    let n = graph.len();
    debug_assert!(n <= 128);
    let mut rows: Vec<u128> =
        (0..n).map(|v| graph.neighbours(v).iter().fold(0, |row, &u| row | 1 << u)).collect();
    let mut left: Vec<u32> = (0..n as u32).collect();
    let mut order = Vec::with_capacity(n);
    while !left.is_empty() {
        let degree = |v: &u32| rows[*v as usize].count_ones();
        let Some((at, _)) = left.iter().enumerate().min_by_key(|(_, v)| degree(v)) else { break };
        let v = left.remove(at);
        let clique = rows[v as usize];
        for &u in left.iter().filter(|&&u| clique >> u & 1 == 1) {
            rows[u as usize] = (rows[u as usize] | clique) & !(1 << u | 1 << v);
        }
        order.push(v);
    }
    order
}
