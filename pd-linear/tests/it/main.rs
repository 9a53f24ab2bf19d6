//! Solvers against the dense oracle, against their theory, and on bad input.

mod all;
mod direct;
mod jacobi;
mod matrices;
