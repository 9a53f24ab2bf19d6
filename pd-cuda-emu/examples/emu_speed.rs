//! How fast the interpreter is: thread instructions per second on one core, with and without the checks.
//!
//! `cargo run --release -p pd-cuda-emu --example emu_speed`
#![allow(clippy::print_stdout, reason = "a program that reports")]

use pd_cuda_emu::{Device, Module, Options, Shape};
use std::error::Error;
use std::time::Instant;

const PTX: &str = include_str!("../tests/data/kernels.ptx");

fn upload(device: &Device, bytes: &[u8]) -> Result<u64, Box<dyn Error>> {
    let p = device.alloc(bytes.len() as u64).ok_or("no memory")?;
    device.write(p, bytes)?;
    Ok(p)
}

/// Seconds this thread has had on a core, which other programs do not disturb; the clock where that is not known.
fn seconds(since: Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|s| s.split(' ').next()?.parse::<f64>().ok())
        .map_or_else(|| since.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

fn measure(
    device: &Device,
    module: &Module,
    name: &str,
    shape: Shape,
    args: &[Vec<u8>],
) -> Result<(), Box<dyn Error>> {
    let args: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
    for (label, checks) in [("all checks", true), ("no race checks", false)] {
        let options = Options { check_global_races: checks, check_shared: checks, ..Options::default() };
        let clock = Instant::now();
        let start = seconds(clock);
        let (mut spent, mut instructions, mut each, mut launches) = (0.0, 0, 0, 0u32);
        // Processor time is counted in ticks of a few milliseconds: run long enough for them not to matter.
        while spent < 0.5 {
            each = device.launch_with(options, module, name, shape, &args)?.thread_instructions;
            instructions += each;
            launches += 1;
            spent = seconds(clock) - start;
        }
        let rate = instructions as f64 / spent / 1e6;
        let micros = 1e6 * spent / f64::from(launches);
        println!(
            "{name:>10} {label:>15}: {each:>9} instructions, {micros:>8.0} µs a launch, {rate:>4.0} million a second"
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::new();
    let module = device.load(PTX)?;
    let n = 50_000usize;

    let (mut start, mut column) = (vec![0i32], Vec::new());
    for i in 0..n {
        column.extend((0..7).map(|k| ((i + k * k * 13) % n) as i32));
        start.push(column.len() as i32);
    }
    let ints = |v: &[i32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let singles = |m: usize| (0..m).flat_map(|k| (k as f32 * 1e-3).to_le_bytes()).collect::<Vec<u8>>();
    let doubles =
        |m: usize| (0..m).flat_map(|k| ((k % 1000) as f64 * 1e-2).to_le_bytes()).collect::<Vec<u8>>();
    let buffers = [
        ints(&start),
        ints(&column),
        singles(column.len()),
        singles(n),
        singles(3 * n),
        singles(3 * n),
        singles(3 * n),
    ];
    let mut args = Vec::new();
    for b in &buffers {
        args.push(upload(&device, b)?.to_le_bytes().to_vec());
    }
    args.push((n as i32).to_le_bytes().to_vec());
    measure(&device, &module, "jacobi", Shape::row(n.div_ceil(128) as u32, 128), &args)?;
    // One block alone: what a launch costs beside its instructions.
    measure(&device, &module, "jacobi", Shape::row(1, 128), &args)?;

    let args = [
        upload(&device, &doubles(n))?.to_le_bytes().to_vec(),
        upload(&device, &doubles(n))?.to_le_bytes().to_vec(),
        (n as i32).to_le_bytes().to_vec(),
    ];
    measure(&device, &module, "norm2", Shape::row(n.div_ceil(256) as u32, 256), &args)?;

    let m = 4096;
    let args = [
        upload(&device, &doubles(m))?.to_le_bytes().to_vec(),
        upload(&device, &doubles(8 * m))?.to_le_bytes().to_vec(),
        upload(&device, &singles(8 * m))?.to_le_bytes().to_vec(),
        (m as i32).to_le_bytes().to_vec(),
    ];
    measure(&device, &module, "functions", Shape::row(m.div_ceil(128) as u32, 128), &args)
}
