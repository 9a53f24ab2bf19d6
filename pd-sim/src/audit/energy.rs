//! Energy that appears from nothing.
//!
//! Where nothing works from outside, the energy H of all matter can only fall: contact, friction, damping and implicit time
//! integration take, and nothing gives. H is compared with the least it has been. It may rise from there by [`PART`] of the energy
//! that has changed its form so far (what potential, elastic and kinetic energy have each let go at most), because explicit and
//! symplectic schemes exchange with an error and gain back what they lost; by what contacts of rigid bodies give back, which hold a weight by being pressed by
//! up to [`PRESSED`] of its half thickness; and by the floor, ½ M (1 mm/s)² and the rounding of sums.

use super::above;
use super::account::Account;
use super::subject::Kind;
use pd_core::Real;

/// Part of the energy in play that H may rise by.
pub(super) const PART: Real = 0.05;
/// A speed that is none, m/s.
const STILL: Real = 1e-3;
/// Depth to which contacts give, as a part of the least half thickness: those of a pyramid of 210 boxes by 2 %, at its foot.
pub(super) const PRESSED: Real = 5e-3;
/// Rounding, as a part of the sums' terms.
const ROUNDING: Real = 1e-9;

/// A rise of the energy that nothing explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gain {
    /// Frame at which it was first above the tolerance.
    pub(super) first: u64,
    /// Frame of the greatest.
    pub(super) frame: u64,
    /// J.
    pub(super) amount: Real,
    /// What was in play, J.
    pub(super) play: Real,
    /// The kind of matter whose energy rose most.
    pub(super) kind: Kind,
}

/// Energies of the frames so far.
#[derive(Default)]
pub(super) struct Ledger {
    /// At the first frame, J.
    pub(super) start: Option<Real>,
    /// At the last one, J.
    pub(super) last: Real,
    least: Option<(Real, Account)>,
    /// Greatest kinetic, elastic and potential energy since the last restart, J.
    highest: [Real; 3],
    play: Real,
    pressed: Real,
    pub(super) gain: Option<Gain>,
    /// Frames judged, and frames seen.
    pub(super) judged: usize,
    pub(super) seen: usize,
}

impl Ledger {
    /// Empty, with what contacts of rigid bodies hold by being pressed, J.
    pub(super) fn new(pressed: Real) -> Self {
        Self { pressed, ..Self::default() }
    }

    /// The account after a frame; `judge` if nothing worked from outside, came or left since the last one.
    pub(super) fn push(&mut self, frame: u64, account: Account, judge: bool) {
        let sums = account.total();
        let (energy, parts) = (sums.energy(), [sums.kinetic, sums.elastic, sums.potential]);
        self.start.get_or_insert(energy);
        self.last = energy;
        self.seen += 1;
        let Some((least, at)) = self.least.as_ref().filter(|_| judge) else {
            self.highest = parts;
            self.least = Some((energy, account));
            return;
        };
        self.judged += 1;
        let mut let_go = 0.0;
        for (highest, part) in self.highest.iter_mut().zip(parts) {
            *highest = highest.max(part);
            let_go += *highest - part;
        }
        self.play = self.play.max(let_go);
        let terms: Real = parts.iter().map(|part| part.abs()).sum();
        let floor = 0.5 * sums.mass * STILL * STILL + self.pressed + ROUNDING * terms;
        let rise = energy - least;
        if above(rise, PART * self.play + floor) && self.gain.is_none_or(|gain| above(rise, gain.amount)) {
            let rose = |kind: Kind, now: Real| {
                let before = at.kinds.iter().find(|(other, _)| *other == kind);
                now - before.map_or(0.0, |(_, sums)| sums.energy())
            };
            let most = account.kinds.iter().map(|(kind, sums)| (*kind, rose(*kind, sums.energy())));
            let kind = most.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(Kind::Deformable, |(kind, _)| kind);
            let first = self.gain.map_or(frame, |gain| gain.first);
            self.gain = Some(Gain { first, frame, amount: rise, play: self.play, kind });
        }
        if energy < *least {
            self.least = Some((energy, account));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Sums;

    fn account(kinetic: Real, elastic: Real, potential: Real) -> Account {
        let mut sums = Sums { mass: 1.0, ..Sums::default() };
        (sums.kinetic, sums.elastic, sums.potential) = (kinetic, elastic, potential);
        Account { kinds: vec![(Kind::Rigid, sums)] }
    }

    fn gain(frames: impl IntoIterator<Item = [Real; 3]>) -> Option<Gain> {
        let mut ledger = Ledger::default();
        for (frame, [k, e, u]) in frames.into_iter().enumerate() {
            ledger.push(frame as u64, account(k, e, u), true);
        }
        ledger.gain
    }

    #[test]
    fn exchange_and_loss_are_no_gain_and_a_jump_is_one() {
        // A pendulum with 2 % of oscillation in its energy, then dissipation to rest.
        let swing = |n: usize| {
            let phase = n as Real * 0.1;
            let k = 10.0 * phase.sin().powi(2);
            [k, 0.0, 10.0 - k + 0.2 * (phase * 3.1).sin() * phase.sin().powi(2)]
        };
        assert_eq!(gain((0..200).map(swing)), None);
        assert_eq!(gain((0..100).map(|n| [10.0 / (1.0 + n as Real), 0.0, 0.0])), None);
        // At rest, then a jump.
        let jump = gain((0..10).map(|n| [if n < 5 { 0.0 } else { 0.25 }, 0.0, 3.0])).unwrap();
        assert_eq!((jump.first, jump.amount, jump.kind), (5, 0.25, Kind::Rigid));
        // After everything has been dissipated a fifth of it comes back.
        let back = gain([[0.0, 0.0, 10.0], [10.0, 0.0, 0.0], [0.0; 3], [2.0, 0.0, 0.0]]).unwrap();
        assert_eq!((back.first, back.amount), (3, 2.0));
    }

    #[test]
    fn not_a_number_is_a_gain_and_outside_work_is_not_judged() {
        assert!(gain([[0.0; 3], [Real::NAN, 0.0, 0.0]]).is_some());
        let mut ledger = Ledger::default();
        ledger.push(0, account(0.0, 0.0, 0.0), true);
        ledger.push(1, account(5.0, 0.0, 0.0), false);
        ledger.push(2, account(5.0, 0.0, 0.0), true);
        assert!(ledger.gain.is_none() && (ledger.judged, ledger.seen) == (1, 3));
    }
}
