//! Machine, revision and date of a report.

use crate::device_name;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where and when a report was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Processor.
    pub processor: String,
    /// Threads the system offers.
    pub threads: usize,
    /// Vector instructions found.
    pub simd: String,
    /// Memory, GB, rounded.
    pub memory_gb: u64,
    /// Operating system.
    pub system: String,
    /// CUDA device, if there is one.
    pub device: Option<String>,
    /// Version of this program.
    pub version: String,
    /// Git revision of this workspace, if the current directory is in it, with "+changes" where files other than
    /// documents (which reports themselves write) differ from it; otherwise "unknown".
    pub revision: String,
    /// Day in universal time, YYYY-MM-DD.
    pub date: String,
}

impl Machine {
    /// This machine, now.
    pub fn here() -> Self {
        Self {
            processor: from_file("/proc/cpuinfo", "model name")
                .unwrap_or_else(|| std::env::consts::ARCH.into()),
            threads: threads(),
            simd: simd(),
            memory_gb: memory_gb(),
            system: system(),
            device: device_name(),
            version: env!("CARGO_PKG_VERSION").into(),
            revision: revision().unwrap_or_else(|| "unknown".into()),
            date: today(),
        }
    }

    /// One line for captions: date, processor, threads, revision.
    pub fn line(&self) -> String {
        let threads = if self.threads == 1 { "1 thread".into() } else { format!("{} threads", self.threads) };
        let device = self.device.as_deref().unwrap_or("no CUDA device");
        format!(
            "{}, {}, {threads}, {} GB, {device}, revision {}",
            self.date, self.processor, self.memory_gb, self.revision
        )
    }
}

/// Threads the system offers.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn simd() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let found = [
            ("AVX2", is_x86_feature_detected!("avx2")),
            ("FMA", is_x86_feature_detected!("fma")),
            ("F16C", is_x86_feature_detected!("f16c")),
            ("AVX-512", is_x86_feature_detected!("avx512f")),
        ];
        found.iter().filter(|f| f.1).map(|f| f.0).collect::<Vec<_>>().join(" ")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        String::new()
    }
}

/// The value after the first `key` and its colon.
fn from_file(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn memory_gb() -> u64 {
    let kib =
        from_file("/proc/meminfo", "MemTotal").and_then(|v| v.trim_end_matches("kB").trim().parse().ok());
    kib.map_or(0, |kib: u64| (kib * 1024 + 500_000_000) / 1_000_000_000)
}

fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.map_or_else(|| std::env::consts::OS.to_owned(), |name| name.trim_matches('"').to_owned())
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn revision() -> Option<String> {
    // Another project's revision would say nothing about this one.
    let root = git(&["rev-parse", "--show-toplevel"])?;
    if !Path::new(&root).join("pd-tables/Cargo.toml").is_file() {
        return None;
    }
    let revision = git(&["rev-parse", "--short=10", "HEAD"])?;
    let sources = [":/", ":(top,exclude)docs", ":(top,exclude)*.md"];
    let changes = git(&[&["status", "--porcelain", "--untracked-files=no", "--"], &sources[..]].concat())?;
    Some(if changes.is_empty() { revision } else { revision + "+changes" })
}

fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (year, month, day) = civil((seconds / 86_400) as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month, day of a number of days since 1970-01-01, in the Gregorian calendar. Years are counted from March, so
/// that the leap day ends them.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468; // since 0000-03-01
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_088, (2024, 12, 31)),
            (-1, (1969, 12, 31)),
        ] {
            assert_eq!(civil(days), date);
        }
    }
}
