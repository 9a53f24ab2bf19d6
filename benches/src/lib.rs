//! Cases shared by the benches and the reports; plots come from `pd_tables::plot`.
//!
//! Times are stated as ratios to a peer in the same run; see `README.md` for the commands.

pub mod cases;
pub mod clock;
pub mod families;
pub mod frames;
pub mod peers;
pub mod plain;
