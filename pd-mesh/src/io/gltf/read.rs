//! glTF input.

use super::json::Json;
use crate::io::error::{FileError, FileErrorKind};
use crate::io::limits::Limits;
use crate::io::scan::{Cursor, excerpt, finite, read_all};
use crate::io::vtk::base64_decode;
use crate::{TriMesh, Vec3};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion};
use std::borrow::Cow;
use std::io::BufRead;

/// Reads all triangles of the default scene; `name` is the file name in messages, and `beside` gives the contents of
/// files that a `.gltf` names (`|_| None` if there are none to be read).
///
/// # Errors
/// The first defect, a feature that is not supported (sparse or compressed data), or no triangles.
pub fn read_gltf(
    input: impl BufRead,
    name: &str,
    beside: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<TriMesh, FileError> {
    read_within(input, name, beside, Limits::default())
}

/// As [`read_gltf`], within limits.
pub(in crate::io) fn read_within(
    input: impl BufRead,
    name: &str,
    beside: impl Fn(&str) -> Option<Vec<u8>>,
    limits: Limits,
) -> Result<TriMesh, FileError> {
    let bytes = read_all(input, name, limits)?;
    let mesh = Document::read(&bytes, &beside).and_then(|document| document.mesh());
    let mesh = mesh.map_err(|kind| kind.at(name, 0))?;
    let too_many = |what, limit| Err(FileErrorKind::TooMany { what, limit }.at(name, 0));
    if mesh.positions.len() > limits.vertices {
        return too_many("vertices", limits.vertices);
    }
    if mesh.triangles.len() > limits.elements {
        return too_many("elements", limits.elements);
    }
    mesh.validate().map_err(|error| FileErrorKind::Mesh(error).at(name, 0))?;
    Ok(mesh)
}

/// The parts of the JSON that matter, and the buffers.
struct Document<'a> {
    nodes: Vec<Json<'a>>,
    meshes: Vec<Json<'a>>,
    accessors: Vec<Json<'a>>,
    views: Vec<Json<'a>>,
    buffers: Vec<Cow<'a, [u8]>>,
    /// Nodes of the default scene; `None` if the file has no scenes.
    roots: Option<Vec<usize>>,
    /// Most vertices and most triangles to make. A small file can name the same data over and over.
    limit: usize,
}

const fn missing(expected: &'static str) -> FileErrorKind {
    FileErrorKind::MissingPart { expected }
}

fn index(value: Option<Json<'_>>, expected: &'static str) -> Result<usize, FileErrorKind> {
    value.and_then(Json::index).ok_or(missing(expected))
}

impl<'a> Document<'a> {
    fn read(bytes: &'a [u8], beside: &impl Fn(&str) -> Option<Vec<u8>>) -> Result<Self, FileErrorKind> {
        let (text, chunk) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
        let root = Json::new(text)
            .ok_or_else(|| FileErrorKind::WrongFormat { found: excerpt(text), expected: "JSON" })?;
        let list = |name| root.get(name).map_or_else(Vec::new, |array| array.items().collect::<Vec<_>>());
        if let Some(required) = root.get("extensionsRequired").and_then(|array| array.items().next()) {
            let found = excerpt(required.text().unwrap_or_default());
            return Err(FileErrorKind::NotSupported { found, expected: "no required extension" });
        }
        let mut buffers = Vec::new();
        for (i, buffer) in list("buffers").into_iter().enumerate() {
            buffers.push(match (buffer.get("uri").and_then(Json::text), chunk) {
                (None, Some(chunk)) if i == 0 => Cow::Borrowed(chunk),
                (Some(uri), _) => Cow::Owned(contents(uri, beside)?),
                _ => return Err(missing("the uri of a buffer")),
            });
        }
        let scenes = list("scenes");
        let scene = root.get("scene").and_then(Json::index).unwrap_or(0);
        let roots = scenes.get(scene).map(|scene| {
            scene.get("nodes").map_or_else(Vec::new, |nodes| nodes.items().filter_map(Json::index).collect())
        });
        let data: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        Ok(Self {
            nodes: list("nodes"),
            meshes: list("meshes"),
            accessors: list("accessors"),
            views: list("bufferViews"),
            // A vertex takes 12 bytes in a buffer, an index at least one; instances may repeat data a few times.
            limit: data / 3 + 64,
            buffers,
            roots,
        })
    }

    fn mesh(&self) -> Result<TriMesh, FileErrorKind> {
        let mut mesh = TriMesh::default();
        let Some(roots) = &self.roots else {
            for i in 0..self.meshes.len() {
                self.instance(i, &Matrix4::identity(), &mut mesh)?;
            }
            return Ok(mesh);
        };
        // Every node has one parent at most, so no node is entered twice in a sound file.
        let mut entered = vec![false; self.nodes.len()];
        let mut stack: Vec<(usize, Matrix4<f64>)> =
            roots.iter().rev().map(|&node| (node, Matrix4::identity())).collect();
        while let Some((i, parent)) = stack.pop() {
            let node = *self.nodes.get(i).ok_or(missing("a node that a scene or another node names"))?;
            if std::mem::replace(&mut entered[i], true) {
                return Err(FileErrorKind::Contradiction {
                    what: "parents of a node",
                    found: 2,
                    expected: 1,
                });
            }
            let transform = parent * local_transform(node);
            if let Some(number) = node.get("mesh") {
                self.instance(index(Some(number), "the number of a mesh")?, &transform, &mut mesh)?;
            }
            let children: Vec<usize> = node
                .get("children")
                .map_or_else(Vec::new, |list| list.items().filter_map(Json::index).collect());
            stack.extend(children.into_iter().rev().map(|child| (child, transform)));
        }
        Ok(mesh)
    }

    /// Appends the primitives of one mesh. Primitives of one set of positions share their vertices.
    fn instance(
        &self,
        number: usize,
        transform: &Matrix4<f64>,
        mesh: &mut TriMesh,
    ) -> Result<(), FileErrorKind> {
        let source = self.meshes.get(number).ok_or(missing("a mesh that a node names"))?;
        let mut known: Vec<(usize, u32, usize)> = Vec::new();
        for primitive in source.get("primitives").ok_or(missing("the primitives of a mesh"))?.items() {
            let mode = primitive.get("mode").and_then(Json::index).unwrap_or(4);
            if !(4..=6).contains(&mode) {
                continue;
            }
            let attributes = primitive.get("attributes").ok_or(missing("the attributes of a primitive"))?;
            let accessor = index(attributes.get("POSITION"), "the positions of a primitive")?;
            let (first, count) = match known.iter().find(|&&(other, ..)| other == accessor) {
                Some(&(_, first, count)) => (first, count),
                None => {
                    let first = mesh.positions.len() as u32;
                    self.positions(accessor, transform, &mut mesh.positions)?;
                    let count = mesh.positions.len() - first as usize;
                    known.push((accessor, first, count));
                    (first, count)
                }
            };
            let indices = match primitive.get("indices") {
                Some(accessor) => self.indices(index(Some(accessor), "the indices of a primitive")?)?,
                None => (0..count as u32).collect(),
            };
            if let Some(&v) = indices.iter().find(|&&v| v as usize >= count) {
                return Err(FileErrorKind::IndexOutOfRange { index: v.into(), vertices: count });
            }
            triangles(mode, &indices, first, &mut mesh.triangles);
            if mesh.triangles.len() > self.limit || mesh.positions.len() > self.limit {
                return Err(FileErrorKind::NotSupported {
                    found: format!("{} triangles from {} bytes", mesh.triangles.len(), 3 * self.limit),
                    expected: "data that is not repeated so often",
                });
            }
        }
        Ok(())
    }

    fn positions(
        &self,
        accessor: usize,
        transform: &Matrix4<f64>,
        positions: &mut Vec<Vec3>,
    ) -> Result<(), FileErrorKind> {
        let (component, kind, rows) = self.rows(accessor, 12)?;
        if component != 5126 || kind != b"VEC3" {
            return Err(FileErrorKind::NotSupported {
                found: excerpt(kind),
                expected: "positions of three 32-bit floats",
            });
        }
        let identity = *transform == Matrix4::identity();
        for row in rows {
            let mut cursor = Cursor::new(row);
            let mut x = Vec3::zeros();
            for axis in 0..3 {
                let raw = cursor.array().ok_or(missing("a coordinate"))?;
                x[axis] = finite(f64::from(f32::from_le_bytes(raw)))?;
            }
            if !identity {
                x = (transform * x.push(1.0)).xyz();
                for axis in 0..3 {
                    finite(x[axis])?;
                }
            }
            positions.push(x);
        }
        Ok(())
    }

    fn indices(&self, accessor: usize) -> Result<Vec<u32>, FileErrorKind> {
        let component =
            self.accessors.get(accessor).and_then(|a| a.get("componentType")).and_then(Json::index);
        let bytes = match component {
            Some(5121) => 1,
            Some(5123) => 2,
            Some(5125) => 4,
            _ => return Err(missing("indices of 8, 16 or 32 bits")),
        };
        let (_, _, rows) = self.rows(accessor, bytes)?;
        let value = |row: &[u8]| {
            row.iter().take(bytes).rev().fold(0u32, |value, &byte| (value << 8) | u32::from(byte))
        };
        Ok(rows.map(value).collect())
    }

    /// Component type, type, and the elements of an accessor as raw bytes.
    #[allow(clippy::type_complexity, reason = "used by the two functions above alone")]
    fn rows(
        &self,
        accessor: usize,
        bytes: usize,
    ) -> Result<(usize, &'a [u8], impl Iterator<Item = &[u8]>), FileErrorKind> {
        let accessor = self.accessors.get(accessor).ok_or(missing("an accessor that a primitive names"))?;
        if accessor.get("sparse").is_some() {
            return Err(FileErrorKind::NotSupported {
                found: "a sparse accessor".to_owned(),
                expected: "plain data",
            });
        }
        let count = index(accessor.get("count"), "the count of an accessor")?;
        let view = index(accessor.get("bufferView"), "the view of an accessor")?;
        let view = self.views.get(view).ok_or(missing("a view that an accessor names"))?;
        let buffer = index(view.get("buffer"), "the buffer of a view")?;
        let buffer = self.buffers.get(buffer).ok_or(missing("a buffer that a view names"))?;
        let offset = |of: &Json<'_>| of.get("byteOffset").and_then(Json::index).unwrap_or(0);
        let length = index(view.get("byteLength"), "the length of a view")?;
        let cut = missing("the bytes of a view");
        let data = buffer.get(offset(view)..).and_then(|rest| rest.get(..length)).ok_or(cut.clone())?;
        let data = data.get(offset(accessor)..).ok_or(cut.clone())?;
        let stride =
            view.get("byteStride").and_then(Json::index).filter(|&stride| stride > 0).unwrap_or(bytes);
        if stride < bytes {
            return Err(FileErrorKind::Contradiction {
                what: "stride of a view",
                found: stride as u64,
                expected: bytes as u64,
            });
        }
        // The last element need not fill its stride.
        let needed = if count == 0 { 0 } else { (count - 1).saturating_mul(stride).saturating_add(bytes) };
        let data = data.get(..needed).ok_or(cut)?;
        let component = index(accessor.get("componentType"), "the component type of an accessor")?;
        let kind = accessor.get("type").and_then(Json::text).unwrap_or_default();
        Ok((component, kind, (0..count).map(move |i| &data[i * stride..i * stride + bytes])))
    }
}

/// Appends triangles of mode 4 (list), 5 (strip) or 6 (fan).
fn triangles(mode: usize, indices: &[u32], first: u32, out: &mut Vec<[u32; 3]>) {
    let moved = |corners: [u32; 3]| corners.map(|v| v + first);
    match mode {
        4 => out.extend(indices.chunks_exact(3).map(|t| moved([t[0], t[1], t[2]]))),
        5 => out.extend(
            indices
                .windows(3)
                .enumerate()
                .map(|(i, t)| moved(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] })),
        ),
        _ => out
            .extend(indices.get(1..).unwrap_or_default().windows(2).map(|t| moved([indices[0], t[0], t[1]]))),
    }
}

/// JSON and binary chunk of a `.glb` file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), FileErrorKind> {
    let mut cursor = Cursor::new(bytes);
    cursor.take(4);
    let version = cursor.array().map(u32::from_le_bytes).ok_or(missing("the version"))?;
    if version != 2 {
        return Err(FileErrorKind::Unsupported {
            what: "the version of glTF",
            value: version.into(),
            supported: "2",
        });
    }
    cursor.take(4);
    let (mut json, mut binary) = (None, None);
    while let (Some(length), Some(kind)) = (cursor.array().map(u32::from_le_bytes), cursor.array::<4>()) {
        let chunk = cursor.take(length as usize).ok_or(missing("the rest of a chunk"))?;
        match &kind {
            b"JSON" => json = json.or(Some(chunk)),
            b"BIN\0" => binary = binary.or(Some(chunk)),
            _ => {}
        }
    }
    Ok((json.ok_or(missing("the chunk JSON"))?, binary))
}

/// Contents of a buffer: base64 in the file itself, or another file.
fn contents(uri: &[u8], beside: &impl Fn(&str) -> Option<Vec<u8>>) -> Result<Vec<u8>, FileErrorKind> {
    if uri.starts_with(b"data:") {
        let comma = uri.iter().position(|&byte| byte == b',').ok_or(missing("the data of a uri"))?;
        let decoded = base64_decode(&uri[comma + 1..]);
        return decoded
            .map(|(bytes, _)| bytes)
            .ok_or_else(|| FileErrorKind::WrongFormat { found: excerpt(uri), expected: "data in base64" });
    }
    let text = std::str::from_utf8(uri).ok();
    text.and_then(beside).ok_or_else(|| FileErrorKind::NotSupported {
        found: excerpt(uri),
        expected: "a file beside this one",
    })
}

/// Transform of a node: a matrix by columns, or translation · rotation · scale.
fn local_transform(node: Json<'_>) -> Matrix4<f64> {
    let numbers = |name: &str| -> Option<Vec<f64>> { node.get(name)?.items().map(Json::number).collect() };
    if let Some(matrix) = numbers("matrix").filter(|matrix| matrix.len() == 16) {
        return Matrix4::from_column_slice(&matrix);
    }
    let three = |name, default: f64| match numbers(name).as_deref() {
        Some(&[x, y, z]) => Vec3::new(x, y, z),
        _ => Vec3::repeat(default),
    };
    let rotation = match numbers("rotation").as_deref() {
        Some(&[x, y, z, w]) => UnitQuaternion::try_new(Quaternion::new(w, x, y, z), f64::MIN_POSITIVE),
        _ => None,
    };
    let rotation = rotation.unwrap_or_else(UnitQuaternion::identity).to_homogeneous();
    Matrix4::new_translation(&three("translation", 0.0))
        * rotation
        * Matrix4::new_nonuniform_scaling(&three("scale", 1.0))
}
