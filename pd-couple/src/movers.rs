//! What impulses act on: points with masses, and rigid bodies.
//!
//! A point of inverse mass w gains w p of an impulse p; a point of a triangle with weights β has the inverse mass Σ β² w and
//! gives each corner β p; a point of a body at the arm r has, along n, the inverse mass 1/m + (r × n)·I⁻¹(r × n).

use crate::Endpoint;
use pd_core::{Mat3, Real, Vec3};

/// Masses of everything, constant over a step.
#[derive(Clone, Copy, Debug)]
pub struct Movers<'a> {
    /// 1/m of every point, 1/kg; 0 for points that do not give way.
    pub points: &'a [Real],
    /// 1/m of every body, 1/kg; 0 unless dynamic.
    pub bodies: &'a [Real],
    /// Inverse inertia of every body, world frame, 1/(kg·m²).
    pub inertia: &'a [Mat3],
}

/// Velocities of everything, m/s and rad/s; or displacements over a step, m and rad.
#[derive(Debug)]
pub struct Velocities<'a> {
    /// Of every point.
    pub points: &'a mut [Vec3],
    /// Of every centre of mass.
    pub bodies: &'a mut [Vec3],
    /// Angular, of every body.
    pub turns: &'a mut [Vec3],
}

impl Velocities<'_> {
    /// At an endpoint.
    #[inline]
    pub fn at(&self, end: &Endpoint) -> Vec3 {
        match *end {
            Endpoint::Point(i) => self.points[i as usize],
            Endpoint::Triangle { vertices, weights } => {
                let v = |k: usize| self.points[vertices[k] as usize] * weights[k];
                v(0) + v(1) + v(2)
            }
            Endpoint::Body { body, arm } => {
                self.bodies[body as usize] + self.turns[body as usize].cross(&arm)
            }
        }
    }

    /// Adds the effect of an impulse, kg·m/s.
    #[inline]
    pub fn push(&mut self, movers: &Movers<'_>, end: &Endpoint, impulse: &Vec3) {
        match *end {
            Endpoint::Point(i) => self.points[i as usize] += impulse * movers.points[i as usize],
            Endpoint::Triangle { vertices, weights } => {
                for (&i, &weight) in vertices.iter().zip(&weights) {
                    self.points[i as usize] += impulse * (weight * movers.points[i as usize]);
                }
            }
            Endpoint::Body { body, arm } => {
                let b = body as usize;
                self.bodies[b] += impulse * movers.bodies[b];
                self.turns[b] += movers.inertia[b] * arm.cross(impulse);
            }
        }
    }
}

impl Movers<'_> {
    /// Inverse effective mass of an endpoint along a unit direction, 1/kg.
    #[inline]
    pub fn inverse_mass(&self, end: &Endpoint, along: &Vec3) -> Real {
        match *end {
            Endpoint::Point(i) => self.points[i as usize],
            Endpoint::Triangle { vertices, weights } => {
                let w = |k: usize| weights[k] * weights[k] * self.points[vertices[k] as usize];
                w(0) + w(1) + w(2)
            }
            Endpoint::Body { body, arm } => {
                let turn = arm.cross(along);
                self.bodies[body as usize] + turn.dot(&(self.inertia[body as usize] * turn))
            }
        }
    }
}
