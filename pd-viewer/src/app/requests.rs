//! Which messages of the simulation are still valid.
//!
//! The simulation and its preparations have their own threads, so a message may arrive after the window has requested
//! something else. Every request has a number, every [`Message`] names the request it is about, and two numbers decide:
//!
//! - requests before `since` were replaced as a whole, by another scene or by none: messages about them are ignored;
//! - requests up to `ended` are active, rejected or cancelled: late progress messages of their preparation are ignored.
//!
//! An edit replaces nothing: the previous scene runs until the edited one is ready, and its messages are valid. So are those of
//! a scene whose replacement was rejected or cancelled: it continues.

use super::worker::{Event, Message};

/// The numbers of the window's requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    asked: u64,
    since: u64,
    ended: u64,
    /// The scene that runs.
    runs: u64,
}

impl Requests {
    /// Number for an edit of the scene.
    pub fn edit(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }

    /// Number for another scene.
    pub fn replace(&mut self) -> u64 {
        self.since = self.edit();
        self.since
    }

    /// Number for no scene at all.
    pub fn clear(&mut self) -> u64 {
        self.runs = self.replace();
        self.ended = self.runs;
        self.runs
    }

    /// Number of the last request.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Whether the last request has been answered.
    pub fn is_answered(&self) -> bool {
        self.ended == self.asked
    }

    /// Whether a message is valid. Call once for every message, in order of arrival.
    pub fn admit(&mut self, message: &Message) -> bool {
        if message.about < self.since {
            return false;
        }
        match message.event {
            Event::Preparing(_) => message.about > self.ended,
            Event::Ready(_) => {
                (self.runs, self.ended) = (message.about, self.ended.max(message.about));
                true
            }
            Event::Applied => {
                self.ended = self.ended.max(message.about);
                true
            }
            Event::Cancelled | Event::Refused(_) => {
                (self.since, self.ended) = (self.since.min(self.runs), self.ended.max(message.about));
                true
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::advice::Problem;
    use crate::app::worker::Stage;

    fn preparing(about: u64) -> Message {
        Message { about, event: Event::Preparing(Stage::Meshes) }
    }

    fn refused(about: u64) -> Message {
        Message { about, event: Event::Refused(Problem::internal("a test")) }
    }

    fn failed(about: u64) -> Message {
        Message { about, event: Event::Failed(Problem::internal("a test")) }
    }

    fn cancelled(about: u64) -> Message {
        Message { about, event: Event::Cancelled }
    }

    #[test]
    fn nothing_about_a_replaced_scene_counts() {
        let mut requests = Requests::default();
        let first = requests.replace();
        assert!(requests.admit(&preparing(first)));
        let second = requests.replace();
        for message in [preparing(first), refused(first), failed(first), cancelled(first)] {
            assert!(!requests.admit(&message), "{message:?}");
        }
        for message in [preparing(second), refused(second), failed(second)] {
            assert!(requests.admit(&message), "{message:?}");
        }
    }

    #[test]
    fn the_scene_that_runs_while_an_edit_is_prepared_still_speaks() {
        let mut requests = Requests::default();
        let scene = requests.replace();
        let edit = requests.edit();
        assert!(requests.admit(&failed(scene)));
        assert!(requests.admit(&refused(edit)));
        assert!(requests.admit(&failed(scene)));
        assert_eq!(requests.asked(), edit);
    }

    #[test]
    fn a_preparation_that_has_ended_has_no_stages_any_more() {
        let mut requests = Requests::default();
        let scene = requests.replace();
        let (edit, later) = (requests.edit(), requests.edit());
        assert!(requests.admit(&cancelled(edit)));
        assert!(!requests.admit(&preparing(scene)) && !requests.admit(&preparing(edit)));
        assert!(requests.admit(&preparing(later)), "the one after it has");
        assert!(requests.admit(&refused(later)));
        assert!(!requests.admit(&preparing(later)));
    }

    #[test]
    fn every_request_is_answered_once_the_last_is() {
        let mut requests = Requests::default();
        assert!(requests.is_answered(), "there is none");
        let scene = requests.replace();
        let (_, last) = (requests.edit(), requests.edit());
        assert!(requests.admit(&cancelled(scene)) && !requests.is_answered());
        assert!(requests.admit(&Message { about: last, event: Event::Applied }) && requests.is_answered());
        requests.clear();
        assert!(requests.is_answered(), "nothing is asked for");
    }
}
