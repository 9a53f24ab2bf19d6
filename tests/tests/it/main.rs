//! The crates together: against an independent run, against beams and springs, against themselves on other threads.

mod cantilever;
mod determinism;
mod energy;
mod increment;
mod model;
mod physics;
mod reference;
mod scenes;
