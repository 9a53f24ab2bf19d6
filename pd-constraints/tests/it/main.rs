//! Oracles for the energies and forces: finite differences, brute force, invariance, and inputs that must fail.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod bending;
mod common;
mod errors;
mod force_vertices;
mod forces;
mod gradients;
mod hessians;
mod invariance;
mod material;
mod matrix;
mod pins;
mod projections;
mod rest;
mod svd;
