//! Element orders in which neighbours in space are neighbours in memory.
//!
//! A program that walks over elements in blocks touches few vertices per block if the elements of a block lie close
//! together. Meshers often list them in the order of creation, which has no spatial coherence. [`by_place`] sorts
//! along the Hilbert curve; the index along the curve is computed by Skilling's
//! transposition (J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004).

use crate::Vec3;

/// Steps of the curve along an axis: 2¹⁶, so that an index has 48 bits.
const BITS: u32 = 16;

/// The elements, by number, in the order in which Hilbert's curve meets their centres. Elements with equal positions keep their order, as do
/// all elements if positions are not finite. Corners that do not exist are treated as the origin.
///
/// ```
/// use pd_mesh::{generate, order};
///
/// let bar = generate::bar(12, 12, 12, 1.0)?;
/// let near: Vec<_> = order::by_place(&bar.positions, &bar.tets).iter().map(|&e| bar.tets[e as usize]).collect();
/// assert!(order::touched(&near, 256) < order::touched(&bar.tets, 256));
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
pub fn by_place<const N: usize>(positions: &[Vec3], elements: &[[u32; N]]) -> Vec<u32> {
    let centre = |element: &[u32; N]| {
        let corners = element.iter().filter_map(|&v| positions.get(v as usize));
        corners.fold(Vec3::zeros(), |sum, x| sum + x) / N.max(1) as f64
    };
    let centres: Vec<Vec3> = elements.iter().map(centre).collect();
    let infinite = Vec3::repeat(f64::INFINITY);
    let (low, high) = centres.iter().fold((infinite, -infinite), |(low, high), c| (low.inf(c), high.sup(c)));
    // One scale for all axes: flat bodies are met in the order of their plane.
    let scale = f64::from((1u32 << BITS) - 1) / (high - low).max();
    let mut keyed: Vec<(u64, u32)> = (0..)
        .zip(&centres)
        .map(|(element, centre)| {
            // Casts of what is not finite saturate, so that they never fail.
            let cell = ((centre - low) * scale).map(|c| c as u32);
            (along_curve([cell.x, cell.y, cell.z]), element)
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, element)| element).collect()
}

/// The number of vertices that a loop over blocks of this many elements touches, each counted once per block: small where
/// neighbours follow each other.
///
/// ```
/// use pd_mesh::order::touched;
///
/// let strip = [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]];
/// assert_eq!(touched(&strip, 2), 4 + 4);
/// assert_eq!(touched(&strip, 4), 6);
/// ```
pub fn touched<const N: usize>(elements: &[[u32; N]], block: usize) -> usize {
    let mut vertices: Vec<u32> = vec![];
    let distinct = |elements: &[[u32; N]]| {
        vertices.clear();
        vertices.extend(elements.as_flattened());
        vertices.sort_unstable();
        vertices.chunk_by(|a, b| a == b).count()
    };
    elements.chunks(block.max(1)).map(distinct).sum()
}

/// Index along Hilbert's curve of a cell with [`BITS`] bits per axis.
fn along_curve(cell: [u32; 3]) -> u64 {
    let mut x = cell.map(|c| c.min((1 << BITS) - 1));
    // Undo the turns of every level, from the coarsest on.
    for bit in (1..BITS).rev() {
        let (q, lower) = (1u32 << bit, (1u32 << bit) - 1);
        for axis in 0..3 {
            if x[axis] & q != 0 {
                x[0] ^= lower;
            } else {
                let swap = (x[0] ^ x[axis]) & lower;
                x[0] ^= swap;
                x[axis] ^= swap;
            }
        }
    }
    // Gray code between the axes, then within the last one.
    x[1] ^= x[0];
    x[2] ^= x[1];
    let flips = (1..BITS).filter(|bit| x[2] & (1 << bit) != 0).fold(0, |flips, bit| flips ^ ((1 << bit) - 1));
    let x = x.map(|c| u64::from(c ^ flips));
    (0..BITS).rev().fold(0, |index, bit| x.iter().fold(index, |index, c| index << 1 | (c >> bit & 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The finest cells of a corner of the space, by index: consecutive cells share a face, none is met twice. That is
    /// what makes the curve Hilbert's.
    #[test]
    fn consecutive_cells_are_neighbours() {
        let side = 16u32;
        let mut cells: Vec<(u64, [u32; 3])> = vec![];
        for x in 0..side {
            for y in 0..side {
                cells.extend((0..side).map(|z| (along_curve([x, y, z]), [x, y, z])));
            }
        }
        cells.sort_unstable();
        for (place, pair) in cells.windows(2).enumerate() {
            assert_eq!(pair[0].0, place as u64, "an index is missing or double");
            let apart: u32 = (0..3).map(|axis| pair[0].1[axis].abs_diff(pair[1].1[axis])).sum();
            assert_eq!(apart, 1, "{:?} and {:?} follow each other", pair[0].1, pair[1].1);
        }
    }

    #[test]
    fn every_element_appears_once() {
        let mesh = crate::generate::bar(5, 3, 4, 0.5).unwrap();
        let mut order = by_place(&mesh.positions, &mesh.tets);
        assert!(order.windows(2).any(|pair| pair[0] > pair[1]), "a bar is not made in this order");
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..mesh.tets.len() as u32));
    }

    #[test]
    fn what_has_no_place_keeps_its_order() {
        let nowhere = [Vec3::repeat(f64::NAN), Vec3::repeat(f64::INFINITY)];
        assert_eq!(by_place(&nowhere, &[[0], [0], [0]]), [0, 1, 2]);
        assert_eq!(by_place(&[Vec3::zeros()], &[[0], [0], [0]]), [0, 1, 2]);
        assert_eq!(by_place(&nowhere, &[[1], [7], [0]]).len(), 3);
        assert!(by_place::<3>(&[], &[]).is_empty());
    }
}
