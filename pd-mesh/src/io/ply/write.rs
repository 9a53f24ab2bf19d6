//! PLY output: vertices with x, y, z and any number of further scalars, all 64-bit; faces as index lists (G. Turk, The
//! PLY polygon file format, Stanford, 1994).

use crate::io::{MeshRef, ScalarColumn, check_columns, scan::spaced};
use std::io::{BufWriter, Write};

/// How the numbers of a PLY file are written. Both keep every bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlyFormat {
    /// Readable text.
    Ascii,
    /// Raw bytes, least significant first: about a third of the size.
    BinaryLittleEndian,
    /// Raw bytes, most significant first.
    BinaryBigEndian,
}

/// Writes a surface (of a solid all vertices and the boundary triangles) with `columns` of scalars per vertex.
///
/// # Errors
/// A column of the wrong length or whose name is not a single word; errors of the writer.
///
/// ```
/// use pd_mesh::{generate, io};
/// let cloth = generate::grid(1, 1, 1.0, 1.0)?;
/// let mut file = Vec::new();
/// io::write_ply(&mut file, &cloth, io::PlyFormat::Ascii, &[("speed", &[0.0, 1.0, 2.0, 3.0])])?;
/// assert!(String::from_utf8(file)?.contains("property double speed"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_ply<'a>(
    out: impl Write,
    mesh: impl Into<MeshRef<'a>>,
    format: PlyFormat,
    columns: &[ScalarColumn<'_>],
) -> std::io::Result<()> {
    write(out, mesh.into(), format, columns, &[])
}

/// As [`write_ply`], with columns of the triangles of a surface.
pub(in crate::io) fn write(
    out: impl Write,
    mesh: MeshRef<'_>,
    format: PlyFormat,
    columns: &[ScalarColumn<'_>],
    of_triangles: &[ScalarColumn<'_>],
) -> std::io::Result<()> {
    let (positions, triangles) = (mesh.positions(), mesh.surface());
    check_columns(columns, positions.len())?;
    check_columns(of_triangles, triangles.len())?;

    let mut out = BufWriter::new(out);
    let encoding = match format {
        PlyFormat::Ascii => "ascii",
        PlyFormat::BinaryLittleEndian => "binary_little_endian",
        PlyFormat::BinaryBigEndian => "binary_big_endian",
    };
    writeln!(out, "ply\nformat {encoding} 1.0\nelement vertex {}", positions.len())?;
    for name in ["x", "y", "z"].iter().chain(columns.iter().map(|(name, _)| name)) {
        writeln!(out, "property double {name}")?;
    }
    writeln!(out, "element face {}\nproperty list uchar uint vertex_indices", triangles.len())?;
    for (name, _) in of_triangles {
        writeln!(out, "property double {name}")?;
    }
    writeln!(out, "end_header")?;

    match format {
        PlyFormat::Ascii => {
            for (v, x) in positions.iter().enumerate() {
                write!(out, "{}", spaced(x))?;
                for (_, values) in columns {
                    write!(out, " {}", values[v])?;
                }
                writeln!(out)?;
            }
            for (t, [a, b, c]) in triangles.iter().enumerate() {
                write!(out, "3 {a} {b} {c}")?;
                for (_, values) in of_triangles {
                    write!(out, " {}", values[t])?;
                }
                writeln!(out)?;
            }
        }
        PlyFormat::BinaryLittleEndian | PlyFormat::BinaryBigEndian => {
            let big = format == PlyFormat::BinaryBigEndian;
            for (v, x) in positions.iter().enumerate() {
                for value in x.iter().chain(columns.iter().map(|(_, values)| &values[v])) {
                    out.write_all(&if big { value.to_be_bytes() } else { value.to_le_bytes() })?;
                }
            }
            for (t, corners) in triangles.iter().enumerate() {
                out.write_all(&[3])?;
                for v in corners {
                    out.write_all(&if big { v.to_be_bytes() } else { v.to_le_bytes() })?;
                }
                for (_, values) in of_triangles {
                    out.write_all(&if big { values[t].to_be_bytes() } else { values[t].to_le_bytes() })?;
                }
            }
        }
    }
    out.flush()
}
