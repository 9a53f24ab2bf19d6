//! Queries with known answers, from the directories of the environment variable `PD_MODELS`: their sub-directory `ccd`
//! has `*_vf.bin.xz` and `*_ee.bin.xz` ("PDCCDQ01", number and kind as u32, eight points each as f64, a byte each for
//! the answer, all little-endian) and an archive of the hand-crafted sets of Wang et al. (2021) as rational numbers.
//! Unpacked by the program `xz`.

#![allow(clippy::unwrap_used, reason = "a file that is not what its name says should fail loudly")]

use pd_collide::ccd::{Ccd, EdgeEdge, PointTriangle};
use pd_core::{Real, Vec3};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Queries of one kind with exact answers, with closed primitives and times from 0 to 1.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) queries: Queries,
    /// Whether they touch.
    pub(crate) truth: Vec<bool>,
}

pub(crate) enum Queries {
    VertexTriangle(Vec<PointTriangle>),
    EdgeEdge(Vec<EdgeEdge>),
}

impl Set {
    fn new(name: String, edges: bool, points: &[[Vec3; 8]], truth: Vec<bool>) -> Self {
        let half = |x: &[Vec3; 8], from: usize| std::array::from_fn(|j| x[from + j]);
        let queries = if edges {
            let make = |x| EdgeEdge { start: half(x, 0), end: half(x, 4), separation: 0.0 };
            Queries::EdgeEdge(points.iter().map(make).collect())
        } else {
            let make = |x| PointTriangle { start: half(x, 0), end: half(x, 4), separation: 0.0 };
            Queries::VertexTriangle(points.iter().map(make).collect())
        };
        Set { name, queries, truth }
    }

    /// Answers of an algorithm.
    pub(crate) fn ask(&self, algorithm: &dyn Ccd, answers: &mut Vec<Option<Real>>) {
        match &self.queries {
            Queries::VertexTriangle(queries) => algorithm.vertex_triangles(queries, answers),
            Queries::EdgeEdge(queries) => algorithm.edge_edges(queries, answers),
        }
    }

    /// Numbers of false negatives and false positives.
    pub(crate) fn errors(&self, answers: &[Option<Real>]) -> (usize, usize) {
        let count = |truth: bool| {
            self.truth.iter().zip(answers).filter(|(t, a)| **t == truth && a.is_some() != truth).count()
        };
        (count(true), count(false))
    }
}

/// All sets, or why there are none.
pub(crate) fn load() -> Result<Vec<Set>, String> {
    let directory = std::env::split_paths(&std::env::var_os("PD_MODELS").unwrap_or_default())
        .map(|path| path.join("ccd"))
        .find(|path| path.is_dir())
        .ok_or("no directory of PD_MODELS has a sub-directory ccd")?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .map_err(|error| format!("{}: {error}", directory.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    files.sort();
    let mut sets = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".bin.xz") {
            sets.push(binary(name, &unpack(&file)?));
        } else if name.ends_with("csv.tar.xz") {
            sets.extend(rational(&unpack(&file)?));
        }
    }
    if sets.is_empty() { Err(format!("{} has no queries", directory.display())) } else { Ok(sets) }
}

fn unpack(file: &Path) -> Result<Vec<u8>, String> {
    let output = Command::new("xz").arg("-dc").arg(file).output().map_err(|error| format!("xz: {error}"))?;
    if output.status.success() { Ok(output.stdout) } else { Err(format!("xz fails on {}", file.display())) }
}

fn binary(name: &str, bytes: &[u8]) -> Set {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(&bytes[..8], b"PDCCDQ01", "{name}");
    let (len, edges) = (word(8) as usize, word(12) == 1);
    let number = |k: usize| Real::from_le_bytes(bytes[16 + 8 * k..24 + 8 * k].try_into().unwrap());
    let points: Vec<[Vec3; 8]> = (0..len)
        .map(|k| std::array::from_fn(|j| Vec3::from_fn(|axis, _| number(24 * k + 3 * j + axis))))
        .collect();
    let truth = (0..len).map(|k| bytes[16 + 192 * len + k] == 1).collect();
    Set::new(name.to_owned(), edges, &points, truth)
}

/// Two sets from an archive in the tar format, of files of one line per point.
fn rational(archive: &[u8]) -> [Set; 2] {
    let mut points = [Vec::new(), Vec::new()];
    let mut truth = [Vec::new(), Vec::new()];
    let mut at = 0;
    while at + 512 <= archive.len() && archive[at] != 0 {
        let text = |from: usize, len: usize| {
            let field = &archive[at + from..at + from + len];
            String::from_utf8_lossy(field).trim_matches(|c: char| c == '\0' || c == ' ').to_owned()
        };
        let (name, len) = (text(0, 100), usize::from_str_radix(&text(124, 12), 8).unwrap());
        let body = &archive[at + 512..at + 512 + len];
        if name.ends_with(".csv") {
            let kind = usize::from(name.contains("edge-edge"));
            let lines: Vec<Vec<Real>> = String::from_utf8_lossy(body)
                .lines()
                .map(|line| line.split(',').map(|field| field.trim().parse().unwrap()).collect())
                .collect();
            for query in lines.chunks_exact(8) {
                points[kind].push(std::array::from_fn(|j| {
                    Vec3::from_fn(|axis, _| query[j][2 * axis] / query[j][2 * axis + 1])
                }));
                truth[kind].push(query[0][6] != 0.0);
            }
        }
        at += 512 + len.div_ceil(512) * 512;
    }
    let [vf, ee] = truth;
    [
        Set::new("handcrafted_vf".to_owned(), false, &points[0], vf),
        Set::new("handcrafted_ee".to_owned(), true, &points[1], ee),
    ]
}
