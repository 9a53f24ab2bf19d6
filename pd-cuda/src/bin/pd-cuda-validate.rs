//! Checks a real device: every kernel and whole runs against the host, then the tables; writes a report.
//!
//! Exit code 0: all agree. 1: something does not, or failed. 3: there is no device to check.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

use pd_cuda::validate::{
    Agreement, Outcome, TableScale, collisions, laws, linear_solvers, mixed_mode, reductions, runs, sums,
    tables, whole_runs,
};
use pd_cuda::{Device, DeviceReal};
use std::fmt::Write;
use std::process::ExitCode;

const HELP: &str = "pd-cuda-validate [--device N] [--report FILE] [--quick]\n\n\
Compares every kernel and whole runs on a CUDA device with the CPU, measures the tables, and writes a report\n\
(default pd-cuda-report.md). --quick leaves the tables out. Exit code 3: there is no device.";

struct Arguments {
    device: usize,
    report: String,
    quick: bool,
}

fn parse() -> Result<Arguments, String> {
    let mut arguments = Arguments { device: 0, report: "pd-cuda-report.md".to_owned(), quick: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value\n\n{HELP}"));
        match word.as_str() {
            "--device" => {
                arguments.device = value()?.parse().map_err(|_| "--device takes a number".to_owned())?
            }
            "--report" => arguments.report = value()?,
            "--quick" => arguments.quick = true,
            _ => return Err(HELP.to_owned()),
        }
    }
    Ok(arguments)
}

fn main() -> ExitCode {
    let arguments = match parse() {
        Ok(arguments) => arguments,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    let device = match Device::open(arguments.device) {
        Ok(device) if device.info().is_emulator() => {
            eprintln!("pd-cuda-validate: {} is an interpreter, not a device", device.info().name);
            return ExitCode::from(3);
        }
        Ok(device) => device,
        Err(error) => {
            eprintln!("pd-cuda-validate: no device to check: {error}");
            return ExitCode::from(3);
        }
    };
    match validate(&device, &arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("pd-cuda-validate: {error}");
            ExitCode::FAILURE
        }
    }
}

fn validate(device: &Device, arguments: &Arguments) -> Outcome<bool> {
    let info = device.info();
    let mut report = format!("# {} (compute capability {}.{})\n\n", info.name, info.major, info.minor);
    let mut found = agreements::<f32>(device)?;
    found.extend(agreements::<f64>(device)?);
    writeln!(report, "## Agreement with the host\n\n```text")?;
    for agreement in &found {
        println!("{agreement}");
        writeln!(report, "{agreement}")?;
    }
    writeln!(report, "```\n")?;
    let good = found.iter().all(Agreement::passes);
    if good && !arguments.quick {
        for text in [tables::<f32>(device, &TableScale::full())?, tables::<f64>(device, &TableScale::full())?]
        {
            println!("{text}");
            writeln!(report, "{text}")?;
        }
    }
    std::fs::write(&arguments.report, report)?;
    println!(
        "{} of {} comparisons agree; report in {}",
        found.iter().filter(|a| a.passes()).count(),
        found.len(),
        arguments.report
    );
    Ok(good)
}

fn agreements<T: DeviceReal>(device: &Device) -> Outcome<Vec<Agreement>> {
    let mut found = laws::<T>(device)?;
    found.extend(collisions::<T>(device)?);
    found.extend(sums::<T>(device)?);
    found.extend(reductions::<T>(device)?);
    found.extend(linear_solvers::<T>(device)?);
    for run in runs() {
        found.push(whole_runs::<T>(device, &run)?);
        found.push(mixed_mode::<T>(device, &run)?);
    }
    Ok(found)
}
