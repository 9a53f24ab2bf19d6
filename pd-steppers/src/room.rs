//! Room of lists whose lengths a step finds out.

use pd_core::StepError;

/// How many entries were reserved for a list, and how many the next `prepare` shall reserve.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Room {
    have: usize,
    wanted: usize,
}

impl Room {
    /// The entries to reserve: as many as usual, or more if a step has needed more.
    pub(crate) fn reserve(&mut self, usual: usize) -> usize {
        self.have = usual.max(self.wanted);
        self.have
    }

    /// Whether a list of so many entries fits; if not, the next [`reserve`](Self::reserve) returns twice as many.
    pub(crate) fn check(
        &mut self,
        stepper: &str,
        what: &'static str,
        needed: usize,
    ) -> Result<(), StepError> {
        if needed <= self.have {
            return Ok(());
        }
        self.wanted = self.wanted.max(2 * needed);
        Err(StepError::Capacity { stepper: stepper.to_owned(), what, needed, have: self.have })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_fit_fits_after_the_next_reserve() {
        let mut room = Room::default();
        assert_eq!(room.reserve(10), 10);
        assert!(room.check("test", "entries", 10).is_ok());
        let error = room.check("test", "entries", 20);
        assert!(matches!(error, Err(StepError::Capacity { needed: 20, have: 10, .. })), "{error:?}");
        assert!(room.check("test", "entries", 12).is_err());
        assert_eq!(room.reserve(10), 40);
        assert!(room.check("test", "entries", 20).is_ok());
    }
}
