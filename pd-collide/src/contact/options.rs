//! Choices of the contact method, with their defaults. Lengths that scale with the bodies are parts of the thickness δ.

use pd_core::{Real, StepError};

/// What to do with bodies that intersect before the first step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartPolicy {
    /// The step fails and names a pair of triangles.
    #[default]
    Refuse,
    /// Pairs of bodies that intersect do not see each other until they are apart; others do.
    IgnoreUntilApart,
    /// Triangles that cross are pushed apart over some steps and do not touch until they are; all others do.
    Untangle,
}

/// What to do with prescribed motion that would crush a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SqueezePolicy {
    /// It waits, and `obstacle_fraction` of the report says how far it came.
    #[default]
    Wait,
    /// The step fails with [`StepError::Squeezed`] and leaves the state alone.
    Fail,
}

/// Choices of the contact method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// Stiffness of vertex–face rows as a part of what the matrix has at their vertices: κ = η / Σ β²/A_jj. Default 0.5.
    pub stiffness: Real,
    /// The same of edge–edge rows. Default 0.1.
    pub edge_stiffness: Real,
    /// Rest distance of two smooth inner edges, as a part of δ: their faces meet first. Default 0.7.
    pub edge_offset: Real,
    /// How far a vertex may stray from its predicted path before the list is made again, in δ. Default 0.5.
    pub reach: Real,
    /// Part of the room to a separating plane that stays unused. Default 0.1.
    pub keep: Real,
    /// Least gap the guard leaves, in δ (or in rest distances, where these are less). Default 0.1.
    pub floor: Real,
    /// Most times in a step that the list is made again because the guard held vertices back. Default 4.
    pub rounds: usize,
    /// Steps with the blocks on the diagonal before each solve. Default 2.
    pub block_steps: usize,
    /// Most conjugate gradient iterations a solve. Default 4.
    pub solves: usize,
    /// Residual (squared, in the norm of the preconditioner) at which conjugate gradients stop. Default 1e-4.
    pub solve_tolerance: Real,
    /// Pairs of differences remembered by L-BFGS, 1 to 8. Default 8.
    pub window: usize,
    /// Iteration ends when no vertex moves by more than this part of δ. Default 1e-4.
    pub motion_tolerance: Real,
    /// Iteration ends also when the imbalance of forces is below this part of the weight. Default 2e-3.
    pub force_tolerance: Real,
    /// Speed at which surfaces that are nearer than their thickness are moved apart, in thicknesses a second: the same motion at any size. No
    /// velocity comes of it. Default 6.
    pub ease_rate: Real,
    /// Bound of that speed, m/s. Default: none.
    pub ease_speed: Real,
    /// Bodies that intersect at the start.
    pub start: StartPolicy,
    /// Prescribed motion that would crush a body.
    pub squeeze: SqueezePolicy,
    /// Whether every accepted step is tested by exact predicates; a failure is an error. Default false.
    pub verify: bool,
}

impl Default for ContactOptions {
    fn default() -> Self {
        Self {
            stiffness: 0.5,
            edge_stiffness: 0.1,
            edge_offset: 0.7,
            reach: 0.5,
            keep: 0.1,
            floor: 0.1,
            rounds: 4,
            block_steps: 2,
            solves: 4,
            solve_tolerance: 1e-4,
            window: 8,
            motion_tolerance: 1e-4,
            force_tolerance: 2e-3,
            ease_rate: 6.0,
            ease_speed: Real::INFINITY,
            start: StartPolicy::default(),
            squeeze: SqueezePolicy::default(),
            verify: false,
        }
    }
}

impl ContactOptions {
    /// Names the first option that is out of range.
    pub fn check(&self) -> Result<(), StepError> {
        let wrong = |name, value, expected| Err(StepError::Parameter { name, value, expected });
        let positive = [
            ("contact.stiffness", self.stiffness),
            ("contact.edge_stiffness", self.edge_stiffness),
            ("contact.edge_offset", self.edge_offset),
            ("contact.reach", self.reach),
            ("contact.ease_rate", self.ease_rate),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return wrong(name, value, "it must be positive and finite");
            }
        }
        for (name, value) in [("contact.keep", self.keep), ("contact.floor", self.floor)] {
            if !(value > 0.0 && value < 1.0) {
                return wrong(name, value, "it must lie between 0 and 1");
            }
        }
        for (name, value) in [
            ("contact.motion_tolerance", self.motion_tolerance),
            ("contact.force_tolerance", self.force_tolerance),
            ("contact.solve_tolerance", self.solve_tolerance),
        ] {
            if !(0.0..1.0).contains(&value) {
                return wrong(name, value, "it must be at least 0 and below 1");
            }
        }
        if self.ease_speed.is_nan() || self.ease_speed <= 0.0 {
            return wrong("contact.ease_speed", self.ease_speed, "it must be positive");
        }
        if self.rounds == 0 || self.solves == 0 {
            return wrong("contact.rounds or contact.solves", 0.0, "it must be at least 1");
        }
        if !(1..=8).contains(&self.window) {
            return wrong("contact.window", self.window as Real, "it must be from 1 to 8");
        }
        Ok(())
    }
}
