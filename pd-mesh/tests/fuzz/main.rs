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

mod greedy;
mod memory;
mod mutate;
mod seeds;

use mutate::Mutator;
use pd_mesh::io::{self, Elements, Format, Limits};
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

/// The reader of a format, with everything it carries.
fn reader(name: &str) -> Reader {
    fn made(format: Format, bytes: &[u8]) -> bool {
        io::read_within(format, bytes, "x", Limits::default()).is_ok()
    }
    match name {
        "obj" => |bytes| made(Format::Obj, bytes),
        "ply" => |bytes| made(Format::Ply, bytes),
        "stl" => |bytes| made(Format::Stl, bytes),
        "off" => |bytes| made(Format::Off, bytes),
        "medit" => |bytes| made(Format::Medit, bytes),
        "msh" => |bytes| made(Format::Msh, bytes),
        "vtk" => |bytes| made(Format::Vtk, bytes),
        "vtu" => |bytes| made(Format::Vtu, bytes),
        "gltf" => |bytes| made(Format::Gltf, bytes),
        // Both files in one, a byte 0 between them.
        _ => |bytes| {
            let middle = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            let (nodes, rest) = bytes.split_at(middle);
            let rest = rest.get(1..).unwrap_or_default();
            let solid = io::read_node_ele(nodes, "n", Elements::Tets(rest), "e").is_ok();
            solid || io::read_node_ele(nodes, "n", Elements::Triangles(rest), "f").is_ok()
        },
    }
}

/// Files large enough that buffers and messages do not count: ordinary ones, which must make a mesh, and those made to take
/// as much memory as possible, which may be rejected.
#[test]
fn large_files_take_ten_times_their_length_at_most() {
    let ordinary = seeds::large().into_iter().map(|(name, bytes)| (name, "ordinary", bytes, true));
    let greedy = greedy::files().into_iter().map(|(name, what, bytes)| (name, what, bytes, false));
    let mut faults = Vec::new();
    for (name, what, bytes, must) in ordinary.chain(greedy) {
        let started = Instant::now();
        memory::start();
        let made = reader(name)(&bytes);
        let ratio = memory::peak() as f64 / bytes.len() as f64;
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "{name}, {what}: {} bytes, {ratio:.1} times as much memory, {seconds:.2} s, {}",
            bytes.len(),
            if made { "a mesh" } else { "refused" }
        );
        if ratio > 10.0 || seconds > 10.0 || (must && !made) {
            faults.push(format!("{name}, {what}: {ratio} times, {seconds} s, {made}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// A stream never holds the file: many vertices that are rejected at the end cost no more than themselves.
#[test]
fn text_is_not_kept() {
    let mut file = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec();
    file.extend(b"# a comment that says nothing at all, again and again\n".repeat(20_000));
    memory::start();
    assert!(reader("obj")(&file));
    assert!(memory::peak() < SLACK, "{} bytes for a mesh of one triangle", memory::peak());
}

#[test]
fn obj() {
    fuzz("obj", reader("obj"), &seeds::obj());
}

#[test]
fn ply() {
    fuzz("ply", reader("ply"), &seeds::ply());
}

#[test]
fn stl() {
    fuzz("stl", reader("stl"), &seeds::stl());
}

#[test]
fn off() {
    fuzz("off", reader("off"), &seeds::off());
}

#[test]
fn medit() {
    fuzz("medit", reader("medit"), &seeds::medit());
}

#[test]
fn msh() {
    fuzz("msh", reader("msh"), &seeds::msh());
}

#[test]
fn node_ele() {
    fuzz("node_ele", reader("node_ele"), &seeds::node_ele());
}

#[test]
fn vtk() {
    fuzz("vtk", reader("vtk"), &seeds::vtk());
}

#[test]
fn vtu() {
    fuzz("vtu", reader("vtu"), &seeds::vtu());
}

#[test]
fn gltf() {
    fuzz("gltf", reader("gltf"), &seeds::gltf());
}
