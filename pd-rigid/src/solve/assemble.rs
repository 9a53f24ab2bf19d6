//! J M⁻¹ Jᵀ of a system from the rows of its joints.

use super::body::Body;
use super::factor::{Block, Factor};
use super::rows::{ROWS, Rows};
use super::system::System;
use super::work::JointWork;
use pd_core::{Mat3, Real, Vec3};

/// Softness added where something may be held twice, as a fraction of the diagonal.
const RING: Real = 1e-7;

/// Which inverse inertia to take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inertia {
    /// That of the body.
    Plain,
    /// With the geometric stiffness of its joints.
    Stiff,
}

impl Inertia {
    pub(crate) fn of(self, body: &Body) -> &Mat3 {
        match self {
            Self::Plain => &body.inv_inertia,
            Self::Stiff => &body.stiff_inverse,
        }
    }
}

/// Fills the blocks of K for the joints of a system in the order of elimination; rows that are not active are cut off (unit diagonal).
/// Diagonals grow by the share `soften`.
pub(crate) fn assemble(
    factor: &mut Factor,
    system: &System,
    joints: &[JointWork],
    bodies: &[Body],
    inertia: Inertia,
    soften: Real,
) {
    factor.clear(system);
    for (k, joint) in joints.iter().enumerate() {
        let (a, b) = (&bodies[joint.bodies[0] as usize], &bodies[joint.bodies[1] as usize]);
        let rows = &joint.rows;
        factor.sizes[k] = rows.len;
        let block = &mut factor.blocks[k];
        add(block, rows, 0, rows, 0, a.inv_mass, inertia.of(a), 1.0);
        add(block, rows, 1, rows, 1, b.inv_mass, inertia.of(b), 1.0);
        let ring = if system.ring { soften.max(RING) } else { soften };
        for i in 0..rows.len {
            block[i][i] += block[i][i] * ring + joint.softness[i];
        }
        for i in 0..rows.len {
            if !joint.active[i] {
                for c in 0..rows.len {
                    (block[i][c], block[c][i]) = (0.0, 0.0);
                }
                block[i][i] = 1.0;
            }
        }
    }
    for shared in &system.shared {
        let row = &joints[shared.row as usize];
        let column = &joints[shared.column as usize];
        let body = &bodies[row.bodies[shared.row_side as usize] as usize];
        let sign = if shared.row_side == shared.column_side { 1.0 } else { -1.0 };
        let block = &mut factor.blocks[shared.block as usize];
        let (rs, cs) = (shared.row_side as usize, shared.column_side as usize);
        add(block, &row.rows, rs, &column.rows, cs, body.inv_mass, inertia.of(body), sign);
        for i in 0..row.rows.len {
            for c in 0..column.rows.len {
                if !(row.active[i] && column.active[c]) {
                    block[i][c] = 0.0;
                }
            }
        }
    }
}

/// block += ± (n nᵀ/m + α I⁻¹ αᵀ) for the rows of two joints at one body.
#[expect(
    clippy::too_many_arguments,
    reason = "two joints, their sides and one body: a structure would say no more"
)]
fn add(
    block: &mut Block,
    row: &Rows,
    row_side: usize,
    column: &Rows,
    column_side: usize,
    inv_mass: Real,
    inv_inertia: &Mat3,
    sign: Real,
) {
    if inv_mass == 0.0 {
        return;
    }
    let mut turned = [Vec3::zeros(); ROWS];
    for c in 0..column.len {
        turned[c] = inv_inertia * column.torque_arm(c, column_side) * sign;
    }
    let mass = inv_mass * sign;
    for i in 0..row.len {
        let (n, arm) = (row.linear[i] * mass, row.torque_arm(i, row_side));
        for c in 0..column.len {
            block[i][c] += n.dot(&column.linear[c]) + arm.dot(&turned[c]);
        }
    }
}
