//! The last word: no point is on the other side of a triangle than it was.
//!
//! Rows are linear and the iteration is cut off, so a point may still cross. Its path from the start of the step is tested once
//! more, and a point that crosses is put back next to the triangle on its own side; only its position changes, not its momentum.
//! Where that makes it cross another triangle, it is carried along with the first as it was at the start, and counted as stalled
//! if even that crosses: it sits between surfaces that close.

use crate::find::sheets::{crossing, side_normal};
use crate::find::{Finder, Motion};
use pd_collide::distance::point_triangle;
use pd_core::{Real, Vec3};

/// Rounds of putting back.
const ROUNDS: usize = 3;

/// What the guard did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guarded {
    pub(crate) put_back: usize,
    pub(crate) stalled: usize,
}

/// Puts points back that cross; `x` are positions at the end of the step.
pub(crate) fn guard(
    finder: &mut Finder,
    motion: Motion<'_>,
    x: &mut [Vec3],
    crossed: &mut Vec<(u32, u32)>,
) -> Guarded {
    let mut outcome = Guarded::default();
    for round in 0..=ROUNDS {
        finder.near_sheets(&Motion { end: x, ..motion }, false);
        crossed.clear();
        for (ball, facet) in finder.sheet_pairs() {
            let point = finder.balls()[ball].point as usize;
            let facet_of = &finder.facets()[facet];
            if crossing(&facet_of.with(point, motion.start), &facet_of.with(point, x)).is_some() {
                crossed.push((ball as u32, facet as u32));
            }
        }
        crossed.dedup_by_key(|pair| pair.0);
        if crossed.is_empty() {
            return outcome;
        }
        if round == 0 {
            outcome.put_back = crossed.len();
        }
        if round == ROUNDS {
            outcome.stalled = crossed.len();
        }
        for &(ball, facet) in crossed.iter() {
            let (ball, facet) = (&finder.balls()[ball as usize], &finder.facets()[facet as usize]);
            let point = ball.point as usize;
            let (start, end) = (facet.with(point, motion.start), facet.with(point, x));
            x[point] = if round < ROUNDS - 1 {
                put_back(&start, &end, ball.radius + facet.half_thickness)
            } else {
                carry_along(&start, &end)
            };
        }
    }
    outcome
}

/// Next to the triangle, on the side of the start, as far from it as at the start but not farther than the contact distance.
fn put_back(start: &[Vec3; 4], end: &[Vec3; 4], reach: Real) -> Vec3 {
    let Some(normal) = side_normal(start, end) else { return carry_along(start, end) };
    let away = point_triangle(start).separation(start).norm().min(reach);
    let closest = point_triangle(end);
    end[0] - closest.separation(end) + normal * away
}

/// Moved as the nearest point of the triangle moves.
fn carry_along(start: &[Vec3; 4], end: &[Vec3; 4]) -> Vec3 {
    let weights = point_triangle(start).weights;
    let moved = (1..4).map(|k| (end[k] - start[k]) * -weights[k]);
    start[0] + moved.sum::<Vec3>()
}
