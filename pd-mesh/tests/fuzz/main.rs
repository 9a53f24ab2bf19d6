//! Mutation fuzzing of every reader: no panic, no case over a second, no more memory than ten times the input.
//!
//! `PD_FUZZ_CASES` sets the number of cases per reader (300 if unset), `PD_FUZZ_SEED` another sequence of them. A case that
//! fails is written to a file whose name is printed; put it under `tests/fuzz/regressions/<reader>/`, and every run tries
//! it first.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "the lint's exception for tests does not reach their helper functions"
)]

mod memory;
mod mutate;
mod seeds;

use mutate::Mutator;
use pd_mesh::io::{self, Elements};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

/// What any input may cost, however small: buffers, messages, the state of the zlib decoder (11 kB).
const SLACK: usize = 16 * 1024;

/// Reads the bytes, whatever comes of it; returns whether they made a mesh.
type Reader = fn(&[u8]) -> bool;

/// The worst seen for one reader.
#[derive(Default)]
struct Worst {
    seconds: f64,
    /// Bytes allocated at once beyond the slack, per byte of input.
    ratio: f64,
    meshes: usize,
}

fn attempt(name: &str, reader: Reader, input: &[u8], worst: &mut Worst) {
    let keep = |what: &str| {
        let path = std::env::temp_dir().join(format!("fuzz-{name}-{:016x}", fingerprint(input)));
        std::fs::write(&path, input).unwrap();
        panic!("{name}: {what}; the input is in {}", path.display());
    };
    let started = Instant::now();
    memory::start();
    let outcome = catch_unwind(AssertUnwindSafe(|| reader(input)));
    let peak = memory::peak();
    let seconds = started.elapsed().as_secs_f64();
    match outcome {
        Ok(made) => worst.meshes += usize::from(made),
        Err(_) => keep("a panic"),
    }
    if seconds > 1.0 {
        keep(&format!("{seconds} s"));
    }
    if peak > 10 * input.len() + SLACK {
        keep(&format!("{peak} bytes of memory for {} bytes", input.len()));
    }
    worst.seconds = worst.seconds.max(seconds);
    worst.ratio = worst.ratio.max(peak.saturating_sub(SLACK) as f64 / input.len().max(1) as f64);
}

/// FNV-1a.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn fuzz(name: &str, reader: Reader, seeds: &[Vec<u8>]) {
    let number =
        |variable: &str, default: u64| std::env::var(variable).map_or(default, |text| text.parse().unwrap());
    let (cases, seed) = (number("PD_FUZZ_CASES", 300), number("PD_FUZZ_SEED", 1));
    let mut worst = Worst::default();
    let regressions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/regressions").join(name);
    for entry in std::fs::read_dir(regressions).into_iter().flatten().flatten() {
        attempt(name, reader, &std::fs::read(entry.path()).unwrap(), &mut worst);
    }
    for seed in seeds {
        assert!(reader(seed), "{name}: a seed is no mesh: {}", String::from_utf8_lossy(seed));
    }
    let mut mutator = Mutator::new(seed ^ fingerprint(name.as_bytes()));
    for _ in 0..cases {
        let input = mutator.mutated(seeds);
        attempt(name, reader, &input, &mut worst);
    }
    println!(
        "{name}: {cases} cases, {} of them meshes, slowest {:.1} ms, memory at most {:.1} times the input",
        worst.meshes,
        1e3 * worst.seconds,
        worst.ratio
    );
}

/// Files large enough that buffers and messages do not count.
#[test]
fn large_files_take_ten_times_their_length_at_most() {
    let polygon =
        |head: &str, corner: &str| [head.as_bytes(), &corner.repeat(100_000).into_bytes(), b"\n"].concat();
    let mut files: Vec<(&str, Reader, Vec<u8>)> = vec![
        ("obj polygon", |bytes| io::read_obj(bytes, "x").is_ok(), polygon("v 0 0 0\nf", " 1")),
        ("off polygon", |bytes| io::read_off(bytes, "x").is_ok(), polygon("OFF\n1 1 0\n0 0 0\n100000", " 0")),
    ];
    for (name, bytes) in seeds::large() {
        let reader: Reader = match name {
            "obj" => |bytes| io::read_obj(bytes, "x").is_ok(),
            "ply" => |bytes| io::read_ply(bytes, "x").is_ok(),
            "stl" => |bytes| io::read_stl(bytes, "x").is_ok(),
            "off" => |bytes| io::read_off(bytes, "x").is_ok(),
            "mesh" => |bytes| io::read_medit(bytes, "x").is_ok(),
            "msh" => |bytes| io::read_msh(bytes, "x").is_ok(),
            "vtk" => |bytes| io::read_vtk(bytes, "x").is_ok(),
            "vtu" => |bytes| io::read_vtu(bytes, "x").is_ok(),
            _ => |bytes| io::read_gltf(bytes, "x", |_| None).is_ok(),
        };
        files.push((name, reader, bytes));
    }
    for (name, reader, bytes) in files {
        memory::start();
        assert!(reader(&bytes), "{name}");
        let ratio = memory::peak() as f64 / bytes.len() as f64;
        println!("{name}: {} bytes read with {ratio:.1} times as much memory", bytes.len());
        assert!(ratio < 10.0, "{name}: {ratio}");
    }
}

#[test]
fn obj() {
    fuzz("obj", |bytes| io::read_obj(bytes, "x").is_ok(), &seeds::obj());
}

#[test]
fn ply() {
    fuzz("ply", |bytes| io::read_ply(bytes, "x").is_ok(), &seeds::ply());
}

#[test]
fn stl() {
    fuzz("stl", |bytes| io::read_stl(bytes, "x").is_ok(), &seeds::stl());
}

#[test]
fn off() {
    fuzz("off", |bytes| io::read_off(bytes, "x").is_ok(), &seeds::off());
}

#[test]
fn medit() {
    fuzz("medit", |bytes| io::read_medit(bytes, "x").is_ok(), &seeds::medit());
}

#[test]
fn msh() {
    fuzz("msh", |bytes| io::read_msh(bytes, "x").is_ok(), &seeds::msh());
}

/// Both files in one, a byte 0 between them.
#[test]
fn node_ele() {
    let reader = |bytes: &[u8]| {
        let middle = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        let (nodes, rest) = bytes.split_at(middle);
        let rest = rest.get(1..).unwrap_or_default();
        let solid = io::read_node_ele(nodes, "n", Elements::Tets(rest), "e").is_ok();
        solid || io::read_node_ele(nodes, "n", Elements::Triangles(rest), "f").is_ok()
    };
    fuzz("node_ele", reader, &seeds::node_ele());
}

#[test]
fn vtk() {
    fuzz("vtk", |bytes| io::read_vtk(bytes, "x").is_ok(), &seeds::vtk());
}

#[test]
fn vtu() {
    fuzz("vtu", |bytes| io::read_vtu(bytes, "x").is_ok(), &seeds::vtu());
}

#[test]
fn gltf() {
    fuzz("gltf", |bytes| io::read_gltf(bytes, "x", |_| None).is_ok(), &seeds::gltf());
}
