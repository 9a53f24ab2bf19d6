//! Measured quantities of the last frames, for plots.

use pd_core::Measures;
use std::collections::VecDeque;

/// Points kept of each curve.
const LENGTH: usize = 600;

/// A curve over frame numbers.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    points: VecDeque<[f64; 2]>,
}

impl Curve {
    fn push(&mut self, frame: u64, value: f64) {
        if !value.is_finite() {
            return;
        }
        // Going back to an earlier frame starts over from there.
        while self.points.back().is_some_and(|last| last[0] >= frame as f64) {
            self.points.pop_back();
        }
        if self.points.len() == LENGTH {
            self.points.pop_front();
        }
        self.points.push_back([frame as f64, value]);
    }

    /// The points as (frame, value).
    pub fn points(&self) -> Vec<[f64; 2]> {
        self.points.iter().copied().collect()
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// All curves.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// log₁₀ of the force imbalance at the end over that at the start of a step.
    pub reduction: Curve,
    /// log₁₀ of the largest force imbalance of a vertex, N.
    pub residual: Curve,
    /// Kinetic energy, J.
    pub kinetic: Curve,
    /// Elastic energy, J.
    pub elastic: Curve,
    /// Kinetic, elastic and potential energy together, J.
    pub total: Curve,
    /// The last measurement.
    pub last: Option<Measures>,
}

impl History {
    /// Adds a frame.
    pub fn push(&mut self, frame: u64, reduction: f64, measures: Option<Measures>) {
        if reduction > 0.0 {
            self.reduction.push(frame, reduction.log10());
        }
        if let Some(m) = measures {
            if m.residual > 0.0 {
                self.residual.push(frame, m.residual.log10());
            }
            self.kinetic.push(frame, m.kinetic);
            self.elastic.push(frame, m.elastic);
            self.total.push(frame, m.kinetic + m.elastic + m.potential);
            self.last = Some(m);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_forget_the_oldest_and_follow_a_restart() {
        let mut history = History::default();
        for frame in 0..1000 {
            history.push(frame, 0.1, None);
        }
        assert_eq!(history.reduction.len(), LENGTH);
        assert_eq!(history.reduction.points()[0], [400.0, -1.0]);
        history.push(500, 0.01, None);
        assert_eq!(history.reduction.points().last(), Some(&[500.0, -2.0]));
        assert_eq!(history.reduction.len(), 101);
        assert!(history.kinetic.is_empty());
    }
}
