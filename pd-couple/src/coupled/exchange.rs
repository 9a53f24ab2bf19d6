//! Forces of the last step, velocities after the rows, and the displacements that part what overlaps still.

use super::Coupled;
use crate::rows::solve_with;
use crate::warm::{Places, warm};
use crate::{CoupledSettings, Movers, Row, Scheme, Velocities, solve_rows};
use nalgebra::UnitQuaternion;
use pd_core::{Bodies, Mat3, Real, Vec3};

impl Coupled {
    /// Gives the forces of the last step to both ends.
    pub(super) fn begin(&mut self, h: Real) {
        self.memory.entries.clear();
        self.turn_inertia();
        let one_way = self.settings.scheme == Scheme::OneWay;
        let movers = Movers { points: &self.inverse, bodies: &self.body_inverse, inertia: &self.inertia };
        let still = Movers { points: &self.inverse, bodies: &self.zeros, inertia: &self.no_inertia };
        let Bodies { v, w, .. } = &mut self.work.bodies;
        let mut velocities = Velocities { points: &mut self.work.v, bodies: v, turns: w };
        let (x, columns) = (&self.work.x[..], &self.work.columns);
        let carrying = if one_way { &still } else { &movers };
        let attachments = &self.layout.attachments;
        self.attached.begin(attachments, columns, (x, &self.before), carrying, &mut velocities, h);
        if self.settings.scheme != Scheme::Rows {
            return;
        }
        self.memory.load(&self.work.columns);
        let places =
            Places { finder: &self.finder, layout: &self.layout, x: &self.work.x, bodies: &self.before };
        warm(&mut self.memory, &places, &movers, &mut velocities, h);
    }

    /// Inverse inertia of the bodies as they are turned now.
    pub(super) fn turn_inertia(&mut self) {
        let Some(rigid) = &self.layout.rigid else { return };
        for (body, out) in self.inertia.iter_mut().enumerate() {
            *out = if rigid.is_dynamic(body) {
                let r = self.work.bodies.q[body].to_rotation_matrix();
                let inverse = rigid.inertia()[body].map(|i| 1.0 / i);
                r.matrix() * Mat3::from_diagonal(&inverse) * r.matrix().transpose()
            } else {
                Mat3::zeros()
            };
        }
    }

    /// Velocities after the rows, and the displacements that follow from their change.
    pub(super) fn impulses(&mut self, h: Real, split: usize) {
        let bodies = &mut self.work.bodies;
        copy(&mut self.free[0], &self.work.v);
        copy(&mut self.free[1], &bodies.v);
        copy(&mut self.free[2], &bodies.w);
        let mut velocities =
            Velocities { points: &mut self.work.v, bodies: &mut bodies.v, turns: &mut bodies.w };
        for row in &mut self.rows {
            let relative = velocities.at(&row.a) - velocities.at(&row.b);
            row.bias = row.normal.dot(&relative) - (row.gap - row.gap_before.min(0.0)) / h;
        }
        let CoupledSettings { scheme, sweeps, enough, .. } = self.settings;
        let whole = Movers { points: &self.inverse, bodies: &self.body_inverse, inertia: &self.inertia };
        let still = Movers { points: &self.inverse, bodies: &self.zeros, inertia: &self.no_inertia };
        let attached = &mut self.attached;
        if let Some(rigid) = &self.layout.rigid {
            let at = (&self.work.x[..], &self.before);
            let carrying = if scheme == Scheme::OneWay { &still } else { &whole };
            attached.prepare(at, rigid, carrying, &velocities, h);
            attached.aim(at, &velocities, h);
        }
        self.report.left = match scheme {
            Scheme::Rows | Scheme::AdmmIpc => {
                solve_with(&mut self.rows, attached, &whole, &mut velocities, sweeps, enough)
            }
            Scheme::Staggered => solve_with(&mut self.rows, attached, &whole, &mut velocities, 1, enough),
            Scheme::OneWay => {
                let (loose, sheets) = self.rows.split_at_mut(split);
                let (bodies, inertia) = (&self.zeros[..], &self.no_inertia[..]);
                let lighter = Movers { points: &self.held, bodies, inertia };
                let left = solve_rows(loose, &lighter, &mut velocities, sweeps, enough);
                left.max(solve_with(sheets, attached, &still, &mut velocities, sweeps, enough))
            }
        };
        let moved = |now: &Vec3, before: &Vec3| (now - before) * h;
        for ((x, v), free) in self.work.x.iter_mut().zip(&self.work.v).zip(&self.free[0]) {
            *x += moved(v, free);
        }
        for b in 0..bodies.len() {
            bodies.p[b] += moved(&bodies.v[b], &self.free[1][b]);
            turn(&mut bodies.q[b], &moved(&bodies.w[b], &self.free[2][b]));
        }
    }

    /// Parts what overlaps still, without changing velocities. Elastic vertices give way as stiffly as in their own step: else a light cloth
    /// would be pushed aside here and come back in its next step, and what lies on it would sink in.
    pub(super) fn part(&mut self, h: Real, split: usize) {
        let bodies = &mut self.work.bodies;
        for (shift, count) in self.shift.iter_mut().zip([self.work.x.len(), bodies.len(), bodies.len()]) {
            shift.clear();
            shift.resize(count, Vec3::zeros());
        }
        let speeds = Velocities { points: &mut self.work.v, bodies: &mut bodies.v, turns: &mut bodies.w };
        let [free_points, free_bodies, free_turns] = &mut self.free;
        let free = Velocities { points: free_points, bodies: free_bodies, turns: free_turns };
        // Rows with their impulses stay for the report: displacements are solved on copies.
        self.parting.clear();
        for row in &self.rows {
            let change = (speeds.at(&row.a) - speeds.at(&row.b)) - (free.at(&row.a) - free.at(&row.b));
            let gap = row.gap + h * row.normal.dot(&change);
            let most = if row.gap_before < 0.0 { self.settings.push_speed * h } else { Real::INFINITY };
            self.parting
                .push(Row { bias: (-gap).min(most), ..Row::new(row.a, row.b, row.normal, gap, gap, 0.0) });
        }
        if !self.parting.iter().any(|row| row.bias > 0.0) {
            return;
        }
        let [points, body_shift, turns] = &mut self.shift;
        let mut shifts = Velocities { points, bodies: body_shift, turns };
        let (sweeps, enough) = (self.settings.sweeps, self.settings.enough * h);
        if self.settings.scheme == Scheme::OneWay {
            let (loose, sheets) = self.parting.split_at_mut(split);
            let (bodies, inertia) = (&self.zeros[..], &self.no_inertia[..]);
            solve_rows(loose, &Movers { points: &self.held, bodies, inertia }, &mut shifts, sweeps, enough);
            solve_rows(
                sheets,
                &Movers { points: &self.inverse, bodies, inertia },
                &mut shifts,
                sweeps,
                enough,
            );
        } else {
            let whole = Movers { points: &self.stiff, bodies: &self.body_inverse, inertia: &self.inertia };
            solve_rows(&mut self.parting, &whole, &mut shifts, sweeps, enough);
        }
        for (x, shift) in self.work.x.iter_mut().zip(&self.shift[0]) {
            *x += shift;
        }
        for b in 0..bodies.len() {
            bodies.p[b] += self.shift[1][b];
            turn(&mut bodies.q[b], &self.shift[2][b]);
        }
    }
}

fn copy(to: &mut Vec<Vec3>, from: &[Vec3]) {
    to.clear();
    to.extend_from_slice(from);
}

pub(super) fn turn(q: &mut UnitQuaternion<Real>, by: &Vec3) {
    if *by != Vec3::zeros() {
        *q = UnitQuaternion::new_normalize((UnitQuaternion::from_scaled_axis(*by) * *q).into_inner());
    }
}
