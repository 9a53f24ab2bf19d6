//! `--device`: a device that is there is used, one that is not is rejected with what to do.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::path::Path;

const SCENE: &str = r#"
title = "a small cloth"
frames = 3
contact = "project"
[[object]]
name = "cloth"
shape = { kind = "grid", rows = 5, columns = 5 }
mass = { total = 0.1 }
edge = { weight = 100.0 }
pin = [{ select = { vertices = [0, 5] }, weight = 1e3 }]
"#;

#[cfg(unix)]
/// A directory in which the stand-in driver of the tests is called `libcuda.so`.
fn stand_in(sandbox: &Sandbox) -> std::path::PathBuf {
    let beside = std::env::current_exe().unwrap();
    let directory = beside.parent().unwrap();
    let name = "libpd_cuda_emu.so";
    let library = [directory.join(name), directory.join("deps").join(name)].into_iter().find(|p| p.is_file());
    let place = sandbox.path("driver");
    std::fs::create_dir(&place).unwrap();
    std::os::unix::fs::symlink(library.unwrap(), place.join("libcuda.so")).unwrap();
    place
}

fn run(sandbox: &Sandbox, driver: Option<&Path>, arguments: &[&str]) -> std::process::Output {
    let mut command = sandbox.command(arguments);
    if let Some(driver) = driver {
        command.env("LD_LIBRARY_PATH", driver);
    }
    command.output().unwrap()
}

#[cfg(unix)]
fn positions(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn without_a_device_cuda_is_refused_and_auto_takes_the_cpu() {
    let sandbox = Sandbox::new();
    sandbox.write("cloth.toml", SCENE);
    if pd_cuda::devices().is_ok() {
        println!("this machine has a device; the refusal cannot be seen here");
        return;
    }
    for choice in ["cuda", "cuda-f64"] {
        let output = run(&sandbox, None, &["run", "cloth.toml", "--device", choice]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("no CUDA driver") && stderr.contains("--device cpu"), "{stderr}");
    }
    let json = |choice: &str| -> Value {
        let output = run(&sandbox, None, &["run", "cloth.toml", "--json", "--device", choice]);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let (auto, cpu) = (json("auto"), json("cpu"));
    assert_eq!((&auto["device"], &auto["state_hash"]), (&cpu["device"], &cpu["state_hash"]));
    assert_eq!(cpu["device"], "cpu");
    let wrong = run(&sandbox, None, &["run", "cloth.toml", "--device", "gpu"]);
    assert_eq!(wrong.status.code(), Some(2));
    let doctor = String::from_utf8(run(&sandbox, None, &["doctor"]).stdout).unwrap();
    assert!(doctor.contains("cuda             no CUDA driver"), "{doctor}");
}

#[cfg(unix)]
#[test]
fn with_a_driver_the_scene_runs_there_and_agrees() {
    let sandbox = Sandbox::new();
    sandbox.write("cloth.toml", SCENE);
    let driver = stand_in(&sandbox);
    let frames = |choice: &str, global: &str, file: &str| -> Value {
        let arguments =
            ["run", "cloth.toml", "--json", "--device", choice, "--global", global, "--positions", file];
        let output = run(&sandbox, Some(&driver), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let on_cpu = frames("cpu", "cholesky", "cpu.txt");
    let expected = positions(&sandbox.read("cpu.txt"));
    assert_eq!(on_cpu["device"], "cpu");
    for (choice, global, stepper, allowed) in [
        ("cuda", "cholesky", "cuda-pd", 1e-4),
        ("cuda-f64", "cholesky", "cuda-pd", 1e-9),
        ("cuda-f64", "pcg", "cuda-pd", 1e-3),
        // The device has no such solver: its local step with the host's.
        ("cuda-f64", "gauss-seidel", "pd", 1e-4),
    ] {
        let value = frames(choice, global, "device.txt");
        assert_eq!((&value["device"], &value["stepper"]), (&"pd-emu".into(), &stepper.into()), "{value}");
        let got = positions(&sandbox.read("device.txt"));
        let worst = got.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < allowed, "{choice} {global}: {worst:e}");
    }
    // The stand-in is no device that anyone would choose.
    assert_eq!(frames("auto", "cholesky", "auto.txt")["device"], "cpu");
    let doctor = String::from_utf8(run(&sandbox, Some(&driver), &["doctor"]).stdout).unwrap();
    assert!(doctor.contains("0: pd-emu (compute capability 7.5"), "{doctor}");
}
