//! Random scenes of all kinds of matter, and laws that hold for any of them: `attack SEEDS [FIRST [DIRECTORY]]`. A scene that breaks a
//! law is shrunk and printed as a scene file, and written to the directory.
#![allow(clippy::print_stdout, reason = "a command")]

use tests::attack::{LAWS, attack, shrink};

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |usual: u64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (count, first) = (number(40), number(0));
    let directory = arguments.next();
    let mut faults = vec![0; LAWS.len()];
    for seed in first..first + count {
        for (law, why) in attack(seed).1 {
            if let Some(k) = LAWS.iter().position(|known| known.name == law.name) {
                faults[k] += 1;
            }
            let (small, name) = (shrink(&tests::attack::scene(seed), law), law.name);
            let why_small = (law.test)(&small).err().unwrap_or_default();
            println!("seed {seed}: {name}: {why}");
            let text = format!("# seed {seed}: {name}\n# {why_small}\n{}", small.text());
            println!("{text}");
            if let Some(directory) = &directory {
                let word = name.split([',', ':', ' ']).next().unwrap_or_default();
                let path = format!("{directory}/{seed}-{word}.toml");
                if let Err(error) = std::fs::write(&path, text) {
                    println!("{path}: {error}");
                }
            }
        }
    }
    println!("{count} seeds from {first}");
    for (law, count) in LAWS.iter().zip(&faults) {
        println!("{count:6}  {}", law.name);
    }
    if faults.iter().all(|&count| count == 0) {
        std::process::ExitCode::SUCCESS
    } else {
        std::process::ExitCode::FAILURE
    }
}
