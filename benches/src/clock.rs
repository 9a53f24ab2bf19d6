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

/// Least times of a run that repeats and of one that does not, s.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Repeated at once: what it needs is in the caches as far as it fits.
    pub warm: f64,
    /// After all others had their turn.
    pub cold: f64,
}

/// Runs in consecutive repeats of one turn: the first is cold, the others are warm. A frame of projective dynamics has
/// as many solves.
pub const REPEATS: usize = 10;

/// Least warm and cold time of each run, over rounds that give each a turn of [`REPEATS`], for `budget` seconds and at
/// least three rounds.
pub fn warm_and_cold(budget: f64, clock: fn() -> f64, runs: &mut [&mut dyn FnMut()]) -> Vec<Times> {
    let mut best = vec![Times { warm: f64::INFINITY, cold: f64::INFINITY }; runs.len()];
    let begun = Instant::now();
    for round in 0.. {
        if round >= 3 && begun.elapsed().as_secs_f64() > budget {
            break;
        }
        for (run, best) in runs.iter_mut().zip(&mut best) {
            for repeat in 0..REPEATS {
                let started = clock();
                run();
                let time = clock() - started;
                let least = if repeat == 0 { &mut best.cold } else { &mut best.warm };
                *least = least.min(time);
            }
        }
    }
    best
}

/// Asks the system for large pages behind an array that was not written yet; a refusal changes nothing but speed.
fn prefer_large_pages(data: &mut Vec<f64>) {
    #[cfg(target_os = "linux")]
    // SAFETY: whole pages inside one allocation of ours; the advice leaves their contents alone.
    unsafe {
        let page = 4096;
        let start = (data.as_mut_ptr() as usize).next_multiple_of(page);
        let end = (data.as_mut_ptr() as usize + 8 * data.capacity()) / page * page;
        if end > start {
            libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = data;
}

/// Read bandwidth of one thread over a working set of so many bytes, bytes/s, on pages of 2 MB where the system has
/// them: the memory's speed, not that of address translation.
pub fn bandwidth(bytes: usize) -> f64 {
    let length = (bytes / 8).max(64);
    let mut data = Vec::with_capacity(length + (4 << 20) / 8);
    prefer_large_pages(&mut data);
    data.resize(length + (2 << 20) / 8, 1.0f64);
    // From a large page's start: what lies before may be on small ones.
    let skip = data.as_ptr().align_offset(2 << 20).min((2 << 20) / 8);
    let data = &data[skip..skip + length];
    let repeats = (64 << 20) / bytes.max(1) + 1;
    let mut sum = || {
        for _ in 0..repeats {
            let mut lanes = [0.0; 32];
            for chunk in std::hint::black_box(data).as_chunks::<32>().0 {
                for k in 0..32 {
                    lanes[k] += chunk[k];
                }
            }
            std::hint::black_box(lanes);
        }
    };
    (repeats * data.len() * 8) as f64 / least(0.1, cpu_seconds, &mut [&mut sum])[0]
}
