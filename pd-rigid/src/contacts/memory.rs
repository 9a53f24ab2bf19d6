//! What contacts remember from step to step: their forces, by the parts and features that made them.

use super::Contacts;
use crate::RigidModel;
use crate::columns::{CONTACT_KEY, CONTACT_LAMBDA, CONTACT_PLACE};
use crate::solve::contact::{ContactPoint, Manifold, POINTS};
use pd_core::{Owner, Real, Vec3, View};

/// Most remembered points of two parts that are looked at; obstacles may leave several manifolds.
const MOST_KEPT: usize = 4 * POINTS;

/// A contact point as the state remembers it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    key: [u64; 2],
    force: [Real; 3],
    place: [Real; 3],
}

impl Contacts {
    /// Gives points the forces they had in the step before. A point is found again by the features that made it, else by its
    /// place on the first body: faces that are aligned up to rounding change their features from step to step.
    pub(crate) fn warm(&self, state: &View<'_>, margin: Real, manifolds: &mut [Manifold]) {
        let keys = state.columns.keys(CONTACT_KEY);
        let (force, place) = (state.columns.real(CONTACT_LAMBDA), state.columns.real(CONTACT_PLACE));
        let rows = (keys.len() / 2).min(force.len() / 3).min(place.len() / 3);
        let three = |of: &[Real], k: usize| Vec3::new(of[3 * k], of[3 * k + 1], of[3 * k + 2]);
        let mut next = 0;
        for m in manifolds.iter_mut().filter(|m| m.len > 0) {
            // Most often manifolds come in the order in which they were written.
            let follows =
                next < rows && keys[2 * next] == m.key && (next == 0 || keys[2 * next - 2] != m.key);
            let (mut first, mut end) = if follows { (next, next) } else { (0, rows) };
            while first < end {
                let middle = (first + end) / 2;
                if keys[2 * middle] < m.key { first = middle + 1 } else { end = middle }
            }
            let old = (first..rows).take_while(|&k| keys[2 * k] == m.key).take(MOST_KEPT);
            let (n, [t, u]) = (m.normal, m.tangents);
            let parts = |f: Vec3| [n.dot(&f).max(0.0), t.dot(&f), u.dot(&f)];
            next = first + old.clone().count();
            m.fresh = next == first;
            // Most often the points are those of the step before, in their order.
            let same = |(k, point): (usize, &ContactPoint)| keys[2 * k + 1] == point.feature;
            if next - first == m.len as usize && (first..next).zip(m.points()).all(same) {
                for (point, k) in m.points.iter_mut().zip(first..next) {
                    point.force = parts(three(force, k));
                }
                continue;
            }
            let mut free = [false; MOST_KEPT];
            old.clone().for_each(|k| free[k - first] = true);
            let mut found = [None; POINTS];
            for (point, found) in m.points().iter().zip(&mut found) {
                *found = old.clone().find(|&k| free[k - first] && keys[2 * k + 1] == point.feature);
                found.iter().for_each(|&k| free[k - first] = false);
            }
            for (point, found) in m.points().iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
                let way = |k: usize| (three(place, k) - point.local[0]).norm_squared();
                let near = old.clone().filter(|&k| free[k - first] && way(k) < margin * margin);
                *found = near.min_by(|&i, &j| way(i).total_cmp(&way(j)));
                found.iter().for_each(|&k| free[k - first] = false);
            }
            for (point, found) in m.points.iter_mut().zip(found) {
                if let Some(k) = found {
                    point.force = parts(three(force, k));
                }
            }
        }
    }

    /// Writes keys, forces and places of all contacts, sorted by key; those among sleeping bodies stay.
    pub(crate) fn write(
        &mut self,
        manifolds: &[Manifold],
        model: &RigidModel,
        islands: &[u32],
        state: &mut View<'_>,
    ) {
        self.kept.clear();
        let asleep = |b: u32| islands[b as usize] == u32::MAX;
        let some_asleep = (0..model.bodies()).any(|b| model.is_dynamic(b) && asleep(b as u32));
        let old = if some_asleep { state.columns.keys(CONTACT_KEY) } else { &[] };
        let keys = old.chunks_exact(2);
        let force = state.columns.real(CONTACT_LAMBDA).chunks_exact(3);
        let place = state.columns.real(CONTACT_PLACE).chunks_exact(3);
        for ((key, force), place) in keys.zip(force).zip(place) {
            let bodies = match Self::bodies_of(model, key[0]) {
                Some(bodies) => bodies,
                None => match model.parts().get((key[0] >> 32) as usize) {
                    Some(part) => [part.body; 2],
                    None => continue,
                },
            };
            if bodies.into_iter().all(asleep) {
                let three = |of: &[Real]| [of[0], of[1], of[2]];
                self.kept.push(Kept { key: [key[0], key[1]], force: three(force), place: three(place) });
            }
        }
        // What sleeps and what moves, each manifold's points together, by key. Points of one key stay in their order.
        self.places.clear();
        self.places.extend(self.kept.iter().enumerate().map(|(k, kept)| (kept.key[0], 0, k as u32)));
        self.places.extend(manifolds.iter().enumerate().map(|(k, m)| (m.key, 1, k as u32)));
        self.places.sort_unstable();
        let rows = self.kept.len() + manifolds.iter().map(|m| m.len as usize).sum::<usize>();
        let keys = state.columns.keys_mut(CONTACT_KEY, Owner::Contacts, 2);
        keys.clear();
        keys.reserve(2 * rows);
        for &(key, moves, k) in &self.places {
            match moves {
                0 => keys.extend_from_slice(&self.kept[k as usize].key),
                _ => manifolds[k as usize]
                    .points()
                    .iter()
                    .for_each(|p| keys.extend_from_slice(&[key, p.feature])),
            }
        }
        let force = state.columns.real_mut(CONTACT_LAMBDA, Owner::Contacts, 3);
        force.clear();
        force.reserve(3 * rows);
        for &(_, moves, k) in &self.places {
            match moves {
                0 => force.extend_from_slice(&self.kept[k as usize].force),
                _ => {
                    let m = &manifolds[k as usize];
                    m.points().iter().for_each(|p| force.extend_from_slice(m.force(p).as_slice()));
                }
            }
        }
        let place = state.columns.real_mut(CONTACT_PLACE, Owner::Contacts, 3);
        place.clear();
        place.reserve(3 * rows);
        for &(_, moves, k) in &self.places {
            match moves {
                0 => place.extend_from_slice(&self.kept[k as usize].place),
                _ => {
                    let points = manifolds[k as usize].points().iter();
                    points.for_each(|p| place.extend_from_slice(p.local[0].as_slice()));
                }
            }
        }
    }
}
