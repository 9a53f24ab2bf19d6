//! glTF output as `.glb`. Frame 0 is the mesh, every later frame a morph target with the displacement from it; at frame k
//! the weight of target k is 1 and all others are 0, in between the viewer blends.

use crate::Vec3;
use crate::io::MeshRef;
use std::fmt::Write as _;
use std::io::{BufWriter, Error, ErrorKind, Write};

/// Writes a surface; of a solid all vertices and the boundary triangles.
///
/// # Errors
/// A file over 4 GiB; what the writer reports.
pub fn write_glb<'a>(out: impl Write, mesh: impl Into<MeshRef<'a>>) -> std::io::Result<()> {
    let mesh = mesh.into();
    write_glb_animation(out, &mesh.surface(), &[mesh.positions()], 1.0)
}

/// Writes frames of one surface, `seconds` apart, as an animation that plays in any viewer.
///
/// # Errors
/// No frames, frames of different lengths, coordinates beyond 32-bit floats, or a file over 4 GiB; what the writer reports.
///
/// ```
/// use pd_mesh::{Vec3, generate, io};
/// let cloth = generate::grid(4, 4, 1.0, 1.0)?;
/// let lifted: Vec<Vec3> = cloth.positions.iter().map(|x| x + Vec3::y()).collect();
/// let mut file = Vec::new();
/// io::write_glb_animation(&mut file, &cloth.triangles, &[&cloth.positions, &lifted], 0.5)?;
/// assert_eq!(io::read_gltf(&file[..], "run.glb", |_| None)?.triangles, cloth.triangles);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_glb_animation(
    out: impl Write,
    triangles: &[[u32; 3]],
    frames: &[impl AsRef<[Vec3]>],
    seconds: f64,
) -> std::io::Result<()> {
    let refuse = |message: &str| Err(Error::new(ErrorKind::InvalidInput, message.to_owned()));
    let Some(first) = frames.first().map(AsRef::as_ref) else { return refuse("a run without frames") };
    if frames.iter().any(|frame| frame.as_ref().len() != first.len()) {
        return refuse("frames of different numbers of vertices");
    }
    let fits = |x: &Vec3| x.iter().all(|c| (*c as f32).is_finite());
    if !frames.iter().all(|frame| frame.as_ref().iter().all(fits)) {
        return refuse("a coordinate that a 32-bit float cannot hold");
    }
    let mut buffer = Buffer::default();
    let indices = triangles.iter().flatten().flat_map(|v| v.to_le_bytes());
    buffer.view(indices, 5125, "SCALAR", triangles.len() * 3, String::new());
    let mut targets = Vec::new();
    for frame in frames {
        let start = if targets.is_empty() { None } else { Some(first) };
        let rounded = |(i, x): (usize, &Vec3)| {
            let from = start.map_or(Vec3::zeros(), |start| start[i]);
            (x - from).map(|c| c as f32)
        };
        let values: Vec<nalgebra::Vector3<f32>> = frame.as_ref().iter().enumerate().map(rounded).collect();
        let low = values.iter().fold(nalgebra::Vector3::repeat(f32::MAX), |low, x| low.inf(x));
        let high = values.iter().fold(nalgebra::Vector3::repeat(f32::MIN), |high, x| high.sup(x));
        let bounds =
            format!(",\"min\":[{},{},{}],\"max\":[{},{},{}]", low.x, low.y, low.z, high.x, high.y, high.z);
        let raw = values.iter().flat_map(|x| [x.x, x.y, x.z]).flat_map(f32::to_le_bytes);
        targets.push(buffer.view(raw, 5126, "VEC3", values.len(), bounds));
    }
    let base = targets.remove(0);
    let morphs = targets.len();
    let mut primitive = format!("{{\"attributes\":{{\"POSITION\":{base}}},\"indices\":0,\"material\":0");
    let mut animation = String::new();
    if morphs > 0 {
        let list: Vec<String> = targets.iter().map(|target| format!("{{\"POSITION\":{target}}}")).collect();
        let _ = write!(primitive, ",\"targets\":[{}]", list.join(","));
        let times = (0..frames.len()).flat_map(|k| ((k as f64 * seconds) as f32).to_le_bytes());
        let last = ((frames.len() - 1) as f64 * seconds) as f32;
        let times =
            buffer.view(times, 5126, "SCALAR", frames.len(), format!(",\"min\":[0],\"max\":[{last}]"));
        let weight = |k: usize, target: usize| f32::from(u8::from(target + 1 == k));
        let weights = (0..frames.len())
            .flat_map(|k| (0..morphs).map(move |target| weight(k, target)))
            .flat_map(f32::to_le_bytes);
        let weights = buffer.view(weights, 5126, "SCALAR", frames.len() * morphs, String::new());
        animation = format!(
            ",\"animations\":[{{\"samplers\":[{{\"input\":{times},\"output\":{weights},\"interpolation\":\"LINEAR\"}}],\
             \"channels\":[{{\"sampler\":0,\"target\":{{\"node\":0,\"path\":\"weights\"}}}}]}}]"
        );
    }
    let json = format!(
        "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"pd-mesh\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[0]}}],\
         \"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{primitive}}}]}}]{animation},\
         \"materials\":[{{\"doubleSided\":true}}],\"accessors\":[{}],\"bufferViews\":[{}],\
         \"buffers\":[{{\"byteLength\":{}}}]}}",
        buffer.accessors.join(","),
        buffer.views.join(","),
        buffer.bytes.len()
    );
    chunks(out, json.into_bytes(), buffer.bytes)
}

/// The binary chunk while it grows, and the JSON that describes it.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Buffer {
    /// Appends numbers; returns the number of their accessor. All numbers have four bytes, so everything stays aligned.
    fn view(
        &mut self,
        raw: impl Iterator<Item = u8>,
        component: u32,
        kind: &str,
        count: usize,
        bounds: String,
    ) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(raw);
        let length = self.bytes.len() - start;
        self.views.push(format!("{{\"buffer\":0,\"byteOffset\":{start},\"byteLength\":{length}}}"));
        self.accessors.push(format!(
            "{{\"bufferView\":{},\"componentType\":{component},\"count\":{count},\"type\":\"{kind}\"{bounds}}}",
            self.views.len() - 1
        ));
        self.accessors.len() - 1
    }
}

/// Header, JSON padded with spaces, binary padded with zeros.
fn chunks(out: impl Write, mut json: Vec<u8>, mut binary: Vec<u8>) -> std::io::Result<()> {
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let total = 12 + 8 + json.len() + 8 + binary.len();
    let too_long = |_| Error::new(ErrorKind::InvalidInput, "a glTF file over 4 GiB");
    let total = u32::try_from(total).map_err(too_long)?;
    let mut out = BufWriter::new(out);
    out.write_all(b"glTF")?;
    for value in [2, total, json.len() as u32] {
        out.write_all(&value.to_le_bytes())?;
    }
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    out.write_all(&(binary.len() as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    out.write_all(&binary)?;
    out.flush()
}
