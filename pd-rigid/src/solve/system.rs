//! Joints that share bodies as one sparse system: the order of elimination and where fill appears.
//!
//! K = J M⁻¹ Jᵀ has a block for each joint and for each pair of joints with a common dynamic body. K = L D Lᵀ without fill
//! where joints form a chain or tree of bodies; a loop adds a few blocks. The order is found once, by minimum degree.

use crate::RigidModel;

/// A block below the diagonal: column and row, as places in the order of elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Below {
    pub(crate) row: u32,
    pub(crate) block: u32,
}

/// One product of the elimination: block `target` −= L(left) D L(right)ᵀ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Update {
    pub(crate) target: u32,
    pub(crate) left: u32,
    pub(crate) right: u32,
}

/// Two joints with a common body: side (0 for `a`, 1 for `b`) of that body in each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    pub(crate) block: u32,
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) row_side: u8,
    pub(crate) column_side: u8,
}

/// Joints connected through dynamic bodies, in the order of elimination. Blocks are numbered diagonal first.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    /// Joints of the model, in the order of elimination.
    pub(crate) joints: Vec<u32>,
    /// Dynamic bodies of the model that the joints hold, ascending.
    pub(crate) bodies: Vec<u32>,
    /// Blocks below the diagonal, column by column.
    pub(crate) below: Vec<Below>,
    /// Where each column begins in `below`; one more than columns.
    pub(crate) columns: Vec<u32>,
    /// Products, column by column of their factor.
    pub(crate) updates: Vec<Update>,
    /// Where each column begins in `updates`.
    pub(crate) update_columns: Vec<u32>,
    /// Entries of K off the diagonal.
    pub(crate) shared: Vec<Shared>,
    /// Whether bodies or the world are joined in a ring, so that some of what is held may be held twice.
    pub(crate) ring: bool,
}

impl System {
    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.joints.len() + self.below.len()
    }

    /// The systems of a model, by their smallest joint, without the joints that are broken.
    pub(crate) fn all(model: &RigidModel, broken: impl Fn(usize) -> bool) -> Vec<Self> {
        let joints = model.joints();
        let held = |j: usize| {
            let desc = &joints[j].desc;
            [desc.a, desc.b].map(|b| b.filter(|&b| model.is_dynamic(b)))
        };
        // Joints at each body, and components by flooding.
        let mut at: Vec<Vec<u32>> = vec![vec![]; model.bodies()];
        let mut seen: Vec<bool> = (0..joints.len()).map(broken).collect();
        for j in (0..joints.len()).filter(|&j| !seen[j]) {
            held(j).into_iter().flatten().for_each(|b| at[b].push(j as u32));
        }
        let mut systems = vec![];
        for first in 0..joints.len() {
            if seen[first] {
                continue;
            }
            seen[first] = true;
            let (mut members, mut next) = (vec![first as u32], 0);
            while next < members.len() {
                for body in held(members[next] as usize).into_iter().flatten() {
                    for &j in &at[body] {
                        if !std::mem::replace(&mut seen[j as usize], true) {
                            members.push(j);
                        }
                    }
                }
                next += 1;
            }
            members.sort_unstable();
            systems.push(Self::new(members, &held));
        }
        systems
    }

    fn new(members: Vec<u32>, held: &dyn Fn(usize) -> [Option<usize>; 2]) -> Self {
        let n = members.len();
        let mut bodies: Vec<u32> =
            members.iter().flat_map(|&j| held(j as usize)).flatten().map(|b| b as u32).collect();
        bodies.sort_unstable();
        let ends = bodies.len();
        bodies.dedup();
        // A tree of bodies has one joint less than bodies, and one more joint where it hangs from the world.
        let grounded = usize::from(ends < 2 * n);
        let ring = n + 1 > bodies.len() + grounded;
        let by_body = |j: usize| held(members[j] as usize);
        let mut near: Vec<Vec<u32>> = vec![vec![]; n];
        let mut at: std::collections::BTreeMap<usize, Vec<u32>> = std::collections::BTreeMap::new();
        for j in 0..n {
            by_body(j).into_iter().flatten().for_each(|b| at.entry(b).or_default().push(j as u32));
        }
        for group in at.values() {
            for &i in group {
                near[i as usize].extend(group.iter().copied().filter(|&j| j != i));
            }
        }
        for list in &mut near {
            list.sort_unstable();
            list.dedup();
        }
        let (order, columns_of) = minimum_degree(near);
        let mut place = vec![0u32; n];
        order.iter().enumerate().for_each(|(k, &j)| place[j as usize] = k as u32);
        let mut system = Self { ring, bodies, ..Self::default() };
        system.joints = order.iter().map(|&j| members[j as usize]).collect();
        for rows in &columns_of {
            system.columns.push(system.below.len() as u32);
            let mut rows: Vec<u32> = rows.iter().map(|&j| place[j as usize]).collect();
            rows.sort_unstable();
            for row in rows {
                let block = (n + system.below.len()) as u32;
                system.below.push(Below { row, block });
            }
        }
        system.columns.push(system.below.len() as u32);
        for k in 0..n {
            system.update_columns.push(system.updates.len() as u32);
            let column = system.column(k).to_vec();
            for (i, left) in column.iter().enumerate() {
                for right in &column[..=i] {
                    let target = system.find(left.row, right.row);
                    system.updates.push(Update { target, left: left.block, right: right.block });
                }
            }
        }
        system.update_columns.push(system.updates.len() as u32);
        for column in 0..n {
            for k in system.columns[column]..system.columns[column + 1] {
                let Below { row, block } = system.below[k as usize];
                let (a, b) =
                    (held(system.joints[row as usize] as usize), held(system.joints[column] as usize));
                for (row_side, x) in a.iter().enumerate() {
                    for (column_side, y) in b.iter().enumerate() {
                        if x.is_some() && x == y {
                            let (row_side, column_side) = (row_side as u8, column_side as u8);
                            system.shared.push(Shared {
                                block,
                                row,
                                column: column as u32,
                                row_side,
                                column_side,
                            });
                        }
                    }
                }
            }
        }
        system
    }

    /// Blocks below the diagonal of a column.
    pub(crate) fn column(&self, k: usize) -> &[Below] {
        &self.below[self.columns[k] as usize..self.columns[k + 1] as usize]
    }

    /// Number of the block at (row, column), which exists.
    fn find(&self, row: u32, column: u32) -> u32 {
        if row == column {
            return row;
        }
        let range = self.columns[column as usize] as usize..self.columns[column as usize + 1] as usize;
        self.below[range].iter().find(|b| b.row == row).map_or(u32::MAX, |b| b.block)
    }
}

/// Eliminates the node with the fewest neighbours, the smallest of several, and joins its neighbours. Returns the order and
/// for each eliminated node the nodes that were still connected to it.
fn minimum_degree(mut near: Vec<Vec<u32>>) -> (Vec<u32>, Vec<Vec<u32>>) {
    let n = near.len();
    let mut queue: std::collections::BTreeSet<(usize, u32)> =
        near.iter().enumerate().map(|(j, list)| (list.len(), j as u32)).collect();
    let (mut order, mut columns) = (Vec::with_capacity(n), Vec::with_capacity(n));
    while let Some((_, j)) = queue.pop_first() {
        let list = std::mem::take(&mut near[j as usize]);
        for &i in &list {
            let other = &mut near[i as usize];
            queue.remove(&(other.len(), i));
            other.retain(|&k| k != j);
            other.extend(list.iter().copied().filter(|&k| k != i));
            other.sort_unstable();
            other.dedup();
            queue.insert((other.len(), i));
        }
        order.push(j);
        columns.push(list);
    }
    (order, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDesc, JointDesc, JointKind};
    use pd_core::Vec3;

    pub(crate) fn joined(bodies: usize, joints: &[(Option<usize>, usize)]) -> RigidModel {
        let mut builder = RigidModel::builder();
        for k in 0..bodies {
            let at = Vec3::new(k as f64, (k * k % 5) as f64, 0.0);
            builder.body(BodyDesc::point(1.0, Vec3::repeat(1.0)).at(at)).unwrap();
        }
        for &(a, b) in joints {
            builder.joint(JointDesc::new(JointKind::Ball, a, Some(b), Vec3::zeros())).unwrap();
        }
        builder.build().0
    }

    #[test]
    fn a_chain_has_no_fill_and_a_ring_a_little() {
        let chain: Vec<_> = (0..50).map(|k: usize| (k.checked_sub(1), k)).collect();
        let systems = System::all(&joined(50, &chain), |_| false);
        assert_eq!(systems.len(), 1);
        assert_eq!(systems[0].below.len(), 49, "one block a neighbour");
        assert!(!systems[0].ring);
        let mut ring = chain.clone();
        ring[0].0 = Some(49);
        let systems = System::all(&joined(50, &ring), |_| false);
        assert!(systems[0].ring);
        assert_eq!(
            systems[0].below.len(),
            50 + 47,
            "each elimination but the last two leaves one block of fill"
        );
    }

    #[test]
    fn a_second_hold_on_the_world_closes_a_ring() {
        assert!(!System::all(&joined(2, &[(None, 0), (Some(0), 1)]), |_| false)[0].ring);
        assert!(System::all(&joined(2, &[(None, 0), (Some(0), 1), (None, 1)]), |_| false)[0].ring);
        assert!(System::all(&joined(1, &[(None, 0), (None, 0)]), |_| false)[0].ring);
        assert_eq!(System::all(&joined(4, &[(None, 0), (None, 1), (Some(2), 3)]), |_| false).len(), 3);
    }
}
