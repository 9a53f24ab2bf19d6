//! Lists of pairs in contact and of vertices at obstacles, with the room that was made for them.

use crate::room::Room;
use pd_core::{CollisionSurface, StepError};

/// Pairs in contact, by triangle of the surface, for which there usually is room.
const PAIRS: usize = 6;
/// Pairs beyond these.
const BEYOND: usize = 256;

/// What is known of each pair, and of each vertex at an obstacle.
pub(super) struct Lists<Pair, Point> {
    pub(super) pairs: Vec<Pair>,
    pub(super) points: Vec<Point>,
    room: [Room; 2],
}

impl<Pair, Point> Default for Lists<Pair, Point> {
    fn default() -> Self {
        Self { pairs: vec![], points: vec![], room: [Room::default(); 2] }
    }
}

impl<Pair, Point> Lists<Pair, Point> {
    /// Makes room for contacts of a surface, and `times` so many vertices as it has.
    pub(super) fn prepare(&mut self, surface: &CollisionSurface, times: usize) {
        self.clear();
        self.pairs.reserve(self.room[0].reserve(PAIRS * surface.triangles.len() + BEYOND));
        self.points.reserve(self.room[1].reserve(times * surface.points.len()));
    }

    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.points.clear();
    }

    /// Whether there was room.
    pub(super) fn check(&mut self, stepper: &str) -> Result<(), StepError> {
        let pairs = self.room[0].check(stepper, "pairs in contact", self.pairs.len());
        pairs.and(self.room[1].check(stepper, "vertices at obstacles", self.points.len()))
    }
}
