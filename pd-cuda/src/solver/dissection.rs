//! Cutting the graph of a matrix into parts that touch only through separators.
//!
//! Recursive bisection by levels of a breadth-first search from a far vertex (George and Liu 1981, chapter 8): the level
//! at which half of a part has been seen separates the vertices before it from those behind it.

use pd_core::Csr;
use std::collections::VecDeque;

/// Vertices in a new order: the parts one after another, then all separators.
pub(super) struct Dissection {
    /// Vertex of each place.
    pub(super) order: Vec<u32>,
    /// Where each part begins, and where the separators do.
    pub(super) parts: Vec<usize>,
}

impl Dissection {
    /// Cuts until no part has more than `most` vertices.
    pub(super) fn new(a: &Csr, most: usize) -> Self {
        let n = a.rows();
        let mut found = Self { order: Vec::with_capacity(n), parts: vec![0] };
        let mut separators = vec![];
        let mut level = vec![usize::MAX; n];
        let mut open: Vec<Vec<u32>> = vec![(0..n as u32).collect()];
        // Which open piece a vertex belongs to; edges to other pieces do not count.
        let mut piece_of = vec![0usize; n];
        let mut pieces = 1;
        while let Some(piece) = open.pop() {
            if piece.len() <= most.max(1) {
                found.order.extend(&piece);
                found.parts.push(found.order.len());
                continue;
            }
            let [before, on, behind] = split(a, &piece, &piece_of, &mut level);
            for side in [before, behind] {
                side.iter().for_each(|&v| piece_of[v as usize] = pieces);
                pieces += 1;
                if !side.is_empty() {
                    open.push(side);
                }
            }
            on.iter().for_each(|&v| piece_of[v as usize] = usize::MAX);
            separators.extend(on);
        }
        separators.sort_unstable();
        found.order.extend(separators);
        found
    }
}

/// The vertices before, on and behind the middle level of a search through one piece.
fn split(a: &Csr, piece: &[u32], piece_of: &[usize], level: &mut [usize]) -> [Vec<u32>; 3] {
    let far = search(a, piece, piece[0], piece_of, level).last().copied().unwrap_or(piece[0]);
    let seen = search(a, piece, far, piece_of, level);
    // Pieces that fall apart are cut between their components, without a separator.
    if seen.len() < piece.len() {
        let rest = piece.iter().copied().filter(|&v| level[v as usize] == usize::MAX).collect();
        return [seen, vec![], rest];
    }
    // The middle level, but not the first, so that at least one vertex lies before it.
    let middle = level[seen[seen.len() / 2] as usize].max(1);
    let pick = |test: &dyn Fn(usize) -> bool| -> Vec<u32> {
        let mut picked: Vec<u32> = seen.iter().copied().filter(|&v| test(level[v as usize])).collect();
        picked.sort_unstable();
        picked
    };
    [pick(&|l| l < middle), pick(&|l| l == middle), pick(&|l| l > middle)]
}

/// Breadth-first order within a piece; `level` is the distance from the start, `usize::MAX` if not reached.
fn search(a: &Csr, piece: &[u32], start: u32, piece_of: &[usize], level: &mut [usize]) -> Vec<u32> {
    let me = piece_of[start as usize];
    piece.iter().for_each(|&v| level[v as usize] = usize::MAX);
    level[start as usize] = 0;
    let (mut waiting, mut seen) = (VecDeque::from([start]), vec![]);
    while let Some(v) = waiting.pop_front() {
        seen.push(v);
        for &w in a.pattern().row(v as usize) {
            if piece_of[w as usize] == me && level[w as usize] == usize::MAX {
                level[w as usize] = level[v as usize] + 1;
                waiting.push_back(w);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(side: usize) -> Csr {
        let mut triplets = vec![];
        for i in 0..side * side {
            triplets.push((i as u32, i as u32, 4.5));
            for (j, there) in [(i + 1, (i + 1) % side != 0), (i + side, i + side < side * side)] {
                if there {
                    triplets.push((i as u32, j as u32, -1.0));
                    triplets.push((j as u32, i as u32, -1.0));
                }
            }
        }
        Csr::from_triplets(side * side, &triplets).unwrap()
    }

    #[test]
    fn parts_are_small_and_touch_only_through_separators() {
        for (side, most) in [(1, 4), (7, 8), (20, 30), (20, 1)] {
            let a = grid(side);
            let cut = Dissection::new(&a, most);
            let mut sorted = cut.order.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().enumerate().all(|(i, &v)| i == v as usize) && sorted.len() == side * side);
            let mut part_of = vec![usize::MAX; side * side];
            for (part, range) in cut.parts.windows(2).enumerate() {
                assert!(range[1] - range[0] <= most);
                cut.order[range[0]..range[1]].iter().for_each(|&v| part_of[v as usize] = part);
            }
            for i in 0..a.rows() {
                for (j, _) in a.row(i) {
                    let (p, q) = (part_of[i], part_of[j]);
                    assert!(p == q || p == usize::MAX || q == usize::MAX, "{i} touches {j}");
                }
            }
        }
    }
}
