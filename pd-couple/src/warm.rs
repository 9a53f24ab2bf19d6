//! The forces of the last step, given to both ends before a step begins.

use crate::find::{Finder, bodies::deepest};
use crate::memory::{Kind, Memory, parts};
use crate::{Endpoint, Layout, Movers, Velocities};
use pd_collide::distance::point_triangle;
use pd_core::{Bodies, Real, Surface, Vec3};

/// Part of a force that is expected to act again.
const KEPT: Real = 0.98;

/// Where everything is at the start of a step.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) finder: &'a Finder,
    pub(crate) layout: &'a Layout,
    pub(crate) x: &'a [Vec3],
    pub(crate) bodies: &'a Bodies,
}

/// Gives every remembered contact its force over a time h, at the places where its ends are nearest now; contacts without such
/// places are forgotten.
pub(crate) fn warm(
    memory: &mut Memory,
    places: &Places<'_>,
    movers: &Movers<'_>,
    velocities: &mut Velocities<'_>,
    h: Real,
) {
    memory.entries.retain_mut(|(key, force)| {
        let Some((a, b)) = ends(*key, places) else { return false };
        *force *= KEPT;
        let impulse = *force * h;
        velocities.push(movers, &a, &impulse);
        velocities.push(movers, &b, &-impulse);
        true
    });
}

fn ends(key: u64, places: &Places<'_>) -> Option<(Endpoint, Endpoint)> {
    let Places { finder, layout, x, bodies } = *places;
    let (kind, a, b) = parts(key);
    match kind {
        Kind::PointFacet => {
            let (ball, facet) = (finder.balls().get(a)?, finder.facets().get(b)?);
            let w = point_triangle(&facet.with(ball.point as usize, x)).weights;
            let other = Endpoint::Triangle { vertices: facet.vertices, weights: [-w[1], -w[2], -w[3]] };
            Some((Endpoint::Point(ball.point), other))
        }
        Kind::BodyPoint | Kind::BodyVertex => {
            let (ball, shape) = (finder.balls().get(b)?, layout.shapes().get(a)?);
            let at = x[ball.point as usize];
            let mut surface = [Surface::default()];
            shape.sample_at(&bodies.p[a], &bodies.q[a], &[at], &mut surface);
            let place = at - surface[0].normal * surface[0].distance;
            let body = Endpoint::Body { body: a as u32, arm: place - bodies.p[a] };
            place.iter().all(|c| c.is_finite()).then_some((Endpoint::Point(ball.point), body))
        }
        Kind::BodyFacet => {
            let (facet, shape) = (finder.facets().get(b)?, layout.shapes().get(a)?);
            let corners = facet.corners(x);
            let (weights, surface) = deepest(shape, &bodies.p[a], &bodies.q[a], &corners, Real::INFINITY)?;
            let at = corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
            let arm = at - surface.normal * surface.distance - bodies.p[a];
            let body = Endpoint::Body { body: a as u32, arm };
            Some((Endpoint::Triangle { vertices: facet.vertices, weights }, body))
        }
    }
}
