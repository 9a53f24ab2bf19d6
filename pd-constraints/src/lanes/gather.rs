//! AoS ↔ SoA transposes for element data. They cost as much as the arithmetic.
//!
//! The scalar functions work on every processor and for remainders that do not fill a register. AVX2 handles four elements
//! at a time by whole-vector loads and transposition. Compilers would turn the scalar loops into gather and scatter
//! instructions, which are slower.

use super::BLOCK;
use pd_core::{Real, Vec3};
use std::ops::Range;

/// The edges from the last of V vertices of each element of a block: component i of edge k is `[3 k + i]`, in 3 (V − 1)
/// rows.
pub(crate) fn edges<const V: usize, const ROWS: usize>(
    elements: &[[u32; V]],
    x: &[Vec3],
    to: &mut [[Real; BLOCK]; ROWS],
) {
    fast::edges(&elements[..elements.len().min(BLOCK)], x, to);
}

/// The same for some elements in the lanes from `first` on, one by one.
fn plain_edges<const V: usize, const ROWS: usize>(
    elements: &[[u32; V]],
    x: &[Vec3],
    to: &mut [[Real; BLOCK]; ROWS],
    first: usize,
) {
    for (lane, element) in (first..).zip(elements) {
        let pivot = x[element[V - 1] as usize];
        for (k, &vertex) in element[..V - 1].iter().enumerate() {
            let edge = x[vertex as usize] - pivot;
            for i in 0..3 {
                to[3 * k + i][lane] = edge[i];
            }
        }
    }
}

/// The `used` lanes of N numbers each, element after element.
pub(crate) fn to_elements<const N: usize>(from: &[[Real; BLOCK]; N], used: Range<usize>, out: &mut [Real]) {
    let done = if used.start == 0 { fast::to_elements(from, out) } else { 0 };
    for (lane, out) in used.zip(out.chunks_exact_mut(N)).skip(done) {
        for (entry, out) in out.iter_mut().enumerate() {
            *out = from[entry][lane % BLOCK];
        }
    }
}

/// Three numbers each of up to a block of elements into lanes.
pub(crate) fn from_triples(from: &[[Real; 3]], to: &mut [[Real; BLOCK]; 3]) {
    for (lane, triple) in from.iter().enumerate().take(BLOCK) {
        for entry in 0..3 {
            to[entry][lane] = triple[entry];
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod fast {
    //! What AVX2 does.
    use super::{BLOCK, Real, Vec3, plain_edges};
    use std::arch::x86_64::*;

    fn available() -> bool {
        is_x86_feature_detected!("avx2")
    }

    #[inline]
    pub(super) fn edges<const V: usize, const ROWS: usize>(
        elements: &[[u32; V]],
        x: &[Vec3],
        to: &mut [[Real; BLOCK]; ROWS],
    ) {
        if available() {
            // SAFETY: just checked.
            unsafe { edges_avx2(elements, x, to) }
        } else {
            plain_edges(elements, x, to, 0);
        }
    }

    #[inline]
    pub(super) fn to_elements<const N: usize>(from: &[[Real; BLOCK]; N], out: &mut [Real]) -> usize {
        // SAFETY: just checked.
        if available() { unsafe { to_elements_avx2(from, out) } } else { 0 }
    }

    /// At most a block of elements. Those with the last vertex of all, which has no number behind it, and less than four
    /// go the plain way.
    #[target_feature(enable = "avx2")]
    fn edges_avx2<const V: usize, const ROWS: usize>(
        elements: &[[u32; V]],
        x: &[Vec3],
        to: &mut [[Real; BLOCK]; ROWS],
    ) {
        let last = x.len().checked_sub(1).and_then(|last| u32::try_from(last).ok()).unwrap_or(0);
        let last = _mm_set1_epi32(last as i32);
        let numbers: *const Real = x.as_ptr().cast();
        let (groups, rest) = elements.as_chunks::<4>();
        for (group, first) in groups.iter().take(BLOCK / 4).zip((0..).step_by(4)) {
            let mut beyond = _mm_setzero_si128();
            for four in group.as_flattened().as_chunks::<4>().0 {
                // SAFETY: four numbers of four bytes; there are 4 V.
                let four = unsafe { _mm_loadu_si128(four.as_ptr().cast()) };
                beyond = _mm_or_si128(beyond, _mm_cmpeq_epi32(_mm_max_epu32(four, last), four));
            }
            if _mm_movemask_epi8(beyond) != 0 {
                plain_edges(group, x, to, first);
                continue;
            }
            // SAFETY: the vector is not the last, so that four numbers can be read from its start on.
            let at = |v: u32| unsafe { _mm256_loadu_pd(numbers.add(3 * v as usize)) };
            let pivots = [at(group[0][V - 1]), at(group[1][V - 1]), at(group[2][V - 1]), at(group[3][V - 1])];
            for k in 0..V - 1 {
                let edge = |l: usize| _mm256_sub_pd(at(group[l][k]), pivots[l]);
                let [a, b, c, d] = [edge(0), edge(1), edge(2), edge(3)];
                let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)); // x₀ x₁ z₀ z₁
                let (ab_y, cd_y) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
                let parts = [
                    _mm256_permute2f128_pd::<0x20>(ab, cd),
                    _mm256_permute2f128_pd::<0x20>(ab_y, cd_y),
                    _mm256_permute2f128_pd::<0x31>(ab, cd),
                ];
                for (to, part) in to[3 * k..3 * k + 3].iter_mut().zip(parts) {
                    // SAFETY: first + 4 ≤ BLOCK.
                    unsafe { _mm256_storeu_pd(to.as_mut_ptr().add(first), part) }
                }
            }
        }
        plain_edges(rest, x, to, 4 * groups.len());
    }

    /// Whole groups of four elements; how many elements that are.
    #[target_feature(enable = "avx2")]
    fn to_elements_avx2<const N: usize>(from: &[[Real; BLOCK]; N], out: &mut [Real]) -> usize {
        let groups = (out.len() / (4 * N)).min(BLOCK / 4);
        for (k, out) in out.chunks_exact_mut(4 * N).enumerate().take(groups) {
            for e in (0..N / 4 * 4).step_by(4) {
                // SAFETY: 4 k + 4 ≤ BLOCK, e + 4 ≤ N and `out` has 4 N numbers.
                unsafe {
                    let row = |i: usize| _mm256_loadu_pd(from[e + i].as_ptr().add(4 * k));
                    let (a, b, c, d) = (row(0), row(1), row(2), row(3));
                    let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)); // lanes 0 and 2
                    let (ab_odd, cd_odd) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
                    let to = out.as_mut_ptr().add(e);
                    _mm256_storeu_pd(to, _mm256_permute2f128_pd::<0x20>(ab, cd));
                    _mm256_storeu_pd(to.add(N), _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd));
                    _mm256_storeu_pd(to.add(2 * N), _mm256_permute2f128_pd::<0x31>(ab, cd));
                    _mm256_storeu_pd(to.add(3 * N), _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd));
                }
            }
            for e in N / 4 * 4..N {
                for lane in 0..4 {
                    out[lane * N + e] = from[e][4 * k + lane];
                }
            }
        }
        4 * groups
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod fast {
    //! Nothing faster than the plain way is known here.
    use super::{BLOCK, Real, Vec3, plain_edges};

    pub(super) fn edges<const V: usize, const ROWS: usize>(
        elements: &[[u32; V]],
        x: &[Vec3],
        to: &mut [[Real; BLOCK]; ROWS],
    ) {
        plain_edges(elements, x, to, 0);
    }

    pub(super) fn to_elements<const N: usize>(_: &[[Real; BLOCK]; N], _: &mut [Real]) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_agree_with_the_plain_way() {
        let x: Vec<Vec3> =
            (0..40).map(|k| Vec3::new(k as Real, 0.5 - k as Real, 1.0 / (1.0 + k as Real))).collect();
        // The last vertex takes part in some groups.
        let tets: Vec<[u32; 4]> =
            (0..BLOCK as u32).map(|k| [(7 * k + 3) % 40, (11 * k) % 40, (3 * k + 1) % 40, k]).collect();
        let triangles: Vec<[u32; 3]> = tets.iter().map(|&[a, b, _, d]| [a, b, d]).collect();
        for count in 0..=BLOCK {
            let (mut lanes, mut flat) = ([[0.0; BLOCK]; 9], [[0.0; BLOCK]; 6]);
            edges(&tets[..count], &x, &mut lanes);
            edges(&triangles[..count], &x, &mut flat);
            for (lane, tet) in tets[..count].iter().enumerate() {
                for entry in 0..9 {
                    let plain = (x[tet[entry / 3] as usize] - x[tet[3] as usize])[entry % 3];
                    assert_eq!(lanes[entry][lane], plain, "{lane} of {count}");
                    assert!(entry >= 6 || flat[entry][lane] == plain, "{lane} of {count}");
                }
            }
            assert!(lanes.iter().all(|lane| lane[count..].iter().all(|&value| value == 0.0)), "{count}");
        }
    }

    #[test]
    fn elements_agree_with_the_plain_way() {
        fn test<const N: usize>() {
            let from: [[Real; BLOCK]; N] =
                std::array::from_fn(|i| std::array::from_fn(|k| (100 * i + k) as Real));
            for used in [0..BLOCK, 0..5, 0..0, 3..BLOCK, 4..9, 31..32] {
                let mut out = vec![-1.0; used.len() * N];
                to_elements(&from, used.clone(), &mut out);
                for (lane, out) in used.zip(out.chunks_exact(N)) {
                    assert!((0..N).all(|entry| out[entry] == from[entry][lane]), "{lane} {out:?}");
                }
            }
        }
        test::<6>();
        test::<9>();
        test::<12>();
    }
}
