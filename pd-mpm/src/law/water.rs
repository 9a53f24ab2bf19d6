//! Weakly compressible water with viscosity.
//!
//! p = K (J^−γ − 1), γ = 7 (Cole 1948; Becker, Teschner 2007), so Ψ(J) = K (J^(1−γ)/(γ−1) + J) and the speed of sound is
//! c = √(γK/ρ₀). It is chosen some ten times the fastest flow, not the real 1480 m/s: the density then changes by about
//! a percent. Viscosity adds μ J (∇v + ∇vᵀ).

use super::{Law, Memory, Strains, positive};
use crate::MpmError;
use pd_core::{Mat3, Real};

/// γ of water.
const GAMMA: i32 = 7;

/// See the module's formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Water {
    density: Real,
    sound_speed: Real,
    viscosity: Real,
    anchor_time: Option<Real>,
    cohesion: Real,
}

impl Water {
    /// Inviscid water of this density (kg/m³) in which sound has this speed (m/s).
    pub fn new(density: Real, sound_speed: Real) -> Result<Self, MpmError> {
        positive("density", density)?;
        positive("sound speed", sound_speed)?;
        Ok(Self { density, sound_speed, viscosity: 0.0, anchor_time: Some(0.1), cohesion: 0.0 })
    }

    /// With this dynamic viscosity μ, Pa·s (water: 0.001, honey: 10).
    pub fn with_viscosity(mut self, viscosity: Real) -> Result<Self, MpmError> {
        if !(viscosity >= 0.0 && viscosity.is_finite()) {
            let expected = "it must be zero or positive and finite, in Pa·s";
            return Err(MpmError::Parameter { name: "viscosity", value: viscosity, expected });
        }
        self.viscosity = viscosity;
        Ok(self)
    }

    /// J is drawn to the density on the grid within this time (s), away from the surface; `None` never. Default 0.1 s.
    ///
    /// J is carried along as J (1 + h ∇·v), and its error adds up; without this, water slowly swells or shrinks.
    pub fn with_anchor_time(mut self, seconds: Option<Real>) -> Result<Self, MpmError> {
        if let Some(seconds) = seconds {
            positive("anchor time", seconds)?;
        }
        self.anchor_time = seconds;
        Ok(self)
    }

    /// Most tension water bears, as a fraction of ρ₀c²: water torn apart further forgets that it was. Default 0, because
    /// a surface made of particles would else hold together like jelly.
    pub fn with_cohesion(mut self, fraction: Real) -> Result<Self, MpmError> {
        if !(0.0..1.0).contains(&fraction) {
            let expected = "it must be at least 0 and below 1";
            return Err(MpmError::Parameter { name: "cohesion", value: fraction, expected });
        }
        self.cohesion = fraction;
        Ok(self)
    }

    /// K = ρ₀c²/γ, Pa.
    pub fn bulk_modulus(&self) -> Real {
        self.density * self.sound_speed * self.sound_speed / Real::from(GAMMA)
    }

    /// p(J), Pa.
    pub fn pressure(&self, j: Real) -> Real {
        self.bulk_modulus() * (j.powi(-GAMMA) - 1.0)
    }
}

impl Law for Water {
    fn name(&self) -> &str {
        "water"
    }
    fn density(&self) -> Real {
        self.density
    }
    fn sound_speed(&self) -> Real {
        self.sound_speed
    }
    fn kinematic_viscosity(&self) -> Real {
        self.viscosity / self.density
    }
    fn memory(&self) -> Memory {
        Memory::Volume
    }
    fn anchor_time(&self) -> Option<Real> {
        self.anchor_time
    }
    fn stress(&self, points: Strains<'_>, tau: &mut [Mat3]) {
        let k = self.bulk_modulus();
        for (tau, &j) in tau.iter_mut().zip(points.j) {
            let pressure = k * (j.powi(1 - GAMMA) - j); // times J
            *tau = Mat3::from_diagonal_element(-pressure);
        }
        if self.viscosity > 0.0 {
            for ((tau, &j), g) in tau.iter_mut().zip(points.j).zip(points.gradient) {
                *tau += (g + g.transpose()) * (self.viscosity * j);
            }
        }
    }
    fn is_plastic(&self) -> bool {
        true
    }
    fn plastic_return(&self, _: &mut [Mat3], j: &mut [Real]) {
        let most = 1.0 + self.cohesion;
        for j in j {
            *j = j.min(most);
        }
    }
    fn energy(&self, _: &Mat3, j: Real) -> Option<Real> {
        Some(self.bulk_modulus() * (j.powi(1 - GAMMA) / Real::from(GAMMA - 1) + j))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sound_travels_at_the_speed_asked_for() {
        let water = Water::new(1000.0, 20.0).unwrap();
        // c² = dp/dρ with ρ = ρ₀/J: −J² p′(J)/ρ₀ at J = 1.
        let e = 1e-6;
        let slope = (water.pressure(1.0 + e) - water.pressure(1.0 - e)) / (2.0 * e);
        assert!(((-slope / 1000.0).sqrt() - 20.0).abs() < 1e-6);
        assert_eq!(water.pressure(1.0), 0.0);
    }

    #[test]
    fn viscosity_resists_shear_by_its_definition() {
        let honey = Water::new(1400.0, 20.0).unwrap().with_viscosity(10.0).unwrap();
        let mut shear = Mat3::zeros();
        shear[(0, 1)] = 3.0; // du/dy
        let mut tau = [Mat3::zeros()];
        honey.stress(Strains { j: &[1.0], f: &[], gradient: &[shear] }, &mut tau);
        assert_eq!(tau[0][(0, 1)], 30.0);
        assert_eq!(tau[0], tau[0].transpose());
    }
}
