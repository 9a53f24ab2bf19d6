//! Groups of strongly coupled rows, for the coarse levels of multigrid.
//!
//! The three passes of Vaněk, Mandel and Brezina 1996, in row order, hence deterministic: whole
//! neighbourhoods first, then leftovers join the group they are coupled to most, then the remaining rows form
//! new groups. Rows without a strong coupling stay out: the smoother solves for them.

use pd_core::{Csr, Real};

/// The group of every row, and the number of groups.
pub(crate) fn aggregate(a: &Csr, strength: Real) -> (Vec<Option<u32>>, usize) {
    let n = a.rows();
    let diagonal = a.diagonal();
    let strong = |i: usize| {
        let limit = strength * strength * diagonal[i];
        let diagonal = &diagonal;
        a.row(i).filter(move |&(j, v)| j != i && v * v > limit * diagonal[j])
    };
    let mut group: Vec<Option<u32>> = vec![None; n];
    let mut count = 0;
    for i in 0..n {
        let mut neighbours = strong(i).peekable();
        if group[i].is_none() && neighbours.peek().is_some() && neighbours.all(|(j, _)| group[j].is_none()) {
            strong(i).for_each(|(j, _)| group[j] = Some(count));
            group[i] = Some(count);
            count += 1;
        }
    }
    let whole = group.clone();
    for i in (0..n).filter(|&i| whole[i].is_none()) {
        let nearest = strong(i).filter(|&(j, _)| whole[j].is_some()).max_by(|a, b| {
            // On a tie the first neighbour wins: max_by keeps the last of equals, so later ones count as less.
            a.1.abs().total_cmp(&b.1.abs()).then(b.0.cmp(&a.0))
        });
        group[i] = nearest.and_then(|(j, _)| whole[j]);
    }
    for i in 0..n {
        if group[i].is_none() && strong(i).next().is_some() {
            group[i] = Some(count);
            let free: Vec<usize> = strong(i).map(|(j, _)| j).filter(|&j| group[j].is_none()).collect();
            free.into_iter().for_each(|j| group[j] = Some(count));
            count += 1;
        }
    }
    (group, count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_falls_into_triples_and_loose_rows_stay_out() {
        let mut triplets = vec![(9, 9, 1.0)];
        for i in 0..9u32 {
            triplets.push((i, i, 2.0));
            if i > 0 {
                triplets.extend([(i, i - 1, -1.0), (i - 1, i, -1.0)]);
            }
        }
        let (group, count) = aggregate(&Csr::from_triplets(10, &triplets).unwrap(), 0.08);
        // Row 0 takes {0, 1}; row 3 is the next whose neighbours 2 and 4 are free, and so on.
        let expected = [0, 0, 1, 1, 1, 2, 2, 2, 2].map(Some).into_iter().chain([None]).collect::<Vec<_>>();
        assert_eq!((group, count), (expected, 3));
    }
}
