//! MSH output: all nodes with tags from 1, then the tetrahedra of a solid or the triangles of a surface.

use crate::Vec3;
use crate::io::scan::spaced;
use crate::io::{Group, MeshRef, ScalarColumn, check_columns};
use std::io::{BufWriter, Write};

/// Version and encoding of an MSH file. All keep every bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MshFormat {
    /// Version 2.2, text.
    V22Ascii,
    /// Version 2.2, raw numbers.
    V22Binary,
    /// Version 4.1, text.
    V41Ascii,
    /// Version 4.1, raw numbers.
    V41Binary,
}

/// Writes either kind of mesh.
///
/// # Errors
/// What the writer reports.
pub fn write_msh<'a>(
    out: impl Write,
    mesh: impl Into<MeshRef<'a>>,
    format: MshFormat,
) -> std::io::Result<()> {
    write(out, mesh.into(), format, &[], &[], &[])
}

/// As [`write_msh`], with data fields, and with groups of elements as physical names. An element that belongs to several
/// groups goes to the first; with groups the format is version 2.2, where every element carries its group.
pub(in crate::io) fn write(
    out: impl Write,
    mesh: MeshRef<'_>,
    format: MshFormat,
    of_vertices: &[ScalarColumn<'_>],
    of_elements: &[ScalarColumn<'_>],
    groups: &[Group],
) -> std::io::Result<()> {
    let mut out = BufWriter::new(out);
    let named = groups.iter().any(|group| !group.elements.is_empty());
    let format = match format {
        MshFormat::V41Ascii if named => MshFormat::V22Ascii,
        MshFormat::V41Binary if named => MshFormat::V22Binary,
        other => other,
    };
    let (version, binary) = match format {
        MshFormat::V22Ascii => ("2.2", false),
        MshFormat::V22Binary => ("2.2", true),
        MshFormat::V41Ascii => ("4.1", false),
        MshFormat::V41Binary => ("4.1", true),
    };
    writeln!(out, "$MeshFormat\n{version} {} 8", u8::from(binary))?;
    if binary {
        out.write_all(&1i32.to_le_bytes())?;
        writeln!(out)?;
    }
    writeln!(out, "$EndMeshFormat")?;
    let (dimension, elements) = match mesh {
        MeshRef::Tri(surface) => (2, surface.triangles.len()),
        MeshRef::Tet(solid) => (3, solid.tets.len()),
    };
    check_columns(of_vertices, mesh.positions().len())?;
    check_columns(of_elements, elements)?;
    let physical = physical_tags(groups, elements);
    if named {
        writeln!(out, "$PhysicalNames\n{}", groups.len())?;
        for (tag, group) in (1..).zip(groups) {
            let name: String = group.name.chars().filter(|c| !c.is_control() && *c != '"').collect();
            writeln!(out, "{dimension} {tag} \"{name}\"")?;
        }
        writeln!(out, "$EndPhysicalNames")?;
    }
    match mesh {
        MeshRef::Tri(surface) => {
            contents(&mut out, &surface.positions, &surface.triangles, format, &physical)?
        }
        MeshRef::Tet(solid) => contents(&mut out, &solid.positions, &solid.tets, format, &physical)?,
    }
    for (section, columns) in [("NodeData", of_vertices), ("ElementData", of_elements)] {
        for (name, values) in columns {
            field(&mut out, section, name, values, binary)?;
        }
    }
    out.flush()
}

/// Physical tag of every element: the number of its first group from 1, 0 without one.
fn physical_tags(groups: &[Group], elements: usize) -> Vec<i32> {
    let mut tags = vec![0; elements];
    for (k, group) in groups.iter().enumerate().rev() {
        let tag = k as i32 + 1;
        for range in &group.elements {
            tags[range.start as usize..range.end as usize].fill(tag);
        }
    }
    tags
}

/// One data field with one component, at time step 0.
fn field(
    out: &mut impl Write,
    section: &str,
    name: &str,
    values: &[f64],
    binary: bool,
) -> std::io::Result<()> {
    writeln!(out, "${section}\n1\n\"{name}\"\n1\n0\n3\n0\n1\n{}", values.len())?;
    for (tag, value) in (1i32..).zip(values) {
        if binary {
            out.write_all(&tag.to_le_bytes())?;
            out.write_all(&value.to_le_bytes())?;
        } else {
            writeln!(out, "{tag} {value}")?;
        }
    }
    if binary {
        writeln!(out)?;
    }
    writeln!(out, "$End{section}")
}

fn contents<const N: usize>(
    out: &mut impl Write,
    positions: &[Vec3],
    elements: &[[u32; N]],
    format: MshFormat,
    physical: &[i32],
) -> std::io::Result<()> {
    let (vertices, count) = (positions.len(), elements.len());
    // Gmsh's numbers: dimension 2 and type 2 for triangles, 3 and 4 for tetrahedra.
    let (dimension, kind) = if N == 3 { (2i32, 2i32) } else { (3, 4) };
    let tags = |corners: &[u32; N]| corners.map(|v| u64::from(v) + 1);
    match format {
        MshFormat::V22Ascii => {
            writeln!(out, "$Nodes\n{vertices}")?;
            for (i, x) in positions.iter().enumerate() {
                writeln!(out, "{} {}", i + 1, spaced(x))?;
            }
            writeln!(out, "$EndNodes\n$Elements\n{count}")?;
            for (i, corners) in elements.iter().enumerate() {
                writeln!(out, "{} {kind} 2 {} 1 {}", i + 1, physical[i], joined(tags(corners)))?;
            }
            writeln!(out, "$EndElements")
        }
        MshFormat::V22Binary => {
            let int = |value: u64| (value as i32).to_le_bytes();
            writeln!(out, "$Nodes\n{vertices}")?;
            for (i, x) in positions.iter().enumerate() {
                out.write_all(&int(i as u64 + 1))?;
                reals(out, x)?;
            }
            write!(out, "\n$EndNodes\n$Elements\n{count}\n")?;
            for value in [kind, count as i32, 2] {
                out.write_all(&value.to_le_bytes())?;
            }
            for (i, corners) in elements.iter().enumerate() {
                for value in [i as u64 + 1, physical[i] as u64, 1].into_iter().chain(tags(corners)) {
                    out.write_all(&int(value))?;
                }
            }
            writeln!(out, "\n$EndElements")
        }
        MshFormat::V41Ascii => {
            writeln!(out, "$Nodes\n1 {vertices} 1 {vertices}\n{dimension} 1 0 {vertices}")?;
            for tag in 1..=vertices {
                writeln!(out, "{tag}")?;
            }
            for x in positions {
                writeln!(out, "{}", spaced(x))?;
            }
            writeln!(out, "$EndNodes\n$Elements\n1 {count} 1 {count}\n{dimension} 1 {kind} {count}")?;
            for (i, corners) in elements.iter().enumerate() {
                writeln!(out, "{} {}", i + 1, joined(tags(corners)))?;
            }
            writeln!(out, "$EndElements")
        }
        MshFormat::V41Binary => {
            let sizes = |out: &mut dyn Write, values: &[u64]| {
                values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
            };
            let ints = |out: &mut dyn Write, values: [i32; 3]| {
                values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
            };
            let (vertices, count) = (vertices as u64, count as u64);
            writeln!(out, "$Nodes")?;
            sizes(out, &[1, vertices, 1, vertices])?;
            ints(out, [dimension, 1, 0])?;
            sizes(out, &[vertices])?;
            for tag in 1..=vertices {
                sizes(out, &[tag])?;
            }
            for x in positions {
                reals(out, x)?;
            }
            write!(out, "\n$EndNodes\n$Elements\n")?;
            sizes(out, &[1, count, 1, count])?;
            ints(out, [dimension, 1, kind])?;
            sizes(out, &[count])?;
            for (i, corners) in elements.iter().enumerate() {
                sizes(out, &[i as u64 + 1])?;
                sizes(out, &tags(corners))?;
            }
            writeln!(out, "\n$EndElements")
        }
    }
}

fn reals(out: &mut impl Write, x: &Vec3) -> std::io::Result<()> {
    x.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
}

/// Numbers with a space between them.
fn joined<const N: usize>(values: [u64; N]) -> String {
    values.map(|value| value.to_string()).join(" ")
}
