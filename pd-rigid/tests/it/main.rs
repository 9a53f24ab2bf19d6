//! Physics of bodies and joints against closed forms, references and conservation laws.

mod chain;
mod contacts;
mod joints;
mod pendulum;
mod repeat;
mod world;
