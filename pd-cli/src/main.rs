//! The `pd` command.
fn main() {}
