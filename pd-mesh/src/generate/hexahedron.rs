//! Cutting a hexahedron into 6 tetrahedra so that neighbours always agree on the diagonals.
//!
//! Every quadrilateral is cut by the diagonal through its smallest vertex number, a rule that both sides of a face see
//! alike. Inside, the smallest corner of the hexahedron is joined to the three faces that do not touch it ("pulling");
//! each of them gives two triangles, hence 6 tetrahedra, for any numbering (J. Dompierre, P. Labbé, M.-G. Vallet,
//! R. Camarero, How to subdivide pyramids, prisms and hexahedra into tetrahedra, 8th Int. Meshing Roundtable, 1999, use
//! the same rule for the faces).

/// Faces of a hexahedron with corner (i, j, k) numbered 4i + 2j + k, counter-clockwise seen from outside when (i, j, k)
/// axes are right-handed.
const FACES: [[usize; 4]; 6] =
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];

/// Appends the 6 tetrahedra of one hexahedron; positive if the hexahedron is a right-handed convex one.
pub(super) fn push_hexahedron(corners: [u32; 8], tets: &mut Vec<[u32; 4]>) {
    let apex = corners.into_iter().fold(u32::MAX, u32::min);
    for face in FACES {
        let quad = face.map(|corner| corners[corner]);
        if quad.contains(&apex) {
            continue;
        }
        let least = (0..4).fold(0, |best, c| if quad[c] < quad[best] { c } else { best });
        let [a, b, c, d] = [0, 1, 2, 3].map(|step| quad[(least + step) % 4]);
        // An outward triangle seen from the apex inside is clockwise, which makes (apex, a, b, c) positive.
        tets.push([apex, a, b, c]);
        tets.push([apex, a, c, d]);
    }
}
