//! Which lanes of a warp run next. Lanes at the same instruction form a group; the group at the smallest
//! instruction runs, so lanes that took the short way wait at the join for those that took the long one.

/// Lanes at one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) pc: u32,
    pub(super) mask: u32,
}

/// What a waiting group waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// The lanes of this mask, but for those that have ended.
    Lanes(u32),
    /// A block barrier: its number, and the threads it counts or none for all.
    Barrier { id: u32, threads: Option<u32> },
}

/// A group that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait {
    pub(super) group: Group,
    pub(super) reason: Reason,
}

/// The groups of one function frame.
#[derive(Debug, Default)]
pub(super) struct Sched {
    /// Sorted by instruction, largest first; no two at the same one.
    ready: Vec<Group>,
    pub(super) waiting: Vec<Wait>,
}

impl Sched {
    pub(super) fn start(&mut self, mask: u32) {
        self.ready.clear();
        self.waiting.clear();
        self.add(Group { pc: 0, mask });
    }

    /// The group that runs next.
    pub(super) fn take(&mut self) -> Option<Group> {
        self.ready.pop()
    }

    /// Where the next group stands.
    #[inline(always)]
    pub(super) fn limit(&self) -> u32 {
        self.ready.last().map_or(u32::MAX, |g| g.pc)
    }

    /// Adds lanes, joining those already there.
    pub(super) fn add(&mut self, group: Group) {
        if group.mask == 0 {
            return;
        }
        let at = self.ready.partition_point(|g| g.pc > group.pc);
        match self.ready.get_mut(at) {
            Some(g) if g.pc == group.pc => g.mask |= group.mask,
            _ => self.ready.insert(at, group),
        }
    }

    /// Puts lanes to sleep, joining those that wait for the same thing at the same place.
    pub(super) fn wait(&mut self, group: Group, reason: Reason) {
        match self.waiting.iter_mut().find(|w| w.group.pc == group.pc && w.reason == reason) {
            Some(w) => w.group.mask |= group.mask,
            None => self.waiting.push(Wait { group, reason }),
        }
    }
}
