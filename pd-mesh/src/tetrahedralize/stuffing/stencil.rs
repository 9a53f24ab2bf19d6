//! The part of one lattice tetrahedron that lies inside the body, cut into tetrahedra.
//!
//! Corners are inside (+), outside (−) or on the surface (0). Edges from + to − are cut. The inside part is then the whole
//! tetrahedron, a smaller one, a pyramid or a prism. A face with two + and one − leaves a quadrilateral that belongs to two
//! lattice tetrahedra, so its diagonal must depend only on the face: see [`diagonal`].

/// A corner of an output tetrahedron: corner `i` of the lattice tetrahedron, or the cut of its edge (+, −).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corner {
    Node(usize),
    Cut(usize, usize),
}

use Corner::{Cut, Node};

/// Corners 0, 1 are ends of one long edge, 2, 3 of the other.
fn is_long(a: usize, b: usize) -> bool {
    a / 2 == b / 2
}

/// Of the two + corners `a`, `b` of a face with − corner `m`, the one at which the diagonal ends; the other end is the cut
/// of the other + corner's edge.
///
/// If a face's − corner sits at its long edge, the diagonal leaves from the + corner at the short cut edge. Otherwise both
/// + corners are of one cubic lattice, and `order` of the corners decides, which alternates along the axis.
fn diagonal(a: usize, b: usize, m: usize, order: [bool; 4]) -> usize {
    let at_a = if is_long(a, m) || is_long(b, m) { is_long(b, m) } else { order[a] };
    if at_a { a } else { b }
}

/// Calls `emit` with the corners of every output tetrahedron, positive if the lattice tetrahedron is. `signs` are those of
/// the corners; `order` has exactly one true of 0, 1 and one of 2, 3. `quality` rates a tetrahedron; where
/// the cut is free, the better one is taken.
pub(super) fn fill(
    signs: [i8; 4],
    order: [bool; 4],
    quality: impl Fn([Corner; 4]) -> f64,
    mut emit: impl FnMut([Corner; 4]),
) {
    let of_sign = |sign: i8| (0..4).filter(move |&i| signs[i] == sign);
    let plus: Vec<usize> = of_sign(1).collect();
    let minus: Vec<usize> = of_sign(-1).collect();
    let whole = [0, 1, 2, 3].map(Node);
    match (&plus[..], &minus[..]) {
        ([], _) => {}
        (_, []) => emit(whole),
        (&[p], _) => {
            let mut small = whole;
            for &m in &minus {
                small[m] = Cut(p, m);
            }
            emit(small);
        }
        (&[p, q], &[m]) => {
            let p_or_q = diagonal(p, q, m, order);
            let (near, far) = if p_or_q == p { (p, q) } else { (q, p) };
            let mut first = whole;
            first[m] = Cut(far, m);
            emit(first);
            let mut second = whole;
            (second[far], second[m]) = (Cut(far, m), Cut(near, m));
            emit(second);
        }
        (&[p, q], &[m, n]) => wedge(p, q, m, n, order, quality, emit),
        (&[a, b, c], &[m]) => prism([a, b, c], m, order, emit),
        _ => {}
    }
}

/// Two + corners p, q and two − corners m, n: the quadrilateral of the four cuts lies on the surface and may be split either way.
fn wedge(
    p: usize,
    q: usize,
    m: usize,
    n: usize,
    order: [bool; 4],
    quality: impl Fn([Corner; 4]) -> f64,
    mut emit: impl FnMut([Corner; 4]),
) {
    let mut emit = |corners: [Corner; 4]| emit(positive(corners));
    let (at_m, at_n) = (diagonal(p, q, m, order), diagonal(p, q, n, order));
    if at_m != at_n {
        // The two diagonals end at different + corners.
        let (near, far) = (at_m, at_n);
        emit([Node(near), Node(far), Cut(far, m), Cut(near, n)]);
        emit([Node(near), Cut(near, m), Cut(far, m), Cut(near, n)]);
        emit([Node(far), Cut(far, m), Cut(far, n), Cut(near, n)]);
        return;
    }
    let (near, far) = if at_m == p { (p, q) } else { (q, p) };
    emit([Node(near), Node(far), Cut(far, m), Cut(far, n)]);
    let [a, b, c, d] = [Cut(near, m), Cut(near, n), Cut(far, n), Cut(far, m)];
    let along_ac = [[Node(near), a, c, d], [Node(near), a, b, c]];
    let along_bd = [[Node(near), b, c, d], [Node(near), a, b, d]];
    let worse = |pair: [[Corner; 4]; 2]| quality(pair[0]).min(quality(pair[1]));
    let best = if worse(along_ac) >= worse(along_bd) { along_ac } else { along_bd };
    best.into_iter().for_each(&mut emit);
}

/// Three + corners and one −: a prism whose three diagonals are never cyclic, so that it can be cut.
fn prism(plus: [usize; 3], m: usize, order: [bool; 4], mut emit: impl FnMut([Corner; 4])) {
    let wins = |i: usize| {
        let others = plus.iter().filter(|&&j| j != plus[i]);
        others.filter(|&&j| diagonal(plus[i], j, m, order) == plus[i]).count()
    };
    let mut sorted = [0, 1, 2].map(|i| (wins(i), plus[i]));
    sorted.sort_unstable();
    let [(_, last), (_, middle), (_, first)] = sorted;
    emit(positive([Node(first), Node(middle), Node(last), Cut(last, m)]));
    emit(positive([Node(first), Node(middle), Cut(middle, m), Cut(last, m)]));
    emit(positive([Node(first), Cut(first, m), Cut(middle, m), Cut(last, m)]));
}

/// The same corners in positive order, if the lattice tetrahedron is positive. Decided with every cut at the middle of its
/// edge: where the cuts lie cannot change the sign.
fn positive(corners: [Corner; 4]) -> [Corner; 4] {
    const UNIT: [[i32; 3]; 4] = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]];
    let x = corners.map(|corner| match corner {
        Node(i) => UNIT[i],
        Cut(i, j) => [0, 1, 2].map(|axis| (UNIT[i][axis] + UNIT[j][axis]) / 2),
    });
    let d = [1, 2, 3].map(|i| [0, 1, 2].map(|axis| x[i][axis] - x[0][axis]));
    let minor = |i: usize, j: usize| d[1][i] * d[2][j] - d[1][j] * d[2][i];
    let determinant = d[0][0] * minor(1, 2) - d[0][1] * minor(0, 2) + d[0][2] * minor(0, 1);
    let [a, b, c, e] = corners;
    if determinant < 0 { [a, b, e, c] } else { corners }
}
