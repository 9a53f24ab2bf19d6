//! Many short sums of vectors, in groups: out_k = start_k + Σ_{j ∈ list k} from_j.
//!
//! Lists have about ten entries. A plain loop mispredicts the end of nearly every list, and each addition
//! waits for the previous one. Within a group, sums are therefore sorted by length,
//! and all lists of one length run through unrolled code in which the processor overlaps several sums. Each sum adds
//! in the order of its list, so results are bitwise the same.

use crate::Vec3;

/// Sums of one length, one after another.
#[derive(Clone, Copy, Debug)]
struct Run {
    length: u32,
    count: u32,
}

/// Lists of summands, by group and within a group by length.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupedSums {
    /// By group: its end in `runs` and in `items`.
    ends: Vec<[usize; 2]>,
    runs: Vec<Run>,
    items: Vec<u32>,
}

impl GroupedSums {
    /// Appends a group of lists and returns their order in it: the k-th sum is that of the list with the k-th number.
    pub(crate) fn push<'a>(&mut self, lists: usize, list: impl Fn(usize) -> &'a [u32]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..lists as u32).collect();
        order.sort_by_key(|&k| list(k as usize).len()); // stable: equal lengths stay in order
        for same in order.chunk_by(|&a, &b| list(a as usize).len() == list(b as usize).len()) {
            let length = list(same[0] as usize).len() as u32;
            self.runs.push(Run { length, count: same.len() as u32 });
            same.iter().for_each(|&k| self.items.extend(list(k as usize)));
        }
        self.ends.push([self.runs.len(), self.items.len()]);
        order
    }

    /// Computes the sums of a group and passes them on in its order.
    #[inline]
    pub(crate) fn run(
        &self,
        group: usize,
        from: &[Vec3],
        start: impl Fn(usize) -> Vec3,
        mut put: impl FnMut(usize, Vec3),
    ) {
        let [first_run, first_item] = if group == 0 { [0, 0] } else { self.ends[group - 1] };
        let [last_run, last_item] = self.ends[group];
        let mut items = &self.items[first_item..last_item];
        let mut first = 0;
        for run in &self.runs[first_run..last_run] {
            let (length, count) = (run.length as usize, run.count as usize);
            let (now, later) = items.split_at(length * count);
            match length {
                0 => (0..count).for_each(|k| put(first + k, start(first + k))),
                1 => equal::<1>(now, first, from, &start, &mut put),
                2 => equal::<2>(now, first, from, &start, &mut put),
                3 => equal::<3>(now, first, from, &start, &mut put),
                4 => equal::<4>(now, first, from, &start, &mut put),
                5 => equal::<5>(now, first, from, &start, &mut put),
                6 => equal::<6>(now, first, from, &start, &mut put),
                7 => equal::<7>(now, first, from, &start, &mut put),
                8 => equal::<8>(now, first, from, &start, &mut put),
                _ => {
                    for (k, list) in (first..).zip(now.chunks_exact(length)) {
                        put(k, list.iter().fold(start(k), |sum, &j| sum + from[j as usize]));
                    }
                }
            }
            items = later;
            first += count;
        }
    }

    /// Bytes of its arrays.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.ends[..]) + size_of_val(&self.runs[..]) + size_of_val(&self.items[..])
    }
}

/// The sums of a run of lists of N.
#[inline(always)]
fn equal<const N: usize>(
    items: &[u32],
    first: usize,
    from: &[Vec3],
    start: &impl Fn(usize) -> Vec3,
    put: &mut impl FnMut(usize, Vec3),
) {
    for (k, list) in (first..).zip(items.as_chunks::<N>().0) {
        let mut sum = start(k);
        for &j in list {
            sum += from[j as usize];
        }
        put(k, sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_summed_in_the_order_of_its_list() {
        let from: Vec<Vec3> = (0..50).map(|k| Vec3::new(1.0 / (1.0 + k as f64), k as f64, 0.1)).collect();
        let lists: Vec<Vec<u32>> =
            (0..40u32).map(|k| (0..(7 * k + 3) % 13).map(|j| (11 * k + 17 * j) % 50).collect()).collect();
        let mut sums = GroupedSums::default();
        let orders =
            [sums.push(15, |k| &lists[k]), sums.push(0, |k| &lists[k]), sums.push(25, |k| &lists[15 + k])];
        let start = |k: usize| Vec3::new(0.3, k as f64, -1.0);
        let mut seen = 0;
        for (group, (order, first)) in orders.iter().zip([0, 15, 15]).enumerate() {
            sums.run(group, &from, start, |k, found| {
                let list = &lists[first + order[k] as usize];
                let plain = list.iter().fold(start(k), |sum, &j| sum + from[j as usize]);
                assert_eq!(found, plain, "{group} {k}");
                seen += 1;
            });
        }
        assert_eq!(seen, lists.len());
    }
}
