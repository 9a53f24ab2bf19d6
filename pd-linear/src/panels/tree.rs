//! The elimination tree and the column counts of L, from the pattern.
//!
//! parent(j) = the row of the first entry below the diagonal in column j of L. Liu 1990, "The role of elimination
//! trees in sparse factorization"; Davis 2006, "Direct Methods for Sparse Linear Systems", chapter 4.

use super::order::Graph;

/// No parent: a root.
pub(super) const ROOT: u32 = u32::MAX;

/// Strict lower triangle of the permuted pattern, by rows.
pub(super) struct Lower {
    offsets: Vec<usize>,
    columns: Vec<u32>,
}

impl Lower {
    /// `order[new] = old`.
    pub(super) fn new(graph: &Graph, order: &[u32]) -> Self {
        let position = invert(order);
        let (mut offsets, mut columns) = (vec![0], vec![]);
        for (new, &old) in order.iter().enumerate() {
            let earlier = graph.neighbours(old as usize).iter().map(|&u| position[u as usize]);
            columns.extend(earlier.filter(|&j| (j as usize) < new));
            offsets.push(columns.len());
        }
        Self { offsets, columns }
    }

    /// Columns of the entries of a row left of the diagonal.
    pub(super) fn row(&self, i: usize) -> &[u32] {
        &self.columns[self.offsets[i]..self.offsets[i + 1]]
    }

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }
}

/// The inverse of a permutation.
pub(super) fn invert(order: &[u32]) -> Vec<u32> {
    let mut position = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        position[old as usize] = new as u32;
    }
    position
}

/// parent(j) for every column, [`ROOT`] where there is none. Paths are shortened on the way (`ancestor`).
pub(super) fn parents(lower: &Lower) -> Vec<u32> {
    let n = lower.len();
    let (mut parent, mut ancestor) = (vec![ROOT; n], vec![ROOT; n]);
    for i in 0..n {
        for &j in lower.row(i) {
            let mut k = j as usize;
            while k != i {
                let next = ancestor[k];
                ancestor[k] = i as u32;
                if next == ROOT {
                    parent[k] = i as u32;
                    break;
                }
                k = next as usize;
            }
        }
    }
    parent
}

/// Children before parents, each subtree in one run.
pub(super) fn postorder(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    // Children as linked lists, youngest first when pushed from the back.
    let (mut first, mut next) = (vec![ROOT; n], vec![ROOT; n]);
    let mut roots = vec![];
    for v in (0..n).rev() {
        match parent[v] {
            ROOT => roots.push(v as u32),
            p => {
                next[v] = first[p as usize];
                first[p as usize] = v as u32;
            }
        }
    }
    let (mut order, mut stack) = (Vec::with_capacity(n), vec![]);
    while let Some(root) = roots.pop() {
        stack.push(root);
        while let Some(&v) = stack.last() {
            let child = first[v as usize];
            if child == ROOT {
                order.push(v);
                stack.pop();
            } else {
                first[v as usize] = next[child as usize];
                stack.push(child);
            }
        }
    }
    order
}

/// Entries of every column of L, the diagonal included: each row i of A reaches the columns on the tree paths from
/// its entries up to i.
pub(super) fn column_counts(lower: &Lower, parent: &[u32]) -> Vec<u32> {
    let n = lower.len();
    let (mut count, mut mark) = (vec![1; n], vec![ROOT; n]);
    for i in 0..n {
        mark[i] = i as u32;
        for &j in lower.row(i) {
            let mut k = j as usize;
            while mark[k] != i as u32 {
                mark[k] = i as u32;
                count[k] += 1;
                k = parent[k] as usize;
            }
        }
    }
    count
}
