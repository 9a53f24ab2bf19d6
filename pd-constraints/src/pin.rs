//! Pins: springs of rest length zero between a vertex and a target.
//!
//! W = ω/2 |x_i − p_i|², with p_i the position of the vertex when the pin was made, plus a displacement that may
//! follow a path over time. The row of D is e_i; the projection is the target. A small ω pulls the vertex, a large one holds it.

use crate::{ConstraintError, Weight, check};
use pd_core::{BatchData, EnergyBatch, Real, Stencil, Vec3, as_flat};
use std::ops::Range;

const KIND: &str = "pin";

/// Displacement of all targets of a batch, m, at a time, s.
pub type Motion = Box<dyn Fn(Real) -> Vec3 + Send + Sync>;

/// Position of a target, m, at a time, s.
pub type TargetMotion = Box<dyn Fn(Real, &Vec3) -> Vec3 + Send + Sync>;

/// A batch of pins.
///
/// ```
/// use pd_constraints::Pins;
/// use pd_core::{EnergyBatch, Vec3};
/// // Hold vertex 1 and pull it up with 2 m/s.
/// let mut pins = Pins::new(&[Vec3::zeros(), Vec3::x()], &[1], 100.0)?.with_motion(|t| Vec3::y() * 2.0 * t);
/// pins.set_time(0.5);
/// assert_eq!(pins.targets(), &[Vec3::new(1.0, 1.0, 0.0)]);
/// # Ok::<(), pd_constraints::ConstraintError>(())
/// ```
pub struct Pins {
    stencil: Stencil,
    vertices: Vec<u32>,
    /// Targets without the motion.
    anchors: Vec<Vec3>,
    /// Targets at the current time.
    targets: Vec<Vec3>,
    displacement: Vec3,
    motion: Option<Motion>,
    target_motion: Option<TargetMotion>,
    time: Real,
}

impl Pins {
    /// Pins each of `vertices` to its position. `weight` is ω, N/m.
    pub fn new<'a>(
        positions: &[Vec3],
        vertices: &[u32],
        weight: impl Into<Weight<'a>>,
    ) -> Result<Self, ConstraintError> {
        let weight = weight.into();
        check::positions(positions)?;
        weight.check(KIND, vertices.len())?;
        let mut stencil = Stencil::with_capacity(1, vertices.len(), 1);
        let mut anchors = Vec::with_capacity(vertices.len());
        for (element, &vertex) in vertices.iter().enumerate() {
            check::index(KIND, element, vertex, positions.len())?;
            stencil.push(weight.at(element), &[&[(vertex, 1.0)]]);
            anchors.push(positions[vertex as usize]);
        }
        let targets = anchors.clone();
        let vertices = vertices.to_vec();
        let displacement = Vec3::zeros();
        let (motion, target_motion, time) = (None, None, 0.0);
        Ok(Self { stencil, vertices, anchors, targets, displacement, motion, target_motion, time })
    }

    /// Adds `motion(t)` to every target from the next [`set_time`](EnergyBatch::set_time) on.
    pub fn with_motion(mut self, motion: impl Fn(Real) -> Vec3 + Send + Sync + 'static) -> Self {
        self.motion = Some(Box::new(motion));
        self
    }

    /// Moves every target to `target_motion(t, target)` from the next
    /// [`set_time`](EnergyBatch::set_time) on, instead of a shared displacement.
    ///
    /// ```
    /// use pd_constraints::Pins;
    /// use pd_core::{EnergyBatch, Vec3};
    /// // A quarter turn about z in a second.
    /// let turn = |t: f64, p: &Vec3| nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), t * 1.5707963) * p;
    /// let mut pins = Pins::new(&[Vec3::x()], &[0], 100.0)?.with_target_motion(turn);
    /// pins.set_time(1.0);
    /// assert!((pins.targets()[0] - Vec3::y()).norm() < 1e-7);
    /// # Ok::<(), pd_constraints::ConstraintError>(())
    /// ```
    pub fn with_target_motion(
        mut self,
        target_motion: impl Fn(Real, &Vec3) -> Vec3 + Send + Sync + 'static,
    ) -> Self {
        self.target_motion = Some(Box::new(target_motion));
        self
    }

    /// Moves the target of the `index`-th pin. The displacement of a motion is added.
    pub fn set_target(&mut self, index: usize, target: Vec3) -> Result<(), ConstraintError> {
        check::finite("target of a pin", &target)?;
        let pins = self.anchors.len();
        let anchor = self.anchors.get_mut(index).ok_or(ConstraintError::Pin { index, pins })?;
        *anchor = target;
        self.targets[index] = match &self.target_motion {
            Some(target_motion) => target_motion(self.time, &target),
            None => target + self.displacement,
        };
        Ok(())
    }

    /// Target of each pin at the current time, m.
    pub fn targets(&self) -> &[Vec3] {
        &self.targets
    }

    /// The pinned vertices, in the order given.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }
}

impl EnergyBatch for Pins {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn export(&self) -> Option<BatchData<'_>> {
        Some(BatchData::new(KIND, &self.stencil).with_column(3, as_flat(&self.targets)).that_changes())
    }

    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        z.copy_from_slice(&self.targets[elements]);
    }

    fn pinned(&self) -> &[u32] {
        &self.vertices
    }

    fn set_time(&mut self, time: Real) {
        self.time = time;
        if let Some(target_motion) = &self.target_motion {
            for (target, anchor) in self.targets.iter_mut().zip(&self.anchors) {
                *target = target_motion(time, anchor);
            }
        } else if let Some(motion) = &self.motion {
            self.displacement = motion(time);
            for (target, anchor) in self.targets.iter_mut().zip(&self.anchors) {
                *target = anchor + self.displacement;
            }
        }
    }
}

impl std::fmt::Debug for Pins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let moving = self.motion.is_some() || self.target_motion.is_some();
        f.debug_struct("Pins").field("vertices", &self.vertices).field("moving", &moving).finish()
    }
}
