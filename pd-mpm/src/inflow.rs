//! Places where idle particles come in.

use crate::{MpmError, MpmModel};
use pd_core::{Aabb, Real, Vec3};

/// A rectangle or box face that lets layers of particles in at constant velocity.
///
/// Layers follow one another at the distance `spacing` along the velocity. Points of the material that are idle are taken
/// in the order of their numbers; when none is left the inflow runs dry. Where a layer is follows from the time alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Inflow {
    /// Positions of the particles of a layer when it comes in, m.
    pub layer: Vec<Vec3>,
    /// Velocity, m/s.
    pub velocity: Vec3,
    /// Distance between layers, m.
    pub spacing: Real,
    /// The material, by number.
    pub material: usize,
}

impl Inflow {
    /// A layer that fills a flat box with the given distance between particles.
    pub fn through(region: &Aabb, velocity: Vec3, spacing: Real, material: usize) -> Self {
        let size = region.max - region.min;
        let count = size.map(|s| ((s / spacing).round() as usize).max(1));
        let at =
            |axis: usize, k: usize| region.min[axis] + size[axis] * (k as Real + 0.5) / count[axis] as Real;
        let mut layer = Vec::with_capacity(count.iter().product());
        for i in 0..count.x {
            for j in 0..count.y {
                layer.extend((0..count.z).map(|k| Vec3::new(at(0, i), at(1, j), at(2, k))));
            }
        }
        Self { layer, velocity, spacing, material }
    }

    pub(crate) fn check(&self, model: &MpmModel) -> Result<(), MpmError> {
        let wrong = |name, value, expected| Err(MpmError::Parameter { name, value, expected });
        if self.material >= model.materials.len() {
            return wrong(
                "material of an inflow",
                self.material as Real,
                "there is no material of this number",
            );
        }
        if !(self.spacing > 0.0 && self.spacing.is_finite()) {
            return wrong("spacing of an inflow", self.spacing, "it must be positive and finite, in m");
        }
        if !(self.velocity.norm() > 0.0 && self.velocity.norm().is_finite()) {
            return wrong(
                "speed of an inflow",
                self.velocity.norm(),
                "it must be positive and finite, in m/s",
            );
        }
        match self.layer.iter().find(|p| !model.domain().contains(p)) {
            Some(p) => wrong("inflow", p.amax(), "a particle of its layer is outside of the domain"),
            None => Ok(()),
        }
    }

    /// Layers that come in during (from, to], each as the distance it has travelled by `to`, m.
    pub(crate) fn layers(&self, from: Real, to: Real) -> impl Iterator<Item = Real> + use<> {
        let (speed, spacing) = (self.velocity.norm(), self.spacing);
        let number = move |time: Real| (speed * time / spacing).floor();
        let (first, last) = (number(from) as i64 + 1, number(to) as i64);
        (first..=last).map(move |k| speed * to - k as Real * spacing)
    }
}
