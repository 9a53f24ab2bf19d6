//! What an audit found, in plain values and in words.

use pd_core::Real;

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// Energy that appeared from nothing, J.
    Energy,
    /// Something faster than it can be, m/s.
    Speed,
    /// Momentum that changed with nothing near to take or give it, kg m/s.
    Momentum,
    /// One thing deep inside another, m.
    Depth,
    /// Triangles that cross, by exact predicates.
    Crossing,
    /// Tetrahedra turned inside out.
    Inverted,
    /// Anchors of an unbroken joint that are apart, m.
    Joint,
    /// Iterations that ended before the step's motion was there, as a part of it.
    Convergence,
}

impl FaultKind {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::Speed => "speed",
            Self::Momentum => "momentum",
            Self::Depth => "depth",
            Self::Crossing => "crossing",
            Self::Inverted => "inverted",
            Self::Joint => "joint",
            Self::Convergence => "convergence",
        }
    }
}

/// Something that cannot be, or must not be.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// First frame at which it was one.
    pub frame: u64,
    /// The worst over all frames; the unit is that of the kind.
    pub amount: Real,
    /// The fault in words, with names, numbers and units.
    pub text: String,
}

/// An account of a run.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AuditReport {
    /// Whether everything was looked at (`--verify`), or only what costs nearly nothing.
    pub thorough: bool,
    /// Frames looked at.
    pub frames: usize,
    /// Faults, energy first.
    pub faults: Vec<Fault>,
    /// What could not be judged, and why.
    pub unjudged: Vec<String>,
    /// Energy at the start and at the end, J, and frames in which nothing worked from outside.
    pub energy: [Real; 2],
    /// Frames in which energy was judged.
    pub judged: usize,
    /// Fastest point or body, m/s.
    pub fastest: Real,
    /// Deepest point, m, and the names of its two things; `None` if nothing was inside anything.
    pub deepest: Option<(Real, [String; 2])>,
    /// Most tetrahedra turned inside out in a frame.
    pub inverted: usize,
    /// Pairs of crossing triangles over all frames; `None` if they were not looked for.
    pub crossings: Option<usize>,
    /// Largest part of a frame's motion that iterations left out, where a stepper tells it.
    pub missing: Option<Real>,
}

impl AuditReport {
    /// Whether no fault was found.
    pub fn is_good(&self) -> bool {
        self.faults.is_empty()
    }

    /// One line: good or bad, and what was found or what it rests on.
    pub fn line(&self) -> String {
        let unjudged = if self.unjudged.is_empty() {
            String::new()
        } else {
            format!("; not judged: {}", self.unjudged.join(", "))
        };
        if !self.faults.is_empty() {
            let all: Vec<&str> = self.faults.iter().map(|fault| fault.text.as_str()).collect();
            let count = if all.len() == 1 { "1 fault".to_owned() } else { format!("{} faults", all.len()) };
            return format!("audit: {count}: {}{unjudged}", all.join("; "));
        }
        let deepest = self.deepest.as_ref().map_or_else(
            || "nothing inside anything".to_owned(),
            |(depth, [a, b])| format!("deepest {depth:.1e} m ({a} in {b})"),
        );
        let missing = self
            .missing
            .map_or_else(String::new, |part| format!(", {:.2} % of motion missing", part * 100.0));
        format!(
            "audit: good: energy {:.3e} J to {:.3e} J, none from nothing in {} of {} frames; fastest {:.3} m/s; {deepest}{missing}{unjudged}",
            self.energy[0], self.energy[1], self.judged, self.frames, self.fastest
        )
    }
}
