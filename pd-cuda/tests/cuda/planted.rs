//! Mistakes planted into the shipped PTX: the interpreter must catch each, or its silence would prove nothing.

use pd_cuda::DeviceReal;
use pd_cuda_emu::{Device, FaultKind, LaunchError, Shape};

/// The text of one kernel within the PTX, to plant something there.
fn change(kernel: &str, edit: impl FnOnce(&str) -> String) -> String {
    let ptx = f32::PTX;
    let start = ptx.find(&format!(".entry {kernel}(")).unwrap();
    let end = start + ptx[start..].find("\n}").unwrap();
    let edited = edit(&ptx[start..end]);
    assert_ne!(edited, ptx[start..end], "nothing was planted");
    format!("{}{edited}{}", &ptx[..start], &ptx[end..])
}

fn floats(device: &Device, values: &[f32]) -> u64 {
    let address = device.alloc(4 * values.len() as u64).unwrap();
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    device.write(address, &bytes).unwrap();
    address
}

fn ints(device: &Device, values: &[i32]) -> u64 {
    let address = device.alloc(4 * values.len() as u64).unwrap();
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    device.write(address, &bytes).unwrap();
    address
}

/// Sums 256 ones.
fn sum(ptx: &str) -> Result<f32, LaunchError> {
    let device = Device::new();
    let module = device.load(ptx).unwrap();
    let (partials, out) = (floats(&device, &[1.0; 256]), floats(&device, &[0.0]));
    let arguments: [&[u8]; 4] =
        [&partials.to_le_bytes(), &out.to_le_bytes(), &0i32.to_le_bytes(), &256i32.to_le_bytes()];
    device.launch(&module, "reduce_sum", Shape::row(1, 256), &arguments)?;
    let mut bytes = [0; 4];
    device.read(out, &mut bytes).unwrap();
    Ok(f32::from_le_bytes(bytes))
}

fn fault(result: Result<impl std::fmt::Debug, LaunchError>) -> FaultKind {
    match result.unwrap_err() {
        LaunchError::Fault(fault) => fault.kind,
        other => panic!("{other}"),
    }
}

#[test]
fn the_shipped_reduction_is_clean() {
    assert_eq!(sum(f32::PTX), Ok(256.0));
}

#[test]
fn a_missing_barrier() {
    let barriers = f32::PTX.split(".entry reduce_sum(").nth(1).unwrap().split("\n}").next().unwrap();
    let count = barriers.matches("bar.sync").count();
    // All but the last one, which only guards the array against its next use.
    for missing in 0..count - 1 {
        let ptx = change("reduce_sum", |text| {
            let mut seen = 0;
            let lines = text.lines().filter(|line| {
                let here = line.contains("bar.sync");
                seen += usize::from(here);
                !(here && seen == missing + 1)
            });
            lines.collect::<Vec<_>>().join("\n")
        });
        let kind = fault(sum(&ptx));
        assert!(
            matches!(kind, FaultKind::Race { .. } | FaultKind::Uninitialised { .. }),
            "{missing}: {kind}"
        );
    }
}

#[test]
fn a_barrier_that_not_all_threads_reach() {
    // Threads of odd number skip the last barrier, and end.
    let ptx = change("reduce_sum", |text| {
        let head = ".reg .pred %planted; .reg .b32 %planted_r;\n";
        let text = text.replacen('{', &format!("{{\n{head}"), 1);
        let odd = "mov.u32 %planted_r, %tid.x;\nand.b32 %planted_r, %planted_r, 1;\nsetp.eq.s32 %planted, %planted_r, 0;\n";
        let (before, after) = text.rsplit_once("bar.sync").unwrap();
        format!("{before}{odd}@%planted bar.sync{after}")
    });
    let kind = fault(sum(&ptx));
    assert!(matches!(kind, FaultKind::DivergentBarrier { .. }), "{kind}");
}

/// Runs `advance` over `count` vertices of buffers for 64.
fn advance(ptx: &str, count: i32) -> Result<pd_cuda_emu::Stats, LaunchError> {
    let device = Device::new();
    let module = device.load(ptx).unwrap();
    let (d, x) = (floats(&device, &[1.0; 192]), floats(&device, &[1.0; 192]));
    let arguments: [&[u8]; 3] = [&d.to_le_bytes(), &x.to_le_bytes(), &count.to_le_bytes()];
    device.launch(&module, "advance", Shape::row(1, 128), &arguments)
}

#[test]
fn an_access_out_of_bounds() {
    advance(f32::PTX, 64).unwrap();
    assert!(matches!(fault(advance(f32::PTX, 65)), FaultKind::Access { .. }));
    // And where the kernel forgets to look at its count.
    let unguarded = change("advance", |text| {
        let guard = text.lines().find(|line| line.contains("bra") && line.contains('@')).unwrap().to_owned();
        text.replacen(&guard, "", 1)
    });
    assert!(matches!(fault(advance(&unguarded, 64)), FaultKind::Access { .. }));
}

/// Adds two springs that share a vertex into b.
fn scatter(ptx: &str) -> Result<pd_cuda_emu::Stats, LaunchError> {
    let device = Device::new();
    let module = device.load(ptx).unwrap();
    // Entry k of element e at k * 2 + e: springs (0, 1) and (1, 2).
    let vertices = ints(&device, &[0, 1, 1, 2]);
    let coefficients = floats(&device, &[1.0, 1.0, -1.0, -1.0]);
    let (counts, weights) = (ints(&device, &[2, 2]), floats(&device, &[1.0, 1.0]));
    let (rows, b) = (floats(&device, &[1.0; 6]), floats(&device, &[0.0; 9]));
    let pointers = [vertices, coefficients, counts, weights, rows, b].map(u64::to_le_bytes);
    let (one, two) = (1i32.to_le_bytes(), 2i32.to_le_bytes());
    let mut arguments: Vec<&[u8]> = pointers.iter().map(|p| &p[..]).collect();
    arguments.extend([&one[..], &two[..]]);
    device.launch(&module, "scatter_add", Shape::row(1, 32), &arguments)
}

#[test]
fn a_scatter_that_is_not_atomic() {
    scatter(f32::PTX).unwrap();
    // atom.global.add.f32 %old, [address], %value  →  load, add, store.
    let ptx = change("scatter_add", |text| {
        let plain = |line: &str| -> String {
            let Some((_, operands)) = line.split_once("atom.global.add.f32") else { return line.to_owned() };
            let operands: Vec<&str> =
                operands.trim().trim_end_matches(';').split(',').map(str::trim).collect();
            let (old, address, value) = (operands[0], operands[1], operands[2]);
            format!(
                "ld.global.f32 {old}, {address};\nadd.f32 {old}, {old}, {value};\nst.global.f32 {address}, {old};"
            )
        };
        text.lines().map(plain).collect::<Vec<_>>().join("\n")
    });
    let kind = fault(scatter(&ptx));
    assert!(matches!(kind, FaultKind::Race { .. }), "{kind}");
}

#[test]
fn a_wrong_number_or_size_of_arguments() {
    let device = Device::new();
    let module = device.load(f32::PTX).unwrap();
    let x = floats(&device, &[1.0; 192]);
    let launch = |arguments: &[&[u8]]| device.launch(&module, "advance", Shape::row(1, 32), arguments);
    let (pointer, count) = (x.to_le_bytes(), 10i32.to_le_bytes());
    assert!(matches!(
        launch(&[&pointer, &count]),
        Err(LaunchError::ArgumentCount { expected: 3, found: 2, .. })
    ));
    assert!(matches!(
        launch(&[&pointer, &count, &count]),
        Err(LaunchError::ArgumentSize { index: 1, expected: 8, found: 4, .. })
    ));
    // A block larger than the kernel was compiled for.
    let large = Shape::row(1, 512);
    let arguments: [&[u8]; 4] = [&pointer, &pointer, &count, &count];
    assert!(matches!(
        device.launch(&module, "reduce_sum", large, &arguments),
        Err(LaunchError::Shape { .. })
    ));
}
