//! Supernodes: runs of columns of L with the same rows below them, merged where a cost model of the solve predicts a gain.
//!
//! A merged panel stores zeros but saves the start of a panel and the gather of its rows. Ashcraft & Grimes 1989,
//! "The influence of relaxed supernode partitions on the multifrontal method".

use super::tree::ROOT;

/// Modelled time of both sweeps over one panel of `s` columns and `m` rows below, in cycles; only ratios matter. The optimum
/// is flat: with AVX2, fifteen pairs of `panel` and `value` differed by a few per cent of a solve. With registers of 512
/// bits, which are no longer used, half of this `value` was as fast in the cache and a few per cent slower outside it, with
/// a tenth more to store; twice and four times as much lost up to a tenth in the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostModel {
    /// Start and end of a panel.
    pub(super) panel: f64,
    /// One row below: index, gather, scatter.
    pub(super) row: f64,
    /// One column: load, reduction, store.
    pub(super) column: f64,
    /// One stored value, read by one sweep.
    pub(super) value: f64,
    /// Values per register: rows are worked on in blocks of this many.
    pub(super) lanes: usize,
}

impl CostModel {
    /// For registers of this many values of so many bytes.
    pub(super) fn new(lanes: usize, bytes: usize) -> Self {
        Self { panel: 150.0, row: 4.0, column: 8.0, value: 0.3 * bytes as f64, lanes }
    }

    /// Cycles of a panel.
    pub(super) fn cost(&self, s: usize, m: usize) -> f64 {
        let blocks = |rows: usize| (rows.div_ceil(self.lanes) * self.lanes) as f64;
        let values = s as f64 * (2.0 * blocks(m) + blocks(s));
        self.panel + self.row * m as f64 + self.column * s as f64 + self.value * values
    }
}

/// A partition of the columns into supernodes and their tree.
#[derive(Debug, Default)]
pub(super) struct Partition {
    /// Columns of each supernode, ascending.
    pub(super) columns: Vec<Vec<u32>>,
    /// Number of rows below.
    pub(super) below: Vec<u32>,
    /// Parent supernode or [`ROOT`].
    pub(super) parent: Vec<u32>,
}

/// Maximal runs without any extra zero: j joins j − 1 when it is its parent and has one entry less. Columns are in
/// postorder.
pub(super) fn fundamental(parent: &[u32], count: &[u32]) -> Partition {
    let n = parent.len();
    let mut partition = Partition::default();
    let mut node_of = vec![0u32; n];
    for j in 0..n {
        if j > 0 && parent[j - 1] == j as u32 && count[j - 1] == count[j] + 1 {
            if let Some(columns) = partition.columns.last_mut() {
                columns.push(j as u32);
            }
        } else {
            partition.columns.push(vec![j as u32]);
        }
        node_of[j] = partition.columns.len() as u32 - 1;
    }
    for columns in &partition.columns {
        let (first, last) = (columns[0] as usize, columns[columns.len() - 1] as usize);
        partition.below.push(count[first] - columns.len() as u32);
        partition.parent.push(if parent[last] == ROOT { ROOT } else { node_of[parent[last] as usize] });
    }
    partition
}

/// Merges children into parents, most profitable first, while the model gains. A child's rows are a subset of its
/// parent's columns and rows, so the merged panel has the parent's rows.
pub(super) fn amalgamate(fine: Partition, model: &CostModel) -> Partition {
    let count = fine.columns.len();
    let mut width: Vec<usize> = fine.columns.iter().map(Vec::len).collect();
    let below: Vec<usize> = fine.below.iter().map(|&m| m as usize).collect();
    let mut into = vec![ROOT; count];
    let mut parent = fine.parent;
    let mut children: Vec<Vec<u32>> = vec![vec![]; count];
    for (q, &p) in parent.iter().enumerate().filter(|&(_, &p)| p != ROOT) {
        children[p as usize].push(q as u32);
    }
    for p in 0..count {
        loop {
            let gain = |c: usize| {
                model.cost(width[c], below[c]) + model.cost(width[p], below[p])
                    - model.cost(width[c] + width[p], below[p])
            };
            let mut best: Option<(f64, usize)> = None;
            for (at, &c) in children[p].iter().enumerate() {
                let gain = gain(c as usize);
                if gain > 0.0 && best.is_none_or(|(most, _)| gain > most) {
                    best = Some((gain, at));
                }
            }
            let Some((_, at)) = best else { break };
            let c = children[p].remove(at) as usize;
            into[c] = p as u32;
            width[p] += width[c];
            for grandchild in std::mem::take(&mut children[c]) {
                parent[grandchild as usize] = p as u32;
                children[p].push(grandchild);
            }
        }
    }
    compact(fine.columns, &below, &parent, &into)
}

/// Renumbers what is left after merging.
fn compact(columns: Vec<Vec<u32>>, below: &[usize], parent: &[u32], into: &[u32]) -> Partition {
    let mut name = vec![ROOT; columns.len()];
    let mut partition = Partition::default();
    for q in (0..columns.len()).filter(|&q| into[q] == ROOT) {
        name[q] = partition.columns.len() as u32;
        partition.columns.push(vec![]);
        partition.below.push(below[q] as u32);
        partition.parent.push(parent[q]);
    }
    for (q, columns) in columns.into_iter().enumerate() {
        let mut root = q;
        while into[root] != ROOT {
            root = into[root] as usize;
        }
        partition.columns[name[root] as usize].extend(columns); // q ascends, hence the columns do
    }
    for p in &mut partition.parent {
        if *p != ROOT {
            *p = name[*p as usize];
        }
    }
    partition
}
