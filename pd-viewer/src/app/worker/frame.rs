//! The latest frame of the simulation, passed to the window without blocking.

use crate::draw::Contact;
use pd_core::{StepReport, Vec3};
use pd_mesh::TriMesh;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// One moment of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Which scene it belongs to, as [`Loaded::id`](super::Loaded::id).
    pub scene: u64,
    /// Number of publications so far; two equal numbers are the same frame.
    pub serial: u64,
    /// Frames simulated.
    pub frame: u64,
    /// Frames computed by this thread so far, in all scenes; unlike [`frame`](Self::frame) it never goes back.
    pub computed: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Whether the simulation is running.
    pub running: bool,
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// One value per vertex if a colour map was requested.
    pub values: Vec<f32>,
    /// Range of the colour map.
    pub range: (f32, f32),
    /// Where vertices touch obstacles, if that was requested.
    pub contacts: Vec<Contact>,
    /// Anchors of joints on their two bodies, m, with the contacts.
    pub joints: Vec<[Vec3; 2]>,
    /// Name and surface of every liquid, if that was requested.
    pub liquids: Vec<(String, TriMesh)>,
    /// What the last frame did.
    pub report: StepReport,
    /// Wall time of the last frame, preparations included.
    pub wall: Duration,
    /// Frames simulated per second of wall time, waiting included; 0 while paused.
    pub rate: f64,
    /// The vertex being pulled and where to.
    pub pull: Option<(u32, Vec3)>,
}

/// Holds the latest frame. The lock is held for the exchange of a pointer only.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    latest: Mutex<Arc<Frame>>,
}

impl Mailbox {
    pub(super) fn latest(&self) -> Arc<Frame> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn exchange(&self, frame: Arc<Frame>) -> Arc<Frame> {
        std::mem::replace(&mut *self.latest.lock().unwrap_or_else(PoisonError::into_inner), frame)
    }
}

/// The writing side: fills frames that are no longer read, so that nothing is allocated while a scene runs.
#[derive(Debug)]
pub(super) struct Publisher {
    mailbox: Arc<Mailbox>,
    spare: Vec<Arc<Frame>>,
    serial: u64,
}

impl Publisher {
    pub(super) fn new(mailbox: Arc<Mailbox>) -> Self {
        Self { mailbox, spare: vec![], serial: 0 }
    }

    /// Publishes what `fill` writes into a frame of arbitrary old contents.
    pub(super) fn publish(&mut self, fill: impl FnOnce(&mut Frame)) {
        let free = self.spare.iter_mut().position(|frame| Arc::get_mut(frame).is_some());
        let mut frame = free.map_or_else(Arc::default, |k| self.spare.swap_remove(k));
        self.serial += 1;
        if let Some(frame) = Arc::get_mut(&mut frame) {
            fill(frame);
            frame.serial = self.serial;
        }
        self.spare.push(self.mailbox.exchange(frame));
        // A reader holds one frame at most for longer than a moment.
        self.spare.truncate(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_reused_but_never_while_somebody_reads_them() {
        let mailbox = Arc::new(Mailbox::default());
        let mut publisher = Publisher::new(mailbox.clone());
        publisher.publish(|frame| frame.frame = 1);
        let held = mailbox.latest();
        for k in 2..20 {
            publisher.publish(|frame| frame.frame = k);
            assert_eq!((mailbox.latest().frame, held.frame), (k, 1));
            assert!(publisher.spare.len() <= 4);
        }
    }
}
