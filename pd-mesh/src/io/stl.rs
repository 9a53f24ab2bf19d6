//! STL: triangles, each with its own three corners (3D Systems, StereoLithography interface specification, 1988).
//!
//! ```text
//! text     solid name  { facet normal n n n  outer loop  { vertex x y z } ×3  endloop  endfacet }  endsolid
//! binary   80 bytes, u32 count, then per triangle 12 × f32 (normal, corners) and u16, least significant byte first
//! ```
//!
//! Corners at equal positions become one vertex, numbered in the order of first use; normals and attributes are dropped. A
//! file is binary if its length fits its count. Written in binary, coordinates are rounded to 32 bits.

use super::MeshRef;
use super::error::{FileError, FileErrorKind};
use super::scan::{Cursor, coordinate, excerpt, finite, read_all, spaced};
use crate::{TriMesh, Vec3};
use std::collections::BTreeMap;
use std::io::{BufRead, BufWriter, Write};

/// How an STL file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StlFormat {
    /// Readable text with all digits.
    Ascii,
    /// Raw 32-bit numbers.
    Binary,
}

/// Reads a surface; `name` stands for the file in messages.
///
/// # Errors
/// The first defect with its line (0 in a binary file), or no triangles.
pub fn read_stl(input: impl BufRead, name: &str) -> Result<TriMesh, FileError> {
    let bytes = read_all(input, name)?;
    let mut welder = Welder::default();
    match binary_count(&bytes) {
        Some(count) => {
            let triangles = bytes.get(84..).unwrap_or_default().chunks_exact(50).take(count);
            binary(triangles, &mut welder).map_err(|kind| kind.at(name, 0))?;
        }
        None => {
            let mut cursor = Cursor::new(&bytes);
            text(&mut cursor, &mut welder).map_err(|kind| kind.at(name, cursor.line()))?;
        }
    }
    TriMesh::new(welder.positions, welder.triangles).map_err(|error| FileErrorKind::Mesh(error).at(name, 0))
}

/// Number of triangles if the length is that of a binary file.
fn binary_count(bytes: &[u8]) -> Option<usize> {
    let count = u32::from_le_bytes(bytes.get(80..84)?.try_into().ok()?);
    (bytes.len() as u64 == 84 + 50 * u64::from(count)).then_some(count as usize)
}

/// Numbers positions in the order of first use.
#[derive(Default)]
struct Welder {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    numbers: BTreeMap<[u64; 3], u32>,
}

impl Welder {
    fn vertex(&mut self, x: Vec3) -> u32 {
        // Adding zero makes −0 equal to 0.
        let key = [x.x, x.y, x.z].map(|c| (c + 0.0).to_bits());
        *self.numbers.entry(key).or_insert_with(|| {
            self.positions.push(x);
            (self.positions.len() - 1) as u32
        })
    }

    fn triangle(&mut self, corners: [Vec3; 3]) {
        let triangle = corners.map(|x| self.vertex(x));
        self.triangles.push(triangle);
    }
}

fn binary<'a>(triangles: impl Iterator<Item = &'a [u8]>, welder: &mut Welder) -> Result<(), FileErrorKind> {
    for triangle in triangles {
        let mut cursor = Cursor::new(&triangle[12..48]);
        let mut corners = [Vec3::zeros(); 3];
        for corner in &mut corners {
            for axis in 0..3 {
                // The slice holds exactly nine numbers.
                let value = cursor.array().map_or(f32::NAN, f32::from_le_bytes);
                corner[axis] = finite(f64::from(value))?;
            }
        }
        welder.triangle(corners);
    }
    Ok(())
}

fn text(cursor: &mut Cursor<'_>, welder: &mut Welder) -> Result<(), FileErrorKind> {
    let first = cursor.word().ok_or(FileErrorKind::MissingPart { expected: "solid" })?;
    if !first.eq_ignore_ascii_case(b"solid") {
        return Err(FileErrorKind::WrongFormat {
            found: excerpt(first),
            expected: "solid, or a binary file of the length its count asks for",
        });
    }
    // The rest of the line is a name of any words.
    cursor.next_line();
    let mut corners = [Vec3::zeros(); 3];
    let mut in_facet: Option<usize> = None;
    while let Some(word) = cursor.word() {
        let lower = word.to_ascii_lowercase();
        match &lower[..] {
            b"vertex" => {
                let count = in_facet.ok_or(FileErrorKind::MissingPart { expected: "facet before vertex" })?;
                if count == 3 {
                    return Err(FileErrorKind::NotSupported {
                        found: "a fourth vertex".to_owned(),
                        expected: "three in a facet",
                    });
                }
                for axis in 0..3 {
                    let word =
                        cursor.word().ok_or(FileErrorKind::MissingPart { expected: "a coordinate" })?;
                    corners[count][axis] = coordinate(word, "a coordinate of a vertex")?;
                }
                in_facet = Some(count + 1);
            }
            b"facet" => in_facet = Some(0),
            b"endfacet" => match in_facet.take() {
                Some(3) => welder.triangle(corners),
                other => return Err(FileErrorKind::TooFewCorners { corners: other.unwrap_or(0) }),
            },
            b"solid" | b"endsolid" => {
                cursor.next_line();
            }
            b"normal" | b"outer" | b"loop" | b"endloop" => {}
            _ => {
                // The numbers of a normal; exporters write nan there.
                let number = std::str::from_utf8(word).is_ok_and(|text| text.parse::<f64>().is_ok());
                if !number {
                    return Err(FileErrorKind::WrongFormat {
                        found: excerpt(word),
                        expected: "a keyword of STL",
                    });
                }
            }
        }
    }
    match in_facet {
        None => Ok(()),
        Some(_) => Err(FileErrorKind::MissingPart { expected: "endfacet" }),
    }
}

/// Writes a surface; of a solid the boundary triangles. Vertices that no triangle uses are lost: the format has no place.
///
/// # Errors
/// More than 2³² triangles in a binary file; what the writer reports.
pub fn write_stl<'a>(
    out: impl Write,
    mesh: impl Into<MeshRef<'a>>,
    format: StlFormat,
) -> std::io::Result<()> {
    let mesh = mesh.into();
    let (positions, triangles) = (mesh.positions(), mesh.surface());
    let mut out = BufWriter::new(out);
    let normal = |[a, b, c]: [Vec3; 3]| {
        (b - a)
            .cross(&(c - a))
            .try_normalize(f64::MIN_POSITIVE)
            .filter(|n| n.iter().all(|c| c.is_finite()))
            .unwrap_or_default()
    };
    match format {
        StlFormat::Ascii => {
            writeln!(out, "solid mesh")?;
            for corners in triangles.iter() {
                let x = corners.map(|v| positions[v as usize]);
                writeln!(out, "facet normal {}\nouter loop", spaced(&normal(x)))?;
                for corner in &x {
                    writeln!(out, "vertex {}", spaced(corner))?;
                }
                writeln!(out, "endloop\nendfacet")?;
            }
            writeln!(out, "endsolid mesh")?;
        }
        StlFormat::Binary => {
            let count = u32::try_from(triangles.len()).map_err(|_| {
                std::io::Error::new(std::io::ErrorKind::InvalidInput, "too many triangles for STL")
            })?;
            out.write_all(&[b' '; 80])?;
            out.write_all(&count.to_le_bytes())?;
            for corners in triangles.iter() {
                let x = corners.map(|v| positions[v as usize]);
                for value in normal(x).iter().chain(x.iter().flat_map(|corner| corner.iter())) {
                    out.write_all(&(*value as f32).to_le_bytes())?;
                }
                out.write_all(&[0, 0])?;
            }
        }
    }
    out.flush()
}
