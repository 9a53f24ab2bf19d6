//! Times that can be compared on a busy machine: the thread's own processor time, the least of interleaved rounds.

use std::time::Instant;

/// Processor time of this thread, s; wall time where the system has no such clock.
pub fn cpu_seconds() -> f64 {
    #[cfg(unix)]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call writes one timespec.
        if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } == 0 {
            return time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64;
        }
    }
    wall_seconds()
}

/// Wall time since some moment, s.
pub fn wall_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Least time of each run, s, over rounds that take them in turn for `budget` seconds, at least three rounds.
pub fn least(budget: f64, clock: fn() -> f64, runs: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; runs.len()];
    let begun = Instant::now();
    for round in 0.. {
        if round >= 3 && begun.elapsed().as_secs_f64() > budget {
            break;
        }
        for (run, best) in runs.iter_mut().zip(&mut best) {
            let started = clock();
            run();
            *best = best.min(clock() - started);
        }
    }
    best
}

/// Read bandwidth of one thread over a working set of so many bytes, bytes/s.
pub fn bandwidth(bytes: usize) -> f64 {
    let data = vec![1.0f64; (bytes / 8).max(64)];
    let repeats = (64 << 20) / bytes.max(1) + 1;
    let mut sum = || {
        for _ in 0..repeats {
            let mut lanes = [0.0; 32];
            for chunk in std::hint::black_box(&data).as_chunks::<32>().0 {
                for k in 0..32 {
                    lanes[k] += chunk[k];
                }
            }
            std::hint::black_box(lanes);
        }
    };
    (repeats * data.len() * 8) as f64 / least(0.1, cpu_seconds, &mut [&mut sum])[0]
}
