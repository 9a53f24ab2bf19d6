//! STL: triangles, each with its own three corners (3D Systems, StereoLithography interface specification, 1988).
//!
//! ```text
//! text     solid name  { facet normal n n n  outer loop  { vertex x y z } ×3  endloop  endfacet }  endsolid
//! binary   80 bytes, u32 count, then per triangle 12 × f32 (normal, corners) and u16, least significant byte first
//! ```
//!
//! Corners at equal positions become one vertex, numbered in the order of first use; normals and attributes are dropped. A
//! file is text if it starts with `solid` and has no zero byte at its start. Written in binary, coordinates are rounded to 32 bits.

use super::MeshRef;
use super::collected::Collected;
use super::data::MeshData;
use super::error::{FileError, FileErrorKind};
use super::limits::Limits;
use super::scan::{coordinate, excerpt, finite, spaced};
use super::stream::Stream;
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

/// Reads a surface; `name` is the file name in messages.
///
/// # Errors
/// The first defect with its line (0 in a binary file), or no triangles.
pub fn read_stl(mut input: impl BufRead, name: &str) -> Result<TriMesh, FileError> {
    let data = read(&mut Stream::new(&mut input, Limits::default()), name)?;
    // The reader makes triangles only.
    Ok(data.mesh.into_tri().unwrap_or_default())
}

/// As [`read_stl`], within the limits of the stream.
pub(super) fn read(stream: &mut Stream<'_>, name: &str) -> Result<MeshData, FileError> {
    let mut welder = Welder { collected: Collected::new(stream.limits), numbers: BTreeMap::new() };
    let is_binary = is_binary(stream);
    let outcome = if is_binary { binary(stream, &mut welder) } else { text(stream, &mut welder) };
    let line = if is_binary { 0 } else { stream.line };
    stream.judge(outcome, name, line)?;
    drop(welder.numbers);
    welder.collected.finish(name, 0, stream.passed())
}

/// Bytes before the triangles of a binary file, and of one triangle.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;

/// A text file starts with `solid` and has no byte 0. Binary files may start with that word too, but the numbers after their
/// head always hold zeros.
fn is_binary(stream: &mut Stream<'_>) -> bool {
    let start = stream.ahead(HEAD + TRIANGLE);
    let word = start.trim_ascii_start();
    let solid = word.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    start.len() >= HEAD && (!solid || start.contains(&0))
}

/// Numbers positions in the order of first use.
struct Welder {
    collected: Collected,
    numbers: BTreeMap<[u64; 3], u32>,
}

impl Welder {
    fn vertex(&mut self, x: Vec3) -> Result<u32, FileErrorKind> {
        // Adding zero makes −0 equal to 0.
        let key = [x.x, x.y, x.z].map(|c| (c + 0.0).to_bits());
        let next = self.collected.positions.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.collected.vertex(x)?;
        }
        Ok(number)
    }

    fn triangle(&mut self, [a, b, c]: [Vec3; 3]) -> Result<(), FileErrorKind> {
        let corners = [self.vertex(a)?, self.vertex(b)?, self.vertex(c)?];
        self.collected.triangle(corners)
    }
}

fn binary(stream: &mut Stream<'_>, welder: &mut Welder) -> Result<(), FileErrorKind> {
    let missing = FileErrorKind::MissingPart { expected: "the number of triangles" };
    let head = stream.take(HEAD).ok_or(missing)?;
    let declared = u32::from_le_bytes([head[80], head[81], head[82], head[83]]) as usize;
    for read in 0..declared {
        let cut = FileErrorKind::UnexpectedEnd { section: "the triangles", read, declared };
        let raw = stream.take(TRIANGLE).ok_or(cut)?;
        let mut numbers = raw[12..48].chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]]));
        let mut corners = [Vec3::zeros(); 3];
        for corner in &mut corners {
            for axis in 0..3 {
                // The slice holds exactly nine numbers.
                corner[axis] = finite(f64::from(numbers.next().unwrap_or(f32::NAN)))?;
            }
        }
        welder.triangle(corners)?;
    }
    match stream.peek() {
        None => Ok(()),
        Some(_) => Err(FileErrorKind::WrongFormat {
            found: excerpt(stream.ahead(16)),
            expected: "the end of the file after the triangles that its head counts",
        }),
    }
}

/// Words of a text file.
enum Keyword {
    Vertex,
    Facet,
    EndFacet,
    Solid,
    Other,
}

fn text(stream: &mut Stream<'_>, welder: &mut Welder) -> Result<(), FileErrorKind> {
    let first = stream.word().ok_or(FileErrorKind::MissingPart { expected: "solid" })?;
    if !first.eq_ignore_ascii_case(b"solid") {
        let found = excerpt(first);
        return Err(FileErrorKind::WrongFormat { found, expected: "solid, or a binary file" });
    }
    // The rest of the line is a name of any words.
    stream.pass_line();
    let mut corners = [Vec3::zeros(); 3];
    let mut in_facet: Option<usize> = None;
    while let Some(word) = stream.word() {
        match keyword(word)? {
            Keyword::Vertex => {
                let count = in_facet.ok_or(FileErrorKind::MissingPart { expected: "facet before vertex" })?;
                if count == 3 {
                    return Err(FileErrorKind::NotSupported {
                        found: "a fourth vertex".to_owned(),
                        expected: "three in a facet",
                    });
                }
                for axis in 0..3 {
                    let word =
                        stream.word().ok_or(FileErrorKind::MissingPart { expected: "a coordinate" })?;
                    corners[count][axis] = coordinate(word, "a coordinate of a vertex")?;
                }
                in_facet = Some(count + 1);
            }
            Keyword::Facet => in_facet = Some(0),
            Keyword::EndFacet => match in_facet.take() {
                Some(3) => welder.triangle(corners)?,
                other => return Err(FileErrorKind::TooFewCorners { corners: other.unwrap_or(0) }),
            },
            Keyword::Solid => stream.pass_line(),
            Keyword::Other => {}
        }
    }
    match in_facet {
        None => Ok(()),
        Some(_) => Err(FileErrorKind::MissingPart { expected: "endfacet" }),
    }
}

fn keyword(word: &[u8]) -> Result<Keyword, FileErrorKind> {
    let is = |other: &str| word.eq_ignore_ascii_case(other.as_bytes());
    Ok(if is("vertex") {
        Keyword::Vertex
    } else if is("facet") {
        Keyword::Facet
    } else if is("endfacet") {
        Keyword::EndFacet
    } else if is("solid") || is("endsolid") {
        Keyword::Solid
    } else if ["normal", "outer", "loop", "endloop"].into_iter().any(is)
        // The numbers of a normal; exporters write nan there.
        || std::str::from_utf8(word).is_ok_and(|text| text.parse::<f64>().is_ok())
    {
        Keyword::Other
    } else {
        return Err(FileErrorKind::WrongFormat { found: excerpt(word), expected: "a keyword of STL" });
    })
}

/// Writes a surface; of a solid the boundary triangles. Vertices that no triangle uses are lost: the format has no place.
///
/// # Errors
/// More than 2³² triangles in a binary file; errors of the writer.
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
