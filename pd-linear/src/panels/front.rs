//! The numeric factor, front by front (multifrontal), in f64.
//!
//! The front of a supernode J with rows R below is [F_JJ ·; F_RJ F_RR]: entries of A plus the update matrices of the children.
//! With F_JJ = S = L Lᵀ and V = F_RJ L⁻ᵀ the panel is W = V L⁻¹ = F_RJ S⁻¹ and S⁻¹ = L⁻ᵀ L⁻¹, and F_RR − V Vᵀ
//! goes to the parent. Duff & Reid 1983, "The multifrontal solution of indefinite sparse symmetric linear equations".

use super::symbolic::Symbolic;
use super::tree::ROOT;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};
use pd_core::{Csr, LinearError, Real};

/// One finished panel: W (`rows` × `columns`) and S⁻¹ (`columns` × `columns`, full), by columns.
pub(super) struct Panel<'a> {
    /// Rows below.
    pub(super) rows: usize,
    /// Columns.
    pub(super) columns: usize,
    /// W.
    pub(super) w: &'a [Real],
    /// S⁻¹.
    pub(super) inverse: &'a [Real],
}

/// D with D_ii = 1/√A_ii: D A D has a unit diagonal, which keeps panels in the range of short floats.
pub(super) fn scaling(a: &Csr) -> Vec<Real> {
    a.diagonal().into_iter().map(|d| 1.0 / d.sqrt()).collect()
}

/// Reused memory of the fronts.
#[derive(Default)]
struct Scratch {
    front: Vec<Real>,
    /// L⁻¹.
    inverse_root: Vec<Real>,
    inverse: Vec<Real>,
    w: Vec<Real>,
    /// Place of a row in the current front.
    place: Vec<u32>,
}

/// Factors D A D and hands every panel to `sink`, children before parents.
pub(super) fn factor(
    symbolic: &Symbolic,
    a: &Csr,
    scale: &[Real],
    mut sink: impl FnMut(usize, Panel<'_>) -> Result<(), LinearError>,
) -> Result<(), LinearError> {
    let nodes = &symbolic.nodes;
    let widest = nodes.iter().map(|node| node.columns.len()).max().unwrap_or(0);
    let need = cholesky_in_place_scratch::<Real>(widest, Par::Seq, Default::default());
    let mut stack = MemBuffer::try_new(need)
        .map_err(|e| LinearError::Backend { solver: "panels".to_owned(), what: format!("{e:?}") })?;
    let mut scratch = Scratch { place: vec![0; a.rows()], ..Scratch::default() };
    let mut children: Vec<Vec<usize>> = vec![vec![]; nodes.len()];
    let mut updates: Vec<Vec<Real>> = vec![vec![]; nodes.len()];
    for q in 0..nodes.len() {
        assemble(symbolic, a, scale, q, &mut scratch);
        for c in std::mem::take(&mut children[q]) {
            extend_add(symbolic, c, q, &std::mem::take(&mut updates[c]), &mut scratch);
        }
        updates[q] = eliminate(symbolic, q, &mut scratch, MemStack::new(&mut stack))?;
        let (rows, columns) = (nodes[q].rows.len(), nodes[q].columns.len());
        sink(q, Panel { rows, columns, w: &scratch.w, inverse: &scratch.inverse })?;
        if nodes[q].parent != ROOT {
            children[nodes[q].parent as usize].push(q);
        }
    }
    Ok(())
}

/// Puts the entries of A into the lower triangle of an empty front.
fn assemble(symbolic: &Symbolic, a: &Csr, scale: &[Real], q: usize, scratch: &mut Scratch) {
    let node = &symbolic.nodes[q];
    let first = node.columns.start;
    let size = node.columns.len() + node.rows.len();
    scratch.front.clear();
    scratch.front.resize(size * size, 0.0);
    for (k, j) in node.columns.clone().enumerate() {
        scratch.place[j] = k as u32;
    }
    for (k, &i) in node.rows.iter().enumerate() {
        scratch.place[i as usize] = (node.columns.len() + k) as u32;
    }
    for j in node.columns.clone() {
        let old = symbolic.order[j] as usize;
        for (old_row, value) in a.row(old) {
            let i = symbolic.position[old_row] as usize;
            if i >= j {
                let at = (j - first) * size + scratch.place[i] as usize;
                scratch.front[at] = value * scale[old] * scale[old_row];
            }
        }
    }
}

/// Adds a child's update matrix. Rows ascend in both numberings, so the lower triangle stays the lower one.
fn extend_add(symbolic: &Symbolic, child: usize, q: usize, update: &[Real], scratch: &mut Scratch) {
    let rows = &symbolic.nodes[child].rows;
    let node = &symbolic.nodes[q];
    let size = node.columns.len() + node.rows.len();
    for (b, &j) in rows.iter().enumerate() {
        let column = scratch.place[j as usize] as usize * size;
        for (a, &i) in rows.iter().enumerate().skip(b) {
            scratch.front[column + scratch.place[i as usize] as usize] += update[b * rows.len() + a];
        }
    }
}

/// Eliminates the columns of a node: leaves W and S⁻¹ in the scratch and returns the update for the parent.
fn eliminate(
    symbolic: &Symbolic,
    q: usize,
    scratch: &mut Scratch,
    stack: &mut MemStack,
) -> Result<Vec<Real>, LinearError> {
    let node = &symbolic.nodes[q];
    let (s, m) = (node.columns.len(), node.rows.len());
    let size = s + m;
    let row_of = |k: usize| symbolic.order[node.columns.start + k.min(s - 1)] as usize;
    let front = MatMut::from_column_major_slice_mut(&mut scratch.front, size, size);
    let (mut s_block, _, mut v, mut rest) = front.split_at_mut(s, s);
    let result = cholesky_in_place(s_block.rb_mut(), Default::default(), Par::Seq, stack, Default::default());
    if let Err(LltError::NonPositivePivot { index }) = result {
        let row = row_of(index.saturating_sub(1)); // faer counts from one
        return Err(LinearError::NotPositiveDefinite { row, pivot: Real::NAN });
    }
    for k in 0..s {
        // The diagonal was one: a pivot this small has lost all its digits.
        let pivot = s_block[(k, k)] * s_block[(k, k)];
        if !(pivot.is_finite() && pivot > 16.0 * Real::EPSILON) {
            return Err(LinearError::NotPositiveDefinite { row: row_of(k), pivot });
        }
    }
    let Scratch { inverse_root, inverse, w, .. } = scratch;
    for (buffer, length) in [(&mut *inverse_root, s * s), (&mut *inverse, s * s), (&mut *w, m * s)] {
        buffer.clear();
        buffer.resize(length, 0.0);
    }
    let l = s_block.rb();
    let mut root = MatMut::from_column_major_slice_mut(inverse_root, s, s);
    invert_lower_triangular(root.rb_mut(), l, Par::Seq);
    let root = MatRef::from_column_major_slice(inverse_root, s, s);
    use BlockStructure::{Rectangular, TriangularLower, TriangularUpper};
    let mut product = MatMut::from_column_major_slice_mut(inverse, s, s);
    let (upper, lower) = ((root.transpose(), TriangularUpper), (root, TriangularLower));
    matmul(
        product.rb_mut(),
        TriangularLower,
        Accum::Replace,
        upper.0,
        upper.1,
        lower.0,
        lower.1,
        1.0,
        Par::Seq,
    );
    for j in 0..s {
        for i in j + 1..s {
            inverse[i * s + j] = inverse[j * s + i];
        }
    }
    if m == 0 {
        return Ok(vec![]);
    }
    solve_lower_triangular_in_place(l, v.rb_mut().transpose_mut(), Par::Seq);
    let v = v.rb();
    let w = MatMut::from_column_major_slice_mut(w, m, s);
    matmul(w, Rectangular, Accum::Replace, v, Rectangular, root, TriangularLower, 1.0, Par::Seq);
    let v_t = v.transpose();
    matmul(rest.rb_mut(), TriangularLower, Accum::Add, v, Rectangular, v_t, Rectangular, -1.0, Par::Seq);
    let mut update = vec![0.0; m * m];
    for j in 0..m {
        let from = (s + j) * size + s + j;
        update[j * m + j..(j + 1) * m].copy_from_slice(&scratch.front[from..from + m - j]);
    }
    Ok(update)
}
