//! Which edges or hinges meet at a vertex.

use rayon::prelude::*;

/// Items by vertex.
#[derive(Debug)]
pub(super) struct Incidence {
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Incidence {
    /// Which of `items` meet at each vertex, by their first `corners` corners.
    pub(super) fn new<const N: usize>(vertices: usize, items: &[[u32; N]], corners: usize) -> Self {
        let mut offsets = vec![0u32; vertices + 1];
        for v in items.iter().flat_map(|item| &item[..corners]) {
            offsets[*v as usize + 1] += 1;
        }
        for v in 1..offsets.len() {
            offsets[v] += offsets[v - 1];
        }
        let mut next = offsets.clone();
        let mut list = vec![0; items.len() * corners];
        for (k, item) in items.iter().enumerate() {
            for v in &item[..corners] {
                list[next[*v as usize] as usize] = k as u32;
                next[*v as usize] += 1;
            }
        }
        Self { offsets, items: list }
    }

    /// The largest of the items' values at every vertex.
    pub(super) fn largest(&self, values: &[f32], out: &mut [f32]) {
        out.par_iter_mut().enumerate().with_min_len(4096).for_each(|(v, out)| {
            let around = &self.items[self.offsets[v] as usize..self.offsets[v + 1] as usize];
            *out = around.iter().fold(0.0, |most, &item| most.max(values[item as usize]));
        });
    }
}
