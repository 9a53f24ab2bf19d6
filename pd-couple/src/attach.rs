//! Vertices attached to points of rigid bodies.
//!
//! With x, v of a vertex of mass m and P, V, ω, q of the body, an attachment at the place r in the principal frame of the body asks
//! for x = P + q r at the end of every step. For a change δv of velocities over a step h that displaces by h δv,
//!
//!   d + h (δv − δV − δω × a) = 0,   d = x − P − q r,   m δv = p,   M δV = −Σ p,   I δω = −Σ a × p.
//!
//! Vertices are points, so p = m (δV + δω × a − d/h), and one 6×6 system per body, that of the body with the attached masses on it,
//!
//!   (M + Σm) δV − Σm [a]× δω = Σ m d/h,   Σm [a]× δV + (I − Σm [a]×²) δω = Σ m a × d/h,
//!
//! solves all its attachments at once. A body that is not dynamic has δV = δω = 0.
//!
//! The arm is a = (x − h v) − (P − h V): positions follow from velocities by x' = x + h δv, and then Σ m x × v changes by x − h v
//! times the impulse. With these arms linear and angular momentum stay to rounding, whatever the state of the iteration.
//!
//! The forces on the vertices act again from the start of the next step ([`memory`](crate::memory) says why), turned with the body:
//! column `couple.attach` (N, principal frame of the body, one row per attachment). `couple.torn` has a 1 for each that broke.

use crate::{CoupleError, Endpoint, Movers, Velocities};
use nalgebra::{Cholesky, Matrix6, U6, UnitQuaternion, Vector6};
use pd_core::{Bodies, Columns, Mat3, Owner, Real, Vec3, as_vectors};
use pd_rigid::RigidModel;

const FORCE: &str = "couple.attach";
const TORN: &str = "couple.torn";

/// A vertex attached to a rigid body, both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The elastic vertex.
    pub vertex: u32,
    /// The body.
    pub body: u32,
    /// Where it is attached, principal frame of the body, m.
    pub place: Vec3,
    /// Force above which it breaks, N; infinite for never.
    pub break_force: Real,
}

impl Attachment {
    /// A vertex at `x` attached to a body where both are now.
    pub fn here(vertex: u32, x: &Vec3, body: u32, bodies: &Bodies) -> Self {
        let b = body as usize;
        let place = bodies.q[b].inverse_transform_vector(&(x - bodies.p[b]));
        Self { vertex, body, place, break_force: Real::INFINITY }
    }

    /// Breaks above this force, N.
    #[must_use]
    pub fn breaking_at(mut self, force: Real) -> Self {
        self.break_force = force;
        self
    }

    /// From the point of the body to the vertex, m.
    pub fn gap(&self, x: &[Vec3], bodies: &Bodies) -> Vec3 {
        let b = self.body as usize;
        x[self.vertex as usize] - bodies.p[b] - bodies.q[b] * self.place
    }
}

/// Sorts attachments by body and vertex.
///
/// # Errors
/// [`CoupleError::Attachment`] for a missing vertex or body, a vertex attached twice, and numbers that are none.
pub(crate) fn checked(
    mut list: Vec<Attachment>,
    vertices: usize,
    bodies: usize,
) -> Result<Vec<Attachment>, CoupleError> {
    let wrong = |vertex: u32, what: String| Err(CoupleError::Attachment { vertex: vertex as usize, what });
    list.sort_by_key(|a| a.vertex);
    if let Some(pair) = list.windows(2).find(|pair| pair[0].vertex == pair[1].vertex) {
        return wrong(pair[0].vertex, "it is attached twice".into());
    }
    for a in &list {
        if a.vertex as usize >= vertices {
            return wrong(a.vertex, format!("there are {vertices} elastic vertices"));
        }
        if a.body as usize >= bodies {
            return wrong(a.vertex, format!("there is no body {}; there are {bodies}", a.body));
        }
        if !a.place.iter().all(|c| c.is_finite()) {
            return wrong(a.vertex, "its place on the body must be finite".into());
        }
        if a.break_force.is_nan() || a.break_force <= 0.0 {
            return wrong(a.vertex, format!("the break force is {}; it must be positive", a.break_force));
        }
    }
    list.sort_by_key(|a| (a.body, a.vertex));
    Ok(list)
}

/// An attachment over a step.
#[derive(Clone, Copy, Debug)]
struct Held {
    of: Attachment,
    /// Place in the list of the layout.
    index: usize,
    arm: Vec3,
    /// Relative velocity that closes the gap, m/s.
    bias: Vec3,
    /// Impulse on the vertex over the whole step, and of the last visit, kg·m/s.
    impulse: Vec3,
    last: Vec3,
}

/// The attachments of one body: a range of those held, and the system of the body with their masses.
#[derive(Clone, Debug)]
struct Carrier {
    first: usize,
    end: usize,
    /// `None` for a body that attachments do not move.
    factor: Option<Cholesky<Real, U6>>,
}

/// Attachments of a layout over a step: scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attached {
    held: Vec<Held>,
    carriers: Vec<Carrier>,
}

impl Attached {
    /// Loads what holds and gives the forces of the last step to both ends.
    pub(crate) fn begin(
        &mut self,
        list: &[Attachment],
        columns: &Columns,
        (x, bodies): (&[Vec3], &Bodies),
        movers: &Movers<'_>,
        velocities: &mut Velocities<'_>,
        h: Real,
    ) {
        self.held.clear();
        let (forces, torn) = (as_vectors(columns.real(FORCE)), columns.keys(TORN));
        for (index, of) in list.iter().enumerate().filter(|(k, _)| torn.get(*k).is_none_or(|&t| t == 0)) {
            let b = of.body as usize;
            // Where the body will be turned to: the force of a steady rotation is then met at once.
            let q = UnitQuaternion::from_scaled_axis(bodies.w[b] * h) * bodies.q[b];
            let force = forces.get(index).filter(|f| f.iter().all(|c| c.is_finite()));
            let impulse = q * force.copied().unwrap_or_default() * h;
            let arm = x[of.vertex as usize] - bodies.p[b];
            self.held.push(Held { of: *of, index, arm, bias: Vec3::zeros(), impulse, last: Vec3::zeros() });
        }
        for held in &self.held {
            held.push(movers, velocities, &held.impulse);
        }
    }

    /// Arms and systems, at the end of free motion.
    pub(crate) fn prepare(
        &mut self,
        (x, bodies): (&[Vec3], &Bodies),
        rigid: &RigidModel,
        movers: &Movers<'_>,
        velocities: &Velocities<'_>,
        h: Real,
    ) {
        self.carriers.clear();
        for held in &mut self.held {
            let b = held.of.body as usize;
            let i = held.of.vertex as usize;
            held.arm = (x[i] - velocities.points[i] * h) - (bodies.p[b] - velocities.bodies[b] * h);
        }
        let mut first = 0;
        for group in self.held.chunk_by(|a, b| a.of.body == b.of.body) {
            let (b, end) = (group[0].of.body as usize, first + group.len());
            let mut factor = None;
            if movers.bodies[b] > 0.0 {
                let r = bodies.q[b].to_rotation_matrix();
                let own = r.matrix() * Mat3::from_diagonal(&rigid.inertia()[b]) * r.matrix().transpose();
                let mut system = Matrix6::zeros();
                let (mut mass, mut moment, mut inertia) = (1.0 / movers.bodies[b], Vec3::zeros(), own);
                for held in group {
                    let m = 1.0 / movers.points[held.of.vertex as usize];
                    let cross = held.arm.cross_matrix();
                    mass += m;
                    moment += held.arm * m;
                    inertia -= cross * cross * m;
                }
                system.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
                system.fixed_view_mut::<3, 3>(0, 3).copy_from(&-moment.cross_matrix());
                system.fixed_view_mut::<3, 3>(3, 0).copy_from(&moment.cross_matrix());
                system.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
                factor = Cholesky::new(system);
            }
            self.carriers.push(Carrier { first, end, factor });
            first = end;
        }
    }

    /// Asks for the relative velocities that close the gaps of these places; returns the largest gap, m.
    pub(crate) fn aim(
        &mut self,
        (x, bodies): (&[Vec3], &Bodies),
        velocities: &Velocities<'_>,
        h: Real,
    ) -> Real {
        let mut largest: Real = 0.0;
        for held in &mut self.held {
            let gap = held.of.gap(x, bodies);
            largest = largest.max(gap.norm());
            held.bias = held.relative(velocities) - gap / h;
        }
        largest
    }

    /// Makes all attachments true, body by body; returns the largest change of a relative velocity, m/s.
    pub(crate) fn visit(&mut self, movers: &Movers<'_>, velocities: &mut Velocities<'_>) -> Real {
        let mut most: Real = 0.0;
        for carrier in &self.carriers {
            let group = &mut self.held[carrier.first..carrier.end];
            let mut change = [Vec3::zeros(); 2];
            if let Some(factor) = &carrier.factor {
                let mut right = Vector6::zeros();
                for held in &*group {
                    let m = 1.0 / movers.points[held.of.vertex as usize];
                    let missing = (held.relative(velocities) - held.bias) * m;
                    let mut linear = right.fixed_rows_mut::<3>(0);
                    linear += missing;
                    let mut angular = right.fixed_rows_mut::<3>(3);
                    angular += held.arm.cross(&missing);
                }
                factor.solve_mut(&mut right);
                change = [right.fixed_rows::<3>(0).into(), right.fixed_rows::<3>(3).into()];
            }
            // All from the velocities before any of them is pushed: the right-hand side belongs to these.
            for held in group.iter_mut() {
                let missing = held.bias - held.relative(velocities);
                most = most.max(missing.norm());
                let change = missing + change[0] + change[1].cross(&held.arm);
                held.last = change / movers.points[held.of.vertex as usize];
            }
            for held in group.iter_mut() {
                held.impulse += held.last;
                held.push(movers, velocities, &held.last);
            }
        }
        most
    }

    /// Stores the forces, and what broke.
    pub(crate) fn store(&self, count: usize, bodies: &Bodies, h: Real, columns: &mut Columns) {
        if count == 0 {
            return;
        }
        let forces = columns.real_mut(FORCE, Owner::Global, 3);
        forces.clear();
        forces.resize(3 * count, 0.0);
        let mut broke = false;
        for held in &self.held {
            let force = held.impulse / h;
            if force.norm() > held.of.break_force {
                broke = true;
            } else {
                let local = bodies.q[held.of.body as usize].inverse_transform_vector(&force);
                forces[3 * held.index..3 * held.index + 3].copy_from_slice(local.as_slice());
            }
        }
        if broke || columns.get(TORN).is_some() {
            let torn = columns.keys_mut(TORN, Owner::Global, 1);
            torn.resize(count, 0);
            for held in self.held.iter().filter(|held| (held.impulse / h).norm() > held.of.break_force) {
                torn[held.index] = 1;
            }
        }
    }

    /// Those that hold, with the forces on their vertices over a step h, N.
    pub(crate) fn forces(&self, h: Real) -> impl Iterator<Item = (Attachment, Vec3)> + '_ {
        self.held.iter().map(move |held| (held.of, held.impulse / h))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Bodies that carry something.
    pub(crate) fn carriers(&self) -> impl Iterator<Item = usize> + '_ {
        self.carriers.iter().map(|carrier| self.held[carrier.first].of.body as usize)
    }

    /// Marks vertices and the bodies that they are attached to.
    pub(crate) fn mark(&self, glued: &mut [u32]) {
        glued.fill(u32::MAX);
        for held in &self.held {
            glued[held.of.vertex as usize] = held.of.body;
        }
    }
}

impl Held {
    fn body(&self) -> Endpoint {
        Endpoint::Body { body: self.of.body, arm: self.arm }
    }

    fn relative(&self, velocities: &Velocities<'_>) -> Vec3 {
        velocities.points[self.of.vertex as usize] - velocities.at(&self.body())
    }

    fn push(&self, movers: &Movers<'_>, velocities: &mut Velocities<'_>, impulse: &Vec3) {
        velocities.push(movers, &Endpoint::Point(self.of.vertex), impulse);
        velocities.push(movers, &self.body(), &-impulse);
    }
}
