//! Solvers against the dense oracle, against their theory, and on bad input.

mod direct;
mod jacobi;
mod matrices;
