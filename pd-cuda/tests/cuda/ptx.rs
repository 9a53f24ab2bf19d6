//! The PTX that is shipped: what the kernels compile to, free of double precision where it is single, within its
//! registers.

use pd_cuda::{DeviceReal, parse_signatures};
use std::path::Path;
use std::process::Command;

const BUDGET: &str = include_str!("../../ptx/registers.txt");
const ARCHITECTURES: [&str; 5] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"];

/// Compiles the kernels again and runs ptxas for five architectures; fails on any difference, spill or register above
/// the budget. Without the compiler the committed PTX is still what all other tests interpret.
#[test]
fn the_committed_ptx_is_what_the_kernels_compile_to() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/build.sh");
    let output = match Command::new(&script).arg("--check").output() {
        Ok(output) => output,
        Err(error) => {
            println!(
                "*** NOT COMPILED AGAIN: {} cannot run ({error}); the committed PTX was interpreted ***",
                script.display()
            );
            return;
        }
    };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    match output.status.code() {
        Some(0) => println!("compiled again: {said}"),
        Some(3) => {
            println!(
                "*** NOT COMPILED AGAIN: no NVRTC and ptxas here; the committed PTX was interpreted ***\n{said}"
            );
        }
        _ => panic!("{said}"),
    }
}

/// Instructions on numbers of 64 bits.
fn double_precision(ptx: &str) -> Vec<&str> {
    ptx.lines().filter(|line| line.contains(".f64")).collect()
}

#[test]
fn no_double_precision_in_single_precision_kernels() {
    assert_eq!(double_precision(f32::PTX), Vec::<&str>::new());
    // What a literal without R() would have left there.
    let planted = f32::PTX.replacen("ret;", "cvt.f64.f32 %fd1, %f1;\nret;", 1);
    assert_eq!(double_precision(&planted).len(), 1);
    assert!(!double_precision(f64::PTX).is_empty());
}

#[test]
fn both_precisions_have_the_same_kernels_and_a_budget_for_each() {
    let names = |ptx, real| -> Vec<String> {
        parse_signatures(ptx, real).unwrap().into_iter().map(|(name, _)| name).collect()
    };
    let single = names(f32::PTX, "f32");
    assert_eq!(single, names(f64::PTX, "f64"));
    assert!(BUDGET.lines().next().unwrap().contains(&ARCHITECTURES.join(" ")));
    for name in &single {
        for precision in ["f32", "f64"] {
            let line = BUDGET.lines().find(|line| {
                let mut words = line.split_whitespace();
                words.next() == Some(name) && words.next() == Some(precision)
            });
            let numbers: Vec<u32> = line
                .unwrap_or_else(|| panic!("{name} {precision} has no budget"))
                .split_whitespace()
                .skip(2)
                .map(|n| n.parse().unwrap())
                .collect();
            assert_eq!(numbers.len(), ARCHITECTURES.len());
            // A block of 256 threads must fit the 65,536 registers of a multiprocessor.
            assert!(numbers.iter().all(|&n| n <= 255), "{name} {precision}");
        }
    }
    assert_eq!(BUDGET.lines().count(), 1 + 2 * single.len(), "a budget of a kernel that is gone");
}
