//! Cells of a table: a number, text, or the reason why there is no number.

use std::fmt;

/// Why a measurement has no number. These are values of a table, not failures of the program.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The iteration diverged, or positions became infinite or NaN.
    Diverges,
    /// More memory than allowed would be needed, bytes.
    TooLarge(u64),
    /// There is no device to run on.
    NoDevice,
    /// A model file of the scene is not on this machine.
    ModelNotPresent,
    /// The tolerance was not met in the time or iterations given.
    NotReached,
    /// Another engine was stopped at its time limit.
    Late {
        /// What it had not completed: "loaded", "finished".
        what: String,
        /// Its time, s.
        seconds: u64,
    },
    /// Another engine is not installed or did not run.
    Missing(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diverges => f.write_str("diverges"),
            Self::TooLarge(bytes) => write!(f, "too large ({:.1} GB)", *bytes as f64 / 1e9),
            Self::NoDevice => f.write_str("no device"),
            Self::ModelNotPresent => f.write_str("model not present"),
            Self::NotReached => f.write_str("not reached"),
            Self::Late { what, seconds } => write!(f, "not {what} within {seconds} s"),
            Self::Missing(what) => write!(f, "missing: {what}"),
        }
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing to say.
    Empty,
    /// Words.
    Text(String),
    /// An exact count.
    Count(u64),
    /// A number, shown with three significant digits.
    Number(f64),
    /// More than this number, as ">200" in the published tables.
    MoreThan(f64),
    /// At most this number: a ratio to "more than".
    AtMost(f64),
    /// An estimate from part of the work.
    About(f64),
    /// No number, and why.
    Outcome(Outcome),
}

impl Cell {
    /// Words.
    pub fn text(words: impl Into<String>) -> Self {
        let words = words.into();
        if words.is_empty() { Self::Empty } else { Self::Text(words) }
    }

    /// The number in the cell, if there is one.
    pub fn value(&self) -> Option<f64> {
        match *self {
            Self::Count(count) => Some(count as f64),
            Self::Number(v) | Self::MoreThan(v) | Self::AtMost(v) | Self::About(v) => Some(v),
            _ => None,
        }
    }

    /// `self / other`: how much larger this cell is. Empty where either has no number.
    pub fn over(&self, other: &Self) -> Self {
        let (Some(a), Some(b)) = (self.value(), other.value()) else { return Self::Empty };
        if b == 0.0 || !(a / b).is_finite() {
            return Self::Empty;
        }
        match (self, other) {
            (_, Self::MoreThan(_)) => Self::AtMost(a / b),
            (Self::About(_), _) | (_, Self::About(_)) => Self::About(a / b),
            _ => Self::Number(a / b),
        }
    }

    /// Whether the cell is right-aligned in print.
    pub fn is_numeric(&self) -> bool {
        self.value().is_some()
    }
}

impl From<Result<f64, Outcome>> for Cell {
    fn from(result: Result<f64, Outcome>) -> Self {
        result.map_or_else(Self::Outcome, Self::Number)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => Ok(()),
            Self::Text(words) => f.write_str(words),
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(v) => f.write_str(&significant(*v)),
            Self::MoreThan(v) => write!(f, ">{}", significant(*v)),
            Self::AtMost(v) => write!(f, "≤{}", significant(*v)),
            Self::About(v) => write!(f, "≈{}", significant(*v)),
            Self::Outcome(outcome) => outcome.fmt(f),
        }
    }
}

/// Three significant digits, plain where that is short: 0.00123 → "1.23e-3", 12.34 → "12.3", 1234.5 → "1234".
pub(crate) fn significant(v: f64) -> String {
    if !v.is_finite() {
        return format!("{v}");
    }
    let size = v.abs();
    if v == 0.0 {
        "0".into()
    } else if size < 0.01 {
        format!("{v:.1e}")
    } else if size < 1.0 {
        trimmed(format!("{v:.3}"))
    } else if size < 10.0 {
        trimmed(format!("{v:.2}"))
    } else if size < 100.0 {
        trimmed(format!("{v:.1}"))
    } else if size < 1e7 {
        format!("{v:.0}")
    } else {
        format!("{v:.2e}")
    }
}

fn trimmed(text: String) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        for (v, text) in [
            (0.0, "0"),
            (0.001234, "1.2e-3"),
            (0.1234, "0.123"),
            (1.0, "1"),
            (12.34, "12.3"),
            (1234.5, "1234"),
            (56091.0, "56091"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(significant(v), text);
        }
    }

    #[test]
    fn ratios_know_what_they_are_ratios_of() {
        let n = Cell::Number;
        assert_eq!(n(300.0).over(&n(100.0)), n(3.0));
        assert_eq!(n(300.0).over(&Cell::MoreThan(200.0)), Cell::AtMost(1.5));
        assert_eq!(Cell::About(1.0).over(&n(2.0)), Cell::About(0.5));
        assert_eq!(n(1.0).over(&Cell::Outcome(Outcome::Diverges)), Cell::Empty);
        assert_eq!(n(1.0).over(&n(0.0)), Cell::Empty);
    }
}
