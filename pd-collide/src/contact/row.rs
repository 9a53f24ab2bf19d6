//! A contact row: one pair of closest features and how far it is from its rest distance.
//!
//! With β and n of the pair at the positions where the list was made, and c the reference positions,
//!
//! g(x) = nᵀ Σ β_j x_j − δ = g_c + nᵀ Σ β_j (x_j − c_j),    κ = η / Σ_j β_j²/A_jj
//!
//! where vertices that are not pushed have A = ∞. So the stiffness follows from the constant matrix: no number to choose.

use super::pair::ContactKind;
use super::surface::NONE;
use pd_core::{Real, Vec3};

/// Identity of a row over lists: kind and vertices, those without weight left out. Sorted as the rows are.
pub type RowKey = [u64; 2];

/// A row of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// Identity from list to list.
    pub key: RowKey,
    /// What meets.
    pub kind: ContactKind,
    /// Vertices; those of no weight repeat the first.
    pub vertices: [u32; 4],
    /// Signed weights β of the closest points.
    pub weights: [Real; 4],
    /// From the second primitive to the first.
    pub normal: Vec3,
    /// g at the reference positions, m.
    pub gap: Real,
    /// Rest distance δ of this pair, m.
    pub offset: Real,
    /// κ, N/m.
    pub stiffness: Real,
    /// How far the second primitive is carried along in the step beyond what its vertices say (obstacles), m/s.
    pub drift: Vec3,
    /// Numbers of the bodies; of an obstacle by signed distance the second is its number.
    pub bodies: [u32; 2],
}

/// Packs a key. `v` has [`NONE`] in places of no weight.
pub(crate) fn key(kind: ContactKind, v: [u32; 4]) -> RowKey {
    let pack = |a: u32, b: u32| u64::from(a) << 31 | u64::from(b);
    [(kind as u64) << 62 | pack(v[0], v[1]), pack(v[2], v[3])]
}

/// Key of a pair: which vertices of a face have weight decides, so that two faces that share the closest feature are one
/// row.
pub(crate) fn pair_key(kind: ContactKind, v: [u32; 4], support: u8) -> RowKey {
    let mut named = v;
    if kind == ContactKind::VertexFace {
        for k in 1..4 {
            if support >> k & 1 == 0 {
                named[k] = NONE;
            }
        }
        named[1..].sort_unstable();
    }
    key(kind, named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_features_apart_and_not_the_faces_they_are_found_in() {
        let vf = |v, support| pair_key(ContactKind::VertexFace, v, support);
        assert_eq!(vf([9, 1, 2, 3], 0b0111), vf([9, 2, 5, 1], 0b1011), "edge 1-2 from both sides");
        assert_ne!(vf([9, 1, 2, 3], 0b1111), vf([9, 1, 2, 3], 0b0111));
        assert_ne!(vf([9, 1, 2, 3], 0b1111), pair_key(ContactKind::EdgeEdge, [9, 1, 2, 3], 0b1111));
        assert!(vf([NONE - 1, 1, 2, 3], 0b1111) < pair_key(ContactKind::EdgeEdge, [0, 1, 2, 3], 0b1111));
    }
}
