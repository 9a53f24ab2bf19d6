//! Wind on a triangle mesh.
//!
//! With the unit normal n_i of a vertex (the direction of Σ of the area vectors of its triangles, at the current
//! positions), its area A_i (a third of that of its triangles) and its velocity v_i:
//! - thesis model: f_i = f_w d |n_i·d|, d the unit wind direction and f_w a force per vertex, N. No area and no
//!   relative velocity: a finer mesh catches more wind, and moving with the wind does not reduce it.
//! - drag: f_i = ½ ρ C_d A_i w |w| n_i, w = (u − v_i)·n_i, u the wind velocity: the pressure drag of an impermeable
//!   plate, in N (kg/m³ · m² · m²/s²). With still air, u = 0, it is air resistance.

use super::Interval;
use crate::{ConstraintError, check};
use pd_core::{Force, Real, Vec3, View};
use std::ops::Range;

/// The law of a [`Wind`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WindModel {
    /// f_i = strength · d |n_i·d|.
    Thesis {
        /// Force on a vertex that faces the wind, N.
        strength: Real,
    },
    /// f_i = ½ · density · coefficient · A_i w |w| n_i.
    Drag {
        /// Density of the air, kg/m³ (1.2 at sea level).
        density: Real,
        /// Drag coefficient C_d; about 1.2 for a plate.
        coefficient: Real,
    },
}

/// Wind of constant velocity on the vertices of triangles.
///
/// ```
/// use pd_constraints::{Wind, WindModel};
/// use pd_core::{Force, State, Vec3};
/// // Air at 10 m/s straight onto a right triangle of ½ m².
/// let drag = WindModel::Drag { density: 1.2, coefficient: 1.0 };
/// let wind = Wind::new(3, &[[0, 1, 2]], Vec3::z() * 10.0, drag)?;
/// let mut force = [Vec3::zeros(); 3];
/// wind.add(&State::at_rest(vec![Vec3::zeros(), Vec3::x(), Vec3::y()]).view(), 0.0, 0..3, &mut force);
/// let total: Vec3 = force.iter().sum();
/// assert!((total - Vec3::z() * 0.5 * 1.2 * 0.5 * 100.0).norm() < 1e-12);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wind {
    /// Triangles around each vertex: `incident[offsets[v]..offsets[v + 1]]` are the two other corners, so that a
    /// triangle's area vector is found from any of its corners with the same orientation.
    offsets: Vec<u32>,
    incident: Vec<[u32; 2]>,
    velocity: Vec3,
    model: WindModel,
    interval: Interval,
}

impl Wind {
    /// Wind of the given velocity (m/s) on `triangles` of a mesh of `vertices` vertices. The thesis model uses the
    /// direction only, so there the velocity must not be zero.
    pub fn new(
        vertices: usize,
        triangles: &[[u32; 3]],
        velocity: Vec3,
        model: WindModel,
    ) -> Result<Self, ConstraintError> {
        check::indices("wind triangle", triangles, vertices)?;
        check::finite("wind velocity", &velocity)?;
        match model {
            WindModel::Thesis { strength } => {
                if !strength.is_finite() {
                    let (name, value, expected) = ("wind strength", strength, "finite");
                    return Err(ConstraintError::Parameter { name, value, expected });
                }
                check::positive("wind speed", velocity.norm())?;
            }
            WindModel::Drag { density, coefficient } => {
                check::positive("density of air", density)?;
                check::positive("drag coefficient", coefficient)?;
            }
        }
        let mut offsets = vec![0u32; vertices + 1];
        for &vertex in triangles.iter().flatten() {
            offsets[vertex as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut incident = vec![[0; 2]; 3 * triangles.len()];
        for &[a, b, c] in triangles {
            for (vertex, others) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
                let slot = &mut next[vertex as usize];
                incident[*slot as usize] = others;
                *slot += 1;
            }
        }
        Ok(Self { offsets, incident, velocity, model, interval: Interval::ALWAYS })
    }

    /// Blows for from ≤ t < to only, s: a gust.
    pub fn during(mut self, from: Real, to: Real) -> Result<Self, ConstraintError> {
        self.interval = Interval::new(from, to)?;
        Ok(self)
    }

    /// Unit normal and area of a vertex; `None` where the triangles have no area or their normals cancel.
    fn normal_and_area(&self, vertex: usize, x: &[Vec3]) -> Option<(Vec3, Real)> {
        let around = self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize;
        let (mut sum, mut area) = (Vec3::zeros(), 0.0);
        for &[b, c] in &self.incident[around] {
            let double = (x[b as usize] - x[vertex]).cross(&(x[c as usize] - x[vertex]));
            sum += double;
            area += double.norm();
        }
        sum.try_normalize(1e-12 * area).map(|normal| (normal, area / 6.0))
    }

    fn force(&self, normal: &Vec3, area: Real, vertex_velocity: &Vec3) -> Vec3 {
        match self.model {
            WindModel::Thesis { strength } => {
                let direction = self.velocity.normalize();
                direction * (strength * normal.dot(&direction).abs())
            }
            WindModel::Drag { density, coefficient } => {
                let across = (self.velocity - vertex_velocity).dot(normal);
                normal * (0.5 * density * coefficient * area * across * across.abs())
            }
        }
    }
}

impl Force for Wind {
    fn kind(&self) -> &'static str {
        "wind"
    }

    fn min_vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    fn add(&self, state: &View<'_>, time: Real, vertices: Range<usize>, force: &mut [Vec3]) {
        // Steppers refuse a state of fewer vertices beforehand (`min_vertices`); there is nothing here to blow at.
        if !self.interval.contains(time) || state.x.len() < self.min_vertices() {
            return;
        }
        // Vertices after those of the mesh are not blown at.
        for (vertex, force) in vertices.zip(force).take_while(|(vertex, _)| *vertex < self.min_vertices()) {
            if let Some((normal, area)) = self.normal_and_area(vertex, state.x) {
                *force += self.force(&normal, area, &state.v[vertex]);
            }
        }
    }
}
