//! Every broad phase finds what brute force finds.

mod draw;
mod equal;
