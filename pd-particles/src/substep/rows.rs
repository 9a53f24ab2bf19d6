//! Contact rows of bodies: particle against particle or obstacle, where at least one side belongs to a body.
//!
//! Particles of a body know how deep they lie below its surface and which way is out (Macklin et al. 2014, section 5): two
//! particles that overlap are parted along the gradient of the shallower one, so bodies that got into each other leave by the
//! side they came from and do not interlock. Both pushes of a row act at one point, and normals and arms are those of the
//! start of the substep: momentum and angular momentum are kept to rounding.
//!
//! Order of a substep (after "soft step" solvers): pushes along the normals start from those of the substep before;
//! sweeps along the normals, which also part overlaps; bodies move; a last sweep without
//! overlaps, friction included, leaves the velocities. Friction never sees the velocity of parting overlaps: it would pump
//! the leaning of tall stacks. The price: a body on a slope creeps by h g sin θ.

use super::body::Body;
use super::grains::{Grain, Rub, correction, relaxed};
use super::memory;
use crate::model::NO_BODY;
use crate::{BodyKind, ParticleModel};
use pd_core::{Real, Vec3};

/// Rows kept although their gap stays open by this share of the radii: other rows may close it.
const NEARLY: Real = 0.05;

/// Part of an overlap that a substep takes away: more would leave stacks trembling, since the pushes are remembered.
const GAIN: Real = 0.2;

/// One side of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// A free particle by its sorted place.
    Point(u32),
    /// A rigid body, and the arm from its centre to the point of contact, m.
    Body(u32, Vec3),
    /// An obstacle, whose surface moves by so much in the substep, m.
    Obstacle(Vec3),
}

/// A contact of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) a: End,
    pub(crate) b: End,
    /// From b to a.
    pub(crate) n: Vec3,
    /// Distance of the surfaces at the start of the substep, m.
    pub(crate) gap: Real,
    pub(crate) rub: Rub,
    /// Inverse mass along the normal, 1/kg.
    w: Real,
    /// Push along the normal and across it, kg m.
    along: Real,
    across: Vec3,
    /// Sum of the radii, m.
    pub(crate) size: Real,
    /// Point of contact, m.
    pub(crate) at: Vec3,
    pub(crate) source: Source,
    /// Order in which it was found.
    pub(crate) number: u32,
    /// Whether a patch keeps it.
    pub(crate) kept: bool,
}

/// Where a row's push is kept from substep to substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// Slot of a pair.
    Pair(usize),
    /// Number of an obstacle, and of the touch in its list.
    Touch(u32, u32),
}

/// What a row is made of.
pub(crate) struct Contact {
    pub(crate) a: End,
    pub(crate) b: End,
    pub(crate) n: Vec3,
    pub(crate) gap: Real,
    pub(crate) rub: Rub,
    /// Sum of the radii, m.
    pub(crate) size: Real,
    /// Push along the normal in the substep before, kg m.
    pub(crate) last: Real,
    pub(crate) at: Vec3,
    pub(crate) source: Source,
    pub(crate) number: usize,
}

/// All that moves in a substep.
pub(crate) struct Movers<'a> {
    pub(crate) grains: &'a mut [Grain],
    pub(crate) bodies: &'a mut [Body],
}

impl Movers<'_> {
    #[inline]
    fn displacement(&self, end: &End) -> Vec3 {
        match end {
            End::Point(k) => self.grains[*k as usize].d,
            End::Body(k, r) => self.bodies[*k as usize].displacement(r),
            End::Obstacle(slide) => *slide,
        }
    }

    #[inline]
    fn push(&mut self, end: &End, p: &Vec3) {
        match end {
            End::Point(k) => {
                let grain = &mut self.grains[*k as usize];
                grain.d += p * grain.w;
            }
            End::Body(k, r) => self.bodies[*k as usize].push(r, p),
            End::Obstacle(_) => {}
        }
    }

    #[inline]
    fn response(&self, end: &End, n: &Vec3) -> Real {
        match end {
            End::Point(k) => self.grains[*k as usize].w,
            End::Body(k, r) => self.bodies[*k as usize].response(r, n),
            End::Obstacle(_) => 0.0,
        }
    }

    /// Brings a row to its bounds, normal first.
    #[inline]
    pub(crate) fn solve(&mut self, row: &mut Row, push: Real) {
        let rel = self.displacement(&row.a) - self.displacement(&row.b);
        let gap = if row.gap < 0.0 { row.gap * GAIN } else { row.gap };
        let along = (row.along + correction(gap, self.own(row, &rel), push) / row.w).max(0.0);
        let change = row.n * (along - row.along);
        row.along = along;
        if change != Vec3::zeros() {
            self.push(&row.a, &change);
            self.push(&row.b, &-change);
        }
    }

    /// Friction of a row: undoes the tangential displacement, within the cone of the normal push.
    fn rub(&mut self, row: &mut Row) {
        if row.rub.fixed == 0.0 || (row.along == 0.0 && row.across == Vec3::zeros()) {
            return;
        }
        let rel = self.displacement(&row.a) - self.displacement(&row.b);
        let tangent = rel - row.n * row.n.dot(&rel);
        let length = tangent.norm();
        let mut across = row.across;
        if length > 0.0 {
            let t = tangent / length;
            across -= tangent / (self.response(&row.a, &t) + self.response(&row.b, &t));
        }
        let most = across.norm();
        if most > row.rub.fixed * row.along {
            across *= row.rub.sliding * row.along / most;
        }
        let change = across - row.across;
        row.across = across;
        self.push(&row.a, &change);
        self.push(&row.b, &-change);
    }

    /// Approach along the normal that is not already in the gap: an obstacle's own motion is.
    #[inline]
    fn own(&self, row: &Row, rel: &Vec3) -> Real {
        match &row.b {
            End::Obstacle(slide) => row.n.dot(&(rel + slide)),
            _ => row.n.dot(rel),
        }
    }

    /// Completes a row, unless it stays open whatever happens nearby.
    pub(crate) fn row(&self, contact: Contact) -> Option<Row> {
        let Contact { a, b, n, gap, rub, size, last, at, source, number } = contact;
        let w = self.response(&a, &n) + self.response(&b, &n);
        let row = Row {
            a,
            b,
            n,
            gap,
            rub,
            w,
            along: last,
            across: Vec3::zeros(),
            size,
            at,
            source,
            number: number as u32,
            kept: true,
        };
        let rel = self.displacement(&a) - self.displacement(&b);
        (w > 0.0 && (last > 0.0 || gap + self.own(&row, &rel) < NEARLY * size)).then_some(row)
    }

    /// Applies the push that is remembered.
    pub(crate) fn warm(&mut self, row: &Row) {
        if row.along > 0.0 {
            let p = row.n * row.along;
            self.push(&row.a, &p);
            self.push(&row.b, &-p);
        }
    }

    /// Moves the arms of a row from the start of the substep to its end: the point of contact stays where it was.
    pub(crate) fn follow(&self, row: &mut Row) {
        let rel = self.displacement(&row.a) - self.displacement(&row.b);
        row.gap += self.own(row, &rel);
        for end in [&mut row.a, &mut row.b] {
            if let End::Body(k, r) = end {
                *r -= self.bodies[*k as usize].d;
            }
        }
    }

    /// Takes back the velocity that pushing an overlap apart has left.
    pub(crate) fn relax(&mut self, row: &mut Row) {
        if row.along == 0.0 {
            return;
        }
        let w = self.response(&row.a, &row.n) + self.response(&row.b, &row.n);
        let speed = row.n.dot(&(self.displacement(&row.a) - self.displacement(&row.b)));
        let change = relaxed(row.gap, speed, w, row.along);
        row.along += change;
        let p = row.n * change;
        self.push(&row.a, &p);
        self.push(&row.b, &-p);
        self.rub(row);
    }
}

/// A particle as rows see it.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) x: Vec3,
    pub(crate) r: Real,
    /// Depth below the surface (m, positive inside) and outward normal, world frame, if it belongs to a body.
    pub(crate) inside: Option<(Real, Vec3)>,
}

impl Row {
    /// Number of its obstacle, with the upper bit set; meaningless for a pair.
    pub(crate) fn obstacle(&self) -> u32 {
        match self.source {
            Source::Touch(number, _) => memory::obstacle(number as usize),
            Source::Pair(_) => 0,
        }
    }

    /// Sets the push to start from.
    pub(crate) fn start(&mut self, along: Real) {
        self.along = along;
    }

    /// What to remember of it: the push along its normal.
    pub(crate) fn last(&self) -> Real {
        self.along
    }
}

/// Where a particle is now; a rigid body's follow from its pose.
#[inline]
pub(crate) fn see(model: &ParticleModel, bodies: &[Body], grain: &Grain, i: usize) -> Seen {
    let b = model.body[i];
    if b == NO_BODY {
        return Seen { x: grain.x, r: grain.r, inside: None };
    }
    let body = &bodies[b as usize];
    let x = if is_rigid(model, b) { body.p + body.turn * model.rest[i] } else { grain.x };
    // Particles of a sheet have no outward side: they touch as grains do.
    let sided = model.outward[i] != Vec3::zeros();
    Seen { x, r: grain.r, inside: sided.then(|| (-model.depth[i], body.turn * model.outward[i])) }
}

pub(crate) fn is_rigid(model: &ParticleModel, body: u32) -> bool {
    body != NO_BODY && model.bodies[body as usize].kind == BodyKind::Rigid
}

/// Cosine of the angle between one outward normal and the reverse of the other, up to which two sides face each other: edges and
/// corners, whose normals are means of their faces, included.
const OPPOSITE: Real = -0.4;
/// Particles of opposite faces that are farther apart sideways than this share of their radii leave the contact to others.
const SIDEWAYS: Real = 0.75;

/// Normal (from b to a) and gap of two particles.
///
/// Opposite faces of two bodies meet as planes: with the lines through the centres a face of spheres would rest on another
/// like a ball on a ball, and slip off.
pub(crate) fn normal_and_gap(a: &Seen, b: &Seen) -> (Vec3, Real) {
    let (e, reach) = (a.x - b.x, a.r + b.r);
    if let (Some((da, na)), Some((db, nb))) = (a.inside, b.inside)
        && na.dot(&nb) < -OPPOSITE
        && da < 1.5 * a.r
        && db < 1.5 * b.r
    {
        let n = (nb - na).normalize();
        let along = e.dot(&n);
        let aside = e.norm_squared() - along * along;
        let beside = aside > SIDEWAYS * SIDEWAYS * reach * reach;
        return (n, if beside { Real::INFINITY } else { along - reach });
    }
    let length = e.norm();
    let line = if length > 1e-12 * reach { e / length } else { Vec3::y() };
    let gap = length - reach;
    // The shallower of the two says which way is out; to the other it is the way in.
    let out = match (a.inside, b.inside) {
        (Some((da, na)), Some((db, nb))) => Some(if da < db { (da, -na, a.r) } else { (db, nb, b.r) }),
        (Some((da, na)), None) => Some((da, -na, a.r)),
        (None, Some((db, nb))) => Some((db, nb, b.r)),
        (None, None) => None,
    };
    let Some((depth, n, r)) = out.filter(|_| gap < 0.0) else { return (line, gap) };
    if depth > 1.5 * r {
        return (n, -depth);
    }
    let along = line.dot(&n);
    if along < 0.0 { ((line - n * (2.0 * along)).normalize(), gap) } else { (line, gap) }
}
