//! glTF 2.0 as `.glb`: a node for every part and every shape, each with its name and colour.
//!
//! Of a part frame 0 is the mesh and every later frame a morph target, the displacement of positions and normals from it; at
//! frame k the weight of target k is 1 and all others are 0, in between the viewer blends. Shapes move by their nodes. All
//! parts share one array of weights, which grows with the square of the frames (0.4 MB for 300, 36 MB for 3,000).

use super::names::json;
use super::{Film, FilmError, Part, Rigid, linear};
use crate::{TriMesh, Vec3};
use std::io::{BufWriter, Write};

/// The format uses 32-bit sizes.
const MOST: u64 = u32::MAX as u64;

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;

/// Estimated file size, to reject a run before it starts.
#[must_use]
pub fn glb_bytes(frames: u64, vertices: u64, triangles: u64) -> u64 {
    let of_frame = vertices.saturating_mul(24).saturating_add(400);
    frames
        .saturating_mul(of_frame)
        .saturating_add(frames.saturating_mul(frames).saturating_mul(4))
        .saturating_add(triangles.saturating_mul(12))
}

/// Writes a run as an animation for any viewer of 3D models.
///
/// # Errors
/// An inconsistent film or takes more than 4 GiB; errors of the writer.
pub fn write_glb_film(out: impl Write, film: &Film) -> std::io::Result<()> {
    film.check()?;
    let (parts, rigid, times, frames) = (&film.parts, &film.rigid, &film.times, &film.frames);
    let mut file = File::default();
    let moving = frames.len() > 1;
    if moving {
        // Viewers start their clocks at zero.
        let seconds: Vec<f32> = times.iter().map(|t| (t - times[0]) as f32).collect();
        file.times = file.numbers(&seconds, 1, None, true);
    }
    let weights = (moving && !parts.is_empty()).then(|| {
        let targets = frames.len() - 1;
        let weight = |k: usize, target: usize| f32::from(u8::from(target + 1 == k));
        let rows: Vec<f32> = (0..=targets).flat_map(|k| (0..targets).map(move |t| weight(k, t))).collect();
        file.numbers(&rows, 1, None, false)
    });
    for part in parts {
        file.part(part, frames, weights);
    }
    for shape in rigid {
        file.shape(shape);
    }
    file.finish(out, frames)
}

/// The file while it grows: lists of JSON objects, and the numbers they describe.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
    nodes: Vec<String>,
    meshes: Vec<String>,
    materials: Vec<String>,
    samplers: Vec<String>,
    channels: Vec<String>,
    /// Accessor of the times.
    times: usize,
}

impl File {
    /// Appends 32-bit floats, `width` to an element; returns their accessor. `target` says what a buffer is for.
    fn numbers(&mut self, values: &[f32], width: usize, target: Option<u32>, bounded: bool) -> usize {
        let mut bounds = String::new();
        if bounded {
            let fold = |pick: fn(f32, f32) -> f32| -> String {
                let of = |k: usize| values.iter().skip(k).step_by(width).copied().reduce(pick).unwrap_or(0.0);
                (0..width).map(|k| of(k).to_string()).collect::<Vec<_>>().join(",")
            };
            bounds = format!(",\"min\":[{}],\"max\":[{}]", fold(f32::min), fold(f32::max));
        }
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
        let raw = values.iter().flat_map(|v| v.to_le_bytes());
        self.accessor(raw, FLOAT, kind, values.len() / width, target, &bounds)
    }

    /// Appends raw numbers; all have four bytes, so everything stays aligned.
    fn accessor(
        &mut self,
        raw: impl Iterator<Item = u8>,
        component: u32,
        kind: &str,
        count: usize,
        target: Option<u32>,
        bounds: &str,
    ) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(raw);
        let length = self.bytes.len() - start;
        let target = target.map_or(String::new(), |target| format!(",\"target\":{target}"));
        self.views.push(format!("{{\"buffer\":0,\"byteOffset\":{start},\"byteLength\":{length}{target}}}"));
        self.accessors.push(format!(
            "{{\"bufferView\":{},\"componentType\":{component},\"count\":{count},\"type\":\"{kind}\"{bounds}}}",
            self.views.len() - 1
        ));
        self.accessors.len() - 1
    }

    fn vectors(&mut self, values: impl Iterator<Item = [f32; 3]>, bounded: bool) -> usize {
        let values: Vec<f32> = values.flatten().collect();
        self.numbers(&values, 3, Some(34962), bounded)
    }

    fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let raw = triangles.iter().flatten().flat_map(|v| v.to_le_bytes());
        self.accessor(raw, UNSIGNED, "SCALAR", triangles.len() * 3, Some(34963), "")
    }

    fn material(&mut self, name: &str, colour: [f64; 3]) -> usize {
        let [r, g, b] = colour.map(|c| linear(c) as f32);
        self.materials.push(format!(
            "{{\"name\":{},\"doubleSided\":true,\"pbrMetallicRoughness\":{{\"baseColorFactor\":[{r},{g},{b},1],\
             \"metallicFactor\":0,\"roughnessFactor\":0.8}}}}",
            json(name)
        ));
        self.materials.len() - 1
    }

    fn part(&mut self, part: &Part, frames: &[Vec<Vec3>], weights: Option<usize>) {
        let normals = |x: &[Vec3]| normals(x, &part.triangles);
        let start = part.of(&frames[0]);
        let (base, facing) = (rounded(start), normals(start));
        let position = self.vectors(base.iter().copied(), true);
        let mut attributes = format!("\"POSITION\":{position}");
        let points = part.triangles.is_empty();
        if !points {
            let normal = self.vectors(facing.iter().copied(), false);
            attributes.push_str(&format!(",\"NORMAL\":{normal}"));
        }
        let mut targets = vec![];
        for frame in &frames[1..] {
            let x = part.of(frame);
            // Relative to frame 0 as stored in the file, so that its rounding is not added twice.
            let moved = x.iter().zip(&base).map(|(x, b)| [0, 1, 2].map(|k| (x[k] - f64::from(b[k])) as f32));
            let mut target = format!("\"POSITION\":{}", self.vectors(moved, true));
            if !points {
                let turned = normals(x).into_iter().zip(&facing).map(|(n, f)| [0, 1, 2].map(|k| n[k] - f[k]));
                target.push_str(&format!(",\"NORMAL\":{}", self.vectors(turned, false)));
            }
            targets.push(format!("{{{target}}}"));
        }
        let material = self.material(&part.name, part.colour);
        let mut primitive = format!("\"attributes\":{{{attributes}}},\"material\":{material}");
        if points {
            primitive.push_str(",\"mode\":0");
        } else {
            primitive.push_str(&format!(",\"indices\":{}", self.indices(&part.triangles)));
        }
        let mut more = String::new();
        if let Some(weights) = weights {
            primitive.push_str(&format!(",\"targets\":[{}]", targets.join(",")));
            // Some readers find the number of weights here and show a still picture without.
            more = format!(",\"weights\":[{}]", vec!["0"; targets.len()].join(","));
            self.channel(self.nodes.len(), "weights", weights);
        }
        self.mesh_node(&part.name, &primitive, &more, "");
    }

    fn shape(&mut self, shape: &Rigid) {
        let (mesh, facing) = shape.shape.surface();
        if mesh.triangles.is_empty() {
            return;
        }
        let position = self.vectors(rounded(&mesh.positions).into_iter(), true);
        let normal = self.vectors(facing.iter().map(unit), false);
        let (indices, material) = (self.indices(&mesh.triangles), self.material(&shape.name, shape.colour));
        let primitive = format!(
            "\"attributes\":{{\"POSITION\":{position},\"NORMAL\":{normal}}},\"material\":{material},\"indices\":{indices}"
        );
        let pose = shape.pose(0);
        let (p, q) = (pose.position, pose.rotation.coords);
        let place = format!(
            ",\"translation\":[{},{},{}],\"rotation\":[{},{},{},{}]",
            p.x, p.y, p.z, q.x, q.y, q.z, q.w
        );
        if shape.poses.len() > 1 {
            let node = self.nodes.len();
            let path: Vec<f32> = shape.poses.iter().flat_map(|pose| rounded(&[pose.position])[0]).collect();
            let path = self.numbers(&path, 3, None, false);
            self.channel(node, "translation", path);
            let mut turns: Vec<f32> = vec![];
            let mut last = nalgebra::Vector4::zeros();
            for pose in &shape.poses {
                // Of q and −q the nearer one, so that viewers interpolate the short way.
                let q = if last.dot(&pose.rotation.coords) < 0.0 {
                    -pose.rotation.coords
                } else {
                    pose.rotation.coords
                };
                last = q;
                turns.extend([q.x as f32, q.y as f32, q.z as f32, q.w as f32]);
            }
            let turns = self.numbers(&turns, 4, None, false);
            self.channel(node, "rotation", turns);
        }
        self.mesh_node(&shape.name, &primitive, "", &place);
    }

    fn mesh_node(&mut self, name: &str, primitive: &str, of_mesh: &str, of_node: &str) {
        let name = json(name);
        self.nodes.push(format!("{{\"name\":{name},\"mesh\":{}{of_node}}}", self.meshes.len()));
        self.meshes.push(format!("{{\"name\":{name},\"primitives\":[{{{primitive}}}]{of_mesh}}}"));
    }

    fn channel(&mut self, node: usize, path: &str, output: usize) {
        let sampler = self.samplers.len();
        self.samplers
            .push(format!("{{\"input\":{},\"output\":{output},\"interpolation\":\"LINEAR\"}}", self.times));
        self.channels
            .push(format!("{{\"sampler\":{sampler},\"target\":{{\"node\":{node},\"path\":\"{path}\"}}}}"));
    }

    /// Header, JSON padded with spaces, binary padded with zeros.
    fn finish(mut self, out: impl Write, frames: &[Vec<Vec3>]) -> std::io::Result<()> {
        let animation = match self.channels[..] {
            [] => String::new(),
            _ => format!(
                ",\"animations\":[{{\"name\":\"run\",\"samplers\":[{}],\"channels\":[{}]}}]",
                self.samplers.join(","),
                self.channels.join(",")
            ),
        };
        let roots: Vec<String> = (0..self.nodes.len()).map(|k| k.to_string()).collect();
        let mut json = format!(
            "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"pd-mesh\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{}]}}],\
             \"nodes\":[{}],\"meshes\":[{}]{animation},\"materials\":[{}],\"accessors\":[{}],\"bufferViews\":[{}],\
             \"buffers\":[{{\"byteLength\":{}}}]}}",
            roots.join(","),
            self.nodes.join(","),
            self.meshes.join(","),
            self.materials.join(","),
            self.accessors.join(","),
            self.views.join(","),
            self.bytes.len()
        )
        .into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let bytes = (12 + 8 + json.len() + 8 + self.bytes.len()) as u64;
        let vertices = frames.first().map_or(0, Vec::len);
        let total = u32::try_from(bytes).map_err(|_| FilmError::TooLarge {
            format: "glTF",
            frames: frames.len(),
            vertices,
            bytes,
            most: MOST,
        })?;
        let mut out = BufWriter::new(out);
        out.write_all(b"glTF")?;
        for value in [2, total, json.len() as u32] {
            out.write_all(&value.to_le_bytes())?;
        }
        out.write_all(b"JSON")?;
        out.write_all(&json)?;
        out.write_all(&(self.bytes.len() as u32).to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        out.write_all(&self.bytes)?;
        out.flush()
    }
}

fn rounded(x: &[Vec3]) -> Vec<[f32; 3]> {
    x.iter().map(|x| [x.x as f32, x.y as f32, x.z as f32]).collect()
}

/// Unit normals of the vertices; up where a vertex belongs to no triangle, because the format has no normal of length 0.
fn normals(x: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    if triangles.is_empty() {
        return vec![];
    }
    let mesh = TriMesh { positions: x.to_vec(), triangles: triangles.to_vec() };
    mesh.vertex_normals().iter().map(unit).collect()
}

fn unit(n: &Vec3) -> [f32; 3] {
    let n = if n.norm_squared() < 0.5 { Vec3::y() } else { *n };
    [n.x as f32, n.y as f32, n.z as f32]
}
