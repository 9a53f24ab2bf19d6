//! Cases and plots shared by the benches and the reports.
//!
//! Times are stated as ratios to a peer in the same run; see `README.md` for the commands.

pub mod cases;
pub mod plot;
