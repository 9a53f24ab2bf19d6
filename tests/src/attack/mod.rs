//! Random scenes of all kinds of matter, and laws that hold for any of them.
//!
//! A scene is a text, as a user would write it. Every law builds a second scene from it and compares, or looks at one run alone. A
//! scene that breaks a law is shrunk to what still breaks it.

mod draft;
mod generate;
mod laws;
mod shrink;

pub use draft::Draft;
pub use generate::scene;
pub use laws::{Broken, LAWS, Law};
pub use shrink::shrink;

/// Every law on the scene of one seed: the laws that do not hold, and why.
pub fn attack(seed: u64) -> (Draft, Vec<(&'static Law, Broken)>) {
    let draft = scene(seed);
    let broken = LAWS.iter().filter_map(|law| (law.test)(&draft).err().map(|why| (law, why))).collect();
    (draft, broken)
}
