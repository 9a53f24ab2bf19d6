//! Everything about the factor that depends only on the pattern: order, panels, their rows, and the split of the
//! tree into parts that can run in parallel.

use super::order::{Graph, Ordering};
use super::supernodes::{CostModel, Partition, amalgamate, fundamental};
use super::tree::{Lower, ROOT, column_counts, invert, parents, postorder};
use pd_core::{LinearError, Pattern};
use std::ops::Range;

/// One supernode. Columns and rows are in the order of elimination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Its columns.
    pub(super) columns: Range<usize>,
    /// The rows below its columns, ascending.
    pub(super) rows: Vec<u32>,
    /// Its parent in the tree or [`ROOT`].
    pub(super) parent: u32,
}

/// The symbolic factor.
#[derive(Clone, Debug)]
pub(super) struct Symbolic {
    /// `order[new] = old`.
    pub(super) order: Vec<u32>,
    /// `position[old] = new`.
    pub(super) position: Vec<u32>,
    /// Children before parents, part after part; the top comes last.
    pub(super) nodes: Vec<Node>,
    /// Ranges of `nodes`: the independent parts, then the top, the ancestor of all parts.
    pub(super) parts: Vec<Range<usize>>,
    /// Entries of L without the zeros that merging adds.
    pub(super) fill: usize,
}

/// Analyses a pattern for `threads` independent parts.
pub(super) fn analyse(
    pattern: &Pattern,
    ordering: Ordering,
    model: &CostModel,
    threads: usize,
) -> Result<Symbolic, LinearError> {
    if pattern.rows() == 0 {
        return Err(LinearError::Empty);
    }
    if u32::try_from(pattern.rows()).is_err() {
        return Err(LinearError::Dimension {
            what: "rows",
            expected: u32::MAX as usize,
            got: pattern.rows(),
        });
    }
    let graph = Graph::of_pattern(pattern);
    let first_order = ordering.order(&graph)?;
    let parent = parents(&Lower::new(&graph, &first_order));
    let post = postorder(&parent);
    let position = invert(&post);
    let parent: Vec<u32> = post
        .iter()
        .map(|&v| match parent[v as usize] {
            ROOT => ROOT,
            p => position[p as usize],
        })
        .collect();
    let order: Vec<u32> = post.iter().map(|&v| first_order[v as usize]).collect();
    let lower = Lower::new(&graph, &order);
    let count = column_counts(&lower, &parent);
    let fill = count.iter().map(|&c| c as usize).sum();
    let partition = amalgamate(fundamental(&parent, &count), model);
    let (sequence, parts) = split(&partition, model, threads);
    Ok(number(&graph, &order, &partition, &sequence, parts, fill))
}

/// Cuts the tree: the heaviest subtree is opened (its root goes to the top) while that shortens
/// top + heaviest part, the parts being filled largest subtree first.
fn split(partition: &Partition, model: &CostModel, threads: usize) -> (Vec<u32>, Vec<Range<usize>>) {
    let count = partition.columns.len();
    let own: Vec<f64> =
        (0..count).map(|q| model.cost(partition.columns[q].len(), partition.below[q] as usize)).collect();
    let mut subtree = own.clone();
    let mut children: Vec<Vec<u32>> = vec![vec![]; count];
    let mut open: Vec<u32> = vec![];
    for q in 0..count {
        match partition.parent[q] {
            ROOT => open.push(q as u32),
            p => {
                subtree[p as usize] += subtree[q];
                children[p as usize].push(q as u32);
            }
        }
    }
    let (mut top, mut top_cost) = (vec![], 0.0);
    let mut best: (f64, Vec<u32>, Vec<Vec<u32>>) = (f64::INFINITY, vec![], vec![]);
    for _ in 0..40 * threads {
        open.sort_by(|&a, &b| subtree[b as usize].total_cmp(&subtree[a as usize]).then(a.cmp(&b)));
        let (loads, bins) = pack(&open, &subtree, threads);
        let time = top_cost + loads.into_iter().fold(0.0, f64::max);
        if time < best.0 {
            best = (time, top.clone(), bins);
        }
        if threads < 2 || open.is_empty() {
            break;
        }
        let heaviest = open.remove(0);
        top.push(heaviest);
        top_cost += own[heaviest as usize];
        open.extend(&children[heaviest as usize]);
    }
    let mut label = vec![0usize; count];
    for (part, roots) in best.2.iter().enumerate() {
        for &r in roots {
            label[r as usize] = part + 1;
        }
    }
    for q in (0..count).rev() {
        let p = partition.parent[q];
        if label[q] == 0 && p != ROOT {
            label[q] = label[p as usize]; // zero marks the top, which has no labelled ancestor
        }
    }
    let post = postorder(&partition.parent);
    let (mut sequence, mut parts) = (vec![], vec![]);
    for part in (1..=threads).chain([0]) {
        let first = sequence.len();
        sequence.extend(post.iter().filter(|&&q| label[q as usize] == part));
        parts.push(first..sequence.len());
    }
    (sequence, parts)
}

/// Largest first, each to the lightest bin.
fn pack(sorted: &[u32], weight: &[f64], bins: usize) -> (Vec<f64>, Vec<Vec<u32>>) {
    let (mut loads, mut packed) = (vec![0.0; bins], vec![vec![]; bins]);
    for &item in sorted {
        let lightest = (1..bins).fold(0, |best, b| if loads[b] < loads[best] { b } else { best });
        loads[lightest] += weight[item as usize];
        packed[lightest].push(item);
    }
    (loads, packed)
}

/// Numbers the columns in the final sequence and collects the rows of every node: those of A and of its children.
fn number(
    graph: &Graph,
    order: &[u32],
    partition: &Partition,
    sequence: &[u32],
    parts: Vec<Range<usize>>,
    fill: usize,
) -> Symbolic {
    let place = invert(sequence);
    let mut final_order = Vec::with_capacity(order.len());
    let mut nodes: Vec<Node> = vec![];
    for &q in sequence {
        let first = final_order.len();
        final_order.extend(partition.columns[q as usize].iter().map(|&j| order[j as usize]));
        let parent = match partition.parent[q as usize] {
            ROOT => ROOT,
            p => place[p as usize],
        };
        nodes.push(Node { columns: first..final_order.len(), rows: vec![], parent });
    }
    let position = invert(&final_order);
    let mut mark = vec![u32::MAX; order.len()];
    let mut children: Vec<Vec<u32>> = vec![vec![]; nodes.len()];
    for q in 0..nodes.len() {
        let columns = nodes[q].columns.clone();
        let mut rows = Vec::with_capacity(partition.below[sequence[q] as usize] as usize);
        let mut add = |i: u32| {
            if i as usize >= columns.end && mark[i as usize] != q as u32 {
                mark[i as usize] = q as u32;
                rows.push(i);
            }
        };
        for &old in &final_order[columns.clone()] {
            graph.neighbours(old as usize).iter().for_each(|&u| add(position[u as usize]));
        }
        for &c in &children[q] {
            nodes[c as usize].rows.iter().for_each(|&i| add(i));
        }
        rows.sort_unstable();
        nodes[q].rows = rows;
        if nodes[q].parent != ROOT {
            children[nodes[q].parent as usize].push(q as u32);
        }
    }
    Symbolic { order: final_order, position, nodes, parts, fill }
}

impl Symbolic {
    /// Values of all panels, zeros included and S⁻¹ in full.
    pub(super) fn stored(&self) -> usize {
        self.nodes.iter().map(|node| node.columns.len() * (node.columns.len() + node.rows.len())).sum()
    }

    /// Columns of a part.
    pub(super) fn columns(&self, part: usize) -> Range<usize> {
        let nodes = &self.nodes[self.parts[part].clone()];
        match (nodes.first(), nodes.last()) {
            (Some(first), Some(last)) => first.columns.start..last.columns.end,
            _ => self.parts[..part].iter().rev().find(|r| !r.is_empty()).map_or(0..0, |r| {
                let end = self.nodes[r.end - 1].columns.end;
                end..end
            }),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let rows: usize = self.nodes.iter().map(|node| node.rows.len()).sum();
        4 * (self.order.len() + self.position.len() + rows) + size_of::<Node>() * self.nodes.len()
    }
}
