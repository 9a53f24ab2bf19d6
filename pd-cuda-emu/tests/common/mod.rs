//! A bench for single instructions: each thread gets three values and leaves one.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests stop at the first surprise")]
#![allow(dead_code, reason = "every test binary uses its own part")]

use pd_cuda_emu::{Device, LaunchError, Shape, Stats};

/// A module with the version lines.
pub(crate) fn module(body: &str) -> String {
    format!(".version 8.0\n.target sm_75\n.address_size 64\n{body}")
}

fn kernel(lines: &str, wide: bool) -> String {
    let widen = if wide { "" } else { "cvt.u64.u32 %D, %d;" };
    module(&format!(
        r"
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)
{{
    .reg .pred %p, %q;
    .reg .b16 %h<8>;
    .reg .b32 %a, %b, %c, %d, %e, %f, %t;
    .reg .b64 %A, %B, %C, %D, %E, %F, %T, %O;
    mov.u32 %t, %tid.x;
    mul.wide.u32 %O, %t, 8;
    ld.param.u64 %T, [pa]; add.s64 %T, %T, %O; ld.global.u64 %A, [%T]; cvt.u32.u64 %a, %A;
    ld.param.u64 %T, [pb]; add.s64 %T, %T, %O; ld.global.u64 %B, [%T]; cvt.u32.u64 %b, %B;
    ld.param.u64 %T, [pc]; add.s64 %T, %T, %O; ld.global.u64 %C, [%T]; cvt.u32.u64 %c, %C;
    mov.u32 %d, 0; mov.u64 %D, 0;
    {lines}
    {widen}
    ld.param.u64 %T, [pd]; add.s64 %T, %T, %O; st.global.u64 [%T], %D;
    ret;
}}"
    ))
}

fn run(lines: &str, wide: bool, cases: &[[u64; 3]]) -> Vec<u64> {
    let device = Device::new();
    let module = device.load(&kernel(lines, wide)).unwrap_or_else(|e| panic!("{lines}: {e}"));
    let n = cases.len();
    let column = |k: usize| {
        let bytes: Vec<u8> = cases.iter().flat_map(|c| c[k].to_le_bytes()).collect();
        let p = device.alloc(bytes.len() as u64).unwrap();
        device.write(p, &bytes).unwrap();
        p
    };
    let pointers = [column(0), column(1), column(2), column(0)].map(u64::to_le_bytes);
    let args: Vec<&[u8]> = pointers.iter().map(|p| p.as_slice()).collect();
    device.launch(&module, "k", Shape::row(1, n as u32), &args).unwrap_or_else(|e| panic!("{lines}: {e}"));
    let mut bytes = vec![0; 8 * n];
    device.read(u64::from_le_bytes(pointers[3]), &mut bytes).unwrap();
    bytes.chunks(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Runs instructions on `%a %b %c` (32 bits) and `%A %B %C` (64 bits), with the result in `%d`.
pub(crate) fn run32(lines: &str, cases: &[[u64; 3]]) -> Vec<u32> {
    run(lines, false, cases).into_iter().map(|v| v as u32).collect()
}

/// The same with the result in `%D`.
pub(crate) fn run64(lines: &str, cases: &[[u64; 3]]) -> Vec<u64> {
    run(lines, true, cases)
}

/// One case of 32 bits.
pub(crate) fn one32(lines: &str, a: u32, b: u32, c: u32) -> u32 {
    run32(lines, &[[a.into(), b.into(), c.into()]])[0]
}

/// One case of 64 bits.
pub(crate) fn one64(lines: &str, a: u64, b: u64, c: u64) -> u64 {
    run64(lines, &[[a, b, c]])[0]
}

/// One case of single-precision numbers.
pub(crate) fn single(lines: &str, a: f32, b: f32, c: f32) -> f32 {
    f32::from_bits(one32(lines, a.to_bits(), b.to_bits(), c.to_bits()))
}

/// One case of double-precision numbers.
pub(crate) fn double(lines: &str, a: f64, b: f64, c: f64) -> f64 {
    f64::from_bits(one64(lines, a.to_bits(), b.to_bits(), c.to_bits()))
}

/// Runs kernel `k` of a module with one buffer of 32-bit words as its only argument; returns the buffer.
pub(crate) fn buffer(ptx: &str, shape: Shape, words: &[u32]) -> Result<(Vec<u32>, Stats), LaunchError> {
    let device = Device::new();
    let module = device.load(&module(ptx)).unwrap_or_else(|e| panic!("{e}"));
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let p = device.alloc(bytes.len() as u64).unwrap();
    device.write(p, &bytes).unwrap();
    let stats = device.launch(&module, "k", shape, &[&p.to_le_bytes()])?;
    let mut out = vec![0; bytes.len()];
    device.read(p, &mut out).unwrap();
    Ok((out.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect(), stats))
}
