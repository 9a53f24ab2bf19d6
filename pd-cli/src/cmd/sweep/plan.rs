//! The sweep file, and the runs it defines.

use crate::failure::Failure;
use pd_sim::scene::settings::Origin;
use pd_sim::scene::{SceneDesc, Setting, read_desc, with_settings};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum number of runs of one sweep, so that a typing error does not fill a disk.
const MAX_RUNS: usize = 1_000_000;

/// The file. Unknown keys are errors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Desc {
    /// Name of a built-in scene, or a TOML file beside this one.
    scene: String,
    /// Frames of each run; default: that of the scene.
    frames: Option<u64>,
    /// Keys and their values: every combination is run.
    #[serde(default)]
    axes: BTreeMap<String, Axis>,
    /// Randomly sampled keys.
    #[serde(default)]
    random: BTreeMap<String, Draw>,
    /// Random samples for every combination of the axes; default 1.
    #[serde(default = "one")]
    samples: usize,
    /// Seed of the random numbers.
    #[serde(default)]
    seed: u64,
    /// Output that is kept of each run.
    keep: Option<Keep>,
}

fn one() -> usize {
    1
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Axis {
    Values(Vec<toml::Value>),
    Linear { linear: [f64; 2], count: usize },
    Log { log: [f64; 2], count: usize },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Draw {
    Uniform { uniform: [f64; 2] },
    LogUniform { log_uniform: [f64; 2] },
}

/// Frames kept as frames.npz.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Keep {
    /// Interval in frames.
    pub(super) every: u64,
}

/// All runs of a sweep, in order.
pub(super) struct Plan {
    pub(super) scene: String,
    pub(super) frames: u64,
    pub(super) keep: Option<Keep>,
    pub(super) directory: Option<PathBuf>,
    pub(super) runs: Vec<Run>,
}

/// One run: its values, and a name derived from everything that determines its result.
pub(super) struct Run {
    pub(super) id: String,
    pub(super) set: Vec<(String, toml::Value)>,
    /// The scene, or why it is invalid.
    pub(super) desc: Result<SceneDesc, String>,
}

impl Run {
    pub(super) fn object(&self) -> serde_json::Value {
        self.set.iter().map(|(key, value)| (key.clone(), serde_json::json!(value))).collect()
    }

    pub(super) fn describe(&self) -> String {
        self.set.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    }
}

impl Plan {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, error))?;
        let wrong = |what: String| Failure::file(path, what);
        let file: Desc = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let beside = path.parent().map(|parent| parent.join(&file.scene)).filter(|beside| beside.is_file());
        let scene = beside.map_or(file.scene.clone(), |beside| beside.to_string_lossy().into_owned());
        let (base, directory) = read_desc(&scene)?;
        let frames = file.frames.unwrap_or(base.frames as u64);
        if file.keep.is_some_and(|keep| keep.every == 0) {
            return Err(wrong("keep.every must be at least 1".to_owned()));
        }
        let mut axes = vec![];
        for (key, axis) in &file.axes {
            axes.push((key.clone(), values(axis).map_err(|what| wrong(format!("axes.{key}: {what}")))?));
        }
        for (key, draw) in &file.random {
            check(draw).map_err(|what| wrong(format!("random.{key}: {what}")))?;
        }
        let combinations = axes.iter().try_fold(1usize, |n, (_, values)| n.checked_mul(values.len()));
        let total = combinations.and_then(|n| n.checked_mul(file.samples)).filter(|&n| n <= MAX_RUNS);
        let total = total.ok_or_else(|| wrong(format!("more than {MAX_RUNS} runs")))?;
        let mut runs: Vec<Run> = Vec::with_capacity(total);
        for number in 0..total {
            let mut set = vec![];
            let mut rest = number / file.samples;
            for (key, values) in &axes {
                set.push((key.clone(), values[rest % values.len()].clone()));
                rest /= values.len();
            }
            for (k, (key, draw)) in file.random.iter().enumerate() {
                set.push((key.clone(), toml::Value::Float(drawn(draw, file.seed, number, k))));
            }
            let run = make(&scene, &base, frames, file.keep, set);
            // A value that is listed twice is one run.
            if runs.iter().all(|other| other.id != run.id) {
                runs.push(run);
            }
        }
        Ok(Self { scene, frames, keep: file.keep, directory, runs })
    }
}

fn make(
    scene: &str,
    base: &SceneDesc,
    frames: u64,
    keep: Option<Keep>,
    set: Vec<(String, toml::Value)>,
) -> Run {
    let settings: Vec<Setting> = set
        .iter()
        .map(|(key, value)| Setting { origin: Origin::Set, key: key.clone(), value: value.clone() })
        .collect();
    let desc = with_settings(scene, base.clone(), &settings).map_err(|error| error.to_string());
    // A refused run has no scene of its own; its values name it.
    let what = match &desc {
        Ok(desc) => format!("{desc:?}"),
        Err(_) => format!("{base:?} {set:?}"),
    };
    let every = keep.map_or(0, |keep| keep.every);
    let id = hash(&format!("{} {frames} {every} {what}", env!("CARGO_PKG_VERSION")));
    Run { id, set, desc }
}

/// FNV-1a in two lanes, as 32 hexadecimal digits.
fn hash(text: &str) -> String {
    let lane = |start: u64| {
        text.bytes()
            .fold(start, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(5))
    };
    format!("{:016x}{:016x}", lane(0xcbf2_9ce4_8422_2325), lane(0x9e37_79b9_7f4a_7c15))
}

fn values(axis: &Axis) -> Result<Vec<toml::Value>, String> {
    let between = |[a, b]: [f64; 2], count: usize, f: fn(f64) -> f64, back: fn(f64) -> f64| {
        let at = |k: usize| if count == 1 { 0.0 } else { k as f64 / (count - 1) as f64 };
        let value = |k: usize| match k {
            0 => a,
            k if k + 1 == count => b,
            k => back(f(a) + (f(b) - f(a)) * at(k)),
        };
        (0..count).map(|k| toml::Value::Float(value(k))).collect::<Vec<_>>()
    };
    let made = match axis {
        Axis::Values(values) => values.clone(),
        Axis::Linear { linear, count } => between(*linear, *count, |x| x, |x| x),
        Axis::Log { log, count } => {
            if !(log[0] > 0.0 && log[1] > 0.0) {
                return Err("log needs positive ends".to_owned());
            }
            between(*log, *count, f64::ln, f64::exp)
        }
    };
    if made.is_empty() { Err("no values".to_owned()) } else { Ok(made) }
}

fn check(draw: &Draw) -> Result<(), String> {
    match draw {
        Draw::Uniform { uniform: [a, b] } if a < b => Ok(()),
        Draw::LogUniform { log_uniform: [a, b] } if 0.0 < *a && a < b => Ok(()),
        _ => Err("two ends in ascending order were expected, positive ones for log_uniform".to_owned()),
    }
}

/// A number that depends only on seed, run and key, so that every slice samples the same (SplitMix64 of a counter).
fn drawn(draw: &Draw, seed: u64, run: usize, key: usize) -> f64 {
    let mut z = seed.wrapping_add((run as u64 * 1024 + key as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
    match *draw {
        Draw::Uniform { uniform: [a, b] } => a + (b - a) * unit,
        Draw::LogUniform { log_uniform: [a, b] } => (a.ln() + (b / a).ln() * unit).exp(),
    }
}
