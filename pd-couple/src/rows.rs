//! Rows: contacts between two endpoints, and the Gauss–Seidel iteration over them.
//!
//! With u = u_a − u_b the relative velocity and n the unit normal from b to a, a row asks for
//!
//!   n·u ≥ b ⊥ λ ≥ 0,   |λ_t| ≤ μ λ, λ_t opposite to the slip,
//!
//! b being the least approach that leaves the gap open. A visit of a row gives p = Δλ n + Δλ_t to a and −p to b. Rows are visited
//! in their order, then in the reverse, so the result depends on nothing but the list.

use crate::attach::Attached;
use crate::{Endpoint, Movers, Velocities};
use pd_core::{Real, Vec3};

/// A contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The end that the normal points to.
    pub a: Endpoint,
    /// The other end.
    pub b: Endpoint,
    /// Unit normal from b to a.
    pub normal: Vec3,
    /// Gap at the end of free motion, m; negative where they overlap.
    pub gap: Real,
    /// Gap at the start of the step, m.
    pub gap_before: Real,
    /// Coulomb friction coefficient.
    pub friction: Real,
    /// Least relative velocity along the normal, m/s.
    pub bias: Real,
    /// Impulse along the normal, kg·m/s.
    pub lambda: Real,
    /// Impulse across the normal, kg·m/s.
    pub tangential: Vec3,
    /// Inverse effective mass of both ends along the normal, 1/kg.
    pub inverse: Real,
    /// What it is a contact of; ascending in the list.
    pub key: u64,
}

impl Row {
    /// A row without impulse.
    pub fn new(a: Endpoint, b: Endpoint, normal: Vec3, gap: Real, gap_before: Real, friction: Real) -> Self {
        Self {
            a,
            b,
            normal,
            gap,
            gap_before,
            friction,
            bias: 0.0,
            lambda: 0.0,
            tangential: Vec3::zeros(),
            inverse: 0.0,
            key: 0,
        }
    }
}

impl Row {
    /// With this key, and with an impulse that both ends were given before.
    pub(crate) fn begun(mut self, key: u64, impulse: Vec3) -> Self {
        self.key = key;
        self.lambda = self.normal.dot(&impulse).max(0.0);
        if self.friction > 0.0 {
            self.tangential = impulse - self.normal * self.lambda;
        }
        self
    }
}

/// Visits all rows `sweeps` times, forwards and backwards in turn; ends early once no impulse changes the velocity of its row by
/// more than `enough`, m/s. Returns the largest such change of the last sweep.
pub fn solve_rows(
    rows: &mut [Row],
    movers: &Movers<'_>,
    velocities: &mut Velocities<'_>,
    sweeps: usize,
    enough: Real,
) -> Real {
    solve_with(rows, &mut Attached::default(), movers, velocities, sweeps, enough)
}

/// The same, with attachments after the rows of every sweep.
pub(crate) fn solve_with(
    rows: &mut [Row],
    attached: &mut Attached,
    movers: &Movers<'_>,
    velocities: &mut Velocities<'_>,
    sweeps: usize,
    enough: Real,
) -> Real {
    for row in rows.iter_mut() {
        row.inverse = movers.inverse_mass(&row.a, &row.normal) + movers.inverse_mass(&row.b, &row.normal);
    }
    let mut most = 0.0;
    for sweep in 0..sweeps {
        most = 0.0;
        let mut one = |row: &mut Row| {
            let change = visit(row, movers, velocities);
            most = Real::max(most, change);
        };
        if sweep % 2 == 0 {
            rows.iter_mut().for_each(&mut one);
        } else {
            rows.iter_mut().rev().for_each(&mut one);
        }
        most = most.max(attached.visit(movers, velocities));
        if most <= enough {
            break;
        }
    }
    most
}

/// Makes one row true; returns the largest change of its relative velocity, m/s.
fn visit(row: &mut Row, movers: &Movers<'_>, velocities: &mut Velocities<'_>) -> Real {
    if row.inverse.is_nan() || row.inverse <= 0.0 {
        return 0.0;
    }
    let relative = velocities.at(&row.a) - velocities.at(&row.b);
    let wanted = (row.bias - row.normal.dot(&relative)) / row.inverse;
    let lambda = (row.lambda + wanted).max(0.0);
    let normal = row.normal * (lambda - row.lambda);
    let mut change = (lambda - row.lambda).abs() * row.inverse;
    row.lambda = lambda;
    if normal != Vec3::zeros() {
        velocities.push(movers, &row.a, &normal);
        velocities.push(movers, &row.b, &-normal);
    }
    if row.friction > 0.0 && (lambda > 0.0 || row.tangential != Vec3::zeros()) {
        let relative = velocities.at(&row.a) - velocities.at(&row.b);
        let slip = relative - row.normal * row.normal.dot(&relative);
        let speed = slip.norm();
        let along = if speed > 0.0 { slip / speed } else { Vec3::zeros() };
        let inverse = movers.inverse_mass(&row.a, &along) + movers.inverse_mass(&row.b, &along);
        let mut tangential = row.tangential;
        if inverse > 0.0 {
            tangential -= slip / inverse;
        }
        let (size, most) = (tangential.norm(), row.friction * lambda);
        if size > most {
            tangential *= most / size;
        }
        let push = tangential - row.tangential;
        if push != Vec3::zeros() {
            change = change.max(push.norm() * inverse);
            row.tangential = tangential;
            velocities.push(movers, &row.a, &push);
            velocities.push(movers, &row.b, &-push);
        }
    }
    change
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_core::Mat3;

    fn ball() -> ([Real; 3], [Real; 1], [Mat3; 1]) {
        ([1.0, 2.0, 4.0], [0.5], [Mat3::identity() * 3.0])
    }

    #[test]
    fn impulses_are_opposite_and_stop_the_approach() {
        let (points, bodies, inertia) = ball();
        let movers = Movers { points: &points, bodies: &bodies, inertia: &inertia };
        let mut v = [Vec3::new(0.3, -1.0, 0.0), Vec3::y(), Vec3::zeros()];
        let (mut b, mut w) = ([Vec3::zeros()], [Vec3::new(0.0, 0.0, 0.4)]);
        let momentum = |v: &[Vec3], b: &[Vec3]| {
            v.iter().zip(&points).map(|(v, w)| v / *w).sum::<Vec3>() + b[0] / bodies[0]
        };
        let before = momentum(&v, &b);
        let triangle = Endpoint::Triangle { vertices: [0, 1, 2], weights: [0.2, 0.3, 0.5] };
        let body = Endpoint::Body { body: 0, arm: Vec3::new(0.1, 0.2, -0.3) };
        let mut rows = [
            Row::new(triangle, body, Vec3::y(), 0.0, 0.0, 0.5),
            Row::new(Endpoint::Point(1), body, Vec3::x(), 0.0, 0.0, 0.0),
        ];
        rows[0].bias = 0.7;
        let mut all = Velocities { points: &mut v, bodies: &mut b, turns: &mut w };
        let left = solve_rows(&mut rows, &movers, &mut all, 200, 1e-14);
        assert!(left <= 1e-14, "{left:e}");
        for row in &rows {
            let u = row.normal.dot(&(all.at(&row.a) - all.at(&row.b)));
            assert!(u >= row.bias - 1e-12 && row.lambda * (u - row.bias) < 1e-12);
            assert!(row.tangential.norm() <= row.friction * row.lambda + 1e-12);
        }
        assert!((momentum(&v, &b) - before).norm() < 1e-14);
    }

    #[test]
    fn friction_sticks_below_its_limit_and_slides_above() {
        let movers = Movers { points: &[1.0, 0.0], bodies: &[], inertia: &[] };
        for (slip, expected) in [(0.4, 0.0), (0.9, 0.4)] {
            let mut v = [Vec3::new(slip, -1.0, 0.0), Vec3::zeros()];
            let mut rows = [Row::new(Endpoint::Point(0), Endpoint::Point(1), Vec3::y(), 0.0, 0.0, 0.5)];
            let mut all = Velocities { points: &mut v, bodies: &mut [], turns: &mut [] };
            solve_rows(&mut rows, &movers, &mut all, 20, 0.0);
            assert!((v[0] - Vec3::new(expected, 0.0, 0.0)).norm() < 1e-14, "{:?}", v[0]);
        }
    }
}
