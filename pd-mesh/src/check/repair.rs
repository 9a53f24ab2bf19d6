//! Repairs, one kind each. All keep everything else in its order, and return the number of changes.

use crate::topology;
use crate::{MeshError, TriMesh, Vec3};
use std::collections::{BTreeMap, VecDeque};

/// For every vertex the first one at exactly its position.
pub(crate) fn first_at_same_position(positions: &[Vec3]) -> Vec<u32> {
    // Adding zero makes −0 equal to 0.
    let key = |v: u32| <[f64; 3]>::from(positions[v as usize]).map(|c| (c + 0.0).to_bits());
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&v| (key(v), v));
    let mut first = vec![0; positions.len()];
    for group in order.chunk_by(|&a, &b| key(a) == key(b)) {
        for &v in group {
            first[v as usize] = group[0];
        }
    }
    first
}

/// Elements with the same vertices as an earlier one, ascending.
pub(crate) fn duplicates<const N: usize>(elements: &[[u32; N]]) -> Vec<u32> {
    let mut keyed: Vec<([u32; N], u32)> = elements
        .iter()
        .zip(0..)
        .map(|(&corners, number)| {
            let mut sorted = corners;
            sorted.sort_unstable();
            (sorted, number)
        })
        .collect();
    keyed.sort_unstable();
    let mut later: Vec<u32> = keyed
        .chunk_by(|a, b| a.0 == b.0)
        .flat_map(|group| group[1..].iter().map(|&(_, number)| number))
        .collect();
    later.sort_unstable();
    later
}

/// Merges vertices within `tolerance` metres of each other; with 0 only those at equal positions. Triangles that lose a
/// corner are removed. Returns the number of removed vertices.
///
/// A vertex goes to the first one in its cell of a grid of that size or a neighbouring cell, so chains do not collapse into
/// one point. Unreferenced vertices are kept in order unless they are duplicates; vertex numbers change.
///
/// # Errors
/// A tolerance that is negative or not finite, or nothing left.
pub fn weld(mesh: &mut TriMesh, tolerance: f64) -> Result<usize, MeshError> {
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(MeshError::BadLength {
            parameter: "tolerance",
            value: tolerance,
            expected: "a length of 0 or more",
        });
    }
    let first = if tolerance == 0.0 {
        first_at_same_position(&mesh.positions)
    } else {
        first_within(&mesh.positions, tolerance)
    };
    let before = mesh.positions.len();
    let mut number = vec![u32::MAX; before];
    let mut kept = Vec::new();
    for v in 0..before {
        if first[v] as usize == v {
            number[v] = kept.len() as u32;
            kept.push(mesh.positions[v]);
        }
    }
    mesh.positions = kept;
    for corners in &mut mesh.triangles {
        *corners = corners.map(|v| number[first[v as usize] as usize]);
    }
    mesh.triangles.retain(|&[a, b, c]| a != b && b != c && c != a);
    mesh.validate()?;
    Ok(before - mesh.positions.len())
}

/// For every vertex the earliest kept one within the tolerance, or itself.
fn first_within(positions: &[Vec3], tolerance: f64) -> Vec<u32> {
    let cell = |x: &Vec3| [x.x, x.y, x.z].map(|c| (c / tolerance).floor() as i64);
    let mut kept: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
    let mut first = Vec::with_capacity(positions.len());
    for (v, x) in (0u32..).zip(positions) {
        let [i, j, k] = cell(x);
        let mut found: Option<u32> = None;
        for offset in 0..27i64 {
            let near = [
                i.saturating_add(offset % 3 - 1),
                j.saturating_add(offset / 3 % 3 - 1),
                k.saturating_add(offset / 9 - 1),
            ];
            for &other in kept.get(&near).map_or(&[][..], |list| &list[..]) {
                if (positions[other as usize] - x).norm() <= tolerance
                    && found.is_none_or(|found| other < found)
                {
                    found = Some(other);
                }
            }
        }
        if found.is_none() {
            kept.entry([i, j, k]).or_default().push(v);
        }
        first.push(found.unwrap_or(v));
    }
    first
}

/// Removes triangles with the same vertices as an earlier one. Returns how many.
pub fn drop_duplicates(mesh: &mut TriMesh) -> usize {
    let later = duplicates(&mesh.triangles);
    drop_numbered(&mut mesh.triangles, &later);
    later.len()
}

/// Removes triangles that name a vertex twice or whose height over the longest side is at most `height` metres. Returns how
/// many. On a closed surface this leaves holes of no area; weld first, so that thin triangles collapse instead.
pub fn drop_slivers(mesh: &mut TriMesh, height: f64) -> usize {
    let thin: Vec<u32> = (0..)
        .zip(&mesh.triangles)
        .filter(|&(_, &[a, b, c])| {
            let [x, y, z] = [a, b, c].map(|v| mesh.positions[v as usize]);
            let longest = (y - x).norm().max((z - y).norm()).max((x - z).norm());
            let double_area = (y - x).cross(&(z - x)).norm();
            a == b || b == c || c == a || double_area <= height * longest
        })
        .map(|(face, _)| face)
        .collect();
    drop_numbered(&mut mesh.triangles, &thin);
    thin.len()
}

/// Removes elements by their ascending numbers.
fn drop_numbered<T>(elements: &mut Vec<T>, numbers: &[u32]) {
    let mut number = 0;
    elements.retain(|_| {
        number += 1;
        numbers.binary_search(&(number - 1)).is_err()
    });
}

/// Makes neighbouring triangles run opposite ways through their common side: in every piece the first triangle decides,
/// unless fewer triangles change the other way. A closed surface with negative volume is flipped as a whole.
/// Returns how many triangles were flipped.
///
/// Sides of more than two triangles connect nothing here. On a one-sided surface some sides stay inconsistent.
pub fn orient(mesh: &mut TriMesh) -> usize {
    let sides = topology::directed_sides(&mesh.triangles);
    // Pairs of triangles at a common side, and whether they agree.
    let mut neighbours: Vec<(u32, u32, bool)> = Vec::new();
    for group in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, forwards, first), (_, other, second)] = *group {
            let agree = forwards != other;
            neighbours.extend([(first, second, agree), (second, first, agree)]);
        }
    }
    neighbours.sort_unstable();
    let mut turned: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
    for seed in 0..mesh.triangles.len() {
        if turned[seed].is_some() {
            continue;
        }
        turned[seed] = Some(false);
        let mut piece = vec![seed];
        let mut front = VecDeque::from([seed]);
        while let Some(face) = front.pop_front() {
            let start = neighbours.partition_point(|&(from, ..)| (from as usize) < face);
            let around = neighbours[start..].iter().take_while(|&&(from, ..)| from as usize == face);
            let state = turned[face].unwrap_or(false);
            for &(_, to, agree) in around {
                let place = &mut turned[to as usize];
                if place.is_none() {
                    *place = Some(state == agree);
                    piece.push(to as usize);
                    front.push_back(to as usize);
                }
            }
        }
        let changed = piece.iter().filter(|&&face| turned[face] == Some(true)).count();
        if 2 * changed > piece.len() {
            piece.iter().for_each(|&face| turned[face] = turned[face].map(|turned| !turned));
        }
    }
    let mut count = 0;
    for (corners, turned) in mesh.triangles.iter_mut().zip(turned) {
        if turned == Some(true) {
            corners.swap(1, 2);
            count += 1;
        }
    }
    if mesh.boundary_edges().is_empty() && mesh.enclosed_volume() < 0.0 {
        mesh.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        count = mesh.triangles.len() - count;
    }
    count
}

/// Closes holes of at most `most_sides` sides by a fan around a new vertex at their middle (three sides: by one triangle).
/// Returns the number of holes closed. Borders that touch themselves at a vertex are left open.
pub fn fill_holes(mesh: &mut TriMesh, most_sides: usize) -> usize {
    // Border sides run as their triangle does; the hole runs the other way.
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for [a, b] in mesh.boundary_edges() {
        next.entry(b).or_default().push(a);
    }
    let mut filled = 0;
    let mut done: Vec<u32> = Vec::new();
    let starts: Vec<u32> = next.keys().copied().collect();
    for start in starts {
        if done.binary_search(&start).is_ok() {
            continue;
        }
        let mut ring = Vec::new();
        let mut at = start;
        let closed = loop {
            ring.push(at);
            match next.get(&at).map(|list| &list[..]) {
                Some(&[only]) if only == start => break true,
                Some(&[only]) if ring.len() <= mesh.positions.len() => at = only,
                _ => break false,
            }
        };
        done.extend(&ring);
        done.sort_unstable();
        done.dedup();
        if !closed || ring.len() < 3 || ring.len() > most_sides {
            continue;
        }
        if let [a, b, c] = ring[..] {
            mesh.triangles.push([a, b, c]);
        } else {
            let sum: Vec3 = ring.iter().map(|&v| mesh.positions[v as usize]).sum();
            let middle = mesh.positions.len() as u32;
            mesh.positions.push(sum / ring.len() as f64);
            for (i, &v) in ring.iter().enumerate() {
                mesh.triangles.push([v, ring[(i + 1) % ring.len()], middle]);
            }
        }
        filled += 1;
    }
    filled
}
