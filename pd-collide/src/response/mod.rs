//! What to do about contacts that were found: responses that act on positions alone, whatever made them.

mod impact_zones;

pub use impact_zones::{ImpactReport, MovingPairs, RigidImpactZones};
