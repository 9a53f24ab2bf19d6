//! Particles of a substep: sorted by cell, to faces and back, moved, and out of solids.

use super::faces::{self, Sorted};
use super::{LAYERS, PressureStepper};
use crate::Transfer;
use nalgebra::Vector6;
use pd_core::{Aabb, Collider, Real, Surface, Vec3, exec};

impl PressureStepper {
    pub(super) fn sort(&mut self) {
        let (model, n) = (&self.model, self.cells());
        let inverse = 1.0 / model.dx;
        self.place.clear();
        self.place.extend(self.x.iter().map(|x| (x - model.min) * inverse));
        let cell = |x: &Vec3| {
            let at = |a: usize| (x[a].max(0.0) as usize).min(n[a] - 1);
            (at(0) * n[1] + at(1)) * n[2] + at(2)
        };
        self.start.clear();
        self.start.resize(n[0] * n[1] * n[2] + 1, 0);
        self.place.iter().for_each(|x| self.start[cell(x) + 1] += 1);
        (1..self.start.len()).for_each(|c| self.start[c] += self.start[c - 1]);
        self.at.clear();
        self.at.extend_from_slice(&self.start);
        self.order.resize(self.x.len(), 0);
        for (p, x) in self.place.iter().enumerate() {
            let at = &mut self.at[cell(x)];
            self.order[*at as usize] = p as u32;
            *at += 1;
        }
    }

    /// Particles to faces; faces that no particle reaches take their neighbours' velocity.
    pub(super) fn scatter(&mut self, gravity: Vec3, h: Real) {
        let (cells, dx) = (self.cells(), self.model.dx);
        let affine = if matches!(self.model.transfer, Transfer::Apic | Transfer::Mls) { dx } else { 0.0 };
        let Self { faces, place, order, start, v, c, volumes, fill, .. } = self;
        let sorted = Sorted { x: place, order, start, cells };
        for (axis, faces) in faces.iter_mut().enumerate() {
            faces.reset(axis, cells);
            faces.add_particles(&sorted, |p, at| {
                let c = &c[p];
                let spin = c[(axis, 0)] * at[0] + c[(axis, 1)] * at[1] + c[(axis, 2)] * at[2];
                [v[p][axis] + affine * spin, volumes[p]]
            });
            faces.extrapolate(LAYERS);
            faces.old.copy_from_slice(&faces.u);
            let push = gravity[axis] * h;
            faces.u.iter_mut().for_each(|u| *u += push);
        }
        fill.resize(cells[0] * cells[1] * cells[2], [0.0]);
        faces::fill(&sorted, volumes, fill);
    }

    /// Back to particles, which then move.
    pub(super) fn gather(&mut self, h: Real) {
        let dx = self.model.dx;
        let size = self.model.cells.map(Real::from);
        let blend = match self.model.transfer {
            Transfer::Flip { blend } => blend,
            _ => 0.0,
        };
        let (faces, place) = (&self.faces, &self.place);
        let velocity = |x: &Vec3| Vec3::from_fn(|a, _| faces[a].at(&faces[a].u, x).0);
        let shift = |x: &Vec3| Vec3::from_fn(|a, _| faces[a].at(&faces[a].shift, x).0);
        exec::for_each_chunk(&mut self.x, exec::VERTEX_CHUNK, |first, xs| {
            for (k, out) in xs.iter_mut().enumerate() {
                let x = &place[first + k];
                let middle = x + shift(x) * (0.5 * h / dx);
                let moved = x + shift(&middle) * (h / dx);
                *out = self.model.min + Vec3::from_fn(|a, _| moved[a].clamp(0.0, size[a])) * dx;
            }
        });
        exec::for_each_chunk(&mut self.v, exec::VERTEX_CHUNK, |first, vs| {
            for (k, v) in vs.iter_mut().enumerate() {
                let x = &place[first + k];
                let new = velocity(x);
                *v = if blend > 0.0 {
                    let old = Vec3::from_fn(|a, _| faces[a].at(&faces[a].old, x).0);
                    new + (*v - old) * blend
                } else {
                    new
                };
            }
        });
        exec::for_each_chunk(&mut self.c, exec::VERTEX_CHUNK, |first, cs| {
            for (k, c) in cs.iter_mut().enumerate() {
                for (a, faces) in faces.iter().enumerate() {
                    c.set_row(a, &(faces.at(&faces.u, &place[first + k]).1 / dx).transpose());
                }
            }
        });
    }

    /// Particles leave solids; what they push a body with, it feels.
    pub(super) fn push_out(&mut self, colliders: &[Box<dyn Collider>], time: Real) {
        let model = self.model.clone();
        let density = model.materials[0].law.density();
        let mut surfaces = [Surface::default(); 64];
        for (chunk, xs) in self.x.chunks_mut(64).enumerate() {
            let surfaces = &mut surfaces[..xs.len()];
            let around = Aabb::of_points(&*xs);
            for collider in colliders.iter().filter(|c| c.bounds(time).overlaps(&around)) {
                collider.sample(xs, time, surfaces);
                for (k, s) in surfaces.iter().enumerate().filter(|(_, s)| s.distance < 0.0) {
                    xs[k] -= s.normal * s.distance;
                    let v = &mut self.v[64 * chunk + k];
                    *v -= s.normal * (*v - s.velocity).dot(&s.normal).min(0.0);
                }
            }
            for (body, rows) in model.bodies.iter().zip(&self.rows) {
                let b = body.body;
                let (p, q) = (self.bodies.p[b], self.bodies.q[b]);
                if !crate::bodies::bounds(body, &p, &q).overlaps(&around) {
                    continue;
                }
                crate::bodies::sample(body, &p, &q, xs, surfaces);
                for (k, s) in surfaces.iter().enumerate().filter(|(_, s)| s.distance < 0.0) {
                    xs[k] -= s.normal * s.distance;
                    let (v, arm) = (&mut self.v[64 * chunk + k], xs[k] - p);
                    let relative = (*v - self.bodies.v[b] - self.bodies.w[b].cross(&arm)).dot(&s.normal);
                    if relative < 0.0 {
                        // As after an inelastic impact of the two.
                        let mass = density * self.volumes[64 * chunk + k];
                        let turn = arm.cross(&s.normal);
                        let row = Vector6::new(s.normal.x, s.normal.y, s.normal.z, turn.x, turn.y, turn.z);
                        let answer = rows.inverse_mass * row;
                        let impulse = -relative / (1.0 / mass + row.dot(&answer));
                        *v += s.normal * (impulse / mass);
                        self.bodies.v[b] -= answer.fixed_rows::<3>(0) * impulse;
                        self.bodies.w[b] -= answer.fixed_rows::<3>(3) * impulse;
                    }
                }
            }
        }
        let domain = model.domain();
        for x in &mut self.x {
            *x = x.sup(&domain.min).inf(&domain.max);
        }
    }
}
