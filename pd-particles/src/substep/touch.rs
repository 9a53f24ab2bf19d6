//! Contact of particles with obstacles.
//!
//! Particles near an obstacle are listed with the pairs; in every substep their surfaces are sampled at the position at its
//! start and the time at its end, so that a moving obstacle is met where it will be.

use super::grains::{Grain, Push, Rub, Spin, correction, friction};
use crate::ParticleSet;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Collider, Real, Surface, Vec3};

/// Shares of a frame's motion of an obstacle that its list looks ahead, against acceleration along its path.
const AHEAD: Real = 1.5;

/// One particle and the plane of an obstacle before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Sorted place of the particle.
    pub(crate) point: u32,
    /// Outward normal of the obstacle.
    pub(crate) normal: Vec3,
    /// Distance of the particle's surface from the obstacle's, m.
    pub(crate) gap: Real,
    /// Displacement of the obstacle's surface over the substep, m.
    pub(crate) slide: Vec3,
    /// Pushes of a grain that spins so far in the substep.
    pub(crate) push: Push,
}

impl Touch {
    /// The row of this touch, as between two grains of which one does not give way. The obstacle's own motion is in the gap.
    #[inline]
    pub(crate) fn solve(&mut self, grain: &mut Grain, spin: Option<&mut Spin>, rub: &Rub, push: Real) {
        let (n, w) = (self.normal, grain.w);
        if w == 0.0 {
            return;
        }
        let missing = correction(self.gap, n.dot(&grain.d), push) / w;
        let Some(spin) = spin else {
            if missing > 0.0 {
                let rel = grain.d - self.slide;
                let tangent = rel - n * n.dot(&rel);
                grain.d += (n * missing - friction(&tangent, w, missing, rub)) * w;
            }
            return;
        };
        let along = (self.push.along + missing).max(0.0);
        if along == 0.0 && self.push.along == 0.0 {
            return;
        }
        grain.d += n * ((along - self.push.along) * w);
        self.push.along = along;
        let surface = grain.d - self.slide - spin.turn.cross(&n) * grain.r;
        let tangent = surface - n * n.dot(&surface);
        let across = self.push.across_after(&tangent, w + spin.factor * w, rub);
        let p = across - self.push.across;
        self.push.across = across;
        grain.d += p * w;
        spin.turn -= n.cross(&p) * (spin.factor * w / grain.r);
        let inverse = spin.factor * w / (grain.r * grain.r);
        let hold = self.push.hold_after(&spin.turn, inverse, rub.rolling * along * grain.r);
        spin.turn -= (hold - self.push.hold) * inverse;
        self.push.hold = hold;
    }
}

/// Particles near one obstacle, in the order of their places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches {
    near: Vec<u32>,
    /// Coefficients against each set: its own, as in the report. What obstacles say is for cloth.
    pub(crate) rub: Vec<Rub>,
    /// Of those near that belong to bodies: push along the normal in the last substep, kg m.
    pub(crate) last: Vec<Real>,
    points: Vec<Vec3>,
    surfaces: Vec<Surface>,
    rows: Vec<Touch>,
}

impl Touches {
    /// Room for so many points of these sets.
    pub(crate) fn reserve(&mut self, sets: &[ParticleSet], points: usize) {
        let rub = |set: &ParticleSet| Rub {
            fixed: set.friction.fixed,
            sliding: set.friction.sliding,
            rolling: set.friction.rolling.unwrap_or(0.0),
        };
        self.rub = sets.iter().map(rub).collect();
        self.near.reserve(points);
        self.last.reserve(points);
        self.points.reserve(points);
        self.surfaces.reserve(points);
        self.rows.reserve(points);
    }

    /// Lists the points that may touch between `time` and `time + ahead` (s); `allowance(k)` is how far point k may get, m.
    pub(crate) fn list(
        &mut self,
        collider: &dyn Collider,
        (time, ahead): (Real, Real),
        x: &[Vec3],
        allowance: impl Fn(usize) -> Real + Sync,
        last: impl Fn(usize) -> Real,
    ) {
        self.surfaces.resize(x.len(), Surface::default());
        exec::for_each_chunk(&mut self.surfaces, VERTEX_CHUNK, |first, out| {
            collider.sample(&x[first..first + out.len()], time + ahead, out);
        });
        self.near.clear();
        self.last.clear();
        for (k, surface) in self.surfaces.iter().enumerate() {
            if surface.distance < allowance(k) + AHEAD * ahead * surface.velocity.norm() {
                self.near.push(k as u32);
                self.last.push(last(k));
            }
        }
    }

    /// Rows for a substep of `h` that ends at `end`; `place(k)` is the position of point k, `radius(k)` its radius.
    pub(crate) fn rows(
        &mut self,
        collider: &dyn Collider,
        (end, h): (Real, Real),
        place: impl Fn(usize) -> Vec3,
        radius: impl Fn(usize) -> Real,
    ) {
        self.points.clear();
        self.points.extend(self.near.iter().map(|&k| place(k as usize)));
        self.surfaces.resize(self.points.len(), Surface::default());
        let points = &self.points;
        exec::for_each_chunk(&mut self.surfaces, VERTEX_CHUNK, |first, out| {
            collider.sample(&points[first..first + out.len()], end, out);
        });
        self.rows.clear();
        let near = self.near.iter().zip(&self.surfaces);
        self.rows.extend(near.map(|(&point, s)| Touch {
            point,
            normal: s.normal,
            gap: s.distance - radius(point as usize),
            slide: s.velocity * h,
            push: Push::default(),
        }));
    }

    /// All rows.
    pub(crate) fn all(&self) -> &[Touch] {
        &self.rows
    }

    /// All rows, to be solved, and the coefficients against each set.
    pub(crate) fn rows_and_rub(&mut self) -> (&mut [Touch], &[Rub]) {
        (&mut self.rows, &self.rub)
    }
}
