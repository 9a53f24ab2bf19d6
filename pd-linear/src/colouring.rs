//! Greedy colouring: items of one colour are independent and can be updated together.
//!
//! First fit in order, hence deterministic for any thread count. A matrix needs at most one colour more than the
//! largest degree.

use pd_core::Pattern;

/// Rows of a matrix, or elements of a mesh, grouped by colour.
///
/// ```
/// // Three springs in a chain: the first and the last share no vertex.
/// let springs = [[0, 1], [1, 2], [2, 3]];
/// let colouring = pd_linear::Colouring::of_sets(3, 4, |spring| &springs[spring]);
/// assert_eq!(colouring.colours().collect::<Vec<_>>(), [&[0, 2][..], &[1][..]]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Colouring {
    /// All rows, colour after colour, ascending within one.
    pub(crate) order: Vec<u32>,
    /// Where each colour starts in `order`, and the total.
    pub(crate) starts: Vec<usize>,
}

impl Colouring {
    /// Rows of a symmetric pattern: those of one colour are not coupled.
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.rows();
        let mut colour = vec![u32::MAX; n];
        let mut taken_by: Vec<usize> = vec![]; // per colour: the last row that saw it at a neighbour
        for row in 0..n {
            for &j in pattern.row(row) {
                if let Some(taken) = taken_by.get_mut(colour[j as usize] as usize) {
                    *taken = row;
                }
            }
            colour[row] = first_free(&mut taken_by, row);
        }
        Self::grouped(&colour, taken_by.len())
    }

    /// Sets of numbers below `universe`: those of one colour are disjoint.
    pub fn of_sets<'a>(count: usize, universe: usize, set: impl Fn(usize) -> &'a [u32]) -> Self {
        let mut colour = vec![0; count];
        let mut seen: Vec<Vec<u32>> = vec![vec![]; universe]; // per member: the colours of its sets so far
        let mut taken_by: Vec<usize> = vec![];
        for k in 0..count {
            for &member in set(k) {
                seen[member as usize].iter().for_each(|&c| taken_by[c as usize] = k);
            }
            colour[k] = first_free(&mut taken_by, k);
            for &member in set(k) {
                seen[member as usize].push(colour[k]);
            }
        }
        Self::grouped(&colour, taken_by.len())
    }

    /// The colours, each as the numbers of its members, ascending.
    pub fn colours(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|range| &self.order[range[0]..range[1]])
    }

    /// Number of colours.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is nothing to colour.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Members of the largest colour.
    pub fn largest(&self) -> usize {
        self.colours().map(<[u32]>::len).max().unwrap_or(0)
    }

    fn grouped(colour: &[u32], colours: usize) -> Self {
        let mut order: Vec<u32> = (0..colour.len() as u32).collect();
        order.sort_by_key(|&row| colour[row as usize]); // stable
        let count = |c: usize| order.partition_point(|&row| (colour[row as usize] as usize) < c);
        let starts = (0..=colours).map(count).collect();
        Self { order, starts }
    }
}

/// The first colour that was not taken by `now`; a new one if there is none.
fn first_free(taken_by: &mut Vec<usize>, now: usize) -> u32 {
    let free = taken_by.iter().position(|&by| by != now).unwrap_or(taken_by.len());
    if free == taken_by.len() {
        taken_by.push(usize::MAX);
    }
    free as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_core::Csr;

    #[test]
    fn neighbours_differ_and_all_rows_appear() {
        let mut triplets = vec![];
        for i in 0..50u32 {
            for j in [i, (i * 7 + 3) % 50, (i * 11 + 1) % 50] {
                triplets.extend([(i, j, 1.0), (j, i, 1.0)]);
            }
        }
        let a = Csr::from_triplets(50, &triplets).unwrap();
        let colouring = Colouring::new(a.pattern());
        let mut seen = colouring.order.clone();
        seen.sort_unstable();
        assert_eq!(seen, (0..50).collect::<Vec<_>>());
        for range in colouring.starts.windows(2) {
            let rows = &colouring.order[range[0]..range[1]];
            assert!(!rows.is_empty());
            for &i in rows {
                assert!(rows.iter().all(|&j| i == j || a.get(i as usize, j as usize) == 0.0));
            }
        }
    }
}
