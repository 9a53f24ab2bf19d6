//! Greedy colouring of the graph of a matrix: rows of one colour are not coupled and can be updated together.
//!
//! First fit in row order, hence the same for every machine and thread count; at most one colour more than the
//! largest degree.

use pd_core::Pattern;

/// Rows grouped by colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colouring {
    /// All rows, colour after colour, ascending within one.
    pub(crate) order: Vec<u32>,
    /// Where each colour starts in `order`, and the total.
    pub(crate) starts: Vec<usize>,
}

impl Colouring {
    pub(crate) fn new(pattern: &Pattern) -> Self {
        let n = pattern.rows();
        let mut colour = vec![u32::MAX; n];
        let mut taken_by: Vec<usize> = vec![]; // per colour: the last row that saw it at a neighbour
        for row in 0..n {
            for &j in pattern.row(row) {
                if let Some(taken) = taken_by.get_mut(colour[j as usize] as usize) {
                    *taken = row;
                }
            }
            let free = taken_by.iter().position(|&by| by != row).unwrap_or(taken_by.len());
            if free == taken_by.len() {
                taken_by.push(usize::MAX);
            }
            colour[row] = free as u32;
        }
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&row| colour[row as usize]); // stable
        let count = |c: usize| order.partition_point(|&row| (colour[row as usize] as usize) < c);
        let starts = (0..=taken_by.len()).map(count).collect();
        Self { order, starts }
    }
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
