//! Loads a PTX file and lists its kernels with what they ask of a launch, or says which line is not understood.
//!
//! `cargo run -p pd-cuda-emu --example emu_kernels -- file.ptx`
#![allow(clippy::print_stdout, reason = "a program that reports")]

use pd_cuda_emu::Device;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("give a PTX file")?;
    let module = Device::new().load(&std::fs::read_to_string(file)?)?;
    for name in module.kernel_names() {
        if let Some(k) = module.kernel(&name) {
            println!(
                "{name}: parameters {:?}, {} bytes shared, {} bytes local, at most {} threads",
                k.param_bytes, k.shared_bytes, k.local_bytes, k.max_threads
            );
        }
    }
    Ok(())
}
