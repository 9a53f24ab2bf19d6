//! Names the shared library `libcuda.so` inside its own header: once it is open, the dynamic loader answers a
//! later request for `libcuda.so` with it. `libcuda.so.1` is deliberately not claimed: NVRTC asks for that name.
#![allow(clippy::print_stdout, reason = "a build script speaks to cargo through standard output")]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
    }
}
