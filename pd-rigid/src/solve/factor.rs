//! K = L D Lᵀ by blocks of up to 6×6 over a [`System`], and solves with it.
//!
//! The inverse of each diagonal block is kept. A pivot that is nothing but rounding (something held twice) is left out: its
//! multiplier is zero and the rest is solved.

use super::rows::ROWS;
use super::system::System;
use nalgebra::UnitQuaternion;
use pd_core::{Real, Vec3};

/// A block, row by row; rows and columns beyond its size are not read.
pub(crate) type Block = [[Real; ROWS]; ROWS];

/// Rows of a ball joint.
const SMALL: usize = 3;

/// A pivot below this fraction of the entry of K it began as counts as zero.
const RANK: Real = 1e-13;

/// Factor of one system, in scratch that lasts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    /// Blocks of K, then of L; on the diagonal the inverse of D.
    pub(crate) blocks: Vec<Block>,
    /// Rows of each joint in the order of elimination.
    pub(crate) sizes: Vec<usize>,
    /// Right-hand side, then solution.
    pub(crate) x: Vec<[Real; ROWS]>,
    /// Velocities and angular velocities of the bodies of an island at the start of a substep.
    pub(crate) velocities: Vec<(Vec3, Vec3)>,
    /// Poses of the bodies of an island before gaps were closed.
    pub(crate) poses: Vec<(Vec3, UnitQuaternion<Real>)>,
}

impl Factor {
    /// Room for a system, all zero.
    pub(crate) fn clear(&mut self, system: &System) {
        self.blocks.clear();
        self.blocks.resize(system.blocks(), [[0.0; ROWS]; ROWS]);
        self.sizes.clear();
        self.sizes.resize(system.joints.len(), 0);
        self.x.clear();
        self.x.resize(system.joints.len(), [0.0; ROWS]);
    }

    /// Factors what `blocks` holds.
    pub(crate) fn factor(&mut self, system: &System) {
        if self.is_small() { self.factor_up_to::<SMALL>(system) } else { self.factor_up_to::<ROWS>(system) }
    }

    /// Whether every joint has as many rows as a ball joint: loops of a fixed length then.
    fn is_small(&self) -> bool {
        self.sizes.iter().all(|&size| size == SMALL)
    }

    /// Joints of up to N rows, or exactly N if that is small.
    fn factor_up_to<const N: usize>(&mut self, system: &System) {
        let n = system.joints.len();
        // Diagonals of K decide later what is rounding; nothing of the diagonal block is read above its diagonal, so
        // they are kept there only if there is a place: keep them beside the solution until then.
        for k in 0..n {
            for i in 0..self.sizes[k] {
                self.x[k][i] = self.blocks[k][i][i];
            }
        }
        for k in 0..n {
            let d = if N == SMALL { N } else { self.sizes[k] };
            let inverse = invert(&self.blocks[k], &self.x[k], d);
            self.blocks[k] = inverse;
            let mut product: Block;
            for update in
                &system.updates[system.update_columns[k] as usize..system.update_columns[k + 1] as usize]
            {
                // Left block times D⁻¹, again for every right block: the column of a joint has one or two of them.
                product = times(&self.blocks[update.left as usize], &inverse, N, d);
                let right = self.blocks[update.right as usize];
                subtract_product(&mut self.blocks[update.target as usize], &product, &right, N, d);
            }
            for below in system.column(k) {
                let block = &mut self.blocks[below.block as usize];
                let rows = if N == SMALL { N } else { self.sizes[below.row as usize] };
                *block = times(block, &inverse, rows, d);
            }
        }
    }

    /// Solves K x = x in place.
    pub(crate) fn solve(&mut self, system: &System) {
        if self.is_small() { self.solve_up_to::<SMALL>(system) } else { self.solve_up_to::<ROWS>(system) }
    }

    fn solve_up_to<const N: usize>(&mut self, system: &System) {
        let n = system.joints.len();
        for k in 0..n {
            let x = self.x[k];
            let d = if N == SMALL { N } else { self.sizes[k] };
            for below in system.column(k) {
                let rows = if N == SMALL { N } else { self.sizes[below.row as usize] };
                let l = &self.blocks[below.block as usize];
                let y = &mut self.x[below.row as usize];
                for i in 0..rows {
                    for j in 0..d {
                        y[i] -= l[i][j] * x[j];
                    }
                }
            }
        }
        for k in (0..n).rev() {
            let (d, mut z) = (if N == SMALL { N } else { self.sizes[k] }, [0.0; ROWS]);
            for i in 0..d {
                for j in 0..d {
                    z[i] += self.blocks[k][i][j] * self.x[k][j];
                }
            }
            for below in system.column(k) {
                let (l, y) = (&self.blocks[below.block as usize], &self.x[below.row as usize]);
                let rows = if N == SMALL { N } else { self.sizes[below.row as usize] };
                for i in 0..rows {
                    for j in 0..d {
                        z[j] -= l[i][j] * y[i];
                    }
                }
            }
            self.x[k] = z;
        }
    }
}

/// a b for the first `rows` rows and `d` columns.
#[inline(always)]
fn times(a: &Block, b: &Block, rows: usize, d: usize) -> Block {
    let mut c = [[0.0; ROWS]; ROWS];
    for i in 0..rows {
        for k in 0..d {
            for j in 0..d {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

/// t −= a bᵀ over `d` columns and `rows` rows of a and b; rows beyond their sizes are zero and stay so.
#[inline(always)]
fn subtract_product(t: &mut Block, a: &Block, b: &Block, rows: usize, d: usize) {
    for i in 0..rows {
        for j in 0..rows {
            let mut sum = 0.0;
            for k in 0..d {
                sum += a[i][k] * b[j][k];
            }
            t[i][j] -= sum;
        }
    }
}

/// Inverse of a symmetric positive semidefinite d×d block by LDLᵀ; pivots that are rounding against `scale` are left out.
#[inline(always)]
pub(crate) fn invert(a: &Block, scale: &[Real; ROWS], d: usize) -> Block {
    let mut l = *a;
    let mut pivots = [0.0; ROWS];
    for j in 0..d {
        let mut p = l[j][j];
        for k in 0..j {
            p -= l[j][k] * l[j][k] * pivots[k];
        }
        let good = p > RANK * scale[j].abs() && p > 0.0;
        pivots[j] = if good { p } else { 0.0 };
        for i in j + 1..d {
            let mut sum = l[i][j];
            for k in 0..j {
                sum -= l[i][k] * l[j][k] * pivots[k];
            }
            l[i][j] = if good { sum / p } else { 0.0 };
        }
    }
    // Columns of the inverse of the unit triangle.
    let mut m = [[0.0; ROWS]; ROWS];
    for j in 0..d {
        m[j][j] = 1.0;
        for i in j + 1..d {
            let mut sum = 0.0;
            for k in j..i {
                sum -= l[i][k] * m[k][j];
            }
            m[i][j] = sum;
        }
    }
    let mut inverse = [[0.0; ROWS]; ROWS];
    for k in 0..d {
        if pivots[k] == 0.0 {
            continue;
        }
        let r = 1.0 / pivots[k];
        for i in 0..=k {
            for j in 0..=k {
                inverse[i][j] += m[k][i] * m[k][j] * r;
            }
        }
    }
    inverse
}
