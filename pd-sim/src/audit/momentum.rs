//! Momentum in free flight: while no obstacle, wall, pin or wind is near any matter, Σ m v changes by M g t and by nothing else,
//! whatever the matter does to itself. What pins, obstacles and walls take while they are near is not known, and not judged.

use super::above;
use super::account::Sums;
use super::depth::Depths;
use super::sources::Sources;
use crate::scene::SceneRun;
use pd_core::{Real, Vec3};

/// Part of Σ m |v| and M g t by which momentum may be off: the rounding of what single precision solves.
const PART: Real = 1e-3;
/// Largest margin that an obstacle has by default, m.
const MARGIN: Real = 0.06;
/// A speed that is none, m/s.
const STILL: Real = 1e-5;

/// A flight that nothing disturbs.
#[derive(Default)]
pub(super) struct Flight {
    /// Time, momentum and mass at its start.
    start: Option<(Real, Vec3, Real)>,
    /// Frame, what is wrong, and what gravity gives, kg m/s.
    pub(super) fault: Option<(u64, Real, Real)>,
    pub(super) unjudged: Option<String>,
    judged: bool,
}

impl Flight {
    /// The momentum after a frame, the time since the last look, s, and the fastest so far, m/s.
    pub(super) fn push(
        &mut self,
        frame: u64,
        run: &SceneRun,
        sums: &Sums,
        depths: &Depths,
        sources: &Sources,
        (span, fastest): (Real, Real),
    ) {
        let (scene, sim) = (&run.scene, &run.sim);
        if let Some(holds) = &sources.holds {
            self.unjudged = Some(format!("momentum ({holds})"));
            return;
        }
        let (time, dt) = (sim.state.time, span);
        // What could have been reached since the last look, and can be until the next.
        let thickness = depths.points.iter().map(|set| set.radius + set.tolerance / super::depth::PART);
        let margins = scene.desc.colliders.iter().map(|collider| collider.margin.unwrap_or(MARGIN));
        let reach = 2.0 * (fastest + sim.params.gravity.norm() * dt) * dt
            + 2.0 * thickness.fold(0.0, Real::max)
            + margins.fold(0.0, Real::max);
        if !depths.alone(scene, sim, reach) {
            self.start = None;
            if !self.judged {
                self.unjudged = Some("momentum (obstacles are near)".to_owned());
            }
            return;
        }
        let Some((before, momentum, mass)) = self.start.filter(|(_, _, mass)| *mass == sums.mass) else {
            self.start = Some((time, sums.momentum, sums.mass));
            return;
        };
        (self.judged, self.unjudged) = (true, None);
        let given = sim.params.gravity * (mass * (time - before));
        let lost = (sums.momentum - momentum - given).norm();
        let moving = (2.0 * sums.kinetic * mass).sqrt();
        let most = PART * (moving.max(momentum.norm()) + given.norm()) + STILL * mass;
        if above(lost, most) && self.fault.is_none_or(|(_, worst, _)| above(lost, worst)) {
            let first = self.fault.map_or(frame, |(first, ..)| first);
            self.fault = Some((first, lost, given.norm()));
        }
    }
}
