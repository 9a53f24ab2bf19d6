//! Solvers against the dense oracle, against their theory, and on bad input.

mod all;
mod direct;
mod fused;
mod jacobi;
mod low_rank;
mod matrices;
mod matrix_market;
mod scenes;
