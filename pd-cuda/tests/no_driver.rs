//! A machine without a CUDA driver: typed errors, no panic. In a process of its own, where nothing stands in for one.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

use pd_cuda::{CudaError, Device, devices};

#[test]
fn no_driver_is_a_typed_error_that_says_what_is_missing() {
    match devices() {
        Err(CudaError::NoDriver) => {
            assert_eq!(Device::open(0).unwrap_err(), CudaError::NoDriver);
            assert!(CudaError::NoDriver.to_string().contains("libcuda.so"));
            println!("no driver here, and it is said so");
        }
        Err(CudaError::NoDevice { what }) => {
            assert!(matches!(Device::open(0), Err(CudaError::NoDevice { .. })), "{what}");
        }
        Err(error) => panic!("{error}"),
        Ok(found) => {
            assert!(!found.is_empty());
            let ordinal = found.len();
            assert_eq!(Device::open(ordinal).unwrap_err(), CudaError::Ordinal { ordinal, devices: ordinal });
        }
    }
}

#[test]
fn the_validation_ends_with_3_where_there_is_no_device() {
    if devices().is_ok() {
        println!("there is a device; run pd-cuda-validate itself");
        return;
    }
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_pd-cuda-validate")).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no device to check"));
    let wrong =
        std::process::Command::new(env!("CARGO_BIN_EXE_pd-cuda-validate")).arg("--wrong").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
}
