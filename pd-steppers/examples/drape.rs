//! Drape coefficients of the fabrics: `cargo run --release -p pd-steppers --example drape -- RINGS STEPS FABRIC`

#![allow(clippy::print_stdout, reason = "a program")]

#[path = "../tests/it/drape_tester.rs"]
mod drape_tester;

use drape_tester::drape;
use pd_constraints::Fabric;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default| arguments.get(k).map_or(Ok(default), |word| word.parse::<usize>());
    let (rings, steps) = (number(0, 10)?, number(1, 120)?);
    let wanted = |fabric: &&Fabric| arguments.get(2).is_none_or(|name| *name == fabric.name);
    for fabric in Fabric::ALL.iter().filter(wanted) {
        let found = drape(fabric, rings, steps)?;
        println!(
            "{}: drape coefficient {:.1} %, bending length {:.1} mm, still moves {:.0} µm a step",
            fabric.name,
            found.coefficient,
            1e3 * fabric.bending_length(),
            1e6 * found.moved
        );
    }
    Ok(())
}
