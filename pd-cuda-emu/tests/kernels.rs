//! PTX made by NVRTC from real CUDA C++ (`data/kernels.cu`), against the same computation in Rust.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests stop at the first surprise")]

use pd_cuda_emu::{Device, Module, Shape, Stats};

const PTX: &str = include_str!("data/kernels.ptx");

/// A plain value that goes to the device as its bytes.
trait Plain: Copy {
    fn put(self, out: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! plain {
    ($($t:ty),*) => {$(
        impl Plain for $t {
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                <$t>::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )*};
}
plain!(i32, u32, u64, f32, f64);

struct Bench {
    device: Device,
    module: Module,
}

impl Bench {
    fn new() -> Self {
        let device = Device::new();
        let module = device.load(PTX).unwrap();
        Self { device, module }
    }

    fn upload<T: Plain>(&self, data: &[T]) -> u64 {
        let mut bytes = Vec::new();
        data.iter().for_each(|v| v.put(&mut bytes));
        let p = self.device.alloc(bytes.len() as u64).unwrap();
        self.device.write(p, &bytes).unwrap();
        p
    }

    fn download<T: Plain>(&self, p: u64, n: usize) -> Vec<T> {
        let size = size_of::<T>();
        let mut bytes = vec![0; n * size];
        self.device.read(p, &mut bytes).unwrap();
        bytes.chunks(size).map(T::get).collect()
    }

    /// Launches with pointers first, then an optional count.
    fn run(&self, kernel: &str, shape: Shape, pointers: &[u64], n: Option<i32>) -> Stats {
        let mut args: Vec<Vec<u8>> = pointers.iter().map(|p| p.to_le_bytes().to_vec()).collect();
        args.extend(n.map(|n| n.to_le_bytes().to_vec()));
        let args: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
        self.device.launch(&self.module, kernel, shape, &args).unwrap_or_else(|e| panic!("{e}"))
    }
}

/// Numbers that look random and are the same everywhere.
fn noise(seed: u64) -> impl FnMut() -> u64 {
    let mut s = seed;
    move || {
        s = s.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (s ^ (s >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn uniform(next: &mut impl FnMut() -> u64) -> f64 {
    (next() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
}

#[test]
fn jacobi_sweep_has_the_bits_of_the_same_sweep_in_rust() {
    let bench = Bench::new();
    let mut next = noise(1);
    let n = 777;
    let (mut start, mut column, mut value) = (vec![0i32], Vec::new(), Vec::new());
    for _ in 0..n {
        for _ in 0..next() % 9 {
            column.push((next() % n as u64) as i32);
            value.push(uniform(&mut next) as f32);
        }
        start.push(column.len() as i32);
    }
    let mut reals = |m: usize| (0..m).map(|_| uniform(&mut next) as f32).collect::<Vec<_>>();
    let (inverse, b, x) = (reals(n), reals(3 * n), reals(3 * n));
    let out = bench.upload(&vec![0f32; 3 * n]);
    let pointers = [
        bench.upload(&start),
        bench.upload(&column),
        bench.upload(&value),
        bench.upload(&inverse),
        bench.upload(&b),
        bench.upload(&x),
        out,
    ];
    bench.run("jacobi", Shape::row(n.div_ceil(128) as u32, 128), &pointers, Some(n as i32));
    let got = bench.download::<f32>(out, 3 * n);
    for i in 0..n {
        for c in 0..3 {
            let mut s = b[3 * i + c];
            for k in start[i] as usize..start[i + 1] as usize {
                // PTX writes `mul` then `sub` here; a device's compiler may fuse them, the interpreter does not.
                s -= value[k] * x[3 * column[k] as usize + c];
            }
            assert_eq!(got[3 * i + c].to_bits(), (inverse[i] * s).to_bits(), "row {i}, column {c}");
        }
    }
}

#[test]
fn reduction_adds_in_the_order_of_the_shuffles() {
    let bench = Bench::new();
    let mut next = noise(2);
    let n = 1000usize;
    let x: Vec<f64> = (0..n).map(|_| uniform(&mut next)).collect();
    let (blocks, threads) = (4usize, 256usize);
    let partial = bench.upload(&vec![0f64; blocks]);
    let dx = bench.upload(&x);
    bench.run("norm2", Shape::row(4, 256), &[dx, partial], Some(n as i32));
    let got = bench.download::<f64>(partial, blocks);
    for b in 0..blocks {
        let mut total = 0.0;
        for w in 0..threads / 32 {
            let mut lanes: Vec<f64> =
                (0..32).map(|l| x.get(b * threads + w * 32 + l).map_or(0.0, |v| v * v)).collect();
            for o in [16, 8, 4, 2, 1] {
                let before = lanes.clone();
                for l in 0..32 {
                    lanes[l] += if l + o < 32 { before[l + o] } else { before[l] };
                }
            }
            total += lanes[0];
        }
        assert_eq!(got[b].to_bits(), total.to_bits());
    }
}

#[test]
fn vectors_go_through_dynamic_shared_memory() {
    let bench = Bench::new();
    let data: Vec<f32> = (0..4 * 128).map(|k| k as f32).collect();
    let p = bench.upload(&data);
    bench.run("reverse4", Shape { grid: [2, 1, 1], block: [64, 1, 1], shared: 64 * 16 }, &[p], None);
    let got = bench.download::<f32>(p, data.len());
    for t in 0..128 {
        let from = t / 64 * 64 + 63 - t % 64;
        assert_eq!(got[4 * t..4 * t + 4], data[4 * from..4 * from + 4]);
    }
}

#[test]
fn functions_are_called_by_some_lanes_and_by_themselves() {
    let bench = Bench::new();
    let input: Vec<i32> = (0..64).map(|k| 7 * k + 1).collect();
    let (out, steps) = (bench.upload(&vec![0f64; 64]), bench.upload(&vec![0i32; 64]));
    bench.run("calls", Shape::row(1, 64), &[bench.upload(&input), out, steps], None);
    let (out, steps) = (bench.download::<f64>(out, 64), bench.download::<i32>(steps, 64));
    for i in 0..64 {
        let (mut v, mut n) = (input[i] as u32, 0);
        while v > 1 {
            v = if v & 1 == 1 { 3 * v + 1 } else { v / 2 };
            n += 1;
        }
        let expected = if i % 3 == 0 { (i as f64, input[i]) } else { (i as f64 + 0.5 * n as f64, n) };
        assert_eq!((out[i], steps[i]), expected, "thread {i}");
    }
    let f = bench.upload(&[0i32; 40]);
    bench.run("recursion", Shape::row(1, 40), &[f], None);
    let fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89];
    let got = bench.download::<i32>(f, 40);
    assert!(got.iter().enumerate().all(|(k, &v)| v == fibonacci[k % 12]), "{got:?}");
}

#[test]
fn branches_local_arrays_and_constants() {
    let bench = Bench::new();
    let mut next = noise(3);
    let n = 500;
    let x: Vec<f32> = (0..n).map(|_| 10.0 * uniform(&mut next) as f32).collect();
    let op: Vec<i32> = (0..n).map(|_| (next() % 8) as i32).collect();
    let (host, len) = bench.module.global("weights_set_by_host").unwrap();
    assert_eq!(len, 16);
    let mut bytes = Vec::new();
    [1.5f32, -2.5, 3.5, -4.5].iter().for_each(|v| v.put(&mut bytes));
    bench.device.write(host, &bytes).unwrap();
    let out = bench.upload(&vec![0f32; n]);
    bench.run("table", Shape::row(8, 64), &[bench.upload(&op), bench.upload(&x), out], Some(n as i32));
    let got = bench.download::<f32>(out, n);
    let w = [1.0f32, 0.5, 0.25, 0.125, 2.0, 4.0, 8.0, 16.0];
    for i in 0..n {
        let x = x[i];
        let expected = match op[i] {
            0 => x * w[(i * 5) & 7],
            1 => x.abs().sqrt(),
            2 => x.floor() + x.ceil(),
            3 => x.min(0.25) * x.max(-0.5),
            4 => x.round_ties_even() - x.trunc(),
            5 => x * w[(i + 1) & 7] + 1.0,
            6 => 3f32.copysign(x),
            _ => [1.5, -2.5, 3.5, -4.5][i & 3],
        };
        // The compiler may contract the sum of case 5 into an fma.
        assert!(
            (got[i] - expected).abs() <= 1e-6 * expected.abs(),
            "{i}: op {} of {x}: {} {expected}",
            op[i],
            got[i]
        );
    }
}

#[test]
fn library_functions_agree_with_the_host() {
    let bench = Bench::new();
    let mut next = noise(4);
    let mut x: Vec<f64> = (0..200).map(|_| 10.0 * uniform(&mut next)).collect();
    x.extend([0.0, -0.0, 1e-9, 9.99, 1e-300]);
    let n = x.len();
    let (out, outf) = (bench.upload(&vec![0f64; 8 * n]), bench.upload(&vec![0f32; 8 * n]));
    bench.run(
        "functions",
        Shape::row(n.div_ceil(64) as u32, 64),
        &[bench.upload(&x), out, outf],
        Some(n as i32),
    );
    let (out, outf) = (bench.download::<f64>(out, 8 * n), bench.download::<f32>(outf, 8 * n));
    for i in 0..n {
        let v = x[i];
        let f = f64::from(v as f32);
        let expected = [
            v.exp(),
            (v.abs() + 0.1).ln(),
            v.sin(),
            v.cos(),
            (v.abs() + 0.5).powf(1.7),
            v.cbrt(),
            v.atan2(0.3),
            (v / 10.0).acos(),
        ];
        let single = [
            f.exp(),
            (f.abs() + f64::from(0.1f32)).ln(),
            f.sin(),
            f.cos(),
            (f.abs() + 0.5).powf(f64::from(1.7f32)),
            f.cbrt(),
            f.atan2(f64::from(0.3f32)),
            1.0 / (f.abs() + f64::from(0.1f32)).sqrt(),
        ];
        for k in 0..8 {
            let (e, g) = (expected[k], out[8 * i + k]);
            assert!((g - e).abs() <= 4e-15 * e.abs().max(1e-3), "double {k} of {v}: {g} {e}");
            let (e, g) = (single[k], f64::from(outf[8 * i + k]));
            assert!((g - e).abs() <= 1e-6 * e.abs().max(0.2), "single {k} of {v}: {g} {e}");
        }
    }
}

#[test]
fn integers_agree_with_rust() {
    let bench = Bench::new();
    let mut next = noise(5);
    let n = 300;
    let a: Vec<u64> = (0..n).map(|k| next() >> (k % 60)).collect();
    let b: Vec<u64> = (0..n).map(|k| next() >> ((k * 7) % 60)).collect();
    let out = bench.upload(&vec![0u64; 12 * n]);
    bench.run("integers", Shape::row(5, 64), &[bench.upload(&a), bench.upload(&b), out], Some(n as i32));
    let got = bench.download::<u64>(out, 12 * n);
    for i in 0..n {
        let (x, y) = (a[i], b[i]);
        let (p, q) = (x as u32, y as u32);
        let pair = (u64::from(q) << 32) | u64::from(p);
        let bytes = pair.to_le_bytes();
        let permuted = u32::from_le_bytes([bytes[5], bytes[1], bytes[7], bytes[3]]);
        let first_set = if q == 0 { 0 } else { q.trailing_zeros() + 1 };
        let ratio = (f64::from(p as i32) / 7.0).round_ties_even() as i32;
        let expected = [
            x / (y | 1),
            x % (y | 1),
            ((u128::from(x) * u128::from(y)) >> 64) as u64,
            (x as i64 / (y | 1) as i64) as u64,
            u64::from(x.count_ones()) + 100 * u64::from(p.leading_zeros()) + 10000 * u64::from(first_set),
            (u64::from(p.reverse_bits()) << 32) | u64::from(permuted),
            (u64::from(((pair << (p & 31)) >> 32) as u32) << 32) | u64::from((pair >> (q & 31)) as u32),
            (i64::from(x as i16) as u64).wrapping_add(u64::from(y as u8)),
            ((x as i64) >> (y & 63)) as u64,
            (i64::from(ratio) as u64).wrapping_add(i64::from((p as i16).wrapping_mul(q as i16)) as u64),
            (i64::from((p as i32).max(q as i32)) as u64).wrapping_add(x.min(y)),
            (i64::from(((i64::from(p as i32) * i64::from(q as i32)) >> 32) as i32) as u64)
                ^ u64::from(p % (q | 1)),
        ];
        assert_eq!(got[12 * i..12 * i + 12], expected, "{x:#x} {y:#x}");
    }
}

#[test]
fn atomics_of_many_blocks_add_up() {
    let bench = Bench::new();
    let n = 700;
    let input: Vec<i32> = (0..n).map(|k| (k * 37 % 101) - 50).collect();
    let counts = bench.upload(&[0u32; 6]);
    let (sum, dsum) = (bench.upload(&[0f32]), bench.upload(&[0f64]));
    let (extremes, wide) = (bench.upload(&[0i32, 0]), bench.upload(&[0u64, 0]));
    let pointers = [counts, sum, dsum, extremes, wide, bench.upload(&input)];
    bench.run("atomics", Shape::row(6, 128), &pointers, Some(n));
    let total: i32 = input.iter().sum();
    let counts = bench.download::<u32>(counts, 6);
    for c in 0..4 {
        assert_eq!(counts[c], input.iter().filter(|&&v| v & 3 == c as i32).count() as u32);
    }
    assert_eq!(counts[4..], [7, u32::MAX]);
    assert_eq!(bench.download::<f32>(sum, 1)[0], total as f32);
    assert_eq!(bench.download::<f64>(dsum, 1)[0], 0.5 * f64::from(total));
    assert_eq!(bench.download::<i32>(extremes, 2), [-50, 50]);
    assert_eq!(bench.download::<u64>(wide, 2), [(n as u64 - 1) * n as u64 / 2, 1]);
    let (accumulator, _) = bench.module.global("accumulator").unwrap();
    assert_eq!(bench.download::<f64>(accumulator, 1)[0], f64::from(n));
}

#[test]
fn votes_shuffles_and_reducing_barriers() {
    let bench = Bench::new();
    let n = 64usize;
    let input: Vec<i32> = (0..n as i32).map(|k| (k * 29 % 41) - 20).collect();
    let out = bench.upload(&vec![0i32; 8 * n]);
    bench.run("warps", Shape::row(1, n as u32), &[bench.upload(&input), out], None);
    let got = bench.download::<i32>(out, 8 * n);
    for t in 0..n {
        let (w, l) = (t / 32 * 32, t % 32);
        let ballot = (0..32).fold(0u32, |b, k| b | u32::from(input[w + k] > 0) << k);
        let up = if l % 8 >= 3 { input[t - 3] } else { input[t] };
        let indexed = input[w + (l & 16) + (t * 7) % 16];
        let positive = input.iter().filter(|&&v| v > 0).count() as i32;
        let expected = [ballot as i32, 2, up, input[w + (l ^ 5)], indexed, positive, 0, 1];
        let g = &got[8 * t..8 * t + 8];
        let g: Vec<i32> =
            g.iter().enumerate().map(|(k, &v)| if k >= 6 { i32::from(v != 0) } else { v }).collect();
        assert_eq!(g, expected, "thread {t}");
    }
}

#[test]
fn three_dimensions_of_blocks_and_threads() {
    let bench = Bench::new();
    let (grid, block) = ([2, 3, 2], [5, 3, 4]);
    let out = bench.upload(&vec![0u32; 12 * 60]);
    bench.run("indices", Shape { grid, block, shared: 0 }, &[out], None);
    let got = bench.download::<u32>(out, 12 * 60);
    assert!(got.iter().enumerate().all(|(k, &v)| v == (k as u32 / 60) * 1000 + k as u32 % 60));
}
